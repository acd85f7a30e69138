//! Lowering by cases and against the interpreter, for a machine of each kind.
//!
//! Cases stand beside the rewrites; `; narrow`, `; wide` or `; rounded` in the first line says whose facts they
//! are lowered by. What functions give is compared with what the IR means, within what their
//! polynomials leave; integers are exact.

use chiaro_ir::interp::{Domain, Exact};
use chiaro_ir::{Combine, FunctionRef, Module, Space, print, verify};
use chiaro_opt::dce;
use chiaro_opt::lower::{Arithmetic, Atomic, Facts, atomic_loops, functions, integers};
use chiaro_sim::arith::Any;
use chiaro_sim::{FloatEnv, Op as U, scalar};

use crate::{cases, run};

/// Seventeen bits, vectors, products with 0 that are 0; nothing but sums, products and masks.
static NARROW: Facts = Facts {
    bits: 17,
    is_scalar: false,
    has_sign: false,
    has_select: false,
    has_clamp: false,
    has_roundings: false,
    has_root: false,
    has_signed_high: false,
    has_long_sum: false,
    has_fused_select: false,
    has_turns: false,
    has_any_turn: false,
    has_sines: false,
    has_zero_product: true,
    has_exact_powers: true,
    has_close_reciprocal: false,
    has_large_unsigned: false,
    has_rounded_index: false,
    mask_runs: 4,
    bit_places: 0,
};

/// Twenty-four bits, scalars, signs, selects and clamps.
static WIDE: Facts = Facts::BINARY32;

/// The same with an index register that rounds.
static ROUNDED: Facts = Facts { has_rounded_index: true, ..NARROW };

/// IEEE 754, but 0 times infinity is 0, and no zero is negative, as narrow machines have it.
const FLOATS: Arithmetic = Arithmetic { compute, bounds: [U::FminNumber, U::FmaxNumber], compares_nan: true };

fn compute(op: U, operands: [u64; 3]) -> u64 {
    let [a, b, _] = operands.map(|bits| f32::from_bits(bits as u32));
    if op == U::Fmul && (a == 0.0 && b.is_infinite() || b == 0.0 && a.is_infinite()) {
        return 0;
    }
    let value = scalar::value::<Any>(op, &FloatEnv::IEEE, operands.map(|bits| bits as u32));
    match value.unwrap_or(f32::NAN.to_bits()) {
        0x8000_0000 => 0,
        bits => bits.into(),
    }
}

fn lowered(module: &Module, facts: &'static Facts) -> Module {
    let (mut module, f) = (module.clone(), FunctionRef(0));
    let _ = integers(&mut module, f, facts, Default::default());
    let _ = functions(&mut module, f, facts);
    let _ = dce(&mut module, f, &mut Default::default());
    assert_eq!(verify(&module), Ok(()), "{}", print(&module));
    module
}

#[test]
fn rewrites_do_what_their_cases_say() {
    for file in ["functions", "integers"] {
        cases::run(&format!("../src/lower/{file}.txt"), |text| match cases::sound(text) {
            Ok(module) => {
                let facts = [("; wide", &WIDE), ("; rounded", &ROUNDED)];
                let known = facts.into_iter().find(|(head, _)| text.starts_with(head));
                print(&lowered(&module, known.map_or(&NARROW, |(_, facts)| facts)))
            }
            Err(error) => error,
        });
    }
}

#[test]
fn atomic_operations_become_loops_of_exchanges() {
    cases::run("../src/lower/atomic_loops.txt", |text| match cases::sound(text) {
        Ok(mut module) => {
            let adds = |atomic: Atomic| atomic.combine == Combine::IAdd && atomic.space == Space::Storage;
            let _ = atomic_loops(&mut module, FunctionRef(0), adds);
            assert_eq!(verify(&module), Ok(()), "{}", print(&module));
            print(&module)
        }
        Err(error) => error,
    });
}

/// A shader that stores a function of its two inputs.
fn shader(body: &str) -> Module {
    cases::sound(&run::text("f32", body, "%9")).unwrap_or_else(|error| panic!("{error}"))
}

