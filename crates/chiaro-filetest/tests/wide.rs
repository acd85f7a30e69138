//! Numbers of other widths than 32 bits, from GLSL through SPIR-V to the interpreter: every result
//! is the one that Rust computes.
//!
//! A source of `tests/wide` has two buffers: three arrays of operands, and for each invocation a
//! row of results in the order of the functions below.

use std::path::Path;

use chiaro_diag::SourceMap;
use chiaro_filetest::stages::Shader;
use chiaro_ir::interp::{Interpreter, NoImages};
use chiaro_isa::Rng;
use chiaro_num::{Encoding, F16};
use chiaro_spirv::{SpecKey, SpecValue};

/// Invocations, each with its own operands.
const LANES: usize = 64;
/// Results of an invocation.
const RESULTS: usize = 24;

/// Operands to results, all as bits.
type Row = fn([u64; 3]) -> [u64; RESULTS];

#[test]
fn doubles() {
    check("doubles", 8, number, |[a, b, c]| {
        let [x, y, z] = [a, b, c].map(f64::from_bits);
        let chosen = |which: bool| if which { 1.0 } else { 0.0 };
        let sign = if z == 0.0 { 0.0 } else { z.signum() };
        [
            x + y,
            x - y,
            x * y,
            x / y,
            x.mul_add(y, z),
            x.abs().sqrt(),
            z.floor(),
            z.ceil(),
            z.trunc(),
            z.round_ties_even(),
            z - z.floor(),
            x.min(y),
            x.max(y),
            sign,
            f64::from(z as f32),
            z.trunc() + 0.0,
            f64::from_bits(a.rotate_left(32)),
            chosen(x < y),
            z.trunc() + 0.0,
            f64::from_bits(a ^ 1),
            if z > 0.0 { y } else { x },
            y * 1.0 + x * 0.0,
            z,
            -z.clamp(-2.0, 2.0),
        ]
        .map(f64::to_bits)
    });
}

/// Operands of doubles: two of any exponent, and one of which integers can be made.
fn number(random: &mut Rng, which: usize) -> u64 {
    let bits = random.next();
    let small = (bits as i64 >> 40) as f64 / 4096.0;
    let any = f64::from_bits((bits & !(0x7ff << 52)) | (((bits >> 20) % 0x7fe) << 52));
    if which == 2 { small.to_bits() } else { any.to_bits() }
}

#[test]
fn float16() {
    let operand = |random: &mut Rng, which: usize| {
        let bits = random.next();
        let (sign, exponent) =
            (bits & 0x8000, if which == 2 { 8 + (bits >> 16) % 16 } else { (bits >> 16) % 31 });
        sign | exponent << 10 | bits & 0x3ff
    };
    check("float16", 2, operand, |[a, b, c]| {
        let [x, y, z] = [a, b, c].map(|bits| F16.decode(bits as u32));
        let chosen = |which: bool| if which { 1.0 } else { 0.0 };
        let sign = if z == 0.0 { 0.0 } else { z.signum() };
        let values = [
            x + y,
            x - y,
            x * y,
            x / y,
            x.abs().sqrt(),
            z.floor(),
            z.ceil(),
            z.trunc(),
            z.round_ties_even(),
            x.min(y),
            x.max(y),
            sign,
            f64::from(x as f32 * 3.0),
            z / 3.0,
            z.trunc() + 0.0,
            z.trunc() + 0.0,
            chosen(x < y),
            if z > 0.0 { y } else { x },
            x * z,
            y * z,
            y * z,
            F16.decode(a as u32 ^ 1),
            -x,
            z.abs(),
        ];
        values.map(|value| u64::from(F16.encode(value, Encoding::default())))
    });
}

/// Results of integers of a width, by Rust's own type of that width.
macro_rules! integers {
    ($name:ident, $file:literal, $signed:ident, $unsigned:ident, |$x:ident, $u:ident| $($last:expr),*) => {
        #[test]
        #[allow(clippy::cast_lossless, reason = "the macro serves widths that the cast narrows")]
        fn $name() {
            const BYTES: usize = size_of::<$signed>();
            check($file, BYTES, integer::<BYTES>, |[a, b, c]| {
                let ($x, y, $u, v) = (a as $signed, b as $signed, a as $unsigned, b as $unsigned);
                let shift = c as u32 % $signed::BITS;
                [
                    $x.wrapping_add(y), $x.wrapping_sub(y), $x.wrapping_mul(y), $x / y, $x & y, $x | y,
                    $x ^ y, !$x, $x << shift, $x >> shift, ($u >> shift) as $signed, ($u / v) as $signed,
                    ($u % v) as $signed, ($x < y) as $signed, ($u < v) as $signed, $x.wrapping_abs(),
                    $x.signum(), $x.min(y), $u.max(v) as $signed, $($last as $signed),*, $x.wrapping_neg(),
                ]
                .map(|value| value as $unsigned as u64)
            });
        }
    };
}

integers!(int64, "int64", i64, u64, |x, u| x as i32, u as u32, (x >> 2) as f64, u.rotate_left(32));
integers!(int16, "int16", i16, u16, |x, u| x / 2, u / 2, f32::from(x) * 0.5, i64::from(x) * 3 >> 1);
integers!(int8, "int8", i8, u8, |x, u| x / 2, u / 2, f32::from(x) * 0.5, i64::from(x) * 3 >> 1);

