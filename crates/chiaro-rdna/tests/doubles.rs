//! Quotients and roots of doubles are rounded correctly: bit for bit what exact arithmetic gives, at the borders of the
//! format above all.

use chiaro_isa::Rng;
use chiaro_num::{Encoding, F16};
use chiaro_opt::Cx;
use chiaro_rdna::compile::{Compiled, Options, compile};
use chiaro_rdna::verify::launch::{Given, How, run};

use crate::common::kernel;

/// Pairs of numbers of a run: as many as threads.
const PAIRS: usize = 64;

/// A kernel on two buffers of doubles, `x` and `y`, of which the body changes the first.
fn build(body: &str, wave: u8) -> Compiled {
    let text = format!(
        "#version 450
        #extension GL_EXT_shader_explicit_arithmetic_types : require
        layout(local_size_x = 64) in;
        layout(std430, binding = 0) buffer A {{ double f[64]; }} a;
        layout(std430, binding = 1) readonly buffer B {{ double f[64]; }} b;
        void main() {{ uint i = gl_LocalInvocationID.x; double x = a.f[i], y = b.f[i]; {body} a.f[i] = x; }}"
    );
    let options = Options { wave, ..Options::default() };
    let mut cx = Cx { verify: true, ..Cx::default() };
    let made = compile(&mut kernel::read(&text), "main", options, &mut cx);
    made.unwrap_or_else(|errors| panic!("{body}: {}", errors[0].message))
}

