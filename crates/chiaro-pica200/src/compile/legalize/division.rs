//! Quotients and remainders of integers that are floats.
//!
//! A product with a rounded reciprocal is not exact: it may come out on the wrong side of a
//! whole number. Here the reciprocal is made a little too small, so that the quotient never
//! is too large; what is left over then is an exact number, of which the quotient is taken
//! again, and compared with the divisor in the end. Right for all operands up to 2^17.

use chiaro_ir::{Builder, Op, Value};

use super::words::Words;

/// How much smaller the reciprocal is: more than three roundings of 2^-17, so that no product
/// with it is too large.
const SMALLER: f64 = 1.0 - 1.0 / 32768.0;

/// A quotient or remainder; `None` for another operation.
pub(super) fn division(b: &mut Builder<'_>, op: Op, args: &[Value]) -> Option<Value> {
    let &[x, y] = args else { return None };
    Some(match op {
        Op::UDiv => of_sizes(b, x, y).0,
        Op::URem => of_sizes(b, x, y).1,
        Op::SDiv => {
            let quotient = sizes_of(b, x, y).0;
            let sign = b.fmul(x, y);
            b.signed_as(quotient, sign)
        }
        Op::SRem => {
            let rest = sizes_of(b, x, y).1;
            b.signed_as(rest, x)
        }
        Op::SMod => {
            let rest = sizes_of(b, x, y).1;
            let rest = b.signed_as(rest, x);
            // One divisor more where the signs differ and something is left.
            let product = b.fmul(rest, y);
            let zero = b.num(0.0, x);
            let differs = b.below(product, zero);
            b.fma(differs, y, rest)
        }
        _ => return None,
    })
}

fn sizes_of(b: &mut Builder<'_>, x: Value, y: Value) -> (Value, Value) {
    let (x, y) = (b.fabs(x), b.fabs(y));
    of_sizes(b, x, y)
}

/// Quotient and remainder of numbers that are not negative.
fn of_sizes(b: &mut Builder<'_>, x: Value, y: Value) -> (Value, Value) {
    if let Some(n) = b.known(y)
        && n > 0.0
        && n.log2().fract() == 0.0
    {
        // Powers of two are exact.
        let scaled = b.times(x, 1.0 / n);
        let quotient = b.ffloor(scaled);
        return (quotient, rest(b, x, y, quotient));
    }
    let inverse = match b.known(y).filter(|n| *n != 0.0) {
        Some(n) => b.num(SMALLER / n, y),
        None => {
            let inverse = b.rcp(y);
            b.times(inverse, SMALLER)
        }
    };
    let (first, left) = step(b, x, y, inverse);
    let (second, left) = step(b, left, y, inverse);
    let third = b.reaches(left, y);
    let quotient = b.fadd(first, second);
    let quotient = b.fadd(quotient, third);
    (quotient, rest(b, left, y, third))
}

/// A quotient that may be too small, and what it leaves.
fn step(b: &mut Builder<'_>, x: Value, y: Value, inverse: Value) -> (Value, Value) {
    let quotient = b.fmul(x, inverse);
    let quotient = b.ffloor(quotient);
    (quotient, rest(b, x, y, quotient))
}

/// x - y * quotient.
fn rest(b: &mut Builder<'_>, x: Value, y: Value, quotient: Value) -> Value {
    let minus = b.fneg(quotient);
    b.fma(minus, y, x)
}

#[cfg(test)]
mod tests {
    use chiaro_ir::{Builder, Op, Type, Value};

    use crate::compile::legalize::samples::{run24, shader};

    /// Numbers where quotients are hard: around powers of two and at the ends of the range.
    fn operands() -> Vec<i32> {
        let powers = (0..=17).flat_map(|n| [(1 << n) - 1, 1 << n, (1 << n) + 1]);
        let others = [5, 7, 10, 100, 1000, 12345, 65521, 99999, 131_071];
        let mut all: Vec<i32> = powers.chain(others).filter(|&n| n <= 131_072).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn whole(b: &mut Builder<'_>, op: Op, args: &[Value]) -> Value {
        let (i32, f32) = (b.types().intern(Type::Int(32)), b.types().intern(Type::Float(32)));
        let args: Vec<Value> = args.iter().map(|&v| b.convert(Op::FToS, v, i32)).collect();
        let result = b.op(op, &args);
        b.convert(Op::SToF, result, f32)
    }

    #[test]
    fn quotients_and_remainders_are_right_up_to_the_end() {
        for op in [Op::UDiv, Op::URem, Op::SDiv, Op::SRem, Op::SMod] {
            let module = shader(2, |b, args| whole(b, op, args));
            let signs: &[[i32; 2]] = match op {
                Op::UDiv | Op::URem => &[[1, 1]],
                _ => &[[1, 1], [1, -1], [-1, 1], [-1, -1]],
            };
            let mut rows = Vec::new();
            for x in operands().into_iter().chain([0]) {
                for y in operands().into_iter().filter(|&y| y != 0) {
                    rows.extend(signs.iter().map(|[s, t]| vec![(s * x) as f32, (t * y) as f32]));
                }
            }
            let (expected, found) = run24(&module, &rows);
            for ((row, expected), found) in rows.iter().zip(expected).zip(found) {
                assert!(expected == f64::from(found), "{op:?} {row:?}: {found} instead of {expected}");
            }
        }
    }

    #[test]
    fn constant_divisors_are_right() {
        for n in [1, 2, 3, 7, 8, 10, 100, 1000, 65536, 131_071] {
            let module = shader(1, |b, args| {
                let (i32, f32) = (b.types().intern(Type::Int(32)), b.types().intern(Type::Float(32)));
                let x = b.convert(Op::FToS, args[0], i32);
                let n = b.i32(n);
                let quotient = b.sdiv(x, n);
                b.convert(Op::SToF, quotient, f32)
            });
            let numbers = operands().into_iter().flat_map(|x| [x, -x, n * (x % 100), n * (x % 100) - 1]);
            let rows: Vec<Vec<f32>> =
                numbers.filter(|x| x.abs() <= 131_072).map(|x| vec![x as f32]).collect();
            let (expected, found) = run24(&module, &rows);
            for ((row, expected), found) in rows.iter().zip(expected).zip(found) {
                assert!(expected == f64::from(found), "{row:?} / {n}: {found} instead of {expected}");
            }
        }
    }
}
