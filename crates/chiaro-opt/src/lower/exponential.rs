//! Roots, powers, logarithms and the functions made of them, by the natives `rsq`, `ex2` and `lg2`.

use std::f64::consts::{LN_2, LOG2_E};

use chiaro_ir::Value;

use super::arith::Arith;
use super::facts::Lower;

/// x / sqrt(x), and 0 for 0: because 0 times infinity is 0, or because the inverse is kept finite.
pub(super) fn root(b: &mut Lower<'_, '_>, x: Value) -> Value {
    let mut inverse = b.rsq(x);
    if !b.facts.has_zero_product {
        let (zero, most) = (b.num(0.0, x), b.num(f32::MAX.into(), x));
        inverse = b.fclamp(inverse, zero, most);
    }
    b.fmul(x, inverse)
}

pub(super) fn exp(b: &mut Lower<'_, '_>, x: Value) -> Value {
    let power = b.times(x, LOG2_E);
    b.ex2(power)
}

pub(super) fn log(b: &mut Lower<'_, '_>, x: Value) -> Value {
    let log = b.lg2(x);
    b.times(log, LN_2)
}

/// 0^y is 0 for positive y; it is 1 for 0 where 0 * -inf is 0. Small whole powers are
/// products, which negative x may have, too.
pub(super) fn power(b: &mut Lower<'_, '_>, x: Value, y: Value) -> Value {
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
fn halves(b: &mut Lower<'_, '_>, x: Value) -> (Value, Value) {
    let minus = b.fneg(x);
    let (up, down) = (b.mad(x, LOG2_E, -1.0), b.mad(minus, LOG2_E, -1.0));
    (b.ex2(up), b.ex2(down))
}

pub(super) fn hyperbolic_sine(b: &mut Lower<'_, '_>, x: Value) -> Value {
    let (up, down) = halves(b, x);
    b.fsub(up, down)
}

pub(super) fn hyperbolic_cosine(b: &mut Lower<'_, '_>, x: Value) -> Value {
    let (up, down) = halves(b, x);
    b.fadd(up, down)
}

/// 1 - 2 / (e^2x + 1): right at both ends, where the power is 0 or infinite.
pub(super) fn hyperbolic_tangent(b: &mut Lower<'_, '_>, x: Value) -> Value {
    let power = b.times(x, 2.0 * LOG2_E);
    let square = b.ex2(power);
    let sum = b.plus(square, 1.0);
    let inverse = b.rcp(sum);
    b.mad(inverse, -2.0, 1.0)
}

/// ln(|x| + sqrt(x² + 1)) with the sign of x.
pub(super) fn area_sine(b: &mut Lower<'_, '_>, x: Value) -> Value {
    let size = b.fabs(x);
    let one = b.num(1.0, x);
    let square = b.fma(x, x, one);
    let other = root(b, square);
    let sum = b.fadd(size, other);
    let log = log(b, sum);
    b.signed_as(log, x)
}

/// ln(x + sqrt((x - 1) (x + 1))): x² - 1 would lose what x has beyond 1.
pub(super) fn area_cosine(b: &mut Lower<'_, '_>, x: Value) -> Value {
    let (below, above) = (b.plus(x, -1.0), b.plus(x, 1.0));
    let square = b.fmul(below, above);
    let other = root(b, square);
    let sum = b.fadd(x, other);
    log(b, sum)
}

/// (ln(1 + x) - ln(1 - x)) / 2.
pub(super) fn area_tangent(b: &mut Lower<'_, '_>, x: Value) -> Value {
    let (above, below) = (b.plus(x, 1.0), b.minus(1.0, x));
    let (above, below) = (b.lg2(above), b.lg2(below));
    let difference = b.fsub(above, below);
    b.times(difference, 0.5 * LN_2)
}

/// Significand in [0.5, 1) and exponent of x; 0 and 0 for 0.
pub(super) fn split(b: &mut Lower<'_, '_>, x: Value) -> (Value, Value) {
    if b.facts.has_exact_powers { split_by_power(b, x) } else { split_by_quarter(b, x) }
}

/// LG2 may round up to the next power's exponent; then the significand comes out below a
/// half and is put right.
fn split_by_power(b: &mut Lower<'_, '_>, x: Value) -> (Value, Value) {
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

/// Exponents, less one, whose powers are taken: 2 to one less than their negative is finite and
/// has all its digits.
const EXPONENTS: [f64; 2] = [-126.0, 127.0];

/// The logarithm may be rounded across a whole number, in either direction: then the significand
/// comes out beyond its limits and is put right. Numbers below 2^-124 lose digits. \[unknown]:
/// whether powers of whole numbers are exact.
fn split_by_quarter(b: &mut Lower<'_, '_>, x: Value) -> (Value, Value) {
    let size = b.fabs(x);
    let log = b.lg2(size);
    let [least, most] = EXPONENTS.map(|n| b.num(n, x));
    let bounded = b.fclamp(log, least, most);
    let whole = b.ffloor(bounded);
    // A quarter first: the power is never too small to be exact.
    let power = b.minus(1.0, whole);
    let scale = b.ex2(power);
    let quarter = b.times(x, 0.25);
    let rough = b.fmul(quarter, scale);
    let step = overstep(b, rough);
    let up = b.plus(whole, 1.0);
    let exponent = b.fadd(up, step);
    let nonzero = b.fsign(size);
    let exponent = b.fmul(exponent, nonzero);
    // 1, 1/2 or 2 for a step of 0, 1 or -1: 1 - 3/4 s + 1/4 s^2.
    let (slope, square) = (b.times(step, -0.75), b.fmul(step, step));
    let bend = b.times(square, 0.25);
    let sum = b.fadd(slope, bend);
    let factor = b.plus(sum, 1.0);
    (b.fmul(rough, factor), exponent)
}

/// 1 for a significand of 1 or more, -1 for one below 1/2.
fn overstep(b: &mut Lower<'_, '_>, rough: Value) -> Value {
    let size = b.fabs(rough);
    let (one, half) = (b.num(1.0, rough), b.num(0.5, rough));
    let (over, under) = (b.reaches(size, one), b.below(size, half));
    b.fsub(over, under)
}
