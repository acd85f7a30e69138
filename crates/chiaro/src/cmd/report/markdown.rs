//! Rows for a merge request.

use std::fmt::Write;

use super::table::{name, tables};
use super::{counts, place};
use crate::survey::{Outcome, Row};

/// A table for each target, then what does not compile.
pub fn rows(rows: &[Row]) -> String {
    let mut out = String::new();
    for table in tables(rows) {
        let _ = writeln!(out, "### {}\n", table.target);
        let _ = writeln!(
            out,
            "| shader | {} |",
            table.head.iter().map(|head| cell(head)).collect::<Vec<_>>().join(" | ")
        );
        let _ = writeln!(out, "|---|{}", "---:|".repeat(table.head.len()));
        for (name, values) in &table.lines {
            let value =
                |n| values.get(n).copied().flatten().map_or_else(String::new, |value: u64| value.to_string());
            let values: Vec<String> = (0..table.head.len()).map(value).collect();
            let _ = writeln!(out, "| {} | {} |", cell(name), values.join(" | "));
        }
        out.push('\n');
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

/// Text that ends no cell and is no HTML.
pub fn cell(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;").replace(['\n', '\r'], " ")
}
