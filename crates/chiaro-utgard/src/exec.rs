//! What the units compute, as micro-ops.
//!
//! The steps of a function are modelled as one: first approximations, complex2 and preexp2 hand
//! their operand on, and complex1 computes the function of its last operand; what the single
//! steps do nobody knows. spec sections 5, 7 and 18.

use chiaro_sim::{Code, Op, Slot};

use crate::isa::{Add0, Complex, Mul0, Pass};

/// 1.0.
pub(crate) const ONE: u32 = 0x3f80_0000;

/// Sum, and the other operations of the adders; operand signs are applied already. `None` for
/// what nobody knows.
pub(crate) fn adder(op: Add0, d: Slot, a: Slot, b: Slot, consts: &Constants, code: &mut Code) -> Option<()> {
    match op {
        Add0::Add => code.each(Op::Fadd, &[d], &[&[a], &[b]]),
        Add0::Floor => code.each(Op::Ffloor, &[d], &[&[a]]),
        Add0::Sign => sign(d, a, consts, code),
        Add0::Ge => truth(Op::Fle, d, b, a, consts, code),
        Add0::Lt => truth(Op::Flt, d, a, b, consts, code),
        Add0::Min => code.each(Op::FminNumber, &[d], &[&[a], &[b]]),
        Add0::Max => code.each(Op::FmaxNumber, &[d], &[&[a], &[b]]),
        Add0::Idle | Add0::Op3 => return None,
    }
    Some(())
}

/// Slots that hold constants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constants {
    /// 0.0.
    pub(crate) zero: Slot,
    /// 1.0.
    pub(crate) one: Slot,
    /// A spare one.
    pub(crate) spare: Slot,
}

/// A comparison as 1.0 or 0.0.
fn truth(op: Op, d: Slot, a: Slot, b: Slot, consts: &Constants, code: &mut Code) {
    code.each(op, &[d], &[&[a], &[b]]);
    code.each(Op::And, &[d], &[&[d], &[consts.one]]);
}

/// (0 < a) - (a < 0).
fn sign(d: Slot, a: Slot, consts: &Constants, code: &mut Code) {
    truth(Op::Flt, consts.spare, a, consts.zero, consts, code);
    code.each(Op::Fneg, &[consts.spare], &[&[consts.spare]]);
    truth(Op::Flt, d, consts.zero, a, consts, code);
    code.each(Op::Fadd, &[d], &[&[d], &[consts.spare]]);
}

/// c where b is not equal to zero, else a; NaN counts as true. [unknown]
pub(crate) fn select(d: Slot, [a, b, c]: [Slot; 3], consts: &Constants, code: &mut Code) {
    code.each(Op::Feq, &[consts.spare], &[&[b], &[consts.zero]]);
    code.each(Op::Select, &[d], &[&[consts.spare], &[a], &[c]]);
}

/// What the complex unit does with its operand.
pub(crate) enum ComplexStep {
    /// Hands it on: a move, or the first step of this function, which complex1 computes.
    Forward(Option<Op>),
    /// Sets an address register, 0 to 3.
    Address(u8),
    /// Nothing.
    Nothing,
    /// Nobody knows.
    Unknown,
}

/// The meaning of the complex unit's operations. `addr01` sets two registers from the pass unit's
/// result [ISA notes], which no compiler uses and nobody has tried.
pub(crate) fn complex(op: Complex) -> ComplexStep {
    match op {
        Complex::Exp2 => ComplexStep::Forward(Some(Op::Fexp2)),
        Complex::Log2 => ComplexStep::Forward(Some(Op::Flog2)),
        Complex::Rsqrt => ComplexStep::Forward(Some(Op::Frsq)),
        Complex::Rcp => ComplexStep::Forward(Some(Op::Frcp)),
        Complex::Mov => ComplexStep::Forward(None),
        Complex::Addr0 => ComplexStep::Address(0),
        Complex::Addr1 => ComplexStep::Address(1),
        Complex::Addr2 => ComplexStep::Address(2),
        Complex::Addr3 => ComplexStep::Address(3),
        Complex::Idle | Complex::Nop => ComplexStep::Nothing,
        Complex::Addr01 | Complex::Op1 | Complex::Op6 | Complex::Op7 | Complex::Op8 | Complex::Op11 => {
            ComplexStep::Unknown
        }
    }
}

/// What the multipliers do, operands apart.
pub(crate) enum Product {
    /// Each multiplies.
    Each,
    /// Multiplier 0 hands its operand on, multiplier 1 multiplies.
    Second,
    /// Both compute the function that the instruction before began.
    Last,
    /// Both choose between two values.
    Choice,
    /// Nobody knows.
    Unknown,
}

/// The meaning of the operations of the pair of multipliers.
pub(crate) fn multiplier(op: Mul0) -> Product {
    match op {
        Mul0::Idle | Mul0::Mul => Product::Each,
        Mul0::Complex2 => Product::Second,
        Mul0::Complex1 => Product::Last,
        Mul0::Select => Product::Choice,
        Mul0::Op2 | Mul0::Op5 | Mul0::Op6 | Mul0::Op7 => Product::Unknown,
    }
}

/// Whether the pass unit clamps its operand or hands it on; `None` for what nobody knows.
pub(crate) fn clamps(op: Pass) -> Option<bool> {
    match op {
        Pass::Idle | Pass::Mov | Pass::Preexp2 | Pass::Postlog2 => Some(false),
        Pass::Clamp => Some(true),
        Pass::Op0 | Pass::Op1 | Pass::Op3 | Pass::Op7 => None,
    }
}

/// Between two limits.
pub(crate) fn clamp(d: Slot, a: Slot, [low, high]: [Slot; 2], code: &mut Code) {
    code.each(Op::FmaxNumber, &[d], &[&[a], &[low]]);
    code.each(Op::FminNumber, &[d], &[&[d], &[high]]);
}
