//! Operations on memory: what is out of bounds reads zeros, writes nothing and is noted.

use super::FaultKind;
use super::arith;
use super::domain::{Domain, Inconclusive};
use super::exec::{Outcome, Walk};
use super::frame::Frame;
use super::layout::Leaf;
use super::memory::Place;
use crate::{Combine, Inst, Type, Value};

impl<'m, D: Domain> Walk<'m, D> {
    pub(super) fn variable(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) -> Outcome {
        let f = fr.f;
        let Some(result) = f.result_of(inst) else { return Ok(()) };
        let ty = self.pointee(fr, result);
        let layout = fr.layouts.get(ty);
        // In a loop the variable of the last round is gone: its room is taken again.
        let region = match fr.variables.iter().find(|(at, _)| *at == inst) {
            Some(&(_, region)) => region,
            None => {
                self.memory.claim(layout.size, self.lanes, f.inst(inst).span)?;
                let bytes = self.options.undefined(layout.size as usize);
                let region = self.memory.add(&bytes, Some(self.lanes));
                fr.variables.push((inst, region));
                region
            }
        };
        let place = Place { region, offset: 0 };
        if self.options.watched > 0 {
            self.watched.declare(fr.f, inst, ty, region);
        }
        for &lane in here {
            fr.set(result, 0, lane, self.domain.of_bits(place.bits()));
            self.memory.fill(region, lane as usize, self.options.undef as u32);
            if let Some(&init) = f.args(inst).first() {
                self.store_value(fr, inst, place, init, &layout.leaves, lane);
            }
        }
        Ok(())
    }

    pub(super) fn load(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) {
        if self.move_spots(fr, inst, here) {
            return;
        }
        let f = fr.f;
        let pointer = f.args(inst)[0];
        let Some(result) = f.result_of(inst) else { return };
        let offsets = self.offsets(fr, pointer, result);
        let leaves = &fr.layout(result).leaves;
        for &lane in here {
            let place = self.place(fr, pointer, lane);
            let mut outside = false;
            for (i, (&(leaf, _), &(_, offset))) in leaves.iter().zip(offsets).enumerate() {
                let loaded = self.memory.load(self.domain, leaf, place.plus(offset), lane as usize);
                outside |= loaded.is_none();
                self.take_doubt(leaf, place.plus(offset), lane);
                let zero = self.scalar(leaf, 0);
                fr.set(result, i, lane, loaded.unwrap_or(zero));
            }
            if outside {
                self.fault(fr, inst, FaultKind::OutOfBounds, lane);
            }
        }
    }

    pub(super) fn store(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) {
        if self.move_spots(fr, inst, here) {
            return;
        }
        let args = fr.f.args(inst);
        if self.options.races && !self.is_own(fr, args[0]) {
            self.races.begin(here);
        }
        for &lane in here {
            let place = self.place(fr, args[0], lane);
            if !self.helper[lane as usize] || self.is_own(fr, args[0]) {
                let offsets = self.offsets(fr, args[0], args[1]);
                self.store_value(fr, inst, place, args[1], offsets, lane);
            }
        }
        self.races.end();
    }

