//! From a module to a program. Read [`compile`] top to bottom.

pub mod allocate;
pub mod code;
pub mod combine;
mod compiled;
pub mod finish;
pub mod legalize;
mod options;
pub mod schedule;
pub mod select;

use chiaro_diag::Diagnostic;
use chiaro_ir::{FunctionRef, Module, Stage};
use chiaro_mach::{Checks, Failure, verify};
use chiaro_opt::{Assumptions, Cx, Legal, make_legal};

use code::{VECTOR, files};
pub use compiled::Compiled;
pub use options::Options;

/// What is compiled, as messages say it.
pub const ABOUT: &str = "RDNA2 compiles compute shaders";
/// The stages of that.
pub const STAGES: &[Stage] = &[Stage::Compute];
/// How modules become legal.
const LEGAL: Legal<'_> =
    Legal { about: ABOUT, stages: STAGES, early: &[legalize::EARLY], passes: legalize::PASSES };

type Answer<T> = Result<T, Vec<Diagnostic>>;

/// Compiles an entry point, a compute shader. The module is used up.
///
/// # Errors
/// What the machine cannot do or hold, with its place in the source.
pub fn compile(module: &mut Module, entry: &str, options: Options, cx: &mut Cx<'_>) -> Answer<Compiled> {
    let f = optimize(module, entry, cx)?;
    let selected = select::select(module, module.function(f), options)?;
    let mut interface = selected.interface;
    let mut code = selected.code;
    chiaro_mach::dead_code(&mut code);
    combine::combine(&mut code);
    let checks = Checks(cx.verify);
    checks.after("select", || verify(&code, files(options.wave)))?;
    let allocated = allocate::allocate(code, options.wave, checks)?;
    let vectors = allocated.totals.used[usize::from(VECTOR.0)].max(interface.dimensions.into());
    let program = finish::finish(allocated.code, options.wave).map_err(Failure::Mistake)?;
    interface.scratch = interface.scratch.next_multiple_of(4);
    Ok(Compiled {
        options,
        code: program.code,
        spans: program.spans,
        interface,
        vectors,
        spilled: 0,
        module: module.clone(),
    })
}

/// What graphics APIs allow of floats, but numbers may be infinite or none.
const FLOATS: Assumptions = Assumptions { no_nans: false, no_infs: false, ..Assumptions::GRAPHICS };

/// Simplifies the entry point and makes it legal.
///
/// # Errors
/// There is no such entry point, or it is of another stage.
pub fn optimize(module: &mut Module, entry: &str, cx: &mut Cx<'_>) -> Answer<FunctionRef> {
    cx.options.assumptions = FLOATS;
    cx.options.limits.lanes = 1;
    cx.options.limits.select_cost = 20;
    let (f, _) = make_legal(module, entry, &LEGAL, cx)?;
    Ok(f)
}
