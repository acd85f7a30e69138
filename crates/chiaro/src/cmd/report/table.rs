//! Many rows for people: a table for each target.

use std::fmt::Write;

use super::{counts, place};
use crate::survey::{Outcome, Row};

/// A table with a column for each metric.
pub struct Table {
    /// The target.
    pub target: &'static str,
    /// Names of metrics, short.
    pub head: Vec<String>,
    /// The shader with its variant, and a value for each column.
    pub lines: Vec<(String, Vec<Option<u64>>)>,
}

/// The rows that compile, a table for each target in the order of the first of its rows.
pub fn tables(rows: &[Row]) -> Vec<Table> {
    let mut tables: Vec<(Table, Vec<String>)> = Vec::new();
    for row in rows.iter().filter(|row| matches!(row.outcome, Outcome::Made(..))) {
        let at = tables.iter().position(|(table, _)| table.target == row.target).unwrap_or_else(|| {
            tables.push((Table { target: row.target, head: Vec::new(), lines: Vec::new() }, Vec::new()));
            tables.len() - 1
        });
        let (table, names) = &mut tables[at];
        let metrics = row.metrics();
        let mut values = vec![None; names.len()];
        for (name, value) in metrics {
            let column = names.iter().position(|known| *known == name).unwrap_or_else(|| {
                table.head.push(short(&name));
                names.push(name);
                values.push(None);
                names.len() - 1
            });
            values[column] = Some(value);
        }
        table.lines.push((name(row), values));
    }
    tables.into_iter().map(|(table, _)| table).collect()
}

/// The name of a metric without its explanation: what stands behind a comma outside of parentheses.
fn short(name: &str) -> String {
    let end = name.find(',').filter(|&comma| !name[..comma].contains('('));
    name[..end.unwrap_or(name.len())].to_owned()
}

/// What a row is called.
pub fn name(row: &Row) -> String {
    if row.variant.is_empty() { row.shader.clone() } else { format!("{} [{}]", row.shader, row.variant) }
}

/// All rows.
pub fn rows(rows: &[Row]) -> String {
    let mut out = String::new();
    for table in tables(rows) {
        text(&table, &mut out);
    }
    for row in rows {
        let Outcome::Failed(messages) = &row.outcome else { continue };
        let text = messages.first().map(place).unwrap_or_default();
        let _ = writeln!(out, "{} for {}: {text}", name(row), row.target);
    }
    let (made, failed, absent) = counts(rows);
    let _ = writeln!(out, "{made} compiled, {failed} failed, {absent} not for their target");
    out
}

/// Columns that hold nothing but zeros are left out.
fn text(table: &Table, out: &mut String) {
    let has_value = |n: &usize| {
        table.lines.iter().any(|(_, values)| !matches!(values.get(*n), None | Some(None | Some(0))))
    };
    let columns: Vec<usize> = (0..table.head.len()).filter(has_value).collect();
    let cell = |values: &[Option<u64>], n: usize| {
        values.get(n).copied().flatten().map_or_else(|| "-".to_owned(), |value| value.to_string())
    };
    let width = |n: usize| {
        let cells = table.lines.iter().map(|(_, values)| cell(values, n).len());
        cells.chain([table.head[n].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = columns.iter().map(|&n| width(n)).collect();
    let _ = writeln!(out, "{}", table.target);
    for (n, w) in columns.iter().zip(&widths) {
        let _ = write!(out, "  {:>w$}", table.head[*n]);
    }
    out.push_str("  shader\n");
    for (name, values) in &table.lines {
        for (n, w) in columns.iter().zip(&widths) {
            let _ = write!(out, "  {:>w$}", cell(values, *n));
        }
        let _ = writeln!(out, "  {name}");
    }
    out.push('\n');
}
