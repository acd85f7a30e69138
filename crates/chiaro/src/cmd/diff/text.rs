//! Differences for people.

use std::fmt::Write;

use super::align::Pair;
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

/// The instructions that only one has, that moved, or that differ in operands.
fn instructions(out: &mut String, before: &Made, after: &Made, difference: &Difference) {
    out.push_str("\ninstructions\n");
    let mut alike = 0;
    for pair in &difference.pairs {
        if !pair.is_moved && pair.is_alike(before, after) {
            alike += 1;
            continue;
        }
        skipped(out, &mut alike);
        instruction(out, before, after, pair);
    }
    skipped(out, &mut alike);
}

fn skipped(out: &mut String, alike: &mut usize) {
    if *alike > 0 {
        let _ = writeln!(out, "    ({alike} alike)");
    }
    *alike = 0;
}

fn instruction(out: &mut String, before: &Made, after: &Made, pair: &Pair) {
    let told = |made: &Made, n: usize| {
        format!("{:<50} {}", made.lines[n].text, made.anatomy.instructions[n].cause.name())
    };
    let mark = if pair.is_moved { '>' } else { '~' };
    let _ = match (pair.before, pair.after) {
        (Some(_), Some(a)) if pair.is_alike(before, after) => {
            writeln!(out, "  {mark} {}", after.lines[a].text)
        }
        (Some(b), Some(a)) => {
            writeln!(out, "  {mark} {}\n    {}", before.lines[b].text, after.lines[a].text)
        }
        (Some(b), None) => writeln!(out, "  - {}", told(before, b)),
        (None, Some(a)) => writeln!(out, "  + {}", told(after, a)),
        (None, None) => Ok(()),
    };
}
