//! Quotients and remainders of 32-bit integers, for machines that multiply and do not divide.
//!
//! Exact for all operands, the divisor 0 and the overflow among them. True before: scalars. What
//! comes out are products, their high halves, shifts, comparisons, selects, and the native `rcp`.
//!
//! ```text
//! %2: i32 = udiv %0, 7          %2 = umulh %0, 0x24924925, ...
//! %2: i32 = sdiv %0, 3          %2 = smulh %0, 0x55555556; one more where %0 is negative
//! %2: i32 = udiv %0, %1         a reciprocal as an integer, made exact by its own error
//! ```

use chiaro_ir::{Builder, FunctionRef, Inst, Module, Op, Type, Value};

use super::arith::Arith;
use super::facts::Facts;
use super::rewrite::{Replaced, Rewrite, Rule, has, rewrite};
use crate::Changed;

/// 2^32 less four units in the last place of a float: with the errors of conversion, reciprocal and
/// product, each a unit at most, the reciprocal does not come out too large.
const ALMOST: f32 = 4_294_965_248.0;

/// Replaces quotients and remainders of scalars of 32 bits.
pub fn words(module: &mut Module, f: FunctionRef, facts: &'static Facts) -> Changed {
    let divides = |op: Op| matches!(op, Op::UDiv | Op::SDiv | Op::URem | Op::SRem | Op::SMod);
    if has(module, f, |_, _, op| divides(op)) { rewrite(module, f, Words { facts }) } else { Changed::No }
}

struct Words {
    facts: &'static Facts,
}

impl Rule for Words {
    fn replace(r: &mut Rewrite<'_, Self>, inst: Inst, op: Op) -> Replaced {
        let Some(result) = r.old.result_of(inst) else { return Replaced::Copy };
        let ty = r.old.ty(result);
        if *r.b.types().get(ty) != Type::Int(32) {
            return Replaced::Copy;
        }
        let args = r.args(inst);
        let &[x, y] = args.as_slice() else { return Replaced::Copy };
        let (b, facts) = (&mut r.b, r.rule.facts);
        Replaced::By(match op {
            Op::UDiv => unsigned(b, x, y, facts),
            Op::URem => {
                let quotient = unsigned_raw(b, x, y, facts);
                rest(b, x, y, quotient)
            }
            Op::SDiv => signed(b, x, y, facts),
            Op::SRem => signed_rest(b, x, y, facts),
            Op::SMod => {
                let left = signed_rest(b, x, y, facts);
                modulo(b, left, y)
            }
            _ => return Replaced::Copy,
        })
    }
}

/// The number that an integer is, if it is known.
fn known(b: &mut Builder<'_>, value: Value) -> Option<u32> {
    known_bits(b, value).map(|bits| bits as u32)
}

/// The bits of a constant scalar.
pub(super) fn known_bits(b: &mut Builder<'_>, value: Value) -> Option<u64> {
    let (f, m) = (b.function().def(value), b.module());
    match f {
        chiaro_ir::Def::Constant(c) => m.constants.bits(c),
        _ => None,
    }
}

/// x - q * y.
pub(super) fn rest(b: &mut Builder<'_>, x: Value, y: Value, quotient: Value) -> Value {
    let product = b.imul(quotient, y);
    b.isub(x, product)
}

/// All ones for a divisor of 0.
fn unsigned(b: &mut Builder<'_>, x: Value, y: Value, facts: &Facts) -> Value {
    let quotient = unsigned_raw(b, x, y, facts);
    unless_zero(b, y, quotient)
}

pub(super) fn unless_zero(b: &mut Builder<'_>, y: Value, quotient: Value) -> Value {
    if known_bits(b, y).is_some_and(|y| y != 0) {
        return quotient;
    }
    let ty = b.ty(y);
    let ones = u64::MAX >> (64 - u32::from(b.types().bits(ty).unwrap_or(32)));
    let (zero, ones) = (b.zero(ty), b.bits(ty, ones));
    let is_zero = b.ieq(y, zero);
    b.select(is_zero, ones, quotient)
}

/// Any number for a divisor of 0.
fn unsigned_raw(b: &mut Builder<'_>, x: Value, y: Value, facts: &Facts) -> Value {
    match known(b, y) {
        Some(0) => b.u32(0),
        Some(d) => by_constant(b, x, (d, u32::MAX), facts),
        None => by_reciprocal(b, x, y),
    }
}

