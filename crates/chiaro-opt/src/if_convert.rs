//! If-conversion: small sides of an `if` become selects.
//!
//! ```text
//! %2 = if %0 {                      %3 = fmul %1, 2
//!   %3 = fmul %1, 2                 %2 = select %0, %3, %1
//!   exit %3              ->
//! } else { exit %1 }
//! ```
//!
//! Both sides are then computed whatever the condition, so they may hold only what
//! [`is_movable`] says, within [`Limits::select_cost`](crate::Limits); inner ones first. Which
//! conditions are taken is an option: on many targets a branch that all lanes take together is
//! cheap.

use crate::motion::{cost, is_movable};
use crate::rewrite::lend;
use crate::{Changed, Conditions, Cx, Limits};
use chiaro_ir::{
    Block, Draft, Forward, Function, FunctionRef, Inst, Module, Op, Step, Tour, Uniformity, Variance,
    uniformity,
};

/// Turns `if`s into selects, as far as the limits allow.
pub fn if_convert(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    let limits = cx.options.limits;
    if module.function(f).is_straight() {
        return Changed::No;
    }
    let varying = match limits.select_conditions {
        Conditions::None => return Changed::No,
        Conditions::Varying => uniformity(module).into_iter().nth(f.0 as usize),
        Conditions::All => None,
    };
    lend(module, f, |module, f| convert(module, f, limits, varying.as_ref())).into()
}

fn convert(module: &Module, f: &mut Function, limits: Limits, varying: Option<&Uniformity>) -> bool {
    let (mut tour, mut draft, mut forward) = (Tour::new(), Draft::new(), Forward::new());
    let known = f.value_count();
    let mut changed = false;
    while let Some(step) = tour.step(f) {
        match step {
            Step::Open(_, _, block) => draft.open(f, block),
            Step::Close(_, _, block) => draft.close(f, block),
            Step::Inst(inst) => {
                forward.apply_to(f, inst);
                draft.push(inst);
            }
            Step::Leave(inst) => {
                let chosen = varying.is_none_or(|u| {
                    let condition = f.args(inst).first();
                    condition.is_some_and(|&v| (v.0 as usize) >= known || u.value(v) != Variance::Uniform)
                });
                if chosen && is_convertible(module, f, inst, limits) {
                    flatten(f, inst, &mut draft, &mut forward);
                    changed = true;
                }
            }
            _ => {}
        }
    }
    changed
}

fn is_convertible(module: &Module, f: &Function, inst: Inst, limits: Limits) -> bool {
    let (Op::If, &[then, otherwise]) = (f.op(inst), f.blocks_of(inst)) else { return false };
    let chosen = f.results(inst).all(|v| module.types.components(f.ty(v)) > 0);
    let sides = side(module, f, inst, then).zip(side(module, f, inst, otherwise));
    let selects = f.results(inst).len() as u32;
    chosen && sides.is_some_and(|(a, b)| a + b + selects <= limits.select_cost)
}

/// The cost of a side that could always run.
fn side(module: &Module, f: &Function, inst: Inst, block: Block) -> Option<u32> {
    let (&last, rest) = f.block(block).insts.split_last()?;
    // Long sides are not worth the look.
    let small = rest.len() <= 256 && f.op(last) == Op::Exit(inst);
    let movable = small && rest.iter().all(|&inst| is_movable(module, f, inst));
    movable.then(|| rest.iter().map(|&inst| cost(f.op(inst))).sum())
}

/// Moves what both sides compute to the place of the `if`, which stands last in the draft.
fn flatten(f: &mut Function, inst: Inst, draft: &mut Draft, forward: &mut Forward) {
    let (span, condition) = (f.inst(inst).span, f.args(inst)[0]);
    draft.list().and_then(Vec::pop);
    let mut carried = Vec::new();
    for &block in &[f.blocks_of(inst)[0], f.blocks_of(inst)[1]] {
        let insts = std::mem::take(&mut f.block_mut(block).insts);
        if let Some((&exit, rest)) = insts.split_last() {
            rest.iter().for_each(|&inst| draft.push(inst));
            carried.push(f.args(exit).to_vec());
        }
    }
    let [yes, no] = &carried[..] else { return };
    for (result, (&yes, &no)) in f.results(inst).zip(yes.iter().zip(no)) {
        let ty = f.ty(result);
        let value = if yes == no {
            Some(yes)
        } else {
            let select = draft.make(f, Op::Select, &[condition, yes, no], &[ty]);
            f.inst_mut(select).span = span;
            f.result_of(select)
        };
        value.into_iter().for_each(|value| forward.set(result, value));
    }
}
