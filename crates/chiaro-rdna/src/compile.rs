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

use crate::abi::interface::Interface;
use allocate::Allocated;
use code::{VECTOR, files};
pub use compiled::Compiled;
pub use options::Options;
use select::Selected;

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
    let checks = Checks(cx.verify);
    let selected = selected(module, f, options, false, checks)?;
    let (interface, allocated) = match allocate::allocate(&selected.code, options.wave, checks) {
        Err(Failure::Registers(_)) => spilled(module, f, options, checks)?,
        other => (selected.interface, other?),
    };
    let vectors = allocated.totals.used[usize::from(VECTOR.0)].max(interface.dimensions.into());
    let program = finish::finish(allocated.code, &interface, options.wave).map_err(Failure::Mistake)?;
    Ok(Compiled {
        options,
        code: program.code,
        spans: program.spans,
        interface,
        vectors,
        spilled: allocated.totals.spills,
        module: module.clone(),
    })
}

/// Instructions on values, the dead ones gone.
fn selected(
    module: &Module,
    f: FunctionRef,
    options: Options,
    spills: bool,
    checks: Checks,
) -> Answer<Selected> {
    let mut selected = select::select(module, module.function(f), options, spills)?;
    chiaro_mach::dead_code(&mut selected.code);
    combine::combine(&mut selected.code);
    selected.interface.scratch = selected.interface.scratch.next_multiple_of(4);
    checks.after("select", || verify(&selected.code, files(options.wave)))?;
    Ok(selected)
}

/// The same kernel with scratch, which has registers at its start, and room in it for what finds none.
fn spilled(
    module: &Module,
    f: FunctionRef,
    options: Options,
    checks: Checks,
) -> Answer<(Interface, Allocated)> {
    let Selected { code, mut interface } = selected(module, f, options, true, checks)?;
    let allocated = allocate::allocate_with_spills(code, options.wave, interface.scratch, checks)?;
    interface.scratch += allocated.spilled_bytes;
    Ok((interface, allocated))
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
    cx.options.limits.select_cost = 64;
    let (f, _) = make_legal(module, entry, &LEGAL, cx)?;
    Ok(f)
}
