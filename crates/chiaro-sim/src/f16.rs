//! binary16 arithmetic without branches, for values kept as their own 16 bits.
//!
//! Sums, products, quotients and roots are computed in binary32, which has more than twice the
//! digits and two: rounding its result once more is as good as rounding once. Everything else
//! goes through binary64, rounded to odd on the way.

use chiaro_num::odd;

use crate::arith::{Arith, f};
use crate::env::FloatEnv;

/// The arithmetic of [`FloatEnv::HALF`].
#[derive(Clone, Copy, Debug)]
pub struct Half;

/// Exponent and mantissa bits.
const MAGNITUDE: u32 = 0x7fff;
const SIGN: u32 = 0x8000;
const INFINITY: u32 = 0x7c00;
const NAN: u32 = 0x7e00;

/// The value as binary32; exact.
#[inline(always)]
pub(crate) fn wide(a: u32) -> f32 {
    // The exponent's bias differs by 112; subnormals come out right as well.
    let scaled = f((a & MAGNITUDE) << 13) * f((127 + 112) << 23);
    let special = if a & INFINITY == INFINITY { 0xff << 23 } else { 0 };
    f(scaled.to_bits() | special | (a & SIGN) << 16)
}

/// The nearest binary16, ties to even; one NaN, as the reference gives.
#[inline(always)]
fn narrow(x: f32) -> u32 {
    const SMALLEST_NORMAL: u32 = (127 - 14) << 23;
    const TOO_LARGE: u32 = (127 + 16) << 23;
    let magnitude = x.to_bits() & 0x7fff_ffff;
    let rebiased = magnitude.wrapping_sub(112 << 23);
    let normal = rebiased.wrapping_add(0xfff + (rebiased >> 13 & 1)) >> 13;
    // Adding a half leaves the units of subnormals in the lowest bits.
    let subnormal = (f(magnitude) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let finite = if magnitude < SMALLEST_NORMAL { subnormal } else { normal };
    let limited = if magnitude < TOO_LARGE { finite } else { INFINITY };
    let signed = limited | x.to_bits() >> 16 & SIGN;
    if magnitude > 0xff << 23 { NAN } else { signed }
}

/// binary32 of a binary64, rounded to odd.
#[inline(always)]
fn odd32(x: f64) -> f32 {
    let near = x as f32;
    let error = x - f64::from(near);
    let bits = near.to_bits();
    let grows = (x.is_sign_negative()) == (error.is_sign_negative());
    let odd = if grows { bits | 1 } else { bits.wrapping_sub(1) };
    let exact = error == 0.0 || error.is_nan() || bits & 1 == 1;
    if exact { near } else { f(odd) }
}

impl Arith for Half {
    type Quick = Self;

    #[inline(always)]
    fn new(_: &FloatEnv) -> Self {
        Self
    }

    #[inline(always)]
    fn number(self, a: u32) -> f64 {
        wide(a).into()
    }

    #[inline(always)]
    fn operand(self, a: u32) -> f64 {
        wide(a).into()
    }

    #[inline(always)]
    fn round(self, x: f64) -> u32 {
        narrow(odd32(x))
    }

    #[inline(always)]
    fn add(self, a: u32, b: u32) -> u32 {
        narrow(wide(a) + wide(b))
    }

    #[inline(always)]
    fn mul(self, a: u32, b: u32) -> u32 {
        narrow(wide(a) * wide(b))
    }

    #[inline(always)]
    fn fma(self, a: u32, b: u32, c: u32) -> u32 {
        self.round(odd::add(self.number(a) * self.number(b), self.number(c)))
    }

    #[inline(always)]
    fn div(self, a: u32, b: u32) -> u32 {
        narrow(wide(a) / wide(b))
    }

    #[inline(always)]
    fn sqrt(self, a: u32) -> u32 {
        narrow(wide(a).sqrt())
    }

    #[inline(always)]
    fn rsq(self, a: u32) -> u32 {
        self.round(odd::div(1.0, self.number(a).sqrt()))
    }

    #[inline(always)]
    fn neg(self, a: u32) -> u32 {
        a ^ SIGN
    }
}

#[cfg(test)]
mod tests {
    use super::{Half, narrow, wide};
    use crate::arith::Arith;
    use crate::env::FloatEnv;
    use chiaro_num::F16;

    /// Every number of the format, and both sides of every tie.
    #[test]
    fn conversions_are_those_of_the_format() {
        let encode = |x: f64| F16.encode(x, FloatEnv::HALF.encoding);
        for a in 0..=0xffffu32 {
            let x = F16.decode_f32(a);
            assert!(wide(a) == x || x.is_nan() && wide(a).is_nan(), "{a:#x}");
            if x.is_nan() || a & 0x7fff == 0x7c00 {
                continue;
            }
            let tie = (f64::from(x) + F16.decode(a + 1)) / 2.0;
            for y in [f64::from(x), tie, tie * (1.0 + 1e-15), tie * (1.0 - 1e-15)]
                .into_iter()
                .filter(|y| y.is_finite())
            {
                assert_eq!(Half::new(&FloatEnv::HALF).round(y), encode(y), "{y:e}");
                assert_eq!(narrow(y as f32), encode(f64::from(y as f32)), "{y:e}");
            }
        }
    }
}
