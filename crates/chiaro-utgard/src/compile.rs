//! From a module to a program. Read [`compile`] top to bottom.

pub mod allocate;
pub mod combine;
mod compiled;
pub mod finish;
pub mod graph;
pub mod legalize;
mod options;
pub mod schedule;
pub mod select;

use chiaro_diag::{Diagnostic, Exceeded};
use chiaro_ir::{Function, FunctionRef, Inst, Interface, Module, Op as Ir};
use chiaro_opt::{
    AGAIN_TO_VALUES, Assumptions, CLEAN_UP, Changed, Cx, LEGALIZE, Pass, Settled, TO_VALUES, endless,
};

use crate::abi::Abi;
use crate::regs::INSTRUCTIONS;
pub use combine::derive::Derived;
pub use compiled::{Compiled, Jumped};
use graph::{ANYTHING, Program};
pub use options::Options;

/// Compiles a vertex shader's entry point. The module is used up; the interface has the names of its
/// variables (those of the IR count where it is empty).
///
/// # Errors
/// What the machine cannot do or hold, with its place in the source.
pub fn compile(
    module: &mut Module,
    interface: &Interface,
    entry: &str,
    options: &Options,
    cx: &mut Cx<'_>,
) -> Result<Compiled, Box<Diagnostic>> {
    let spare = module.clone();
    let first = attempt((module, interface), entry, options, cx, USUAL);
    let others: &[Plan] = match &first {
        Ok(made) if !made.has_arrays && made.is_long_and_branches() => &[ROLLED],
        Ok(made) if !made.has_arrays => return first.map_err(|refused| refused.why),
        // Arrays that loops index become values where the loops are unrolled.
        Ok(_) => &[ARRAYS],
        Err(Refused { is_limit: true, .. }) => &SMALLER,
        Err(_) => &[ARRAYS],
    };
    let mut best = first;
    for &plan in others {
        // Once it fits, the host has nothing to compute.
        if plan.derive && best.is_ok() {
            break;
        }
        let mut again = spare.clone();
        if let Ok(made) = attempt((&mut again, interface), entry, options, cx, plan)
            && !best.as_ref().is_ok_and(|best| best.words.len() <= made.words.len() * plan.gain)
        {
            (best, *module) = (Ok(made), again);
        }
    }
    best.map_err(|Refused { mut why, .. }| {
        // What all of the program is too much for stands at its head.
        why.span = why.span.or_else(|| spare.function(spare.entry(entry)?.function).span);
        why
    })
}

/// A way to compile.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// What unrolling a loop may cost.
    unroll: u32,
    /// Whether the host computes expressions of uniforms.
    derive: bool,
    /// How many times shorter than what is known it has to be.
    gain: usize,
}

const USUAL: Plan = Plan { unroll: 320, derive: false, gain: 1 };
/// Where an array stays in memory otherwise.
const ARRAYS: Plan = Plan { unroll: 2000, ..USUAL };
/// Where a loop that may end early was written out: a round of it takes a branch, its values' way
/// through registers and the count more than a copy does, which half of the length is worth.
const ROLLED: Plan = Plan { unroll: 16, gain: 2, ..USUAL };
/// Where the program does not fit: loops are rolled back, or, where their arrays or values are in
/// the way, unrolled further; at last the host computes what uniforms decide.
const SMALLER: [Plan; 5] = [
    Plan { unroll: 64, ..USUAL },
    Plan { unroll: 0, ..USUAL },
    ARRAYS,
    Plan { derive: true, ..USUAL },
    Plan { unroll: 0, derive: true, ..USUAL },
];

/// Why a plan did not work, and whether another one may: the program is too large.
struct Refused {
    why: Box<Diagnostic>,
    is_limit: bool,
}

impl From<Exceeded> for Refused {
    fn from(why: Exceeded) -> Refused {
        Box::<Diagnostic>::from(why).into()
    }
}

impl From<Box<Diagnostic>> for Refused {
    fn from(why: Box<Diagnostic>) -> Refused {
        Refused { why, is_limit: false }
    }
}

