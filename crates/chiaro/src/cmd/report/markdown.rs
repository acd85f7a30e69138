//! Rows for a merge request.

use std::fmt::Write;

use super::table::{Table, name, tables, terms};
use super::{counts, place};
use crate::survey::{Outcome, Row};

/// A table for each target, then what does not compile.
pub fn rows(rows: &[Row]) -> String {
    let mut out = String::new();
    for (own, vendors) in tables(rows).iter().zip(terms(rows)) {
        let _ = writeln!(out, "### {}\n", own.target);
        table(own, &mut out);
        out.push_str("As vendors' tools count:\n\n");
        table(&vendors, &mut out);
    }
    let failed = rows.iter().filter_map(|row| match &row.outcome {
        Outcome::Failed(messages) => Some((row, messages.first().map(place).unwrap_or_default())),
        _ => None,
    });
    for (n, (row, text)) in failed.enumerate() {
        if n == 0 {
            out.push_str("### Not compiled\n\n| shader | target | message |\n|---|---|---|\n");
        }
        let _ = writeln!(out, "| {} | {} | {} |", cell(&name(row)), row.target, cell(&text));
    }
    let (made, failed, absent) = counts(rows);
    let _ = writeln!(out, "\n{made} compiled, {failed} failed, {absent} not for their target");
    out
}

fn table(table: &Table, out: &mut String) {
    let head: Vec<String> = table.head.iter().map(|head| cell(head)).collect();
    let _ = writeln!(out, "| shader | {} |", head.join(" | "));
    let _ = writeln!(out, "|---|{}", "---:|".repeat(head.len()));
    for (name, cells) in &table.lines {
        let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
        let _ = writeln!(out, "| {} | {} |", cell(name), cells.join(" | "));
    }
    out.push('\n');
}

/// Text that ends no cell and is no HTML.
pub fn cell(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;").replace(['\n', '\r'], " ")
}
