//! Gathering: components that an instruction reads together come to stand in one register.
//!
//! An operand names one register and one sign. Where its components come from several places, in this
//! order: instructions that do the same to single components become one that does it to all (packing);
//! values are given a common *web*, that is, the allocator puts them into one register; at last
//! components are moved. Outputs and variables are webs with fixed places: what only they read is
//! computed right there.
//!
//! Blocks are worked on from the end, so that what reads components says where they should be before
//! what computes them is looked at.

mod bundle;
mod pack;
mod places;
mod reuse;
mod state;

use self::state::{Gather, follow};
use crate::compile::graph::{Block, Component, Cond, Graph, Id, Item};
use crate::compile::schedule::homes::{Homes, Ordered};
use crate::compile::tactic::{Step, Tactic};
use std::collections::HashMap;

/// Looks at a block's operands at most; each packs some, moves the rest.
const MOST_ROUNDS: u32 = 64;

/// Settles where components stand. The blocks become ordered lists; outputs and assignments in them
/// become instructions that write there.
pub(crate) fn gather(graph: &mut Graph, tactic: Tactic) -> (Homes, Vec<Ordered>) {
    let counts = graph.consumers();
    let homes = Homes::new(graph);
    let mut block_of = vec![Block::MAX; graph.nodes.len()];
    for (block, items) in graph.blocks.iter().enumerate() {
        for item in items {
            if let Item::Node(id) | Item::If(Cond::Flags(id, _), ..) | Item::Break(Cond::Flags(id, _)) = item
            {
                block_of[*id as usize] = block as Block;
            }
        }
    }
    let parents = graph.parents();
    let packed = vec![None; graph.nodes.len()];
    let (moved, fresh) = (HashMap::new(), Vec::new());
    let (emits, times, first_set) = (Vec::new(), HashMap::new(), HashMap::new());
    let mut g = Gather {
        graph,
        homes,
        counts,
        block_of,
        parents,
        packed,
        moved,
        fresh,
        block: 0,
        emits,
        times,
        first_set,
        tactic,
    };
    let mut blocks: Vec<Ordered> = vec![Vec::new(); g.graph.blocks.len()];
    for block in (0..blocks.len()).rev() {
        blocks[block] = g.run(block as Block);
    }
    let Gather { graph, homes, packed, .. } = g;
    let place = |component: &mut Component| follow(&packed, component);
    graph.each_component(place);
    for (_, item) in blocks.iter_mut().flatten() {
        if let Item::Assign(_, parts) = item {
            parts.iter_mut().flatten().for_each(place);
        }
    }
    (homes, blocks)
}

impl Gather<'_> {
    fn run(&mut self, block: Block) -> Ordered {
        self.block = block;
        self.moved.clear();
        let items = std::mem::take(self.graph.items_mut(block));
        let mut order: Ordered =
            items.into_iter().enumerate().map(|(i, item)| (2 * i as u32 + 1, item)).collect();
        self.note_times(&order);
        for (at, item) in order.iter().rev() {
            match item {
                Item::Output(register, parts) => self.output(*at, *register, *parts),
                Item::Assign(variable, parts) => self.assign(*at, *variable, *parts),
                _ => {}
            }
        }
        order.retain(|(_, item)| !matches!(item, Item::Output(..) | Item::Assign(..)));
        order.append(&mut self.fresh);
        order.sort_by_key(|(at, _)| *at);
        self.pack_outputs(&order);
        self.pack_addresses();
        // Packing can give components to an instruction that was looked at before.
        for _ in 0..MOST_ROUNDS {
            let is_settled = self.settle(&mut order);
            if is_settled && !(self.tactic.takes(Step::PackAlike) && self.pack_alike(&order)) {
                break;
            }
        }
        let packed = &self.packed;
        order.retain(|(_, item)| !matches!(item, Item::Node(id) if packed[*id as usize].is_some()));
        order
    }

    /// Gathers the operands of all instructions; whether there was nothing to do.
    fn settle(&mut self, order: &mut Ordered) -> bool {
        let mut open: Vec<(u32, Id)> =
            order.iter().filter_map(|(at, item)| Some((*at, item.instruction()?))).collect();
        if self.tactic.takes(Step::FromEnd) {
            open.reverse();
        }
        let mut is_settled = true;
        for (at, id) in open {
            if !self.is_gathered(id) {
                self.operands(at, id);
                is_settled = false;
            }
        }
        order.append(&mut self.fresh);
        order.sort_by_key(|(at, _)| *at);
        is_settled
    }

    /// Remembers where the EMITs of a block stand, when it first sets variables, and what else stands when.
    fn note_times(&mut self, order: &Ordered) {
        self.emits.clear();
        self.times.clear();
        self.first_set.clear();
        self.emits.extend(order.iter().filter(|(_, item)| matches!(item, Item::Emit(_))).map(|(at, _)| *at));
        for (at, item) in order {
            if let Item::Assign(variable, _) = item {
                self.first_set.entry(*variable).or_insert(*at);
            }
        }
        if !self.emits.is_empty() || !self.first_set.is_empty() {
            let nodes = order.iter().filter_map(|(at, item)| Some((item.instruction()?, *at)));
            self.times.extend(nodes);
        }
    }
}
