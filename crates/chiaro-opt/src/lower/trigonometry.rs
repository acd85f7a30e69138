//! Sines, tangents and their inverses, which no machine here has: range reduction by `ffloor`, then
//! polynomials, of which floats of 17 and of 24 significant bits have their own.
//!
//! Those for 17 bits are minimax approximations (Remez exchange, then a search among neighbours of
//! so many bits); beside each stands the error that is left. Rounding adds about as much.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use chiaro_ir::Value;

use super::arith::Arith;
use super::exponential::root;
use super::facts::Lower;
use super::native::Native;

/// sin(2π a) / (a (1/2 - a)) in powers of a (1/2 - a), for a from 0 to 1/4: 2^-14.9 of the
/// value. It is exact in a second sense: the product is 0 at whole and half turns.
const SINE: [f64; 3] = [12.5667724609375, 50.150390625, 76.3720703125];
/// sin(2π g) / g in powers of g², for g up to 1/4: 2^-17.8 of the value.
const QUARTER: [f64; 4] = [6.283203125, -41.33935546875, 81.392578125, -71.4755859375];
/// The same for 24 bits: error below 7e-7. [spec utgard-gp section 11.3]
const WIDE_QUARTER: [f64; 4] = [6.283_164, -41.337_143, 81.340_77, -70.993_41];
/// atan(z) / z in powers of z², for z up to 1: 2^-15 of the value.
const ARC: [f64; 5] =
    [0.999969482421875, -0.3316993713378906, 0.18521499633789062, -0.09192657470703125, 0.02386331558227539];
/// The same for 24 bits. \[Mesa]
const WIDE_ARC: [f64; 6] =
    [0.999_979_3, -0.332_675_64, 0.193_892_5, -0.117_350_32, 0.053_681_38, -0.012_132_321];
/// acos(x) / sqrt(1 - x) in powers of x, for x from 0 to 1: 2^-17.2. The first one is the
/// π/2 of 17 bits, so that acos(0) - π/2 is 0.
const ARC_COSINE: [f64; 5] =
    [1.57080078125, -0.2144622802734375, 0.08648204803466797, -0.038982391357421875, 0.010441899299621582];
/// The same for 24 bits, as best for the arc cosine and for the arc sine. \[Mesa]
const WIDE_ARC_COSINE: [f64; 4] = [FRAC_PI_2, FRAC_PI_4 - 1.0, 0.081_324_63, -0.023_633_18];
const WIDE_ARC_SINE: [f64; 4] = [FRAC_PI_2, FRAC_PI_4 - 1.0, 0.086_566_724, -0.031_029_55];

/// Whether polynomials for 17 bits are not enough.
fn is_wide(b: &Lower<'_, '_>) -> bool {
    b.facts.bits > 17
}

/// Turns from the nearest whole turn, -1/2 to 1/2.
fn turns(b: &mut Lower<'_, '_>, x: Value) -> Value {
    let turns = b.times(x, 0.5 / PI);
    let shifted = b.plus(turns, 0.5);
    let whole = b.ffloor(shifted);
    b.fsub(turns, whole)
}

/// The same angle between minus pi and pi: half a turn is added before whole turns are taken away,
/// so that the last product and sum are one operation.
fn one_turn(b: &mut Lower<'_, '_>, x: Value) -> Value {
    if b.facts.has_any_turn {
        return x;
    }
    let turns = b.mad(x, 0.5 / PI, 0.5);
    let whole = b.ffloor(turns);
    let rest = b.fsub(turns, whole);
    b.mad(rest, 2.0 * PI, -PI)
}

fn by_native(b: &mut Lower<'_, '_>, native: Native, x: Value) -> Value {
    let angle = one_turn(b, x);
    b.scalars(native, angle)
}

/// Sine of turns from -1/2 to 1/2.
fn sine_of(b: &mut Lower<'_, '_>, e: Value) -> Value {
    let size = b.fabs(e);
    let rest = b.minus(0.5, size);
    let y = b.fmul(e, rest);
    let q = b.fabs(y);
    let factor = b.polynomial(q, &SINE);
    b.fmul(y, factor)
}

/// Cosine of turns from -1/2 to 1/2.
fn cosine_of(b: &mut Lower<'_, '_>, e: Value) -> Value {
    let size = b.fabs(e);
    let g = b.minus(0.25, size);
    let square = b.fmul(g, g);
    let factor = b.polynomial(square, &QUARTER);
    b.fmul(g, factor)
}

/// sin(x + 2π shift) for 24 bits: u = |t - floor(t) - 1/2| - 1/4, with t a quarter turn less than
/// the angle, is the sine's quarter around 0.
fn shifted_sine(b: &mut Lower<'_, '_>, x: Value, shift: f64) -> Value {
    let turns = b.times(x, 0.5 / PI);
    let t = b.plus(turns, shift - 0.25);
    let whole = b.ffloor(t);
    let part = b.fsub(t, whole);
    let centred = b.plus(part, -0.5);
    let size = b.fabs(centred);
    let u = b.plus(size, -0.25);
    let square = b.fmul(u, u);
    let factor = b.polynomial(square, &WIDE_QUARTER);
    b.fmul(u, factor)
}

/// Eleven operations for 17 bits, fifteen for 24.
pub(super) fn sine(b: &mut Lower<'_, '_>, x: Value) -> Value {
    if b.facts.has_turns {
        return by_native(b, Native::Sin, x);
    }
    if is_wide(b) {
        return shifted_sine(b, x, 0.0);
    }
    let e = turns(b, x);
    sine_of(b, e)
}

