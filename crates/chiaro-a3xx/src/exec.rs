//! What each operation computes, as micro-ops.
//!
//! One match over all operations: those of the ALU and of the special functions write their
//! micro-ops here, of the others it says which part of the machine does them. Full registers
//! hold 32 bits; a half register is a slot with its 16 bits at the bottom and zeros above.
//! Float operations on halves compute in binary16 and round once. spec sections 5 to 12; what
//! nobody knows is an assumption of [`Rules`] or a fault.

mod copy;
mod uops;

use chiaro_sim::{Op as U, Slot};

use crate::isa::Op;
use crate::regs::mods;

pub(crate) use copy::{Conversion, convert};
pub use uops::Rules;
pub(crate) use uops::Uops;

/// One repetition of an instruction, operands in their slots.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Issue {
    /// Where the result goes.
    pub(crate) d: Slot,
    /// Sources before their modifiers; of a varying fetch its value and two slopes, then the
    /// barycentric pair.
    pub(crate) s: [Slot; 5],
    /// Modifiers of the sources ([`mods`]).
    pub(crate) mods: [u16; 3],
    /// Sources are half.
    pub(crate) half: bool,
    /// The destination is half.
    pub(crate) half_result: bool,
    /// The result is clamped to 0..1.
    pub(crate) saturate: bool,
    /// Relation of a comparison, as the word codes it.
    pub(crate) relation: u8,
}

/// Which part of the machine does an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Doer {
    /// The ALU or the special functions: micro-ops have been written.
    Alu,
    /// The sequencer.
    Flow,
    /// Copies and conversions: [`convert`].
    Copy,
    /// The texture unit, derivatives included.
    Texture,
    /// Loads, stores and atomics.
    Memory,
    /// Orders memory or pauses: nothing to do in a machine whose accesses take effect at once.
    Order,
    /// Nobody knows what it does on this machine.
    Unknown,
}

