//! Transcendental functions in binary64, for operands and results of binary32.
//!
//! Branch-free, from additions, multiplications, divisions and bit operations
//! alone: they vectorise, and they give the same bits on every machine, which
//! the C library does not. Relative error below 2^-36, so that rounding the
//! result to binary32 is within 0.501 ulp of the exact value.

use std::f64::consts::{LN_2, TAU};

/// Adding and subtracting this rounds to the nearest integer, for magnitudes
/// below 2^51; the sum's low bits are that integer.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// 2^x for a binary32 x; 0 and infinity beyond the range of binary32.
#[inline(always)]
#[must_use]
pub fn exp2(x: f64) -> f64 {
    // Outside of this, binary32 holds only 0 and infinity.
    let near = if x < 200.0 { x } else { 200.0 };
    let near = if near > -200.0 { near } else { -200.0 };
    let shifted = near + ROUND;
    let t = (near - (shifted - ROUND)) * LN_2;
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1.0_f64.to_bits()));
    let result = power * polynomial(t, EXP);
    let result = if x.is_infinite() { if x > 0.0 { x } else { 0.0 } } else { result };
    if x.is_nan() { x } else { result }
}

/// Coefficients of e^t, 1/k!, the highest first.
const EXP: [f64; 11] = [
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
];

/// Logarithm of x to base 2; -inf for zero, NaN for negative x. Exact for
/// powers of two. x must not be subnormal in binary64.
#[inline(always)]
#[must_use]
pub fn log2(x: f64) -> f64 {
    // x = 2^k * m with m from sqrt(1/2) to sqrt(2), so that x near 1 has k = 0.
    const SQRT_HALF: u64 = 0x3FE6_A09E_667F_3BCD;
    const BIAS: u64 = 1023 << 52;
    let offset = x.to_bits().wrapping_sub(SQRT_HALF).wrapping_add(BIAS);
    let m = f64::from_bits((offset & ((1 << 52) - 1)).wrapping_add(SQRT_HALF));
    // The biased k as the low bits of a number with the unit 1.
    let k = f64::from_bits(offset >> 52 | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0);
    let s = (m - 1.0) / (m + 1.0);
    let result = k + s * polynomial(s * s, LOG);
    let result = if x == f64::INFINITY { x } else { result };
    let result = if x == 0.0 { f64::NEG_INFINITY } else { result };
    if x < 0.0 || x.is_nan() { f64::NAN } else { result }
}

/// log2((1 + s) / (1 - s)) / s in powers of s^2: 2 / ((2k + 1) ln 2).
const LOG: [f64; 8] = {
    let mut c = [0.0; 8];
    let mut k = 0;
    while k < 8 {
        c[7 - k] = 2.0 / ((2 * k + 1) as f64 * LN_2);
        k += 1;
    }
    c
};

/// Sine of x full turns; NaN for infinity.
#[inline(always)]
#[must_use]
pub fn sin_turns(x: f64) -> f64 {
    sin_within(fraction(x), x)
}

/// Cosine of x full turns; NaN for infinity.
#[inline(always)]
#[must_use]
pub fn cos_turns(x: f64) -> f64 {
    sin_within(fraction(fraction(x) + 0.25), x)
}

/// x without its nearest integer; exact.
#[inline(always)]
fn fraction(x: f64) -> f64 {
    // A binary32 of 2^24 or more is an integer.
    let small = if x.abs() < 16_777_216.0 { x } else { 0.0 };
    small - ((small + ROUND) - ROUND)
}

/// Sine of f turns, f from -1/2 to 1/2; the NaN of `original`.
#[inline(always)]
fn sin_within(f: f64, original: f64) -> f64 {
    let half = if f < 0.0 { -0.5 } else { 0.5 };
    let folded = if f.abs() > 0.25 { half - f } else { f };
    let t = folded * TAU;
    let result = t * polynomial(t * t, SIN);
    if original.is_finite() { result } else { f64::NAN }
}

/// sin(t) / t in powers of t^2: (-1)^k / (2k + 1)!, the highest first.
const SIN: [f64; 10] = {
    let mut c = [0.0; 10];
    let mut term = 1.0;
    let mut k = 0;
    while k < 10 {
        c[9 - k] = term;
        term /= -(((2 * k + 2) * (2 * k + 3)) as f64);
        k += 1;
    }
    c
};

/// Horner's rule, the highest coefficient first.
#[inline(always)]
fn polynomial<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    let mut sum = 0.0;
    let mut k = 0;
    while k < N {
        sum = sum * x + coefficients[k];
        k += 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use chiaro_num::ulp;

    /// binary32 values: all exponents, both signs, a few thousand each.
    fn values() -> impl Iterator<Item = f32> {
        (0..=u32::MAX).step_by(4099).map(f32::from_bits).chain([0.0, -0.0, 1.0, 0.5, 2.0, f32::INFINITY])
    }

    #[test]
    fn exponential_and_logarithm_agree_with_the_host() {
        for x in values() {
            let (e, l) = (exp2(f64::from(x)) as f32, log2(f64::from(x)) as f32);
            assert!(ulp::distance(e, x.exp2()) <= 1, "exp2 {x:e}: {e:e}");
            assert!(ulp::distance(l, x.log2()) <= 1, "log2 {x:e}: {l:e}");
        }
        for k in -149..128 {
            assert_eq!(exp2(f64::from(k)) as f32, 2_f64.powi(k) as f32);
            assert_eq!(log2(2_f64.powi(k)), f64::from(k));
        }
    }

    #[test]
    fn circle() {
        for x in values().filter(|x| x.abs() < 1e3) {
            let turn = f64::from(x).fract() * TAU;
            assert!((sin_turns(f64::from(x)) - turn.sin()).abs() < 1e-12, "{x}");
            assert!((cos_turns(f64::from(x)) - turn.cos()).abs() < 1e-12, "{x}");
        }
        assert_eq!((sin_turns(0.5), cos_turns(0.25), sin_turns(0.25)), (0.0, 0.0, sin_turns(0.25)));
        assert!(sin_turns(f64::INFINITY).is_nan());
    }
}
