//! Makes words of what a search tries: an attempt goes along with the search, and places in each
//! instruction what the search does. Loads, moves, stores and registers are the attempt's own, so
//! that a search finds shorter schedules with it but proves nothing.

use super::super::attempt::Scheduler;
use super::super::block::{AHEAD, Scheduled};
use super::state::State;
use super::task::{Set, Tasks};
use crate::compile::graph::{Node, Op};

/// An attempt at each instruction that is filled, the one to go on from last.
pub(super) struct Follow<'a> {
    way: Vec<Scheduler<'a>>,
    spare: Vec<Scheduler<'a>>,
    /// Instructions that may be filled yet.
    pub(super) left: u64,
    pub(super) found: Option<Scheduled>,
}

impl<'a> Follow<'a> {
    pub(super) fn new(start: Scheduler<'a>, most: u64) -> Follow<'a> {
        Follow { way: vec![start], spare: Vec::new(), left: most, found: None }
    }

    /// The order of two tasks that a search is free to choose.
    pub(super) fn order(&self, node: Node) -> u32 {
        self.way.last().map_or(0, |attempt| attempt.order(node))
    }

    /// The next instruction as the search has it; `false` if it cannot be filled so.
    pub(super) fn go(&mut self, tasks: &Tasks, new: Set, vector: Option<usize>) -> bool {
        self.left = self.left.saturating_sub(1);
        let Some(mut next) = self.copy() else { return false };
        let numbers = (0..tasks.all.len()).filter(|&i| new >> i & 1 != 0);
        let nodes = numbers.map(|i| tasks.all[i].node);
        let is_possible = next.led(nodes, vector.and_then(|vector| tasks.memory(vector))).is_some();
        let list = if is_possible { &mut self.way } else { &mut self.spare };
        list.push(next);
        is_possible
    }

    /// Takes the last instruction back.
    pub(super) fn back(&mut self) {
        self.spare.extend(self.way.pop());
    }

    /// Everything is placed: what is left are moves and stores.
    pub(super) fn end(&mut self, state: &State, length: u32) -> bool {
        let Some(mut last) = self.copy() else { return false };
        self.left = self.left.saturating_sub((length - state.now).into());
        self.found = last.run();
        self.spare.push(last);
        self.found.is_some()
    }

    fn copy(&mut self) -> Option<Scheduler<'a>> {
        let from = self.way.last()?;
        Some(match self.spare.pop() {
            Some(mut over) => {
                over.clone_from(from);
                over
            }
            None => from.clone(),
        })
    }
}

impl Scheduler<'_> {
    /// One instruction more, with these nodes and no others but stores; `None` if that is not
    /// possible.
    fn led(&mut self, nodes: impl Iterator<Item = Node>, memory: Option<u16>) -> Option<()> {
        let mut only = self.only.take().unwrap_or_default();
        only.clear();
        only.extend(nodes);
        self.only = Some(only);
        self.grow(AHEAD);
        if let Some(address) = memory {
            self.slot().port2(address);
        }
        let done = self.step();
        let only = self.only.take()?;
        let all = only.iter().all(|node| self.nodes[node.0 as usize].placed);
        self.only = None;
        done.filter(|()| all)
    }

    /// Whether a node may stand in this instruction where a search leads: what it says, and
    /// stores that make nothing else.
    pub(in super::super) fn may_be_here(&self, node: Node) -> bool {
        let Some(only) = &self.only else { return true };
        let data = self.graph.get(node);
        let Op::Store(_) = data.op else { return only.contains(&node) };
        let Some(value) = data.args().first().map(|arg| arg.node) else { return false };
        let op = self.graph.get(value).op;
        let is_moved = op.is_late() || matches!(op, Op::Load(_));
        is_moved || self.nodes[value.0 as usize].waiting > 1 || only.contains(&value)
    }
}
