//! Parts at an index that is computed, for machines whose registers cannot be indexed.

use chiaro_ir::{Builder, Value};

use super::arith::Arith;

/// A component of a vector of floats at an index that is a float: the sum of all, each times 1 or
/// 0. An index out of bounds reads 0.
pub fn component(b: &mut Builder<'_>, vector: Value, index: Value) -> Value {
    let ty = b.ty(vector);
    let n = b.types().components(ty);
    let mask = mask(b, index, 0, n);
    b.fdot(vector, mask)
}

/// A vector of floats with the component at an index replaced. An index out of bounds replaces
/// nothing.
pub fn replaced(b: &mut Builder<'_>, vector: Value, part: Value, index: Value) -> Value {
    let ty = b.ty(vector);
    let n = b.types().components(ty);
    let mask = mask(b, index, 0, n);
    let part = b.splat(ty, part);
    blend(b, mask, part, vector)
}

/// 1 in the component whose number, counted from `first`, is the index; else 0.
pub fn mask(b: &mut Builder<'_>, index: Value, first: usize, n: u8) -> Value {
    let numbers: Vec<Value> = (first..first + usize::from(n)).map(|i| b.f32(i as f32)).collect();
    let numbers = b.vector(&numbers);
    let ty = b.ty(numbers);
    let index = b.splat(ty, index);
    let distance = b.fsub(index, numbers);
    let square = b.fmul(distance, distance);
    let half = b.num(0.5, square);
    b.below(square, half)
}

/// `yes` where the mask is 1, `no` where it is 0.
pub fn blend(b: &mut Builder<'_>, mask: Value, yes: Value, no: Value) -> Value {
    let rest = b.minus(1.0, mask);
    let other = b.fmul(no, rest);
    b.fma(yes, mask, other)
}

/// A component of a vector at an index that is a float, by selects. An index out of bounds reads
/// the first or the last one.
pub(super) fn selected(b: &mut Builder<'_>, vector: Value, index: Value) -> Value {
    let parts = b.parts(vector);
    let mut found = parts[0];
    for (i, &part) in parts.iter().enumerate().skip(1) {
        let limit = b.f32(i as f32 - 0.5);
        let is_there = b.fle(limit, index);
        found = b.select(is_there, part, found);
    }
    found
}

/// A vector with the component at an index replaced, by selects.
pub(super) fn exchanged(b: &mut Builder<'_>, vector: Value, new: Value, index: Value) -> Value {
    let mut parts = b.parts(vector);
    for (i, part) in parts.iter_mut().enumerate() {
        let number = b.f32(i as f32);
        let is_there = b.feq(index, number);
        *part = b.select(is_there, new, *part);
    }
    b.vector(&parts)
}
