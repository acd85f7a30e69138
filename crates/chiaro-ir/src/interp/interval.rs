//! Interval arithmetic: floats with an error, the arbiter for tolerance (design section 7, c2).
//!
//! A float is a binary64 and a bound of how far another correct implementation may be from
//! it. Every operation adds what a [`Precision`] allows it. Where a decision depends on a
//! value that lies closer to its threshold than its error, the lane is inconclusive: its
//! output may differ for good reason and proves nothing.

use super::arith;
use super::domain::{Domain, Inconclusive, Note};
pub use super::terms::Rounding;
use super::terms::Terms;
use crate::Op;

/// Bits of a narrow float, and of its significand.
const HALF: u8 = 16;
const HALF_BITS: u8 = 11;
/// The same of a wide one.
const DOUBLE: u8 = 64;
const DOUBLE_BITS: u8 = 53;
/// The smallest narrow number above zero, 2^-24.
pub const HALF_TINY: f64 = 5.960464477539063e-8;
/// What a function of an angle may be off by.
const HALF_ANGLE: f64 = 7.8125e-3;

/// What an implementation may be off by, in units in the last place of the result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Precision {
    /// Bits of the significand, the hidden one included.
    pub bits: u8,
    /// Sums, differences, products.
    pub basic: f64,
    /// For compilers that may take sums and products in another order: what each rounding on the
    /// way costs, in place of `basic`.
    pub regrouped: Option<Rounding>,
    /// Quotients and roots.
    pub quotient: f64,
    /// Exponents, logarithms, powers: relative to the result, and to its exponent.
    pub function: f64,
    /// Sine, cosine and the others: absolute, as a power of two.
    pub angle: f64,
    /// The same, relative to the result.
    pub others: f64,
    /// Magnitudes below this may be taken as zero.
    pub tiny: f64,
}

impl Precision {
    /// What Vulkan asks of 32-bit floats: sums correctly rounded, quotients within 2.5 ulp,
    /// roots within 2, exp and log within 3 + 2 |x|, sine and cosine within 2^-11.
    pub const VULKAN: Precision = Precision {
        bits: 24,
        basic: 1.0,
        regrouped: None,
        quotient: 2.5,
        function: 4.0,
        angle: 4.8828125e-4,
        others: 4096.0,
        tiny: 1.1754943508222875e-38,
    };

    /// The same of floats of a width. Those of 16 bits have 11 in the significand, nothing below normal numbers is lost of
    /// them, and what Vulkan asks of their functions is an error of 2^-7. Those of 64 bits are computed as exactly as the
    /// numbers here, whose own roundings count as well.
    #[must_use]
    pub fn of_width(self, width: u8) -> Precision {
        let rounding =
            |bits: u8, times: f64| self.regrouped.map(|own| Rounding { bits, ulps: times * own.ulps });
        match width {
            HALF if self.bits > HALF_BITS => Precision {
                bits: HALF_BITS,
                regrouped: rounding(HALF_BITS, 1.0),
                function: self.function.min(4.0),
                angle: self.angle.max(HALF_ANGLE),
                others: 8.0,
                tiny: HALF_TINY,
                ..self
            },
            DOUBLE if self.bits == Precision::VULKAN.bits => Precision {
                bits: DOUBLE_BITS,
                basic: 2.0 * self.basic,
                regrouped: rounding(DOUBLE_BITS, 2.0),
                tiny: f64::MIN_POSITIVE,
                ..self
            },
            _ => self,
        }
    }
}

/// A number and how far off it may be.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Fuzzy {
    /// The bits of what is no float.
    bits: u64,
    /// The number.
    pub value: f64,
    /// Its error, never negative; infinite when nothing is known.
    pub error: f64,
    width: u8,
    terms: Terms,
}

/// Floats with error intervals.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// What each operation adds.
    pub precision: Precision,
}

impl Interval {
    /// The same for floats of a width.
    fn of_width(&self, width: u8) -> Interval {
        Interval { precision: self.precision.of_width(width) }
    }

