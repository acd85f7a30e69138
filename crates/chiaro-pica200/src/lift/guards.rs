//! Products that need no rule for zero: where what is known of the operands excludes zero times infinity, the
//! language's own product is the machine's.

use chiaro_ir::{Block, FunctionRef, Inst, Module, Op, Step, Value, Walk};
use chiaro_opt::{FloatRange, ranges};

use super::helpers::{Helper, Helpers};

/// A call of a function that multiplies.
struct Call {
    inst: Inst,
    block: Block,
    helper: Helper,
    args: [Value; 2],
}

/// Puts products in the place of those calls of [`Helper::Product`] and [`Helper::Dot`] that are safe. Of
/// binary32 alone: in float24 the rule is part of the rounding.
pub(super) fn drop_guards(module: &mut Module, f: FunctionRef, helpers: &mut Helpers) {
    let calls = calls(module, f, helpers);
    if calls.is_empty() {
        return;
    }
    let known = ranges(module, module.function(f));
    for Call { inst, block, helper, args } in calls {
        if !is_without_rule(known.float(args[0]), known.float(args[1])) {
            continue;
        }
        let Helper::Dot(n, in_pairs) = helper else {
            module.function_mut(f).replace(inst, Op::FMul, &args);
            continue;
        };
        let total = helpers.declared(module, Helper::Total(n, in_pairs));
        let function = module.function_mut(f);
        let ty = function.ty(args[0]);
        let product = function.insert_before(block, inst, Op::FMul, &args, &[ty]);
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

/// Whether no product is zero times infinity: neither is infinite, or one of them is neither that nor zero.
fn is_without_rule(a: FloatRange, b: FloatRange) -> bool {
    let is_bounded = |x: FloatRange| x.low.is_finite() && x.high.is_finite();
    let is_apart = |x: FloatRange| x.low > 0.0 || x.high < 0.0;
    let is_ordinary = |x| is_bounded(x) && is_apart(x);
    is_bounded(a) && is_bounded(b) || is_ordinary(a) || is_ordinary(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_times_infinity_needs_the_rule() {
        let [any, unit, apart] =
            [FloatRange::ANY, FloatRange::between(0.0, 1.0), FloatRange::between(0.5, 2.0)];
        assert!(is_without_rule(unit, unit) && is_without_rule(apart, any) && is_without_rule(any, apart));
        assert!(!is_without_rule(any, any) && !is_without_rule(unit, any) && !is_without_rule(any, unit));
    }
}
