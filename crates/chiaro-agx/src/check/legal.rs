//! Rules on single instructions, and on how code ends.

use chiaro_isa::finding::Finding;

use super::rules::{END, ODD, OPEN, PREAMBLE, REGISTERS, TABLE, TARGET, TRAPS, UNKNOWN, at};
use super::step::{Event, Steer, Step, find};
use super::{Config, Stage};
use crate::regs::halves::name;

/// Traps behind a stop.
const NEEDED_TRAPS: usize = 8;

/// What is wrong with the steps that are reached.
pub(super) fn check(steps: &[Step], reached: &[bool], config: &Config) -> Vec<Finding> {
    let mut found = Vec::new();
    for (n, step) in steps.iter().enumerate().filter(|(n, _)| reached[*n]) {
        if step.inst.is_none() {
            found.push(at(&UNKNOWN, step, "these bytes are no instruction, and they are reached".to_owned()));
            continue;
        }
        found.extend(operands(step, config));
        found.extend(leads(steps, n, config));
    }
    found
}

fn operands(step: &Step, config: &Config) -> Vec<Finding> {
    let mut found = Vec::new();
    let touched = step.reads.with(&step.writes);
    let beyond = config.halves.and_then(|halves| touched.iter().find(|half| *half >= halves));
    if let (Some(half), Some(declared)) = (beyond, config.halves) {
        let message =
            format!("`{}` uses {}, half {half}; {declared} halves are declared", step.name, name(half));
        found.push(at(&REGISTERS, step, message));
    }
    if step.odd {
        found.push(at(&ODD, step, format!("`{}` has an operand at an odd half", step.name)));
    }
    if table(step).is_some_and(|table| matches!(table, 0b0011 | 0b1100)) {
        let message = "a function of the second source alone gives the first one".to_owned();
        found.push(at(&TABLE, step, message));
    }
    if step.event == Event::PreambleStore && !matches!(config.stage, Stage::Preamble | Stage::Any) {
        found.push(at(&PREAMBLE, step, format!("`{}` stands outside of a preamble", step.name)));
    }
    found
}

/// The truth table of a bitop, its first digit where both bits are 0.
fn table(step: &Step) -> Option<u64> {
    let word = step.inst?.word.0[0];
    let bit = |n: u32| word >> n & 1;
    (word & 0x807f == 0x7e).then(|| bit(26) << 3 | bit(27) << 2 | bit(38) << 1 | bit(39))
}

/// Whether what follows a step is there.
fn leads(steps: &[Step], n: usize, config: &Config) -> Vec<Finding> {
    let step = &steps[n];
    let mut found = Vec::new();
    let is_last = n + 1 == steps.len();
    match step.steer {
        Steer::Branch(place) | Steer::Call(Some(place)) => {
            // The end of an open part is where the next one begins.
            let end = step_end(steps);
            let leaves = config.piece.is_open() && place == end;
            if find(steps, place).is_none() && !leaves {
                found.push(at(&TARGET, step, format!("it goes to {place:#x}, where no instruction begins")));
            }
        }
        Steer::Stop => {
            let traps = steps[n + 1..].iter().take_while(|step| step.steer == Steer::Trap).count();
            if config.piece.is_open() || config.sample_shading {
                found.push(at(&OPEN, step, "other parts follow this one, and it stops".to_owned()));
            } else if traps < NEEDED_TRAPS {
                let message = format!("{traps} traps stand behind it, {NEEDED_TRAPS} are needed");
                found.push(at(&TRAPS, step, message));
            }
        }
        _ => {}
    }
    let falls = is_last && !matches!(step.steer, Steer::Stop | Steer::Trap | Steer::Return);
    if falls && !config.piece.is_open() && !config.sample_shading {
        found.push(at(&END, step, "nothing follows it, and it does not end the program".to_owned()));
    }
    found
}

/// Where the last instruction ends.
fn step_end(steps: &[Step]) -> i64 {
    steps.last().map_or(0, |last| i64::from(last.offset) + last.inst.map_or(2, |inst| i64::from(inst.length)))
}