/// Writes the micro-ops of an operation of the ALU; says who does it otherwise.
pub(crate) fn exec(op: Op, i: &Issue, u: &mut Uops) -> Doer {
    use Op::{
        AbsnegF, AbsnegS, AddF, AddS, AddU, BaryF, CeilF, CmpsF, CmpsS, CmpsU, CmpvF, CmpvS, CmpvU, FloorF,
        MadF16, MadF32, MadS16, MadS24, MadU16, MadU24, MadshM16, MaxF, MaxS, MaxU, MinF, MinS, MinU, MulF,
        MulS24, MulU24, MullU, RndazF, RndneF, SelB16, SelB32, SelF16, SelF32, SelS16, SelS32, SignF, SubS,
        SubU, TruncF,
    };
    match op {
        AddF => u.float(i, |u, d, [a, b, _]| u.op(U::Fadd, d, &[a, b])),
        // A NaN loses against a number, as OpenCL has it. [unknown]
        MinF => u.float(i, |u, d, [a, b, _]| u.op(U::FminNumber, d, &[a, b])),
        MaxF => u.float(i, |u, d, [a, b, _]| u.op(U::FmaxNumber, d, &[a, b])),
        MulF => u.float(i, |u, d, [a, b, _]| u.op(U::Fmul, d, &[a, b])),
        SignF => u.float(i, |u, d, [a, ..]| sign(u, d, a)),
        AbsnegF => u.float(i, |u, d, [a, ..]| u.op(U::Mov, d, &[a])),
        FloorF => u.float(i, |u, d, [a, ..]| u.op(U::Ffloor, d, &[a])),
        CeilF => u.float(i, |u, d, [a, ..]| ceil(u, d, a)),
        RndneF => u.float(i, |u, d, [a, ..]| u.op(U::Frint, d, &[a])),
        RndazF => u.float(i, |u, d, [a, ..]| round_away(u, d, a)),
        TruncF => u.float(i, |u, d, [a, ..]| u.op(U::Ftrunc, d, &[a])),
        BaryF => interpolate(i, u),
        MadF16 | MadF32 => u.float(i, |u, d, [a, b, c]| {
            u.op(if u.rules.fused { U::Ffma } else { U::Fmad }, d, &[a, b, c]);
        }),
        SelF16 | SelF32 => u.float(i, |u, d, [a, b, c]| {
            let (zero, truth) = (u.imm(0), u.spare());
            u.op(U::Fle, truth, &[zero, b]);
            u.op(U::Select, d, &[truth, a, c]);
        }),
        CmpsF | CmpvF => compare_floats(i, u, op == CmpvF),

        // Added and subtracted bits are the same with and without sign.
        AddU | AddS => u.integer(i, false, |u, d, [a, b, _]| u.op(U::Add, d, &[a, b])),
        SubU | SubS => u.integer(i, false, |u, d, [a, b, _]| u.op(U::Sub, d, &[a, b])),
        MinU => u.integer(i, false, |u, d, [a, b, _]| u.op(U::MinU, d, &[a, b])),
        MaxU => u.integer(i, false, |u, d, [a, b, _]| u.op(U::MaxU, d, &[a, b])),
        MinS => u.integer(i, true, |u, d, [a, b, _]| u.op(U::MinS, d, &[a, b])),
        MaxS => u.integer(i, true, |u, d, [a, b, _]| u.op(U::MaxS, d, &[a, b])),
        AbsnegS => u.integer(i, true, |u, d, [a, ..]| u.op(U::Mov, d, &[a])),
        CmpsU | CmpvU => compare_integers(i, u, false, op == CmpvU),
        CmpsS | CmpvS => compare_integers(i, u, true, op == CmpvS),
        MulU24 => u.wide(i, |u, d, [a, b, _]| {
            let [a, b] = [a, b].map(|s| u.field(U::FieldU, s, 24));
            u.op(U::Mul, d, &[a, b]);
        }),
        MulS24 => u.wide(i, |u, d, [a, b, _]| {
            let [a, b] = [a, b].map(|s| u.field(U::FieldS, s, 24));
            u.op(U::Mul, d, &[a, b]);
        }),
        MullU => u.wide(i, |u, d, [a, b, _]| {
            let [a, b] = [a, b].map(|s| u.field(U::FieldU, s, 16));
            u.op(U::Mul, d, &[a, b]);
        }),
        MadU24 => u.wide(i, |u, d, [a, b, c]| {
            let [a, b] = [a, b].map(|s| u.field(U::FieldU, s, 24));
            product_plus(u, d, [a, b, c]);
        }),
        MadS24 => u.wide(i, |u, d, [a, b, c]| {
            let [a, b] = [a, b].map(|s| u.field(U::FieldS, s, 24));
            product_plus(u, d, [a, b, c]);
        }),
        MadU16 | MadS16 => u.integer(i, op == MadS16, product_plus),
        MadshM16 => u.wide(i, |u, d, [a, b, c]| {
            // The first one's low half, the second one's high half: spec section 8 has it the other
            // way round, with which Mesa's products by small constants would be wrong.
            let (sixteen, high, low) = (u.imm(16), u.spare(), u.field(U::FieldU, a, 16));
            u.op(U::Shr, high, &[b, sixteen]);
            u.op(U::Mul, high, &[high, low]);
            u.op(U::Shl, high, &[high, sixteen]);
            u.op(U::Add, d, &[high, c]);
        }),
        SelB16 | SelB32 => u.integer(i, false, |u, d, [a, b, c]| u.op(U::Select, d, &[b, a, c])),
        SelS16 | SelS32 => u.integer(i, true, |u, d, [a, b, c]| {
            let (zero, negative) = (u.imm(0), u.spare());
            u.op(U::LtS, negative, &[b, zero]);
            u.op(U::Select, d, &[negative, c, a]);
        }),
        other => return patterns(other, i, u),
    }
    Doer::Alu
}

