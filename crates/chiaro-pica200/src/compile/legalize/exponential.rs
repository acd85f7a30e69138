//! Roots, powers, logarithms and the functions made of them: RSQ, EX2 and LG2.

use std::f64::consts::{LN_2, LOG2_E};

use chiaro_ir::{Builder, Value};

use super::words::Words;

/// x / sqrt(x); 0 for 0, since 0 * inf is 0 on this machine. [3dbrew]
pub(super) fn root(b: &mut Builder<'_>, x: Value) -> Value {
    let inverse = b.rsq(x);
    b.fmul(x, inverse)
}

pub(super) fn exp(b: &mut Builder<'_>, x: Value) -> Value {
    let power = b.times(x, LOG2_E);
    b.ex2(power)
}

pub(super) fn log(b: &mut Builder<'_>, x: Value) -> Value {
    let log = b.lg2(x);
    b.times(log, LN_2)
}

/// 0^y is 0 for positive y and 1 for 0, because 0 * -inf is 0. Small whole powers are
/// products, which negative x may have, too.
pub(super) fn power(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    match b.known(y) {
        Some(1.0) => return x,
        Some(2.0) => return b.fmul(x, x),
        Some(3.0) => {
            let square = b.fmul(x, x);
            return b.fmul(square, x);
        }
        Some(4.0) => {
            let square = b.fmul(x, x);
            return b.fmul(square, square);
        }
        Some(0.5) => return root(b, x),
        Some(-0.5) => return b.rsq(x),
        _ => {}
    }
    let log = b.lg2(x);
    let power = b.fmul(log, y);
    b.ex2(power)
}

/// Half of e^x and half of e^-x: the half is in the exponent.
fn halves(b: &mut Builder<'_>, x: Value) -> (Value, Value) {
    let (up, down) = (b.mad(x, LOG2_E, -1.0), b.mad(x, -LOG2_E, -1.0));
    (b.ex2(up), b.ex2(down))
}

pub(super) fn hyperbolic_sine(b: &mut Builder<'_>, x: Value) -> Value {
    let (up, down) = halves(b, x);
    b.fsub(up, down)
}

pub(super) fn hyperbolic_cosine(b: &mut Builder<'_>, x: Value) -> Value {
    let (up, down) = halves(b, x);
    b.fadd(up, down)
}

/// 1 - 2 / (e^2x + 1): right at both ends, where the power is 0 or infinite.
pub(super) fn hyperbolic_tangent(b: &mut Builder<'_>, x: Value) -> Value {
    let power = b.times(x, 2.0 * LOG2_E);
    let square = b.ex2(power);
    let sum = b.plus(square, 1.0);
    let inverse = b.rcp(sum);
    b.mad(inverse, -2.0, 1.0)
}

/// ln(|x| + sqrt(x² + 1)) with the sign of x.
pub(super) fn area_sine(b: &mut Builder<'_>, x: Value) -> Value {
    let size = b.fabs(x);
    let one = b.num(1.0, x);
    let square = b.fma(x, x, one);
    let other = root(b, square);
    let sum = b.fadd(size, other);
    let log = log(b, sum);
    b.signed_as(log, x)
}

/// ln(x + sqrt((x - 1) (x + 1))): x² - 1 would lose what x has beyond 1.
pub(super) fn area_cosine(b: &mut Builder<'_>, x: Value) -> Value {
    let (below, above) = (b.plus(x, -1.0), b.plus(x, 1.0));
    let square = b.fmul(below, above);
    let other = root(b, square);
    let sum = b.fadd(x, other);
    log(b, sum)
}

/// (ln(1 + x) - ln(1 - x)) / 2.
pub(super) fn area_tangent(b: &mut Builder<'_>, x: Value) -> Value {
    let (above, below) = (b.plus(x, 1.0), b.minus(1.0, x));
    let (above, below) = (b.lg2(above), b.lg2(below));
    let difference = b.fsub(above, below);
    b.times(difference, 0.5 * LN_2)
}

/// Significand in [0.5, 1) and exponent of x; 0 and 0 for 0.
///
/// LG2 may round up to the next power's exponent; then the significand comes out below a
/// half and is put right.
pub(super) fn split(b: &mut Builder<'_>, x: Value) -> (Value, Value) {
    let size = b.fabs(x);
    let log = b.lg2(size);
    let whole = b.ffloor(log);
    // One less than the exponent, so that its power fits for the largest numbers, too.
    let minus = b.fneg(whole);
    let scale = b.ex2(minus);
    let scaled = b.fmul(x, scale);
    let size = b.fabs(scaled);
    let one = b.num(1.0, x);
    let small = b.below(size, one);
    let doubled = b.fma(scaled, small, scaled);
    let significand = b.times(doubled, 0.5);
    let exponent = b.fsub(whole, small);
    let exponent = b.plus(exponent, 1.0);
    // Minus infinity times 0 is 0.
    let zero = b.num(0.0, x);
    let nonzero = b.below(zero, size);
    (significand, b.fmul(exponent, nonzero))
}
