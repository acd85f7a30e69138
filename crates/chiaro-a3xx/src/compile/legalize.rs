//! IR to IR: only what this machine has.
//!
//! | what | form |
//! |---|---|
//! | arithmetic | scalars: sums, products, `fma`, bounds, signs, roundings, `fsqrt`; integers and bits as they are |
//! | natives | `rcp rsq ex2 lg2`, and `sin cos` between minus pi and pi |
//! | inputs beside the middle | what they change over a quad |
//! | atomic operations on floats | exchanges of what is still there |
//! | bools | comparisons, `and or xor not`, `select`: 1 and 0 in registers |
//! | outputs | stored by the end alone, in one place |

use chiaro_ir::{Block, FunctionRef, GlobalRef, Inst, Module, Op, Space};
#[cfg(feature = "target")]
use chiaro_opt::lower::Arithmetic;
use chiaro_opt::lower::{self, Atomic, Facts};
use chiaro_opt::{Changed, Cx, Pass};

/// For a vertex shader that only finds out where primitives are.
pub static BINNING: &[Pass] = &[Pass { name: "drop_varyings", run: drop_varyings }];

/// Functions become operations of the machine, of scalars.
pub static PASSES: &[Pass] = &[
    Pass { name: "atomic_loops", run: |module, f, _| lower::atomic_loops(module, f, Atomic::is_plain) },
    Pass { name: "offsets", run: |module, f, _| lower::offsets(module, f) },
    Pass { name: "functions", run: |module, f, _| lower::functions(module, f, &FACTS) },
    Pass { name: "scalarize", run: chiaro_opt::scalarize },
    Pass { name: "words", run: |module, f, _| lower::words(module, f, &FACTS) },
];

/// What this machine has, as far as lowering asks.
pub static FACTS: Facts = Facts {
    has_roundings: true,
    has_root: true,
    has_turns: true,
    // How exact the special functions are is [unknown] (spec section 29).
    has_exact_powers: false,
    ..Facts::BINARY32
};

/// What legal IR means on the machine: the micro-ops of `exec.rs`.
#[cfg(feature = "target")]
pub const FLOAT32: Arithmetic = Arithmetic::IEEE;

/// Takes the varyings from a vertex shader: what they are computed from is dead then, loops included. After
/// [`OUTPUTS_AT_END`](chiaro_opt::OUTPUTS_AT_END): they are only stored.
fn drop_varyings(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let is_varying = |g: GlobalRef| {
        let global = module.global(g);
        global.space == Space::Output && global.members.is_empty() && global.binding.builtin.is_none()
    };
    let function = module.function(f);
    let is_dropped = |inst: Inst| {
        let place = function.args(inst).first().filter(|_| function.op(inst) == Op::Store);
        place.and_then(|&place| module.variable_of(function, place)).is_some_and(is_varying)
    };
    let mut kept: Vec<(Block, Vec<Inst>)> = Vec::new();
    for (_, block) in function.tree() {
        let insts = &function.block(block).insts;
        if insts.iter().any(|&inst| is_dropped(inst)) {
            kept.push((block, insts.iter().copied().filter(|&inst| !is_dropped(inst)).collect()));
        }
    }
    let changed = !kept.is_empty();
    for (block, insts) in kept {
        module.function_mut(f).block_mut(block).insts = insts;
    }
    changed.into()
}
