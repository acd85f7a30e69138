//! Which instructions may be moved or speculated, and what that costs.

use chiaro_ir::{ConstantKind, Def, Effect, Function, Inst, Module, Op, Space, Value};

/// Whether an instruction may run where the source does not run it, as long as its operands are
/// known there: without effect, reading only what nobody writes, and never out of bounds.
pub(crate) fn is_movable(module: &Module, f: &Function, inst: Inst) -> bool {
    match f.op(inst) {
        Op::ExtractDyn | Op::InsertDyn => false,
        Op::Load => is_fixed_load(module, f, inst),
        op => op.effect() == Effect::Pure,
    }
}

/// Whether an instruction loads what is the same whenever it is loaded in an invocation, from a
/// place that certainly is there.
pub(crate) fn is_fixed_load(module: &Module, f: &Function, inst: Inst) -> bool {
    let (Op::Load, &[place]) = (f.op(inst), f.args(inst)) else { return false };
    let fixed = module.types.pointee(f.ty(place)).is_some_and(|(space, _)| is_read_only(space));
    fixed && !f.inst(inst).flags.volatile && is_sure_place(module, f, place)
}

fn is_read_only(space: Space) -> bool {
    matches!(space, Space::Input | Space::Uniform | Space::UniformConstant | Space::PushConstant)
}

/// A variable of the module, or a part of one by constant indices.
fn is_sure_place(module: &Module, f: &Function, mut place: Value) -> bool {
    loop {
        match f.def(place) {
            Def::Constant(c) => return matches!(module.constants.get(c), ConstantKind::Global(_)),
            Def::Result(inst, _) if f.op(inst) == Op::Access => {
                let args = f.args(inst);
                let constant = |&v: &Value| matches!(f.def(v), Def::Constant(_));
                let (Some(&base), true) = (args.first(), args.iter().skip(1).all(constant)) else {
                    return false;
                };
                place = base;
            }
            _ => return false,
        }
    }
}

/// What an instruction costs: nothing if most targets have it as a modifier of others.
pub(crate) fn cost(op: Op) -> u32 {
    match op {
        Op::Extract(_) | Op::Shuffle(_) | Op::Construct | Op::Access | Op::FNeg => 0,
        Op::FDiv | Op::FPow | Op::FRem | Op::FMod | Op::UDiv | Op::SDiv | Op::URem | Op::SRem | Op::SMod => 4,
        Op::FTan | Op::FAsin | Op::FAcos | Op::FAtan | Op::FAtan2 | Op::FSinh | Op::FCosh | Op::FTanh => 12,
        Op::FAsinh | Op::FAcosh | Op::FAtanh => 12,
        Op::FSin | Op::FCos => 6,
        _ if op.is_exit() || op.is_construct() => 0,
        _ => 1,
    }
}
