//! The loop shared by passes that visit one instruction after the other.

use chiaro_ir::{
    ConstantKind, Draft, Forward, Function, FunctionRef, Inst, Module, Op, Step, Tour, Type, Value,
};

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

/// A new comparison of a value with a number, which stands for a part of an instruction.
pub(crate) fn is_number(
    module: &mut Module,
    f: &mut Function,
    draft: &mut Draft,
    (value, number): (Value, u64),
    of: Inst,
) -> Value {
    let (ty, bool) = (f.ty(value), module.types.intern(Type::Bool));
    let constant = module.constants.intern(ty, ConstantKind::Scalar(number));
    let (number, span) = (f.constant(constant, ty), f.inst(of).span);
    draft.value(f, (Op::IEq, &[value, number]), bool, span)
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
