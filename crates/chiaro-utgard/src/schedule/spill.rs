//! Values through registers: where too much is alive, one value is loaded at its uses and
//! stored where it is made.

use super::Scheduler;
use crate::dag::{Node, Op};

impl Scheduler<'_> {
    /// Turns the demands of one value into register loads; `false` if no value allows it.
    pub(super) fn spill(&mut self) -> bool {
        let mut values: Vec<Node> = Vec::new();
        for p in &self.pending {
            let state = &self.nodes[p.node.0 as usize];
            // Loads are loaded again; results of complex1 cannot be stored.
            let op = self.dag.get(p.node).op;
            let excluded = matches!(op, Op::Load(_) | Op::Rcp | Op::Rsqrt | Op::Exp2);
            if !excluded && state.home.is_none() && !values.contains(&p.node) {
                values.push(p.node);
            }
        }
        // The one that is made last on this road, that is, first in the program.
        values.sort_by_key(|n| self.order[n.0 as usize]);
        values.into_iter().any(|node| self.spill_value(node))
    }

    fn spill_value(&mut self, node: Node) -> bool {
        for index in 0..16u8 {
            for component in 0..4u8 {
                if self.spill_to(node, index, component) {
                    return true;
                }
            }
        }
        false
    }

    fn spill_to(&mut self, node: Node, index: u8, component: u8) -> bool {
        let uses: Vec<_> = self.pending.iter().copied().filter(|p| p.node == node).collect();
        let first = uses.iter().map(|p| p.at).min().unwrap_or(0);
        let last = uses.iter().map(|p| p.at).max().unwrap_or(0);
        let free = &mut self.free_from[usize::from(index)][usize::from(component)];
        if *free > first {
            return false;
        }
        let saved: Vec<_> = uses.iter().map(|p| self.slots[p.at as usize]).collect();
        let loads = uses.iter().all(|p| {
            let slot = &mut self.slots[p.at as usize];
            let selector = if slot.port1(index) {
                4 + u32::from(component)
            } else if slot.port0(false, index) {
                u32::from(component)
            } else {
                return false;
            };
            slot.set(p.field, selector);
            true
        });
        if !loads {
            for (p, slot) in uses.iter().zip(saved).rev() {
                self.slots[p.at as usize] = slot;
            }
            return false;
        }
        *free = u32::MAX;
        self.pending.retain(|p| p.node != node);
        let state = &mut self.nodes[node.0 as usize];
        state.home = Some((index, component));
        state.store_from = last + 3;
        self.spills += 1;
        true
    }
}
