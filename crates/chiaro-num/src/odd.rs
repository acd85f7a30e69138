//! Arithmetic rounded to odd, for results that are rounded once more.
//!
//! A machine's operation rounds its exact result once. Computing in binary64
//! and rounding again would round twice, which is wrong for ties; computing
//! with [`Rounding::Odd`](crate::Rounding::Odd) keeps "not exact" in the last
//! bit, so that a second rounding to at most 51 bits is as good as one.
//!
//! All functions take operands that came from binary32 or narrower formats, so
//! that nothing overflows or underflows binary64 on the way.

/// `x`, whose exact value is `x + error`, rounded to odd instead.
/// `error` must be below one unit in the last place of `x`.
#[inline(always)]
#[must_use]
pub fn to_odd(x: f64, error: f64) -> f64 {
    let bits = x.to_bits();
    let even = bits & 1 == 0;
    // Away from zero or back to it; an odd `x` already says "not exact".
    let grows = (bits ^ error.to_bits()) >> 63 == 0;
    let odd = if grows { bits | 1 } else { bits.wrapping_sub(1) };
    let exact = error == 0.0 || error.is_nan();
    if even && !exact { f64::from_bits(odd) } else { x }
}

/// Sum, rounded to odd.
#[inline(always)]
#[must_use]
pub fn add(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    to_odd(sum, error)
}

/// Product; exact for operands of at most 26 significant bits.
#[inline(always)]
#[must_use]
pub fn mul(a: f64, b: f64) -> f64 {
    a * b
}

/// Quotient, rounded to odd.
#[inline(always)]
#[must_use]
pub fn div(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    if quotient == 0.0 || !quotient.is_finite() || !b.is_finite() {
        return quotient;
    }
    let rest = quotient.mul_add(-b, a);
    let error = if b < 0.0 { -rest } else { rest };
    to_odd(quotient, error)
}

/// Square root, rounded to odd.
#[inline(always)]
#[must_use]
pub fn sqrt(a: f64) -> f64 {
    let root = a.sqrt();
    if root.is_finite() { to_odd(root, root.mul_add(-root, a)) } else { root }
}

/// `a * b + c`, rounded to odd once; operands of at most 26 significant bits.
#[inline(always)]
#[must_use]
pub fn fma(a: f64, b: f64, c: f64) -> f64 {
    add(a * b, c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Encoding, F24, Rounding};

    #[test]
    fn sums_round_once() {
        // A tie broken by a bit far below: rounding twice would go to even.
        let (a, b) = (F24.decode(0x3F_0000) + 2f64.powi(-17), 2f64.powi(-60));
        let nearest = |x| F24.encode(x, Encoding::default());
        assert_eq!(nearest(a + b), 0x3F_0000);
        assert_eq!(nearest(add(a, b)), 0x3F_0001);
        let down = |x| F24.encode(x, Encoding { rounding: Rounding::TowardZero, ..Encoding::default() });
        assert_eq!(down(1.0 - 2f64.powi(-80)), 0x3F_0000);
        assert_eq!(down(add(1.0, -(2f64.powi(-80)))), 0x3E_FFFF);
    }

    #[test]
    fn special_values_pass() {
        assert_eq!(add(f64::INFINITY, 1.0), f64::INFINITY);
        assert!(add(f64::INFINITY, f64::NEG_INFINITY).is_nan());
        assert_eq!(div(1.0, 0.0), f64::INFINITY);
        assert_eq!(div(1.0, f64::INFINITY), 0.0);
        assert_eq!(sqrt(4.0), 2.0);
        assert!(sqrt(-1.0).is_nan());
        assert_eq!(sqrt(f64::INFINITY), f64::INFINITY);
    }
}
