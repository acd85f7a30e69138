//! Quotients and remainders of integers that are floats.
//!
//! A product with a rounded reciprocal is not exact: it may come out on the wrong side of a
//! whole number. Here the reciprocal is made a little too small, so that the quotient never
//! is too large; what is left over then is an exact number, of which the quotient is taken
//! again, and compared with the divisor in the end. Right for all operands up to 2^17.

use chiaro_ir::{Builder, Op, Value};

use super::words::Words;

/// How much smaller the reciprocal is: more than three roundings of 2^-17, so that no product
/// with it is too large.
const SMALLER: f64 = 1.0 - 1.0 / 32768.0;

/// A quotient or remainder; `None` for another operation.
pub(super) fn division(b: &mut Builder<'_>, op: Op, args: &[Value]) -> Option<Value> {
    let &[x, y] = args else { return None };
    Some(match op {
        Op::UDiv => of_sizes(b, x, y).0,
        Op::URem => of_sizes(b, x, y).1,
        Op::SDiv => {
            let quotient = sizes_of(b, x, y).0;
            let sign = b.fmul(x, y);
            b.signed_as(quotient, sign)
        }
        Op::SRem => {
            let rest = sizes_of(b, x, y).1;
            b.signed_as(rest, x)
        }
        Op::SMod => {
            let rest = sizes_of(b, x, y).1;
            let rest = b.signed_as(rest, x);
            // One divisor more where the signs differ and something is left.
            let product = b.fmul(rest, y);
            let zero = b.num(0.0, x);
            let differs = b.below(product, zero);
            b.fma(differs, y, rest)
        }
        _ => return None,
    })
}

fn sizes_of(b: &mut Builder<'_>, x: Value, y: Value) -> (Value, Value) {
    let (x, y) = (b.fabs(x), b.fabs(y));
    of_sizes(b, x, y)
}

/// Quotient and remainder of numbers that are not negative.
fn of_sizes(b: &mut Builder<'_>, x: Value, y: Value) -> (Value, Value) {
    if let Some(n) = b.known(y)
        && n > 0.0
        && n.log2().fract() == 0.0
    {
        // Powers of two are exact.
        let scaled = b.times(x, 1.0 / n);
        let quotient = b.ffloor(scaled);
        return (quotient, rest(b, x, y, quotient));
    }
    let inverse = match b.known(y).filter(|n| *n != 0.0) {
        Some(n) => b.num(SMALLER / n, y),
        None => {
            let inverse = b.rcp(y);
            b.times(inverse, SMALLER)
        }
    };
    let (first, left) = step(b, x, y, inverse);
    let (second, left) = step(b, left, y, inverse);
    let third = b.reaches(left, y);
    let quotient = b.fadd(first, second);
    let quotient = b.fadd(quotient, third);
    (quotient, rest(b, left, y, third))
}

/// A quotient that may be too small, and what it leaves.
fn step(b: &mut Builder<'_>, x: Value, y: Value, inverse: Value) -> (Value, Value) {
    let quotient = b.fmul(x, inverse);
    let quotient = b.ffloor(quotient);
    (quotient, rest(b, x, y, quotient))
}

/// x - y * quotient.
fn rest(b: &mut Builder<'_>, x: Value, y: Value, quotient: Value) -> Value {
    let minus = b.fneg(quotient);
    b.fma(minus, y, x)
}