/// By a variable, the signs apart: 2^31 is an unsigned number, too.
fn signed(b: &mut Builder<'_>, x: Value, y: Value, facts: &Facts) -> Value {
    if let Some(quotient) = known(b, y).and_then(|d| by_signed_constant(b, x, d as i32, facts)) {
        return quotient;
    }
    let quotient = of_sizes(b, x, y, facts);
    let differ = match known(b, y) {
        Some(d) if d >> 31 == 0 => x,
        _ => b.xor(x, y),
    };
    let quotient = with_sign(b, quotient, differ);
    unless_zero(b, y, quotient)
}

fn of_sizes(b: &mut Builder<'_>, x: Value, y: Value, facts: &Facts) -> Value {
    let size = b.iabs(x);
    match known(b, y) {
        Some(0) => b.u32(0),
        Some(d) => by_constant(b, size, ((d as i32).unsigned_abs(), 1 << 31), facts),
        None => {
            let divisor = b.iabs(y);
            by_reciprocal(b, size, divisor)
        }
    }
}

/// The negative of a number where another one is negative.
pub(super) fn with_sign(b: &mut Builder<'_>, x: Value, sign: Value) -> Value {
    let ty = b.ty(x);
    let places = u64::from(b.types().bits(ty).unwrap_or(32)) - 1;
    let places = b.bits(ty, places);
    let mask = b.ashr(sign, places);
    let turned = b.xor(x, mask);
    b.isub(turned, mask)
}

/// With the sign of x: what the quotient leaves. x for a divisor of 0.
fn signed_rest(b: &mut Builder<'_>, x: Value, y: Value, facts: &Facts) -> Value {
    match known(b, y).map(|d| d as i32) {
        Some(d) if d.unsigned_abs().is_power_of_two() => {
            let (raised, mask) = (toward_zero(b, x, d), b.u32(!(d.unsigned_abs() - 1)));
            let whole = b.and(raised, mask);
            return b.isub(x, whole);
        }
        Some(d) => {
            if let Some(quotient) = by_signed_constant(b, x, d, facts) {
                return rest(b, x, y, quotient);
            }
        }
        None => {}
    }
    let quotient = of_sizes(b, x, y, facts);
    let (size, divisor) = (b.iabs(x), b.iabs(y));
    let left = rest(b, size, divisor, quotient);
    with_sign(b, left, x)
}

/// One divisor more where something is left and the signs differ.
pub(super) fn modulo(b: &mut Builder<'_>, left: Value, y: Value) -> Value {
    let ty = b.ty(y);
    let zero = b.zero(ty);
    let sum = b.iadd(left, y);
    let signs = b.xor(left, y);
    let (differ, some) = (b.slt(signs, zero), b.ine(left, zero));
    let both = b.and(differ, some);
    b.select(both, sum, left)
}

/// A factor m and a shift s so that m x / 2^(32 + s) is the quotient of all x up to `most`, and
/// whether m lacks its 33rd bit. The largest divisors need a shift by 32.
fn factor(d: u32, most: u32) -> (u32, u32, bool) {
    let wide = u128::from(d);
    for s in 0..=32 {
        let power = 1u128 << (32 + s);
        let m = power.div_ceil(wide);
        let error = m * wide - power;
        if error * u128::from(most) < power {
            return (m as u32, s, m >> 32 != 0);
        }
    }
    (0, 0, false)
}

/// The quotient of a number up to `most`. Granlund and Montgomery, "Division by invariant integers using
/// multiplication", 1994.
fn by_constant(b: &mut Builder<'_>, x: Value, (d, most): (u32, u32), facts: &Facts) -> Value {
    let even = d.trailing_zeros();
    if d.is_power_of_two() {
        let places = b.u32(even);
        return b.lshr(x, places);
    }
    let (m, s, is_wide) = factor(d, most);
    if is_wide && facts.has_long_sum {
        return by_long_sum(b, x, d);
    }
    if is_wide && even > 0 {
        // One bit less to divide: the factor has one bit less.
        let places = b.u32(even);
        let half = b.lshr(x, places);
        return by_constant(b, half, (d >> even, most >> even), facts);
    }
    let m = b.u32(m);
    let high = b.umulh(x, m);
    if !is_wide {
        let places = b.u32(s);
        return if s == 0 { high } else { b.lshr(high, places) };
    }
    // (x + high) >> s, of 33 bits: half of the difference, and the product.
    let (one, places) = (b.u32(1), b.u32(s.saturating_sub(1)));
    let difference = b.isub(x, high);
    let half = b.lshr(difference, one);
    let sum = b.iadd(half, high);
    b.lshr(sum, places)
}

