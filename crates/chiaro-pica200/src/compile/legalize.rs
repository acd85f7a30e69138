//! Legalisation: IR to IR that only has what this machine has.
//!
//! [`PASSES`] turn any vertex shader whose calls are inlined into *legal IR*, or leave what the
//! machine cannot do for [`illegal()`] to report, with its place in the source. [`unsupported()`]
//! reports the hopeless cases before any pass has run. Legal IR holds:
//!
//! | what | form |
//! |---|---|
//! | values | floats of 32 bits, which stand for float24, and vectors of two to four |
//! | arithmetic | `fadd fsub fmul fma fneg fabs fmin fmax ffloor fdot`; `fma` rounds its product, as MAD does; the optimiser may make `fclamp` and `ffract` again |
//! | moves | `construct extract insert shuffle` |
//! | natives | `rcp rsq ex2 lg2` of scalars, `slt sge` of vectors: [`Native`](chiaro_opt::lower::Native) |
//! | conditions | bools are for `if` alone: a comparison of two scalar floats, `isnan` or `isinf`, a bool loaded from outside, `not` of one of these, `and` or `or` of two comparisons or their `not`; the test of a counted loop; constants |
//! | integers | indices of `access`: a constant, `ftos` of a float (MOVA), a counter of a loop that LOOP serves ([`counted()`]), or one of the last two plus a constant. `stof` of what is loaded from outside: registers hold it as a float. `ftos` of what is stored to an output |
//! | memory | loads of inputs and uniforms, stores to outputs, of scalars and vectors; only arrays of uniforms have indices that are computed. Local variables, with constant indices, are left for the optimiser to promote |
//! | control | `if`, `loop`, `block` and their exits; there is no `switch` and no `select` |
//!
//! What these mean on the machine is [`Float24`](crate::compile::legalize::float24::Float24). Integers are exact
//! up to 131072; the functions' errors are in [`bounds`].
//!
//! The order of the passes: what needs integers comes before they are gone ([`flags()`], [`switches()`],
//! [`guards()`], [`float_counters()`], [`rotate()`], [`counters()`]); functions make no bools, so that [`bools()`] sees all there are;
//! [`dynamic()`] finds nothing but floats.

mod arms;
mod bools;
pub mod bounds;
mod choices;
mod chosen;
pub mod clip;
mod counters;
mod dynamic;
mod either;
#[cfg(test)]
mod exact;
mod flags;
pub mod float24;
mod float_counters;
mod guards;
mod illegal;
mod parts;
mod registers;
mod rotate;
#[cfg(test)]
pub(crate) mod samples;
mod selects;
mod switches;
mod tails;

use chiaro_ir::{FunctionRef, Module};
use chiaro_opt::lower::{self, Facts};
use chiaro_opt::{Changed, Cx, Pass};

pub use arms::arms;
pub use bools::bools;
pub use choices::choices;
pub use counters::{Counted, Rounds, counted, counters};
pub(crate) use counters::{loops, place};
pub use dynamic::dynamic;
pub use either::either;
pub use flags::flags;
pub use float_counters::float_counters;
pub use guards::guards;
pub use illegal::{illegal, unsupported};
pub(crate) use parts::part;
pub(crate) use registers::integer_registers;
pub use rotate::rotate;
pub use selects::selects;
pub use switches::switches;
pub use tails::tails;

/// The passes in their order.
pub static PASSES: &[Pass] = &[
    Pass { name: "flags", run: flags },
    Pass { name: "switches", run: switches },
    Pass { name: "guards", run: guards },
    Pass { name: "float_counters", run: float_counters },
    Pass { name: "rotate", run: rotate },
    Pass { name: "counters", run: counters },
    Pass { name: "integers", run: integers },
    Pass { name: "functions", run: functions },
    Pass { name: "selects", run: selects },
    Pass { name: "arms", run: arms },
    Pass { name: "bools", run: bools },
    Pass { name: "dynamic", run: dynamic },
    // Forms of bools that nobody asks for, and pointers that masks have replaced.
    Pass { name: "dce", run: chiaro_opt::dce },
];

/// What this machine has, as far as lowering asks.
pub static FACTS: Facts = Facts {
    // float24.
    bits: 17,
    is_scalar: false,
    has_sign: false,
    has_select: false,
    has_clamp: false,
    // [3dbrew]
    has_roundings: false,
    has_root: false,
    has_signed_high: false,
    has_long_sum: false,
    has_fused_select: false,
    has_turns: false,
    has_any_turn: false,
    has_sines: false,
    has_zero_product: true,
    // How exact RCP, EX2 and LG2 are is \[unknown]: quotients are made to bear with it.
    has_exact_powers: true,
    has_close_reciprocal: false,
    has_large_unsigned: false,
    // MOVA. [3dbrew]
    has_rounded_index: true,
    // Each costs six words.
    mask_runs: 4,
    bit_places: 0,
};

fn integers(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let kept = counters::integers(module, module.function(f));
    lower::integers(module, f, &FACTS, kept)
}

fn functions(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    lower::functions(module, f, &FACTS)
}
