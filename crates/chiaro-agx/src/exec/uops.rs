//! Writing micro-ops: spare slots, constants, sources in the form that an operation wants, results in
//! the size that they have.

use chiaro_isa::Reg;
use chiaro_num::{Encoding, F16, Rounding};
use chiaro_sim::{Code, EnvId, FloatEnv, NanRule, Op, Scope, Slot, Uop};

use super::{Choices, Doer};
use crate::operand::minifloat;
use crate::regs::{GPR_HALVES, UNIFORM_HALVES, file, mods, size};

/// Slots of each file: a run may end behind the last register, where nothing that counts stands.
const BEYOND: u16 = 16;
const GENERAL: u16 = GPR_HALVES / 2 + BEYOND;
const UNIFORM: u16 = UNIFORM_HALVES / 2 + BEYOND;
/// Spare slots of an instruction.
const SPARES: u16 = 96;

/// Floats of 32 bits (spec 2.4): subnormal numbers are zero, results before they are rounded.
pub(crate) const SINGLE: FloatEnv = FloatEnv::FLUSHING_BEFORE;

/// Micro-ops under construction.
#[derive(Clone, Debug)]
pub(crate) struct Uops {
    pub(crate) code: Code,
    /// Slots with the same number in every lane, to be filled before a run.
    pub(crate) constants: Vec<(Slot, u32)>,
    pub(crate) choices: Choices,
    /// r0, then the others.
    pub(crate) general: Slot,
    /// u0, then the others: the same in every lane.
    pub(crate) uniform: Slot,
    spares: Slot,
    used: u16,
}

impl Uops {
    pub(crate) fn new(choices: Choices) -> Uops {
        let mut code = Code::new(SINGLE);
        let (general, uniform, spares) = (code.slots(GENERAL), code.slots(UNIFORM), code.slots(SPARES));
        Uops { code, constants: Vec::new(), choices, general, uniform, spares, used: 0 }
    }

    /// Turns to the next instruction and forgets the spare slots of the one before.
    pub(crate) fn begin(&mut self) {
        self.used = 0;
        self.code.scope = Scope::Active;
        self.code.env = EnvId(0);
    }

    /// `n` spare slots of this instruction, one behind the other.
    pub(super) fn spare(&mut self, n: u16) -> Slot {
        debug_assert!(self.used + n <= SPARES, "an instruction takes more spare slots than there are");
        self.used += n;
        self.spares.at(self.used - n)
    }

    /// The slot of a constant.
    pub(super) fn imm(&mut self, bits: u32) -> Slot {
        if let Some((slot, _)) = self.constants.iter().find(|(_, known)| *known == bits) {
            return *slot;
        }
        let slot = self.code.slots(1);
        self.constants.push((slot, bits));
        slot
    }

    /// A number that is not worth a slot of its own.
    pub(super) fn number(&mut self, bits: u32) -> Slot {
        let d = self.spare(1);
        self.in_all_lanes(|u| u.code.imm(&[d], bits));
        d
    }

    /// An operation into a spare slot, or a pair of them. What lanes that do not run have there nobody sees, and a mask
    /// costs as much as the operation.
    pub(super) fn op(&mut self, op: Op, operands: &[Slot]) -> Slot {
        let d = self.spare(op.shape().result.into());
        let lists: Vec<&[Slot]> = operands.iter().map(std::slice::from_ref).collect();
        self.in_all_lanes(|u| u.code.each(op, &[d], &lists));
        d
    }

    /// Writes micro-ops that mind no mask.
    fn in_all_lanes(&mut self, write: impl FnOnce(&mut Uops)) {
        let scope = std::mem::replace(&mut self.code.scope, Scope::Whole);
        write(self);
        self.code.scope = scope;
    }

    /// The same with a constant as the last operand.
    pub(super) fn op_imm(&mut self, op: Op, a: Slot, bits: u32) -> Slot {
        let b = self.imm(bits);
        self.op(op, &[a, b])
    }

