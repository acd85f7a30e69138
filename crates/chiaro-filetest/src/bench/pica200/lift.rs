//! Lifting to SPIR-V in memory, of all programs of the vectors: what an emulator waits for in the midst of a frame.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use chiaro_pica200::lift::{LiftError, Options, lift};
use chiaro_pica200::machine::{Config, Mode};

use super::TARGET;
use crate::bench::{Figures, middle};
use crate::pica200::whole::{Program, programs};

/// Times that each program is lifted.
const TIMES: usize = 15;
/// Words that a figure is for.
const WORDS: usize = 100;
/// Programs in the table of the slowest.
const SLOWEST: usize = 5;

/// A program's time in microseconds: best and median.
struct Time<'p> {
    program: &'p Program,
    times: (f64, f64),
}

impl Time<'_> {
    /// By every 100 words begun: a short program may take as long as one of 100 words.
    fn by_hundred(&self) -> (f64, f64) {
        let hundreds = self.program.words.len().div_ceil(WORDS).max(1) as f64;
        (self.times.0 / hundreds, self.times.1 / hundreds)
    }
}

/// The median and the slowest of all programs, in both modes.
pub(super) fn measure(figures: &mut Figures, folder: &Path) -> Result<(), String> {
    let programs = programs(folder)?;
    for (mode, name) in [(Mode::Emu32, "emu32"), (Mode::Hw24, "hw24")] {
        let mut times = programs.iter().filter_map(|program| time(program, mode)).collect::<Vec<_>>();
        times.sort_by(|a, b| b.by_hundred().0.total_cmp(&a.by_hundred().0));
        let (Some(slowest), Some(median)) = (times.first(), times.get(times.len() / 2)) else { continue };
        let mut push = |what: &str, pair| figures.push(TARGET, format!("lift, {name}, {what}"), "µs", pair);
        push("100 words begun, median", median.by_hundred());
        push("100 words begun, slowest", slowest.by_hundred());
        push("100 words of all programs", together(&times));
        figures.tables.push(table(name, &times));
    }
    Ok(())
}

fn together(times: &[Time<'_>]) -> (f64, f64) {
    let words: usize = times.iter().map(|time| time.program.words.len()).sum();
    let scale = WORDS as f64 / words as f64;
    let sum = |of: fn(&Time<'_>) -> f64| times.iter().map(of).sum::<f64>() * scale;
    (sum(|time| time.times.0), sum(|time| time.times.1))
}

fn table(mode: &str, times: &[Time<'_>]) -> String {
    let within = times.iter().filter(|time| time.by_hundred().0 <= WORDS as f64).count();
    let mut text = format!(
        "lift, {mode}: {within} of {} programs take at most {WORDS} µs for each {WORDS} words begun; the slowest:\n",
        times.len()
    );
    for Time { program, times: (best, _) } in times.iter().take(SLOWEST) {
        text.push_str(&format!("  {:<28} {:>5} words {best:>8.1} µs\n", program.name, program.words.len()));
    }
    text
}

/// The time of a program, if it is not too large to be lifted.
fn time(program: &Program, mode: Mode) -> Option<Time<'_>> {
    let config = Config { mode, ..Config::default() };
    let source = program.source();
    let once = || -> Result<f64, LiftError> {
        let start = Instant::now();
        let lifted = lift(black_box(&source), &Options::default(), &config)?;
        let _ = black_box(chiaro_spirv::emit(&lifted.module, "main"));
        Ok(start.elapsed().as_secs_f64() * 1e6)
    };
    let times = (0..TIMES).map(|_| once()).collect::<Result<Vec<_>, _>>().ok()?;
    Some(Time { program, times: middle(times) })
}