/// As many as the sine.
pub(super) fn cosine(b: &mut Lower<'_, '_>, x: Value) -> Value {
    if b.facts.has_turns {
        return by_native(b, Native::Cos, x);
    }
    if is_wide(b) {
        return shifted_sine(b, x, 0.25);
    }
    let e = turns(b, x);
    cosine_of(b, e)
}

/// Sine over cosine.
pub(super) fn tangent(b: &mut Lower<'_, '_>, x: Value) -> Value {
    let (sine, cosine) = if b.facts.has_sines {
        (b.fsin(x), b.fcos(x))
    } else if b.facts.has_turns {
        let angle = one_turn(b, x);
        (b.scalars(Native::Sin, angle), b.scalars(Native::Cos, angle))
    } else if is_wide(b) {
        (shifted_sine(b, x, 0.0), shifted_sine(b, x, 0.25))
    } else {
        let e = turns(b, x);
        (sine_of(b, e), cosine_of(b, e))
    };
    let inverse = b.rcp(cosine);
    b.fmul(sine, inverse)
}

/// acos of a number from 0 to 1.
fn arc_cosine_of(b: &mut Lower<'_, '_>, size: Value, coefficients: &[f64]) -> Value {
    let rest = b.minus(1.0, size);
    let factor = b.polynomial(size, coefficients);
    // Where selects are cheap, so is the machine's own root.
    let root = if b.facts.has_fused_select && b.facts.has_root { b.fsqrt(rest) } else { root(b, rest) };
    b.fmul(root, factor)
}

/// Of the size, and π less that for a negative; or what the arc sine lacks of π/2.
pub(super) fn arc_cosine(b: &mut Lower<'_, '_>, x: Value) -> Value {
    let coefficients: &[f64] = if is_wide(b) { &WIDE_ARC_COSINE } else { &ARC_COSINE };
    if b.facts.has_sign && !b.facts.has_fused_select {
        let sine = arc_sine_by(b, x, coefficients);
        return b.minus(FRAC_PI_2, sine);
    }
    let size = b.fabs(x);
    let angle = arc_cosine_of(b, size, coefficients);
    beyond(b, angle, x)
}

pub(super) fn arc_sine(b: &mut Lower<'_, '_>, x: Value) -> Value {
    let coefficients: &[f64] = if is_wide(b) { &WIDE_ARC_SINE } else { &ARC_COSINE };
    arc_sine_by(b, x, coefficients)
}

/// π/2 less the arc cosine of the size, with the sign of x.
fn arc_sine_by(b: &mut Lower<'_, '_>, x: Value, coefficients: &[f64]) -> Value {
    let size = b.fabs(x);
    let angle = arc_cosine_of(b, size, coefficients);
    let rest = b.minus(FRAC_PI_2, angle);
    b.signed_as(rest, x)
}

/// Arc tangent of z from 0 to 1.
fn arc(b: &mut Lower<'_, '_>, z: Value) -> Value {
    let square = b.fmul(z, z);
    let coefficients: &[f64] = if is_wide(b) { &WIDE_ARC } else { &ARC };
    let factor = b.polynomial(square, coefficients);
    b.fmul(z, factor)
}

/// π less the angle where x is negative.
fn beyond(b: &mut Lower<'_, '_>, angle: Value, x: Value) -> Value {
    let zero = b.num(0.0, x);
    b.other_side(angle, [x, zero], PI)
}

/// The smaller of two numbers over the larger.
fn ratio(b: &mut Lower<'_, '_>, x: Value, y: Value) -> Value {
    let (small, large) = (b.fmin(x, y), b.fmax(x, y));
    let inverse = b.rcp(large);
    b.fmul(small, inverse)
}

/// Of the smaller one of |x| and 1/|x|. Where there is a negative zero, of which the inverse is the
/// smaller, no inverse of 0 is taken.
pub(super) fn arc_tangent(b: &mut Lower<'_, '_>, x: Value) -> Value {
    if b.facts.has_fused_select && is_wide(b) {
        return arc_tangent_by_selects(b, x);
    }
    let (size, one) = (b.fabs(x), b.num(1.0, x));
    let z = if b.facts.has_zero_product {
        let inverse = b.rcp(size);
        b.fmin(size, inverse)
    } else {
        ratio(b, size, one)
    };
    let angle = arc(b, z);
    let angle = b.other_side(angle, [one, size], FRAC_PI_2);
    b.signed_as(angle, x)
}

/// Of x up to 1, else of its inverse, less a quarter turn: nobody looks at signs until the last one is put on.
fn arc_tangent_by_selects(b: &mut Lower<'_, '_>, x: Value) -> Value {
    let (size, one, inverse) = (b.fabs(x), b.num(1.0, x), b.rcp(x));
    let near = b.fle(size, one);
    let z = b.select(near, x, inverse);
    let square = b.fmul(z, z);
    let factor = b.polynomial(square, &WIDE_ARC);
    let (zero, quarter) = (b.num(0.0, x), b.num(-FRAC_PI_2, x));
    let before = b.select(near, zero, quarter);
    let size = b.fabs(z);
    let angle = b.fma(size, factor, before);
    b.signed_as(angle, x)
}

/// The angle of the point (x, y). At the origin it is 0 where 0 times infinity is.
pub(super) fn angle(b: &mut Lower<'_, '_>, y: Value, x: Value) -> Value {
    let (across, up) = (b.fabs(x), b.fabs(y));
    let z = ratio(b, across, up);
    let angle = arc(b, z);
    let angle = b.other_side(angle, [across, up], FRAC_PI_2);
    let angle = beyond(b, angle, x);
    b.turned_as(angle, y)
}