    /// A float operation on 32 bits.
    pub(super) fn single(&mut self, op: Op, operands: &[Slot]) -> Slot {
        self.code.set_env(SINGLE);
        self.op(op, operands)
    }

    /// A float operation on 16 bits.
    pub(super) fn half(&mut self, op: Op, operands: &[Slot]) -> Slot {
        self.code.set_env(FloatEnv::HALF);
        self.op(op, operands)
    }

    /// A float operation that rounds in its own way.
    pub(super) fn rounded(&mut self, op: Op, operands: &[Slot], rounding: Rounding, to_half: bool) -> Slot {
        let base = if to_half { FloatEnv { nan: NanRule::Canonical, ..FloatEnv::HALF } } else { SINGLE };
        self.code.set_env(FloatEnv { encoding: Encoding { rounding, ..base.encoding }, ..base });
        self.op(op, operands)
    }

    /// Where truth is not zero, `a`, elsewhere `b`.
    pub(super) fn select(&mut self, truth: Slot, a: Slot, b: Slot) -> Slot {
        self.op(Op::Select, &[truth, a, b])
    }

    /// A condition that nobody knows, where one is assumed.
    pub(super) fn assumed_condition(&mut self) -> Option<Slot> {
        self.choices.condition.map(|holds| self.imm(if holds { u32::MAX } else { 0 }))
    }

    /// Moves the bits of the first register where truth is not zero, elsewhere those of the second.
    pub(super) fn move_one(&mut self, d: Reg, truth: Slot, [x, y]: [Reg; 2]) -> Doer {
        let (x, y) = (self.bits(x), self.bits(y));
        let result = self.select(truth, x, y);
        self.put(d, result);
        Doer::Lanes
    }

    /// The slot of a register.
    pub(crate) fn slot(&self, r: Reg) -> Slot {
        match r.file {
            file::UNIFORM => self.uniform.at((r.index / 2).min(UNIFORM - 4)),
            _ => self.general.at((r.index / 2).min(GENERAL - 4)),
        }
    }

    /// The bits of a register or immediate, zeros above; of a pair, the low half.
    pub(super) fn bits(&mut self, r: Reg) -> Slot {
        if r.file == file::IMMEDIATE {
            return self.imm(r.index.into());
        }
        let slot = self.slot(r);
        match r.size {
            size::HALF if r.index & 1 == 0 => self.op_imm(Op::And, slot, 0xffff),
            size::HALF => self.op_imm(Op::Shr, slot, 16),
            _ => slot,
        }
    }

    /// An integer source: extended by its sign where it says so.
    pub(super) fn integer(&mut self, r: Reg) -> Slot {
        let bits = self.bits(r);
        if r.mods & mods::EXTEND != 0 && r.size == size::HALF { self.extended(bits, 16) } else { bits }
    }

    /// The low bits of a number, extended by their sign.
    pub(super) fn extended(&mut self, bits: Slot, width: u32) -> Slot {
        let high = self.op_imm(Op::Shl, bits, 32 - width);
        self.op_imm(Op::Sar, high, 32 - width)
    }

    /// An integer source with the sign of its size: what signed comparisons and shifts look at.
    /// Immediates have 16 bits and are never negative.
    pub(super) fn signed(&mut self, r: Reg) -> Slot {
        let bits = self.bits(r);
        if r.size == size::HALF { self.extended(bits, 16) } else { bits }
    }

    /// An integer source as 64 bits.
    pub(super) fn long(&mut self, r: Reg) -> Slot {
        let low = self.integer(r);
        let high = match r.size {
            size::LONG => self.slot(r).at(1),
            _ if r.mods & mods::EXTEND != 0 => self.op_imm(Op::Sar, low, 31),
            _ => self.imm(0),
        };
        self.pair(low, high)
    }

    /// Two slots one behind the other.
    pub(super) fn pair(&mut self, low: Slot, high: Slot) -> Slot {
        let pair = self.spare(2);
        self.in_all_lanes(|u| u.code.each(Op::Mov, &[pair, pair.at(1)], &[&[low, high]]));
        pair
    }

