//! float24 arithmetic without branches, for values kept as binary32.
//!
//! The rules are those of [`FloatEnv::pica_hw24`](crate::FloatEnv::pica_hw24)
//! (spec section 5): subnormal operands and results count as zero, there is no
//! negative zero, zero times infinity is zero, overflow gives infinity, one NaN.
//!
//! Sums and products are computed in binary32, because that is eight lanes wide:
//! rounded to odd with the help of their exact rounding error, which 24 bits
//! allow for a result of 17, and then rounded once. Everything else goes through
//! binary64.

use chiaro_num::odd;

use crate::arith::{Arith, f};
use crate::env::FloatEnv;

/// The arithmetic; `NEAREST` rounds to nearest even, else toward zero.
#[derive(Clone, Copy, Debug)]
pub struct F24<const NEAREST: bool>;

/// Smallest normal float24, 2^-62, as binary32.
const SMALLEST: u32 = 0x2080_0000;
/// 2^64, beyond the largest, as binary32.
const TOO_LARGE: u32 = 0x5F80_0000;
/// The canonical NaN, raw 0x7F8000, as binary32.
const NAN: u32 = 0x7FC0_0000;
/// Bits of a binary64 mantissa that float24 lacks.
const SPARE: u32 = 52 - 16;

/// The operand as arithmetic reads it: no subnormals, no negative zero.
#[inline(always)]
fn flushed(a: u32) -> f32 {
    f(if a & 0x7FFF_FFFF < SMALLEST { 0 } else { a })
}

/// The top 9 of 17 significant bits.
#[inline(always)]
fn upper_half(x: f32) -> f32 {
    f(x.to_bits() & 0xFFFF_8000)
}

/// float24 of `x + error`, where `error` is what `x` lacks of the exact value.
/// An `error` that is no number (of infinities and NaNs) counts as none.
#[inline(always)]
fn round_once<const NEAREST: bool>(x: f32, error: f32) -> u32 {
    let bits = x.to_bits();
    let grows = (bits ^ error.to_bits()) >> 31 == 0;
    let odd = if grows { bits | 1 } else { bits.wrapping_sub(1) };
    // False for an error that is no number.
    let inexact = error.abs() > 0.0 && bits & 1 == 0;
    let odd = if inexact { odd } else { bits };
    let up = if NEAREST { 0x3F + (odd >> 7 & 1) } else { 0 };
    let rounded = odd.wrapping_add(up) & !0x7F;
    let magnitude = rounded & 0x7FFF_FFFF;
    let result = if magnitude < TOO_LARGE { rounded } else { rounded & 1 << 31 | 0x7F80_0000 };
    let result = if magnitude < SMALLEST { 0 } else { result };
    if x.is_nan() { NAN } else { result }
}

impl<const NEAREST: bool> Arith for F24<NEAREST> {
    type Quick = Self;

    #[inline(always)]
    fn new(_: &FloatEnv) -> Self {
        Self
    }

    #[inline(always)]
    fn number(self, a: u32) -> f64 {
        f64::from(f(a))
    }

    #[inline(always)]
    fn operand(self, a: u32) -> f64 {
        f64::from(f(if a & 0x7FFF_FFFF < SMALLEST { 0 } else { a }))
    }

    #[inline(always)]
    fn round(self, x: f64) -> u32 {
        let bits = x.to_bits();
        let up = if NEAREST { (1 << (SPARE - 1)) - 1 + ((bits >> SPARE) & 1) } else { 0 };
        let rounded = f64::from_bits(bits.wrapping_add(up) & !((1 << SPARE) - 1));
        let magnitude = rounded.abs();
        let narrow = (rounded as f32).to_bits();
        let infinity = narrow & 1 << 31 | 0x7F80_0000;
        let result = if magnitude < 18_446_744_073_709_551_616.0 { narrow } else { infinity };
        // 2^-62; zeros of both signs end here, too.
        let result = if magnitude < 2.168_404_344_971_009e-19 { 0 } else { result };
        if x.is_nan() { NAN } else { result }
    }

    #[inline(always)]
    fn add(self, a: u32, b: u32) -> u32 {
        let (a, b) = (flushed(a), flushed(b));
        let sum = a + b;
        let b_part = sum - a;
        let error = (a - (sum - b_part)) + (b - b_part);
        round_once::<NEAREST>(sum, error)
    }

