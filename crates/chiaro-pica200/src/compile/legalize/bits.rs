//! Shifts and bits of integers that are floats: by powers of two.
//!
//! A shift is a product. The bits above a place are a quotient rounded down, those below it
//! what is left: so a constant mask is a few sums, one for each run of ones, and negative
//! numbers behave as in two's complement. Bits of two numbers that are both unknown would
//! take a loop over all places, which this machine is not given.

use chiaro_ir::{Builder, Op, Value};

use super::ints::is_exact;
use super::words::Words;

/// Runs of ones in a mask, at most: each costs six words.
const RUNS: usize = 4;

/// An operation on bits; `known` are the operands that are constants. `None` if there is no
/// exact form.
pub(super) fn bits(b: &mut Builder<'_>, op: Op, args: &[Value], known: &[Option<f64>]) -> Option<Value> {
    let (&x, y) = (args.first()?, args.get(1).copied());
    let constant = |n: usize| known.get(n).copied().flatten();
    Some(match op {
        Op::Shl => {
            let factor = power(b, y?, constant(1), 1.0);
            b.fmul(x, factor)
        }
        Op::LShr | Op::AShr => {
            let factor = power(b, y?, constant(1), -1.0);
            let scaled = b.fmul(x, factor);
            b.ffloor(scaled)
        }
        // -1 - x.
        Op::Not => b.minus(-1.0, x),
        Op::And | Op::Or | Op::Xor => {
            let (x, mask) = match (constant(0), constant(1)) {
                (_, Some(mask)) => (x, mask),
                (Some(mask), None) => (y?, mask),
                _ => return None,
            };
            combined(b, op, x, mask)?
        }
        Op::BitExtractU | Op::BitExtractS => {
            let field = field(b, x, constant(1)? as u32, constant(2)? as u32)?;
            if op == Op::BitExtractU { field } else { with_sign(b, field, constant(2)? as u32) }
        }
        Op::BitInsert => {
            let (offset, count) = (constant(2)? as u32, constant(3)? as u32);
            let (old, new) = (field(b, x, offset, count)?, field(b, y?, 0, count)?);
            let difference = b.fsub(new, old);
            let scale = b.num(2f64.powi(offset as i32), x);
            b.fma(difference, scale, x)
        }
        _ => return None,
    })
}

/// 2 to the power of an amount, or of its negative.
fn power(b: &mut Builder<'_>, amount: Value, known: Option<f64>, sign: f64) -> Value {
    match known {
        Some(n) => b.num(2f64.powi(sign as i32 * (n as i32 & 31)), amount),
        None if sign < 0.0 => {
            let minus = b.fneg(amount);
            b.ex2(minus)
        }
        None => b.ex2(amount),
    }
}

/// x with a constant mask: `or` and `xor` are sums, less what both have.
fn combined(b: &mut Builder<'_>, op: Op, x: Value, mask: f64) -> Option<Value> {
    let both = masked(b, x, mask as i64 as u32)?;
    Some(match op {
        Op::And => both,
        _ if !is_exact(mask) => return None,
        _ => {
            let twice = if op == Op::Xor { -2.0 } else { -1.0 };
            let sum = b.plus(x, mask);
            let factor = b.num(twice, x);
            b.fma(both, factor, sum)
        }
    })
}

/// The bits of x that a mask has, run by run.
fn masked(b: &mut Builder<'_>, x: Value, mask: u32) -> Option<Value> {
    let mut sum = None;
    let (mut left, mut runs) = (mask, 0);
    while left != 0 {
        let low = left.trailing_zeros();
        let length = (left >> low).trailing_ones();
        left &= !(u32::MAX >> (32 - length) << low);
        runs += 1;
        if runs > RUNS {
            return None;
        }
        let part = if low + length >= 32 {
            // All that is above: signs included.
            let high = above(b, x, low);
            b.times(high, 2f64.powi(low as i32))
        } else {
            let part = field(b, x, low, length)?;
            if low == 0 { part } else { b.times(part, 2f64.powi(low as i32)) }
        };
        sum = Some(match sum {
            None => part,
            Some(sum) => b.fadd(sum, part),
        });
    }
    Some(sum.unwrap_or_else(|| b.num(0.0, x)))
}

/// The bits from a place on: floor(x / 2^n).
fn above(b: &mut Builder<'_>, x: Value, n: u32) -> Value {
    if n == 0 {
        return x;
    }
    let scaled = b.times(x, 2f64.powi(-(n as i32)));
    b.ffloor(scaled)
}

/// So many bits from a place on, as a number.
fn field(b: &mut Builder<'_>, x: Value, offset: u32, count: u32) -> Option<Value> {
    if offset + count > 32 {
        return None;
    }
    if count == 0 {
        return Some(b.num(0.0, x));
    }
    let low = above(b, x, offset);
    let high = above(b, low, count);
    let factor = b.num(-2f64.powi(count as i32), x);
    Some(b.fma(high, factor, low))
}

/// A field whose highest bit is its sign.
fn with_sign(b: &mut Builder<'_>, field: Value, count: u32) -> Value {
    let half = b.num(2f64.powi(count as i32 - 1), field);
    let negative = b.reaches(field, half);
    let whole = b.num(-2f64.powi(count as i32), field);
    b.fma(negative, whole, field)
}

#[cfg(test)]
mod tests {
    use chiaro_ir::{Builder, Op, Type, Value};

    use crate::compile::legalize::samples::{run24, shader};

    type Build = fn(&mut Builder<'_>, Value) -> Value;

    const CASES: &[(&str, Build)] = &[
        ("shl 3", |b, x| {
            let n = b.i32(3);
            b.shl(x, n)
        }),
        ("ashr 2", |b, x| {
            let n = b.i32(2);
            b.ashr(x, n)
        }),
        ("and 5", |b, x| {
            let n = b.i32(5);
            b.and(x, n)
        }),
        ("and -8", |b, x| {
            let n = b.i32(-8);
            b.and(n, x)
        }),
        ("or 12", |b, x| {
            let n = b.i32(12);
            b.or(x, n)
        }),
        ("xor 255", |b, x| {
            let n = b.i32(255);
            b.xor(x, n)
        }),
        ("not", |b, x| b.not(x)),
        ("extract", |b, x| {
            let (at, count) = (b.i32(2), b.i32(4));
            b.bitextractu(x, at, count)
        }),
        ("signed extract", |b, x| {
            let (at, count) = (b.i32(1), b.i32(3));
            b.bitextracts(x, at, count)
        }),
        ("insert", |b, x| {
            let (new, at, count) = (b.i32(9), b.i32(2), b.i32(3));
            b.bitinsert(x, new, at, count)
        }),
    ];

    #[test]
    fn bits_are_those_of_two_s_complement() {
        for (name, build) in CASES {
            let module = shader(1, |b, args| {
                let (i32, f32) = (b.types().intern(Type::Int(32)), b.types().intern(Type::Float(32)));
                let x = b.convert(Op::FToS, args[0], i32);
                let result = build(b, x);
                b.convert(Op::SToF, result, f32)
            });
            let rows: Vec<Vec<f32>> = (-600..600).map(|n| vec![n as f32 * 7.0]).collect();
            let (expected, found) = run24(&module, &rows);
            for ((row, expected), found) in rows.iter().zip(expected).zip(found) {
                assert!(expected == f64::from(found), "{name} {row:?}: {found} instead of {expected}");
            }
        }
    }
}
