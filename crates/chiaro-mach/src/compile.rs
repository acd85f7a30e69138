//! The driver: from a module to an artifact. The order of the steps is the design.

use chiaro_ir::{FunctionRef, Module};
use chiaro_opt::Pass;

use crate::cx::{Cx, Outcome, Step};
use crate::target::{Artifact, PartKey, Target};

/// What happens to code between selection and words, unless the target has steps of its own.
pub const STEPS: &[Step] = &[];

/// Compiles one entry point of a module for a machine. Read it top to bottom.
///
/// The module is used up: passes change it in place. What the user has to repair comes back as
/// diagnostics; a bug of ours is told by [`Cx::breach`].
pub fn compile(
    target: &dyn Target,
    module: &mut Module,
    key: &PartKey,
    cx: &mut Cx<'_>,
) -> Outcome<Artifact> {
    let config = cx.config.clone();
    run_passes(target.legalize(&config), module, cx);
    let mut unit = target.select(module, key, cx)?;
    for step in target.steps(&config) {
        cx.step(step, &mut unit, target)?;
    }
    target.finish(unit, cx)
}

fn run_passes(passes: &[Pass], module: &mut Module, cx: &mut Cx<'_>) {
    for function in 0..module.functions.len() as u32 {
        let _changed = cx.ir.run_all(passes, module, FunctionRef(function));
    }
}
