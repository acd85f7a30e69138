//! From any IR to optimised IR that the machine can run: the passes and their order.

use crate::compile::geometry::{Plan, indices, rewire};
use crate::compile::legalize::clip::convert;
use crate::compile::legalize::{PASSES, choices, either, guards, illegal, tails, unsupported};
use crate::compile::limits::missing;
use crate::compile::options::Options;
use crate::compile::unit::Unit;
use chiaro_diag::Diagnostic;
use chiaro_ir::{Exits, FunctionRef, Module, lower_exits};
use chiaro_opt::{AGAIN_TO_VALUES, Changed, Conditions, Cx, Pass, endless, optimize};

/// The machine's outputs cannot be read.
static READBACK: &[Pass] = &[Pass { name: "outputs_to_locals", run: chiaro_opt::outputs_to_locals }];

/// Passes behind the first round of [`optimize`], before legalisation.
static BEFORE_LEGALIZE: &[Pass] = &[
    Pass { name: "choices", run: choices },
    Pass { name: "simplify", run: chiaro_opt::simplify },
    Pass { name: "cse", run: chiaro_opt::cse },
    Pass { name: "implied", run: chiaro_opt::implied },
    Pass { name: "simplify", run: chiaro_opt::simplify },
    Pass { name: "simplify_cfg", run: chiaro_opt::simplify_cfg },
    Pass { name: "either", run: either },
    Pass { name: "tails", run: tails },
    Pass { name: "simplify_cfg", run: branches },
    Pass { name: "trivial_phis", run: chiaro_opt::trivial_phis },
    Pass { name: "dce", run: chiaro_opt::dce },
    Pass { name: "guards", run: guards },
    Pass { name: "lower_exits", run: exits },
    Pass { name: "licm", run: chiaro_opt::licm },
    Pass { name: "simplify", run: chiaro_opt::simplify },
    Pass { name: "dce", run: chiaro_opt::dce },
];

/// What legalisation leaves to be simplified.
static AFTER_LEGALIZE: &[Pass] = &[
    Pass { name: "const_fold", run: chiaro_opt::const_fold },
    Pass { name: "simplify", run: chiaro_opt::simplify },
    Pass { name: "cse", run: chiaro_opt::cse },
    Pass { name: "dce", run: chiaro_opt::dce },
];

/// Inputs and outputs of a geometry shader, which were memory, become values.
static REWIRED: &[Pass] = &[
    Pass { name: "sroa", run: chiaro_opt::sroa },
    Pass { name: "mem2reg", run: chiaro_opt::mem2reg },
    Pass { name: "dce", run: chiaro_opt::dce },
    Pass { name: "const_fold", run: chiaro_opt::const_fold },
    Pass { name: "simplify", run: chiaro_opt::simplify },
    Pass { name: "trivial_phis", run: chiaro_opt::trivial_phis },
    Pass { name: "dce", run: chiaro_opt::dce },
];

/// Indices of vertices that loops step through.
static INDICES: &[Pass] =
    &[Pass { name: "indices", run: indices }, Pass { name: "dce", run: chiaro_opt::dce }];

/// Simplifies branches until nothing changes: what one run leaves of a loop may show that it never repeats, and
/// selection takes it that loops do.
fn branches(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    let mut changed = Changed::No;
    while chiaro_opt::simplify_cfg(module, f, cx) == Changed::Yes {
        changed = Changed::Yes;
    }
    changed
}

fn exits(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    lower_exits(module, f, Exits::default()).into()
}

/// Legal IR, optimised; for a geometry program also where its vertices are.
pub(super) fn legal_ir(
    module: &Module,
    entry: &str,
    options: &Options,
    unit: Unit<'_>,
    cx: &mut Cx<'_>,
) -> Result<(Module, Option<Plan>), Box<Diagnostic>> {
    let mut module = module.clone();
    let point = module.entry(entry).ok_or_else(|| missing(&module, entry))?;
    if point.stage != unit.stage() {
        let what = format!("`{entry}` is a {:?} shader, not a {:?} shader", point.stage, unit.stage());
        return Err(Diagnostic::error(None, what).into());
    }
    cx.options.assumptions = options.assumptions;
    cx.options.limits.select_conditions = Conditions::None;
    let _ = optimize(&mut module, entry, cx);
    cx.budget.check()?;
    let function = module.entry(entry).ok_or_else(|| missing(&module, entry))?.function;
    let plan = match unit {
        Unit::Vertex | Unit::Feeder => {
            if cx.run_all(READBACK, &mut module, function) == Changed::Yes {
                let _ = cx.run_all(AGAIN_TO_VALUES, &mut module, function);
            }
            None
        }
        Unit::Geometry(request) => {
            let plan = rewire(&mut module, function, request)?;
            let _ = cx.run_all(REWIRED, &mut module, function);
            Some(plan)
        }
    };
    if let Some(from) = options.clip {
        convert(&mut module, function, from)?;
    }
    if let Some(error) = unsupported(&module, function).into_iter().next() {
        return Err(error.into());
    }
    let _ = cx.run_all(BEFORE_LEGALIZE, &mut module, function);
    let _ = cx.run_all(PASSES, &mut module, function);
    let _ = cx.run_all(AGAIN_TO_VALUES, &mut module, function);
    cx.budget.check()?;
    if let Some(error) = illegal(&module, function).into_iter().next() {
        return Err(error.into());
    }
    let _ = cx.run_all(AFTER_LEGALIZE, &mut module, function);
    if plan.is_some() {
        let _ = cx.run_all(INDICES, &mut module, function);
    }
    cx.budget.check()?;
    endless(module.function(function))?;
    if let Some((pass, breaches)) = &cx.breach {
        let first = breaches.first().map(|b| b.diagnostic().message).unwrap_or_default();
        return Err(Diagnostic::error(None, format!("the pass `{pass}` breaks a rule: {first}")).into());
    }
    Ok((module, plan))
}
