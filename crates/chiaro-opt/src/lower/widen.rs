//! Functions and quotients of narrow numbers as those of 32 bits, for machines that have or make them for those
//! alone.
//!
//! ```text
//! %1: f16 = fpow %0, %0         %1: f32 = ftof %0, %2: f32 = fpow %1, %1, %3: f16 = ftof %2
//! %1: i16 = udiv %0, 7          by zext and back
//! ```

use chiaro_ir::{FunctionRef, Inst, Module, Op, Ty, Type, Value};

use super::rewrite::{Replaced, Rewrite, Rule, has, rewrite};
use crate::{Changed, Cx};

/// Computes in 32 bits what is written for fewer.
pub fn widen(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    widen_but(module, f, |_| false)
}

/// The same but for operations that a machine has for narrow numbers.
pub fn widen_but(module: &mut Module, f: FunctionRef, is_kept: fn(Op) -> bool) -> Changed {
    let wide_op = |op| wide_op(op).filter(|_| !is_kept(op));
    let is_narrow = |m: &Module, f: &chiaro_ir::Function, inst: Inst| {
        let result = f.result(inst, 0).map(|value| f.ty(value));
        result.is_some_and(|ty| m.types.bits(ty).is_some_and(|bits| bits < 32) && !m.types.is_bool(ty))
    };
    let old = module.function(f);
    let found = chiaro_ir::Walk::insts(old)
        .any(|inst| wide_op(old.op(inst)).is_some() && is_narrow(module, old, inst));
    let found = found && has(module, f, |_, _, op| wide_op(op).is_some());
    if found { rewrite(module, f, Widen(is_kept)) } else { Changed::No }
}

/// How the operands of an operation are widened.
fn wide_op(op: Op) -> Option<Op> {
    use Op::*;
    Some(match op {
        FDiv | FRem | FMod | FSign | FExp | FLog | FPow | FSin | FCos | FTan | FAsin | FAcos | FAtan
        | FAtan2 | FSinh | FCosh | FTanh | FAsinh | FAcosh | FAtanh | FFrexpFraction => FToF,
        UDiv | URem => ZExt,
        SDiv | SRem | SMod => SExt,
        _ => return None,
    })
}

struct Widen(fn(Op) -> bool);

impl Rule for Widen {
    fn replace(r: &mut Rewrite<'_, Self>, inst: Inst, op: Op) -> Replaced {
        let kept = (r.rule.0)(op);
        let (Some(by), Some(result)) = (wide_op(op).filter(|_| !kept), r.old.result_of(inst)) else {
            return Replaced::Copy;
        };
        let ty = r.old.ty(result);
        let is_float = r.b.types().is_float(ty);
        if r.b.types().bits(ty).is_none_or(|bits| bits >= 32) {
            return Replaced::Copy;
        }
        let wide = wide_type(r, ty, is_float);
        let args: Vec<Value> = r.args(inst).into_iter().map(|arg| r.b.op_as(by, &[arg], wide)).collect();
        let made = r.b.op_as(op, &args, wide);
        let back = if is_float { Op::FToF } else { Op::ZExt };
        let narrow = r.b.op_as(back, &[made], ty);
        // A divisor of 0 gives all ones in either width.
        Replaced::By(narrow)
    }
}

fn wide_type(r: &mut Rewrite<'_, Widen>, ty: Ty, is_float: bool) -> Ty {
    let count = r.b.types().components(ty);
    let types = r.b.types();
    let scalar = types.intern(if is_float { Type::Float(32) } else { Type::Int(32) });
    types.vector(scalar, count)
}
