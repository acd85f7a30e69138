//! Writing micro-ops: spare slots, constants, sources in the form that an operation wants.

use chiaro_sim::{Code, Lanes, Op, Scope, Slot};

use super::choices::Choices;
use super::mode::Mode;
use super::operands::{At, Operands, Src};
use crate::operand::constant::{self, Number};
use crate::regs::{code, mods};

/// Wave slot of SCC, behind the scalar registers by their codes.
pub(crate) const SCC: Slot = Slot(128);
/// Wave slots that take what is written to null.
pub(crate) const DUMP: Slot = Slot(129);
/// First spare wave slot, and how many there are.
const WAVE_SPARES: u16 = 131;
const SPARES: u16 = 96;
/// Wave slots before those of constants.
pub(crate) const WAVE_SLOTS: u16 = WAVE_SPARES + SPARES;

/// Upper halves of the apertures' first addresses: a choice, any two that no buffer has.
pub(crate) const SHARED_BASE: u64 = 0x0001_0000_0000_0000;
pub(crate) const PRIVATE_BASE: u64 = 0x0002_0000_0000_0000;

/// Micro-ops under construction.
#[derive(Clone, Debug)]
pub(crate) struct Uops {
    pub(crate) code: Code,
    /// Lane slots with constants, to be filled before a run.
    pub(crate) lane_constants: Vec<(Slot, Lanes)>,
    /// Wave slots with constants.
    pub(crate) wave_constants: Vec<(Slot, u32)>,
    pub(crate) mode: Mode,
    /// What is taken for what nobody knows.
    pub(super) choices: Choices,
    /// Lanes of a wave, 32 or 64.
    pub(crate) wave: u8,
    /// Operands of the instruction that is being written.
    pub(crate) i: Operands,
    /// First of the 256 vector registers.
    pub(crate) vectors: Slot,
    pub(super) start: usize,
    /// Lanes whose source by DPP exists, where that keeps others from being written.
    pub(super) exists: Option<Slot>,
    spares: Slot,
    used: u16,
}

impl Uops {
    pub(crate) fn new(wave: u8, mode: Mode, choices: Choices) -> Uops {
        let mut code = Code::new(choices.env(mode.f32()));
        let (vectors, spares) = (code.slots(256), code.slots(SPARES));
        Uops {
            code,
            lane_constants: Vec::new(),
            wave_constants: Vec::new(),
            mode,
            choices,
            wave,
            i: Operands::default(),
            vectors,
            start: 0,
            exists: None,
            spares,
            used: 0,
        }
    }

    /// Wave slots that a state needs.
    pub(crate) fn wave_slots(&self) -> usize {
        usize::from(WAVE_SLOTS) + self.wave_constants.len()
    }

    /// Turns to an instruction and forgets the spare slots of the one before.
    pub(crate) fn begin(&mut self, i: Operands) {
        (self.i, self.used, self.exists, self.start) = (i, 0, None, self.code.uops.len());
        self.code.scope = Scope::Active;
    }

    /// Operands and results are wave slots from here on.
    pub(super) fn scalar(&mut self) {
        self.code.scope = Scope::Wave;
    }

    pub(super) fn is_scalar(&self) -> bool {
        self.code.scope == Scope::Wave
    }

    /// `n` spare slots of this instruction, one behind the other.
    pub(super) fn spare(&mut self, n: u16) -> Slot {
        debug_assert!(self.used + n <= SPARES, "an instruction takes more spare slots than there are");
        self.used += n;
        let first = if self.is_scalar() { Slot(WAVE_SPARES) } else { self.spares };
        first.at(self.used - n)
    }

    /// Whether a slot is a spare one, written by this instruction alone.
    pub(super) fn is_spare(&self, slot: Slot) -> bool {
        let first = if self.is_scalar() { WAVE_SPARES } else { self.spares.0 };
        (first..first + SPARES).contains(&slot.0)
    }

    /// The slot of a constant.
    pub(super) fn imm(&mut self, bits: u32) -> Slot {
        self.constants(&[bits])
    }

    /// The slots of a constant of 64 bits.
    pub(super) fn imm64(&mut self, bits: u64) -> Slot {
        self.constants(&[bits as u32, (bits >> 32) as u32])
    }

