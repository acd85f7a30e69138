//! Nodes that are ready, with their priorities and scores.

use super::room::Room;
use crate::compile::graph::Node;

/// A node that is ready, and what is known of it while an instruction is filled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) node: Node,
    pub(super) wanted: Room,
    pub(super) order: u32,
    pub(super) fit: Fit,
}

/// What was found out of a node in an instruction. What there is no room for once, there is no room
/// for later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Fit {
    /// Nothing that stays so.
    Unknown,
    /// It does not fit without demanding what costs a unit.
    Impatient,
    /// It does not fit at all.
    Never,
}

/// A node with its score: the highest is the best, of equal ones the last node. Below them stands its
/// place among those that are open; blocks have fewer nodes than 16 bits count.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Ranked(i64);

impl Ranked {
    pub(super) fn new(score: i32, node: Node, at: usize) -> Ranked {
        Ranked(i64::from(score) << 32 | i64::from(node.0) << 16 | at as i64)
    }

    pub(super) fn at(self) -> usize {
        self.0 as usize & 0xffff
    }
}

/// Takes the best out of a list that is in no order.
pub(super) fn take_best(candidates: &mut Vec<Ranked>) -> Option<Ranked> {
    let mut best = 0;
    for (at, candidate) in candidates.iter().enumerate() {
        if *candidate > candidates[best] {
            best = at;
        }
    }
    (!candidates.is_empty()).then(|| candidates.swap_remove(best))
}
