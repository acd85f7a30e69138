//! Nodes that are ready, with their priorities and scores.

use super::room::Room;
use crate::compile::graph::Node;

/// A node that is ready, and what does not change while an instruction is filled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) node: Node,
    pub(super) wanted: Room,
    pub(super) order: u32,
}

/// A node with its score: the highest is the best, of equal ones the last node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Ranked(i64);

impl Ranked {
    pub(super) fn new(score: i32, node: Node) -> Ranked {
        Ranked(i64::from(score) << 32 | i64::from(node.0))
    }

    pub(super) fn node(self) -> Node {
        Node(self.0 as u32)
    }
}