/// The same as (x + 1) m / 2^(32 + s), m rounded down, which serves where it is not served by m rounded up. Robison,
/// "N-bit unsigned division via N-bit multiply-add", 2005.
fn by_long_sum(b: &mut Builder<'_>, x: Value, d: u32) -> Value {
    let s = d.ilog2();
    let (word, long) = (b.ty(x), b.int_ty(64));
    let m = b.bits(long, (1u64 << (32 + s)) / u64::from(d));
    let wide = b.convert(Op::ZExt, x, long);
    let product = b.imul(wide, m);
    let sum = b.iadd(product, m);
    let places = b.bits(long, u64::from(32 + s));
    let quotient = b.lshr(sum, places);
    b.convert(Op::ZExt, quotient, word)
}

/// The quotient of a number with a sign; `None` for 0, and where a machine has no signed product.
fn by_signed_constant(b: &mut Builder<'_>, x: Value, d: i32, facts: &Facts) -> Option<Value> {
    let size = d.unsigned_abs();
    let quotient = match size {
        0 => return None,
        1 => x,
        _ if size.is_power_of_two() => {
            let (raised, places) = (toward_zero(b, x, d), b.u32(size.trailing_zeros()));
            b.ashr(raised, places)
        }
        _ if facts.has_signed_high => by_signed_factor(b, x, size),
        _ => return None,
    };
    Some(if d < 0 { b.ineg(quotient) } else { quotient })
}

/// x, and one less than a power of two more where it is negative: shifts round down.
fn toward_zero(b: &mut Builder<'_>, x: Value, d: i32) -> Value {
    let bits = d.unsigned_abs().trailing_zeros();
    let (all, rest) = (b.u32(31), b.u32(32 - bits));
    let more = match bits {
        0 => return x,
        1 => b.lshr(x, all),
        _ => {
            let signs = b.ashr(x, all);
            b.lshr(signs, rest)
        }
    };
    b.iadd(x, more)
}

/// The product with a factor, rounded down, and one more for negative numbers. A factor without its 32nd bit reads as
/// 2^32 less, which x makes good.
fn by_signed_factor(b: &mut Builder<'_>, x: Value, d: u32) -> Value {
    let wide = u64::from(d);
    let found = (0..32).map(|s| (s, (1u64 << (32 + s)) / wide + 1)).find(|(s, m)| {
        let error = m * wide - (1 << (32 + s));
        error << 31 <= 1 << (32 + s)
    });
    let (s, m) = found.unwrap_or_default();
    let (factor, places, last) = (b.u32(m as u32), b.u32(s), b.u32(31));
    let mut high = b.smulh(x, factor);
    if m >> 31 != 0 {
        high = b.iadd(high, x);
    }
    let shifted = if s == 0 { high } else { b.ashr(high, places) };
    let sign = b.lshr(x, last);
    b.iadd(shifted, sign)
}

/// z = 2^32 / y, a little too small, then z + z (2^32 - y z) / 2^32, which squares its error; the
/// quotient is two too small at most.
fn by_reciprocal(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let (float, int) = (b.float_ty(32), b.int_ty(32));
    let divisor = b.convert(Op::UToF, y, float);
    let inverse = b.rcp(divisor);
    let scale = b.f32(ALMOST);
    let scaled = b.fmul(inverse, scale);
    let z = b.convert(Op::FToU, scaled, int);
    let product = b.imul(y, z);
    let error = b.ineg(product);
    let more = b.umulh(z, error);
    let z = b.iadd(z, more);
    let quotient = b.umulh(x, z);
    corrected(b, x, y, quotient, 2)
}

/// A quotient that is too small by so much at most, made exact.
pub(super) fn corrected(b: &mut Builder<'_>, x: Value, y: Value, quotient: Value, by: u32) -> Value {
    let mut quotient = quotient;
    let mut left = rest(b, x, y, quotient);
    let ty = b.ty(x);
    let one = b.bits(ty, 1);
    for _ in 0..by {
        let fits = b.ule(y, left);
        let (above, less) = (b.iadd(quotient, one), b.isub(left, y));
        quotient = b.select(fits, above, quotient);
        left = b.select(fits, less, left);
    }
    quotient
}
