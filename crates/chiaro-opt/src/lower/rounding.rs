//! Rounding to integers, by `ffloor` alone; exact, whichever way the machine rounds sums.

use chiaro_ir::Value;

use super::arith::Arith;
use super::facts::Lower;

/// -1, 0 or 1: three words.
pub(super) fn sign(b: &mut Lower<'_, '_>, x: Value) -> Value {
    let zero = b.num(0.0, x);
    let (above, below) = (b.below(zero, x), b.below(x, zero));
    b.fsub(above, below)
}

/// Up: FLR of the negative, negated at its use.
pub(super) fn up(b: &mut Lower<'_, '_>, x: Value) -> Value {
    let minus = b.fneg(x);
    let down = b.ffloor(minus);
    b.fneg(down)
}

/// Toward zero: down, and one more where x is negative and was not whole; or by the size.
pub(super) fn toward_zero(b: &mut Lower<'_, '_>, x: Value) -> Value {
    if b.facts.has_sign {
        let size = b.fabs(x);
        let (sign, whole) = (b.fsign(x), b.ffloor(size));
        return b.fmul(sign, whole);
    }
    let (down, zero) = (b.ffloor(x), b.num(0.0, x));
    let (negative, broken) = (b.below(x, zero), b.below(down, x));
    b.fma(negative, broken, down)
}

/// x - floor(x).
pub(super) fn fraction(b: &mut Lower<'_, '_>, x: Value) -> Value {
    let down = b.ffloor(x);
    b.fsub(x, down)
}

/// To nearest, halves to even, eight words.
///
/// Adding a half and rounding down would take the number below a half for 1, and halves up. Here
/// the fraction is compared with a threshold: one half where the integer below is odd, and the
/// next number above it where that is even.
pub(super) fn to_nearest(b: &mut Lower<'_, '_>, x: Value) -> Value {
    let down = b.ffloor(x);
    let rest = b.fsub(x, down);
    let half = b.times(down, 0.5);
    let odd = fraction(b, half);
    let next = 2f64.powi(-(b.facts.bits as i32));
    let threshold = b.mad(odd, -2.0 * next, 0.5 + next);
    let up = b.reaches(rest, threshold);
    b.fadd(down, up)
}
