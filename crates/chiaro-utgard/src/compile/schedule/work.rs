//! What nodes take of the units together, and how many instructions have room for it.

use super::steps::{ADDERS, COMPLEX, MULTIPLIERS, PASS, SIGNS, UNITS, steps};
use crate::compile::graph::Op;

/// Units that some nodes take.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Work {
    /// By unit, as [`steps`] numbers them.
    units: [i32; UNITS],
}

impl Work {
    /// A node more, or less.
    pub(super) fn change(&mut self, op: Op, by: i32) {
        for &(_, unit, count) in steps(op) {
            self.units[unit] += by * count as i32;
        }
    }

    /// Instructions that have room for it.
    pub(super) fn instructions(self) -> u32 {
        let pairs = |count: i32| (count + 1) / 2;
        let adders = self.units[ADDERS..SIGNS].iter().copied().map(pairs).sum::<i32>();
        let single = self.units[COMPLEX].max(self.units[PASS]);
        pairs(self.units[MULTIPLIERS]).max(adders).max(single).max(0) as u32
    }
}
