//! The mask stack (spec 6.2) and ballots (spec 7.1).

use chiaro_isa::Reg;
use chiaro_sim::{Op, Scope, Slot};

use super::{Doer, Operands, Uops, float, integer};
use crate::isa::control::Control;
use crate::isa::simd::Simd;
use crate::regs::{file, size};

/// The nesting counter.
const R0L: Reg =
    Reg { file: file::GPR, size: size::HALF, more: 0, indexed: 0, index: 0, mods: 0, swizzle: 0 };

/// What steers: the mask by micro-ops, places by the machine.
pub(super) fn control(op: Control, i: &Operands<'_>, u: &mut Uops) -> Doer {
    use Control as C;
    match op {
        C::IfIcmp | C::ElseIcmp | C::WhileIcmp => nest(op, i, u, integer::compared),
        C::IfFcmp | C::ElseFcmp | C::WhileFcmp => nest(op, i, u, float::compared),
        C::PushExec | C::UpdateExec | C::ElseExec => always(op, i, u),
        C::PopExec => {
            u.code.scope = Scope::Whole;
            let (v, n) = (u.bits(R0L), i.number("n") as u32);
            let left = u.op_imm(Op::SubSatU, v, n);
            u.put(R0L, left);
            Doer::Mask
        }
        C::JmpExecAny | C::JmpExecNone | C::Call | C::Ret | C::Stop | C::Trap | C::JmpIfSkippingDoorbell => {
            Doer::Flow
        }
        C::Doorbell => Doer::Nothing,
        C::PopExec2
        | C::JmpIncomplete
        | C::Unk30c0
        | C::Unk40c0
        | C::UnkC0000000
        | C::UnkE800
        | C::Unk0c00 => Doer::Unknown,
    }
}

type Compare = fn(i64, Reg, Reg, &mut Uops) -> Option<Slot>;

/// A level of nesting whose condition compares.
fn nest(op: Control, i: &Operands<'_>, u: &mut Uops, compare: Compare) -> Doer {
    let (Some(a), Some(b)) = (i.reg("A"), i.reg("B")) else { return Doer::Unknown };
    // Every lane takes part, active or not.
    u.code.scope = Scope::Whole;
    let Some(truth) = compare(i.number("cc"), a, b, u) else { return Doer::Unknown };
    changed(op, truth, i.number("n") as u32, u)
}

/// The same with a condition that always holds.
fn always(op: Control, i: &Operands<'_>, u: &mut Uops) -> Doer {
    u.code.scope = Scope::Whole;
    let truth = u.imm(u32::MAX);
    changed(op, truth, i.number("n") as u32, u)
}

fn changed(op: Control, truth: Slot, n: u32, u: &mut Uops) -> Doer {
    use Control as C;
    let (v, zero, one) = (u.bits(R0L), u.imm(0), u.imm(1));
    let inactive_unless = u.select(truth, zero, one);
    let result = match op {
        C::IfIcmp | C::IfFcmp | C::PushExec | C::UpdateExec => {
            let deeper = u.op_imm(Op::Add, v, n);
            u.select(v, deeper, inactive_unless)
        }
        C::ElseIcmp | C::ElseFcmp | C::ElseExec => {
            let (n, is_one) = (u.imm(n), u.op_imm(Op::Eq, v, 1));
            let other = u.select(is_one, inactive_unless, v);
            u.select(v, other, n)
        }
        _ => {
            let below = u.op_imm(Op::LtU, v, n);
            let n = u.imm(n);
            let again = u.select(truth, zero, n);
            u.select(below, again, v)
        }
    };
    u.put(R0L, result);
    Doer::Mask
}

/// Ballots are micro-ops; what goes across lanes otherwise is the machine's.
pub(super) fn simd(op: Simd, i: &Operands<'_>, u: &mut Uops) -> Doer {
    use Simd as S;
    let compare: Compare = match op {
        S::IcmpBallot | S::IcmpQuadBallot => integer::compared,
        S::FcmpBallot | S::FcmpQuadBallot => float::compared,
        S::SimdShufOp => return Doer::Unknown,
        _ => return Doer::Cross,
    };
    let (Some(d), Some(a), Some(b)) = (i.reg("D"), i.reg("A"), i.reg("B")) else { return Doer::Unknown };
    let Some(truth) = compare(i.number("cc"), a, b, u) else { return Doer::Unknown };
    let whole = Slot(0);
    u.code.each(Op::Ballot, &[whole], &[&[truth]]);
    let mask = u.op(Op::Broadcast, &[whole]);
    let result = match op {
        S::IcmpBallot | S::FcmpBallot => mask,
        // What stands above the four bits of the quad is for the program to cut off.
        _ => {
            let lane = u.op(Op::LaneId, &[]);
            let first = u.op_imm(Op::And, lane, 28);
            u.op(Op::Shr, &[mask, first])
        }
    };
    u.put(d, result);
    Doer::Lanes
}
