//! Integers, bits and moves (spec 4).

use chiaro_isa::Reg;
use chiaro_sim::{Op, Slot};

use super::{Doer, Operands, Uops, convert};
use crate::isa::integer::Integer;
use crate::regs::{mods, size};

/// An operation on integers, bits, or a move.
pub(super) fn integer(op: Integer, i: &Operands<'_>, u: &mut Uops) -> Doer {
    use Integer as I;
    let Some(d) = i.reg("D") else { return Doer::Unknown };
    match op {
        I::MovImm => {
            let value = i.int("imm16").unwrap_or_else(|| i.number("imm32"));
            let number = u.number(value as u32);
            u.put(d, number);
            Doer::Lanes
        }
        I::GetSr => Doer::Special,
        I::SrThing | I::Iunop => Doer::Unknown,
        I::Iadd | I::Isub | I::Imadd | I::Imsub => sum(op, i, d, u),
        I::Bfi | I::Bfeil | I::Extr | I::Shlhi | I::Shrhi => field(op, i, d, u),
        I::Asr | I::Asrh => shift(op, i, d, u),
        I::Convert => convert::convert(i, d, u),
        I::Intl => two(i, d, u, interleave),
        I::Bitrev | I::Popcount | I::Ffs => one(op, i, d, u),
        I::Icmpsel => select(i, d, u),
        _ => two(i, d, u, |u, a, b| table(i.number("tt"), a, b, u)),
    }
}

/// An operation on the bits of two sources; where the form has one, the other is 0.
fn two(i: &Operands<'_>, d: Reg, u: &mut Uops, compute: impl Fn(&mut Uops, Slot, Slot) -> Slot) -> Doer {
    let Some(a) = i.reg("A") else { return Doer::Unknown };
    let a = u.bits(a);
    let b = match i.reg("B") {
        Some(b) => u.bits(b),
        None => u.imm(0),
    };
    let result = compute(u, a, b);
    u.put(d, result);
    Doer::Lanes
}

/// The truth table, its first digit where both bits are 0. Those of B alone give A (spec 4).
fn table(digits: i64, a: Slot, b: Slot, u: &mut Uops) -> Slot {
    let (not_a, not_b) = (|u: &mut Uops| u.op(Op::Not, &[a]), |u: &mut Uops| u.op(Op::Not, &[b]));
    match digits {
        0b0011 | 0b1100 | 0b0101 => a,
        0b1010 => not_a(u),
        0b0001 => u.op(Op::And, &[a, b]),
        0b0111 => u.op(Op::Or, &[a, b]),
        0b0110 => u.op(Op::Xor, &[a, b]),
        0b0100 => {
            let b = not_b(u);
            u.op(Op::And, &[a, b])
        }
        0b0010 => {
            let a = not_a(u);
            u.op(Op::And, &[a, b])
        }
        0b0000 => u.imm(0),
        // The others are complements of these, whose tables begin with 0.
        _ => {
            let other = table(!digits & 15, a, b, u);
            u.op(Op::Not, &[other])
        }
    }
}

/// Sums, and products with sums. Those of at most 32 bits need no more, unless they are clamped.
fn sum(op: Integer, i: &Operands<'_>, d: Reg, u: &mut Uops) -> Doer {
    let product = matches!(op, Integer::Imadd | Integer::Imsub);
    let last = if product { "C" } else { "B" };
    let (Some(a), Some(b), Some(c)) = (i.reg("A"), i.reg("B"), i.reg(last)) else { return Doer::Unknown };
    let (negated, shift) = (matches!(op, Integer::Isub | Integer::Imsub), i.number("s"));
    let short = d.size != size::LONG && c.size != size::LONG && (product || a.size != size::LONG);
    let result = if short && shift == 0 && i.flag("S") {
        let signed = [a, b, c].iter().any(|r| r.mods & mods::EXTEND != 0);
        let exact = exact(a, product.then_some(b), c, negated, u);
        clamped(exact, d.size, signed, u)
    } else if d.size == size::LONG {
        let term = long_term(c, negated, shift, u);
        let first = long_first(a, product.then_some(b), u);
        u.op(Op::Add64, &[first, term])
    } else {
        let term = term(c, negated, shift, u);
        let first = first(a, product.then_some(b), u);
        u.op(Op::Add, &[first, term])
    };
    u.put(d, result);
    Doer::Lanes
}

/// What is added to: a source, or the product of two.
fn first(a: Reg, b: Option<Reg>, u: &mut Uops) -> Slot {
    let a = u.integer(a);
    match b {
        None => a,
        Some(b) => {
            let b = u.integer(b);
            u.op(Op::Mul, &[a, b])
        }
    }
}

fn long_first(a: Reg, b: Option<Reg>, u: &mut Uops) -> Slot {
    let a = u.long(a);
    match b {
        None => a,
        Some(b) => {
            let b = u.long(b);
            u.op(Op::Mul64, &[a, b])
        }
    }
}

