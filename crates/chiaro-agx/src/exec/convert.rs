//! Between integers and floats (spec 4.2).
//!
//! Numbers that do not fit an integer become the nearest that does, what is no number becomes 0: no
//! source says what the machine does [assumed].

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
    let (mode, round) = (i.number("mode"), i.number("round"));
    let rounding = match round {
        0 => Rounding::TowardZero,
        1 => Rounding::NearestEven,
        _ => return Doer::Unknown,
    };
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
    let whole = u.single(if round == 0 { Op::Ftrunc } else { Op::Frint }, &[value]);
    let result = whole_number(whole, bits, signed, u);
    u.put(d, result);
    Doer::Lanes
}

/// The low bits as a number.
fn narrowed(value: Slot, bits: u32, signed: bool, u: &mut Uops) -> Slot {
    match (bits, signed) {
        (32, _) => value,
        (bits, true) => u.extended(value, bits),
        (bits, false) => u.op_imm(Op::And, value, (1 << bits) - 1),
    }
}

/// A float without a fraction as an integer within its limits.
fn whole_number(x: Slot, bits: u32, signed: bool, u: &mut Uops) -> Slot {
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
