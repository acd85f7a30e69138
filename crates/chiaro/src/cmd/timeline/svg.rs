//! Timelines as pictures: an instruction a row, time to the right.

use std::collections::BTreeSet;
use std::fmt::Write;

use chiaro::timeline::{Timeline, Why};

use crate::made::Made;
use crate::markup::{colour, escape};

/// Heights and widths of the picture, in its units.
const ROW: u64 = 14;
const TEXT: u64 = 330;
const TIME: u64 = 760;
const HEAD: u64 = 44;

/// Where the colours of waits are told, behind the sentence.
const LEGEND: u64 = 470;

/// Rows that are drawn; who wants more reads the JSON.
const MOST_ROWS: usize = 1000;

/// The picture.
pub fn draw(made: &Made, timeline: &Timeline) -> String {
    let events = &timeline.events[..timeline.events.len().min(MOST_ROWS)];
    let end = events.iter().map(|event| event.done).max().unwrap_or(1).max(1);
    let x = |cycle: u64| TEXT as f64 + TIME as f64 * cycle as f64 / end as f64;
    let height = HEAD + ROW * events.len() as u64 + ROW;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {height}\" width=\"{}\" height=\"{height}\" \
         font-family=\"ui-monospace,monospace\" font-size=\"10\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        TEXT + TIME + 10,
        TEXT + TIME + 10
    );
    legend(&mut out);
    axis(&mut out, end, height, &x);
    let critical: BTreeSet<usize> = timeline.critical.iter().copied().collect();
    for (n, event) in events.iter().enumerate() {
        let y = HEAD + ROW * n as u64;
        let one = &made.anatomy.instructions[event.instruction];
        let weight = if critical.contains(&n) { " font-weight=\"bold\"" } else { "" };
        let text: String = made.lines[event.instruction].text.chars().take(50).collect();
        let _ = writeln!(
            out,
            "<text x=\"4\" y=\"{}\"{weight}>{:>4} {}</text>",
            y + 10,
            event.instruction,
            escape(&text)
        );
        let mut bar = |from: u64, to: u64, colour: &str, height: u64, title: &str| {
            let width = (x(to) - x(from)).max(1.0);
            let _ = writeln!(
                out,
                "<rect x=\"{:.1}\" y=\"{}\" width=\"{width:.1}\" height=\"{height}\" fill=\"{colour}\"><title>{}</title></rect>",
                x(from),
                y + (ROW - height) / 2,
                escape(title)
            );
        };
        let busy = event.issue + u64::from(one.slots * one.passes.max(1));
        if event.done > busy {
            bar(busy, event.done, "#d5dae1", 4, &format!("result at {}", event.done));
        }
        let mut at = event.arrives;
        for wait in &event.waits {
            let title = format!("{}: {} cycles for {}", wait.why.name(), wait.cycles, wait.what);
            bar(at, at + wait.cycles, why(wait.why), 8, &title);
            at += wait.cycles;
        }
        bar(event.issue, busy, colour(one.cause), 10, &format!("{} at {}", one.cause.name(), event.issue));
    }
    out.push_str("</svg>\n");
    out
}

/// The colour of a wait.
fn why(why: Why) -> &'static str {
    match why {
        Why::Dependency => "#f2b8b5",
        Why::Unit => "#f6d58e",
        Why::Memory => "#e08e86",
        Why::Sync => "#d9b3e6",
        Why::Branch => "#b8c4f2",
    }
}

fn legend(out: &mut String) {
    let mut x = LEGEND;
    for reason in Why::ALL {
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"6\" width=\"10\" height=\"10\" fill=\"{}\"/><text x=\"{}\" y=\"15\">{}</text>",
            why(reason),
            x + 14,
            reason.name()
        );
        x += 110;
    }
    let _ = writeln!(
        out,
        "<text x=\"4\" y=\"15\">waits light, issue strong, results grey; bold: critical path</text>"
    );
}

/// About ten marks at round numbers.
fn axis(out: &mut String, end: u64, height: u64, x: &dyn Fn(u64) -> f64) {
    let raw = end.div_ceil(10).max(1);
    let step = [1, 2, 5, 10].iter().map(|n| n * 10u64.pow(raw.ilog10())).find(|n| *n >= raw).unwrap_or(raw);
    let mut at = 0;
    while at <= end {
        let _ = writeln!(
            out,
            "<line x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"{1}\" y2=\"{height}\" stroke=\"#e6e9ee\"/><text x=\"{0:.1}\" y=\"{2}\" fill=\"#667\">{at}</text>",
            x(at),
            HEAD - 4,
            HEAD - 8
        );
        at += step;
    }
}
