//! Quotients and remainders of integers that are floats.
//!
//! A product with a rounded reciprocal is not exact: it may come out on the wrong side of a
//! whole number. Where it is less than one off for all integers that are exact, one correction
//! puts it right. Where less is known of the reciprocal, it is made a little too small, so that
//! the quotient never is too large; what is left over then is an exact number, of which the
//! quotient is taken again, and compared with the divisor in the end: right for all operands up
//! to 2^bits.

use chiaro_ir::{Op, Value};

use super::arith::Arith;
use super::facts::Lower;

/// How much smaller the reciprocal is, for 17 bits: more than three roundings of 2^-17, so that no
/// product with it is too large.
const SMALLER: f64 = 1.0 - 1.0 / 32768.0;

/// A quotient or remainder; `natural` says that neither operand is negative. `None` for another
/// operation.
pub(super) fn division(b: &mut Lower<'_, '_>, op: Op, args: &[Value], natural: bool) -> Option<Value> {
    let &[x, y] = args else { return None };
    Some(match op {
        Op::UDiv => of_sizes(b, x, y).0,
        Op::URem => of_sizes(b, x, y).1,
        Op::SDiv if natural => of_sizes(b, x, y).0,
        Op::SRem | Op::SMod if natural => of_sizes(b, x, y).1,
        Op::SDiv => quotient(b, x, y),
        Op::SRem => remainder(b, x, y),
        Op::SMod => {
            let rest = remainder(b, x, y);
            // One divisor more where the signs differ and something is left.
            let product = b.fmul(rest, y);
            let zero = b.num(0.0, x);
            let differs = b.below(product, zero);
            b.fma(differs, y, rest)
        }
        _ => return None,
    })
}

/// Toward zero.
fn quotient(b: &mut Lower<'_, '_>, x: Value, y: Value) -> Value {
    let quotient = sizes_of(b, x, y).0;
    let sign = b.fmul(x, y);
    b.signed_as(quotient, sign)
}

/// With the sign of x. Where signs cost little it is what the quotient leaves, because a shader
/// that wants the one often wants the other.
fn remainder(b: &mut Lower<'_, '_>, x: Value, y: Value) -> Value {
    if b.facts.has_sign {
        let quotient = quotient(b, x, y);
        return rest(b, x, y, quotient);
    }
    let rest = sizes_of(b, x, y).1;
    b.signed_as(rest, x)
}

fn sizes_of(b: &mut Lower<'_, '_>, x: Value, y: Value) -> (Value, Value) {
    let (x, y) = (b.fabs(x), b.fabs(y));
    of_sizes(b, x, y)
}

/// Quotient and remainder of numbers that are not negative.
fn of_sizes(b: &mut Lower<'_, '_>, x: Value, y: Value) -> (Value, Value) {
    let known = b.known(y).filter(|n| *n > 0.0);
    if let Some(n) = known.filter(|n| n.log2().fract() == 0.0) {
        // Powers of two are exact.
        let scaled = b.times(x, 1.0 / n);
        let quotient = b.ffloor(scaled);
        return (quotient, rest(b, x, y, quotient));
    }
    if b.facts.has_close_reciprocal { corrected(b, x, y) } else { twice(b, x, y) }
}

/// One more where the rest is still the divisor or more, one less where it is negative.
fn corrected(b: &mut Lower<'_, '_>, x: Value, y: Value) -> (Value, Value) {
    let inverse = b.rcp(y);
    let (guess, left) = step(b, x, y, inverse);
    let zero = b.num(0.0, x);
    let (more, less) = (b.reaches(left, y), b.below(left, zero));
    let step = b.fsub(more, less);
    (b.fadd(guess, step), rest(b, left, y, step))
}

/// The quotient of what a quotient that is too small leaves.
fn twice(b: &mut Lower<'_, '_>, x: Value, y: Value) -> (Value, Value) {
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
fn step(b: &mut Lower<'_, '_>, x: Value, y: Value, inverse: Value) -> (Value, Value) {
    let quotient = b.fmul(x, inverse);
    let quotient = b.ffloor(quotient);
    (quotient, rest(b, x, y, quotient))
}

/// x - y * quotient.
fn rest(b: &mut Lower<'_, '_>, x: Value, y: Value, quotient: Value) -> Value {
    let minus = b.fneg(quotient);
    b.fma(minus, y, x)
}
