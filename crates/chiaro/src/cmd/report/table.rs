//! Many rows for people: a table for each target.

use std::fmt::Write;

use super::{counts, place};
use crate::survey::{Outcome, Row};
use crate::terms::Term;

/// A table with a column for each metric.
pub struct Table {
    /// The target.
    pub target: &'static str,
    /// Names of metrics, short.
    pub head: Vec<String>,
    /// The shader with its variant, and a cell for each column, empty where nothing is counted.
    pub lines: Vec<(String, Vec<String>)>,
}

/// The rows that compile, a table for each target in the order of the first of its rows: what the target counts.
pub fn tables(rows: &[Row]) -> Vec<Table> {
    let cells = |row: &Row| {
        row.metrics().into_iter().map(|(name, value)| (short(&name), value.to_string())).collect()
    };
    made(rows, &cells)
}

/// The same with what vendors' tools count, under their names.
pub fn terms(rows: &[Row]) -> Vec<Table> {
    let cells = |row: &Row| match &row.outcome {
        Outcome::Made(_, terms) => by_unit(terms),
        _ => Vec::new(),
    };
    made(rows, &cells)
}

/// Cycles of all units along a way in one cell: `alu 12, memory 4`; work registers of several files likewise.
fn by_unit(terms: &[Term]) -> Vec<(String, String)> {
    let mut cells: Vec<(String, String)> = Vec::new();
    for term in terms {
        let (name, unit) = term.name.split_once(", ").unwrap_or((&term.name, ""));
        let is_split = |other: &&Term| other.name == term.name && other.unit != term.unit;
        let unit = if terms.iter().any(|other| is_split(&other)) { term.unit } else { unit };
        let value = if unit.is_empty() { term.value.to_string() } else { format!("{unit} {}", term.value) };
        match cells.iter_mut().find(|(known, _)| known == name) {
            Some((_, cell)) => *cell += &format!(", {value}"),
            None => cells.push((name.to_owned(), value)),
        }
    }
    cells
}

fn made(rows: &[Row], cells: &dyn Fn(&Row) -> Vec<(String, String)>) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    for row in rows.iter().filter(|row| matches!(row.outcome, Outcome::Made(..))) {
        let at = tables.iter().position(|table| table.target == row.target).unwrap_or_else(|| {
            tables.push(Table { target: row.target, head: Vec::new(), lines: Vec::new() });
            tables.len() - 1
        });
        let table = &mut tables[at];
        let mut line = vec![String::new(); table.head.len()];
        for (name, value) in cells(row) {
            let column = table.head.iter().position(|known| *known == name).unwrap_or_else(|| {
                table.head.push(name);
                line.push(String::new());
                table.head.len() - 1
            });
            line[column] = value;
        }
        table.lines.push((self::name(row), line));
    }
    for table in &mut tables {
        table.lines.iter_mut().for_each(|(_, line)| line.resize(table.head.len(), String::new()));
    }
    tables
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
    for (own, vendors) in tables(rows).iter().zip(terms(rows)) {
        let _ = writeln!(out, "{}", own.target);
        text(own, &mut out);
        out.push_str("  as vendors' tools count\n");
        text(&vendors, &mut out);
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
    let is_something = |cell: &String| !matches!(cell.as_str(), "" | "0");
    let has_value = |n: &usize| table.lines.iter().any(|(_, cells)| is_something(&cells[*n]));
    let columns: Vec<usize> = (0..table.head.len()).filter(has_value).collect();
    let cell = |cell: &String| if cell.is_empty() { "-".to_owned() } else { cell.clone() };
    let width = |n: usize| {
        let cells = table.lines.iter().map(|(_, cells)| cells[n].len());
        cells.chain([table.head[n].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = columns.iter().map(|&n| width(n)).collect();
    for (n, w) in columns.iter().zip(&widths) {
        let _ = write!(out, "  {:>w$}", table.head[*n]);
    }
    out.push_str("  shader\n");
    for (name, cells) in &table.lines {
        for (n, w) in columns.iter().zip(&widths) {
            let _ = write!(out, "  {:>w$}", cell(&cells[*n]));
        }
        let _ = writeln!(out, "  {name}");
    }
    out.push('\n');
}
