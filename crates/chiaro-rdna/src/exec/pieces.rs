//! Steps that operations of several families share.

use chiaro_sim::{Op as U, Slot};

use super::uops::Uops;

/// The place of a bit by `LeadingZeros` or `TrailingZeros`; -1 if there is none.
pub(super) fn found(u: &mut Uops, op: U, a: Slot) -> Slot {
    let (place, none) = (u.t(op, &[a]), u.imm(u32::MAX));
    u.t(U::Select, &[a, place, none])
}

pub(super) fn bit_mask(u: &mut Uops, width: Slot, low: Slot) -> Slot {
    let (width, one) = (u.field(U::FieldU, width, 0, 5), u.imm(1));
    let above = u.t(U::Shl, &[one, width]);
    let ones = u.t(U::Sub, &[above, one]);
    u.t(U::Shl, &[ones, low])
}

/// Two shorts in a word.
pub(super) fn join(u: &mut Uops, low: Slot, high: Slot) -> Slot {
    let low = u.field(U::FieldU, low, 0, 16);
    let high = u.ti(U::Shl, high, 16);
    u.t(U::Or, &[low, high])
}

/// Product plus sum; the product is zero where a factor is (DX9).
pub(super) fn legacy_fma(u: &mut Uops, a: Slot, b: Slot, c: Slot) -> Slot {
    let (r, zero) = (u.t(U::Ffma, &[a, b, c]), u.imm(0));
    let zeros = [a, b].map(|factor| {
        let factor = u.t(U::Fcanon, &[factor]);
        u.t(U::Feq, &[factor, zero])
    });
    let (either, c) = (u.t(U::Or, &zeros), u.t(U::Fcanon, &[c]));
    u.t(U::Select, &[either, c, r])
}

pub(super) fn half_order(u: &mut Uops, op: U, a: Slot, b: Slot) -> Slot {
    let (a, b) = (u.t(U::Fcanon, &[a]), u.t(U::Fcanon, &[b]));
    u.t(op, &[a, b])
}

pub(super) fn clamp_signed(u: &mut Uops, a: Slot, low: i32, high: i32) -> Slot {
    let a = u.ti(U::MaxS, a, low as u32);
    u.ti(U::MinS, a, high as u32)
}

/// A number of 64 bits plus a word, as a word that stops at its limits.
pub(super) fn stopped_sum(u: &mut Uops, wide: Slot, c: Slot, signed: bool) -> Slot {
    let addend = u.spare(2);
    u.op(U::Mov, addend, &[c]);
    let above = if signed { u.ti(U::Sar, c, 31) } else { u.imm(0) };
    u.op(U::Mov, addend.at(1), &[above]);
    let sum = u.t(U::Add64, &[wide, addend]);
    if !signed {
        let most = u.imm(u32::MAX);
        return u.t(U::Select, &[sum.at(1), most, sum]);
    }
    let (sign, negative) = (u.ti(U::Sar, sum, 31), u.ti(U::Sar, sum.at(1), 31));
    let fits = u.t(U::Eq, &[sign, sum.at(1)]);
    let limit = u.ti(U::Xor, negative, 0x7fff_ffff);
    u.t(U::Select, &[fits, sum, limit])
}

/// A float of -1..1 (or 0..1) as an integer of 16 bits, the nearest one.
pub(super) fn normalised(u: &mut Uops, a: Slot, signed: bool) -> Slot {
    u.f32();
    let (low, high, by) = if signed { (-1.0_f32, 1.0_f32, 32767.0_f32) } else { (0.0, 1.0, 65535.0) };
    let [low, high, by] = [low, high, by].map(|x| u.imm(x.to_bits()));
    let number = u.t(U::Feq, &[a, a]);
    let a = u.t(U::FmaxNumber, &[a, low]);
    let a = u.t(U::FminNumber, &[a, high]);
    let scaled = u.t(U::Fmul, &[a, by]);
    let whole = u.t(U::Frint, &[scaled]);
    let whole = u.t(U::FtoS, &[whole]);
    let whole = u.t(U::And, &[whole, number]);
    u.field(U::FieldU, whole, 0, 16)
}

/// Sum or difference with a carry or borrow out, and one in.
pub(super) fn carried(u: &mut Uops, op: U, swapped: bool, takes: bool) {
    let (a, b) = (u.word(0), u.word(1));
    let carry = if takes {
        let bit = u.mask(2);
        u.one(bit)
    } else {
        u.imm(0)
    };
    let both = u.t(op, &if swapped { [b, a, carry] } else { [a, b, carry] });
    u.put_mask(both.at(1));
    let mut r = both;
    if u.i.clamp {
        // A sum stops at the largest number, a difference at zero.
        let stop = u.imm(if op == U::AddCarry { u32::MAX } else { 0 });
        r = u.t(U::Select, &[both.at(1), stop, both]);
    }
    let r = u.t(U::Mov, &[r]);
    u.put(r);
}

/// A result of a transcendental function with so many bits behind the point as are taken for known, of those
/// that its kind has. Infinity and quiet NaN stay.
pub(super) fn estimated(u: &mut Uops, exact: Slot, bits: u32) -> Slot {
    let cut = bits.saturating_sub(u.choices.estimate_bits);
    if cut == 0 { exact } else { u.ti(U::And, exact, u32::MAX << cut) }
}

/// A whole number that was rounded to even, of 16 or 32 bits by the bit of its sign: zero with the sign that is
/// taken for known.
pub(super) fn signed_zero(u: &mut Uops, whole: Slot, sign: u32) -> Slot {
    if !u.choices.rounds_to_positive {
        return whole;
    }
    let size = u.ti(U::And, whole, sign - 1);
    let is_zero = u.ti(U::Eq, size, 0);
    u.t(U::Select, &[is_zero, size, whole])
}

/// The same of a double.
pub(super) fn signed_zero_double(u: &mut Uops, whole: Slot) -> Slot {
    if !u.choices.rounds_to_positive {
        return whole;
    }
    let (size, both) = (u.ti(U::And, whole.at(1), u32::MAX >> 1), u.spare(2));
    let all = u.t(U::Or, &[size, whole]);
    let is_zero = u.ti(U::Eq, all, 0);
    u.op(U::Mov, both, &[whole]);
    u.op(U::Select, both.at(1), &[is_zero, size, whole.at(1)]);
    both
}
