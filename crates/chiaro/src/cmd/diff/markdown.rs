//! Differences for a merge request.

use std::fmt::Write;

use super::compare::{Difference, Row};
use super::text::{head, named, told};
use crate::cmd::report::markdown::cell;
use crate::made::Made;

/// Tables, the sum first.
pub fn difference(before: &Made, after: &Made, difference: &Difference) -> String {
    let mut out = format!("### {} → {}\n\n", cell(&head(before)), cell(&head(after)));
    if difference.is_empty(before, after) {
        out.push_str("No difference.\n");
        return out;
    }
    out.push_str("| metric | before | after | change |\n|---|---:|---:|---:|\n");
    row(&mut out, "instructions", &difference.total);
    row(&mut out, "cycles of the longest way", &difference.cycles);
    for metric in difference.metrics.iter().filter(|metric| metric.change() != 0) {
        row(&mut out, &metric.what, metric);
    }
    out.push_str("\n| cause | before | after | change |\n|---|---:|---:|---:|\n");
    for cause in &difference.causes {
        row(&mut out, cause.what.name(), cause);
    }
    if !difference.lines.is_empty() {
        out.push_str("\n| source line | before | after | why |\n|---|---:|---:|---|\n");
    }
    for (line, causes) in &difference.lines {
        let why: Vec<String> =
            causes.iter().map(|row| format!("{} {:+}", row.what.name(), row.change())).collect();
        let (name, text) = named(before, after, line.what);
        let _ = writeln!(
            out,
            "| {} {} | {} | {} | {} |",
            cell(&name),
            cell(&text),
            line.before,
            line.after,
            why.join(", ")
        );
    }
    if let Some(parting) = &difference.parting {
        let _ = writeln!(out, "\n```text\n{}```", told(parting));
    }
    out
}

fn row<T>(out: &mut String, name: &str, row: &Row<T>) {
    let _ = writeln!(out, "| {} | {} | {} | {:+} |", cell(name), row.before, row.after, row.change());
}
