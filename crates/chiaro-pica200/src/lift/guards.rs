//! Products that need no rule for zero: where what is known of the operands excludes zero times infinity, the
//! language's own product is the machine's.

use chiaro_ir::{Block, FunctionRef, Inst, Module, Op, Step, Value, Walk};

use super::facts::Facts;
use super::helpers::{Helper, Helpers, Numbers};

/// A call of a function that multiplies.
struct Call {
    inst: Inst,
    block: Block,
    helper: Helper,
    args: [Value; 2],
}

/// Puts products without the rule in the place of those calls of [`Helper::Product`] and [`Helper::Dot`] that
/// are safe.
pub(super) fn drop_guards(module: &mut Module, f: FunctionRef, helpers: &mut Helpers) {
    if !helpers.multiply() {
        return;
    }
    let calls = calls(module, f, helpers);
    if calls.is_empty() {
        return;
    }
    let facts = Facts::of(module, module.function(f), helpers);
    let safe: Vec<bool> = calls.iter().map(|call| is_safe(&facts, call)).collect();
    for (Call { inst, block, helper, args }, _) in calls.into_iter().zip(safe).filter(|(_, is_safe)| *is_safe)
    {
        let (Helper::Product(n) | Helper::Dot(n, _)) = helper else { continue };
        let op = match helpers.numbers() {
            Numbers::Float24 { .. } => Op::Call(helpers.declared(module, Helper::Bare(n))),
            Numbers::Plain | Numbers::Binary32 => Op::FMul,
        };
        let Helper::Dot(_, in_pairs) = helper else {
            module.function_mut(f).replace(inst, op, &args);
            continue;
        };
        let total = helpers.declared(module, Helper::Total(n, in_pairs));
        let function = module.function_mut(f);
        let ty = function.ty(args[0]);
        let product = function.insert_before(block, inst, op, &args, &[ty]);
        function.inst_mut(product).flags = function.inst(inst).flags;
        if let Some(product) = function.result_of(product) {
            function.replace(inst, Op::Call(total), &[product]);
        }
    }
}

fn calls(module: &Module, f: FunctionRef, helpers: &Helpers) -> Vec<Call> {
    let function = module.function(f);
    let (mut calls, mut open) = (Vec::new(), Vec::new());
    for step in Walk::new(function) {
        match step {
            Step::Open(_, _, block) => open.push(block),
            Step::Close(..) => drop(open.pop()),
            Step::Inst(inst) => {
                let (Op::Call(callee), &[a, b]) = (function.op(inst), function.args(inst)) else { continue };
                let helper = helpers.of(callee).filter(|h| matches!(h, Helper::Product(_) | Helper::Dot(..)));
                let (Some(helper), Some(&block)) = (helper, open.last()) else { continue };
                calls.push(Call { inst, block, helper, args: [a, b] });
            }
            _ => {}
        }
    }
    calls
}

/// Whether no product of components is zero times infinity. One of a number with itself never is.
fn is_safe(facts: &Facts<'_>, call: &Call) -> bool {
    let [a, b] = call.args;
    let (Helper::Product(n) | Helper::Dot(n, _)) = call.helper else { return false };
    let pairs = facts.row(a).into_iter().zip(facts.row(b)).take(n.into());
    facts.are_one(a, b) || pairs.into_iter().all(|(x, y)| !x.meet_as_zero_and_infinity(y))
}
