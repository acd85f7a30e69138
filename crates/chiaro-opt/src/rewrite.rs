//! The loop shared by passes that visit one instruction after the other.

use chiaro_ir::{Draft, Forward, Function, FunctionRef, Inst, Module, Step, Tour};

/// Lends a function out of its module, so that both can be changed at once.
pub(crate) fn lend<T>(
    module: &mut Module,
    f: FunctionRef,
    run: impl FnOnce(&mut Module, &mut Function) -> T,
) -> T {
    let result = module.function(f).result;
    let mut function = std::mem::replace(module.function_mut(f), Function::new("", &[], result));
    let answer = run(module, &mut function);
    *module.function_mut(f) = function;
    answer
}

/// Visits all instructions in the order of the text, with the operands that replacements have
/// left them; `keep` says whether an instruction stays in its block. Whether anything was
/// replaced or removed.
pub(crate) fn rewrite(
    f: &mut Function,
    mut keep: impl FnMut(&mut Function, &mut Forward, &mut Draft, Inst) -> bool,
) -> bool {
    let (mut tour, mut draft, mut forward) = (Tour::new(), Draft::new(), Forward::new());
    let mut changed = false;
    while let Some(step) = tour.step(f) {
        match step {
            Step::Open(_, _, block) => draft.open(f, block),
            Step::Inst(inst) => {
                changed |= forward.apply_to(f, inst);
                if keep(f, &mut forward, &mut draft, inst) {
                    draft.push(inst);
                } else {
                    changed = true;
                }
            }
            Step::Close(_, _, block) => draft.close(f, block),
            _ => {}
        }
    }
    changed
}
