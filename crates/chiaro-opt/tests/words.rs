//! Quotients of integers of 32 and 64 bits are exact after lowering, with a reciprocal as good as it gets and
//! with one that is a unit too small. Signs of 64 bits, and conversions between those and floats, as well.

use chiaro_diag::FileId;
use chiaro_ir::interp::Exact;
use chiaro_ir::{FunctionRef, Module, parse, print, verify};
use chiaro_opt::lower::{Arithmetic, Facts, long_floats, longs, words};
use chiaro_sim::arith::Any;
use chiaro_sim::{FloatEnv, Op as U, scalar};

use crate::run;

/// Reciprocals are rounded to the nearest.
const NEAREST: Arithmetic = Arithmetic { compute: nearest, bounds: [U::Fmin, U::Fmax], compares_nan: true };
/// Reciprocals are a unit in the last place too small.
const LOW: Arithmetic = Arithmetic { compute: low, bounds: [U::Fmin, U::Fmax], compares_nan: true };

fn nearest(op: U, operands: [u64; 3]) -> u64 {
    let value = scalar::value::<Any>(op, &FloatEnv::IEEE, operands.map(|bits| bits as u32));
    value.unwrap_or(f32::NAN.to_bits()).into()
}

fn low(op: U, operands: [u64; 3]) -> u64 {
    let bits = nearest(op, operands);
    let is_low = op == U::Frcp && f32::from_bits(bits as u32).is_normal();
    bits - u64::from(is_low)
}

/// Numbers at which quotients go wrong: borders, powers of two with their neighbours, and a sequence.
fn numbers() -> Vec<u32> {
    let near = (1..32).flat_map(|bit| [(1u32 << bit) - 1, 1 << bit, (1 << bit) + 1]);
    let spread = (1..160u32).map(|n| n.wrapping_mul(2_654_435_769) >> (n % 17));
    let ends = [0, 3, 6, 10, 641, 0x7fff_fffe, 0x8000_0000, 0x8000_0001, u32::MAX - 1, u32::MAX];
    ends.into_iter().chain(near).chain(spread).collect()
}

/// A shader of one operation.
fn of_call(ty: &str, call: &str) -> String {
    run::text(ty, &format!("%2: {ty} = {call}"), "%2")
}

/// What a shader of numbers of `N` bytes stores before and after a step that leaves no quotient, with both reciprocals.
fn compare_lowered<const N: usize>(text: &str, rows: &[[[u8; N]; 2]], lower: impl Fn(&mut Module)) {
    let module = parse(text, FileId(0)).unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut lowered = module.clone();
    lower(&mut lowered);
    let after = print(&lowered);
    assert_eq!(verify(&lowered), Ok(()), "{after}");
    assert!(!["div", "rem", "mod", "isign"].iter().any(|op| after.contains(op)), "{after}");
    let expected = run::bytes(&module, Exact, rows.iter().copied());
    for reciprocal in [NEAREST, LOW] {
        let found = run::bytes(&lowered, reciprocal, rows.iter().copied());
        for ((row, expected), found) in rows.iter().zip(&expected).zip(found) {
            assert_eq!(found, *expected, "of {row:x?}: {text}");
        }
    }
}

/// Machines with and without a signed product, and with long sums.
static MACHINES: [Facts; 3] = [
    Facts::BINARY32,
    Facts { has_signed_high: true, ..Facts::BINARY32 },
    Facts { has_long_sum: true, ..Facts::BINARY32 },
];

fn compare(call: &str, rows: &[[u32; 2]]) {
    let rows: Vec<_> = rows.iter().map(|row| row.map(u32::to_le_bytes)).collect();
    for facts in &MACHINES {
        compare_lowered(&of_call("i32", call), &rows, |module| {
            let _ = words(module, FunctionRef(0), facts);
        });
    }
}

const OPERATIONS: [&str; 5] = ["udiv", "urem", "sdiv", "srem", "smod"];

#[test]
fn quotients_by_a_variable_are_exact() {
    let numbers = numbers();
    let rows: Vec<[u32; 2]> = numbers.iter().flat_map(|&x| numbers.iter().map(move |&y| [x, y])).collect();
    OPERATIONS.iter().for_each(|op| compare(&format!("{op} %0, %1"), &rows));
}

#[test]
fn quotients_by_a_constant_are_exact() {
    let numbers = numbers();
    let rows: Vec<[u32; 2]> = numbers.iter().map(|&x| [x, 0]).collect();
    for op in OPERATIONS {
        numbers.iter().for_each(|&y| compare(&format!("{op} %0, {}", y as i32), &rows));
    }
}

