//! Writing micro-ops: constants, spare slots, sources with their signs, results of both sizes.

use chiaro_num::{Encoding, F16, Overflow, Rounding, Tiny};
use chiaro_sim::{Code, Denormals, FloatEnv, Op, Slot, Storage};

use super::Issue;
use crate::operand::half_bits;

/// How the machine computes where public sources say nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rules {
    /// `mad` rounds once.
    pub fused: bool,
    /// Subnormal floats count as zero.
    pub flush: bool,
    /// Integers become floats to nearest, not toward zero.
    pub nearest: bool,
}

/// Micro-ops under construction.
#[derive(Clone, Debug)]
pub(crate) struct Uops {
    pub(crate) code: Code,
    pub(crate) rules: Rules,
    /// Slots with constants, to be filled before a run.
    pub(crate) constants: Vec<(Slot, u32)>,
    spares: Slot,
    used: u16,
    half: bool,
}

/// Spare slots of one instruction: as many as the longest one takes.
const SPARES: u16 = 24;

impl Uops {
    pub(crate) fn new(rules: Rules) -> Uops {
        let mut code = Code::new(FloatEnv::IEEE);
        let spares = code.slots(SPARES);
        Uops { code, rules, constants: Vec::new(), spares, used: 0, half: false }
    }

    /// Forgets the spare slots of the instruction before.
    pub(crate) fn begin(&mut self) {
        self.used = 0;
    }

    /// A spare slot of this instruction.
    pub(crate) fn spare(&mut self) -> Slot {
        debug_assert!(self.used < SPARES, "an instruction takes more spare slots than there are");
        self.used += 1;
        self.spares.at(self.used - 1)
    }

    /// The slot of a constant.
    pub(crate) fn imm(&mut self, bits: u32) -> Slot {
        if let Some((slot, _)) = self.constants.iter().find(|(_, known)| *known == bits) {
            return *slot;
        }
        let slot = self.code.slots(1);
        self.constants.push((slot, bits));
        slot
    }

    /// A float constant in the arithmetic that is on.
    pub(crate) fn number(&mut self, value: f32) -> Slot {
        let bits = if self.half { half_bits(value.into()) } else { value.to_bits() };
        self.imm(bits)
    }

    /// An operation on single slots.
    pub(crate) fn op(&mut self, op: Op, d: Slot, operands: &[Slot]) {
        let mut lists = [[Slot::default(); 1]; 3];
        for (list, slot) in lists.iter_mut().zip(operands) {
            list[0] = *slot;
        }
        let lists = [&lists[0][..], &lists[1][..], &lists[2][..]];
        self.code.each(op, &[d], &lists[..operands.len().min(3)]);
    }

    /// The low bits of a slot, with zeros or the sign above.
    pub(crate) fn field(&mut self, op: Op, a: Slot, width: u32) -> Slot {
        let (zero, width, d) = (self.imm(0), self.imm(width), self.spare());
        self.op(op, d, &[a, zero, width]);
        d
    }

    /// Turns to the arithmetic of halves, or of full registers.
    pub(crate) fn arithmetic(&mut self, half: bool) {
        self.half = half;
        self.code.set_env(environment(half, self.rules.flush, Rounding::NearestEven));
    }

    /// A float operation: sources with their signs, the clamp, the destination's size. The
    /// result of sources of another size is converted afterwards. [assumed, spec section 4.5]
    pub(crate) fn float(&mut self, i: &Issue, write: impl FnOnce(&mut Uops, Slot, [Slot; 3])) {
        let sources = self.float_sources(i);
        let converted = i.half != i.half_result;
        // A result of several steps may not overwrite a source that a later step reads.
        let d = self.spare();
        let start = self.code.uops.len();
        write(self, d, sources);
        let alone = self.code.uops.len() == start + 1 && !converted && !i.saturate;
        if alone && let Some(last) = self.code.uops.last_mut() {
            last.d[0] = i.d;
            return;
        }
        if i.saturate {
            let (zero, one) = (self.imm(0), self.number(1.0));
            self.op(Op::FmaxNumber, d, &[d, zero]);
            self.op(Op::FminNumber, d, &[d, one]);
        }
        match (i.half, i.half_result) {
            (true, false) => self.op(Op::Funpack, i.d, &[d]),
            (false, true) => {
                self.arithmetic(true);
                self.op(Op::Fpack, i.d, &[d]);
            }
            _ => self.op(Op::Mov, i.d, &[d]),
        }
    }

