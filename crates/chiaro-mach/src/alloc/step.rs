//! One instruction: registers for its operands. Mostly everything can stay where it is and
//! only results need places; [`Pass::step_by_plan`] does the rest.

use crate::code::{Block, Inst, Value};

use super::Fault;
use super::error::AllocateError;
use super::operands::{Lists, Mine, NEVER, NOBODY, Operands};
use super::pass::Pass;

impl Pass<'_> {
    /// Places the operands of an instruction and what lives across it.
    pub(super) fn step(&mut self, block: Block, pos: u32, inst: Inst) -> Result<(), AllocateError> {
        // One list serves all instructions.
        let mut ops = std::mem::take(&mut self.operands);
        self.read_operands(inst, &mut ops);
        let done = self.step_with(block, pos, inst, &ops);
        self.operands = ops;
        done
    }

    fn step_with(&mut self, block: Block, pos: u32, inst: Inst, ops: &Operands) -> Result<(), AllocateError> {
        let clobbers = self.destroys(pos);
        if ops.defs.is_empty() && ops.uses.is_empty() && !clobbers {
            return Ok(());
        }
        for used in &ops.uses {
            self.next[used.value.0 as usize] = used.next;
        }
        if clobbers || !self.step_in_place(inst, ops) {
            self.step_by_plan(block, pos, inst, ops)?;
        }
        self.misplace_by_fault(inst, ops);
        for def in &ops.defs {
            self.next[def.value.0 as usize] = def.next;
            let unit = self.code.defs(inst)[def.number].reg.unwrap_or(0);
            self.define(def.value, block, pos + 1, unit);
            self.hints.settled(def.value, unit);
            if def.next == NEVER {
                self.vacate(def.value);
            }
        }
        Ok(())
    }

    /// The fault that tests seed: a result is put where another value lives.
    fn misplace_by_fault(&mut self, inst: Inst, ops: &Operands) {
        if self.fault != Some(Fault::Interference(inst)) {
            return;
        }
        let Some(def) = ops.defs.iter().find(|def| def.next != NEVER) else { return };
        let size = self.data(def.value).size;
        let other = self.occupants().into_iter().find(|&v| v != def.value && self.data(v).size == size);
        if let Some(unit) = other.and_then(|v| self.location(v)) {
            self.vacate(def.value);
            self.occupy(def.value, unit);
            self.code.defs_mut(inst)[def.number].reg = Some(unit);
        }
    }

    fn read_operands(&mut self, inst: Inst, ops: &mut Operands) {
        ops.defs.clear();
        ops.uses.clear();
        let defs = self.code.defs(inst).len();
        for index in 0..self.code.operands(inst).len() {
            let operand = self.code.operands(inst)[index];
            let Some(value) = operand.value().filter(|_| operand.file == self.file) else { continue };
            let next = self.advance();
            let list = if index < defs { &mut ops.defs } else { &mut ops.uses };
            let number = if index < defs { index } else { index - defs };
            list.push(Mine { operand, number, value, next });
        }
    }

    /// The common case: nothing has to move. False, with nothing changed, if something has to.
    fn step_in_place(&mut self, inst: Inst, ops: &Operands) -> bool {
        if !ops.uses.iter().all(|used| self.can_stay(used, ops)) {
            return false;
        }
        let mut lists = std::mem::take(&mut self.lists);
        let done = self.step_with_lists(inst, ops, &mut lists);
        self.lists = lists;
        done
    }

    fn step_with_lists(&mut self, inst: Inst, ops: &Operands, lists: &mut Lists) -> bool {
        let Lists { dying, places } = lists;
        dying.clear();
        let last = ops.uses.iter().filter(|u| u.next == NEVER && !self.is_late(u.value, ops));
        dying.extend(last.filter_map(|u| Some((u.value, self.location(u.value)?))));
        dying.iter().for_each(|&(value, _)| self.vacate(value));
        if !self.result_places(ops, dying, places) {
            dying.iter().for_each(|&(value, unit)| self.occupy(value, unit));
            return false;
        }
        for used in &ops.uses {
            let unit = self
                .location(used.value)
                .or_else(|| dying.iter().find(|(value, _)| *value == used.value).map(|&(_, unit)| unit));
            self.code.uses_mut(inst)[used.number].reg = unit.map(|unit| unit + used.operand.offset);
        }
        // What is read late lived a little longer.
        ops.uses.iter().filter(|u| u.next == NEVER).for_each(|u| self.vacate(u.value));
        for (def, unit) in ops.defs.iter().zip(places.iter().flatten()) {
            self.occupy(def.value, *unit);
            self.code.defs_mut(inst)[def.number].reg = Some(*unit);
        }
        true
    }

    fn is_late(&self, value: Value, ops: &Operands) -> bool {
        ops.uses.iter().any(|u| u.value == value && u.operand.late_kill)
    }

    /// Whether a use can be read where its value is.
    fn can_stay(&self, used: &Mine, ops: &Operands) -> bool {
        let Some(unit) = self.location(used.value) else { return false };
        let o = &used.operand;
        let at = unit + o.offset;
        let tied = o.tied.is_none_or(|def| {
            let whole = o.offset == 0 && o.size == self.data(used.value).size;
            let once =
                ops.uses.iter().filter(|u| u.value == used.value && u.operand.tied.is_some()).count() == 1;
            let def = ops.defs.iter().find(|d| d.number == usize::from(def));
            let fits = def.is_some_and(|d| {
                let align = self.align_of(d);
                at.is_multiple_of(align)
                    && d.operand.fixed.is_none_or(|r| r == at)
                    && !d.operand.early_clobber
            });
            whole && once && fits && used.next == NEVER && !self.is_late(used.value, ops)
        });
        tied && at.is_multiple_of(u16::from(o.align)) && o.fixed.is_none_or(|r| r == at)
    }

    pub(super) fn align_of(&self, operand: &Mine) -> u16 {
        u16::from(self.data(operand.value).align.max(operand.operand.align)).max(1)
    }

    /// Places for all results, with what dies already out of its registers; false if one
    /// finds none.
    fn result_places(
        &mut self,
        ops: &Operands,
        dying: &[(Value, u16)],
        places: &mut Vec<Option<u16>>,
    ) -> bool {
        places.clear();
        places.resize(ops.defs.len(), None);
        for choose in [Self::place_demanded, Self::place_wanted] {
            for (def, place) in ops.defs.iter().zip(&mut *places) {
                if place.is_none() {
                    *place = choose(self, def, ops, dying);
                    let Some(unit) = *place else { continue };
                    let size = self.data(def.value).size;
                    self.unit[usize::from(unit)..usize::from(unit + size)].fill(def.value.0);
                }
            }
        }
        let found = places.iter().all(Option::is_some);
        if !found {
            for (def, unit) in ops.defs.iter().zip(&*places).filter_map(|(def, unit)| Some((def, (*unit)?))) {
                let size = self.data(def.value).size;
                self.unit[usize::from(unit)..usize::from(unit + size)].fill(NOBODY);
            }
        }
        found
    }

    /// The place of a fixed or tied result, if it is free.
    fn place_demanded(&mut self, def: &Mine, ops: &Operands, dying: &[(Value, u16)]) -> Option<u16> {
        let tied = ops.uses.iter().find(|u| u.operand.tied.map(usize::from) == Some(def.number));
        let at = match (def.operand.fixed, tied) {
            (Some(unit), _) => Some(unit),
            (None, Some(used)) => dying.iter().find(|(value, _)| *value == used.value).map(|&(_, unit)| unit),
            (None, None) => None,
        };
        at.filter(|&at| self.is_open(at, def, dying))
    }

    /// Any free place for a result, the one it wishes for if it can be.
    fn place_wanted(&mut self, def: &Mine, ops: &Operands, dying: &[(Value, u16)]) -> Option<u16> {
        let tied = ops.uses.iter().any(|u| u.operand.tied.map(usize::from) == Some(def.number));
        if def.operand.fixed.is_some() || tied {
            return None;
        }
        let align = self.align_of(def);
        let (size, destroyer) = (self.data(def.value).size, self.destroyer(def.next));
        // What lives across a call is best where it need not be moved for it, whatever it wishes for behind it.
        let stays = |pass: &Self, at: u16| destroyer.is_none_or(|inst| pass.outlives(at, size, inst));
        let wish = self.wish(def.value, align).filter(|&at| stays(self, at));
        if let Some(at) = wish.filter(|&at| at.is_multiple_of(align) && self.is_open(at, def, dying)) {
            return Some(at);
        }
        let open = || self.gaps(size, align).filter(|&at| self.is_open(at, def, dying));
        open().find(|&at| stays(self, at)).or_else(|| open().next())
    }

    /// Whether an instruction leaves some units what they hold.
    fn outlives(&self, at: u16, size: u16, inst: Inst) -> bool {
        let mut mine = self.code.clobbered(inst).iter().filter(|clobber| clobber.file == self.file);
        mine.all(|clobber| clobber.units.end <= at || at + size <= clobber.units.start)
    }

    /// Where a new value would best be. If it is to be part of something that has no place
    /// yet, a place for the whole is chosen.
    pub(super) fn wish(&mut self, value: Value, align: u16) -> Option<u16> {
        if let Some(wish) = self.hints.wish(value) {
            return Some(wish);
        }
        let (leader, offset) = self.hints.leader(value)?;
        let data = self.data(leader);
        let align = align.max(u16::from(data.align));
        let gap = self.gaps(data.size, align).next()?;
        self.hints.plan(leader, gap);
        Some(gap + offset)
    }

    /// Runs of free units, from the lowest.
    fn gaps(&self, size: u16, align: u16) -> impl Iterator<Item = u16> + '_ {
        let last = (self.unit.len() as u16).checked_sub(size);
        let places = (0..last.map_or(0, |last| last + 1)).step_by(usize::from(align));
        places.filter(move |&at| self.is_vacant(at, size))
    }

    fn is_vacant(&self, at: u16, size: u16) -> bool {
        let range = usize::from(at)..usize::from(at) + usize::from(size);
        let free = self.unit.get(range.clone()).is_some_and(|units| units.iter().all(|&v| v == NOBODY));
        free && self.floor.busy[range].iter().all(|&busy| busy == 0)
    }

    /// Whether a result can be put here: nothing lives here, and, if it is written early,
    /// nothing is read from here.
    fn is_open(&self, at: u16, def: &Mine, dying: &[(Value, u16)]) -> bool {
        let size = self.data(def.value).size;
        let apart = |&(value, unit): &(Value, u16)| unit + self.data(value).size <= at || at + size <= unit;
        self.is_vacant(at, size) && (!def.operand.early_clobber || dying.iter().all(apart))
    }
}
