//! Scalar arithmetic: the meaning of operations on integers and floats.
//!
//! Floats of every width are computed in binary64 and rounded once: for sums, differences,
//! products, quotients and roots of narrower floats that is the correctly rounded result,
//! because 53 bits are more than twice 24 plus two. Functions come from `libm`, so that they
//! are the same on every machine.

use crate::Op;
use chiaro_num::{Encoding, F16};

/// The bits of a float of a width as a number.
pub(super) fn float(bits: u64, width: u8) -> f64 {
    match width {
        16 => F16.decode(bits as u32),
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// A number as the bits of a float of a width, rounded to nearest even. NaN has one form.
pub(super) fn bits(value: f64, width: u8) -> u64 {
    match width {
        16 => u64::from(F16.encode(value, Encoding::default())),
        32 if value.is_nan() => u64::from(f32::NAN.to_bits()),
        32 => u64::from((value as f32).to_bits()),
        _ if value.is_nan() => f64::NAN.to_bits(),
        _ => value.to_bits(),
    }
}

/// A number rounded to a width.
pub(super) fn round(value: f64, width: u8) -> f64 {
    match width {
        64 => value,
        32 => f64::from(value as f32),
        _ => float(bits(value, width), width),
    }
}

/// A float operation on numbers of a width; `None` for an operation that is not one.
pub(super) fn float_op(op: Op, width: u8, [a, b, c]: [f64; 3]) -> Option<f64> {
    let step = |x: f64| round(x, width);
    Some(match op {
        Op::FAdd => a + b,
        Op::FSub => a - b,
        Op::FMul => a * b,
        Op::FDiv => a / b,
        Op::FRem => a % b,
        Op::FMod => a - step(b * step(a / b).floor()),
        Op::Fma if width == 32 => f64::from((a as f32).mul_add(b as f32, c as f32)),
        Op::Fma => a.mul_add(b, c),
        Op::FNeg => -a,
        Op::FAbs => a.abs(),
        Op::FSign => sign(a),
        Op::FFloor => a.floor(),
        Op::FCeil => a.ceil(),
        Op::FTrunc => a.trunc(),
        Op::FRoundEven => a.round_ties_even(),
        Op::FFract => a - a.floor(),
        Op::FMin => min(a, b),
        Op::FMax => max(a, b),
        Op::FClamp => min(max(a, b), c),
        Op::FSqrt => a.sqrt(),
        Op::FRsqrt => 1.0 / a.sqrt(),
        Op::FQuantize16 => round(a, 16),
        _ => return function(op, a, b),
    })
}

/// Elementary functions.
fn function(op: Op, a: f64, b: f64) -> Option<f64> {
    Some(match op {
        Op::FExp => libm::exp(a),
        Op::FExp2 => libm::exp2(a),
        Op::FLog => libm::log(a),
        Op::FLog2 => libm::log2(a),
        Op::FPow => libm::pow(a, b),
        Op::FSin => libm::sin(a),
        Op::FCos => libm::cos(a),
        Op::FTan => libm::tan(a),
        Op::FAsin => libm::asin(a),
        Op::FAcos => libm::acos(a),
        Op::FAtan => libm::atan(a),
        Op::FAtan2 => libm::atan2(a, b),
        Op::FSinh => libm::sinh(a),
        Op::FCosh => libm::cosh(a),
        Op::FTanh => libm::tanh(a),
        Op::FAsinh => libm::asinh(a),
        Op::FAcosh => libm::acosh(a),
        Op::FAtanh => libm::atanh(a),
        Op::FFrexpFraction => libm::frexp(a).0,
        _ => return None,
    })
}

/// -1, 0 or 1; NaN gives 0.
fn sign(a: f64) -> f64 {
    f64::from(i8::from(a > 0.0) - i8::from(a < 0.0))
}

/// The other one if exactly one is NaN.
fn min(a: f64, b: f64) -> f64 {
    if b < a || a.is_nan() { b } else { a }
}

fn max(a: f64, b: f64) -> f64 {
    if b > a || a.is_nan() { b } else { a }
}

/// Whether a comparison or test of floats holds.
pub(super) fn float_test(op: Op, a: f64, b: f64) -> bool {
    match op {
        Op::FEq => a == b,
        Op::FNe => a != b,
        Op::FLt => a < b,
        Op::FLe => a <= b,
        Op::IsNan => a.is_nan(),
        _ => a.is_infinite(),
    }
}

/// The lowest `width` bits of a number.
pub(super) const fn mask(width: u8) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// The bits of a width as a signed number.
pub(super) const fn signed(bits: u64, width: u8) -> i64 {
    let unused = 64 - width as u32;
    (bits << unused) as i64 >> unused
}

/// A float to an integer of a width, towards zero; saturates, NaN gives 0.
pub(super) fn to_int(value: f64, width: u8, is_signed: bool) -> u64 {
    let wide = value.trunc();
    if is_signed {
        let (low, high) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
        (wide as i128).clamp(low, high) as u64 & mask(width)
    } else {
        (wide.max(0.0) as u128).min(u128::from(mask(width))) as u64
    }
}

/// An integer operation of a width; `None` for an operation that is not one. Bools have
/// width 1.
pub(super) fn int_op(op: Op, width: u8, [a, b, c]: [u64; 3]) -> Option<u64> {
    let (sa, sb) = (signed(a, width), signed(b, width));
    let amount = (b % u64::from(width)) as u32;
    let result = match op {
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::UMulHigh => (u128::from(a) * u128::from(b) >> width) as u64,
        Op::SMulHigh => (i128::from(sa) * i128::from(sb) >> width) as u64,
        Op::UDiv => a.checked_div(b).unwrap_or(u64::MAX),
        Op::SDiv if b == 0 => u64::MAX,
        Op::SDiv => sa.wrapping_div(sb) as u64,
        Op::URem => a.checked_rem(b).unwrap_or(a),
        Op::SRem if b == 0 => a,
        Op::SRem => sa.wrapping_rem(sb) as u64,
        Op::SMod if b == 0 => a,
        Op::SMod => floored(sa, sb) as u64,
        Op::INeg => a.wrapping_neg(),
        Op::IAbs => sa.wrapping_abs() as u64,
        Op::ISign => sa.signum() as u64,
        Op::UMin => a.min(b),
        Op::UMax => a.max(b),
        Op::SMin => sa.min(sb) as u64,
        Op::SMax => sa.max(sb) as u64,
        Op::UAddCarry => (u128::from(a) + u128::from(b) >> width) as u64,
        Op::USubBorrow => u64::from(a < b),
        Op::Shl => a << amount,
        Op::LShr => a >> amount,
        Op::AShr => (sa >> amount) as u64,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Not => !a,
        Op::BitCount => u64::from(a.count_ones()),
        Op::BitReverse => a.reverse_bits() >> (64 - u32::from(width)),
        Op::FindLsb if a == 0 => u64::MAX,
        Op::FindLsb => u64::from(a.trailing_zeros()),
        Op::FindUMsb => highest(a),
        Op::FindSMsb => highest(if sa < 0 { !a & mask(width) } else { a }),
        _ => return bits_op(op, width, [a, b, c]),
    };
    Some(result & mask(width))
}

fn floored(a: i64, b: i64) -> i64 {
    let rest = a.wrapping_rem(b);
    if rest != 0 && (rest < 0) != (b < 0) { rest.wrapping_add(b) } else { rest }
}

fn highest(a: u64) -> u64 {
    if a == 0 { u64::MAX } else { u64::from(63 - a.leading_zeros()) }
}

/// Extracts of a run of bits: value, offset, count. A run that leaves the value reads zeros.
fn bits_op(op: Op, width: u8, [a, offset, count]: [u64; 3]) -> Option<u64> {
    let count = count.min(u64::from(width)) as u8;
    let shifted = a.checked_shr(offset.min(64) as u32).unwrap_or(0) & mask(count);
    match op {
        Op::BitExtractU => Some(shifted),
        Op::BitExtractS if count == 0 => Some(0),
        Op::BitExtractS => Some(signed(shifted, count) as u64 & mask(width)),
        _ => None,
    }
}

/// The bits of `insert` in `base`, so many from an offset on.
pub(super) fn bit_insert(base: u64, insert: u64, offset: u64, count: u64) -> u64 {
    let run = mask(count.min(64) as u8).checked_shl(offset.min(64) as u32).unwrap_or(0);
    base & !run | insert.checked_shl(offset.min(64) as u32).unwrap_or(0) & run
}

/// An operation on a run of bits of a width: its operands in order.
pub(super) fn bit_field(op: Op, width: u8, [a, b, c, d]: [u64; 4]) -> u64 {
    let bits = match op {
        Op::BitInsert => bit_insert(a, b, c, d),
        _ => bits_op(op, width, [a, b, c]).unwrap_or(0),
    };
    bits & mask(width)
}

/// Whether a comparison of integers holds.
pub(super) fn int_test(op: Op, width: u8, a: u64, b: u64) -> bool {
    let (sa, sb) = (signed(a, width), signed(b, width));
    match op {
        Op::IEq => a == b,
        Op::INe => a != b,
        Op::ULt => a < b,
        Op::ULe => a <= b,
        Op::SLt => sa < sb,
        _ => sa <= sb,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_have_their_one_meaning() {
        let int = |op, a: u64, b: u64| int_op(op, 32, [a, b, 0]);
        assert_eq!(int(Op::UDiv, 7, 0), Some(0xffff_ffff));
        assert_eq!(int(Op::SDiv, 0x8000_0000, 0xffff_ffff), Some(0x8000_0000));
        assert_eq!(int(Op::SMod, (-7i32 as u32).into(), 3), Some(2));
        assert_eq!(int(Op::Shl, 1, 33), Some(2));
        assert_eq!(int(Op::FindSMsb, 0xffff_ffff, 0), Some(0xffff_ffff));
        assert_eq!(int(Op::SMulHigh, 0xffff_ffff, 2), Some(0xffff_ffff));
        assert_eq!(to_int(f64::NAN, 32, true), 0);
        assert_eq!(to_int(-5.9, 32, true), 0xffff_fffb);
        assert_eq!(to_int(1e20, 32, false), 0xffff_ffff);
        assert_eq!(bit_insert(0, 0xff, 4, 4), 0xf0);
    }
}
