//! Integers on this machine are exact: quotients, remainders and bits, to the end of their range.

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
        let rows: Vec<Vec<f32>> = numbers.filter(|x| x.abs() <= 131_072).map(|x| vec![x as f32]).collect();
        let (expected, found) = run24(&module, &rows);
        for ((row, expected), found) in rows.iter().zip(expected).zip(found) {
            assert!(expected == f64::from(found), "{row:?} / {n}: {found} instead of {expected}");
        }
    }
}

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