    fn ulp(&self, value: f64) -> f64 {
        let exponent = 1 - i32::from(self.precision.bits);
        (value.abs() * 2f64.powi(exponent)).max(self.precision.tiny)
    }

    /// What a number of more bits loses. Narrow ones may be rounded either way, through others between them as well.
    fn rounding(&self, value: f64, width: u8) -> f64 {
        match (arith::round(value, width) - value).abs() {
            lost if lost > 0.0 && width == HALF => self.rest(value, width),
            lost => lost,
        }
    }

    /// What lies between two narrow floats; of wider ones nothing is known here.
    fn rest(&self, value: f64, width: u8) -> f64 {
        if width == HALF { self.of_width(width).ulp(value) } else { 0.0 }
    }

    fn fuzzy(&self, value: f64, error: f64, width: u8) -> Fuzzy {
        let error = if error.is_nan() { f64::INFINITY } else { error };
        Fuzzy { bits: 0, value, error, width, terms: Terms::of(value) }
    }

    /// How far the result may be off because the operands are: the largest change at the
    /// corners of the box that they span.
    fn spread(&self, op: Op, args: [Fuzzy; 3], center: f64) -> f64 {
        let used = match op.info().shape {
            crate::Shape::Same(n) => n as usize,
            _ => 1,
        };
        // Of what may be anything, NaN too, corners say nothing.
        if is_undefined(op, args) || args[..used].iter().any(|a| a.error.is_infinite()) {
            return f64::INFINITY;
        }
        if args[..used].iter().all(|a| a.error == 0.0) {
            return 0.0;
        }
        if jumps(op, args) {
            return f64::INFINITY;
        }
        let mut worst: f64 = 0.0;
        for corner in 0..1u32 << used {
            let at = |i: usize| {
                let sign = if corner >> i & 1 == 1 { 1.0 } else { -1.0 };
                if i < used { args[i].value + sign * args[i].error } else { args[i].value }
            };
            let there = arith::float_op(op, 64, [at(0), at(1), at(2)]).unwrap_or(f64::NAN);
            worst = worst.max((there - center).abs());
            if there.is_nan() {
                worst = f64::INFINITY;
            }
        }
        // Corners bound monotone functions; the others turn within the box at most once here.
        match op {
            Op::FSin | Op::FCos => worst.max(args[0].error).min(2.0),
            Op::FAbs | Op::FMin | Op::FMax | Op::FClamp => worst,
            _ => worst * 1.0000001,
        }
    }

    /// What the operation itself may add.
    fn own(&self, op: Op, value: f64, args: [Fuzzy; 3]) -> f64 {
        let p = self.precision;
        let ulp = self.ulp(value);
        match op {
            Op::FNeg
            | Op::FAbs
            | Op::FSign
            | Op::FFloor
            | Op::FCeil
            | Op::FTrunc
            | Op::FRoundEven
            | Op::FMin
            | Op::FMax
            | Op::FClamp => 0.0,
            Op::FAdd | Op::FSub | Op::FMul | Op::FFract => p.basic * ulp,
            // Fused or not: the product may have been rounded.
            Op::Fma => p.basic * (ulp + self.ulp(args[0].value * args[1].value)),
            Op::FDiv | Op::FSqrt | Op::FRsqrt => p.quotient * ulp,
            // A remainder of a small negative number is rounded where the divisor is.
            Op::FRem | Op::FMod => p.quotient * self.ulp(args[0].value) + p.basic * ulp,
            Op::FExp | Op::FExp2 => (p.function + 2.0 * args[0].value.abs()) * ulp,
            Op::FLog | Op::FLog2 => p.function * ulp + 2f64.powi(3 - i32::from(p.bits)),
            // A power of zero is zero: its logarithm is not looked at.
            Op::FPow if args[0].value == 0.0 => ulp,
            Op::FPow => {
                let product = args[1].value * args[0].value.abs().ln();
                (p.function + 4.0 * product.abs()) * ulp
            }
            Op::FFrexpFraction | Op::FQuantize16 => ulp,
            // Whole turns are taken off first, which rounds where the operand does; outside of -π to π no
            // language promises anything.
            Op::FSin | Op::FCos => p.angle.max(ulp * p.others) + self.ulp(args[0].value),
            _ => p.angle.max(ulp * p.others),
        }
    }
}

