//! The way of a scalar machine from any module to IR that it has: the order of a back end's lists of passes.

use chiaro_diag::Diagnostic;
use chiaro_ir::{FunctionRef, Module, Stage, Walk};

use crate::pipeline::{functions, optimize_settled};
use crate::{CONTRACT, Cx, Pass, Settled, clean_up, endless};

/// What a machine asks of a module.
#[derive(Clone, Copy)]
pub struct Legal<'a> {
    /// The machine and the stages that it compiles, as a sentence: `A3xx compiles vertex shaders`.
    pub about: &'a str,
    /// Those stages.
    pub stages: &'a [Stage],
    /// Behind the optimiser: what is known of memory and of outputs.
    pub early: &'a [&'a [Pass]],
    /// Functions become operations of the machine.
    pub passes: &'a [Pass],
}

/// Simplifies an entry point and makes it legal, as far as the machine's lists do. Options of the driver are the
/// caller's; other entry points are gone. Returns the function, and its stage.
///
/// # Errors
/// There is no such entry point, it is of another stage, none of its ways ends, the budget is used up, or a pass
/// made a mistake.
pub fn make_legal(
    module: &mut Module,
    entry: &str,
    legal: &Legal<'_>,
    cx: &mut Cx<'_>,
) -> Result<(FunctionRef, Stage), Vec<Diagnostic>> {
    let error = |message: String| vec![Diagnostic::error(None, message)];
    let Some((f, stage)) = module.entry(entry).map(|e| (e.function, e.stage)) else {
        return Err(error(format!("there is no entry point `{entry}`")));
    };
    if !legal.stages.contains(&stage) {
        return Err(error(format!("{}, `{entry}` is a {} shader", legal.about, stage.name())));
    }
    let mut settled = Settled::default();
    let _ = optimize_settled(module, entry, &mut settled, cx);
    cx.budget.check().map_err(|exceeded| vec![exceeded.at(None)])?;
    let f = module.entry(entry).map_or(f, |e| e.function);
    // Those that the entry point calls come with it.
    let all = functions(module, f);
    let mut states = vec![Settled::default(); all.len()];
    // What a pass finds out of one function may be news for others.
    if let [only] = &mut states[..] {
        *only = settled;
    }
    for passes in legal.early {
        for (&f, settled) in all.iter().zip(&mut states) {
            let _ = cx.run_unsettled(settled, passes, module, f);
        }
    }
    for (&f, settled) in all.iter().zip(&mut states) {
        let _ = cx.run_unsettled(settled, legal.passes, module, f);
        clean_up(module, f, settled, cx);
        let _ = cx.run_unsettled(settled, CONTRACT, module, f);
    }
    cx.budget.check().map_err(|exceeded| vec![exceeded.at(None)])?;
    if let Some((pass, found)) = &cx.breach {
        let first = found.first().map_or_else(String::new, |breach| breach.message.clone());
        return Err(vec![Diagnostic::mistake(format!("pass {pass}: {first}"))]);
    }
    for f in all {
        endless(module.function(f)).map_err(|error| vec![*error])?;
        weigh(module, f, cx)?;
    }
    Ok((f, stage))
}

/// Scalars that a value may have without counting: most have a few.
const SMALL: usize = 1 << 10;
/// Bytes that each of the others takes from here on: it gets instructions of its own, and places.
const SCALAR: usize = 2 << 10;

/// Holds large structures and arrays that are values against the budget: machines have them scalar by scalar.
fn weigh(module: &Module, f: FunctionRef, cx: &Cx<'_>) -> Result<(), Vec<Diagnostic>> {
    let f = module.function(f);
    let results = Walk::insts(f).flat_map(|inst| f.results(inst));
    let sizes = results.map(|value| module.types.scalars(f.ty(value)) as usize);
    let large = sizes.filter(|&size| size > SMALL).fold(0, usize::saturating_add);
    let granted = cx.budget.memory("structures and arrays as values", large.saturating_mul(SCALAR));
    granted.map_err(|exceeded| vec![exceeded.at(f.span)])
}
