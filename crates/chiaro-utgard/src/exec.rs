//! What the units compute, as micro-ops.
//!
//! The steps of a function are modelled as one: first approximations, complex2 and preexp2 hand
//! their operand on, and complex1 computes the function of its last operand; what the single
//! steps do nobody knows. spec sections 5, 7 and 18.

use chiaro_sim::{Code, Op, Slot};

/// 1.0.
pub(crate) const ONE: u32 = 0x3f80_0000;

/// Sum, and the other operations of the adders, by opcode; operand signs are applied already.
/// `None` for an opcode that nobody knows.
pub(crate) fn adder(op: u32, d: Slot, a: Slot, b: Slot, consts: &Constants, code: &mut Code) -> Option<()> {
    match op {
        0 => code.each(Op::Fadd, &[d], &[&[a], &[b]]),
        1 => code.each(Op::Ffloor, &[d], &[&[a]]),
        2 => sign(d, a, consts, code),
        4 => truth(Op::Fle, d, b, a, consts, code),
        5 => truth(Op::Flt, d, a, b, consts, code),
        6 => code.each(Op::FminNumber, &[d], &[&[a], &[b]]),
        7 => code.each(Op::FmaxNumber, &[d], &[&[a], &[b]]),
        _ => return None,
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

/// The function that the complex unit's opcode begins, of its argument.
pub(crate) fn function(op: u32, d: Slot, x: Slot, code: &mut Code) -> Option<()> {
    let op = match op {
        2 => Op::Fexp2,
        3 => Op::Flog2,
        4 => Op::Frsq,
        5 => Op::Frcp,
        _ => return None,
    };
    code.each(op, &[d], &[&[x]]);
    Some(())
}

/// Between two limits.
pub(crate) fn clamp(d: Slot, a: Slot, [low, high]: [Slot; 2], code: &mut Code) {
    code.each(Op::FmaxNumber, &[d], &[&[a], &[low]]);
    code.each(Op::FminNumber, &[d], &[&[d], &[high]]);
}