/// The terms of an operation's result, where it adds or multiplies, or hands on what is a sum.
fn terms(op: Op, [a, b, c]: [Fuzzy; 3]) -> Option<Terms> {
    let product = || a.terms.product(b.terms, a.value, b.value);
    match op {
        Op::FAdd | Op::FSub => Some(a.terms.sum(b.terms)),
        Op::FMul => Some(product()),
        Op::Fma => Some(product().sum(c.terms)),
        Op::FNeg | Op::FAbs => Some(a.terms),
        // Where the bounds never matter, compilers leave them out and regroup across.
        Op::FMin | Op::FMax | Op::FClamp => {
            let value = arith::float_op(op, 64, [a.value, b.value, c.value])?;
            [a, b, c].into_iter().find(|s| s.value == value).map(|s| s.terms)
        }
        _ => None,
    }
}

/// Whether the languages leave the result open: powers of negative numbers, and of zero with an
/// exponent that is not positive.
fn is_undefined(op: Op, [a, b, _]: [Fuzzy; 3]) -> bool {
    let low = a.value - a.error;
    op == Op::FPow && (low < 0.0 || low == 0.0 && b.value - b.error <= 0.0)
}

/// Whether a pole or a step lies within the box that operands span, so that its corners bound
/// nothing.
fn jumps(op: Op, [a, b, _]: [Fuzzy; 3]) -> bool {
    let holds_zero = |s: Fuzzy| s.value.abs() <= s.error;
    let whole = |x: f64| (x / std::f64::consts::PI + 0.5).floor();
    match op {
        Op::FDiv | Op::FMod | Op::FRem => holds_zero(b),
        Op::FTan => whole(a.value - a.error) != whole(a.value + a.error),
        // From just below 1 to a half, where the exponent steps.
        Op::FFrexpFraction => {
            let exponent = |x: f64| libm::frexp(x).1;
            holds_zero(a) || exponent(a.value - a.error) != exponent(a.value + a.error)
        }
        // The cut lies along the negative x; at the origin every angle is near.
        Op::FAtan2 => holds_zero(a) && b.value - b.error <= 0.0,
        _ => false,
    }
}

/// Whether a difference may be none, or of the other sign; that of NaN may be.
fn is_near(difference: f64, error: f64) -> bool {
    error > 0.0 && (difference.is_nan() || difference.abs() <= error)
}

/// Whether an integer lies within the interval, so that rounding may go either way.
fn crosses(op: Op, s: Fuzzy) -> bool {
    let (low, high) = (s.value - s.error, s.value + s.error);
    match op {
        Op::FRoundEven => low.round_ties_even() != high.round_ties_even(),
        Op::FCeil => low.ceil() != high.ceil(),
        Op::FTrunc | Op::FRem => low.trunc() != high.trunc(),
        _ => low.floor() != high.floor(),
    }
}

impl Domain for Interval {
    type Scalar = Fuzzy;
    type Shadow = Fuzzy;

