//! Arithmetic on one lane in a float environment.
//!
//! [`Any`] follows the environment's description step by step and is the
//! reference. [`Ieee`], [`ZeroRule`] and those in [`f16`](crate::f16) and [`f24`](crate::f24) are the
//! hot environments, fixed at compile time; the law test holds them to [`Any`].

use chiaro_num::odd;

use crate::env::{Denormals, FloatEnv, NanRule, Storage, ZeroTimesInfinity};
use crate::math;

/// Turns of a radian.
const TURNS: f64 = 0.5 / std::f64::consts::PI;

/// Operations of a float environment on values as slots hold them.
pub trait Arith: Copy {
    /// The same arithmetic without its rule for products of zero and infinity,
    /// where that is quicker: such products are then NaN, and so is every sum that
    /// they enter, so that engines can compute first and look afterwards. `Self`
    /// where nothing is gained.
    type Quick: Arith;
    /// [`Quick`](Arith::Quick) is not `Self`.
    const QUICK: bool = false;
    /// Slots hold binary32 whatever the format, so that nothing wider has to be compared.
    const BINARY32: bool = false;

    /// The arithmetic for `env`, which must be one that this type can do.
    fn new(env: &FloatEnv) -> Self;
    /// The value, subnormals included; exact.
    fn number(self, a: u32) -> f64;
    /// The value as arithmetic reads it: flushed where the environment says so.
    fn operand(self, a: u32) -> f64;
    /// To the format, rounded once.
    fn round(self, x: f64) -> u32;
    /// Sum.
    fn add(self, a: u32, b: u32) -> u32;
    /// Product.
    fn mul(self, a: u32, b: u32) -> u32;
    /// Product plus sum, rounded once.
    fn fma(self, a: u32, b: u32, c: u32) -> u32;
    /// Quotient.
    fn div(self, a: u32, b: u32) -> u32;
    /// Square root.
    fn sqrt(self, a: u32) -> u32;
    /// 1 / square root.
    fn rsq(self, a: u32) -> u32;
    /// The other sign, nothing else.
    fn neg(self, a: u32) -> u32;

    /// The bits of 1.
    #[inline(always)]
    fn one(self) -> u32 {
        if Self::BINARY32 { 1.0_f32.to_bits() } else { self.round(1.0) }
    }
    /// 1 / a.
    #[inline(always)]
    fn rcp(self, a: u32) -> u32 {
        self.div(self.one(), a)
    }
    /// a < b, without flushing.
    #[inline(always)]
    fn less(self, a: u32, b: u32) -> bool {
        if Self::BINARY32 { f(a) < f(b) } else { self.number(a) < self.number(b) }
    }
    /// a <= b, without flushing.
    #[inline(always)]
    fn less_equal(self, a: u32, b: u32) -> bool {
        if Self::BINARY32 { f(a) <= f(b) } else { self.number(a) <= self.number(b) }
    }
    /// a == b, without flushing.
    #[inline(always)]
    fn equal(self, a: u32, b: u32) -> bool {
        if Self::BINARY32 { f(a) == f(b) } else { self.number(a) == self.number(b) }
    }
    /// 2^a.
    #[inline(always)]
    fn exp2(self, a: u32) -> u32 {
        self.round(math::exp2(self.operand(a)))
    }
    /// Logarithm to base 2.
    #[inline(always)]
    fn log2(self, a: u32) -> u32 {
        self.round(math::log2(self.operand(a)))
    }
    /// Sine of a turns.
    #[inline(always)]
    fn sin(self, a: u32) -> u32 {
        self.round(math::sin_turns(self.operand(a)))
    }
    /// Cosine of a turns.
    #[inline(always)]
    fn cos(self, a: u32) -> u32 {
        self.round(math::cos_turns(self.operand(a)))
    }
    /// Sine of a radians: the angle in turns is rounded to binary64 alone.
    #[inline(always)]
    fn sin_radians(self, a: u32) -> u32 {
        self.round(math::sin_turns(self.operand(a) * TURNS))
    }
    /// Cosine of a radians.
    #[inline(always)]
    fn cos_radians(self, a: u32) -> u32 {
        self.round(math::cos_turns(self.operand(a) * TURNS))
    }
    /// Largest integer not above.
    #[inline(always)]
    fn floor(self, a: u32) -> u32 {
        self.round(self.operand(a).floor())
    }
    /// Integer toward zero.
    #[inline(always)]
    fn trunc(self, a: u32) -> u32 {
        self.round(self.operand(a).trunc())
    }
    /// Nearest integer.
    #[inline(always)]
    fn rint(self, a: u32) -> u32 {
        self.round(self.operand(a).round_ties_even())
    }
}