    /// Where the leaves of a value are in the memory behind a pointer: an array there may have
    /// another stride than as a value.
    pub(super) fn offsets(&self, fr: &Frame<'m, D>, pointer: Value, v: Value) -> &'m [(Leaf, u32)] {
        let there = &fr.layouts.get(self.pointee(fr, pointer)).leaves;
        let own = &fr.layouts.get(fr.f.ty(v)).leaves;
        if there.len() == own.len() { there } else { own }
    }

    /// A lane that reads what proves nothing proves nothing.
    fn take_doubt(&mut self, leaf: Leaf, place: Place, lane: u32) {
        // Bit for bit nothing is ever in doubt.
        if size_of::<D::Shadow>() == 0 {
            return;
        }
        if self.memory.doubted(leaf, place, lane as usize) {
            self.notes[lane as usize].add(Inconclusive::Taken);
        }
        if self.memory.blurred(self.domain, leaf, place, lane as usize) {
            self.notes[lane as usize].add(Inconclusive::Bits);
        }
    }

    /// What a lane writes that proves nothing proves nothing.
    fn give_doubt(&mut self, leaf: Leaf, place: Place, lane: u32) {
        if size_of::<D::Shadow>() > 0 {
            let doubted = self.notes[lane as usize].0.is_some();
            self.memory.doubt(leaf, place, lane as usize, doubted);
        }
    }

    /// Whether a pointer leads to memory that only this lane sees: helpers write there too.
    fn is_own(&self, fr: &Frame<'m, D>, pointer: Value) -> bool {
        use crate::Space::{Function, Private};
        matches!(self.module.types.get(fr.f.ty(pointer)), Type::Pointer(Function | Private, _))
    }

    fn store_value(
        &mut self,
        fr: &Frame<'m, D>,
        inst: Inst,
        place: Place,
        v: Value,
        offsets: &[(Leaf, u32)],
        lane: u32,
    ) {
        let mut outside = false;
        for (i, (&(leaf, _), &(_, offset))) in fr.layout(v).leaves.iter().zip(offsets).enumerate() {
            let s = fr.get(v, i, lane);
            let at = place.plus(offset);
            outside |= self.memory.store(self.domain, leaf, at, lane as usize, s).is_none();
            if self.options.watched > self.watched.assigned.len() {
                let bits = self.domain.bits(s);
                self.watched.assign(at, lane, bits, fr.f.inst(inst).span);
            }
            self.give_doubt(leaf, at, lane);
            let bits = self.domain.bits(s);
            if self.options.races && self.races.is_open(at, lane, bits) {
                self.memory.doubt(leaf, at, lane as usize, true);
            }
        }
        if outside {
            self.fault(fr, inst, FaultKind::OutOfBounds, lane);
        }
    }

    pub(super) fn copy(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) {
        let args = fr.f.args(inst);
        let layout = fr.layouts.get(self.pointee(fr, args[1]));
        for &lane in here {
            let (to, from) = (self.place(fr, args[0], lane), self.place(fr, args[1], lane));
            for &(leaf, offset) in &layout.leaves {
                self.take_doubt(leaf, from.plus(offset), lane);
                self.give_doubt(leaf, to.plus(offset), lane);
            }
            if self.memory.copy(self.domain, layout, to, from, lane as usize).is_none() {
                self.fault(fr, inst, FaultKind::OutOfBounds, lane);
            }
        }
    }

    pub(super) fn access(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) {
        let f = fr.f;
        let args = f.args(inst);
        let Some(result) = f.result_of(inst) else { return };
        for &lane in here {
            let place = self.place(fr, args[0], lane);
            let (mut ty, mut offset) = (self.pointee(fr, args[0]), i64::from(place.offset));
            for &index in &args[1..] {
                let Leaf::Int(width) = fr.layout(index).leaves[0].0 else { break };
                let n = arith::signed(self.domain.bits(fr.get(index, 0, lane)), width);
                let layout = fr.layouts.get(ty);
                let bounds = self.module.types.part_count(ty).map_or(i64::MAX, i64::from);
                if !(0..bounds).contains(&n) {
                    self.fault(fr, inst, FaultKind::OutOfBounds, lane);
                    // Far outside of any region, so that loads read zeros and stores have no effect.
                    offset = i64::from(u32::MAX) - 0xffff;
                }
                match self.module.types.get(ty) {
                    Type::Struct(..) => {
                        offset += layout.offsets.get(n as usize).map_or(0, |&o| i64::from(o));
                        ty = self.module.types.part(ty, n as u32).unwrap_or(ty);
                    }
                    _ => {
                        let step = n.saturating_mul(i64::from(layout.stride));
                        offset = offset.saturating_add(if (0..bounds).contains(&n) { step } else { 0 });
                        ty = self.module.types.part(ty, 0).unwrap_or(ty);
                    }
                }
            }
            let offset = u32::try_from(offset).unwrap_or(u32::MAX - 0xffff);
            fr.set(result, 0, lane, self.domain.of_bits(Place { offset, ..place }.bits()));
        }
    }

    pub(super) fn array_length(&mut self, fr: &mut Frame<'m, D>, inst: Inst, member: u32, here: &[u32]) {
        let f = fr.f;
        let pointer = f.args(inst)[0];
        let Some(result) = f.result_of(inst) else { return };
        let ty = self.pointee(fr, pointer);
        let offset = fr.layouts.get(ty).offsets.get(member as usize).copied().unwrap_or(0);
        let array = self.module.types.part(ty, member).unwrap_or(ty);
        let stride = fr.layouts.get(array).stride.max(1);
        for &lane in here {
            let place = self.place(fr, pointer, lane);
            let size = self.memory.size(place.region) as u32;
            let count = size.saturating_sub(place.offset).saturating_sub(offset) / stride;
            fr.set(result, 0, lane, self.domain.of_bits(count.into()));
        }
    }

    pub(super) fn atomic(&mut self, fr: &mut Frame<'m, D>, inst: Inst, combine: Combine, here: &[u32]) {
        self.update(fr, inst, here, |w, leaf, old, fr, lane| {
            let operand = fr.get(fr.f.args(inst)[1], 0, lane);
            Some(w.combined(combine, leaf, old, operand, lane))
        });
    }

    pub(super) fn atomic_compare(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) {
        self.update(fr, inst, here, |w, _, old, fr, lane| {
            let args = fr.f.args(inst);
            let (new, expected) = (fr.get(args[1], 0, lane), fr.get(args[2], 0, lane));
            (w.domain.bits(old) == w.domain.bits(expected)).then_some(new)
        });
    }

    /// Replaces one leaf in memory, lane after lane, and answers the value before.
    fn update(
        &mut self,
        fr: &mut Frame<'m, D>,
        inst: Inst,
        here: &[u32],
        mut new: impl FnMut(&mut Self, Leaf, D::Scalar, &Frame<'m, D>, u32) -> Option<D::Scalar>,
    ) {
        let f = fr.f;
        let pointer = f.args(inst)[0];
        let Some(result) = f.result_of(inst) else { return };
        let leaf = fr.layout(result).leaves[0].0;
        for &lane in here {
            if self.helper[lane as usize] {
                continue;
            }
            if let Some(spot) = self.spot(fr, pointer, lane) {
                let old = self.read_spot(&spot, leaf);
                if let Some(s) = new(self, leaf, old, fr, lane) {
                    self.write_spot(&spot, s);
                }
                fr.set(result, 0, lane, old);
                continue;
            }
            let place = self.place(fr, pointer, lane);
            let Some(old) = self.memory.load(self.domain, leaf, place, lane as usize) else {
                self.fault(fr, inst, FaultKind::OutOfBounds, lane);
                fr.set(result, 0, lane, self.scalar(leaf, 0));
                continue;
            };
            self.take_doubt(leaf, place, lane);
            if let Some(s) = new(self, leaf, old, fr, lane) {
                let _ = self.memory.store(self.domain, leaf, place, lane as usize, s);
                self.give_doubt(leaf, place, lane);
            }
            fr.set(result, 0, lane, old);
        }
    }
}
