//! Priorities: which node is tried first.
//!
//! A node with a long path behind it goes first. Where much is alive, a node that ends more
//! values than it demands is preferred.

use super::attempt::Scheduler;
use super::room::Room;
use crate::compile::graph::{Node, Op, Operand};

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

    /// The nodes that may be placed now with their scores; the highest is the best.
    pub(super) fn candidates(&self, scored: &mut Vec<(i32, Node)>) {
        let weight = self.tactics.thrift * (self.alive as i32 - 2).max(0);
        let room = self.room();
        let wanted = |node: Node| self.facts[node.0 as usize].room;
        let is_possible =
            |node: Node| room.has(wanted(node)) && !self.is_hopeless(node) && self.may_be_here(node);
        let possible = self.ready.iter().filter(|&&node| is_possible(node));
        let change = |node: Node| if weight == 0 { 0 } else { self.change(node) * weight / 2 };
        let score = |node: Node| match wanted(node) {
            // Only the last instruction has a place for it.
            Room::BRANCH => i32::MAX,
            _ => self.order(node) as i32 - change(node),
        };
        scored.clear();
        scored.extend(possible.map(|&node| (score(node), node)));
    }

    /// How many values more are alive once a node is placed, in halves: a product of loads
    /// that can be placed at once counts half.
    fn change(&self, node: Node) -> i32 {
        let mut of = node;
        if let Op::Store(_) = self.graph.get(node).op {
            // The stored value is made with the store where nothing else uses it.
            let stored = self.graph.get(node).args()[0].node;
            if self.nodes[stored.0 as usize].waiting > 1 || matches!(self.graph.get(stored).op, Op::Load(_)) {
                return self.demand_of(stored);
            }
            of = stored;
        }
        let ended = if self.nodes[of.0 as usize].demanded > 0 { 2 } else { 0 };
        let args = self.graph.get(of).args();
        let demands = args.iter().enumerate().map(|(i, arg)| {
            let again = args[..i].iter().any(|other| other.node == arg.node);
            if again { 0 } else { self.demand_of(arg.node) }
        });
        demands.sum::<i32>() - ended
    }

    /// What demanding a value costs, in halves.
    fn demand_of(&self, node: Node) -> i32 {
        let (data, state) = (self.graph.get(node), self.nodes[node.0 as usize]);
        if matches!(data.op, Op::Load(_)) || state.home.is_some() && !state.stored || state.demanded > 0 {
            return 0;
        }
        let is_load = |arg: &Operand| matches!(self.graph.get(arg.node).op, Op::Load(_));
        if state.waiting == 1 && data.args().iter().all(is_load) { 1 } else { 2 }
    }
}