/// Operands of integers: extremes now and then, and never a quotient that has no value.
fn integer<const BYTES: usize>(random: &mut Rng, which: usize) -> u64 {
    let bits = random.next();
    let any = match bits >> 60 {
        0 if which == 0 => 1 << (8 * BYTES - 1),
        1 => (1 << (8 * BYTES - 1)) - 1,
        _ => bits,
    };
    let sign = any << (64 - 8 * BYTES) >> (64 - 8 * BYTES);
    let is_none_or_all = sign == 0 || sign == u64::MAX >> (64 - 8 * BYTES);
    if which == 1 && is_none_or_all { 3 } else { sign }
}

#[test]
fn specialised_constants() {
    let shader = compile("specialised");
    let given = [(1, 11), (2, 0.25f64.to_bits()), (3, -7i64 as u64), (4, 1), (5, 300), (7, 4)];
    let specialize = given.iter().map(|&(id, bits)| (SpecKey::Id(id), SpecValue::Bits(bits))).collect();
    let options = chiaro_spirv::Options { specialize, ..chiaro_spirv::Options::default() };
    for (options, expected, lanes) in [
        (chiaro_spirv::Options::default(), 0.5 * 5.0 + 9.0 + 7.0 + 1.0, 2),
        (options, -(0.25 * -7.0 + 300.0 + 23.0) + 4.0, 8),
    ] {
        let vulkan = chiaro_spirv::vulkanize(&shader.hub).unwrap_or_else(|e| panic!("{}", e.message));
        let read = chiaro_spirv::read_module(&vulkan, &options, &mut SourceMap::new());
        let read = read.unwrap_or_else(|e| panic!("{e}"));
        let bytes = run(&read.module, &[], 8 * LANES);
        let found: Vec<f64> = bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
        assert_eq!(found[..lanes], vec![expected; lanes]);
        assert!(found[lanes..].iter().all(|&value| value == 0.0), "more lanes than the workgroup has");
    }
}

fn compile(name: &str) -> Shader {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wide").join(name).with_extension("comp");
    Shader::compile(&path).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Runs a source on random operands of so many bytes, in both flavours.
fn check(name: &str, bytes: usize, operand: impl Fn(&mut Rng, usize) -> u64, row: Row) {
    let shader = compile(name);
    let mut random = Rng(0x9e37_79b9_7f4a_7c15);
    let operands: Vec<[u64; 3]> =
        (0..LANES).map(|_| [0, 1, 2].map(|which| operand(&mut random, which))).collect();
    let given: Vec<u8> = (0..3)
        .flat_map(|which| operands.iter().flat_map(move |row| row[which].to_le_bytes()[..bytes].to_vec()))
        .collect();
    let vulkan = chiaro_spirv::vulkanize(&shader.hub).unwrap_or_else(|e| panic!("{name}: {}", e.message));
    let options = chiaro_spirv::Options::default();
    let vulkan = chiaro_spirv::read_module(&vulkan, &options, &mut SourceMap::new());
    let vulkan = vulkan.unwrap_or_else(|e| panic!("{name}: {e}"));
    for (module, flavour) in [(&shader.module, "OpenGL"), (&vulkan.module, "Vulkan")] {
        let found = run(module, &given, bytes * LANES * RESULTS);
        let mut wrong = Vec::new();
        for (lane, row) in operands.iter().map(|given| row(*given)).enumerate() {
            for (n, expected) in row.into_iter().enumerate() {
                let at = (lane * RESULTS + n) * bytes;
                let mut word = [0; 8];
                word[..bytes].copy_from_slice(&found[at..at + bytes]);
                let found = u64::from_le_bytes(word);
                if !is_same(expected, found, name, bytes) {
                    wrong.push(format!(
                        "{n} of {:x?}: expected {expected:x}, found {found:x}",
                        operands[lane]
                    ));
                }
            }
        }
        assert!(
            wrong.is_empty(),
            "{name}, {flavour}, {} differ: {:#?}",
            wrong.len(),
            &wrong[..wrong.len().min(12)]
        );
    }
}

/// Whether two results are the same bits, or both no number.
fn is_same(expected: u64, found: u64, name: &str, bytes: usize) -> bool {
    let is_nan = |bits: u64| match bytes {
        8 => f64::from_bits(bits).is_nan(),
        _ => F16.decode(bits as u32).is_nan(),
    };
    expected == found || !name.starts_with("int") && is_nan(expected) && is_nan(found)
}

/// The buffer at binding 1 after a run with these bytes at binding 0.
fn run(module: &chiaro_ir::Module, given: &[u8], results: usize) -> Vec<u8> {
    let mut interpreter = Interpreter::new(module, &module.entries[0]);
    if let Some(operands) = interpreter.bound(0, 0) {
        interpreter.set(operands, given.to_vec());
    }
    let out = interpreter.bound(0, 1).expect("a buffer of results");
    interpreter.set(out, vec![0; results]);
    interpreter.dispatch([1; 3], &mut NoImages).unwrap_or_else(|e| panic!("{e}"));
    interpreter.bytes(out).unwrap_or_default().to_vec()
}
