//! IR to IR: only what this machine has.
//!
//! | what | form |
//! |---|---|
//! | arithmetic | scalars: sums, products, `fma`, bounds, roundings, `fsqrt`, `fsin`, `fcos`; integers and bits as they are |
//! | natives | `rcp rsq ex2 lg2` |
//! | small `if`s | selects, also where they chose outputs |
//! | narrow quotients | products of floats |
//! | narrow numbers | 16 bits as they are; functions and quotients of them in 32 |
//! | atomic operations on floats | exchanges of what is still there |
//! | bools | comparisons, `and or xor not`, `select`: 1 and 0 in 16 bits |
//! | ends of fragments | `demote`, where nobody can tell |
//! | writes of helpers | none, behind a `demote` |
//! | outputs | stored by the end alone, in one place |

mod begin_sums;
mod demote;
mod guard_writes;
mod narrow_quotients;

use chiaro_ir::{FunctionRef, Module};
#[cfg(feature = "target")]
use chiaro_opt::lower::Arithmetic;
use chiaro_opt::lower::{self, Atomic, Facts};
use chiaro_opt::{Changed, Cx, Pass};

/// Functions become operations of the machine, of scalars.
pub static PASSES: &[Pass] = &[
    Pass { name: "if_convert", run: chiaro_opt::if_convert },
    Pass { name: "atomic_loops", run: |module, f, _| lower::atomic_loops(module, f, Atomic::is_plain) },
    Pass { name: "narrow_quotients", run: narrow_quotients::narrow_quotients },
    Pass { name: "widen", run: widen },
    Pass { name: "functions", run: |module, f, _| lower::functions(module, f, &FACTS) },
    Pass { name: "scalarize", run: chiaro_opt::scalarize },
    Pass { name: "longs", run: |module, f, _| lower::longs(module, f) },
    Pass { name: "long_floats", run: |module, f, _| lower::long_floats(module, f) },
    Pass { name: "demote", run: demote::demote },
    Pass { name: "guard_writes", run: guard_writes::guard_writes },
    Pass { name: "words", run: |module, f, _| lower::words(module, f, &FACTS) },
];

/// Once there are products and sums in one.
pub static SUMS: &[Pass] =
    &[Pass { name: "begin_sums", run: begin_sums::begin_sums }, Pass { name: "dce", run: chiaro_opt::dce }];

/// Widens, and simplifies quotients that are of 32 bits now.
fn widen(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    let changed = lower::widen(module, f, cx);
    if changed == Changed::Yes {
        let _ = chiaro_opt::const_fold(module, f, cx);
        let _ = chiaro_opt::simplify(module, f, cx);
    }
    changed
}

/// What this machine has, as far as lowering asks (spec 5, 19.1).
pub static FACTS: Facts = Facts {
    has_roundings: true,
    has_root: true,
    has_signed_high: true,
    has_long_sum: true,
    has_fused_select: true,
    has_sines: true,
    // How exact the functions are is [unknown] (spec 21).
    has_exact_powers: false,
    ..Facts::BINARY32
};

/// What legal IR means on the machine: the micro-ops of `exec`.
#[cfg(feature = "target")]
pub const FLOAT32: Arithmetic = Arithmetic::IEEE;
