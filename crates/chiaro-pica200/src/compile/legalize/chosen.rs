//! What is known of `if`s, and of the values that conditions choose.

use chiaro_ir::{Block, Def, Effect, Function, Inst, Module, Op, Space, Step, Value, Walk};
use chiaro_opt::lower::{Native, number};

/// The `if`s of a function with the blocks that they stand in.
pub(super) fn branches(f: &Function) -> Vec<(Inst, Block)> {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    for step in Walk::new(f) {
        match step {
            Step::Open(_, _, block) => open.push(block),
            Step::Close(..) => drop(open.pop()),
            Step::Inst(inst) if f.op(inst) == Op::If => found.extend(open.last().map(|&block| (inst, block))),
            _ => {}
        }
    }
    found
}

/// Whether an instruction may run whether or not the source runs it.
pub(super) fn is_movable(module: &Module, f: &Function, inst: Inst) -> bool {
    match f.op(inst) {
        Op::Load => module.types.pointee(f.ty(f.args(inst)[0])).is_some_and(|(space, _)| is_given(space)),
        op => op.effect() == Effect::Pure,
    }
}

/// What a program only reads.
fn is_given(space: Space) -> bool {
    matches!(space, Space::Input | Space::Uniform | Space::UniformConstant | Space::PushConstant)
}

/// Whether one value is the other one with the other sign.
pub(super) fn is_opposite(f: &Function, a: Value, b: Value) -> bool {
    let is_minus = |a: Value, b: Value| matches!(f.def(a), Def::Result(inst, _) if f.op(inst) == Op::FNeg && f.args(inst) == [b]);
    is_minus(a, b) || is_minus(b, a)
}

/// Whether a choice by a condition is a product with a step: one of its values is 0, the other one a number whatever is
/// given. That takes two words, a branch three.
pub(super) fn is_masked(module: &Module, f: &Function, [condition, yes, no]: [Value; 3]) -> bool {
    let is_zero = |v: Value| matches!(f.def(v), Def::Constant(c) if number(module, c) == Some(0.0));
    let Def::Result(test, _) = f.def(condition) else { return false };
    let kept = match (is_zero(yes), is_zero(no)) {
        (true, false) => no,
        (false, true) => yes,
        _ => return false,
    };
    matches!(f.op(test), Op::FLt | Op::FLe) && is_number(f, kept)
}

/// Instructions that are looked at to see whether a value is a number.
const LOOKS: usize = 64;

/// Whether a value is computed without roots and logarithms of what may be negative, and without branches: a product
/// of 0 with a NaN would be one.
fn is_number(f: &Function, value: Value) -> bool {
    let (mut open, mut seen) = (vec![value], Vec::new());
    while let Some(value) = open.pop() {
        let (inst, result) = match f.def(value) {
            Def::Result(inst, result) => (inst, result),
            Def::Constant(_) => continue,
            _ => return false,
        };
        if seen.contains(&(inst, result)) || f.op(inst) == Op::Load {
            continue;
        }
        let is_square = |v: Value| {
            let Def::Result(inst, _) = f.def(v) else { return false };
            matches!(f.op(inst), Op::FDot | Op::FMul)
                && f.args(inst).windows(2).all(|args| args[0] == args[1])
        };
        let is_safe = match f.op(inst) {
            Op::Native(n) if n == Native::Lg2 as u16 => false,
            Op::Native(n) if n == Native::Rsq as u16 => f.args(inst).iter().all(|v| is_square(*v)),
            op => op.effect() == Effect::Pure,
        };
        if !is_safe || seen.len() >= LOOKS {
            return false;
        }
        seen.push((inst, result));
        open.extend(f.args(inst));
    }
    true
}