/// What is added: negated, then shifted by up to 4; larger distances leave nothing.
fn term(c: Reg, negated: bool, shift: i64, u: &mut Uops) -> Slot {
    let zero = u.imm(0);
    let c = u.integer(c);
    let c = if negated { u.op(Op::Sub, &[zero, c]) } else { c };
    match shift {
        0 => c,
        1..=4 => u.op_imm(Op::Shl, c, shift as u32),
        _ => zero,
    }
}

fn long_term(c: Reg, negated: bool, shift: i64, u: &mut Uops) -> Slot {
    let zero = u.imm(0);
    let zero = u.pair(zero, zero);
    let c = u.long(c);
    let c = if negated { u.op(Op::Sub64, &[zero, c]) } else { c };
    match shift {
        0 => c,
        1..=4 => u.op_imm(Op::Shl64, c, shift as u32),
        _ => zero,
    }
}

/// The sum as a signed number of 64 bits. A product beyond what the term can bring back is cut first, so
/// that nothing wraps.
fn exact(a: Reg, b: Option<Reg>, c: Reg, negated: bool, u: &mut Uops) -> Slot {
    let term = long_term(c, negated, 0, u);
    let first = long_first(a, b, u);
    let signed = |r: Reg| r.mods & mods::EXTEND != 0;
    let first = b.map_or(first, |b| cut(first, signed(a) || signed(b), u));
    u.op(Op::Add64, &[first, term])
}

/// A product, no further from zero than 2^34. It has a sign if one of its factors has.
fn cut(product: Slot, signed: bool, u: &mut Uops) -> Slot {
    let (zero, four, minus) = (u.imm(0), u.imm(4), u.imm(4u32.wrapping_neg()));
    let most = u.pair(zero, four);
    if !signed {
        let below = u.op(Op::LtU64, &[product, most]);
        return choose(below, product, most, u);
    }
    let least = u.pair(zero, minus);
    let below = u.op(Op::LtS64, &[product, most]);
    let product = choose(below, product, most, u);
    let above = u.op(Op::LtS64, &[least, product]);
    choose(above, product, least, u)
}

fn choose(truth: Slot, a: Slot, b: Slot, u: &mut Uops) -> Slot {
    let (low, high) = (u.select(truth, a, b), u.select(truth, a.at(1), b.at(1)));
    u.pair(low, high)
}

/// A number in the range of a size: signed if a source is (spec 4).
fn clamped(exact: Slot, size: u8, is_signed: bool, u: &mut Uops) -> Slot {
    let bits = 16 * u32::from(size);
    let most = if is_signed { (1u64 << (bits - 1)) - 1 } else { (1u64 << bits) - 1 };
    let least = if is_signed { -(1i64 << (bits - 1)) as u64 } else { 0 };
    let limit = |u: &mut Uops, bits: u64| {
        let (low, high) = (u.imm(bits as u32), u.imm((bits >> 32) as u32));
        u.pair(low, high)
    };
    let (most, least) = (limit(u, most), limit(u, least));
    let below = u.op(Op::LtS64, &[exact, most]);
    let exact = choose(below, exact, most, u);
    let above = u.op(Op::LtS64, &[least, exact]);
    choose(above, exact, least, u)
}

/// Fields moved and inserted: n is the distance, `mask` so many ones.
fn field(op: Integer, i: &Operands<'_>, d: Reg, u: &mut Uops) -> Doer {
    use Integer as I;
    let (Some(a), Some(b), Some(c)) = (i.reg("A"), i.reg("B"), i.reg("C")) else { return Doer::Unknown };
    let (a, b, c) = (u.bits(a), u.bits(b), u.bits(c));
    let n = u.op_imm(Op::And, c, 127);
    let mask = match i.number("m") {
        0 => u.imm(u32::MAX),
        bits => u.imm((1u32 << bits) - 1),
    };
    let (moved, mask) = match op {
        I::Bfi => (left(b, n, u), left(mask, n, u)),
        I::Bfeil => (right(b, n, u), mask),
        I::Shlhi => {
            let over = u.op_imm(Op::MaxS, n, 32);
            let over = u.op_imm(Op::Sub, over, 32);
            (high_left(b, n, u), left(mask, over, u))
        }
        I::Shrhi => {
            let under = u.op_imm(Op::MinU, n, 32);
            (low_right(b, n, u), low_right(mask, under, u))
        }
        _ => {
            let both = u.pair(a, b);
            let shifted = u.op(Op::Shr64, &[both, n]);
            let within = u.op_imm(Op::LtU, n, 64);
            let zero = u.imm(0);
            let moved = u.select(within, shifted, zero);
            let result = u.op(Op::And, &[moved, mask]);
            u.put(d, result);
            return Doer::Lanes;
        }
    };
    let result = u.op(Op::Blend, &[mask, moved, a]);
    u.put(d, result);
    Doer::Lanes
}

/// Shifts by 0 to 127: beyond the width nothing is left.
fn left(x: Slot, n: Slot, u: &mut Uops) -> Slot {
    within(Op::Shl, x, n, u)
}

