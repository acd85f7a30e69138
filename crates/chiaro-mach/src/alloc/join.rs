//! Edge resolution: what a predecessor left elsewhere moves to where its successor starts, phis
//! among it, by one parallel copy per edge.

use crate::code::{Block, Graph, Value};
use crate::op::{Effects, Op};

use super::error::AllocateError;
use super::insert::{Rank, Transfer, Where};
use super::operands::NOWHERE;
use super::pass::Pass;

impl Pass<'_> {
    /// Joins the edges into a block that starts now, from those predecessors that have been left. A block with one
    /// predecessor starts as that one ended.
    pub(super) fn join_predecessors(&mut self, to: Block) -> Result<(), AllocateError> {
        let graph = self.graph();
        let count = self.code.block_data(to).edges(graph).preds.len();
        for number in 0..count {
            let from = self.code.block_data(to).edges(graph).preds[number];
            if count > 1 {
                self.join(from, to, number)?;
            }
            self.let_go(from);
        }
        Ok(())
    }

    /// Joins the edges from a block that ends now to those before it, and to itself.
    pub(super) fn join_loops(&mut self, from: Block) -> Result<(), AllocateError> {
        let graph = self.graph();
        for n in 0..self.code.block_data(from).edges(graph).succs.len() {
            let to = self.code.block_data(from).edges(graph).succs[n];
            let preds = &self.code.block_data(to).edges(graph).preds;
            if let Some(number) = preds.iter().position(|&pred| pred == from).filter(|_| to <= from) {
                self.join(from, to, number)?;
                self.let_go(from);
            }
        }
        Ok(())
    }

    /// The end of a block has served one more of its edges; behind the last one nobody asks for it.
    fn let_go(&mut self, from: Block) {
        if let Some(end) = &mut self.ends[from.0 as usize] {
            end.edges -= 1;
            if end.edges == 0 {
                self.ends[from.0 as usize] = None;
            }
        }
    }

    /// Adds the copies on an edge, which is number `number` into a block, if its start is known.
    fn join(&mut self, from: Block, to: Block, number: usize) -> Result<(), AllocateError> {
        let Some(end) = self.ends[from.0 as usize].take() else { return Ok(()) };
        end.values.iter().for_each(|&(value, unit)| self.there[value.0 as usize] = unit);
        let transfers = self.edge_transfers(to, number);
        end.values.iter().for_each(|&(value, _)| self.there[value.0 as usize] = NOWHERE);
        self.ends[from.0 as usize] = Some(end);
        if transfers.is_empty() {
            return Ok(());
        }
        if self.code.block_data(from).edges(self.graph()).succs.len() != 1 {
            return Err(AllocateError::CriticalEdge { from, to });
        }
        self.totals.moves += transfers.len() as u32;
        let pos = self.end_of(from);
        self.insert(from, pos, Rank::Edge, transfers);
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
        let at = |value: Value| match self.there[value.0 as usize] {
            NOWHERE => Where::Slot,
            unit => Where::Register(unit),
        };
        let mut transfers = Vec::new();
        let mut add = |value: Value, place: Where, from: Value| {
            let (source, size) = (at(from), self.data(value).size);
            if source != place || (from != value && place == Where::Slot) {
                transfers.push(Transfer { to: value, place, from, source, offset: 0, size });
            }
        };
        for &(value, unit) in self.starts[to.0 as usize].iter().flatten() {
            add(value, Where::Register(unit), value);
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
