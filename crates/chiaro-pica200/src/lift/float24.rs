//! float24 in languages that have binary32 alone: what the simulator's `F24` does, in operations of
//! the IR.
//!
//! A register holds a float24 as the same number of binary32. An operation is computed in binary32
//! together with what its rounding lost, which halves of operands tell without another rounding; the
//! two are rounded once. Powers and logarithms have no such remainder: a language's own are rounded,
//! so that their last bit may differ. Needs a host whose quotients and roots of binary32 are the
//! nearest, and which neither contracts nor reorders.

use chiaro_ir::{Builder, Ty, Value};

use super::products::ruled;

/// Smallest normal float24, 2^-62, as binary32.
const SMALLEST: u32 = 0x2080_0000;
/// 2^64, beyond the largest, as binary32.
const TOO_LARGE: u32 = 0x5F80_0000;
const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7F80_0000;
/// Bits of a binary32 that float24 lacks.
const SPARE: u32 = 0x7F;
/// The top 9 of 17 significant bits: products of such halves are exact.
const HALF_OF_17: u32 = 0xFFFF_8000;
/// The top 12 of 24.
const HALF_OF_24: u32 = 0xFFFF_F000;

/// float24 with one of the two ways of rounding.
pub(super) struct Float24<'b, 'm> {
    pub(super) b: &'b mut Builder<'m>,
    /// To the nearest, even if there are two; else toward zero.
    pub(super) is_nearest: bool,
}

/// Values from operands.
impl Float24<'_, '_> {
    /// A binary32 as a register holds it.
    pub(super) fn narrowed(&mut self, x: Value) -> Value {
        let bits = self.bits(x);
        self.rounded(x, bits)
    }

    pub(super) fn sum(&mut self, x: Value, y: Value) -> Value {
        let [x, y] = [x, y].map(|operand| self.flushed(operand));
        let b = &mut *self.b;
        let sum = b.fadd(x, y);
        let of_y = b.fsub(sum, x);
        let of_x = b.fsub(sum, of_y);
        let (lost_x, lost_y) = (b.fsub(x, of_x), b.fsub(y, of_y));
        let lost = b.fadd(lost_x, lost_y);
        self.once(sum, lost)
    }

    /// Zero for zero times infinity, where that can be.
    pub(super) fn product(&mut self, x: Value, y: Value, has_rule: bool) -> Value {
        let [x, y] = [x, y].map(|operand| self.flushed(operand));
        let product = self.b.fmul(x, y);
        let lost = self.lost_by_product(product, [x, y], [HALF_OF_17; 2]);
        let result = self.once(product, lost);
        if has_rule { ruled(self.b, [x, y], product, result) } else { result }
    }

    pub(super) fn floor(&mut self, x: Value) -> Value {
        let operand = self.flushed(x);
        self.b.ffloor(operand)
    }

    pub(super) fn reciprocal(&mut self, x: Value) -> Value {
        let x = self.flushed(x);
        let one = self.splat(x, 1.0);
        let quotient = self.b.fdiv(one, x);
        let back = self.less_product(one, [quotient, x], [HALF_OF_24, HALF_OF_17]);
        let lost = self.b.fmul(back, quotient);
        self.once(quotient, lost)
    }

    pub(super) fn inverse_root(&mut self, x: Value) -> Value {
        let x = self.flushed(x);
        let one = self.splat(x, 1.0);
        let root = self.b.fsqrt(x);
        let first = self.b.fdiv(one, root);
        // Two roundings may be off by more than one place, which one step of Newton's mends.
        let step = self.inverse_root_lost(x, first);
        let (better, size) = (self.b.fadd(first, step), self.b.fabs(step));
        let is_step = self.b.fle(size, first);
        let result = self.b.select(is_step, better, first);
        let lost = self.inverse_root_lost(x, result);
        self.once(result, lost)
    }

    /// What `root` lacks of 1 / sqrt(x): half of root * (1 - x * root * root).
    fn inverse_root_lost(&mut self, x: Value, root: Value) -> Value {
        let one = self.splat(x, 1.0);
        let product = self.b.fmul(x, root);
        let lost = self.lost_by_product(product, [x, root], [HALF_OF_17, HALF_OF_24]);
        let main = self.less_product(one, [product, root], [HALF_OF_24; 2]);
        let rest = self.b.fmul(lost, root);
        let (back, half) = (self.b.fsub(main, rest), self.splat(x, 0.5));
        let scaled = self.b.fmul(root, half);
        self.b.fmul(scaled, back)
    }
}