    /// Float sources with their signs; turns to the arithmetic of their size.
    pub(crate) fn float_sources(&mut self, i: &Issue) -> [Slot; 3] {
        self.arithmetic(i.half);
        let sign = if i.half { 1 << 15 } else { 1 << 31 };
        std::array::from_fn(|k| {
            let mut s = i.s[k];
            if i.absolute(k) {
                let (rest, d) = (self.imm(sign - 1), self.spare());
                self.op(Op::And, d, &[s, rest]);
                s = d;
            }
            if i.negated(k) {
                let (sign, d) = (self.imm(sign), self.spare());
                self.op(Op::Xor, d, &[s, sign]);
                s = d;
            }
            s
        })
    }

    /// An integer operation of the sources' size.
    pub(crate) fn integer(
        &mut self,
        i: &Issue,
        signed: bool,
        write: impl FnOnce(&mut Uops, Slot, [Slot; 3]),
    ) {
        let sources = self.integer_sources(i, signed);
        self.result(i, |u, d| write(u, d, sources));
    }

    /// An integer operation of 32 bits, whatever the size of its sources.
    pub(crate) fn wide(&mut self, i: &Issue, write: impl FnOnce(&mut Uops, Slot, [Slot; 3])) {
        self.integer(i, false, write);
    }

    /// Integer sources: halves widened, then absolute, then negative.
    pub(crate) fn integer_sources(&mut self, i: &Issue, signed: bool) -> [Slot; 3] {
        std::array::from_fn(|k| {
            let mut s = i.s[k];
            // Slots beside the sources stand for nothing.
            if i.half && signed && s != Slot::default() {
                s = self.field(Op::FieldS, s, 16);
            }
            let zero = self.imm(0);
            if i.absolute(k) {
                let d = self.spare();
                self.op(Op::Sub, d, &[zero, s]);
                self.op(Op::MaxS, d, &[d, s]);
                s = d;
            }
            if i.negated(k) {
                let d = self.spare();
                self.op(Op::Sub, d, &[zero, s]);
                s = d;
            }
            s
        })
    }

    /// An operation on bits, of which (neg) is the complement.
    pub(crate) fn bits(&mut self, i: &Issue, write: impl FnOnce(&mut Uops, Slot, [Slot; 3])) {
        let sources = std::array::from_fn(|k| {
            if !i.negated(k) {
                return i.s[k];
            }
            let (ones, d) = (self.imm(if i.half { 0xffff } else { u32::MAX }), self.spare());
            self.op(Op::Xor, d, &[i.s[k], ones]);
            d
        });
        self.result(i, |u, d| write(u, d, sources));
    }

    /// An integer result, of which a half register keeps the low bits.
    fn result(&mut self, i: &Issue, write: impl FnOnce(&mut Uops, Slot)) {
        let d = self.spare();
        let start = self.code.uops.len();
        write(self, d);
        if i.half_result {
            let low = self.imm(0xffff);
            self.op(Op::And, i.d, &[d, low]);
        } else if self.code.uops.len() == start + 1 {
            if let Some(last) = self.code.uops.last_mut() {
                last.d[0] = i.d;
            }
        } else {
            self.op(Op::Mov, i.d, &[d]);
        }
    }
}

/// binary16 or binary32 with a rounding.
pub(crate) fn environment(half: bool, flush: bool, rounding: Rounding) -> FloatEnv {
    let tiny = if flush { Tiny::FlushAfter } else { Tiny::Keep };
    let denormals = if flush { Denormals::Flush } else { Denormals::Keep };
    let encoding = Encoding { rounding, tiny, overflow: Overflow::Directed };
    let full = FloatEnv { encoding, denormals, ..FloatEnv::IEEE };
    if half { FloatEnv { format: F16, storage: Storage::Raw, ..full } } else { full }
}
