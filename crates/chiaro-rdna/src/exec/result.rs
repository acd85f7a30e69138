//! Results: their modifiers, the part of a register that they go to, masks and SCC.

use chiaro_sim::{Lanes, Op, Slot};

use super::uops::{SCC, Uops};
use crate::regs::code;

impl Uops {
    /// Writes a word to the destination, scalar or vector.
    pub(super) fn put(&mut self, r: Slot) {
        let d = if self.is_scalar() { self.sdst() } else { self.vdst() };
        if self.i.part.is_some_and(|(part, _)| part < 6) {
            let r = self.part_of_destination(r);
            return self.put_lanes(d, r);
        }
        self.put_lanes(d, r);
    }

    /// Writes the lanes that DPP lets be written.
    fn put_lanes(&mut self, d: Slot, r: Slot) {
        let Some(dpp) = self.i.dpp else { return self.place(d, r) };
        let mut written = self.exists;
        if dpp.written != [u32::MAX; 2] {
            // Both halves have the same lanes in the masks of banks, not in those of rows.
            let lanes =
                dpp.written.map(|mask| Lanes(std::array::from_fn(|i| (mask >> i & 1).wrapping_neg())));
            let masks = self.half_constants(lanes);
            written = Some(match written {
                Some(exists) => self.t(Op::And, &[exists, masks]),
                None => masks,
            });
        }
        match written {
            Some(written) => self.op(Op::Select, d, &[written, r, d]),
            None => self.place(d, r),
        }
    }

    /// A constant of all lanes of the wave: its halves by the number of the lane.
    fn half_constants(&mut self, [low, high]: [Lanes; 2]) -> Slot {
        let low_slot = self.lanes(&[low]);
        if low == high {
            return low_slot;
        }
        let (high, id) = (self.lanes(&[high]), self.t(Op::LaneId, &[]));
        let upper = self.ti(Op::Shr, id, 5);
        self.t(Op::Select, &[upper, high, low_slot])
    }

    /// Moves a result to its place: by the last micro-op itself, where that wrote it.
    fn place(&mut self, d: Slot, r: Slot) {
        let spare = self.is_spare(r) && self.code.uops.len() > self.start;
        if spare
            && let Some(last) = self.code.uops.last_mut().filter(|last| last.d[0] == r && last.count == 1)
        {
            last.d[0] = d;
            return;
        }
        self.op(Op::Mov, d, &[r]);
    }

    /// Puts a result into the part of the destination that SDWA names.
    fn part_of_destination(&mut self, r: Slot) -> Slot {
        let (part, rest) = self.i.part.unwrap_or((6, 0));
        let (low, width) = if part < 4 { (u32::from(part) * 8, 8) } else { (u32::from(part - 4) * 16, 16) };
        let ones = ((1_u64 << width) - 1) as u32;
        let field = if rest == 1 { Op::FieldS } else { Op::FieldU };
        let r = self.field(field, r, 0, width);
        let moved = self.ti(Op::Shl, r, low);
        if rest != 2 {
            return moved;
        }
        let (mask, d) = (self.imm(ones << low), self.vdst());
        self.t(Op::Blend, &[mask, moved, d])
    }

    /// Writes a float, scaled and clamped as the instruction says.
    pub(super) fn put_float(&mut self, mut r: Slot) {
        if self.i.omod != 0 && self.mode.scales_f32() {
            let by = self.imm([1.0_f32, 2.0, 4.0, 0.5][usize::from(self.i.omod & 3)].to_bits());
            r = self.t(Op::Fmul, &[r, by]);
        }
        if self.i.clamp {
            let (zero, one) = (self.imm(0), self.imm(1.0_f32.to_bits()));
            r = self.clamped(r, zero, one);
        }
        self.put(r);
    }

    fn clamped(&mut self, r: Slot, zero: Slot, one: Slot) -> Slot {
        let positive = self.t(Op::FmaxNumber, &[r, zero]);
        let inside = self.t(Op::FminNumber, &[positive, one]);
        if self.mode.clamps_nan() {
            return inside;
        }
        let number = self.t(Op::Feq, &[r, r]);
        self.t(Op::Select, &[number, inside, r])
    }

    /// Writes a half float; the other half of the register keeps what it has.
    pub(super) fn put_half(&mut self, r: Slot) {
        let r = self.finished_half(r);
        self.put_short(r);
    }

    /// A half float scaled and clamped.
    pub(super) fn finished_half(&mut self, mut r: Slot) -> Slot {
        if self.i.omod != 0 && self.mode.scales_f16() {
            let by = self.imm([0x3c00, 0x4000, 0x4400, 0x3800][usize::from(self.i.omod & 3)]);
            r = self.t(Op::Fmul, &[r, by]);
        }
        if self.i.clamp {
            let (zero, one) = (self.imm(0), self.imm(0x3c00));
            r = self.clamped(r, zero, one);
        }
        r
    }

    /// Writes 16 bits; the other half keeps what it has.
    pub(super) fn put_short(&mut self, r: Slot) {
        if self.i.part.is_some_and(|(part, _)| part < 6) {
            return self.put(r);
        }
        let high = self.i.select >> 3 & 1 == 1;
        let moved = if high { self.ti(Op::Shl, r, 16) } else { r };
        let (mask, d) = (self.imm(if high { 0xffff_0000 } else { 0xffff }), self.vdst());
        let both = self.t(Op::Blend, &[mask, moved, d]);
        self.put(both);
    }

    /// Writes 64 bits from two slots.
    pub(super) fn put_long(&mut self, r: Slot) {
        let d = if self.is_scalar() { self.sdst() } else { self.vdst() };
        self.op(Op::Mov, d, &[r]);
        self.op(Op::Mov, d.at(1), &[r.at(1)]);
    }

    /// Writes a double, scaled and clamped.
    pub(super) fn put_double(&mut self, mut r: Slot) {
        if self.i.omod != 0 && self.mode.scales_f16() {
            let by = self.imm64([1.0_f64, 2.0, 4.0, 0.5][usize::from(self.i.omod & 3)].to_bits());
            r = self.t(Op::Dmul, &[r, by]);
        }
        if self.i.clamp {
            let (zero, one) = (self.imm64(0), self.imm64(1.0_f64.to_bits()));
            let positive = self.t(Op::DmaxSigned, &[r, zero]);
            r = self.t(Op::DminSigned, &[positive, one]);
        }
        self.put_long(r);
    }

    /// SCC from a truth.
    pub(super) fn scc(&mut self, truth: Slot) {
        let one = self.imm(1);
        self.op(Op::And, SCC, &[truth, one]);
    }

    /// SCC: whether a word is not zero.
    pub(super) fn scc_not_zero(&mut self, r: Slot) {
        let zero = self.ti(Op::Eq, r, 0);
        let one = self.imm(1);
        self.op(Op::Add, SCC, &[zero, one]);
    }

    /// SCC: whether 64 bits are not zero.
    pub(super) fn scc_not_zero_long(&mut self, r: Slot) {
        let all = self.t(Op::Or, &[r, r.at(1)]);
        self.scc_not_zero(all);
    }

    /// Writes a bit for each lane to the mask that the instruction names.
    pub(super) fn put_mask(&mut self, truth: Slot) {
        let d = match self.i.sdst {
            Some(_) => self.sdst(),
            None => Slot(code::VCC_LO),
        };
        self.op(Op::Ballot, d, &[truth]);
    }
}
