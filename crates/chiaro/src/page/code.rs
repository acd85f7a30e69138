//! Source and machine code side by side, warm where cycles go.

use std::collections::BTreeMap;
use std::fmt::Write;

use chiaro::timeline::Timeline;

use crate::made::Made;
use crate::markup::{colour, escape};

/// Source lines in their order, each with its instructions; what has no line comes last.
pub fn side_by_side(made: &Made, timeline: &Timeline) -> String {
    let mut of_line: BTreeMap<(usize, u32), Vec<usize>> = BTreeMap::new();
    let mut elsewhere = Vec::new();
    for (n, line) in made.lines.iter().enumerate() {
        match line.place {
            Some(place) => of_line.entry(place).or_default().push(n),
            None => elsewhere.push(n),
        }
    }
    let mut heat = Heat { cycles: cycles(made, timeline), most: 1 };
    heat.most = of_line.values().chain([&elsewhere]).map(|all| heat.sum(all)).max().unwrap_or(0).max(1);
    let mut out = String::from(
        "<table class=code><colgroup><col class=no><col class=source><col class=cycles><col></colgroup>\n\
         <thead><tr><th></th><th>source</th><th>cycles</th><th>instructions</th></tr></thead>\n",
    );
    for (file, source) in made.sources.iter().enumerate() {
        let _ = writeln!(out, "<tr><td></td><td colspan=3><b>{}</b></td></tr>", escape(&source.name));
        for (n, text) in source.lines.iter().enumerate() {
            let all = of_line.get(&(file, n as u32 + 1)).map(Vec::as_slice).unwrap_or_default();
            row(&mut out, made, &(n + 1).to_string(), text, all, &heat);
        }
    }
    if !elsewhere.is_empty() {
        row(&mut out, made, "", "(no source line)", &elsewhere, &heat);
    }
    out.push_str("</table>\n");
    out
}

/// Cycles of instructions, and of the line that takes most.
struct Heat {
    cycles: Vec<u64>,
    most: u64,
}

impl Heat {
    fn sum(&self, all: &[usize]) -> u64 {
        all.iter().map(|n| self.cycles[*n]).sum()
    }
}

fn row(out: &mut String, made: &Made, number: &str, text: &str, all: &[usize], heat: &Heat) {
    let sum = heat.sum(all);
    let warm = if sum == 0 {
        String::new()
    } else {
        format!(" style=\"background:{}\"", self::heat(sum, heat.most))
    };
    let shown = if all.is_empty() { String::new() } else { sum.to_string() };
    let _ = write!(
        out,
        "<tr><td class=no>{number}</td><td{warm}>{}</td><td class=cycles>{shown}</td><td>",
        escape(text)
    );
    for &n in all {
        let cause = made.anatomy.instructions[n].cause;
        let _ = write!(
            out,
            "<div style=\"border-color:{}\" title=\"{}, {} cycles\">{n:>3} {}</div>",
            colour(cause),
            cause.name(),
            heat.cycles[n],
            escape(&made.lines[n].text)
        );
    }
    out.push_str("</td></tr>\n");
}

/// Cycles of each instruction on the way, its waits among them.
pub fn cycles(made: &Made, timeline: &Timeline) -> Vec<u64> {
    let mut cycles = vec![0; made.lines.len()];
    for event in &timeline.events {
        let one = &made.anatomy.instructions[event.instruction];
        let waited: u64 = event.waits.iter().map(|wait| wait.cycles).sum();
        cycles[event.instruction] += waited + u64::from(one.slots * one.passes.max(1));
    }
    cycles
}

/// From white to red.
pub fn heat(value: u64, most: u64) -> String {
    let share = (value as f64 / most.max(1) as f64).sqrt();
    let mix = |full: f64| (255.0 - (255.0 - full) * share).round() as u8;
    format!("#{:02x}{:02x}{:02x}", 255, mix(150.0), mix(120.0))
}
