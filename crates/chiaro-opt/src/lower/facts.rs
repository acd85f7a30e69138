//! What a target says about itself, and the builder that knows it.

use std::ops::{Deref, DerefMut};

use chiaro_ir::{Builder, Op, Value};

use super::arith::Arith;

/// What a machine can do, as far as lowering asks. Its natives are those of
/// [`Native`](super::Native); every other operation that it may lack has a fact here.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Significant bits of its floats, the hidden one counted: integers are exact up to 2^bits.
    pub bits: u32,
    /// It computes with scalars alone: what a component needs is written in one piece.
    pub is_scalar: bool,
    /// It has `fsign`.
    pub has_sign: bool,
    /// It has `select`, of floats.
    pub has_select: bool,
    /// It has `fclamp` between constants.
    pub has_clamp: bool,
    /// It has `fceil`, `ftrunc` and `fround`.
    pub has_roundings: bool,
    /// It has `fsqrt`.
    pub has_root: bool,
    /// It has `smulh`, in no more operations than `umulh`.
    pub has_signed_high: bool,
    /// It adds a word to the 64 bits of a product of words in one operation.
    pub has_long_sum: bool,
    /// A comparison of floats and the `select` by it are one operation, and `bitinsert` of known bits is one.
    pub has_fused_select: bool,
    /// It has the natives `sin` and `cos`, of one turn.
    pub has_turns: bool,
    /// Those natives take angles of any size.
    pub has_any_turn: bool,
    /// It has `fsin` and `fcos`, of any angle.
    pub has_sines: bool,
    /// 0 times infinity is 0: x * rsq(x) is the root of 0, too. There is no negative zero.
    pub has_zero_product: bool,
    /// 2 to the power of an integer is exact, and 2 to the power of minus the largest exponent is
    /// a number.
    pub has_exact_powers: bool,
    /// x * rcp(y) is off by less than 1 for all integers that are exact: one correction makes a
    /// quotient of it.
    pub has_close_reciprocal: bool,
    /// Integers that are negative as signed ones count from 2^32 down where zeros are shifted in.
    pub has_large_unsigned: bool,
    /// What loads an index rounds towards zero by itself.
    pub has_rounded_index: bool,
    /// Runs of ones in a constant mask, at most: each costs several operations.
    pub mask_runs: u32,
    /// Bits of two unknown integers that are compared one by one, at most; 0 where that is too
    /// much to ask.
    pub bit_places: u32,
}

impl Facts {
    /// A scalar machine with floats of 32 bits that has signs, selects, bounds and close reciprocals, and none of
    /// the functions. How exact its powers are is not known.
    pub const BINARY32: Facts = Facts {
        bits: 24,
        is_scalar: true,
        has_sign: true,
        has_select: true,
        has_clamp: true,
        has_roundings: false,
        has_root: false,
        has_signed_high: false,
        has_long_sum: false,
        has_fused_select: false,
        has_turns: false,
        has_any_turn: false,
        has_sines: false,
        has_zero_product: false,
        has_exact_powers: false,
        has_close_reciprocal: true,
        has_large_unsigned: true,
        has_rounded_index: false,
        mask_runs: 16,
        bit_places: 24,
    };

    /// Whether an integer is exact as a float of this machine.
    #[must_use]
    pub fn holds(&self, x: f64) -> bool {
        let size = x.abs() as u64;
        size == 0 || u64::BITS - size.leading_zeros() - size.trailing_zeros() <= self.bits
    }

    /// Whether the machine has a float operation as it is.
    pub(super) fn has(&self, op: Op) -> bool {
        match op {
            Op::FSign => self.has_sign,
            Op::FClamp => self.has_clamp,
            Op::FCeil | Op::FTrunc | Op::FRoundEven => self.has_roundings,
            Op::FSqrt => self.has_root,
            Op::FSin | Op::FCos => self.has_sines,
            _ => false,
        }
    }
}

/// A builder for a machine.
pub(super) struct Lower<'a, 'm> {
    b: &'a mut Builder<'m>,
    pub(super) facts: &'static Facts,
}

impl<'a, 'm> Lower<'a, 'm> {
    pub(super) fn new(b: &'a mut Builder<'m>, facts: &'static Facts) -> Lower<'a, 'm> {
        Lower { b, facts }
    }

    /// x with the sign of another value, for odd functions: what x is where that is 0 does not
    /// matter, because it is 0 as well.
    pub(super) fn signed_as(&mut self, x: Value, sign: Value) -> Value {
        if self.facts.has_fused_select {
            return self.with_sign_bit(x, sign);
        }
        if self.facts.has_sign {
            let sign = self.fsign(sign);
            return self.fmul(x, sign);
        }
        self.turned_as(x, sign)
    }

    /// The size of x with the sign bit of another value.
    fn with_sign_bit(&mut self, x: Value, sign: Value) -> Value {
        let (float, bits) = (self.ty(x), self.int_ty(32));
        let [size, sign] = [x, sign].map(|value| self.bitcast(value, bits));
        let (first, count) = (self.u32(0), self.u32(31));
        let both = self.bitinsert(sign, size, first, count);
        self.bitcast(both, float)
    }

    /// x, or its negative where another value is below 0.
    pub(super) fn turned_as(&mut self, x: Value, sign: Value) -> Value {
        let zero = self.num(0.0, sign);
        if self.facts.has_select {
            let (negative, minus) = (self.flt(sign, zero), self.fneg(x));
            return self.select(negative, minus, x);
        }
        let negative = self.below(sign, zero);
        let factor = self.mad(negative, -2.0, 1.0);
        self.fmul(x, factor)
    }

    /// `whole` less an angle where a < b, else the angle.
    pub(super) fn other_side(&mut self, angle: Value, [a, b]: [Value; 2], whole: f64) -> Value {
        if self.facts.has_select {
            let (condition, other) = (self.flt(a, b), self.minus(whole, angle));
            return self.select(condition, other, angle);
        }
        // angle + condition * (whole - 2 angle): two words where `fma` is one.
        let condition = self.below(a, b);
        let difference = self.mad(angle, -2.0, whole);
        self.fma(condition, difference, angle)
    }
}

impl<'m> Deref for Lower<'_, 'm> {
    type Target = Builder<'m>;

    fn deref(&self) -> &Builder<'m> {
        self.b
    }
}

impl<'m> DerefMut for Lower<'_, 'm> {
    fn deref_mut(&mut self) -> &mut Builder<'m> {
        self.b
    }
}
