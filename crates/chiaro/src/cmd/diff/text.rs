//! Differences for people.

use std::fmt::Write;

use super::compare::{Difference, Place, Row};
use super::passes::{Part, Parting};
use crate::made::Made;

/// Source lines that are told.
const MOST_LINES: usize = 40;

/// Everything, the sum first.
pub fn difference(before: &Made, after: &Made, difference: &Difference) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "before: {}", head(before));
    let _ = writeln!(out, "after:  {}", head(after));
    if difference.is_empty(before, after) {
        out.push_str("\nno difference\n");
        return out;
    }
    out.push('\n');
    row(&mut out, "instructions", &difference.total);
    row(&mut out, "cycles of the longest way", &difference.cycles);
    for metric in difference.metrics.iter().filter(|metric| metric.change() != 0) {
        row(&mut out, &metric.what, metric);
    }
    out.push_str("\nby cause\n");
    for cause in &difference.causes {
        row(&mut out, cause.what.name(), cause);
    }
    lines(&mut out, before, after, difference);
    if let Some(parting) = &difference.parting {
        out.push('\n');
        out.push_str(&told(parting));
    }
    instructions(&mut out, before, after, difference);
    out
}

/// What a program is called.
pub fn head(made: &Made) -> String {
    format!("{} for {}", made.file, made.target.about().name)
}

fn row<T>(out: &mut String, name: &str, row: &Row<T>) {
    let _ = writeln!(out, "  {name:<34}{:>6} -> {:<6} {:+}", row.before, row.after, row.change());
}

fn lines(out: &mut String, before: &Made, after: &Made, difference: &Difference) {
    if !difference.lines.is_empty() {
        out.push_str("\nby source line\n");
    }
    for (line, causes) in difference.lines.iter().take(MOST_LINES) {
        let why: Vec<String> =
            causes.iter().map(|row| format!("{} {:+}", row.what.name(), row.change())).collect();
        let _ = writeln!(
            out,
            "  {:>4} -> {:<4} {:+} ({})",
            line.before,
            line.after,
            line.change(),
            why.join(", ")
        );
        let (name, text) = named(before, after, line.what);
        let _ = writeln!(out, "       {name}{}{}", if text.is_empty() { "" } else { ": " }, text);
    }
    let more = difference.lines.len().saturating_sub(MOST_LINES);
    if more > 0 {
        let _ = writeln!(out, "  and {more} more lines; `--format json` has all");
    }
}

/// Name and text of a source line, on the side that has it.
pub fn named(before: &Made, after: &Made, place: Place) -> (String, String) {
    match (place.before, place.after) {
        (_, Some(at)) => (after.name_of(at), after.text_of(at).trim().to_owned()),
        (Some(at), None) => (before.name_of(at), before.text_of(at).trim().to_owned()),
        (None, None) => ("no source line".to_owned(), String::new()),
    }
}

/// Where they part, in sentences.
pub fn told(parting: &Parting) -> String {
    let mut out = match parting.at {
        Part::Source => "they differ before the first pass\n".to_owned(),
        Part::Pass(number, pass) => format!("they part behind pass {number}, {pass}\n"),
        Part::BackEnd => "no pass over the IR parts them: the target's own steps do\n".to_owned(),
    };
    for (number, pass, before, after) in &parting.since {
        let name = if pass.is_empty() { "as it was read" } else { pass };
        let _ = writeln!(out, "  {number:>4} {name:<24} IR instructions {before} -> {after}");
    }
    out
}

/// The instructions that only one has, or that differ in operands.
fn instructions(out: &mut String, before: &Made, after: &Made, difference: &Difference) {
    out.push_str("\ninstructions\n");
    let mut skipped = 0;
    for pair in &difference.pairs {
        let text = |made: &Made, n: usize| made.lines[n].text.clone();
        match *pair {
            (Some(b), Some(a)) if before.lines[b].text == after.lines[a].text => {
                skipped += 1;
                continue;
            }
            _ if skipped > 0 => {
                let _ = writeln!(out, "    ({skipped} alike)");
                skipped = 0;
            }
            _ => {}
        }
        match *pair {
            (Some(b), Some(a)) => {
                let _ = writeln!(out, "  ~ {}\n    {}", text(before, b), text(after, a));
            }
            (Some(b), None) => {
                let _ = writeln!(
                    out,
                    "  - {:<50} {}",
                    text(before, b),
                    before.anatomy.instructions[b].cause.name()
                );
            }
            (None, Some(a)) => {
                let _ = writeln!(
                    out,
                    "  + {:<50} {}",
                    text(after, a),
                    after.anatomy.instructions[a].cause.name()
                );
            }
            (None, None) => {}
        }
    }
    if skipped > 0 {
        let _ = writeln!(out, "    ({skipped} alike)");
    }
}