/// Any environment, described at run time: the reference.
#[derive(Clone, Copy, Debug)]
pub struct Any(FloatEnv);

impl Any {
    fn raw(self, a: u32) -> u32 {
        match self.0.storage {
            Storage::Raw => a,
            Storage::Binary32 => self.0.format.encode(f64::from(f32::from_bits(a)), self.0.encoding),
        }
    }

    fn store(self, raw: u32) -> u32 {
        match self.0.storage {
            Storage::Raw => raw,
            Storage::Binary32 => self.0.format.decode_f32(raw).to_bits(),
        }
    }

    /// The result of an operation: `x` encoded, or the NaN that the rule picks.
    fn result(self, x: f64, operands: &[u32]) -> u32 {
        if x.is_nan() {
            return self.nan(operands);
        }
        let x = if x == 0.0 && !self.0.negative_zero { 0.0 } else { x };
        let raw = self.0.format.encode(x, self.0.encoding);
        let negative_zero = raw == self.0.format.encode(-0.0, self.0.encoding);
        self.store(if negative_zero && !self.0.negative_zero { 0 } else { raw })
    }

    fn nan(self, operands: &[u32]) -> u32 {
        let quiet = self.store(self.0.format.nan());
        match self.0.nan {
            NanRule::Any | NanRule::Canonical => quiet,
            // The quiet bit is the only mantissa bit of the canonical NaN.
            NanRule::Propagate => {
                operands.iter().find(|a| self.number(**a).is_nan()).map_or(quiet, |a| a | quiet)
            }
            NanRule::PropagateLast => {
                operands.iter().rfind(|a| self.number(**a).is_nan()).map_or(quiet, |a| a | quiet)
            }
        }
    }

    /// The product before rounding, by the rule for zero and infinity.
    fn product(self, a: f64, b: f64) -> f64 {
        let zero = a == 0.0 || b == 0.0;
        let nan = a.is_nan() || b.is_nan();
        match self.0.zero_times_infinity {
            ZeroTimesInfinity::Zero if (a * b).is_nan() && !nan => 0.0,
            ZeroTimesInfinity::ZeroWins if zero => 0.0,
            _ => odd::mul(a, b),
        }
    }
}

impl Arith for Any {
    type Quick = Self;

    fn new(env: &FloatEnv) -> Self {
        Self(*env)
    }

    fn number(self, a: u32) -> f64 {
        match self.0.storage {
            Storage::Raw => self.0.format.decode(a),
            Storage::Binary32 => f64::from(f32::from_bits(a)),
        }
    }

    fn operand(self, a: u32) -> f64 {
        let x = self.number(a);
        let exponent_field = (self.raw(a) >> self.0.format.mantissa) & ((1 << self.0.format.exponent) - 1);
        let flushed = self.0.denormals == Denormals::Flush && exponent_field == 0;
        let x = if flushed { 0.0_f64.copysign(x) } else { x };
        if x == 0.0 && !self.0.negative_zero { 0.0 } else { x }
    }

    fn round(self, x: f64) -> u32 {
        self.result(x, &[])
    }

    fn add(self, a: u32, b: u32) -> u32 {
        self.result(odd::add(self.operand(a), self.operand(b)), &[a, b])
    }

    fn mul(self, a: u32, b: u32) -> u32 {
        self.result(self.product(self.operand(a), self.operand(b)), &[a, b])
    }

    fn fma(self, a: u32, b: u32, c: u32) -> u32 {
        let product = self.product(self.operand(a), self.operand(b));
        self.result(odd::add(product, self.operand(c)), &[a, b, c])
    }

    fn div(self, a: u32, b: u32) -> u32 {
        self.result(odd::div(self.operand(a), self.operand(b)), &[a, b])
    }

    fn sqrt(self, a: u32) -> u32 {
        self.result(odd::sqrt(self.operand(a)), &[a])
    }

    fn rsq(self, a: u32) -> u32 {
        if self.0.rsq_rounds_twice {
            return self.div(self.one(), self.sqrt(a));
        }
        // The root's own rounding to 53 bits is far below the format's last bit;
        // quotients near ties of float24 would need 2^-34 [unknown] anyway.
        self.result(odd::div(1.0, self.operand(a).sqrt()), &[a])
    }

