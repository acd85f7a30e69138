//! What an `if` chooses and arithmetic chooses in fewer words is a select.
//!
//! ```text
//! %3 = if %c { exit 0.0 } else { exit %2 }            %3 = select %c, 0.0, %2
//! %5 = if %d { %4 = fneg %n; exit %4 }                %4 = fneg %n
//!      else { exit %n }                               %5 = select %d, %4, %n
//! ```
//!
//! A value or 0 is a product with a step. A vector or its opposite that only dot products read is the sign of their
//! sums, and mostly of one that the condition has asked for: the absolute of that. What is left of the `if` stays
//! one. True before: exits of an `if` that end its arms lead to its end alone.

use super::chosen::{branches, is_masked, is_movable, is_opposite};
use super::tails::exits;
use chiaro_ir::{Block, Forward, Function, FunctionRef, Inst, Module, Op, Ty, Value, Walk};
use chiaro_opt::{Changed, Cx};

/// Takes results out of `if`s that selects give in fewer words.
pub fn choices(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    if module.function(f).is_straight() || !cx.options.assumptions.finite() {
        return Changed::No;
    }
    let exits = exits(module.function(f));
    let (mut forward, mut changed) = (Forward::new(), false);
    // The inner ones first: what they choose may be chosen again.
    for (inst, block) in branches(module.function(f)).into_iter().rev() {
        let plain = exits.get(inst.0 as usize) == Some(&2);
        let function = module.function(f);
        let Some(choice) = Choice::of(module, function, inst).filter(|_| plain) else { continue };
        choice.take_out(module.function_mut(f), block, &mut forward);
        forward.apply(module.function_mut(f));
        changed = true;
    }
    changed.into()
}

/// The arms of an `if`, what each hands on, and the results that become selects.
struct Choice {
    inst: Inst,
    arms: [Block; 2],
    values: [Vec<Value>; 2],
    taken: Vec<usize>,
    /// What is computed in the arms for these.
    before: Vec<Inst>,
}

impl Choice {
    fn of(module: &Module, f: &Function, inst: Inst) -> Option<Choice> {
        let &[then, other] = f.blocks_of(inst) else { return None };
        let arms = [then, other];
        let last = |arm: Block| f.block(arm).insts.last().filter(|&&last| f.op(last) == Op::Exit(inst));
        let values = [f.args(*last(then)?).to_vec(), f.args(*last(other)?).to_vec()];
        let mut choice = Choice { inst, arms, values, taken: Vec::new(), before: Vec::new() };
        for n in 0..f.results(inst).len() {
            let mut before = Vec::new();
            let is_free = [0, 1].map(|arm| choice.is_free(module, f, arm, n, &mut before));
            if is_free == [true; 2] && choice.is_shorter(module, f, n) {
                before.retain(|inst| !choice.before.contains(inst));
                choice.taken.push(n);
                choice.before.extend(before);
            }
        }
        (!choice.taken.is_empty()).then_some(choice)
    }

    /// Whether a value can be computed in front of the `if`; what is computed in its arm for that, in order.
    fn is_free(&self, module: &Module, f: &Function, arm: usize, n: usize, before: &mut Vec<Inst>) -> bool {
        let insts = &f.block(self.arms[arm]).insts;
        let mut wanted = vec![self.values[arm][n]];
        let from = before.len();
        for &inst in insts.iter().rev() {
            if f.results(inst).any(|result| wanted.contains(&result)) {
                if !is_movable(module, f, inst) {
                    return false;
                }
                before.insert(from, inst);
                wanted.extend(f.args(inst));
            }
        }
        true
    }

    /// Whether a result takes fewer words as a select.
    fn is_shorter(&self, module: &Module, f: &Function, n: usize) -> bool {
        let (Some(&condition), [yes, no]) =
            (f.args(self.inst).first(), [0, 1].map(|arm| self.values[arm][n]))
        else {
            return false;
        };
        is_masked(module, f, [condition, yes, no])
            || is_opposite(f, yes, no) && f.result(self.inst, n).is_some_and(|result| only_in_dots(f, result))
    }

    fn take_out(self, f: &mut Function, block: Block, forward: &mut Forward) {
        let condition = f.args(self.inst)[0];
        let old: Vec<Value> = f.results(self.inst).collect();
        let mut new = self.before.clone();
        for &n in &self.taken {
            let select =
                f.make(Op::Select, &[condition, self.values[0][n], self.values[1][n]], &[f.ty(old[n])]);
            f.inst_mut(select).span = f.inst(self.inst).span;
            new.push(select);
            if let Some(result) = f.result_of(select) {
                forward.set(old[n], result);
            }
        }
        for (arm, values) in self.arms.into_iter().zip(&self.values) {
            f.block_mut(arm).insts.retain(|inst| !self.before.contains(inst));
            let kept: Vec<Value> = self.kept(values);
            if let Some(&exit) = f.block(arm).insts.last() {
                f.set_args(exit, &kept);
            }
        }
        let types: Vec<Ty> = old.iter().map(|&result| f.ty(result)).collect();
        f.set_results(self.inst, &self.kept(&types));
        for (old, new) in self.kept(&old).into_iter().zip(f.results(self.inst)) {
            forward.set(old, new);
        }
        let insts = &mut f.block_mut(block).insts;
        if let Some(at) = insts.iter().position(|&other| other == self.inst) {
            insts.splice(at..at, new);
        }
    }

    /// What stays of a list with one for each result.
    fn kept<T: Copy>(&self, all: &[T]) -> Vec<T> {
        all.iter().enumerate().filter(|(n, _)| !self.taken.contains(n)).map(|(_, &one)| one).collect()
    }
}

/// Whether only dot products read a value.
fn only_in_dots(f: &Function, value: Value) -> bool {
    Walk::insts(f).all(|inst| f.op(inst) == Op::FDot || !f.args(inst).contains(&value))
}