    fn constants(&mut self, words: &[u32]) -> Slot {
        if !self.is_scalar() {
            let lanes: Vec<Lanes> = words.iter().map(|word| Lanes::splat(*word)).collect();
            return self.lanes(&lanes);
        }
        let found = self
            .wave_constants
            .windows(words.len())
            .find(|w| w.iter().map(|c| c.1).eq(words.iter().copied()));
        if let Some(found) = found {
            return found[0].0;
        }
        let first = Slot(WAVE_SLOTS).at(self.wave_constants.len() as u16);
        self.wave_constants.extend(words.iter().enumerate().map(|(n, word)| (first.at(n as u16), *word)));
        first
    }

    /// The slots of constants that differ from lane to lane.
    pub(super) fn lanes(&mut self, lanes: &[Lanes]) -> Slot {
        let alike = |w: &[(Slot, Lanes)]| {
            w.iter().zip(lanes).all(|(known, wanted)| known.1 == *wanted)
                && w.windows(2).all(|two| two[1].0 == two[0].0.at(1))
        };
        if let Some(found) = self.lane_constants.windows(lanes.len()).find(|w| alike(w)) {
            return found[0].0;
        }
        let first = self.code.slots(lanes.len() as u16);
        self.lane_constants.extend(lanes.iter().enumerate().map(|(n, l)| (first.at(n as u16), *l)));
        first
    }

    /// An operation into a slot.
    pub(super) fn op(&mut self, op: Op, d: Slot, operands: &[Slot]) {
        let mut lists = [[Slot::default(); 1]; 3];
        for (list, slot) in lists.iter_mut().zip(operands) {
            list[0] = *slot;
        }
        let lists = [&lists[0][..], &lists[1][..], &lists[2][..]];
        self.code.each(op, &[d], &lists[..operands.len().min(3)]);
    }

    /// An operation into spare slots, as many as its result takes.
    pub(super) fn t(&mut self, op: Op, operands: &[Slot]) -> Slot {
        let d = self.spare(op.shape().result.max(1).into());
        self.op(op, d, operands);
        d
    }

    /// The same with a constant behind the operand.
    pub(super) fn ti(&mut self, op: Op, a: Slot, bits: u32) -> Slot {
        let bits = self.imm(bits);
        self.t(op, &[a, bits])
    }

    /// `width` bits from bit `low` on, zeros or the sign above.
    pub(super) fn field(&mut self, op: Op, a: Slot, low: u32, width: u32) -> Slot {
        let (low, width) = (self.imm(low), self.imm(width));
        self.t(op, &[a, low, width])
    }

    /// A truth as 1 and 0.
    pub(super) fn one(&mut self, truth: Slot) -> Slot {
        self.ti(Op::And, truth, 1)
    }

    /// An operation in all lanes, whether they run or not.
    pub(super) fn whole(&mut self, op: Op, operands: &[Slot]) -> Slot {
        let scope = std::mem::replace(&mut self.code.scope, Scope::Whole);
        let d = self.t(op, operands);
        self.code.scope = scope;
        d
    }

    /// Arithmetic on words as MODE has it.
    pub(super) fn f32(&mut self) {
        self.code.set_env(self.choices.env(self.mode.f32()));
    }

    /// Arithmetic on half floats.
    pub(super) fn f16(&mut self) {
        self.code.set_env(self.choices.env(self.mode.f16()));
    }

    /// Arithmetic of the transcendental unit, which has no subnormal words (spec 6.1).
    pub(super) fn transcendental(&mut self) {
        self.code.set_env(self.choices.env(Mode(self.mode.0 & 3).f32()));
    }

    fn src(&self, k: usize) -> Src {
        self.i.src[k].unwrap_or(Src { at: At::Code(128), mods: 0, part: 6 })
    }

    /// The bits of a source, 32 of them, before anything is done to them.
    fn raw(&mut self, k: usize, number: Number) -> Slot {
        let src = self.src(k);
        let slot = match src.at {
            At::Vector(n) => self.vectors.at(n),
            At::Scalar(n) => self.scalar_register(n),
            At::Literal(bits) => self.imm(bits),
            At::Code(code::SPECIAL_VCCZ) => self.zero_test(code::VCC_LO),
            At::Code(code::SPECIAL_EXECZ) => self.zero_test(code::EXEC_LO),
            At::Code(code::SPECIAL_SCC) => self.broadcast(SCC),
            At::Code(n) => self.imm(constant_bits(n, number) as u32),
        };
        match self.i.dpp {
            Some(dpp) if k == 0 => self.other_lanes(slot, dpp),
            _ => slot,
        }
    }

