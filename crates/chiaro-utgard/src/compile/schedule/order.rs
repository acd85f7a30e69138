//! Priorities: which node is tried first.
//!
//! A node with a long path behind it goes first. Where much is alive, a node that ends more
//! values than it demands is preferred.

use super::attempt::Scheduler;
use super::ranked::{Fit, Open, Ranked};
use super::room::Room;
use crate::compile::graph::Node;

impl Scheduler<'_> {
    /// Instructions from the block's start to the last step of a node.
    pub(super) fn path(&self, node: Node) -> u32 {
        self.facts[node.0 as usize].path
    }

    /// The priority of a node: its path, disturbed a little.
    #[inline]
    pub(super) fn order(&self, node: Node) -> u32 {
        let path = if self.tactics.by_start { self.path(node) } else { self.facts[node.0 as usize].depth };
        path * 8 + self.tactics.disturbance(node)
    }

    /// An instruction begins: the priorities of what is ready are known until it is filled.
    pub(super) fn rank(&mut self) {
        let mut open = std::mem::take(&mut self.open);
        open.clear();
        open.extend(self.ready.iter().map(|&node| self.open_of(node)));
        self.open = open;
    }

    pub(super) fn open_of(&self, node: Node) -> Open {
        let wanted = self.facts[node.0 as usize].room;
        Open { node, wanted, order: self.order(node), fit: Fit::Unknown }
    }

    /// The nodes that may be placed now with their scores, of those of which so much is known.
    pub(super) fn candidates(&self, known: Fit, scored: &mut Vec<Ranked>) {
        let weight = self.tactics.thrift * (self.alive as i32 - 2).max(0);
        let (room, is_led) = (self.round.room, self.only.is_some());
        scored.clear();
        for (at, &Open { node, wanted, order, fit }) in self.open.iter().enumerate() {
            if fit != known || !room.has(wanted) || is_led && !self.may_be_here(node) {
                continue;
            }
            let change = if weight == 0 { 0 } else { self.change(node) * weight / 2 };
            // Only the last instruction has a place for a branch.
            let score = if wanted == Room::BRANCH { i32::MAX } else { order as i32 - change };
            scored.push(Ranked::new(score, node, at));
        }
    }

    /// How many values more are alive once a node is placed, in halves: a product of loads
    /// that can be placed at once counts half.
    fn change(&self, node: Node) -> i32 {
        let stored = self.facts[node.0 as usize].stored;
        // A value is made with its store where nothing else uses it.
        let maker = stored.unwrap_or(node);
        let (fact, state) = (&self.facts[maker.0 as usize], &self.nodes[maker.0 as usize]);
        match stored {
            Some(_) if fact.is_load => 0,
            Some(value) if state.waiting > 1 => self.demand_of(value),
            _ => {
                let ended = if state.demanded > 0 { 2 } else { 0 };
                fact.made.iter().map(|&made| self.demand_of(made)).sum::<i32>() - ended
            }
        }
    }

    /// What demanding a value that an operation makes costs, in halves.
    #[inline]
    fn demand_of(&self, node: Node) -> i32 {
        let state = &self.nodes[node.0 as usize];
        match () {
            () if state.is_asked() => 0,
            () if state.waiting == 1 && self.facts[node.0 as usize].made.is_empty() => 1,
            () => 2,
        }
    }
}
