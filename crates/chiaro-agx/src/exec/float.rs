//! Floats (spec 5, 6.1).

use chiaro_isa::Reg;
use chiaro_sim::{Op, Slot};

use super::{Doer, Operands, Uops};
use crate::isa::float::Float;

/// A float operation.
pub(super) fn float(op: Float, i: &Operands<'_>, u: &mut Uops) -> Doer {
    use Float as F;
    let (Some(d), Some(a)) = (i.reg("D"), i.reg("A")) else { return Doer::Unknown };
    let result = match op {
        F::Fadd32 | F::Fmul32 | F::Fmadd32 => {
            let sources = sources(i, u, Uops::float);
            arithmetic(op, &sources, u, Uops::single)
        }
        F::Fadd16 | F::Fmul16 | F::Fmadd16 => {
            let sources = sources(i, u, Uops::half_float);
            let result = arithmetic(op, &sources, u, Uops::half);
            u.put_half(d, result, i.flag("S"));
            return Doer::Lanes;
        }
        F::Fcmpsel => return select(i, d, a, u),
        F::Funop => return Doer::Unknown,
        F::Dfdx | F::Dfdy => {
            let value = u.float(a);
            derivative(value, if op == F::Dfdx { 1 } else { 2 }, u)
        }
        _ => {
            let value = u.float(a);
            function(op, value, u)
        }
    };
    u.put_float(d, result, i.flag("S"));
    Doer::Lanes
}

fn sources(i: &Operands<'_>, u: &mut Uops, read: fn(&mut Uops, Reg) -> Slot) -> Vec<Slot> {
    ["A", "B", "C"].into_iter().filter_map(|name| i.reg(name)).map(|r| read(u, r)).collect()
}

/// Sum, product, or both, in one of two formats.
fn arithmetic(op: Float, s: &[Slot], u: &mut Uops, run: fn(&mut Uops, Op, &[Slot]) -> Slot) -> Slot {
    match op {
        Float::Fadd32 | Float::Fadd16 => run(u, Op::Fadd, s),
        Float::Fmul32 | Float::Fmul16 if u.choices.positive_zero => {
            let zero = u.imm(0);
            run(u, Op::Ffma, &[s[0], s[1], zero])
        }
        Float::Fmul32 | Float::Fmul16 => run(u, Op::Fmul, s),
        _ => run(u, Op::Ffma, s),
    }
}

/// Functions of one source. What is not exact follows the engine's functions, correctly rounded but for
/// rare cases: no source says how the machine differs (spec 21), so that bits can be taken from it.
fn function(op: Float, x: Slot, u: &mut Uops) -> Slot {
    use Float as F;
    let simple = match op {
        F::Floor => Op::Ffloor,
        F::Trunc => Op::Ftrunc,
        F::Rint => Op::Frint,
        F::Rcp => Op::Frcp,
        F::Rsqrt => Op::Frsq,
        F::Log2 => Op::Flog2,
        F::Exp2 => Op::Fexp2,
        F::Ceil => {
            let turned = u.single(Op::Fneg, &[x]);
            let down = u.single(Op::Ffloor, &[turned]);
            return u.single(Op::Fneg, &[down]);
        }
        F::RsqrtSpecial => return rsqrt_special(x, u),
        F::SinPt1 => return quadrant(x, u),
        _ => return sine_over(x, u),
    };
    let result = u.single(simple, &[x]);
    match op {
        F::Rcp | F::Rsqrt | F::Log2 | F::Exp2 => estimated(result, u),
        _ => result,
    }
}

/// What is left of a function's mantissa where it gets fewer bits right.
fn estimated(x: Slot, u: &mut Uops) -> Slot {
    match u.choices.lost_bits {
        0 => x,
        bits => u.op_imm(Op::And, x, u32::MAX << bits),
    }
}

/// 1 / sqrt(x) such that x times it is sqrt(x): 0 for zeros, 1 for infinity.
fn rsqrt_special(x: Slot, u: &mut Uops) -> Slot {
    let (zero, one, infinity) = (u.imm(0), u.imm(1f32.to_bits()), u.imm(f32::INFINITY.to_bits()));
    let flushed = flushed(x, u);
    let (is_zero, is_infinite) =
        (u.single(Op::Feq, &[flushed, zero]), u.single(Op::Feq, &[flushed, infinity]));
    let root = u.single(Op::Frsq, &[x]);
    let root = estimated(root, u);
    let root = u.select(is_infinite, one, root);
    u.select(is_zero, zero, root)
}

