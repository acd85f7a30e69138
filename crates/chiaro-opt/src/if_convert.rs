//! If-conversion: small sides of an `if` and small cases of a `switch` become selects.
//!
//! ```text
//! %2 = if %0 {                      %3 = fmul %1, 2
//!   %3 = fmul %1, 2                 %2 = select %0, %3, %1
//!   exit %3              ->
//! } else { exit %1 }
//! ```
//!
//! All of them are then computed whatever the condition, so they may hold only what
//! [`is_movable`] says, within [`Limits::select_cost`](crate::Limits); inner ones first. Which
//! conditions are taken is an option: on many targets a branch that all lanes take together is
//! cheap. A `switch` that they take together stays whatever the option says: of its many cases
//! one would run.

use crate::motion::{cost, is_movable};
use crate::rewrite::{is_number, lend};
use crate::{Changed, Conditions, Cx, Limits};
use chiaro_ir::{
    Block, ConstantKind, Draft, Forward, Function, FunctionRef, Inst, Module, Op, Step, Tour, Type,
    Uniformity, Value, Variance, uniformity,
};

/// Turns `if`s and `switch`es into selects, as far as the limits allow.
pub fn if_convert(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    let limits = cx.options.limits;
    let function = module.function(f);
    if function.is_straight() || limits.select_conditions == Conditions::None {
        return Changed::No;
    }
    let switches = (0..function.inst_count() as u32).any(|i| function.op(Inst(i)) == Op::Switch);
    let known = function.value_count();
    let asked = switches || limits.select_conditions == Conditions::Varying;
    let uniform = asked.then(|| uniformity(module).into_iter().nth(f.0 as usize)).flatten();
    let chosen = Chosen { limits, uniform, known };
    lend(module, f, |module, f| convert(module, f, &chosen)).into()
}

/// What is converted.
struct Chosen {
    limits: Limits,
    /// Asked only where it decides.
    uniform: Option<Uniformity>,
    /// Values that were there when it was asked.
    known: usize,
}

impl Chosen {
    fn has(&self, module: &Module, f: &Function, inst: Inst) -> bool {
        let free = f.op(inst) == Op::If && self.limits.select_conditions == Conditions::All;
        let varies = |&v: &Value| {
            let known = self.uniform.as_ref().filter(|_| (v.0 as usize) < self.known);
            known.is_none_or(|uniform| uniform.value(v) != Variance::Uniform)
        };
        (free || f.args(inst).first().is_some_and(varies))
            && total(module, f, inst).is_some_and(|total| total <= self.limits.select_cost)
    }
}

fn convert(module: &mut Module, f: &mut Function, chosen: &Chosen) -> bool {
    let (mut tour, mut draft, mut forward) = (Tour::new(), Draft::new(), Forward::new());
    let mut changed = false;
    while let Some(step) = tour.step(f) {
        match step {
            Step::Open(_, _, block) => draft.open(f, block),
            Step::Close(_, _, block) => draft.close(f, block),
            Step::Inst(inst) => {
                forward.apply_to(f, inst);
                draft.push(inst);
            }
            Step::Leave(inst) if chosen.has(module, f, inst) => {
                flatten(module, f, inst, &mut draft, &mut forward);
                changed = true;
            }
            _ => {}
        }
    }
    changed
}

/// What a construct costs as selects: its sides, comparisons and selects. `None` if it cannot become those.
fn total(module: &Module, f: &Function, inst: Inst) -> Option<u32> {
    if !matches!(f.op(inst), Op::If | Op::Switch) {
        return None;
    }
    let blocks = f.blocks_of(inst);
    let chosen = f.results(inst).all(|v| module.types.components(f.ty(v)) > 0);
    let selects = f.results(inst).len() * (blocks.len() - 1) + f.cases(inst).count();
    let mut sides = blocks.iter().map(|&block| side(module, f, inst, block));
    sides.try_fold(selects as u32, |sum, side| Some(sum + side?)).filter(|_| chosen)
}

/// The cost of a side that could always run.
fn side(module: &Module, f: &Function, inst: Inst, block: Block) -> Option<u32> {
    let (&last, rest) = f.block(block).insts.split_last()?;
    // Long sides are not worth the look.
    let small = rest.len() <= 256 && f.op(last) == Op::Exit(inst);
    let movable = small && rest.iter().all(|&inst| is_movable(module, f, inst));
    movable.then(|| rest.iter().map(|&inst| cost(f.op(inst))).sum())
}

/// Moves what all sides compute to the place of the construct, which stands last in the draft.
fn flatten(module: &mut Module, f: &mut Function, inst: Inst, draft: &mut Draft, forward: &mut Forward) {
    let span = f.inst(inst).span;
    draft.list().and_then(Vec::pop);
    let mut carried = Vec::new();
    for block in f.blocks_of(inst).to_vec() {
        let insts = std::mem::take(&mut f.block_mut(block).insts);
        if let Some((&exit, rest)) = insts.split_last() {
            rest.iter().for_each(|&inst| draft.push(inst));
            carried.push(f.args(exit).to_vec());
        }
    }
    let Some((otherwise, sides)) = carried.split_last() else { return };
    let mut values = otherwise.clone();
    for (n, side) in sides.iter().enumerate() {
        let mut condition = None;
        for (value, &new) in values.iter_mut().zip(side).filter(|(value, new)| **value != **new) {
            let condition = *condition.get_or_insert_with(|| condition_of(module, f, inst, n as u32, draft));
            let ty = f.ty(new);
            *value = draft.value(f, (Op::Select, &[condition, new, *value]), ty, span);
        }
    }
    for (result, value) in f.results(inst).zip(values) {
        forward.set(result, value);
    }
}

/// Whether a side is taken, not the last: the condition of an `if`, or that a case equals the selector.
fn condition_of(module: &mut Module, f: &mut Function, inst: Inst, side: u32, draft: &mut Draft) -> Value {
    let (given, span) = (f.args(inst)[0], f.inst(inst).span);
    if f.op(inst) == Op::If {
        return given;
    }
    let cases: Vec<u64> = f.cases(inst).filter(|&(_, block)| block == side).map(|(case, _)| case).collect();
    let equal: Vec<Value> =
        cases.into_iter().map(|case| is_number(module, f, draft, (given, case), inst)).collect();
    let bool = module.types.intern(Type::Bool);
    let one = equal.into_iter().reduce(|a, b| draft.value(f, (Op::Or, &[a, b]), bool, span));
    // A side without a case is never taken.
    one.unwrap_or_else(|| {
        let never = module.constants.intern(bool, ConstantKind::Scalar(0));
        f.constant(never, bool)
    })
}