/// Operations on bits, and special functions.
fn patterns(op: Op, i: &Issue, u: &mut Uops) -> Doer {
    use Op::{
        AndB, AshrB, BfrevB, CbitsB, ClzB, ClzS, Cos, Exp2, Log2, NotB, OrB, Rcp, Rsq, ShlB, ShrB, Sin, Sqrt,
        XorB,
    };
    match op {
        AndB => u.bits(i, |u, d, [a, b, _]| u.op(U::And, d, &[a, b])),
        OrB => u.bits(i, |u, d, [a, b, _]| u.op(U::Or, d, &[a, b])),
        XorB => u.bits(i, |u, d, [a, b, _]| u.op(U::Xor, d, &[a, b])),
        NotB => u.bits(i, |u, d, [a, ..]| u.op(U::Not, d, &[a])),
        ShlB => u.bits(i, |u, d, [a, b, _]| u.op(U::Shl, d, &[a, b])),
        ShrB => u.bits(i, |u, d, [a, b, _]| u.op(U::Shr, d, &[a, b])),
        AshrB => u.bits(i, |u, d, [a, b, _]| {
            let a = if i.half { u.field(U::FieldS, a, 16) } else { a };
            u.op(U::Sar, d, &[a, b]);
        }),
        BfrevB => u.bits(i, |u, d, [a, ..]| {
            u.op(U::Reverse, d, &[a]);
            drop_bits(i, u, d, U::Shr);
        }),
        ClzB => u.bits(i, |u, d, [a, ..]| leading_zeros(i, u, d, a)),
        ClzS => u.integer(i, true, |u, d, [a, ..]| {
            // Ones count in a negative number. [unknown]
            let (top, same) = (u.imm(31), u.spare());
            u.op(U::Sar, same, &[a, top]);
            u.op(U::Xor, same, &[same, a]);
            leading_zeros(i, u, d, same);
        }),
        CbitsB => u.bits(i, |u, d, [a, ..]| u.op(U::Count, d, &[a])),

        Rcp => u.float(i, |u, d, [a, ..]| u.op(U::Frcp, d, &[a])),
        Rsq => u.float(i, |u, d, [a, ..]| u.op(U::Frsq, d, &[a])),
        Log2 => u.float(i, |u, d, [a, ..]| u.op(U::Flog2, d, &[a])),
        Exp2 => u.float(i, |u, d, [a, ..]| u.op(U::Fexp2, d, &[a])),
        Sin => u.float(i, |u, d, [a, ..]| u.op(U::FsinRadians, d, &[a])),
        Cos => u.float(i, |u, d, [a, ..]| u.op(U::FcosRadians, d, &[a])),
        Sqrt => u.float(i, |u, d, [a, ..]| u.op(U::Fsqrt, d, &[a])),
        other => return elsewhere(other),
    }
    Doer::Alu
}

/// Who does what the ALU does not.
fn elsewhere(op: Op) -> Doer {
    use Op::{
        AtomicAdd, AtomicAnd, AtomicCmpxchg, AtomicDec, AtomicInc, AtomicMax, AtomicMin, AtomicOr,
        AtomicSAdd, AtomicSAnd, AtomicSCmpxchg, AtomicSDec, AtomicSInc, AtomicSMax, AtomicSMin, AtomicSOr,
        AtomicSSub, AtomicSXchg, AtomicSXor, AtomicSub, AtomicXchg, AtomicXor, Bar, Br, Call, Cov, Dsx, Dsy,
        End, Fence, Gather4a, Gather4b, Gather4g, Gather4r, Getinfo, Getlod, Getsize, Isam, Isaml, Isamm,
        Jump, Kill, Ldg, Ldgb, Ldl, Ldlv, Ldlw, Ldp, Mov, Mova, Nop, Resinfo, Ret, Sam, Samb, Samgq, Saml,
        Stg, Stgb, Stl, Stlw, Stp,
    };
    match op {
        Nop | Br | Jump | Call | Ret | Kill | End | Bar => Doer::Flow,
        Mov | Cov | Mova => Doer::Copy,
        Isam | Isaml | Isamm | Sam | Samb | Saml | Samgq | Getlod | Getsize | Getinfo | Dsx | Dsy
        | Gather4r | Gather4g | Gather4b | Gather4a => Doer::Texture,
        Ldg | Ldl | Ldp | Ldlw | Ldlv | Stg | Stl | Stp | Stlw | Ldgb | Stgb | Resinfo => Doer::Memory,
        AtomicAdd | AtomicSub | AtomicXchg | AtomicInc | AtomicDec | AtomicCmpxchg | AtomicMin
        | AtomicMax | AtomicAnd | AtomicOr | AtomicXor | AtomicSAdd | AtomicSSub | AtomicSXchg
        | AtomicSInc | AtomicSDec | AtomicSCmpxchg | AtomicSMin | AtomicSMax | AtomicSAnd | AtomicSOr
        | AtomicSXor => Doer::Memory,
        Fence => Doer::Order,
        // Encodings without a known meaning on this machine, and what later machines have.
        _ => Doer::Unknown,
    }
}

/// P0 + i (P1 - P0) + j (P2 - P0). spec section 20.2
/// What does not change over the triangle keeps its bits: state that a program does not see tells the machine that a
/// varying is flat, and then it may be an integer. spec section 20
fn interpolate(i: &Issue, u: &mut Uops) {
    let [value, across, along, first, second] = i.s;
    let plain = Issue { half: false, mods: [0; 3], ..*i };
    u.float(&plain, |u, d, _| {
        let (sum, slopes) = (u.spare(), u.spare());
        u.op(U::Fmad, sum, &[first, across, value]);
        u.op(U::Fmad, sum, &[second, along, sum]);
        u.op(U::Or, slopes, &[across, along]);
        u.op(U::Select, d, &[slopes, sum, value]);
    });
}

