//! Between integers and floats (spec 4.2).
//!
//! Numbers that do not fit an integer become the nearest that does, what is no number becomes 0: no
//! source says what the machine does, so that both can be chosen (`choices`).

use chiaro_isa::Reg;
use chiaro_num::Rounding;
use chiaro_sim::{Op, Slot};

use super::{Doer, Operands, Uops};
use crate::regs::size;

/// Integers by their mode: bits, signed.
const INTEGERS: [(i64, u32, bool); 6] =
    [(0, 8, false), (1, 8, true), (6, 16, false), (7, 16, true), (10, 32, false), (11, 32, true)];
/// Floats to integers.
const FLOATS: [(i64, u32, bool); 4] = [(4, 16, false), (5, 16, true), (8, 32, false), (9, 32, true)];

/// A conversion; unknown modes and roundings are nobody's.
pub(super) fn convert(i: &Operands<'_>, d: Reg, u: &mut Uops) -> Doer {
    let Some(source) = i.reg("src") else { return Doer::Unknown };
    let mode = i.number("mode");
    let Some(rounding) = rounding(i.number("round"), u.choices.directed) else { return Doer::Unknown };
    let known = |all: &[(i64, u32, bool)]| all.iter().find(|(known, ..)| *known == mode).copied();
    if let Some((_, bits, signed)) = known(&INTEGERS) {
        let value = u.bits(source);
        let value = narrowed(value, bits, signed, u);
        let op = if signed { Op::StoF } else { Op::UtoF };
        let result = u.rounded(op, &[value], rounding, d.size == size::HALF);
        u.put(d, result);
        return Doer::Lanes;
    }
    let Some((_, bits, signed)) = known(&FLOATS) else { return Doer::Unknown };
    let value = u.float(source);
    let whole = rounded(value, rounding, u);
    let result = whole_number(whole, bits, signed, u);
    u.put(d, result);
    Doer::Lanes
}

/// By its code; 2 and 3 were never seen.
fn rounding(code: i64, directed: bool) -> Option<Rounding> {
    match code {
        0 => Some(Rounding::TowardZero),
        1 => Some(Rounding::NearestEven),
        2 if directed => Some(Rounding::Down),
        3 if directed => Some(Rounding::Up),
        _ => None,
    }
}

/// A float without its fraction.
fn rounded(x: Slot, rounding: Rounding, u: &mut Uops) -> Slot {
    match rounding {
        Rounding::TowardZero => u.single(Op::Ftrunc, &[x]),
        Rounding::Down => u.single(Op::Ffloor, &[x]),
        Rounding::Up => {
            let turned = u.single(Op::Fneg, &[x]);
            let down = u.single(Op::Ffloor, &[turned]);
            u.single(Op::Fneg, &[down])
        }
        _ => u.single(Op::Frint, &[x]),
    }
}

/// The low bits as a number.
fn narrowed(value: Slot, bits: u32, signed: bool, u: &mut Uops) -> Slot {
    match (bits, signed) {
        (32, _) => value,
        (bits, true) => u.extended(value, bits),
        (bits, false) => u.op_imm(Op::And, value, (1 << bits) - 1),
    }
}

/// A float without a fraction as an integer.
fn whole_number(x: Slot, bits: u32, signed: bool, u: &mut Uops) -> Slot {
    let value = if u.choices.wraps { low_bits(x, u) } else { within(x, bits, signed, u) };
    match u.choices.nan_integer {
        0 => value,
        other => {
            let (is_number, other) = (u.single(Op::Feq, &[x, x]), u.imm(other));
            u.select(is_number, value, other)
        }
    }
}

/// The low 32 bits of a float without a fraction, 0 of infinity. What is left of it behind multiples of 2^32 is
/// exact, and one of the two conversions is 0.
fn low_bits(x: Slot, u: &mut Uops) -> Slot {
    let (scale, back) = (u.imm(2f32.powi(-32).to_bits()), u.imm((-2f32.powi(32)).to_bits()));
    let scaled = u.single(Op::Fmul, &[x, scale]);
    let times = u.single(Op::Ftrunc, &[scaled]);
    let rest = u.single(Op::Ffma, &[times, back, x]);
    let turned = u.single(Op::Fneg, &[rest]);
    let (above, below) = (u.single(Op::FtoU, &[rest]), u.single(Op::FtoU, &[turned]));
    u.op(Op::Sub, &[above, below])
}

/// The same within the limits of the integer.
fn within(x: Slot, bits: u32, signed: bool, u: &mut Uops) -> Slot {
    let value = u.single(if signed { Op::FtoS } else { Op::FtoU }, &[x]);
    match (bits, signed) {
        (32, _) => value,
        (_, false) => u.op_imm(Op::MinU, value, 0xffff),
        (_, true) => {
            let low = u.op_imm(Op::MaxS, value, -0x8000i32 as u32);
            u.op_imm(Op::MinS, low, 0x7fff)
        }
    }
}
