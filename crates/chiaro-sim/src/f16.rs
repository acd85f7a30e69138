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
pub(crate) const NAN: u32 = 0x7e00;

/// The value as binary32; exact.
#[inline(always)]
pub(crate) fn wide(a: u32) -> f32 {
    // Sign and magnitude in their places; the exponent's bias differs by 112, and subnormals come out right as well.
    let placed = ((a << 16) as i32 >> 3) as u32 & (SIGN << 16 | MAGNITUDE << 13);
    let scaled = (f(placed) * f((127 + 112) << 23)).to_bits();
    f(if a & INFINITY == INFINITY { scaled | 0xff << 23 } else { scaled })
}

/// The nearest binary16, ties to even; one NaN, as the reference gives.
#[inline(always)]
fn narrow(x: f32) -> u32 {
    const SMALLEST_NORMAL: u32 = (127 - 14) << 23;
    const EXPONENT: u32 = 0xff << 23;
    // Beside a power of two 13 above it, the units of the result are the lowest bits of the sum: the machine rounds.
    let exponent = (x.to_bits() & EXPONENT).max(SMALLEST_NORMAL);
    let large = exponent.wrapping_add(13 << 23);
    let units = (x.abs() + f(large)).to_bits().wrapping_sub(large);
    // The units have the leading one. What is too large comes out above infinity, also where `large` wraps around.
    let magnitude = units.wrapping_add(exponent >> 13).wrapping_sub(113 << 10).min(INFINITY);
    let signed = magnitude | x.to_bits() >> 16 & SIGN;
    if x.is_nan() { NAN } else { signed }
}

/// binary32 of a binary64, rounded to odd.
#[inline(always)]
fn odd32(x: f64) -> f32 {
    let near = x as f32;
    to_odd(near, (x - f64::from(near)) as f32)
}

/// A number that is rounded to the nearest, and what it lost, rounded to odd instead. Only the sign of what is lost
/// counts, and whether it is anything: no number means that nothing is, as the rounded one is infinite.
#[inline(always)]
fn to_odd(near: f32, lost: f32) -> f32 {
    let bits = near.to_bits();
    let grows = near.is_sign_negative() == lost.is_sign_negative();
    let odd = if grows { bits | 1 } else { bits.wrapping_sub(1) };
    let exact = lost == 0.0 || lost.is_nan() || bits & 1 == 1;
    if exact { near } else { f(odd) }
}

/// A sum of binary32, rounded to odd. What rounding to the nearest loses has to be exact in binary32, as it is of a
/// product of two binary16 and a third one.
#[inline(always)]
pub(crate) fn odd_sum(a: f32, b: f32) -> f32 {
    let sum = a + b;
    let part = sum - a;
    to_odd(sum, (a - (sum - part)) + (b - part))
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
        // The product of two is exact in binary32.
        narrow(odd_sum(wide(a) * wide(b), wide(c)))
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

    /// Numbers of all sizes, far beyond those of the format too.
    #[test]
    fn numbers_of_all_sizes_are_rounded() {
        for (exponent, mantissa) in
            (0..=0xffu32).flat_map(|e| [0, 1, 0x1000, 0x5555, 0x7f_ffff].map(|m| (e, m)))
        {
            let x = f32::from_bits(exponent << 23 | mantissa);
            for x in [x, -x] {
                let expected = F16.encode(x.into(), FloatEnv::HALF.encoding);
                assert!(narrow(x) == expected || x.is_nan() && narrow(x) == super::NAN, "{x:e}");
            }
        }
    }

    /// A product and a sum, rounded once: numbers of every size, and those that nearly cancel.
    #[test]
    fn sums_of_products_are_rounded_once() {
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 16
        };
        for n in 0..200_000 {
            let (a, b) = (random(), random());
            let near = Half.neg(Half.mul(a, b)) ^ (random() & 3);
            let c = if n % 2 == 0 { random() } else { near };
            let exact = chiaro_num::odd::add(F16.decode(a) * F16.decode(b), F16.decode(c));
            let expected = F16.encode(exact, FloatEnv::HALF.encoding);
            let found = Half.fma(a, b, c);
            let both = F16.decode(found).is_nan() && F16.decode(expected).is_nan();
            assert!(found == expected || both, "{a:#x} * {b:#x} + {c:#x}: {found:#x} for {expected:#x}");
        }
    }

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