fn sign(u: &mut Uops, d: Slot, a: Slot) {
    let (zero, one, minus) = (u.imm(0), u.number(1.0), u.number(-1.0));
    let (positive, negative) = (u.spare(), u.spare());
    u.op(U::Flt, positive, &[zero, a]);
    u.op(U::Flt, negative, &[a, zero]);
    u.op(U::And, positive, &[positive, one]);
    u.op(U::Select, d, &[negative, minus, positive]);
}

fn ceil(u: &mut Uops, d: Slot, a: Slot) {
    u.op(U::Fneg, d, &[a]);
    u.op(U::Ffloor, d, &[d]);
    u.op(U::Fneg, d, &[d]);
}

/// To the nearest, ties away from zero: the part behind the point is exact.
fn round_away(u: &mut Uops, d: Slot, a: Slot) {
    let (half, one, sign) = (u.number(0.5), u.number(1.0), u.number(-0.0));
    let (whole, rest, next) = (u.spare(), u.spare(), u.spare());
    u.op(U::Ftrunc, whole, &[a]);
    u.op(U::Fneg, rest, &[whole]);
    u.op(U::Fadd, rest, &[rest, a]);
    u.op(U::And, next, &[a, sign]);
    u.op(U::Xor, rest, &[rest, next]);
    u.op(U::Or, next, &[next, one]);
    u.op(U::Fadd, next, &[next, whole]);
    u.op(U::Fle, rest, &[half, rest]);
    u.op(U::Select, d, &[rest, next, whole]);
}

fn product_plus(u: &mut Uops, d: Slot, [a, b, c]: [Slot; 3]) {
    let product = u.spare();
    u.op(U::Mul, product, &[a, b]);
    u.op(U::Add, d, &[product, c]);
}

/// Leading zeros of 16 or 32 bits; as many as there are bits for zero.
fn leading_zeros(i: &Issue, u: &mut Uops, d: Slot, a: Slot) {
    u.op(U::LeadingZeros, d, &[a]);
    drop_bits(i, u, d, U::Sub);
}

/// Takes off what the upper half of a slot adds to an operation on halves.
fn drop_bits(i: &Issue, u: &mut Uops, d: Slot, how: U) {
    if i.half {
        let sixteen = u.imm(16);
        u.op(how, d, &[d, sixteen]);
    }
}

/// Relations by code: less, less or equal, greater, greater or equal, equal, not equal.
fn compare_floats(i: &Issue, u: &mut Uops, vector: bool) {
    let [a, b, _] = u.float_sources(i);
    let truth = u.spare();
    match i.relation {
        0 => u.op(U::Flt, truth, &[a, b]),
        1 => u.op(U::Fle, truth, &[a, b]),
        2 => u.op(U::Flt, truth, &[b, a]),
        3 => u.op(U::Fle, truth, &[b, a]),
        _ => u.op(U::Feq, truth, &[a, b]),
    }
    truth_to(i, u, truth, i.relation == 5, vector);
}

fn compare_integers(i: &Issue, u: &mut Uops, signed: bool, vector: bool) {
    let [a, b, _] = u.integer_sources(i, signed);
    let (truth, less) = (u.spare(), if signed { U::LtS } else { U::LtU });
    match i.relation {
        0 | 3 => u.op(less, truth, &[a, b]),
        1 | 2 => u.op(less, truth, &[b, a]),
        _ => u.op(U::Eq, truth, &[a, b]),
    }
    truth_to(i, u, truth, matches!(i.relation, 1 | 3 | 5), vector);
}

/// A truth of all ones, inverted or not, as 1 and 0; as all ones and 0 in the vector form.
fn truth_to(i: &Issue, u: &mut Uops, truth: Slot, inverted: bool, vector: bool) {
    let ones = match (vector, i.half_result) {
        (false, _) => 1,
        (true, true) => 0xffff,
        (true, false) => u32::MAX,
    };
    if inverted {
        u.op(U::Not, truth, &[truth]);
    }
    let ones = u.imm(ones);
    u.op(U::And, i.d, &[truth, ones]);
}

impl Issue {
    /// Whether a source is negated or complemented.
    fn negated(&self, k: usize) -> bool {
        self.mods[k] & mods::NEG != 0
    }

    fn absolute(&self, k: usize) -> bool {
        self.mods[k] & mods::ABS != 0
    }
}