    fn scalar_register(&mut self, n: u16) -> Slot {
        if n == code::NULL { self.imm(0) } else { self.broadcast(Slot(n)) }
    }

    /// A wave slot as an operand of this instruction.
    pub(super) fn broadcast(&mut self, wave: Slot) -> Slot {
        if self.is_scalar() { wave } else { self.t(Op::Broadcast, &[wave]) }
    }

    /// 1 if a mask is zero, in the width of the wave.
    fn zero_test(&mut self, mask: u16) -> Slot {
        let low = self.broadcast(Slot(mask));
        let all = if self.wave == 64 {
            let high = self.broadcast(Slot(mask + 1));
            self.t(Op::Or, &[low, high])
        } else {
            low
        };
        let zero = self.ti(Op::Eq, all, 0);
        self.one(zero)
    }

    /// A vector register as DPP reads it.
    fn other_lanes(&mut self, slot: Slot, dpp: super::operands::Dpp) -> Slot {
        let index = Lanes(std::array::from_fn(|i| dpp.from[i].map_or(i as u32, u32::from)));
        let inside = Lanes(std::array::from_fn(|i| u32::from(dpp.from[i].is_some()).wrapping_neg()));
        let (index, mut exists) = (self.lanes(&[index]), self.lanes(&[inside]));
        let moved = self.whole(Op::Shuffle, &[slot, index]);
        if !dpp.fetch {
            let runs = self.whole(Op::MaskToLane, &[Slot(code::EXEC_LO)]);
            let runs = self.whole(Op::Shuffle, &[runs, index]);
            exists = self.whole(Op::And, &[exists, runs]);
        }
        if dpp.bound {
            return self.whole(Op::And, &[moved, exists]);
        }
        self.exists = Some(exists);
        moved
    }

    /// A part of a register (SDWA), widened as its modifiers say.
    fn part(&mut self, k: usize, slot: Slot) -> Slot {
        let src = self.src(k);
        let field = if src.mods & mods::SEXT != 0 { Op::FieldS } else { Op::FieldU };
        match src.part {
            n @ 0..=3 => self.field(field, slot, u32::from(n) * 8, 8),
            n @ 4..=5 => self.field(field, slot, u32::from(n - 4) * 16, 16),
            _ => slot,
        }
    }

    /// Source `k` as a word.
    pub(super) fn word(&mut self, k: usize) -> Slot {
        let slot = self.raw(k, Number::Word);
        self.part(k, slot)
    }

    /// Source `k` as a float with its signs.
    pub(super) fn float(&mut self, k: usize) -> Slot {
        let slot = self.word(k);
        self.signed(k, slot, 31)
    }

    /// A float source whose subnormal values are flushed if MODE says so: for what does not
    /// compute with them.
    pub(super) fn read_float(&mut self, k: usize) -> Slot {
        let slot = self.float(k);
        if self.mode.flushes_f32() { self.t(Op::Fcanon, &[slot]) } else { slot }
    }

    /// The same for a half float.
    pub(super) fn read_half(&mut self, k: usize) -> Slot {
        let slot = self.half(k);
        if self.mode.flushes_f16() { self.t(Op::Fcanon, &[slot]) } else { slot }
    }

    fn signed(&mut self, k: usize, mut slot: Slot, sign: u32) -> Slot {
        let changed = self.src(k).mods;
        if changed & mods::ABS != 0 {
            slot = self.ti(Op::And, slot, (1 << sign) - 1);
        }
        if changed & mods::NEG != 0 {
            slot = self.ti(Op::Xor, slot, 1 << sign);
        }
        slot
    }

    /// Source `k` as a half float with its signs: 16 bits, zeros above.
    pub(super) fn half(&mut self, k: usize) -> Slot {
        let slot = self.sixteen(k, Op::FieldU, Number::Half);
        self.signed(k, slot, 15)
    }

    /// Source `k` as a short, widened with zeros (`FieldU`) or its sign (`FieldS`).
    pub(super) fn short(&mut self, k: usize, field: Op) -> Slot {
        self.sixteen(k, field, Number::Short)
    }