    /// A float source as binary32, not yet flushed.
    pub(super) fn float(&mut self, r: Reg) -> Slot {
        let value = match (r.file, r.size) {
            (file::IMMEDIATE, _) => self.imm(minifloat::value(r.index as u8).to_bits()),
            (_, size::HALF) => {
                let bits = self.bits(r);
                self.half(Op::Funpack, &[bits])
            }
            _ => self.slot(r),
        };
        self.with_signs(value, r.mods, 1 << 31)
    }

    /// A float source of 16 bits as its own bits.
    pub(super) fn half_float(&mut self, r: Reg) -> Slot {
        let value = match r.file {
            file::IMMEDIATE => {
                let value = f64::from(minifloat::value(r.index as u8));
                self.imm(F16.encode(value, FloatEnv::HALF.encoding))
            }
            _ => self.bits(r),
        };
        self.with_signs(value, r.mods, 1 << 15)
    }

    fn with_signs(&mut self, value: Slot, set: u16, sign: u32) -> Slot {
        let magnitude = if set & mods::ABS != 0 { self.op_imm(Op::And, value, sign - 1) } else { value };
        if set & mods::NEG != 0 { self.op_imm(Op::Xor, magnitude, sign) } else { magnitude }
    }

    /// Writes the low bits of a result; of a 64-bit one, a pair of slots.
    pub(super) fn put(&mut self, d: Reg, value: Slot) {
        let to = self.slot(d);
        match (d.size, d.index & 1) {
            (size::HALF, 0) => self.merge(to, value, 0xffff),
            (size::HALF, _) => {
                let high = self.op_imm(Op::Shl, value, 16);
                self.merge(to, high, 0xffff_0000);
            }
            (size::LONG, _) if self.made_there(to, value, 2) => {}
            (size::LONG, _) => self.code.each(Op::Mov, &[to, to.at(1)], &[&[value, value.at(1)]]),
            _ if self.made_there(to, value, 1) => {}
            _ => self.code.each(Op::Mov, &[to], &[&[value]]),
        }
    }

    /// Lets the last micro-op write to where its result of so many slots is wanted, if it made that. True if it does.
    fn made_there(&mut self, to: Slot, value: Slot, width: u8) -> bool {
        let spares = self.spares.0..self.spares.0 + SPARES;
        // A shuffle reads other lanes while it writes.
        let makes = |uop: &&mut Uop| {
            let is_it = uop.count == 1 && uop.d[0] == value && uop.op.shape().result == width;
            is_it && uop.op != Op::Shuffle && spares.contains(&value.0)
        };
        let Some(last) = self.code.uops.last_mut().filter(makes) else { return false };
        (last.d[0], last.scope) = (to, self.code.scope);
        true
    }

    fn merge(&mut self, to: Slot, value: Slot, mask: u32) {
        let mask = self.imm(mask);
        self.code.each(Op::Blend, &[to], &[&[mask], &[value], &[to]]);
    }

    /// Writes a binary32 result: clamped where asked, rounded again if the register is a half (spec 5.2).
    pub(super) fn put_float(&mut self, d: Reg, value: Slot, saturate: bool) {
        let clamped = if saturate { self.clamped(value, SINGLE, 1f32.to_bits()) } else { value };
        let bits = match d.size {
            size::HALF => self.half(Op::Fpack, &[clamped]),
            _ => clamped,
        };
        self.put(d, bits);
    }

    /// Writes a result of 16 bits.
    pub(super) fn put_half(&mut self, d: Reg, value: Slot, saturate: bool) {
        let clamped = if saturate { self.clamped(value, FloatEnv::HALF, 0x3c00) } else { value };
        self.put(d, clamped);
    }

    /// Between 0 and 1; what is no number is 0.
    fn clamped(&mut self, value: Slot, env: FloatEnv, one: u32) -> Slot {
        self.code.set_env(env);
        let zero = self.imm(0);
        let least = self.op(Op::Fmax, &[value, zero]);
        let one = self.imm(one);
        self.op(Op::Fmin, &[least, one])
    }
}
