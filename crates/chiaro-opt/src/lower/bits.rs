//! Shifts and bits of integers that are floats: by powers of two.
//!
//! A shift is a product. The bits above a place are a quotient rounded down, those below it
//! what is left: so a constant mask is a few sums, one for each run of ones, and negative
//! numbers behave as in two's complement. Bits of two numbers that are both unknown are compared
//! one by one, as many as their ranges say, if the machine has room for that: `a | b` and `a ^ b`
//! follow from `a & b`, in an order in which nothing grows beyond the operands' own range.

use chiaro_ir::{Op, Value};

use super::arith::Arith;
use super::facts::Lower;

/// Bits of an integer in the shader.
const WIDTH: u32 = 32;

/// What is known of the operands of an operation on bits.
pub(super) struct Known {
    /// Those that are constants.
    pub(super) constants: Vec<Option<f64>>,
    /// Whether the first one is never negative.
    pub(super) is_natural: bool,
    /// Bits that tell the numbers of all operands from each other.
    pub(super) places: u32,
    /// Whether any may be negative.
    pub(super) is_signed: bool,
}

impl Known {
    fn constant(&self, n: usize) -> Option<f64> {
        self.constants.get(n).copied().flatten()
    }
}

/// An operation on bits. `None` if there is no exact form.
pub(super) fn bits(b: &mut Lower<'_, '_>, op: Op, args: &[Value], known: &Known) -> Option<Value> {
    let (&x, y) = (args.first()?, args.get(1).copied());
    Some(match op {
        Op::Shl => {
            let factor = power(b, y?, known.constant(1), 1.0);
            b.fmul(x, factor)
        }
        Op::LShr | Op::AShr => shifted_down(b, op, [x, y?], known),
        // -1 - x.
        Op::Not => b.minus(-1.0, x),
        Op::And | Op::Or | Op::Xor => match (known.constant(0), known.constant(1)) {
            (_, Some(mask)) => combined(b, op, x, mask, known)?,
            (Some(mask), None) => combined(b, op, y?, mask, known)?,
            _ => {
                let both = common(b, [x, y?], known)?;
                joined(b, op, [x, y?], both, known)
            }
        },
        Op::BitExtractU | Op::BitExtractS => {
            let (offset, count) = (known.constant(1)? as u32, known.constant(2)? as u32);
            let field = field(b, x, offset, count)?;
            if op == Op::BitExtractU { field } else { with_sign(b, field, count) }
        }
        Op::BitInsert => {
            let (offset, count) = (known.constant(2)? as u32, known.constant(3)? as u32);
            let (old, new) = (field(b, x, offset, count)?, field(b, y?, 0, count)?);
            let difference = b.fsub(new, old);
            let scale = b.num(2f64.powi(offset as i32), x);
            b.fma(difference, scale, x)
        }
        _ => return None,
    })
}

/// Rounded down, as two's complement has it; with zeros shifted in what is negative counts from
/// 2^32 down.
fn shifted_down(b: &mut Lower<'_, '_>, op: Op, [x, y]: [Value; 2], known: &Known) -> Value {
    let factor = power(b, y, known.constant(1), -1.0);
    let scaled = b.fmul(x, factor);
    let down = b.ffloor(scaled);
    if op == Op::AShr || known.is_natural || !b.facts.has_large_unsigned {
        return down;
    }
    let zero = b.num(0.0, x);
    let negative = b.below(x, zero);
    let all = b.times(factor, f64::from(WIDTH).exp2());
    b.fma(negative, all, down)
}

/// 2 to the power of an amount, or of its negative.
fn power(b: &mut Lower<'_, '_>, amount: Value, known: Option<f64>, sign: f64) -> Value {
    match known {
        Some(n) => b.num(2f64.powi(sign as i32 * (n as i32 & 31)), amount),
        None if sign < 0.0 => {
            let minus = b.fneg(amount);
            b.ex2(minus)
        }
        None => {
            let rough = b.ex2(amount);
            if b.facts.has_exact_powers {
                return rough;
            }
            let raised = b.plus(rough, 0.5);
            b.ffloor(raised)
        }
    }
}

/// x with a constant mask.
fn combined(b: &mut Lower<'_, '_>, op: Op, x: Value, mask: f64, known: &Known) -> Option<Value> {
    let both = masked(b, x, mask as i64 as u32)?;
    if op != Op::And && !b.facts.holds(mask) {
        return None;
    }
    let mask = b.num(mask, x);
    Some(joined(b, op, [x, mask], both, known))
}