/// A place of four quarter turns to the one of -1 to 1 with the same sine.
fn quadrant(q: Slot, u: &mut Uops) -> Slot {
    let [one, two, three, four] = [1f32, 2.0, 3.0, 4.0].map(|x| u.imm(x.to_bits()));
    let turned = u.single(Op::Fneg, &[q]);
    let falling = u.single(Op::Fadd, &[two, turned]);
    let minus = u.single(Op::Fneg, &[four]);
    let rising = u.single(Op::Fadd, &[q, minus]);
    let (second, last) = (u.single(Op::Flt, &[one, q]), u.single(Op::Fle, &[three, q]));
    let middle = u.select(second, falling, q);
    u.select(last, rising, middle)
}

/// sin(t quarter turns) / t.
fn sine_over(t: Slot, u: &mut Uops) -> Slot {
    let (quarter, zero) = (u.imm(0.25f32.to_bits()), u.imm(0));
    let turns = u.single(Op::Fmul, &[t, quarter]);
    let sine = u.single(Op::Fsin, &[turns]);
    let over = u.single(Op::Fdiv, &[sine, t]);
    let over = estimated(over, u);
    let limit = u.imm(std::f32::consts::FRAC_PI_2.to_bits());
    let at_zero = u.single(Op::Feq, &[turns, zero]);
    u.select(at_zero, limit, over)
}

/// The bits of a lane's number that say where in its quad it is.
const QUAD: u32 = 3;

/// The lane of the quad on the far side in one direction, less the one on the near side.
fn derivative(x: Slot, bit: u32, u: &mut Uops) -> Slot {
    let lane = u.op(Op::LaneId, &[]);
    // What else is of the quad: this lane's row and column, or the first ones.
    let others = if u.choices.coarse { QUAD } else { bit };
    let near = u.op_imm(Op::And, lane, !others);
    let far = u.op_imm(Op::Or, near, bit);
    let (far, near) = (u.op(Op::Shuffle, &[x, far]), u.op(Op::Shuffle, &[x, near]));
    let near = u.single(Op::Fneg, &[near]);
    u.single(Op::Fadd, &[far, near])
}

/// Compared as floats that are flushed, moved as bits.
fn select(i: &Operands<'_>, d: Reg, a: Reg, u: &mut Uops) -> Doer {
    let (Some(b), Some(x), Some(y)) = (i.reg("B"), i.reg("X"), i.reg("Y")) else { return Doer::Unknown };
    let Some(truth) = compared(i.number("cc"), a, b, u) else { return Doer::Unknown };
    u.move_one(d, truth, [x, y])
}

/// Whether a condition of floats holds; `None` for conditions that nobody knows, unless something is assumed (spec 3.6).
pub(super) fn compared(condition: i64, a: Reg, b: Reg, u: &mut Uops) -> Option<Slot> {
    let (a, b) = (u.float(a), u.float(b));
    let (a, b) = (flushed(a, u), flushed(b, u));
    let truth = match condition & 7 {
        0 => u.single(Op::Feq, &[a, b]),
        1 => u.single(Op::Flt, &[a, b]),
        2 => u.single(Op::Flt, &[b, a]),
        // A number wins against what is none: so these make minima and maxima.
        3 => or_none(Op::Flt, [a, b], b, u),
        5 => u.single(Op::Fle, &[b, a]),
        6 => u.single(Op::Fle, &[a, b]),
        7 => or_none(Op::Flt, [b, a], b, u),
        _ => u.assumed_condition()?,
    };
    Some(if condition & 8 != 0 { u.op(Op::Not, &[truth]) } else { truth })
}

/// Zero where it is subnormal: a sum with -0 is the identity that flushes.
fn flushed(x: Slot, u: &mut Uops) -> Slot {
    let zero = u.imm((-0f32).to_bits());
    u.single(Op::Fadd, &[x, zero])
}

/// A comparison that also holds where `b` is no number.
fn or_none(op: Op, operands: [Slot; 2], b: Slot, u: &mut Uops) -> Slot {
    let holds = u.single(op, &operands);
    let number = u.single(Op::Feq, &[b, b]);
    let none = u.op(Op::Not, &[number]);
    u.op(Op::Or, &[holds, none])
}
