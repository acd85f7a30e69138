//! Rounding to integers, by FLR alone; exact, whichever way the machine rounds sums.

use chiaro_ir::{Builder, Value};

use super::words::Words;

/// -1, 0 or 1: three words.
pub(super) fn sign(b: &mut Builder<'_>, x: Value) -> Value {
    let zero = b.num(0.0, x);
    let (above, below) = (b.below(zero, x), b.below(x, zero));
    b.fsub(above, below)
}

/// Up: FLR of the negative, negated at its use.
pub(super) fn up(b: &mut Builder<'_>, x: Value) -> Value {
    let minus = b.fneg(x);
    let down = b.ffloor(minus);
    b.fneg(down)
}

/// Toward zero, four words: down, and one more where x is negative and was not whole.
pub(super) fn toward_zero(b: &mut Builder<'_>, x: Value) -> Value {
    let (down, zero) = (b.ffloor(x), b.num(0.0, x));
    let (negative, broken) = (b.below(x, zero), b.below(down, x));
    b.fma(negative, broken, down)
}

/// x - floor(x).
pub(super) fn fraction(b: &mut Builder<'_>, x: Value) -> Value {
    let down = b.ffloor(x);
    b.fsub(x, down)
}

/// To nearest, halves to even, eight words.
///
/// Adding a half and rounding down would take 0.5 - 2^-18 for 1, and halves up. Here the
/// fraction is compared with a threshold: one half where the integer below is odd, and the
/// next number above it where that is even.
pub(super) fn to_nearest(b: &mut Builder<'_>, x: Value) -> Value {
    let down = b.ffloor(x);
    let rest = b.fsub(x, down);
    let half = b.times(down, 0.5);
    let odd = fraction(b, half);
    let above_half = 0.5 + 2f64.powi(-17);
    let threshold = b.mad(odd, -2f64.powi(-16), above_half);
    let up = b.reaches(rest, threshold);
    b.fadd(down, up)
}
