//! Timelines for people.

use std::fmt::Write;

use chiaro::timeline::{Event, Timeline, Wait};

use crate::made::Made;

/// What it rests on, then each instruction, then what decides.
pub fn timeline(made: &Made, timeline: &Timeline, rounds: u32) -> String {
    let mut out = format!("{} for {}: one wave\n", made.file, made.target.about().name);
    for line in assumptions(made, timeline, rounds) {
        let _ = writeln!(out, "  {line}");
    }
    let _ = writeln!(out, "\n  issue   wait   done  instruction");
    let critical: std::collections::BTreeSet<usize> = timeline.critical.iter().copied().collect();
    for (n, event) in timeline.events.iter().enumerate() {
        let mark = if critical.contains(&n) { '*' } else { ' ' };
        let waited: u64 = event.waits.iter().map(|wait| wait.cycles).sum();
        let text = &made.lines[event.instruction].text;
        let why: Vec<String> = event.waits.iter().map(|wait| told(wait, &timeline.events)).collect();
        let why = if why.is_empty() { String::new() } else { format!("  ; {}", why.join(", ")) };
        let waited = if waited == 0 { String::new() } else { waited.to_string() };
        let _ = writeln!(
            out,
            "{mark} {:>5} {waited:>6} {:>6}  {:>3} {text}{why}",
            event.issue, event.done, event.instruction
        );
    }
    out.push('\n');
    out.push_str(&summary(made, timeline));
    out
}

/// What the times rest on, and what they leave out.
pub fn assumptions(made: &Made, timeline: &Timeline, rounds: u32) -> Vec<String> {
    let mut lines: Vec<String> = made
        .anatomy
        .figures
        .iter()
        .map(|one| format!("{}: {} cycles [{}: {}]", one.name, one.cycles, one.grade.name(), one.source))
        .collect();
    lines.push(format!("error against the machine: {}", made.error()));
    let omits = made.anatomy.omits.join("; ");
    lines.push(format!("left out: {omits}; what other waves do to this one"));
    if !made.anatomy.loops().is_empty() {
        lines.push(format!("way: the longest, {rounds} rounds of each loop"));
    }
    if !timeline.is_whole {
        lines.push(
            "the way was cut off: it is longer than what people look at, or leads to no end".to_owned(),
        );
    }
    lines
}

fn told(wait: &Wait, events: &[Event]) -> String {
    let on =
        wait.on.and_then(|n| events.get(n)).map_or_else(String::new, |on| format!(" of {}", on.instruction));
    format!("{} {} ({}{on})", wait.why.name(), wait.cycles, wait.what)
}

/// Cycles, waits, units, waves, loops.
pub fn summary(made: &Made, timeline: &Timeline) -> String {
    let mut out = format!("  {:<34}{:>6}\n", "cycles of a wave", timeline.cycles);
    for (why, cycles) in timeline.waited() {
        let _ = writeln!(out, "  {:<34}{cycles:>6}", format!("waited: {}", why.name()));
    }
    for (unit, cycles) in &timeline.busy {
        let percent = 100 * cycles / timeline.cycles.max(1);
        let _ = writeln!(out, "  {:<34}{cycles:>6}  {percent} %", format!("works: {unit}"));
    }
    if let Some(waves) = &made.anatomy.waves {
        let _ = writeln!(out, "  {:<34}{:>6} of {}", waves.name, waves.used, waves.allowed);
        let _ = writeln!(out, "  {:<34}{:>6}", "cycles of each of so many", timeline.with_waves(waves.used));
    }
    for one in &timeline.loops {
        let (first, last) = one.span;
        let round = one.round.map_or_else(String::new, |cycles| format!(", {cycles} cycles a round"));
        let unit =
            one.unit.map_or_else(String::new, |(unit, cycles)| format!(", bound by {unit} with {cycles}"));
        let _ = writeln!(out, "  loop {first} to {last}{round}{unit}");
    }
    let _ = writeln!(
        out,
        "  critical path: {} of {} instructions (*)",
        timeline.critical.len(),
        timeline.events.len()
    );
    out
}
