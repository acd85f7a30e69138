//! Edge resolution: what a predecessor left elsewhere moves to where its successor starts, phis
//! among it, by one parallel copy per edge.

use crate::code::{Block, Graph, Value};
use crate::op::{Effects, Op};

use super::error::AllocateError;
use super::insert::{Rank, Transfer, Where};
use super::operands::NOWHERE;
use super::pass::Pass;

impl Pass<'_> {
    /// Adds copies to all edges into blocks with several predecessors. A block with one starts
    /// as that one ended.
    pub(super) fn join_blocks(&mut self) -> Result<(), AllocateError> {
        let graph = self.graph();
        for to in self.code.blocks() {
            let preds = self.code.block_data(to).edges(graph).preds.clone();
            if preds.len() < 2 {
                continue;
            }
            for (number, &from) in preds.iter().enumerate() {
                let ends = self.ends[from.0 as usize].take().unwrap_or_default();
                // The scan is over: registers of values are free to hold those of this end.
                ends.iter().for_each(|&(value, unit)| self.loc[value.0 as usize] = unit);
                let transfers = self.edge_transfers(to, number);
                ends.iter().for_each(|&(value, _)| self.loc[value.0 as usize] = NOWHERE);
                self.ends[from.0 as usize] = Some(ends);
                if transfers.is_empty() {
                    continue;
                }
                if self.code.block_data(from).edges(graph).succs.len() != 1 {
                    return Err(AllocateError::CriticalEdge { from, to });
                }
                self.totals.moves += transfers.len() as u32;
                let pos = self.end_of(from);
                self.insert(from, pos, Rank::Edge, transfers);
            }
        }
        Ok(())
    }

    /// The place for copies at the end of a block: before its exit, and for lanes before the
    /// whole tail.
    fn end_of(&self, block: Block) -> u32 {
        let is_behind = |effects: Effects| match self.graph() {
            Graph::Logical => effects.is_tail(),
            Graph::Linear => effects.is_control(),
        };
        let insts = self.code.insts(block);
        let tail = insts.iter().rev().take_while(|&&inst| is_behind(self.code.inst(inst).effects));
        (insts.len() - tail.count()) as u32
    }

    /// What has to move on the edge number `number` into a block.
    fn edge_transfers(&self, to: Block, number: usize) -> Vec<Transfer> {
        let at = |value: Value| self.location(value).map_or(Where::Slot, Where::Register);
        let mut transfers = Vec::new();
        let mut add = |value: Value, place: Where, from: Value| {
            let (source, size) = (at(from), self.data(value).size);
            if source != place || (from != value && place == Where::Slot) {
                transfers.push(Transfer { to: value, place, from, source, offset: 0, size });
            }
        };
        for &(value, unit) in &self.starts[to.0 as usize] {
            if self.live.is_into(to, value) {
                add(value, Where::Register(unit), value);
            }
        }
        for &inst in self.code.insts(to).iter().take_while(|&&inst| self.code.op(inst) == Op::Phi) {
            let (Some(def), Some(used)) = (self.code.defs(inst).first(), self.code.uses(inst).get(number))
            else {
                continue;
            };
            let (Some(phi), Some(used)) = (def.value(), used.value()) else { continue };
            if def.file != self.file {
                continue;
            }
            match def.reg {
                Some(unit) => add(phi, Where::Register(unit), used),
                None => add(phi, Where::Slot, used),
            }
        }
        transfers
    }
}
