//! Rows of many shaders that differ: as text, tables, JSON and a page.

use std::fmt::Write;

use chiaro::Cause;
use serde_json::{Value, json};

use super::{Compared, Outcome, rows};
use crate::cmd::diff::compare::{Difference, Row};
use crate::cmd::diff::text::{named, told as parted};
use crate::cmd::diff::{Form, Options, Side, json as one_json};
use crate::cmd::report::markdown::cell;
use crate::made::Made;
use crate::page;
use crate::shell::{Failure, Shell};

/// Source lines that are told of a shader: those that changed the most.
const MOST_LINES: usize = 3;

/// Shaders that a page shows one by one: a browser has to hold it.
const MOST_IN_FULL: usize = 100;

/// All rows in a form, and whether something could not be compiled.
pub fn told(
    options: &Options,
    form: Form,
    sides: &[[Side<'_>; 2]],
    has_failed: &mut bool,
    shell: &mut Shell,
) -> Result<String, Failure> {
    let mut failed = |count: usize| *has_failed = count > 0;
    Ok(match form {
        Form::Text => {
            let all = rows(options, sides, &lines, shell)?;
            failed(Counts::of(&all).failed);
            text(&all)
        }
        Form::Markdown => {
            let all = rows(options, sides, &lines, shell)?;
            failed(Counts::of(&all).failed);
            markdown(&all)
        }
        Form::Json => {
            let all = rows(options, sides, &one_json::value, shell)?;
            failed(Counts::of(&all).failed);
            json(all)
        }
        Form::Html => {
            let all = rows(options, sides, &page::tables_of, shell)?;
            failed(Counts::of(&all).failed);
            html(&all)
        }
    })
}

/// How many rows came out in which way.
#[derive(Default)]
struct Counts {
    differ: usize,
    same: usize,
    gone: usize,
    new: usize,
    failed: usize,
    absent: usize,
}

impl Counts {
    fn of<T>(rows: &[Compared<T>]) -> Counts {
        let mut counts = Counts::default();
        for row in rows {
            *match row.outcome {
                Outcome::Differs(..) => &mut counts.differ,
                Outcome::Same => &mut counts.same,
                Outcome::Gone => &mut counts.gone,
                Outcome::New => &mut counts.new,
                Outcome::Failed(_) => &mut counts.failed,
                Outcome::NotHere => &mut counts.absent,
            } += 1;
        }
        counts
    }

    fn text(&self) -> String {
        let Counts { differ, same, gone, new, failed, absent } = self;
        format!(
            "{differ} differ, {same} as they were, {gone} in the first alone, {new} in the second alone, \
             {failed} failed, {absent} not for their target"
        )
    }
}

/// A row's name with its target, or both.
fn title<T>(row: &Compared<T>) -> String {
    let [before, after] = row.targets;
    let targets = if before == after { before.to_owned() } else { format!("{before}, {after}") };
    format!("{} for {targets}", row.name)
}

/// What is to be told of rows that cannot be compared.
fn remark<T>(row: &Compared<T>) -> Option<String> {
    Some(match &row.outcome {
        Outcome::Gone => "is in the first alone".to_owned(),
        Outcome::New => "is in the second alone".to_owned(),
        Outcome::Failed([None, Some(why)]) => format!("compiles no more: {why}"),
        Outcome::Failed([Some(why), None]) => format!("did not compile: {why}"),
        Outcome::Failed([_, why]) => format!("compiles on neither side: {}", why.as_deref().unwrap_or("")),
        Outcome::Differs(..) | Outcome::Same | Outcome::NotHere => return None,
    })
}

fn why(causes: &[Row<Cause>]) -> String {
    let changed = causes.iter().filter(|row| row.change() != 0);
    let told: Vec<String> = changed.map(|row| format!("{} {:+}", row.what.name(), row.change())).collect();
    if told.is_empty() { "as many of each cause".to_owned() } else { told.join(", ") }
}

/// Sums of all rows that differ.
fn sums<T>(rows: &[Compared<T>]) -> (Row<()>, Row<()>, Vec<Row<Cause>>) {
    let none = || Row { what: (), before: 0, after: 0 };
    let mut causes: Vec<Row<Cause>> =
        Cause::ALL.into_iter().map(|what| Row { what, before: 0, after: 0 }).collect();
    let (mut total, mut cycles) = (none(), none());
    let add = |sum: &mut Row<()>, row: &Row<()>| {
        (sum.before, sum.after) = (sum.before + row.before, sum.after + row.after);
    };
    for difference in differing(rows).map(|(_, difference, _)| difference) {
        add(&mut total, &difference.total);
        add(&mut cycles, &difference.cycles);
        for row in &difference.causes {
            let Some(sum) = causes.iter_mut().find(|sum| sum.what == row.what) else { continue };
            (sum.before, sum.after) = (sum.before + row.before, sum.after + row.after);
        }
    }
    (total, cycles, causes)
}

fn differing<T>(rows: &[Compared<T>]) -> impl Iterator<Item = (&Compared<T>, &Difference, &T)> {
    rows.iter().filter_map(|row| match &row.outcome {
        Outcome::Differs(difference, detail) => Some((row, &**difference, detail)),
        _ => None,
    })
}

/// The source lines of a row that changed the most, with the place where its compilations part.
fn lines(before: &Made, after: &Made, difference: &Difference) -> Vec<String> {
    let mut all: Vec<_> = difference.lines.iter().collect();
    all.sort_by_key(|(line, _)| std::cmp::Reverse(line.change().unsigned_abs()));
    let line = |(line, causes): &&(Row<_>, Vec<Row<Cause>>)| {
        let (name, text) = named(before, after, line.what);
        let text = if text.is_empty() { text } else { format!(": {text}") };
        format!("{:+} ({}) {name}{text}", line.change(), why(causes))
    };
    let mut told: Vec<String> = all.iter().take(MOST_LINES).map(line).collect();
    let more = all.len().saturating_sub(MOST_LINES);
    told.extend((more > 0).then(|| format!("and {more} more lines")));
    told.extend(difference.parting.as_ref().and_then(|at| parted(at).lines().next().map(str::to_owned)));
    told
}

fn change<T>(row: &Row<T>) -> String {
    format!("{} -> {} ({:+})", row.before, row.after, row.change())
}

fn text(rows: &[Compared<Vec<String>>]) -> String {
    let mut out = String::new();
    for (row, difference, lines) in differing(rows) {
        let _ = writeln!(out, "{}", title(row));
        let _ = writeln!(
            out,
            "  instructions {}, cycles {}: {}",
            change(&difference.total),
            change(&difference.cycles),
            why(&difference.causes)
        );
        lines.iter().for_each(|line| {
            let _ = writeln!(out, "    {line}");
        });
    }
    for (row, remark) in rows.iter().filter_map(|row| Some((row, remark(row)?))) {
        let _ = writeln!(out, "{}: {remark}", title(row));
    }
    let (total, cycles, causes) = sums(rows);
    if total.before + total.after > 0 {
        let _ = writeln!(
            out,
            "all that differ: instructions {}, cycles {}: {}",
            change(&total),
            change(&cycles),
            why(&causes)
        );
    }
    let _ = writeln!(out, "{}", Counts::of(rows).text());
    out
}

fn markdown(rows: &[Compared<Vec<String>>]) -> String {
    let mut out = String::new();
    for (n, (row, difference, lines)) in differing(rows).enumerate() {
        if n == 0 {
            out.push_str("| shader | instructions | change | cycles | change | why | where |\n");
            out.push_str("|---|---:|---:|---:|---:|---|---|\n");
        }
        let Row { before, after, .. } = difference.total;
        let cycles = &difference.cycles;
        let _ = writeln!(
            out,
            "| {} | {before} → {after} | {:+} | {} → {} | {:+} | {} | {} |",
            cell(&title(row)),
            difference.total.change(),
            cycles.before,
            cycles.after,
            cycles.change(),
            why(&difference.causes),
            lines.first().map(|line| cell(line)).unwrap_or_default()
        );
    }
    for (n, (row, remark)) in rows.iter().filter_map(|row| Some((row, remark(row)?))).enumerate() {
        if n == 0 {
            out.push_str("\n| shader | not compared |\n|---|---|\n");
        }
        let _ = writeln!(out, "| {} | {} |", cell(&title(row)), cell(&remark));
    }
    let _ = writeln!(out, "\n{}", Counts::of(rows).text());
    out
}

fn json(rows: Vec<Compared<Value>>) -> String {
    let Counts { same, absent, .. } = Counts::of(&rows);
    let row = |row: Compared<Value>| {
        let (change, failures, value) = match row.outcome {
            Outcome::Differs(_, value) => ("changed", [None, None], value),
            Outcome::Gone => ("gone", [None, None], Value::Null),
            Outcome::New => ("new", [None, None], Value::Null),
            Outcome::Failed(why) => ("failed", why, Value::Null),
            Outcome::Same | Outcome::NotHere => return None,
        };
        let [before, after] = failures;
        Some(json!({
            "name": row.name, "targets": row.targets, "change": change,
            "before_failure": before, "after_failure": after, "difference": value,
        }))
    };
    let programs: Vec<Value> = rows.into_iter().filter_map(row).collect();
    format!("{:#}\n", json!({ "version": 1, "programs": programs, "same": same, "not_for_target": absent }))
}

fn html(rows: &[Compared<String>]) -> String {
    let number =
        |row: &Row<()>| [row.before.to_string(), row.after.to_string(), format!("{:+}", row.change())];
    let line = |(row, difference, _): (&Compared<String>, &Difference, &String)| {
        let mut cells = vec![title(row)];
        cells.extend(number(&difference.total));
        cells.extend(number(&difference.cycles));
        cells.push(why(&difference.causes));
        cells
    };
    let head = ["shader", "instructions", "after", "change", "cycles", "after", "change", "why"];
    let mut out =
        format!("<p>{}</p>\n{}", Counts::of(rows).text(), page::table(&head, differing(rows).map(line)));
    let apart: Vec<_> = rows.iter().filter_map(|row| Some(vec![title(row), remark(row)?])).collect();
    if !apart.is_empty() {
        out += "<h2>Not compared</h2>\n";
        out += &page::table(&["shader", "why"], apart.into_iter());
    }
    for (row, _, tables) in differing(rows).take(MOST_IN_FULL) {
        let _ = writeln!(out, "<h2>{}</h2>\n{tables}", crate::markup::escape(&title(row)));
    }
    if differing(rows).count() > MOST_IN_FULL {
        let _ = writeln!(out, "<p class=note>the first {MOST_IN_FULL} are shown one by one</p>");
    }
    page::page("chiaro diff", &out)
}
