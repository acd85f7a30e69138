//! Conversions between floats of 32 bits and integers of 64, for machines that convert integers of 32.
//!
//! True before: scalars, no other floats in these conversions. To a float the result is the nearest one, to an integer
//! what is behind the point is left out; floats that no integer of 64 bits is near become any number.
//!
//! ```text
//! %1: f32 = utof %0      the first 32 bits from the highest one on, the last of them 1 where more follow; scaled
//! %1: i64 = ftou %0      the part above 2^32, and what it leaves
//! ```

use chiaro_ir::{Builder, FunctionRef, Inst, Module, Op, Type, Value};

use super::rewrite::{Replaced, Rewrite, Rule, has, rewrite};
use super::words::with_sign;
use crate::Changed;

/// Bits before those of the fraction of a binary32, and the exponent of 1.
const FRACTION: u32 = 23;
const ONE: u32 = 127;

/// Replaces the conversions of 64-bit integers.
pub fn long_floats(module: &mut Module, f: FunctionRef) -> Changed {
    let converts = |op: Op| matches!(op, Op::SToF | Op::UToF | Op::FToS | Op::FToU);
    if has(module, f, |_, _, op| converts(op)) { rewrite(module, f, LongFloats) } else { Changed::No }
}

struct LongFloats;

impl Rule for LongFloats {
    fn replace(r: &mut Rewrite<'_, Self>, inst: Inst, op: Op) -> Replaced {
        let (Some(result), Some(&source)) = (r.old.result_of(inst), r.old.args(inst).first()) else {
            return Replaced::Copy;
        };
        let [from, to] = [source, result].map(|value| r.old.ty(value));
        let [from_type, to_type] = [from, to].map(|ty| r.b.types().get(ty).clone());
        let args = r.args(inst);
        let &[x] = args.as_slice() else { return Replaced::Copy };
        let b = &mut r.b;
        Replaced::By(match (op, from_type, to_type) {
            (Op::UToF, Type::Int(64), Type::Float(32)) => to_float(b, x),
            (Op::SToF, Type::Int(64), Type::Float(32)) => {
                let size = b.iabs(x);
                let float = to_float(b, size);
                signed_as(b, float, x)
            }
            (Op::FToU, Type::Float(32), Type::Int(64)) => to_integer(b, x),
            (Op::FToS, Type::Float(32), Type::Int(64)) => {
                let size = b.fabs(x);
                let number = to_integer(b, size);
                let word = b.int_ty(32);
                let bits = b.bitcast(x, word);
                let sign = b.op_as(Op::SExt, &[bits], to);
                with_sign(b, number, sign)
            }
            _ => return Replaced::Copy,
        })
    }
}

/// The nearest float of a number without a sign. Its first 32 bits are rounded once, by the conversion: the last of
/// them tells whether anything follows, which is below the half that decides.
fn to_float(b: &mut Builder<'_>, x: Value) -> Value {
    let (float, long) = (b.float_ty(32), b.ty(x));
    let [high, low] = halves(b, x);
    let [in_high, in_low] = [high, low].map(|part| b.op(Op::FindUMsb, &[part]));
    let (none, places, last) = (b.u32(u32::MAX), b.u32(32), b.u32(31));
    let is_small = b.ieq(in_high, none);
    // Shifted so that the highest bit is the last one; of 0 whatever.
    let [by_low, by_high] = [in_low, in_high].map(|at| b.isub(last, at));
    let more = b.iadd(by_low, places);
    let by = b.select(is_small, more, by_high);
    let by_long = b.op_as(Op::ZExt, &[by], long);
    let shifted = b.shl(x, by_long);
    let [first, rest] = halves(b, shifted);
    let (zero, one) = (b.u32(0), b.u32(1));
    let follows = b.ine(rest, zero);
    let sticky = b.select(follows, one, zero);
    let first = b.or(first, sticky);
    let number = b.convert(Op::UToF, first, float);
    let exponent = b.u32(ONE + 32);
    let exponent = b.isub(exponent, by);
    let fraction = b.u32(FRACTION);
    let bits = b.shl(exponent, fraction);
    let scale = b.bitcast(bits, float);
    let scaled = b.fmul(number, scale);
    let any = b.or(high, low);
    let is_zero = b.ieq(any, zero);
    let nothing = b.zero(float);
    b.select(is_zero, nothing, scaled)
}

/// The high and the low word.
fn halves(b: &mut Builder<'_>, x: Value) -> [Value; 2] {
    let (long, word) = (b.ty(x), b.int_ty(32));
    let places = b.bits(long, 32);
    let high = b.lshr(x, places);
    [high, x].map(|part| b.op_as(Op::ZExt, &[part], word))
}

/// A float that is not negative, with the sign of an integer.
fn signed_as(b: &mut Builder<'_>, float: Value, x: Value) -> Value {
    let long = b.ty(x);
    let zero = b.zero(long);
    let is_negative = b.slt(x, zero);
    let negative = b.fneg(float);
    b.select(is_negative, negative, float)
}

/// The whole part of a float that is not negative. Both parts are exact: the fraction of the float has 24 bits.
fn to_integer(b: &mut Builder<'_>, x: Value) -> Value {
    let (word, long) = (b.int_ty(32), b.int_ty(64));
    let [down, minus] = [1.0 / 4_294_967_296.0, -4_294_967_296.0].map(|x| b.f32(x));
    let scaled = b.fmul(x, down);
    let high = b.op(Op::FTrunc, &[scaled]);
    let low = b.fma(high, minus, x);
    let [high, low] = [high, low].map(|part| {
        let part = b.convert(Op::FToU, part, word);
        b.op_as(Op::ZExt, &[part], long)
    });
    let places = b.bits(long, 32);
    let high = b.shl(high, places);
    b.or(high, low)
}
