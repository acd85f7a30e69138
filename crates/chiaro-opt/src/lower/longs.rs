//! Quotients, remainders and signs of 64-bit integers, for machines that add, multiply, shift and compare them.
//!
//! Exact for all operands, the divisor 0 and the overflow among them. True before: scalars.
//!
//! ```text
//! %2: i64 = udiv %0, 8          %2 = lshr %0, 3
//! %2: i64 = udiv %0, 1000       the high half of a product with 2^64 / 1000, and one more where that fits
//! %2: i64 = udiv %0, %1         2^64 / %1 out of a float's reciprocal by two steps, then the same
//! ```

use chiaro_ir::{Builder, FunctionRef, Inst, Module, Op, Type, Value};

use super::arith::Arith;
use super::rewrite::{Replaced, Rewrite, Rule, has, rewrite};
use super::words::{corrected, known_bits, modulo, rest, unless_zero, with_sign};
use crate::Changed;

/// 2^64 less 2^-20 of it. Conversion, reciprocal and product are off by less than 2^-21, so that what they make of a
/// reciprocal is not too large.
const ALMOST: f32 = f32::from_bits(0x5f7f_fff0);

/// Replaces quotients, remainders and signs of scalars of 64 bits.
pub fn longs(module: &mut Module, f: FunctionRef) -> Changed {
    let lowers = |op: Op| matches!(op, Op::UDiv | Op::SDiv | Op::URem | Op::SRem | Op::SMod | Op::ISign);
    if has(module, f, |_, _, op| lowers(op)) { rewrite(module, f, Longs) } else { Changed::No }
}

struct Longs;

impl Rule for Longs {
    fn replace(r: &mut Rewrite<'_, Self>, inst: Inst, op: Op) -> Replaced {
        let Some(result) = r.old.result_of(inst) else { return Replaced::Copy };
        let ty = r.old.ty(result);
        if *r.b.types().get(ty) != Type::Int(64) {
            return Replaced::Copy;
        }
        let args = r.args(inst);
        let b = &mut r.b;
        if let (Op::ISign, &[x]) = (op, args.as_slice()) {
            return Replaced::By(sign(b, x));
        }
        let &[x, y] = args.as_slice() else { return Replaced::Copy };
        Replaced::By(match op {
            Op::UDiv => {
                let quotient = unsigned(b, x, y);
                unless_zero(b, y, quotient)
            }
            Op::URem => {
                let quotient = unsigned(b, x, y);
                rest(b, x, y, quotient)
            }
            Op::SDiv => {
                let (size, divisor) = sizes(b, x, y);
                let quotient = unsigned(b, size, divisor);
                let differ = b.xor(x, y);
                let quotient = with_sign(b, quotient, differ);
                unless_zero(b, y, quotient)
            }
            Op::SRem => signed_rest(b, x, y),
            Op::SMod => {
                let left = signed_rest(b, x, y);
                modulo(b, left, y)
            }
            _ => return Replaced::Copy,
        })
    }
}

/// All bits of a negative number, the last one of a positive one.
fn sign(b: &mut Builder<'_>, x: Value) -> Value {
    let ty = b.ty(x);
    let places = b.bits(ty, 63);
    let (below, negative) = (b.ashr(x, places), b.ineg(x));
    let above = b.lshr(negative, places);
    b.or(below, above)
}

/// Both without their signs.
fn sizes(b: &mut Builder<'_>, x: Value, y: Value) -> (Value, Value) {
    let size = b.iabs(x);
    let divisor = match known_bits(b, y) {
        Some(bits) => {
            let ty = b.ty(y);
            b.bits(ty, (bits as i64).unsigned_abs())
        }
        None => b.iabs(y),
    };
    (size, divisor)
}

/// With the sign of x; x for a divisor of 0.
fn signed_rest(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let (size, divisor) = sizes(b, x, y);
    let quotient = unsigned(b, size, divisor);
    let left = rest(b, size, divisor, quotient);
    with_sign(b, left, x)
}

/// Any number for a divisor of 0, but such that x is left.
fn unsigned(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let ty = b.ty(x);
    match known_bits(b, y) {
        Some(0) => b.zero(ty),
        Some(d) if d.is_power_of_two() => {
            let places = b.bits(ty, d.trailing_zeros().into());
            b.lshr(x, places)
        }
        Some(d) => {
            // Rounded down it is less than one too small, and so is the quotient.
            let inverse = b.bits(ty, ((1u128 << 64) / u128::from(d)) as u64);
            let quotient = high_product(b, x, inverse);
            corrected(b, x, y, quotient, 1)
        }
        None => {
            let inverse = reciprocal(b, y);
            let quotient = high_product(b, x, inverse);
            corrected(b, x, y, quotient, 2)
        }
    }
}

/// 2^64 / y, too small by less than 2: z + z (2^64 - y z) / 2^64 squares the error of z.
fn reciprocal(b: &mut Builder<'_>, y: Value) -> Value {
    let mut z = first_guess(b, y);
    for _ in 0..2 {
        let product = b.imul(y, z);
        let error = b.ineg(product);
        let more = high_product(b, z, error);
        z = b.iadd(z, more);
    }
    z
}

/// The reciprocal of the nearest float, as two words.
fn first_guess(b: &mut Builder<'_>, y: Value) -> Value {
    let (float, int, ty) = (b.float_ty(32), b.int_ty(32), b.ty(y));
    let places = b.bits(ty, 32);
    let high = b.lshr(y, places);
    let [low, high] = [y, high].map(|word| {
        let word = b.op_as(Op::ZExt, &[word], int);
        b.convert(Op::UToF, word, float)
    });
    let [up, down, minus] = [4_294_967_296.0, 1.0 / 4_294_967_296.0, -4_294_967_296.0].map(|x| b.f32(x));
    let divisor = b.fma(high, up, low);
    let (inverse, scale) = (b.rcp(divisor), b.f32(ALMOST));
    let scaled = b.fmul(inverse, scale);
    let high = b.fmul(scaled, down);
    let high = b.op(Op::FTrunc, &[high]);
    let low = b.fma(high, minus, scaled);
    let [low, high] = [low, high].map(|part| {
        let word = b.convert(Op::FToU, part, int);
        b.op_as(Op::ZExt, &[word], ty)
    });
    let high = b.shl(high, places);
    b.or(high, low)
}

/// The upper 64 bits of a product, by the words of both.
fn high_product(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let ty = b.ty(x);
    let (places, mask) = (b.bits(ty, 32), b.bits(ty, 0xffff_ffff));
    let [x, y] = [x, y].map(|value| [b.and(value, mask), b.lshr(value, places)]);
    let [low, first, second, high] =
        [(x[0], y[0]), (x[0], y[1]), (x[1], y[0]), (x[1], y[1])].map(|(x, y)| b.imul(x, y));
    // No sum of these is beyond 64 bits: a product of words leaves room for two words more.
    let carried = b.lshr(low, places);
    let middle = b.iadd(first, carried);
    let rest = b.and(middle, mask);
    let middle = b.lshr(middle, places);
    let other = b.iadd(second, rest);
    let other = b.lshr(other, places);
    let sum = b.iadd(high, middle);
    b.iadd(sum, other)
}
