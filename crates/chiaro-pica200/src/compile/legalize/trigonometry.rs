//! The circle's functions. The machine has none: range reduction by FLR, then polynomials.
//!
//! The coefficients are minimax approximations (Remez exchange, then a search among float24
//! neighbours); beside each stands the error that is left. Rounding adds about as much.

use std::f64::consts::{FRAC_PI_2, PI};

use chiaro_ir::{Builder, Value};

use super::words::Words;

/// sin(2π a) / (a (1/2 - a)) in powers of a (1/2 - a), for a from 0 to 1/4: 2^-14.9 of the
/// value. It is exact in a second sense: the product is 0 at whole and half turns.
const SINE: [f64; 3] = [12.5667724609375, 50.150390625, 76.3720703125];
/// sin(2π g) / g in powers of g², for g up to 1/4: 2^-17.8 of the value.
const QUARTER: [f64; 4] = [6.283203125, -41.33935546875, 81.392578125, -71.4755859375];
/// atan(z) / z in powers of z², for z up to 1: 2^-15 of the value.
const ARC: [f64; 5] =
    [0.999969482421875, -0.3316993713378906, 0.18521499633789062, -0.09192657470703125, 0.02386331558227539];
/// acos(x) / sqrt(1 - x) in powers of x, for x from 0 to 1: 2^-17.2. The first one is the
/// machine's π/2, so that acos(0) - π/2 is 0.
const ARC_COSINE: [f64; 5] =
    [1.57080078125, -0.2144622802734375, 0.08648204803466797, -0.038982391357421875, 0.010441899299621582];

/// Turns from the nearest whole turn, -1/2 to 1/2.
fn turns(b: &mut Builder<'_>, x: Value) -> Value {
    let turns = b.times(x, 0.5 / PI);
    let shifted = b.plus(turns, 0.5);
    let whole = b.ffloor(shifted);
    b.fsub(turns, whole)
}

/// Sine of turns from -1/2 to 1/2: seven words.
fn sine_of(b: &mut Builder<'_>, e: Value) -> Value {
    let size = b.fabs(e);
    let rest = b.minus(0.5, size);
    let y = b.fmul(e, rest);
    let q = b.fabs(y);
    let factor = b.polynomial(q, &SINE);
    b.fmul(y, factor)
}

/// Cosine of turns from -1/2 to 1/2: seven words.
fn cosine_of(b: &mut Builder<'_>, e: Value) -> Value {
    let size = b.fabs(e);
    let g = b.minus(0.25, size);
    let square = b.fmul(g, g);
    let factor = b.polynomial(square, &QUARTER);
    b.fmul(g, factor)
}

/// Eleven words.
pub(super) fn sine(b: &mut Builder<'_>, x: Value) -> Value {
    let e = turns(b, x);
    sine_of(b, e)
}

/// Eleven words.
pub(super) fn cosine(b: &mut Builder<'_>, x: Value) -> Value {
    let e = turns(b, x);
    cosine_of(b, e)
}

/// Sine over cosine.
pub(super) fn tangent(b: &mut Builder<'_>, x: Value) -> Value {
    let e = turns(b, x);
    let (sine, cosine) = (sine_of(b, e), cosine_of(b, e));
    let inverse = b.rcp(cosine);
    b.fmul(sine, inverse)
}

/// acos of a number from 0 to 1.
fn arc_cosine_of(b: &mut Builder<'_>, size: Value) -> Value {
    let rest = b.minus(1.0, size);
    let factor = b.polynomial(size, &ARC_COSINE);
    // The root: rest / sqrt(rest), 0 for 0.
    let inverse = b.rsq(rest);
    let root = b.fmul(rest, inverse);
    b.fmul(root, factor)
}

/// Twelve words: of the size, and π less that for a negative.
pub(super) fn arc_cosine(b: &mut Builder<'_>, x: Value) -> Value {
    let size = b.fabs(x);
    let angle = arc_cosine_of(b, size);
    turned(b, angle, x, PI)
}

/// π/2 less the arc cosine of the size, with the sign of x.
pub(super) fn arc_sine(b: &mut Builder<'_>, x: Value) -> Value {
    let size = b.fabs(x);
    let angle = arc_cosine_of(b, size);
    let rest = b.minus(FRAC_PI_2, angle);
    b.signed_as(rest, x)
}

/// Arc tangent of z from 0 to 1: seven words.
fn arc(b: &mut Builder<'_>, z: Value) -> Value {
    let square = b.fmul(z, z);
    let factor = b.polynomial(square, &ARC);
    b.fmul(z, factor)
}

/// `whole` less the angle where `sign` is negative.
fn turned(b: &mut Builder<'_>, angle: Value, sign: Value, whole: f64) -> Value {
    let zero = b.num(0.0, sign);
    let negative = b.below(sign, zero);
    other_side(b, angle, negative, whole)
}

/// `whole` less the angle where `condition` is 1: two words.
fn other_side(b: &mut Builder<'_>, angle: Value, condition: Value, whole: f64) -> Value {
    let difference = b.mad(angle, -2.0, whole);
    b.fma(condition, difference, angle)
}

/// Sixteen words: of the smaller one of |x| and 1/|x|.
pub(super) fn arc_tangent(b: &mut Builder<'_>, x: Value) -> Value {
    let size = b.fabs(x);
    let inverse = b.rcp(size);
    let z = b.fmin(size, inverse);
    let angle = arc(b, z);
    let one = b.num(1.0, x);
    let steep = b.below(one, size);
    let angle = other_side(b, angle, steep, FRAC_PI_2);
    b.signed_as(angle, x)
}

/// The angle of the point (x, y). At the origin 0 * inf makes it 0.
pub(super) fn angle(b: &mut Builder<'_>, y: Value, x: Value) -> Value {
    let (across, up) = (b.fabs(x), b.fabs(y));
    let (small, large) = (b.fmin(across, up), b.fmax(across, up));
    let inverse = b.rcp(large);
    let z = b.fmul(small, inverse);
    let angle = arc(b, z);
    let steep = b.below(across, up);
    let angle = other_side(b, angle, steep, FRAC_PI_2);
    let angle = turned(b, angle, x, PI);
    b.signed_as(angle, y)
}
