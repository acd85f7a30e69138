//! The search of an effort: all tactics, then the decisions of the best program turned round, one at a time and two at
//! a time, as long as that makes it shorter.
//!
//! It stops by count, never by clock, so that a shader gives the same words everywhere. At the highest effort the
//! bound of what is found is raised by exact search, if the two have not met.

use super::{Tactic, tactics};
use crate::compile::compiled::Made;

/// Words that the attempts of an effort may have together: what one takes grows with its words.
const WORDS: [usize; 4] = [0, 0, 1 << 12, 1 << 16];

/// The shortest program that an effort finds.
pub(in crate::compile) fn search(effort: u32, make: impl Fn(Tactic) -> Made) -> Made {
    let mut best = Best { tactic: Tactic::default(), made: make(Tactic::default()) };
    for tactic in tactics(effort).skip(1) {
        best.meet(tactic, make(tactic));
    }
    let words = WORDS[(effort as usize).min(WORDS.len() - 1)];
    let mut left = best.made.as_ref().map_or(0, |made| words / made.statistics.words.max(1));
    while turn_one(&mut best, &make, &mut left) || effort > 2 && turn_two(&mut best, &make, &mut left) {}
    if effort > 2 && best.made.as_ref().is_ok_and(|made| made.statistics.least < made.statistics.words) {
        best.made = make(Tactic { proves: true, ..best.tactic });
    }
    best.made
}

/// The shortest program so far.
struct Best {
    tactic: Tactic,
    made: Made,
}

impl Best {
    /// Takes a program that is shorter, or the only one.
    fn meet(&mut self, tactic: Tactic, made: Made) -> bool {
        let is_better = match (&made, &self.made) {
            (Ok(new), Ok(old)) => new.statistics.words < old.statistics.words,
            (new, old) => new.is_ok() && old.is_err(),
        };
        if is_better {
            *self = Best { tactic, made };
        }
        is_better
    }

    /// Tries the best tactic with some decisions turned round; nothing is tried when no attempts are left.
    fn turn(&mut self, numbers: &[u32], make: &impl Fn(Tactic) -> Made, left: &mut usize) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let tactic = numbers.iter().fold(self.tactic, |tactic, number| tactic.turned(*number));
        self.meet(tactic, make(tactic))
    }

    fn decisions(&self) -> u32 {
        self.made.as_ref().map_or(0, |made| made.decisions)
    }
}

/// Turns each decision round, keeping what is shorter; whether anything was.
fn turn_one(best: &mut Best, make: &impl Fn(Tactic) -> Made, left: &mut usize) -> bool {
    let mut any = false;
    for number in 0..best.decisions() {
        any |= best.turn(&[number], make, left);
    }
    any
}

/// Turns pairs of decisions round until one pair is shorter: those that follow each other closely first, because
/// what they decide on mostly belongs together.
fn turn_two(best: &mut Best, make: &impl Fn(Tactic) -> Made, left: &mut usize) -> bool {
    let count = best.decisions();
    let mut pairs = (1..count).flat_map(|gap| (gap..count).map(move |number| [number - gap, number]));
    pairs.any(|pair| best.turn(&pair, make, left))
}
