//! Single scalars: conversions and operators on their bits.

use crate::hir::{Binary, Unary};
use crate::ty::Scalar;

pub(super) fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

pub(super) fn of_f32(value: f32) -> u64 {
    u64::from(value.to_bits())
}

/// The number 1 of a scalar type.
pub(in crate::check) fn one(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::Float | Scalar::Float16 | Scalar::Small(_) => of_f32(1.0),
        Scalar::Double => 1f64.to_bits(),
        _ => 1,
    }
}

/// A scalar of another type with the same value, as near as can be: towards zero for integers,
/// within their bounds; NaN is 0.
pub(in crate::check) fn convert(bits: u64, from: Scalar, to: Scalar) -> u64 {
    match from {
        Scalar::Float | Scalar::Float16 | Scalar::Small(_) => of_float(f64::from(f32_of(bits)), to),
        Scalar::Double => of_float(f64::from_bits(bits), to),
        Scalar::Bool => of_integer(i128::from(bits != 0), to),
        _ => of_integer(integer(bits, from), to),
    }
}

/// An integer's value.
fn integer(bits: u64, scalar: Scalar) -> i128 {
    match scalar {
        Scalar::Int8 => i128::from(bits as u8 as i8),
        Scalar::Uint8 => i128::from(bits as u8),
        Scalar::Int16 => i128::from(bits as u16 as i16),
        Scalar::Uint16 => i128::from(bits as u16),
        Scalar::Int => i128::from(bits as u32 as i32),
        Scalar::Int64 => i128::from(bits as i64),
        Scalar::Uint64 => i128::from(bits),
        _ => i128::from(bits as u32),
    }
}

fn of_float(value: f64, to: Scalar) -> u64 {
    match to {
        Scalar::Bool => u64::from(value != 0.0),
        Scalar::Float | Scalar::Float16 => of_f32(value as f32),
        Scalar::Small(small) => of_f32(small.round(value as f32)),
        Scalar::Double => value.to_bits(),
        Scalar::Int8 => u64::from(value as i8 as u8),
        Scalar::Uint8 => u64::from(value as u8),
        Scalar::Int16 => u64::from(value as i16 as u16),
        Scalar::Uint16 => u64::from(value as u16),
        Scalar::Int => u64::from(value as i32 as u32),
        Scalar::Uint => u64::from(value as u32),
        Scalar::Int64 => value as i64 as u64,
        Scalar::Uint64 => value as u64,
    }
}

fn of_integer(value: i128, to: Scalar) -> u64 {
    match to {
        Scalar::Bool => u64::from(value != 0),
        Scalar::Float | Scalar::Float16 => of_f32(value as f32),
        Scalar::Small(small) => of_f32(small.round(value as f32)),
        Scalar::Double => (value as f64).to_bits(),
        Scalar::Int8 | Scalar::Uint8 => u64::from(value as u8),
        Scalar::Int16 | Scalar::Uint16 => u64::from(value as u16),
        Scalar::Int | Scalar::Uint => u64::from(value as u32),
        Scalar::Int64 | Scalar::Uint64 => value as u64,
    }
}

/// An operator with one operand; `None` for scalars that are not folded.
pub(in crate::check) fn unary(op: Unary, scalar: Scalar, bits: u64) -> Option<u64> {
    Some(match (op, scalar) {
        (_, Scalar::Small(_)) => return None,
        (Unary::Not, _) => u64::from(bits == 0),
        (Unary::Negate, Scalar::Float | Scalar::Float16) => bits ^ (1 << 31),
        (Unary::Negate, Scalar::Double) => bits ^ (1 << 63),
        (Unary::Negate, Scalar::Int | Scalar::Uint) => u64::from((bits as u32).wrapping_neg()),
        (Unary::Negate, Scalar::Int64 | Scalar::Uint64) => bits.wrapping_neg(),
        (Unary::Complement, Scalar::Int | Scalar::Uint) => u64::from(!(bits as u32)),
        (Unary::Complement, Scalar::Int64 | Scalar::Uint64) => !bits,
        (Unary::Negate, _) if is_small(scalar) => of_integer(-integer(bits, scalar), scalar),
        (Unary::Complement, _) if is_small(scalar) => of_integer(!integer(bits, scalar), scalar),
        _ => return None,
    })
}

/// Integers of 8 and 16 bits.
fn is_small(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Int8 | Scalar::Uint8 | Scalar::Int16 | Scalar::Uint16)
}

/// An operator with two operands, of one type but for shifts; `None` for scalars that are not
/// folded.
pub(in crate::check) fn binary(op: Binary, scalar: Scalar, right: Scalar, a: u64, b: u64) -> Option<u64> {
    if matches!(op, Binary::Shl | Binary::Shr) {
        return shift(op, scalar, right, a, b);
    }
    match scalar {
        Scalar::Bool => Some(match op {
            Binary::Xor | Binary::NotEqual => u64::from(a != b),
            Binary::Equal => u64::from(a == b),
            _ => return None,
        }),
        Scalar::Float => {
            let (a, b) = (f32_of(a), f32_of(b));
            let value = match op {
                Binary::Add => a + b,
                Binary::Sub => a - b,
                Binary::Mul => a * b,
                Binary::Div => a / b,
                _ => return compare(op, a.partial_cmp(&b)),
            };
            Some(of_f32(value))
        }
        Scalar::Double => {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            let value = match op {
                Binary::Add => a + b,
                Binary::Sub => a - b,
                Binary::Mul => a * b,
                Binary::Div => a / b,
                _ => return compare(op, a.partial_cmp(&b)),
            };
            Some(value.to_bits())
        }
        Scalar::Float16 | Scalar::Small(_) => None,
        _ => integers(op, scalar, a, b),
    }
}

