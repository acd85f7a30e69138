//! Where execution goes: branches to no instruction, words that are none, the end of the code.

use super::Found;
use super::rules::{CODE_END, END, TARGET, UNKNOWN, found};
use super::step::{Step, at, next};
use super::tables::{self, Steer};

/// Everything wrong with the way through the code.
pub(super) fn check(steps: &[Step], reached: &[bool]) -> Vec<Found> {
    let mut all = Vec::new();
    for (i, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
        let step = &steps[i];
        if tables::is_code_end(step.dword) {
            all.push(found(&CODE_END, step.word, format!("execution comes to {}", step.name)));
        }
        if step.inst.is_none() {
            all.push(found(&UNKNOWN, step.word, format!("word {:#010x} is no instruction", step.dword)));
        }
        if let Steer::Branch(distance) | Steer::Maybe(distance) = step.steer {
            let place = i64::from(step.word) + 1 + i64::from(distance);
            if at(steps, place).is_none() {
                let name = step.name;
                all.push(found(
                    &TARGET,
                    step.word,
                    format!("{name} goes to word {place}, where no instruction begins"),
                ));
            }
        }
        let goes_on = matches!(step.steer, Steer::On | Steer::Maybe(_));
        if goes_on && i + 1 == steps.len() {
            all.push(found(
                &END,
                step.word,
                format!("{} is the last instruction and does not end the wave", step.name),
            ));
        }
    }
    all
}

/// Which steps execution can come to from some of them; beyond a word that is no instruction nobody knows.
pub(crate) fn reached(steps: &[Step], entries: &[usize]) -> Vec<bool> {
    let mut reached = vec![false; steps.len()];
    let mut open: Vec<usize> = entries.to_vec();
    while let Some(i) = open.pop() {
        if std::mem::replace(&mut reached[i], true) || steps[i].inst.is_none() {
            continue;
        }
        open.extend(next(steps, i));
    }
    reached
}
