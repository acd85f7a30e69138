//! IR to IR: only what this machine has.
//!
//! | what | form |
//! |---|---|
//! | arithmetic | scalars: sums, products, `fma`, bounds, roundings, `fsqrt`, `fsin`, `fcos`; integers and bits as they are |
//! | natives | `rcp rsq ex2 lg2` |
//! | narrow numbers | 16 bits as they are; functions and quotients of them in 32 |
//! | bools | comparisons, `and or xor not`, `select`: 1 and 0 in 16 bits |
//! | outputs | stored by the end alone, in one place |

use chiaro_ir::{FunctionRef, Module};
#[cfg(feature = "target")]
use chiaro_opt::lower::Arithmetic;
use chiaro_opt::lower::{self, Facts};
use chiaro_opt::{Changed, Cx, Pass};
#[cfg(feature = "target")]
use chiaro_sim::{FloatEnv, Op as U, arith::Any, scalar};

/// Outputs become values that one place stores.
pub static OUTPUTS: &[Pass] = &[
    Pass { name: "single_return", run: chiaro_opt::single_return },
    Pass { name: "outputs_at_end", run: chiaro_opt::outputs_at_end },
    Pass { name: "sroa", run: chiaro_opt::sroa },
    Pass { name: "mem2reg", run: chiaro_opt::mem2reg },
];

/// Functions become operations of the machine, of scalars.
pub static PASSES: &[Pass] = &[
    Pass { name: "widen", run: widen },
    Pass { name: "functions", run: functions },
    Pass { name: "scalarize", run: chiaro_opt::scalarize },
    Pass { name: "words", run: words },
];

/// What comes last: products and sums together.
pub static LATE: &[Pass] =
    &[Pass { name: "contract", run: chiaro_opt::contract }, Pass { name: "dce", run: chiaro_opt::dce }];

/// What this machine has, as far as lowering asks (spec 5, 19.1).
pub static FACTS: Facts = Facts {
    bits: 24,
    is_scalar: true,
    has_sign: true,
    has_select: true,
    has_clamp: true,
    has_roundings: true,
    has_root: true,
    has_turns: false,
    has_any_turn: false,
    has_sines: true,
    has_zero_product: false,
    // How exact the functions are is [unknown] (spec 21).
    has_exact_powers: false,
    has_close_reciprocal: true,
    has_large_unsigned: true,
    has_rounded_index: false,
    mask_runs: 16,
    bit_places: 24,
};

/// What legal IR means on the machine: the micro-ops of `exec`.
#[cfg(feature = "target")]
pub const FLOAT32: Arithmetic =
    Arithmetic { compute, bounds: [U::FminNumber, U::FmaxNumber], compares_nan: true };

#[cfg(feature = "target")]
fn compute(op: U, operands: [u64; 3]) -> u64 {
    let value = scalar::value::<Any>(op, &FloatEnv::IEEE, operands.map(|bits| bits as u32));
    value.unwrap_or(f32::NAN.to_bits()).into()
}

fn widen(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    lower::widen(module, f)
}

fn functions(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    lower::functions(module, f, &FACTS)
}

fn words(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    lower::words(module, f)
}
