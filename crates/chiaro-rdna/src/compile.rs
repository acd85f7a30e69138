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
use chiaro_mach::verify;
use chiaro_opt::{Assumptions, CLEAN_UP, Cx, Settled};

use code::{VECTOR, files};
pub use compiled::Compiled;
pub use options::Options;

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
    check(cx, "select", || verify(&code, files(options.wave)))?;
    let allocated = allocate::allocate(code, options.wave, cx.verify).map_err(|why| match why {
        allocate::Failure::Registers(error) => vec![Diagnostic::error(None, error.to_string())],
        allocate::Failure::Mistake(why) => mistake(&why),
    })?;
    let vectors = allocated.totals.used[usize::from(VECTOR.0)].max(interface.dimensions.into());
    let program = finish::finish(allocated.code, options.wave).map_err(|why| mistake(&why))?;
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

/// Code is verified where passes are.
fn check(cx: &Cx<'_>, step: &str, run: impl FnOnce() -> Result<(), Vec<chiaro_mach::Breach>>) -> Answer<()> {
    if !cx.verify {
        return Ok(());
    }
    run().map_err(|found| mistake(&found.first().map_or_else(String::new, |b| format!("after {step}: {b}"))))
}

fn mistake(what: &str) -> Vec<Diagnostic> {
    vec![
        Diagnostic::error(None, format!("the compiler made a mistake: {what}"))
            .note("please report the shader"),
    ]
}

/// What graphics APIs allow of floats, but numbers may be infinite or none.
const FLOATS: Assumptions = Assumptions { no_nans: false, no_infs: false, ..Assumptions::GRAPHICS };

/// Simplifies the entry point and makes it legal.
///
/// # Errors
/// There is no such entry point, or it is of another stage.
pub fn optimize(module: &mut Module, entry: &str, cx: &mut Cx<'_>) -> Answer<FunctionRef> {
    let Some(stage) = module.entry(entry).map(|e| e.stage) else {
        return Err(vec![Diagnostic::error(None, format!("there is no entry point `{entry}`"))]);
    };
    if stage != Stage::Compute {
        let message = format!("RDNA2 compiles compute shaders here, `{entry}` is a {} shader", stage.name());
        return Err(vec![Diagnostic::error(None, message)]);
    }
    cx.options.assumptions = FLOATS;
    cx.options.limits.lanes = 1;
    cx.options.limits.select_cost = 20;
    let _ = chiaro_opt::optimize(module, entry, cx);
    let f = module.entry(entry).map_or(FunctionRef(0), |e| e.function);
    let _ = cx.run_all(legalize::EARLY, module, f);
    let _ = cx.run_all(legalize::PASSES, module, f);
    let settled = &mut Settled::default();
    for _ in 0..cx.options.rounds {
        if cx.run_unsettled(settled, CLEAN_UP, module, f) == chiaro_opt::Changed::No {
            break;
        }
    }
    let _ = cx.run_all(legalize::LATE, module, f);
    if let Some((pass, found)) = &cx.breach {
        let first = found.first().map_or_else(String::new, |breach| breach.message.clone());
        return Err(mistake(&format!("pass {pass}: {first}")));
    }
    chiaro_opt::endless(module.function(f)).map_err(|error| vec![*error])?;
    Ok(f)
}
