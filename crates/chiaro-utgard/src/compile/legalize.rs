//! IR to IR: only what this machine has.
//!
//! [`PASSES`] turn an optimised vertex shader into *legal IR*: each of its operations is one that a
//! unit has, on each component.
//!
//! | what | form |
//! |---|---|
//! | arithmetic | `fadd fsub fmul fneg fabs fsign ffloor fmin fmax fclamp fdot`; `fma` is a product and a sum, rounded apart |
//! | natives | `rcp rsq ex2 lg2 slt sge`: [`Native`](lower::Native) |
//! | bools | comparisons of floats, `and or xor not all any`, `select`: all are 0.0 and 1.0 in registers |
//! | integers | as [`integers`](lower::integers()) leaves them: constants and `ftos` as indices, `stof` of what is loaded, `ftos` of what is stored, selectors |
//! | moves | `construct extract insert shuffle` |
//! | memory, control | any |
//!
//! What is left besides is reported where it is selected.

use chiaro_ir::{FunctionRef, Module};
use chiaro_opt::lower::{self, Arithmetic, Facts};
use chiaro_opt::{Changed, Cx, Pass};

/// The passes in their order: integers before functions, because exponents are made of floats.
pub static PASSES: &[Pass] = &[
    Pass { name: "integers", run: integers },
    Pass { name: "functions", run: |module, f, _| lower::functions(module, f, &FACTS) },
    Pass { name: "dce", run: chiaro_opt::dce },
];

/// What this machine has, as far as lowering asks.
pub static FACTS: Facts = Facts {
    // The adders' operations 2, the conditional select, the pass unit's clamp. spec section 5.
    has_sign: true,
    has_select: true,
    has_clamp: true,
    // How exact the complex unit is is \[unknown]: powers are rounded to integers.
    has_exact_powers: false,
    ..Facts::BINARY32
};

fn integers(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    lower::integers(module, f, &FACTS, Default::default())
}

/// What legal IR means on the machine: the micro-ops of `exec.rs`. A comparison and its opposite
/// are both false of NaN there, where the IR has one of them true.
pub const FLOAT32: Arithmetic = Arithmetic { compares_nan: false, ..Arithmetic::IEEE };