    fn neg(self, a: u32) -> u32 {
        let sign = match self.0.storage {
            Storage::Binary32 => 1 << 31,
            Storage::Raw => 1 << (self.0.format.exponent + self.0.format.mantissa),
        };
        if !self.0.negative_zero && self.number(a) == 0.0 { 0 } else { a ^ sign }
    }

    fn floor(self, a: u32) -> u32 {
        self.result(self.operand(a).floor(), &[a])
    }

    fn trunc(self, a: u32) -> u32 {
        self.result(self.operand(a).trunc(), &[a])
    }

    fn rint(self, a: u32) -> u32 {
        self.result(self.operand(a).round_ties_even(), &[a])
    }
}

/// A slot's bits as binary32.
#[inline(always)]
pub(crate) fn f(a: u32) -> f32 {
    f32::from_bits(a)
}

/// [`FloatEnv::IEEE`] with `TWICE` for `rsq_rounds_twice`, `ZERO` for the PICA200 rule
/// that zero times infinity is zero, and `FLUSH` for subnormal numbers that count as zero.
#[derive(Clone, Copy, Debug)]
pub struct Binary32<const ZERO: bool, const TWICE: bool, const FLUSH: bool>;

/// [`FloatEnv::IEEE`].
pub type Ieee = Binary32<false, false, false>;
/// [`FloatEnv::PICA_EMU32`].
pub type ZeroRule = Binary32<true, true, false>;
/// [`FloatEnv::FLUSHING`].
pub type Flushing = Binary32<false, false, true>;

impl<const ZERO: bool, const TWICE: bool, const FLUSH: bool> Binary32<ZERO, TWICE, FLUSH> {
    /// The number, zero of the same sign where it is subnormal and those are flushed.
    #[inline(always)]
    fn kept(a: u32) -> u32 {
        let subnormal = a & 0x7F80_0000 == 0;
        if FLUSH && subnormal { a & 1 << 31 } else { a }
    }

    #[inline(always)]
    fn read(a: u32) -> f32 {
        f(Self::kept(a))
    }

    #[inline(always)]
    fn write(x: f32) -> u32 {
        Self::kept(x.to_bits())
    }
}

impl<const ZERO: bool, const TWICE: bool, const FLUSH: bool> Arith for Binary32<ZERO, TWICE, FLUSH> {
    type Quick = Binary32<false, TWICE, FLUSH>;
    const QUICK: bool = ZERO;
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
        f64::from(Self::read(a))
    }

    #[inline(always)]
    fn round(self, x: f64) -> u32 {
        Self::write(x as f32)
    }

    #[inline(always)]
    fn add(self, a: u32, b: u32) -> u32 {
        Self::write(Self::read(a) + Self::read(b))
    }

    #[inline(always)]
    fn mul(self, a: u32, b: u32) -> u32 {
        let (a, b) = (Self::read(a), Self::read(b));
        let product = a * b;
        let ruled = ZERO && product.is_nan() && !(a.is_nan() || b.is_nan());
        if ruled { 0 } else { Self::write(product) }
    }

    #[inline(always)]
    fn fma(self, a: u32, b: u32, c: u32) -> u32 {
        let (a, b, c) = (Self::read(a), Self::read(b), Self::read(c));
        let ruled = ZERO && (a * b).is_nan() && !(a.is_nan() || b.is_nan());
        Self::write(if ruled { 0.0 + c } else { a.mul_add(b, c) })
    }

    #[inline(always)]
    fn div(self, a: u32, b: u32) -> u32 {
        Self::write(Self::read(a) / Self::read(b))
    }

    #[inline(always)]
    fn sqrt(self, a: u32) -> u32 {
        Self::write(Self::read(a).sqrt())
    }

    #[inline(always)]
    fn rsq(self, a: u32) -> u32 {
        if TWICE { Self::write(1.0 / Self::read(a).sqrt()) } else { self.round(1.0 / self.operand(a).sqrt()) }
    }

    #[inline(always)]
    fn neg(self, a: u32) -> u32 {
        a ^ 1 << 31
    }

    #[inline(always)]
    fn floor(self, a: u32) -> u32 {
        Self::write(Self::read(a).floor())
    }

    #[inline(always)]
    fn trunc(self, a: u32) -> u32 {
        Self::write(Self::read(a).trunc())
    }

    #[inline(always)]
    fn rint(self, a: u32) -> u32 {
        Self::write(Self::read(a).round_ties_even())
    }
}