    fn bits(&self, s: Fuzzy) -> u64 {
        if s.width == 0 { s.bits } else { arith::bits(s.value, s.width) }
    }
    fn of_bits(&self, bits: u64) -> Fuzzy {
        Fuzzy { bits, ..Fuzzy::default() }
    }
    fn of_float(&self, bits: u64, width: u8) -> Fuzzy {
        self.fuzzy(arith::float(bits, width), 0.0, width)
    }
    fn value(&self, s: Fuzzy, _: u8) -> f64 {
        s.value
    }
    fn error(&self, s: Fuzzy) -> f64 {
        s.error
    }
    fn float_op(&self, op: Op, width: u8, args: [Fuzzy; 3], note: &mut Note) -> Fuzzy {
        let is_rest = matches!(op, Op::FMod | Op::FRem);
        let steps =
            is_rest || matches!(op, Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRoundEven | Op::FFract);
        let turned = match op {
            // The quotient is rounded, however exact its operands are.
            Op::FMod | Op::FRem => self.float_op(Op::FDiv, width, args, &mut Note::default()),
            _ => args[0],
        };
        if steps && turned.error > 0.0 && crosses(op, turned) {
            note.add(Inconclusive::Step);
        }
        if op == Op::FSign && is_near(args[0].value, args[0].error) {
            note.add(Inconclusive::Comparison);
        }
        let value = arith::float_op(op, 64, args.map(|a| a.value)).unwrap_or(0.0);
        if !arith::round(value, width).is_finite() {
            // It harms nobody who does not use it: what it is used for may be anything.
            return self.fuzzy(value, f64::INFINITY, width);
        }
        // Whole numbers are right, or the lane is inconclusive.
        let whole = steps && !is_rest && op != Op::FFract;
        let spread = if whole { 0.0 } else { self.spread(op, args, value) };
        let own = self.of_width(width);
        match (own.precision.regrouped, terms(op, args)) {
            (Some(rounding), Some(mut terms)) => {
                let charge = terms.charge(rounding);
                // What is too small for a normal number is flushed, however exact it is.
                let underflows = value != 0.0 && value.abs() < own.precision.tiny;
                let flushed = if charge > 0.0 || underflows { own.precision.tiny } else { 0.0 };
                Fuzzy { terms, ..self.fuzzy(value, spread + charge + flushed, width) }
            }
            _ => self.fuzzy(value, spread + own.own(op, value, args), width),
        }
    }
    fn float_test(&self, op: Op, _: u8, a: Fuzzy, b: Fuzzy, note: &mut Note) -> bool {
        let error = a.error + b.error;
        if matches!(op, Op::IsNan | Op::IsInf) {
            if a.error.is_infinite() {
                note.add(Inconclusive::NotFinite);
            }
            return arith::float_test(op, a.value, b.value);
        }
        if is_near(a.value - b.value, error) {
            note.add(if error.is_finite() { Inconclusive::Comparison } else { Inconclusive::NotFinite });
        }
        arith::float_test(op, a.value, b.value)
    }
    fn to_int(&self, s: Fuzzy, _: u8, to: u8, signed: bool, note: &mut Note) -> u64 {
        if s.error > 0.0 && crosses(Op::FTrunc, s) {
            note.add(Inconclusive::Step);
        }
        arith::to_int(s.value, to, signed)
    }
    fn of_int(&self, value: i128, width: u8) -> Fuzzy {
        let value = value as f64;
        self.fuzzy(value, self.rounding(value, width), width)
    }
    fn resize(&self, s: Fuzzy, from: u8, to: u8) -> Fuzzy {
        let inexact = if s.error > 0.0 { self.rest(s.value, to) } else { 0.0 };
        // What lies beside a tie may be rounded to the other side, which is as much further away.
        let carried = if to < from { 2.0 * s.error } else { s.error };
        self.fuzzy(s.value, carried + self.rounding(s.value, to).max(inexact), to)
    }
    fn scale(&self, s: Fuzzy, width: u8, power: i32) -> Fuzzy {
        let scale = |x| libm::ldexp(x, power);
        Fuzzy { terms: s.terms.scaled(power), ..self.fuzzy(scale(s.value), scale(s.error), width) }
    }
    fn shadow(&self, s: Fuzzy) -> Fuzzy {
        s
    }
    fn recall(&self, bits: u64, width: u8, shadow: Fuzzy) -> Fuzzy {
        // Somebody may have written the bytes as something else since.
        if shadow.width == width && arith::bits(shadow.value, width) == bits {
            shadow
        } else {
            self.of_float(bits, width)
        }
    }
}
