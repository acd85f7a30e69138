//! Quotients and remainders: there is a reciprocal, and nothing that divides.

use chiaro_ir::Value;

use super::arith::Arith;
use super::facts::Lower;
use super::rounding;

/// x / y: two roundings, three words for the usual scalar divisor less one.
pub(super) fn divided(b: &mut Lower<'_, '_>, x: Value, y: Value) -> Value {
    let inverse = inverse(b, y);
    if b.known(x) == Some(1.0) { inverse } else { b.fmul(x, inverse) }
}

/// x / sqrt(y) in one word more than the product.
pub(super) fn over_root(b: &mut Lower<'_, '_>, x: Value, y: Value) -> Value {
    let inverse = b.rsq(y);
    if b.known(x) == Some(1.0) { inverse } else { b.fmul(x, inverse) }
}

/// 1 / y; of a constant the nearest number.
fn inverse(b: &mut Lower<'_, '_>, y: Value) -> Value {
    match b.known(y).map(|y| 1.0 / y) {
        Some(inverse) if inverse.is_finite() && inverse != 0.0 => b.num(inverse, y),
        _ => b.rcp(y),
    }
}

/// x - y * trunc(x / y).
pub(super) fn remainder(b: &mut Lower<'_, '_>, x: Value, y: Value) -> Value {
    let quotient = divided(b, x, y);
    let whole = rounding::toward_zero(b, quotient);
    less_multiple(b, x, y, whole)
}

/// x - y * floor(x / y): four words. [spec section 23]
pub(super) fn modulo(b: &mut Lower<'_, '_>, x: Value, y: Value) -> Value {
    let quotient = divided(b, x, y);
    let whole = b.ffloor(quotient);
    less_multiple(b, x, y, whole)
}

fn less_multiple(b: &mut Lower<'_, '_>, x: Value, y: Value, n: Value) -> Value {
    let minus = b.fneg(n);
    b.fma(minus, y, x)
}
