//! The arithmetic of [`FloatEnv::FLUSHING_BEFORE`]: binary32 in which a result below the least normal number is
//! zero before it is rounded, and every NaN is the canonical one.
//!
//! The processor rounds first, so results that it makes the least normal number are looked at again. Of sums
//! there are none: those of normal numbers are exact there. Of products the error's sign tells; of products
//! plus sums [`Quick`] gives a NaN, and whoever sees one computes again.

use chiaro_num::odd;

use crate::arith::{Arith, f};
use crate::env::FloatEnv;

/// Bits of the least normal number.
const LEAST: u32 = 0x0080_0000;
/// All bits but the sign.
const MAGNITUDE: u32 = 0x7fff_ffff;
const NAN: u32 = 0x7fc0_0000;

/// The arithmetic, exact in every case.
#[derive(Clone, Copy, Debug)]
pub struct Early;

/// The same, but a product plus sum that is rounded to the least normal number is NaN.
#[derive(Clone, Copy, Debug)]
pub struct Quick;

/// The number, zero of the same sign where it is subnormal.
#[inline(always)]
fn kept(a: u32) -> u32 {
    if a & 0x7f80_0000 == 0 { a & !MAGNITUDE } else { a }
}

#[inline(always)]
fn read(a: u32) -> f32 {
    f(kept(a))
}

/// A result that was not rounded up from below the least normal number.
#[inline(always)]
fn write(x: f32) -> u32 {
    if x.is_nan() { NAN } else { kept(x.to_bits()) }
}

/// A result that is exact in binary64, or near enough to tell it from the least normal number.
#[inline(always)]
fn round(x: f64) -> u32 {
    if x.abs() < f64::from(f32::MIN_POSITIVE) { write(0f32.copysign(x as f32)) } else { write(x as f32) }
}

#[inline(always)]
fn mul(a: u32, b: u32) -> u32 {
    let (a, b) = (read(a), read(b));
    let product = (a * b).to_bits();
    // The error of the least normal number is negative where the product itself was smaller.
    let error = a.abs().mul_add(b.abs(), -f(product & MAGNITUDE));
    let smaller = product & MAGNITUDE == LEAST && error.is_sign_negative();
    if smaller { product & !MAGNITUDE } else { write(f(product)) }
}

/// What both have in common.
macro_rules! arith {
    ($name:ident, $quick:ty, $is_quick:literal, $fma:expr) => {
        impl Arith for $name {
            type Quick = $quick;
            const QUICK: bool = $is_quick;
            const BINARY32: bool = true;

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
                f64::from(read(a))
            }
            #[inline(always)]
            fn round(self, x: f64) -> u32 {
                round(x)
            }
            #[inline(always)]
            fn add(self, a: u32, b: u32) -> u32 {
                write(read(a) + read(b))
            }
            #[inline(always)]
            fn mul(self, a: u32, b: u32) -> u32 {
                mul(a, b)
            }
            #[inline(always)]
            fn fma(self, a: u32, b: u32, c: u32) -> u32 {
                $fma(a, b, c)
            }
            // A quotient of two numbers of 24 bits is never so near to a power of two that binary64 misses it.
            #[inline(always)]
            fn div(self, a: u32, b: u32) -> u32 {
                round(f64::from(read(a)) / f64::from(read(b)))
            }
            #[inline(always)]
            fn sqrt(self, a: u32) -> u32 {
                write(read(a).sqrt())
            }
            #[inline(always)]
            fn rsq(self, a: u32) -> u32 {
                round(1.0 / self.operand(a).sqrt())
            }
            #[inline(always)]
            fn neg(self, a: u32) -> u32 {
                a ^ !MAGNITUDE
            }
        }
    };
}

arith!(Early, Quick, true, |a, b, c| {
    let product = f64::from(read(a)) * f64::from(read(b));
    let sum = odd::add(product, f64::from(read(c)));
    round(sum)
});
arith!(Quick, Quick, false, |a, b, c| {
    let sum = read(a).mul_add(read(b), read(c)).to_bits();
    if sum & MAGNITUDE == LEAST { NAN } else { write(f(sum)) }
});