fn bytes(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn ran(compiled: &Compiled, x: &[f64], y: &[f64]) -> Vec<f64> {
    let given = Given { groups: [1; 3], bytes: vec![bytes(x), bytes(y)], ..Given::default() };
    let after = run(compiled, &given, How::default()).expect("the kernel runs");
    after[0].chunks(8).map(|eight| f64::from_le_bytes(eight.try_into().expect("eight bytes"))).collect()
}

/// Numbers at the borders: of the format, of what is scaled, of what is rounded.
fn borders() -> Vec<f64> {
    let mut all = vec![
        0.0,
        1.0,
        3.0,
        10.0,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::INFINITY,
        f64::NAN,
        f64::EPSILON,
        1.0 - f64::EPSILON / 2.0,
    ];
    for exponent in [-1074, -1073, -1060, -1023, -1022, -970, -969, -768, -767, -128, -1, 1, 53, 128, 768] {
        let power = 2.0_f64.powi(exponent / 2) * 2.0_f64.powi(exponent - exponent / 2);
        all.extend([power, power * 1.5, f64::from_bits(power.to_bits() + 1)]);
    }
    for exponent in [1000, 1021, 1022, 1023] {
        let power = 2.0_f64.powi(exponent);
        all.extend([power, power * 1.75, f64::from_bits(power.to_bits() + 1)]);
    }
    let minus: Vec<f64> = all.iter().map(|x| -x).collect();
    all.extend(minus);
    all
}

/// Pairs of borders, then random numbers of any size, then those close to each other.
fn pairs(count: usize) -> Vec<(f64, f64)> {
    let borders = borders();
    let mut all: Vec<(f64, f64)> =
        borders.iter().flat_map(|&x| borders.iter().map(move |&y| (x, y))).collect();
    let mut rng = Rng(7);
    for n in 0..count {
        let (x, y) = (f64::from_bits(rng.next()), f64::from_bits(rng.next()));
        let near = |x: f64| f64::from_bits(x.to_bits() & !(0x7ff << 52) | (1020 + rng_bits(n)) << 52);
        all.push(if n % 2 == 0 { (x, y) } else { (near(x), near(y)) });
    }
    // Quotients at the border of subnormal numbers, where they are rounded at other bits.
    for _ in 0..count {
        let (a, b) = (rng.next() & ((1 << 52) - 1), rng.next() & ((1 << 52) - 1));
        let below = 1 + rng.below(1000) as u64;
        let above = (below + 1).saturating_sub(1 + rng.below(60) as u64).max(1);
        // The difference of exponents is about that of the smallest numbers.
        let y = f64::from_bits(b | (1022 + below).min(2046) << 52);
        let x = f64::from_bits(a | above.min(60) << 52);
        all.push((x, y));
    }
    all
}

fn rng_bits(n: usize) -> u64 {
    (n % 7) as u64
}

fn is_same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// Runs a kernel on all pairs: where it differs from what is expected.
fn wrong(body: &str, wave: u8, expected: impl Fn(f64, f64) -> f64) -> Vec<String> {
    let compiled = build(body, wave);
    let mut found = Vec::new();
    for some in pairs(4096).chunks(PAIRS) {
        let mut some = some.to_vec();
        some.resize(PAIRS, (1.0, 1.0));
        let (x, y): (Vec<f64>, Vec<f64>) = some.iter().copied().unzip();
        for (&(x, y), made) in some.iter().zip(ran(&compiled, &x, &y)) {
            let wanted = expected(x, y);
            if !is_same(made, wanted) {
                found.push(format!(
                    "{x:e} ({:#x}), {y:e} ({:#x}): {made:e}, not {wanted:e}",
                    x.to_bits(),
                    y.to_bits()
                ));
            }
        }
    }
    found
}

fn holds(body: &str, expected: impl Fn(f64, f64) -> f64 + Copy) {
    for wave in [32, 64] {
        let found = wrong(body, wave, expected);
        let some = found.iter().take(8).cloned().collect::<Vec<_>>().join("\n");
        assert!(found.is_empty(), "{body}, waves of {wave}: {} are wrong\n{some}", found.len());
    }
}

#[test]
fn quotients_are_rounded_correctly() {
    holds("x = x / y;", |x, y| x / y);
}

#[test]
fn quotients_of_numbers_are_rounded_correctly() {
    holds("precise double q = x / 3.0lf; x = q;", |x, _| x / 3.0);
    holds("x = 1.0lf / y;", |_, y| 1.0 / y);
    holds("x = x / 8.0lf;", |x, _| x / 8.0);
    holds("precise double q = x / 0.1lf; x = q;", |x, _| x / 0.1);
    holds("precise double q = x / 1.0e-310lf; x = q;", |x, _| x / 1.0e-310);
}

#[test]
fn two_quotients_at_once_keep_apart() {
    holds("double z = y / x; x = x / y; x = (z == z) ? x : -1.0lf;", |x, y| {
        if (y / x).is_nan() { -1.0 } else { x / y }
    });
}

#[test]
fn roots_are_rounded_correctly() {
    holds("x = sqrt(x);", |x, _| x.sqrt());
}

/// Within a unit of the last place; what they are compared with is rounded twice.
#[test]
fn inverse_roots_are_close() {
    for wave in [32, 64] {
        let compiled = build("x = inversesqrt(x);", wave);
        for some in pairs(4096).chunks_exact(PAIRS) {
            let x: Vec<f64> = some.iter().map(|pair| pair.0).collect();
            for (&x, made) in x.iter().zip(ran(&compiled, &x, &x)) {
                let wanted = 1.0 / x.sqrt();
                let apart = made.to_bits().abs_diff(wanted.to_bits());
                assert!(apart <= 2 || made.is_nan() && wanted.is_nan(), "{x:e}: {made:e}, not {wanted:e}");
            }
        }
    }
}

#[test]
fn roundings_and_parts_are_exact() {
    holds("x = floor(x);", |x, _| x.floor());
    holds("x = ceil(x);", |x, _| x.ceil());
    holds("x = trunc(x);", |x, _| x.trunc());
    holds("x = roundEven(x);", |x, _| x.round_ties_even());
    holds("x = abs(x) + -0.0lf;", |x, _| x.abs() + -0.0);
    holds("x = isnan(x) ? 2.0lf : isinf(x) ? 3.0lf : 4.0lf;", |x, _| {
        if x.is_nan() {
            2.0
        } else if x.is_infinite() {
            3.0
        } else {
            4.0
        }
    });
    holds("x = x < y ? 1.0lf : x > y ? 2.0lf : 3.0lf;", |x, y| {
        if x < y {
            1.0
        } else if x > y {
            2.0
        } else {
            3.0
        }
    });
    // Subnormal words are flushed.
    holds("x = double(float(x));", |x, _| {
        let word = x as f32;
        f64::from(if word.is_subnormal() { 0.0_f32.copysign(word) } else { word })
    });
}

#[test]
fn conversions_are_rounded_once() {
    holds("x = double(float16_t(x));", |x, _| F16.decode(F16.encode(x, Encoding::default())));
    let bits = "uvec2 w = unpackDouble2x32(x);";
    holds(&format!("{bits} x = double(float(int64_t(packUint2x32(w))));"), |x, _| {
        f64::from(x.to_bits() as i64 as f32)
    });
    holds(&format!("{bits} x = double(float(packUint2x32(w) >> (w.x & 31u)));"), |x, _| {
        f64::from((x.to_bits() >> (x.to_bits() & 31)) as f32)
    });
    holds(&format!("{bits} x = double(int64_t(packUint2x32(w)));"), |x, _| x.to_bits() as i64 as f64);
}

/// Words between two numbers of 24 bits, and right beside the middle.
#[test]
fn integers_beside_the_middle_are_rounded_once() {
    let body = "x = double(float(int64_t(x) + int64_t(y)));";
    let compiled = build(body, 32);
    let x: Vec<f64> = (0..64).map(|n| 2.0_f64.powi(36 + n % 26) + 2.0_f64.powi(12 + n % 26)).collect();
    let y: Vec<f64> = (0..64).map(|n| f64::from(n % 3 - 1)).collect();
    for ((x, y), made) in x.iter().zip(&y).zip(ran(&compiled, &x, &y)) {
        assert_eq!(made, f64::from((*x as i64 + *y as i64) as f32), "{x:e} and {y}");
    }
}

/// Remainders by floor, where quotients are small enough for the whole part to be known.
#[test]
fn remainders_follow_quotients() {
    holds("x = abs(x) < 1.0e15lf && abs(y) > 1.0lf && abs(y) < 1.0e15lf ? mod(x, y) : 0.0lf;", |x, y| {
        if x.abs() < 1e15 && y.abs() > 1.0 && y.abs() < 1e15 { (-(x / y).floor()).mul_add(y, x) } else { 0.0 }
    });
}

/// Significand and exponent; infinities, zeros and what is no number are their own significands.
fn split(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let power = 2.0_f64.powi(64);
    let (scaled, less) = if x.abs() < f64::MIN_POSITIVE { (x * power, 64) } else { (x, 0) };
    let exponent = (scaled.to_bits() >> 52 & 0x7ff) as i32 - 1022;
    (f64::from_bits(scaled.to_bits() & !(0x7ff << 52) | 1022 << 52), exponent - less)
}

#[test]
fn significands_and_exponents_are_exact() {
    holds("int e; x = frexp(x, e);", |x, _| split(x).0);
    holds("int e; x = frexp(x, e); x = double(e);", |x, _| split(x).1.into());
}

#[test]
fn integers_of_64_bits_saturate() {
    holds("x = double(int64_t(x));", |x, _| (x as i64) as f64);
    holds("x = double(uint64_t(x));", |x, _| (x as u64) as f64);
    holds("x = double(uint(x)) + double(int(y));", |x, y| f64::from(x as u32) + f64::from(y as i32));
}