fn attempt(
    (module, interface): (&mut Module, &Interface),
    entry: &str,
    options: &Options,
    cx: &mut Cx<'_>,
    plan: Plan,
) -> Result<Compiled, Refused> {
    let f = optimize(module, entry, cx, plan.unroll)?;
    let _ = cx.run_all(legalize::PASSES, module, f);
    cx.budget.check()?;
    endless(module.function(f))?;
    let abi = Abi::new(module, module.function(f), interface)?;
    let function = module.function(f);
    let mut selected = select::select(module, function, &abi, options)?;
    allocate::allocate(&mut selected, &abi, function.span)?;
    let derived = if plan.derive { derive(&mut selected, &abi) } else { Vec::new() };
    let has_arrays = !selected.temporaries.is_empty();
    let made = finish::finish(selected, &abi, options, &cx.budget)
        .map_err(|why| Refused { why, is_limit: cx.budget.check().is_ok() })?;
    let compiled = Compiled { abi, derived, has_arrays, module: module.clone(), ..made };
    match compiled.words.len() {
        n if n > INSTRUCTIONS => {
            Err(Refused { why: finish::too_long(&format!("has {n} instructions")), is_limit: true })
        }
        _ => Ok(compiled),
    }
}

/// Whether something may yet become a value once what reaches it is simpler.
fn has_variables(f: &Function) -> bool {
    (0..f.inst_count()).any(|i| matches!(f.op(Inst(i as u32)), Ir::Var(_)))
}

/// Expressions of uniforms, with places for them behind the temporaries.
fn derive(selected: &mut Program, abi: &Abi) -> Vec<Derived> {
    let behind = abi.behind_viewport() + selected.temporaries.len() as u16;
    let mut used = 0u16;
    let cell = || {
        let (row, component) = (behind + used / 4, (used % 4) as u8);
        used += 1;
        (row < MOST_DERIVED_ROW).then_some((row, component))
    };
    let derived = combine::derive::derive(&mut selected.blocks, cell);
    let rows = derived.iter().map(|d| usize::from(d.row + 1 - behind)).max().unwrap_or(0);
    selected.temporaries.resize(selected.temporaries.len() + rows, ANYTHING);
    derived
}

/// vec4 up to which the host's uniforms go: constants need room, too.
const MOST_DERIVED_ROW: u16 = 256;

/// Passes by name, in an order of their own.
fn named(names: &[&str]) -> Vec<Pass> {
    let all = chiaro_opt::ALGEBRA;
    names.iter().filter_map(|name| all.iter().find(|pass| pass.name == *name).copied()).collect()
}

/// Simplifies the entry point up to what selection takes; other entry points are dropped. Loops are
/// unrolled up to a cost.
///
/// # Errors
/// There is no such entry point.
pub fn optimize(
    module: &mut Module,
    entry: &str,
    cx: &mut Cx<'_>,
    unroll: u32,
) -> Result<FunctionRef, Box<Diagnostic>> {
    cx.options.assumptions = Assumptions::GRAPHICS;
    cx.options.assumptions.contract = false;
    cx.options.limits.lanes = 1;
    cx.options.limits.chains = false;
    cx.options.limits.select_cost = 24;
    cx.options.limits.unroll_cost = unroll;
    let Some(found) = module.entry(entry).map(|e| e.function) else {
        let message = format!("there is no entry point `{entry}`");
        return Err(Box::new(Diagnostic::error(None, message)));
    };
    module.entries.retain(|e| e.name == entry);
    let mut settled = Settled::default();
    let mut run =
        |passes: &[Pass], module: &mut Module| cx.run_unsettled(&mut settled, passes, module, found);
    let _ = run(TO_VALUES, module);
    // Nobody listens to a vertex shader of this machine.
    if !module.texts.is_empty() {
        let _ = run(&[Pass { name: "drop_prints", run: chiaro_opt::drop_prints }], module);
    }
    // What later stores make of an output is known by then; what is still read has to be kept.
    let _ = run(CLEAN_UP, module);
    let late = named(&["simplify", "unroll", "if_convert", "licm"]);
    if run(LEGALIZE, module) == Changed::Yes {
        let _ = run(AGAIN_TO_VALUES, module);
    } else if run(&late, module) == Changed::No && !has_variables(module.function(found)) {
        // Straight code, as most shaders are.
        return Ok(found);
    }
    for _ in 0..6 {
        let cleaned = run(CLEAN_UP, module);
        // Elements that a loop's counter named are values now.
        let promoted = run(AGAIN_TO_VALUES, module);
        let changed = run(&late, module);
        let is_settled = (promoted, changed) == (Changed::No, Changed::No);
        if is_settled && (cleaned == Changed::No || !has_variables(module.function(found))) {
            return Ok(found);
        }
    }
    let _ = run(CLEAN_UP, module);
    Ok(found)
}