/// The same numbers for 64 bits: near both ends of each word, and a sequence.
fn long_numbers() -> Vec<u64> {
    let near = (1..64).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
    let spread = (1..60u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (n % 53));
    let ends = [0, 3, 7, 10, 1000, 0xffff_fffe_ffff_ffff, i64::MAX as u64, u64::MAX - 1, u64::MAX];
    ends.into_iter().chain(near).chain(spread).collect()
}

fn compare_long(call: &str, rows: &[[u64; 2]]) {
    let rows: Vec<_> = rows.iter().map(|row| row.map(u64::to_le_bytes)).collect();
    compare_lowered(&of_call("i64", call), &rows, |module| {
        let _ = longs(module, FunctionRef(0));
    });
}

#[test]
fn long_quotients_by_a_variable_are_exact() {
    let numbers = long_numbers();
    let rows: Vec<[u64; 2]> = numbers.iter().flat_map(|&x| numbers.iter().map(move |&y| [x, y])).collect();
    OPERATIONS.iter().for_each(|op| compare_long(&format!("{op} %0, %1"), &rows));
}

#[test]
fn long_quotients_by_a_constant_are_exact() {
    let numbers = long_numbers();
    let rows: Vec<[u64; 2]> = numbers.iter().map(|&x| [x, 0]).collect();
    for op in OPERATIONS {
        numbers.iter().for_each(|&y| compare_long(&format!("{op} %0, {}", y as i64), &rows));
    }
}

#[test]
fn long_signs_are_exact() {
    let rows: Vec<[u64; 2]> = long_numbers().into_iter().flat_map(|x| [[x, 0], [!x, 0]]).collect();
    compare_long("isign %0", &rows);
}

/// Borders between which floats are nearest, both halves that are ties among them.
#[test]
fn long_integers_become_the_nearest_floats() {
    let near = (24..63).flat_map(|bit| {
        let (float, half) = (1u64 << bit, 1u64 << (bit - 24));
        [
            float + half - 1,
            float + half,
            float + half + 1,
            float + 3 * half - 1,
            float + 3 * half,
            float + 3 * half + 1,
        ]
    });
    let rows: Vec<_> =
        long_numbers().into_iter().chain(near).flat_map(|x| [x, !x, x.wrapping_neg()]).collect();
    let rows: Vec<_> = rows.into_iter().map(|x| [x, 0].map(u64::to_le_bytes)).collect();
    for op in ["utof", "stof"] {
        let body = format!("%2: f32 = {op} %0\n %3: i32 = bitcast %2\n %4: i64 = zext %3");
        compare_lowered(&run::text("i64", &body, "%4"), &rows, |module| {
            let _ = long_floats(module, FunctionRef(0));
            assert!(!print(module).contains(&format!("{op} %0")), "{}", print(module));
        });
    }
}

/// Floats that have a whole part of 64 bits.
#[test]
fn floats_become_long_integers() {
    let exponents = (-3..63).map(|e| 2f32.powi(e));
    let floats: Vec<f32> =
        exponents.flat_map(|x| [x, 1.5 * x, x.next_up(), x.next_down(), 1.999 * x]).collect();
    let rows = |signs: &[f32]| -> Vec<_> {
        let all = floats.iter().flat_map(|x| signs.iter().map(move |sign| x * sign)).chain([0.0, -0.0]);
        all.map(|x| [u64::from(x.to_bits()), 0].map(u64::to_le_bytes)).collect()
    };
    for (op, signs) in [("ftou", &[1.0][..]), ("ftos", &[1.0, -1.0])] {
        let body = format!("%2: i32 = zext %0\n %3: f32 = bitcast %2\n %4: i64 = {op} %3");
        compare_lowered(&run::text("i64", &body, "%4"), &rows(signs), |module| {
            let _ = long_floats(module, FunctionRef(0));
        });
    }
}

/// One conversion behind the other: each reads what the other has become.
#[test]
fn conversions_follow_one_another() {
    let rows: Vec<_> = long_numbers().into_iter().map(|x| [x >> 1, 0].map(u64::to_le_bytes)).collect();
    let body = "%2: f32 = utof %0\n %3: i64 = ftou %2\n %4: f32 = stof %3\n %5: i64 = ftos %4";
    compare_lowered(&run::text("i64", body, "%5"), &rows, |module| {
        let _ = long_floats(module, FunctionRef(0));
    });
}