fn right(x: Slot, n: Slot, u: &mut Uops) -> Slot {
    within(Op::Shr, x, n, u)
}

fn within(op: Op, x: Slot, n: Slot, u: &mut Uops) -> Slot {
    let (shifted, small, zero) = (u.op(op, &[x, n]), u.op_imm(Op::LtU, n, 32), u.imm(0));
    u.select(small, shifted, zero)
}

/// The high word of x << n.
fn high_left(x: Slot, n: Slot, u: &mut Uops) -> Slot {
    let zero = u.imm(0);
    let wide = u.pair(x, zero);
    let shifted = u.op(Op::Shl64, &[wide, n]);
    let small = u.op_imm(Op::LtU, n, 64);
    // From 64 on, only what was shifted by 64 less is left, of which nothing was in the word.
    let rest = u.op_imm(Op::Sub, n, 32);
    let far = left(x, rest, u);
    u.select(small, shifted.at(1), far)
}

/// The low word of (x << 32) >> n.
fn low_right(x: Slot, n: Slot, u: &mut Uops) -> Slot {
    let zero = u.imm(0);
    let wide = u.pair(zero, x);
    let shifted = u.op(Op::Shr64, &[wide, n]);
    let small = u.op_imm(Op::LtU, n, 64);
    u.select(small, shifted, zero)
}

/// Arithmetic shifts, of a number or of one that stands 32 bits higher.
fn shift(op: Integer, i: &Operands<'_>, d: Reg, u: &mut Uops) -> Doer {
    let (Some(a), Some(b)) = (i.reg("A"), i.reg("B")) else { return Doer::Unknown };
    let (a, b) = (u.signed(a), u.bits(b));
    let n = u.op_imm(Op::And, b, 127);
    let result = if op == Integer::Asr {
        let n = u.op_imm(Op::MinU, n, 31);
        u.op(Op::Sar, &[a, n])
    } else {
        let n = u.op_imm(Op::MinU, n, 63);
        let zero = u.imm(0);
        let wide = u.pair(zero, a);
        u.op(Op::Sar64, &[wide, n])
    };
    u.put(d, result);
    Doer::Lanes
}

/// Bits of one source, zeros above a half.
fn one(op: Integer, i: &Operands<'_>, d: Reg, u: &mut Uops) -> Doer {
    let Some(a) = i.reg("A") else { return Doer::Unknown };
    let a = u.bits(a);
    let result = match op {
        Integer::Bitrev => u.op(Op::Reverse, &[a]),
        Integer::Popcount => u.op(Op::Count, &[a]),
        // The place of the highest one; 31 - 32 where there is none.
        _ => {
            let (zeros, last) = (u.op(Op::LeadingZeros, &[a]), u.imm(31));
            u.op(Op::Sub, &[last, zeros])
        }
    };
    u.put(d, result);
    Doer::Lanes
}

/// Bits of the low halves by turns.
fn interleave(u: &mut Uops, a: Slot, b: Slot) -> Slot {
    let (a, b) = (spread(a, u), spread(b, u));
    let b = u.op_imm(Op::Shl, b, 1);
    u.op(Op::Or, &[a, b])
}

/// The low 16 bits with a zero above each.
fn spread(x: Slot, u: &mut Uops) -> Slot {
    let low = u.op_imm(Op::And, x, 0xffff);
    [(8, 0x00ff_00ff), (4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)].into_iter().fold(
        low,
        |x, (distance, mask)| {
            let moved = u.op_imm(Op::Shl, x, distance);
            let both = u.op(Op::Or, &[x, moved]);
            u.op_imm(Op::And, both, mask)
        },
    )
}

/// Compared as integers, moved as bits.
fn select(i: &Operands<'_>, d: Reg, u: &mut Uops) -> Doer {
    let [Some(a), Some(b), Some(x), Some(y)] = ["A", "B", "X", "Y"].map(|name| i.reg(name)) else {
        return Doer::Unknown;
    };
    let Some(truth) = compared(i.number("cc"), a, b, u) else { return Doer::Unknown };
    u.move_one(d, truth, [x, y])
}

/// Whether a condition of integers holds; `None` for conditions that nobody knows, unless something is assumed (spec 3.6).
pub(super) fn compared(condition: i64, a: Reg, b: Reg, u: &mut Uops) -> Option<Slot> {
    let read = if condition & 4 != 0 { Uops::signed } else { Uops::bits };
    let (a, b) = (read(u, a), read(u, b));
    let truth = match condition & 7 {
        0 | 4 => u.op(Op::Eq, &[a, b]),
        1 => u.op(Op::LtU, &[a, b]),
        2 => u.op(Op::LtU, &[b, a]),
        5 => u.op(Op::LtS, &[a, b]),
        6 => u.op(Op::LtS, &[b, a]),
        _ => u.assumed_condition()?,
    };
    Some(if condition & 8 != 0 { u.op(Op::Not, &[truth]) } else { truth })
}