    #[inline(always)]
    fn mul(self, a: u32, b: u32) -> u32 {
        let (a, b) = (flushed(a), flushed(b));
        let product = a * b;
        // Halves of at most 9 bits, whose products are exact.
        let (a_high, b_high) = (upper_half(a), upper_half(b));
        let (a_low, b_low) = (a - a_high, b - b_high);
        let error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
        let ruled = product.is_nan() && !(a.is_nan() || b.is_nan());
        let result = round_once::<NEAREST>(product, error);
        if ruled { 0 } else { result }
    }

    #[inline(always)]
    fn fma(self, a: u32, b: u32, c: u32) -> u32 {
        let (a, b) = (self.operand(a), self.operand(b));
        let product = a * b;
        let ruled = product.is_nan() && !(a.is_nan() || b.is_nan());
        self.round(odd::add(if ruled { 0.0 } else { product }, self.operand(c)))
    }

    #[inline(always)]
    fn div(self, a: u32, b: u32) -> u32 {
        // A quotient of two numbers of 17 bits is never within 2^-53 of a number
        // of 17 bits or a tie without being it, so binary64's rounding is harmless.
        self.round(self.operand(a) / self.operand(b))
    }

    #[inline(always)]
    fn sqrt(self, a: u32) -> u32 {
        self.round(self.operand(a).sqrt())
    }

    #[inline(always)]
    fn rsq(self, a: u32) -> u32 {
        self.round(1.0 / self.operand(a).sqrt())
    }

    #[inline(always)]
    fn neg(self, a: u32) -> u32 {
        if a << 1 == 0 { 0 } else { a ^ 1 << 31 }
    }

    #[inline(always)]
    fn one(self) -> u32 {
        1.0_f32.to_bits()
    }

    #[inline(always)]
    fn less(self, a: u32, b: u32) -> bool {
        f(a) < f(b)
    }

    #[inline(always)]
    fn less_equal(self, a: u32, b: u32) -> bool {
        f(a) <= f(b)
    }

    #[inline(always)]
    fn equal(self, a: u32, b: u32) -> bool {
        f(a) == f(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::Any;
    use chiaro_num::Rounding;

    const INF: f32 = f32::INFINITY;

    /// What was seen on consoles (spec section 5). [3dbrew] [gpu-tests]
    fn console<E: Arith>(e: E) {
        let bits = |x: f32| x.to_bits();
        let is = |found: u32, expected: f32| {
            let same = found == expected.to_bits() || f(found).is_nan() && expected.is_nan();
            assert!(same, "{found:08x} instead of {expected}");
        };
        let [smallest, subnormal] = [-62, -70].map(|n| 2_f32.powi(n));
        is(e.mul(bits(INF), 0), 0.0);
        is(e.mul(0, bits(-INF)), 0.0);
        is(e.mul(bits(f32::NAN), 0), f32::NAN);
        is(e.add(bits(INF), bits(-INF)), f32::NAN);
        is(e.add(e.mul(bits(INF), 0), bits(1.0)), 1.0);
        is(e.rsq(e.rcp(bits(-INF))), INF);
        is(e.rcp(bits(-0.0)), INF);
        is(e.rcp(bits(INF)), 0.0);
        is(e.rcp(bits(f32::NAN)), f32::NAN);
        is(e.rsq(bits(-0.0)), INF);
        is(e.rsq(bits(1.0)), 1.0);
        is(e.rsq(bits(INF)), 0.0);
        for x in [-1.0, -2.0, -INF, f32::NAN] {
            is(e.rsq(bits(x)), f32::NAN);
        }
        is(e.exp2(bits(-INF)), 0.0);
        is(e.log2(e.rcp(bits(-INF))), -INF);
        is(e.log2(bits(-1.0)), f32::NAN);
        is(e.floor(bits(-0.1)), -1.0);
        assert!(!e.equal(bits(subnormal), 0));
        is(e.mul(bits(subnormal), bits(2.0)), 0.0);
        is(e.mul(bits(smallest), bits(0.5)), 0.0);
        let halved = (0..63).fold(bits(1.0), |x, _| e.mul(x, bits(0.5)));
        is(halved, 0.0);
    }

    #[test]
    fn as_seen_on_consoles() {
        console(F24::<true>);
        console(F24::<false>);
        console(Any::new(&FloatEnv::pica_hw24(Rounding::NearestEven)));
        console(Any::new(&FloatEnv::pica_hw24(Rounding::TowardZero)));
    }
}