fn outputs<D: Domain>(module: &Module, domain: D, rows: &[[f32; 2]]) -> Vec<f32> {
    let bytes = run::bytes(module, domain, rows.iter().map(|row| row.map(f32::to_le_bytes)));
    bytes.into_iter().map(f32::from_le_bytes).collect()
}

/// A function, its operands, and how far from what it means it may be.
type Row = (&'static str, [(f32, f32); 2], f32);

const FUNCTIONS: &[Row] = &[
    ("fdiv %0, %1", [(-9.0, 9.0), (0.1, 99.0)], 1e-4),
    ("frem %0, %1", [(-9.3, 9.1), (0.53, 9.0)], 1e-4),
    ("fmod %0, %1", [(-9.3, 9.1), (0.53, 9.0)], 1e-4),
    ("fsign %0", [(-2.0, 2.0), (0.0, 0.0)], 0.0),
    ("fceil %0", [(-9.0, 9.0), (0.0, 0.0)], 0.0),
    ("ftrunc %0", [(-9.0, 9.0), (0.0, 0.0)], 0.0),
    ("fround %0", [(-8.0, 8.0), (0.0, 0.0)], 0.0),
    ("ffract %0", [(-9.0, 9.0), (0.0, 0.0)], 1e-6),
    ("fsqrt %0", [(0.0, 99.0), (0.0, 0.0)], 1e-5),
    ("frsqrt %0", [(0.1, 99.0), (0.0, 0.0)], 1e-5),
    ("fexp %0", [(-5.0, 2.0), (0.0, 0.0)], 1e-5),
    ("fexp2 %0", [(-5.0, 2.0), (0.0, 0.0)], 1e-5),
    ("flog %0", [(0.1, 99.0), (0.0, 0.0)], 1e-5),
    ("flog2 %0", [(0.1, 99.0), (0.0, 0.0)], 1e-5),
    ("fpow %0, %1", [(0.1, 4.0), (-2.0, 2.0)], 1e-3),
    ("fsin %0", [(-9.0, 9.0), (0.0, 0.0)], 6e-5),
    ("fcos %0", [(-9.0, 9.0), (0.0, 0.0)], 6e-5),
    ("ftan %0", [(-1.2, 1.2), (0.0, 0.0)], 1e-3),
    ("fasin %0", [(-1.0, 1.0), (0.0, 0.0)], 4e-4),
    ("facos %0", [(-1.0, 1.0), (0.0, 0.0)], 4e-4),
    ("fatan %0", [(-9.0, 9.0), (0.0, 0.0)], 1e-4),
    ("fatan2 %0, %1", [(-9.0, 9.0), (-8.7, 8.9)], 1e-4),
    ("fsinh %0", [(-3.0, 3.0), (0.0, 0.0)], 1e-4),
    ("fcosh %0", [(-3.0, 3.0), (0.0, 0.0)], 1e-4),
    ("ftanh %0", [(-9.0, 9.0), (0.0, 0.0)], 1e-5),
    ("fasinh %0", [(-9.0, 9.0), (0.0, 0.0)], 1e-4),
    ("facosh %0", [(1.0, 9.0), (0.0, 0.0)], 1e-4),
    ("fatanh %0", [(-0.9, 0.9), (0.0, 0.0)], 1e-4),
    ("ffraction %0", [(-99.0, 99.0), (0.0, 0.0)], 0.0),
];

#[test]
fn functions_are_within_what_their_polynomials_leave() {
    for &(call, ranges, allowed) in FUNCTIONS {
        let module = shader(&format!("%9: f32 = {call}"));
        let at = |(low, high): (f32, f32), t: f32| low + (high - low) * t;
        let row = |i: i32| [at(ranges[0], i as f32 / 64.0), at(ranges[1], (i * 29 % 65) as f32 / 64.0)];
        let rows: Vec<[f32; 2]> = (0..=64).map(row).collect();
        let expected = outputs(&module, Exact, &rows);
        for facts in [&NARROW, &WIDE] {
            let found = outputs(&lowered(&module, facts), FLOATS, &rows);
            for ((row, expected), found) in rows.iter().zip(&expected).zip(found) {
                let off = (expected - found).abs();
                assert!(off <= allowed, "{call} of {row:?}, {} bits: {found}, not {expected}", facts.bits);
            }
        }
    }
}

/// Operations on integers; whether a machine without room for bits one by one has them, too.
const INTEGERS: &[(&str, bool)] = &[
    ("sdiv %2, %3", true),
    ("srem %2, %3", true),
    ("smod %2, %3", true),
    ("sdiv %2, 10", true),
    ("srem %2, 8", true),
    ("shl %2, 3", true),
    ("ashr %2, 2", true),
    ("and %2, 12", true),
    ("and %2, -8", true),
    ("or %2, 12", true),
    ("xor %2, 255", true),
    ("not %2", true),
    ("bitextracts %2, 1, 3", true),
    ("bitextractu %2, 2, 4", true),
    ("bitinsert %2, %3, 2, 3", true),
    ("and %2, %3", false),
    ("or %2, %3", false),
    ("xor %2, %3", false),
];

#[test]
fn integers_are_exact() {
    let numbers = [-100_000, -4097, -255, -100, -8, -7, -1, 1, 2, 3, 7, 8, 10, 99, 4096, 65_535, 131_071];
    let rows: Vec<[f32; 2]> = numbers.iter().flat_map(|&a| numbers.map(|b| [a as f32, b as f32])).collect();
    for &(call, everywhere) in INTEGERS {
        let module =
            shader(&format!("%2: i32 = ftos %0\n%3: i32 = ftos %1\n%4: i32 = {call}\n%9: f32 = stof %4"));
        let expected = outputs(&module, Exact, &rows);
        let machines: &[&Facts] = if everywhere { &[&NARROW, &WIDE] } else { &[&WIDE] };
        for &facts in machines {
            let facts = if facts.bits == 17 { &NARROW } else { &WIDE };
            let found = outputs(&lowered(&module, facts), FLOATS, &rows);
            for ((row, expected), found) in rows.iter().zip(&expected).zip(found) {
                assert!(
                    *expected == found,
                    "{call} of {row:?}, {} bits: {found}, not {expected}",
                    facts.bits
                );
            }
        }
    }
}

/// Floats of seventeen bits: what is rounded on the way shows.
const NARROW_FLOATS: Arithmetic = Arithmetic { compute: compute_narrow, ..FLOATS };

fn compute_narrow(op: U, operands: [u64; 3]) -> u64 {
    const LOST: u64 = (1 << 7) - 1;
    match (op, compute(op, operands)) {
        // What they answer is no float.
        (U::Flt | U::Fle, truth) => truth,
        // To nearest, ties to even.
        (_, bits) => (bits + LOST / 2 + (bits >> 7 & 1)) & !LOST,
    }
}

/// Bits of numbers that just fit a float are as exact as those of small ones.
#[test]
fn bits_at_the_border_of_a_float_are_exact() {
    static FACTS: Facts = Facts { bit_places: 17, ..NARROW };
    let numbers = [-131_072, -131_071, -65_537, -1, 0, 1, 65_535, 65_536, 87_381, 131_070, 131_071];
    let rows: Vec<[f32; 2]> = numbers.iter().flat_map(|&a| numbers.map(|b| [a as f32, b as f32])).collect();
    for call in ["and %2, %3", "or %2, %3", "xor %2, %3", "or %2, 65537", "xor %2, 131071"] {
        let module =
            shader(&format!("%2: i32 = ftos %0\n%3: i32 = ftos %1\n%4: i32 = {call}\n%9: f32 = stof %4"));
        let expected = outputs(&module, Exact, &rows);
        let found = outputs(&lowered(&module, &FACTS), NARROW_FLOATS, &rows);
        for ((row, expected), found) in rows.iter().zip(&expected).zip(found) {
            assert!(*expected == found, "{call} of {row:?}: {found}, not {expected}");
        }
    }
}

/// What a machine has no exact form for stays, for the target to report.
#[test]
fn what_has_no_form_is_left() {
    let module = shader("%2: i32 = ftos %0\n%3: i32 = ftos %1\n%4: i32 = and %2, %3\n%9: f32 = stof %4");
    assert!(print(&lowered(&module, &NARROW)).contains(" and "));
    assert!(!print(&lowered(&module, &WIDE)).contains(" and "));
}