/// Roundings.
impl Float24<'_, '_> {
    /// The float24 of `x + lost`, where `lost` is what `x` lacks of the exact value; one that is no
    /// number counts as none.
    fn once(&mut self, x: Value, lost: Value) -> Value {
        let (bits, other) = (self.bits(x), self.bits(lost));
        let [zero, one, sign] = [0, 1, SIGN].map(|n| self.splat_bits(x, n));
        let b = &mut *self.b;
        // To odd: of two neighbours, the one whose last bit is set.
        let differ = b.xor(bits, other);
        let (difference, up, down) = (b.and(differ, sign), b.or(bits, one), b.isub(bits, one));
        let grows = b.ieq(difference, zero);
        let odd = b.select(grows, up, down);
        let (size, last) = (b.fabs(lost), b.and(bits, one));
        let none = b.ty(x);
        let none = b.zero(none);
        let (is_lost, is_even) = (b.flt(none, size), b.ieq(last, zero));
        let where_even = b.select(is_even, odd, bits);
        let odd = b.select(is_lost, where_even, bits);
        self.rounded(x, odd)
    }

    /// The float24 of some bits; NaN where `x` is.
    fn rounded(&mut self, x: Value, bits: Value) -> Value {
        let constants = [0, 1, 7, SPARE / 2, !SPARE, !SIGN, SIGN, INFINITY, TOO_LARGE, SMALLEST];
        let [zero, one, place, half, kept, number, sign, infinity, too_large, smallest] =
            constants.map(|n| self.splat_bits(x, n));
        let ty = self.b.ty(x);
        let b = &mut *self.b;
        let up = if self.is_nearest {
            let last = b.lshr(bits, place);
            let last = b.and(last, one);
            let up = b.iadd(last, half);
            b.iadd(bits, up)
        } else {
            bits
        };
        let rounded = b.and(up, kept);
        let (size, sign) = (b.and(rounded, number), b.and(rounded, sign));
        let (is_number, beyond) = (b.ult(size, too_large), b.or(sign, infinity));
        let result = b.select(is_number, rounded, beyond);
        let is_small = b.ult(size, smallest);
        let result = b.select(is_small, zero, result);
        let (result, is_none) = (b.bitcast(result, ty), b.fne(x, x));
        b.select(is_none, x, result)
    }

    /// The operand as arithmetic reads it: subnormals count as zero.
    fn flushed(&mut self, x: Value) -> Value {
        let bits = self.bits(x);
        let [number, smallest] = [!SIGN, SMALLEST].map(|n| self.splat_bits(x, n));
        let ty = self.b.ty(x);
        let b = &mut *self.b;
        let (size, zero) = (b.and(bits, number), b.zero(ty));
        let is_small = b.ult(size, smallest);
        b.select(is_small, zero, x)
    }

    /// What a product lacks of the exact one.
    fn lost_by_product(&mut self, product: Value, operands: [Value; 2], masks: [u32; 2]) -> Value {
        let less = self.less_product(product, operands, masks);
        let zero = self.b.ty(product);
        let zero = self.b.zero(zero);
        self.b.fsub(zero, less)
    }

    /// `from - x * y` without a rounding, where that is small: products of halves, the large first.
    fn less_product(&mut self, from: Value, [x, y]: [Value; 2], masks: [u32; 2]) -> Value {
        let [(x, x_low), (y, y_low)] = [(x, masks[0]), (y, masks[1])].map(|(v, mask)| self.halves(v, mask));
        let parts = [(x, y), (x, y_low), (x_low, y), (x_low, y_low)];
        parts.into_iter().fold(from, |rest, (x, y)| {
            let product = self.b.fmul(x, y);
            self.b.fsub(rest, product)
        })
    }

    fn halves(&mut self, x: Value, mask: u32) -> (Value, Value) {
        let (bits, mask, ty) = (self.bits(x), self.splat_bits(x, mask), self.b.ty(x));
        let high = self.b.and(bits, mask);
        let high = self.b.bitcast(high, ty);
        (high, self.b.fsub(x, high))
    }
}

/// Shapes.
impl Float24<'_, '_> {
    fn ints(&mut self, x: Value) -> Ty {
        let (int, ty) = (self.b.int_ty(32), self.b.ty(x));
        let n = self.b.types().components(ty);
        self.b.types().vector(int, n)
    }

    fn bits(&mut self, x: Value) -> Value {
        let ints = self.ints(x);
        self.b.bitcast(x, ints)
    }

    /// A number in the shape of `x`.
    fn splat(&mut self, x: Value, number: f32) -> Value {
        let (ty, number) = (self.b.ty(x), self.b.f32(number));
        self.b.splat(ty, number)
    }

    /// Bits in the shape of `x`.
    fn splat_bits(&mut self, x: Value, bits: u32) -> Value {
        let (ints, bits) = (self.ints(x), self.b.u32(bits));
        self.b.splat(ints, bits)
    }
}
