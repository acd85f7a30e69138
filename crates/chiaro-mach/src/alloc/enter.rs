//! Block entry: which live-in values are in registers, and where the phis are.
//!
//! Everything starts where one of the predecessors left it; the others bring it there by
//! copies on their edges. A loop's values that are not used in it leave before the loop if it
//! needs the room, for otherwise they would be loaded again in every round.

use crate::code::{Block, Inst, Value};
use crate::op::Op;
use crate::pressure::weight;

use super::error::AllocateError;
use super::operands::NOWHERE;
use super::pass::{Located, Pass};
use super::place::{Slab, THROUGH, settle};

impl Pass<'_> {
    /// Sets up the registers at the head of a block.
    pub(super) fn enter(&mut self, block: Block) -> Result<(), AllocateError> {
        let mut live = self.inherited(block);
        let phis = self.phis(block);
        if let Some(last) = self.loop_end(block) {
            self.relieve_loop(block, last, &mut live);
        }
        self.place_head(block, &live, &phis)?;
        // A later end of a loop meets the block as it starts.
        let preds = &self.code.block_data(block).edges(self.graph()).preds;
        if preds.len() > 1 {
            let is_loop = preds.iter().any(|&pred| pred >= block);
            let located =
                live.iter().map(|&(v, _)| (v, self.loc[v.0 as usize])).filter(|&(_, unit)| unit != NOWHERE);
            self.starts[block.0 as usize] = Some(located.collect());
            self.join_predecessors(block)?;
            if !is_loop {
                self.starts[block.0 as usize] = None;
            }
            return Ok(());
        }
        self.join_predecessors(block)
    }

    /// Values alive at the head that the first known predecessor has in registers. What it
    /// has not is in its slot.
    fn inherited(&mut self, block: Block) -> Vec<Located> {
        let preds = &self.code.block_data(block).edges(self.graph()).preds;
        let Some(known) = preds.iter().find_map(|pred| self.ends[pred.0 as usize].as_ref()) else {
            return Vec::new();
        };
        for value in self.live.entering(block, self.file) {
            self.lives[value.0 as usize] = block.0 + 1;
        }
        known
            .values
            .iter()
            .copied()
            .filter(|&(value, _)| self.lives[value.0 as usize] == block.0 + 1)
            .collect()
    }

    fn phis(&self, block: Block) -> Vec<(Inst, Value)> {
        let insts = self.code.insts(block).iter().take_while(|&&inst| self.code.op(inst) == Op::Phi);
        let phi = |&inst: &Inst| Some((inst, self.code.defs(inst).first()?.value()?));
        insts.filter_map(phi).filter(|&(_, value)| self.is_mine(value)).collect()
    }

    /// The last block of the loop that a block is the head of.
    fn loop_end(&self, block: Block) -> Option<Block> {
        let preds = &self.code.block_data(block).edges(self.graph()).preds;
        preds.iter().copied().filter(|&pred| pred >= block).max()
    }

    fn relieve_loop(&mut self, head: Block, last: Block, live: &mut Vec<Located>) {
        if !self.spills() {
            return;
        }
        let file = usize::from(self.file.0);
        let most = (head.0..=last.0).map(|b| self.pressure.of(Block(b))[file]).max().unwrap_or(0);
        let allowed = self.floor.busy.iter().filter(|&&busy| busy == 0).count() as u32;
        let mut over = most.saturating_sub(allowed);
        if over == 0 {
            return;
        }
        let mut idle: Vec<Value> =
            live.iter().map(|&(v, _)| v).filter(|&v| !self.usage().is_used_in(v, head, last)).collect();
        idle.sort_by(|&a, &b| self.usage().weight(a).total_cmp(&self.usage().weight(b)));
        for value in idle {
            if over == 0 {
                break;
            }
            over = over.saturating_sub(weight(self.data(value)));
            self.spill(value);
            live.retain(|&(v, _)| v != value);
        }
    }

    /// Packs what is inherited and the phis; what finds no room starts in its slot.
    fn place_head(
        &mut self,
        block: Block,
        live: &[Located],
        phis: &[(Inst, Value)],
    ) -> Result<(), AllocateError> {
        if phis.is_empty() {
            // They stand apart where they stood.
            live.iter().for_each(|&(value, unit)| self.occupy(value, unit));
            return Ok(());
        }
        let mut values: Vec<(Value, Option<u16>)> = live.iter().map(|&(v, unit)| (v, Some(unit))).collect();
        for &(inst, value) in phis {
            values.push((value, self.phi_wish(block, inst, value)));
        }
        loop {
            let mut slabs: Vec<Slab> = values.iter().map(|&(v, wish)| self.slab(v, wish)).collect();
            if settle(&self.floor, &mut slabs) {
                values.iter().zip(&slabs).for_each(|(&(v, _), slab)| self.occupy(v, slab.at));
                break;
            }
            let spillable = self.spills();
            let cost = |&i: &usize| self.cost(values[i].0, 0);
            let worst = (0..values.len()).filter(|_| spillable).min_by(|a, b| cost(a).total_cmp(&cost(b)));
            let Some(victim) = worst else { return Err(self.full(block, None, &slabs)) };
            let (value, _) = values.remove(victim);
            self.leave_in_slot(block, value, phis);
        }
        for &(inst, value) in phis {
            let unit = self.loc[value.0 as usize];
            self.define(value, block, phis_of(self, block), unit);
            if unit != NOWHERE {
                self.code.defs_mut(inst)[0].reg = Some(unit);
                self.hints.settled(value, unit);
            }
        }
        Ok(())
    }

    fn slab(&self, value: Value, wish: Option<u16>) -> Slab {
        let data = self.data(value);
        let align = u16::from(data.align).max(1);
        Slab { size: data.size, align, times: THROUGH, fixed: None, wish, at: 0 }
    }

    /// A phi in its slot is stored by the edges; anything else has been stored already or is
    /// stored behind its definition.
    fn leave_in_slot(&mut self, block: Block, value: Value, phis: &[(Inst, Value)]) {
        if phis.iter().any(|&(_, phi)| phi == value) {
            self.define(value, block, 0, NOWHERE);
            self.spilled[value.0 as usize] = true;
        } else {
            self.spill(value);
        }
    }

    /// A phi would best be where one of its uses is.
    fn phi_wish(&self, block: Block, phi: Inst, value: Value) -> Option<u16> {
        let preds = &self.code.block_data(block).edges(self.graph()).preds;
        let place = |(used, pred): (&crate::Operand, &Block)| {
            let ends = &self.ends[pred.0 as usize].as_ref()?.values;
            let value = used.value()?;
            ends.iter().find(|&&(v, _)| v == value && !self.live.is_into(block, v)).map(|&(_, unit)| unit)
        };
        let used = self.code.uses(phi).iter().zip(preds).find_map(place);
        used.or_else(|| self.hints.wish(value))
    }
}

/// How many phis, of all files, stand at the head of a block.
fn phis_of(pass: &Pass<'_>, block: Block) -> u32 {
    pass.code.insts(block).iter().take_while(|&&inst| pass.code.op(inst) == Op::Phi).count() as u32
}