/// Integers wrap. A division by zero gives all ones and leaves the
/// dividend as its remainder.
fn integers(op: Binary, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    let (x, y) = (integer(a, scalar), integer(b, scalar));
    let value = match op {
        Binary::Add => x + y,
        Binary::Sub => x - y,
        Binary::Mul => x.wrapping_mul(y),
        Binary::Div if y == 0 => -1,
        Binary::Div => x / y,
        Binary::Rem if y == 0 => x,
        Binary::Rem => x % y,
        Binary::BitAnd => x & y,
        Binary::BitOr => x | y,
        Binary::BitXor => x ^ y,
        _ => return compare(op, Some(x.cmp(&y))),
    };
    Some(of_integer(value, scalar))
}

/// The amount counts modulo the width.
fn shift(op: Binary, scalar: Scalar, right: Scalar, a: u64, b: u64) -> Option<u64> {
    let amount = integer(b, right) as u32;
    Some(match (scalar, op) {
        (Scalar::Int | Scalar::Uint, Binary::Shl) => u64::from((a as u32).wrapping_shl(amount)),
        (Scalar::Int, _) => u64::from((a as u32 as i32).wrapping_shr(amount) as u32),
        (Scalar::Uint, _) => u64::from((a as u32).wrapping_shr(amount)),
        (Scalar::Int64 | Scalar::Uint64, Binary::Shl) => a.wrapping_shl(amount),
        (Scalar::Int64, _) => (a as i64).wrapping_shr(amount) as u64,
        (Scalar::Uint64, _) => a.wrapping_shr(amount),
        _ => return None,
    })
}

/// A comparison by its outcome; nothing holds of NaN but "not equal".
fn compare(op: Binary, order: Option<std::cmp::Ordering>) -> Option<u64> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let holds = match op {
        Binary::Equal => order == Some(Equal),
        Binary::NotEqual => order != Some(Equal),
        Binary::Less => order == Some(Less),
        Binary::LessEqual => matches!(order, Some(Less | Equal)),
        Binary::Greater => order == Some(Greater),
        Binary::GreaterEqual => matches!(order, Some(Greater | Equal)),
        _ => return None,
    };
    Some(u64::from(holds))
}

/// Component n; a scalar is every component.
pub(crate) fn component(bits: &[u64], n: usize) -> Option<u64> {
    bits.get(if bits.len() == 1 { 0 } else { n }).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(op: Binary, a: i32, b: i32) -> i32 {
        let bits = binary(op, Scalar::Int, Scalar::Int, u64::from(a as u32), u64::from(b as u32));
        bits.unwrap_or_default() as u32 as i32
    }

    #[test]
    fn integers_wrap_at_32_bits() {
        assert_eq!(int(Binary::Add, i32::MAX, 1), i32::MIN);
        assert_eq!(int(Binary::Mul, 65536, 65536), 0);
        assert_eq!(int(Binary::Div, -7, 2), -3);
        assert_eq!(int(Binary::Rem, -7, 2), -1);
        assert_eq!(int(Binary::Div, i32::MIN, -1), i32::MIN);
        assert_eq!(int(Binary::Div, 5, 0), -1);
        assert_eq!(int(Binary::Shr, -8, 1), -4);
        assert_eq!(int(Binary::Shl, 1, 33), 2);
    }

    #[test]
    fn floats_round_to_32_bits() {
        let sum = binary(Binary::Add, Scalar::Float, Scalar::Float, of_f32(16_777_216.0), of_f32(1.0));
        assert_eq!(sum, Some(of_f32(16_777_216.0)));
        let nan = of_f32(f32::NAN);
        assert_eq!(binary(Binary::Equal, Scalar::Float, Scalar::Float, nan, nan), Some(0));
        assert_eq!(binary(Binary::NotEqual, Scalar::Float, Scalar::Float, nan, nan), Some(1));
    }

    #[test]
    fn conversions_keep_within_bounds() {
        assert_eq!(convert(of_f32(-1.5), Scalar::Float, Scalar::Int) as u32 as i32, -1);
        assert_eq!(convert(of_f32(3e9), Scalar::Float, Scalar::Int) as u32 as i32, i32::MAX);
        assert_eq!(convert(u64::from(u32::MAX), Scalar::Uint, Scalar::Float), of_f32(4_294_967_296.0));
        assert_eq!(convert(u64::from(-1i32 as u32), Scalar::Int, Scalar::Uint64), u64::MAX);
        assert_eq!(convert(of_f32(0.5), Scalar::Float, Scalar::Bool), 1);
    }
}
