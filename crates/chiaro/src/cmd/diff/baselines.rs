//! Two baselines of `chiaro gate`.

use std::collections::BTreeSet;
use std::fmt::Write;

use chiaro_diag::FileId;
use serde_json::{Value, json};

use crate::cmd::report::markdown::cell;
use crate::shell::{Failure, Shell};
use crate::survey::baseline::{Baseline, HEAD, Key};

/// Whether bytes are a baseline.
pub fn is(bytes: &[u8]) -> bool {
    bytes.starts_with(HEAD.as_bytes())
}

/// Reads one.
pub fn read(file: FileId, shell: &mut Shell) -> Result<Baseline, Failure> {
    Baseline::read(&shell.sources, file).map_err(|error| shell.fail(*error))
}

/// A row that changed: its name, and what did.
pub type Changed<'a> = (&'a Key, Change<'a>);

/// What became of a row.
pub enum Change<'a> {
    /// It is there now.
    New,
    /// It is there no more.
    Gone,
    /// It compiles now.
    Compiles,
    /// It compiles no more.
    Broken,
    /// Metrics with both values, as far as there are both.
    Metrics(Vec<(&'a str, Option<u64>, Option<u64>)>),
}

/// Rows that changed, in their order, and how many did not.
pub fn changes<'a>(before: &'a Baseline, after: &'a Baseline) -> (Vec<Changed<'a>>, usize) {
    let keys: BTreeSet<&Key> = before.rows.keys().chain(after.rows.keys()).collect();
    let (mut found, mut same) = (Vec::new(), 0);
    for key in keys {
        match change(before.rows.get(key), after.rows.get(key)) {
            Some(change) => found.push((key, change)),
            None => same += 1,
        }
    }
    (found, same)
}

type Metrics = Vec<(String, u64)>;

fn change<'a>(before: Option<&'a Metrics>, after: Option<&'a Metrics>) -> Option<Change<'a>> {
    let (before, after) = match (before, after) {
        (None, _) => return Some(Change::New),
        (_, None) => return Some(Change::Gone),
        (Some(before), Some(after)) => (before, after),
    };
    match (before.is_empty(), after.is_empty()) {
        (true, false) => return Some(Change::Compiles),
        (false, true) => return Some(Change::Broken),
        _ => {}
    }
    let value = |all: &Metrics, name: &str| all.iter().find(|(other, _)| other == name).map(|(_, n)| *n);
    let mut names: Vec<&str> = before.iter().map(|(name, _)| name.as_str()).collect();
    names.extend(after.iter().map(|(name, _)| name.as_str()).filter(|name| value(before, name).is_none()));
    let row = |name: &'a str| (name, value(before, name), value(after, name));
    let rows: Vec<_> = names.into_iter().map(row).filter(|(_, before, after)| before != after).collect();
    (!rows.is_empty()).then_some(Change::Metrics(rows))
}

/// Cells of a table: name, what changed, before, after.
pub fn markdown_rows(before: &Baseline, after: &Baseline) -> Vec<[String; 4]> {
    let number = |n: Option<u64>| n.map_or_else(|| "-".to_owned(), |n| n.to_string());
    let mut rows = Vec::new();
    for (key, change) in changes(before, after).0 {
        let mut add = |what: &str, b: String, a: String| rows.push([key.to_string(), what.to_owned(), b, a]);
        match change {
            Change::New => add("is new", String::new(), String::new()),
            Change::Gone => add("is gone", String::new(), String::new()),
            Change::Compiles => add("compiles now", String::new(), String::new()),
            Change::Broken => add("compiles no more", String::new(), String::new()),
            Change::Metrics(all) => all.into_iter().for_each(|(name, b, a)| add(name, number(b), number(a))),
        }
    }
    rows
}

/// For people.
pub fn text(before: &Baseline, after: &Baseline) -> String {
    let (found, same) = changes(before, after);
    let mut out = String::new();
    let mut last = String::new();
    for [key, what, b, a] in markdown_rows(before, after) {
        if key != last {
            let _ = writeln!(out, "{key}");
        }
        let values = if b.is_empty() { String::new() } else { format!(" {b} -> {a}") };
        let _ = writeln!(out, "  {what}{values}");
        last = key;
    }
    let _ = writeln!(out, "{} rows changed, {same} as they were", found.len());
    out
}

/// For a merge request.
pub fn markdown(before: &Baseline, after: &Baseline) -> String {
    let mut out = String::from("| shader | what | before | after |\n|---|---|---:|---:|\n");
    for row in markdown_rows(before, after) {
        let _ = writeln!(out, "| {} |", row.map(|text| cell(&text)).join(" | "));
    }
    out
}

/// For machines.
pub fn json(before: &Baseline, after: &Baseline) -> String {
    let (found, same) = changes(before, after);
    let row = |(key, change): &Changed<'_>| {
        let (what, metrics) = match change {
            Change::New => ("new", Vec::new()),
            Change::Gone => ("gone", Vec::new()),
            Change::Compiles => ("compiles now", Vec::new()),
            Change::Broken => ("compiles no more", Vec::new()),
            Change::Metrics(all) => {
                let one = |(name, b, a): &(&str, _, _)| json!({ "name": name, "before": b, "after": a });
                ("changed", all.iter().map(one).collect::<Vec<Value>>())
            }
        };
        json!({ "file": key.shader, "variant": key.variant, "target": key.target, "change": what, "metrics": metrics })
    };
    let rows: Vec<Value> = found.iter().map(row).collect();
    format!("{:#}\n", json!({ "version": 1, "rows": rows, "same": same }))
}