    fn sixteen(&mut self, k: usize, field: Op, number: Number) -> Slot {
        let slot = self.raw(k, number);
        if self.src(k).part < 6 {
            return self.part(k, slot);
        }
        let low = if self.i.select >> k & 1 == 1 { 16 } else { 0 };
        self.field(field, slot, low, 16)
    }

    /// Source `k` of a packed operation: the half that `high` selects, as its bits.
    pub(super) fn packed(&mut self, k: usize, high: bool, field: Op, number: Number) -> Slot {
        let slot = self.raw(k, number);
        self.field(field, slot, if high { 16 } else { 0 }, 16)
    }

    /// Source `k` of a mixed operation as a word.
    pub(super) fn mixed_word(&mut self, k: usize) -> Slot {
        let slot = self.raw(k, Number::Word);
        self.signed(k, slot, 31)
    }

    /// The same as a half float.
    pub(super) fn mixed_half(&mut self, k: usize) -> Slot {
        let slot = self.packed(k, self.i.select >> k & 1 == 1, Op::FieldU, Number::Halves);
        self.signed(k, slot, 15)
    }

    /// Source `k` as 64 bits, in two slots.
    pub(super) fn long(&mut self, k: usize) -> Slot {
        self.wide(k, Number::Long)
    }

    /// Source `k` as a double with its signs.
    pub(super) fn double(&mut self, k: usize) -> Slot {
        let slot = self.wide(k, Number::Double);
        if self.src(k).mods & (mods::ABS | mods::NEG) == 0 {
            return slot;
        }
        let both = self.spare(2);
        self.op(Op::Mov, both, &[slot]);
        let high = self.signed(k, slot.at(1), 31);
        self.op(Op::Mov, both.at(1), &[high]);
        both
    }

    fn wide(&mut self, k: usize, number: Number) -> Slot {
        match self.src(k).at {
            At::Vector(n) => self.vectors.at(n),
            At::Scalar(code::NULL) => self.imm64(0),
            At::Scalar(n) if self.is_scalar() => Slot(n),
            At::Scalar(n) => {
                let both = self.spare(2);
                self.op(Op::Broadcast, both, &[Slot(n)]);
                self.op(Op::Broadcast, both.at(1), &[Slot(n + 1)]);
                both
            }
            At::Literal(bits) if number == Number::Double => self.imm64(u64::from(bits) << 32),
            At::Literal(bits) => self.imm64(bits.into()),
            At::Code(code::SPECIAL_VCCZ..=code::SPECIAL_SCC) => {
                let (low, zero, both) = (self.raw(k, number), self.imm(0), self.spare(2));
                self.op(Op::Mov, both, &[low]);
                self.op(Op::Mov, both.at(1), &[zero]);
                both
            }
            At::Code(n) => self.imm64(constant_bits(n, number)),
        }
    }

    /// The truth of a lane by a mask, source `k`; vcc where there is none.
    pub(super) fn mask(&mut self, k: usize) -> Slot {
        let first = match self.src(k).at {
            At::Scalar(n) => Slot(n),
            _ => Slot(code::VCC_LO),
        };
        self.t(Op::MaskToLane, &[first])
    }

    /// The first slot of the vector destination.
    pub(super) fn vdst(&self) -> Slot {
        self.vectors.at(self.i.vdst.map_or(0, |r| r.index))
    }

    /// The first wave slot of the scalar destination.
    pub(super) fn sdst(&self) -> Slot {
        match self.i.sdst.map(|r| r.index) {
            Some(code::NULL) | None => DUMP,
            Some(index) => Slot(index),
        }
    }
}

/// The bits that a small constant stands for (spec section 3.1).
pub(crate) fn constant_bits(code: u16, number: Number) -> u64 {
    match (constant::integer(code), code) {
        // A shift of -1 counts 32 bits of it in all but long operands.
        (Some(n), _) => n as u64,
        (None, 235) => SHARED_BASE,
        (None, 236) => SHARED_BASE | 0xffff_ffff,
        (None, 237) => PRIVATE_BASE,
        (None, 238) => PRIVATE_BASE | 0xffff_ffff,
        _ => constant::float_bits(code, number).unwrap_or(0),
    }
}
