//! One instruction: registers for its operands. Mostly everything can stay where it is and
//! only results need places; [`Pass::step_by_plan`] does the rest.

use crate::code::{Block, Inst, Value};

use super::Fault;
use super::error::AllocateError;
use super::operands::{Lists, Mine, Operands};
use super::pass::Pass;
use crate::touch::{NEVER, Touch};

/// A result that may be anywhere.
struct Wanted {
    value: Value,
    align: u16,
    /// Where it is read next.
    next: u32,
}

impl Pass<'_> {
    /// Places the operands of an instruction and what lives across it.
    pub(super) fn step(
        &mut self,
        block: Block,
        pos: u32,
        inst: Inst,
        list: &[Touch],
    ) -> Result<(), AllocateError> {
        let destroys = self.destroys(block, pos);
        // A phi has its place since the head of the block; one that nobody reads gives it up.
        if let Some(phi) = list.first().filter(|touch| touch.is_phi()) {
            if phi.is_def() && phi.next == NEVER {
                self.vacate(phi.value);
            }
            return Ok(());
        }
        for used in list.iter().filter(|touch| !touch.is_def()) {
            self.next[used.value.0 as usize] = used.next;
        }
        let is_free = !destroys && self.fault.is_none() && !list.iter().any(|touch| touch.is_bound());
        if !is_free || !self.step_freely(block, inst, list) {
            self.step_bound(block, pos, inst, list, destroys)?;
        }
        for def in list.iter().take_while(|touch| touch.is_def()) {
            let unit = self.code.defs(inst)[usize::from(def.number)].reg.unwrap_or(0);
            self.next[def.value.0 as usize] = def.next;
            self.define(def.value, block, pos + 1, unit);
            self.hints.settled(def.value, unit);
            if def.next == NEVER {
                self.vacate(def.value);
            }
        }
        Ok(())
    }

    /// The most common case: operands ask for nothing, everything is in registers, and results find places. False, with
    /// everything that is alive where it was, if not.
    fn step_freely(&mut self, block: Block, inst: Inst, list: &[Touch]) -> bool {
        let (defs, uses) = list.split_at(list.partition_point(|touch| touch.is_def()));
        if uses.iter().any(|used| self.location(used.value).is_none()) {
            return false;
        }
        for used in uses {
            let unit = self.loc[used.value.0 as usize];
            let operand = &mut self.code.uses_mut(inst)[usize::from(used.number)];
            operand.reg = Some(unit + operand.offset);
        }
        let mut dying = std::mem::take(&mut self.lists.dying);
        dying.clear();
        for used in uses.iter().filter(|used| used.next == NEVER) {
            dying.extend(self.location(used.value).map(|unit| (used.value, unit)));
            self.vacate(used.value);
        }
        let placed = defs.iter().take_while(|def| self.place_freely(block, inst, def)).count();
        if placed < defs.len() {
            defs[..placed].iter().for_each(|def| self.vacate(def.value));
            dying.iter().for_each(|&(value, unit)| self.occupy(value, unit));
        }
        self.lists.dying = dying;
        placed == defs.len()
    }

    /// Gives a result any place; false if there is none.
    fn place_freely(&mut self, block: Block, inst: Inst, def: &Touch) -> bool {
        let align = u16::from(self.data(def.value).align).max(1);
        let result = Wanted { value: def.value, align, next: def.next };
        let Some(unit) = self.place_wanted(block, result, |_| true) else { return false };
        self.code.defs_mut(inst)[usize::from(def.number)].reg = Some(unit);
        self.occupy(def.value, unit);
        true
    }

    /// Places operands of which some ask for a place, or for which others have to move.
    fn step_bound(
        &mut self,
        block: Block,
        pos: u32,
        inst: Inst,
        list: &[Touch],
        destroys: bool,
    ) -> Result<(), AllocateError> {
        // One list serves all instructions.
        let mut ops = std::mem::take(&mut self.operands);
        self.read_operands(inst, list, &mut ops);
        let mut done = Ok(());
        if destroys || !self.step_in_place(block, inst, &ops) {
            done = self.step_by_plan(block, pos, inst, &ops);
        }
        if done.is_ok() {
            self.misplace_by_fault(inst, &ops);
        }
        self.operands = ops;
        done
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

    fn read_operands(&self, inst: Inst, list: &[Touch], ops: &mut Operands) {
        ops.defs.clear();
        ops.uses.clear();
        for touch in list {
            let (number, value, next) = (usize::from(touch.number), touch.value, touch.next);
            let (list, operand) = match touch.is_def() {
                true => (&mut ops.defs, self.code.defs(inst)[number]),
                false => (&mut ops.uses, self.code.uses(inst)[number]),
            };
            list.push(Mine { operand, number, value, next });
        }
    }

    /// Nothing has to move. False, with nothing changed, if something has to.
    fn step_in_place(&mut self, block: Block, inst: Inst, ops: &Operands) -> bool {
        if !ops.uses.iter().all(|used| self.can_stay(used, ops)) {
            return false;
        }
        let mut lists = std::mem::take(&mut self.lists);
        let done = self.step_with_lists(block, inst, ops, &mut lists);
        self.lists = lists;
        done
    }

    fn step_with_lists(&mut self, block: Block, inst: Inst, ops: &Operands, lists: &mut Lists) -> bool {
        let Lists { dying, places } = lists;
        dying.clear();
        let last = ops.uses.iter().filter(|u| u.next == NEVER && !self.is_late(u.value, ops));
        dying.extend(last.filter_map(|u| Some((u.value, self.location(u.value)?))));
        dying.iter().for_each(|&(value, _)| self.vacate(value));
        if !self.result_places(block, ops, dying, places) {
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
        block: Block,
        ops: &Operands,
        dying: &[(Value, u16)],
        places: &mut Vec<Option<u16>>,
    ) -> bool {
        places.clear();
        places.resize(ops.defs.len(), None);
        for demanded in [true, false] {
            for (def, place) in ops.defs.iter().zip(&mut *places) {
                if place.is_none() {
                    *place = match demanded {
                        true => self.place_demanded(def, ops, dying),
                        false => self.place_any(block, def, ops, dying),
                    };
                    let Some(unit) = *place else { continue };
                    let size = self.data(def.value).size;
                    self.units.give(def.value, unit, size);
                }
            }
        }
        let found = places.iter().all(Option::is_some);
        if !found {
            for (def, unit) in ops.defs.iter().zip(&*places).filter_map(|(def, unit)| Some((def, (*unit)?))) {
                let size = self.data(def.value).size;
                self.units.take(def.value, unit, size);
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

    /// Any free place for a result that is neither fixed nor tied.
    fn place_any(&mut self, block: Block, def: &Mine, ops: &Operands, dying: &[(Value, u16)]) -> Option<u16> {
        let tied = ops.uses.iter().any(|u| u.operand.tied.map(usize::from) == Some(def.number));
        if def.operand.fixed.is_some() || tied {
            return None;
        }
        let result = Wanted { value: def.value, align: self.align_of(def), next: def.next };
        let reads = dying.iter().map(|&(value, unit)| (unit, self.data(value).size));
        let reads: Vec<(u16, u16)> = reads.filter(|_| def.operand.early_clobber).collect();
        let size = self.data(def.value).size;
        let apart = |at: u16| reads.iter().all(|&(unit, units)| unit + units <= at || at + size <= unit);
        self.place_wanted(block, result, apart)
    }

    /// A free place for a result, the one it wishes for if it can be.
    fn place_wanted(&mut self, block: Block, result: Wanted, suits: impl Fn(u16) -> bool) -> Option<u16> {
        let Wanted { value, align, next } = result;
        let (size, destroyer) = (self.data(value).size, self.destroyer(block, value, next));
        // What lives across a call is best where it need not be moved for it, whatever it wishes for behind it.
        let stays = |pass: &Self, at: u16| destroyer.is_none_or(|inst| pass.outlives(at, size, inst));
        let wish = self.wish(value, align).filter(|&at| at.is_multiple_of(align) && stays(self, at));
        if let Some(at) = wish.filter(|&at| self.units.are_free(at, size) && suits(at)) {
            return Some(at);
        }
        let open = || self.units.gaps(size, align).filter(|&at| suits(at));
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
        let gap = self.units.gaps(data.size, align).next()?;
        self.hints.plan(leader, gap);
        Some(gap + offset)
    }

    /// Whether a result can be put here: nothing lives here, and, if it is written early,
    /// nothing is read from here.
    fn is_open(&self, at: u16, def: &Mine, dying: &[(Value, u16)]) -> bool {
        let size = self.data(def.value).size;
        let apart = |&(value, unit): &(Value, u16)| unit + self.data(value).size <= at || at + size <= unit;
        self.units.are_free(at, size) && (!def.operand.early_clobber || dying.iter().all(apart))
    }
}
