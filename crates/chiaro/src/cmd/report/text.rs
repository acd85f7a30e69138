//! Reports for people.

use std::fmt::Write;

use chiaro::{Bound, Report};

use crate::made::Made;
use crate::terms::Term;

/// Programs with their reports, one behind the other.
pub fn programs(all: &[(Made, Report)]) -> String {
    let mut out = String::new();
    for (i, (made, report)) in all.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        let _ = writeln!(out, "{}: `{}` for {}", made.file, report.entry, report.target);
        summary(report, &mut out);
        ports(report, &mut out);
        blocks(report, &mut out);
        lines(report, &mut out);
        terms(made, &mut out);
    }
    out
}

/// What vendors' tools call by these names, and how far it is to be trusted.
fn terms(made: &Made, out: &mut String) {
    for Term { name, value, unit } in &made.terms {
        let unit = match *unit {
            "percent" => " %".to_owned(),
            "cycles" | "instructions" => String::new(),
            own => format!(" ({own})"),
        };
        let _ = writeln!(out, "  {name:<44}{value:>5}{unit}");
    }
    let _ = writeln!(out, "  error against the machine: {}", made.error());
}

/// Resources, cycles and variables: what `compile` prints behind the listing, too.
pub fn summary(report: &Report, out: &mut String) {
    for r in &report.resources {
        let _ = writeln!(out, "  {:<26}{:>5} of {}", r.name, r.used, r.allowed);
    }
    for (name, count) in &report.counts {
        let _ = writeln!(out, "  {name:<26}{count:>5}");
    }
    let _ = writeln!(out, "  {}", cycles(report));
    let listed: Vec<&Bound> = report.variables.iter().filter(|v| !is_element(v, &report.variables)).collect();
    let placed = listed.iter().filter(|v| !v.place.starts_with("removed"));
    let width = placed.map(|v| v.place.len()).max().unwrap_or(0).max(PLACE);
    for kind in ["input", "geometry", "uniform", "output", "held"] {
        for variable in listed.iter().filter(|v| v.kind == kind) {
            let _ = writeln!(out, "  {kind:<10}{:<width$} {}", variable.place, variable.name);
        }
    }
}

/// Column of names behind places.
const PLACE: usize = 15;

/// Whether a variable is an element of a listed array of vectors or matrices: these follow one another,
/// so people need the array alone.
fn is_element(variable: &Bound, all: &[Bound]) -> bool {
    let Some((array, _)) = variable.name.strip_suffix(']').and_then(|name| name.rsplit_once('[')) else {
        return false;
    };
    let has_parts = |v: &Bound| v.name.strip_prefix(&variable.name).is_some_and(|rest| rest.starts_with('.'));
    all.iter().any(|v| v.name == array && v.kind == variable.kind) && !all.iter().any(has_parts)
}

fn cycles(report: &Report) -> String {
    let Some((shortest, longest)) = report.cycles else {
        return "cycles are not known: the code is not built of blocks".to_owned();
    };
    let assumed: Vec<String> = report.assumptions.iter().map(|(name, n)| format!("{name} {n}")).collect();
    let range = if shortest == longest { longest.to_string() } else { format!("{shortest} to {longest}") };
    let assumed =
        if assumed.is_empty() { String::new() } else { format!(" (assumed: {})", assumed.join(", ")) };
    format!("{:<26}{range:>5}{assumed}", "cycles")
}

/// How busy units are.
fn ports(report: &Report, out: &mut String) {
    for port in &report.ports {
        let percent = port.used * 100 / port.allowed.max(1);
        let _ =
            writeln!(out, "  busy      {:<16}{percent:>3} % ({} of {})", port.name, port.used, port.allowed);
    }
}

/// How far blocks are from the shortest that their operations allow, and what keeps them from that. Other
/// operations may compute the same in less.
fn blocks(report: &Report, out: &mut String) {
    for (i, block) in report.blocks.iter().enumerate().filter(|(_, block)| block.length > 0) {
        let proven = if block.optimal { ", proven" } else { "" };
        let _ = writeln!(
            out,
            "  block {i:<4}{:>4} instructions, at least {} for these operations ({}){proven}",
            block.length, block.bound, block.limit
        );
    }
}

fn lines(report: &Report, out: &mut String) {
    for (n, (file, line, words)) in report.by_line.iter().enumerate() {
        let cycles = report.line_cycles.get(n);
        let cycles = cycles.map_or_else(String::new, |cycles| format!("{cycles:>6} cycles  "));
        let _ = writeln!(out, "  {words:>4} words  {cycles}{file}:{line}");
    }
    if report.elsewhere > 0 {
        let _ = writeln!(out, "  {:>4} words  no line of the source", report.elsewhere);
    }
}

/// What changed from one report to the other: all resources and cycles, and the counts that differ.
pub fn difference(before: &Report, after: &Report) -> String {
    let mut out = String::new();
    for (b, a) in before.resources.iter().zip(&after.resources) {
        row(&mut out, b.name, u64::from(b.used), u64::from(a.used));
    }
    if let (Some(b), Some(a)) = (before.cycles, after.cycles) {
        row(&mut out, "cycles, shortest path", b.0, a.0);
        row(&mut out, "cycles, longest path", b.1, a.1);
    }
    let of = |report: &Report, wanted: &str| {
        report.counts.iter().find(|(name, _)| *name == wanted).map_or(0, |(_, count)| u64::from(*count))
    };
    let is_new = |(name, _): &&(&str, u32)| before.counts.iter().all(|(known, _)| known != name);
    for (name, _) in before.counts.iter().chain(after.counts.iter().filter(is_new)) {
        let (b, a) = (of(before, name), of(after, name));
        if b != a {
            row(&mut out, name, b, a);
        }
    }
    out
}

fn row(out: &mut String, name: &str, before: u64, after: u64) {
    let change = after as i64 - before as i64;
    let _ = writeln!(out, "  {name:<26}{before:>5} -> {after:<5} {change:+}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_differ_are_told() {
        let with = |counts: &[(&'static str, u32)]| Report { counts: counts.to_vec(), ..Report::default() };
        let told = difference(&with(&[("waits", 3), ("moves", 1)]), &with(&[("moves", 1), ("spills", 2)]));
        let lines: Vec<String> =
            told.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(lines, ["waits 3 -> 0 -3", "spills 0 -> 2 +2"]);
    }
}
