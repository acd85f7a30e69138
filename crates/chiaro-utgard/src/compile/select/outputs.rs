//! Outputs are stored once on every path: which of two stores of one counts nobody knows.
//!
//! A component that a block stores behind another block goes through a register, and the last block,
//! which every path ends in, stores that. Branches of which only one is taken store for themselves.

use std::collections::BTreeMap;

use super::{Answer, Select};
use crate::compile::graph::{Block, Op, Place, Source};

impl Select<'_> {
    pub(super) fn store_once(&mut self) -> Answer<()> {
        let mut stores: BTreeMap<(u8, u8), Vec<usize>> = BTreeMap::new();
        for (at, block) in self.blocks.iter().enumerate() {
            for output in outputs(block) {
                stores.entry(output).or_default().push(at);
            }
        }
        let last = self.blocks.len() - 1;
        for ((index, component), blocks) in stores {
            let reached: Vec<Vec<bool>> = blocks.iter().map(|&from| self.behind(from)).collect();
            let is_repeated = reached.iter().any(|reached| blocks.iter().any(|&to| reached[to]));
            if !is_repeated {
                continue;
            }
            let place = Place::Output(index, component);
            if blocks.last() == Some(&last) {
                // Whatever was stored before is stored again.
                blocks
                    .iter()
                    .filter(|&&at| at != last)
                    .for_each(|&at| self.blocks[at].graph.drop_store(place));
                continue;
            }
            let (register, part) = self.register()?;
            for at in blocks {
                self.blocks[at].graph.store_instead(place, Place::Register(register, part));
            }
            let kept = self.graph().load(Source::Register(register, part));
            self.store(place, kept);
        }
        Ok(())
    }

    /// Which blocks can run after a block, itself among them if it is in a loop.
    fn behind(&self, from: usize) -> Vec<bool> {
        let mut reached = vec![false; self.blocks.len()];
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            let jump = self.blocks[at].jump;
            let to = jump.and_then(|jump| self.labels[jump.to.0 as usize]).map(|to| to as usize);
            let next = jump.is_none_or(|jump| jump.condition.is_some()).then_some(at + 1);
            for to in to.into_iter().chain(next).filter(|&to| to < self.blocks.len()) {
                if !std::mem::replace(&mut reached[to], true) {
                    open.push(to);
                }
            }
        }
        reached
    }
}

/// Components of outputs that a block stores.
fn outputs(block: &Block) -> impl Iterator<Item = (u8, u8)> + '_ {
    block.graph.nodes().iter().filter_map(|data| match data.op {
        Op::Store(Place::Output(index, component)) => Some((index, component)),
        _ => None,
    })
}
