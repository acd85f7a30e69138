//! Reports for machines; docs/report.schema.json describes them.

use chiaro::Report;
use serde_json::{Value, json};

use crate::made::Made;
use crate::survey::{Message, Outcome, Row};
use crate::terms::Term;

/// All reports as `{"version": 1, "reports": [...]}`.
pub fn reports(reports: &[(String, Report)]) -> String {
    let list: Vec<Value> = reports.iter().map(|(path, report)| one(Some(path), report)).collect();
    print(&json!({ "version": 1, "reports": list }))
}

/// Programs in full: their reports, the terms of vendors' tools, and live registers by source line.
pub fn programs(all: &[(Made, Report)]) -> String {
    let list: Vec<Value> = all.iter().map(|(made, report)| program(made, report)).collect();
    print(&json!({ "version": 1, "reports": list }))
}

fn program(made: &Made, report: &Report) -> Value {
    let mut value = one(Some(&made.file), report);
    value["terms"] = terms(&made.terms);
    let live = |(place, files): ((usize, u32), Vec<(&str, u32)>)| {
        let registers: Vec<Value> =
            files.into_iter().map(|(name, live)| json!({ "name": name, "live": live })).collect();
        json!({ "file": made.sources[place.0].name, "line": place.1, "registers": registers })
    };
    value["live"] = made.live_by_line().into_iter().map(live).collect();
    value["error"] = json!(made.error());
    value
}

fn terms(all: &[Term]) -> Value {
    all.iter().map(|term| json!({ "name": term.name, "value": term.value, "unit": term.unit })).collect()
}

/// Rows: reports with their variants, and what does not compile as `failures`.
pub fn rows(rows: &[Row]) -> String {
    let is_made = |row: &&Row| matches!(row.outcome, Outcome::Made(..));
    let (made, failed): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(is_made);
    let [reports, failures] = [made, failed].map(|rows| rows.into_iter().map(row).collect::<Vec<_>>());
    print(&json!({ "version": 1, "reports": reports, "failures": failures }))
}

/// A row: its report, or why there is none.
pub fn row(row: &Row) -> Value {
    let failure = |why: Value| json!({ "file": row.shader, "variant": row.variant, "target": row.target, "messages": why });
    match &row.outcome {
        Outcome::Made(report, counted) => {
            let mut value = one(Some(&row.shader), report);
            value["variant"] = json!(row.variant);
            value["terms"] = terms(counted);
            value
        }
        Outcome::NotHere(why) => {
            let mut value = failure(json!([{ "text": format!("not for {}: {why}", row.target) }]));
            value["not_for_target"] = json!(why);
            value
        }
        Outcome::Failed(messages) => failure(messages.iter().map(message).collect()),
    }
}

fn message(message: &Message) -> Value {
    let mut value = json!({ "text": message.text });
    if let Some((file, line, column)) = &message.place {
        (value["file"], value["line"], value["column"]) = (json!(file), json!(line), json!(column));
    }
    if !message.help.is_empty() {
        value["help"] = json!(message.help);
    }
    value
}

/// Both reports: `{"version": 1, "before": {...}, "after": {...}}`.
pub fn difference(before: &Report, after: &Report) -> String {
    print(&json!({ "version": 1, "before": one(None, before), "after": one(None, after) }))
}

fn print(value: &Value) -> String {
    format!("{value:#}\n")
}

/// What comes of each line of the source; cycles where they are known.
fn lines(report: &Report) -> Vec<Value> {
    let of = |(n, (file, line, words)): (usize, &(String, u32, u32))| {
        let mut value = json!({ "file": file, "line": line, "words": words });
        if let Some(cycles) = report.line_cycles.get(n) {
            value["cycles"] = json!(cycles);
        }
        value
    };
    report.by_line.iter().enumerate().map(of).collect()
}

/// A report, of a file if it has one.
pub fn one(path: Option<&str>, report: &Report) -> Value {
    let mut value = json!({
        "target": report.target,
        "entry": report.entry,
        "resources": report.resources.iter().map(|r| json!({
            "name": r.name, "used": r.used, "allowed": r.allowed,
        })).collect::<Vec<_>>(),
        "counts": report.counts.iter().map(|(name, n)| json!({ "name": name, "value": n })).collect::<Vec<_>>(),
        "cycles": report.cycles.map(|(shortest, longest)| json!({ "shortest": shortest, "longest": longest })),
        "assumptions": report.assumptions.iter().map(|(name, n)| json!({ "name": name, "value": n })).collect::<Vec<_>>(),
        "lines": lines(report),
        "words_without_line": report.elsewhere,
        "ports": report.ports.iter().map(|p| json!({
            "name": p.name, "used": p.used, "available": p.allowed,
        })).collect::<Vec<_>>(),
        "blocks": report.blocks.iter().map(|b| json!({
            "instructions": b.length, "bound": b.bound, "limit": b.limit, "optimal": b.optimal,
        })).collect::<Vec<_>>(),
        "variables": report.variables.iter().map(|v| json!({
            "kind": v.kind, "name": v.name, "place": v.place,
        })).collect::<Vec<_>>(),
    });
    if let (Some(path), Some(object)) = (path, value.as_object_mut()) {
        object.insert("file".to_owned(), json!(path));
    }
    value
}