/// `and`, `or` and `xor` of two numbers by what both have.
///
/// That is taken away before they are added up: 131071 and 131070 are exact in 17 bits, their sum
/// is not. What only one of them has is no longer than they are; taken away twice from a number
/// below 0 it would be.
fn joined(b: &mut Lower<'_, '_>, op: Op, [x, y]: [Value; 2], both: Value, known: &Known) -> Value {
    let (factor, y_loses) = match op {
        Op::And => return both,
        Op::Xor if known.is_signed => (-1.0, true),
        Op::Xor => (-2.0, false),
        _ => (-1.0, false),
    };
    let factor = b.num(factor, x);
    let rest = b.fma(both, factor, x);
    let other = if y_loses { b.fma(both, factor, y) } else { y };
    b.fadd(rest, other)
}

/// The bits that two numbers have in common, from the highest one down. A number that may be
/// negative is made of all places, of which the sign's counts below zero.
fn common(b: &mut Lower<'_, '_>, numbers: [Value; 2], known: &Known) -> Option<Value> {
    if b.facts.bit_places == 0 {
        return None;
    }
    let places = known.places.min(b.facts.bit_places);
    let (mut left, mut sum) = (numbers, b.num(0.0, numbers[0]));
    if known.is_signed {
        let zero = b.num(0.0, numbers[0]);
        let signs = numbers.map(|x| b.below(x, zero));
        let size = f64::from(places).exp2();
        left = [0, 1].map(|i| {
            let more = b.times(signs[i], size);
            b.fadd(numbers[i], more)
        });
        let both = b.fmin(signs[0], signs[1]);
        sum = b.times(both, -size);
    }
    for place in (0..places).rev() {
        let size = b.num(f64::from(place).exp2(), sum);
        let found = left.map(|x| b.reaches(x, size));
        let both = b.fmin(found[0], found[1]);
        sum = b.fma(both, size, sum);
        left = [0, 1].map(|i| {
            let minus = b.fneg(found[i]);
            b.fma(minus, size, left[i])
        });
    }
    Some(sum)
}

/// The bits of x that a mask has, run by run.
fn masked(b: &mut Lower<'_, '_>, x: Value, mask: u32) -> Option<Value> {
    let mut sum = None;
    let (mut left, mut runs) = (mask, 0);
    while left != 0 {
        let low = left.trailing_zeros();
        let length = (left >> low).trailing_ones();
        left &= !(u32::MAX >> (32 - length) << low);
        runs += 1;
        if runs > b.facts.mask_runs {
            return None;
        }
        let part = if low + length >= 32 {
            // All that is above: signs included.
            let high = above(b, x, low);
            b.times(high, 2f64.powi(low as i32))
        } else {
            let part = field(b, x, low, length)?;
            if low == 0 { part } else { b.times(part, 2f64.powi(low as i32)) }
        };
        sum = Some(match sum {
            None => part,
            Some(sum) => b.fadd(sum, part),
        });
    }
    Some(sum.unwrap_or_else(|| b.num(0.0, x)))
}

/// The bits from a place on: floor(x / 2^n).
fn above(b: &mut Lower<'_, '_>, x: Value, n: u32) -> Value {
    if n == 0 {
        return x;
    }
    let scaled = b.times(x, 2f64.powi(-(n as i32)));
    b.ffloor(scaled)
}

/// So many bits from a place on, as a number.
fn field(b: &mut Lower<'_, '_>, x: Value, offset: u32, count: u32) -> Option<Value> {
    if offset + count > 32 {
        return None;
    }
    if count == 0 {
        return Some(b.num(0.0, x));
    }
    let low = above(b, x, offset);
    let high = above(b, low, count);
    let factor = b.num(-2f64.powi(count as i32), x);
    Some(b.fma(high, factor, low))
}

/// A field whose highest bit is its sign.
fn with_sign(b: &mut Lower<'_, '_>, field: Value, count: u32) -> Value {
    let half = b.num(2f64.powi(count as i32 - 1), field);
    let negative = b.reaches(field, half);
    let whole = b.num(-2f64.powi(count as i32), field);
    b.fma(negative, whole, field)
}
