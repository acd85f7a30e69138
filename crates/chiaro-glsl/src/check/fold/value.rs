//! Constant arguments of functions, and results made component by component.

use super::number::{component, f32_of, of_f32};
use crate::numeric::Num;

/// A constant argument.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value<'a> {
    pub(super) shape: Num,
    pub(super) bits: &'a [u64],
}

impl Value<'_> {
    /// Component n; a scalar is every component.
    pub(super) fn at(&self, n: usize) -> u64 {
        component(self.bits, n).unwrap_or_default()
    }

    pub(super) fn float(&self, n: usize) -> f32 {
        f32_of(self.at(n))
    }

    pub(super) fn floats(&self) -> impl Iterator<Item = f32> + '_ {
        self.bits.iter().map(|&bits| f32_of(bits))
    }
}

/// Component by component, as many as the result has.
pub(super) fn each(result: Num, value: impl Fn(usize) -> f32) -> Option<Box<[u64]>> {
    Some((0..result.count()).map(|n| of_f32(value(n))).collect())
}

/// The same for bits.
pub(super) fn each_bits(result: Num, value: impl Fn(usize) -> u64) -> Option<Box<[u64]>> {
    Some((0..result.count()).map(value).collect())
}
