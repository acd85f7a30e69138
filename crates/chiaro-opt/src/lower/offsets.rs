//! Inputs of fragments at an offset from the middle of their pixels, for machines that interpolate at the middle alone.
//!
//! ```text
//! %2: f32 = interpolate.offset @v, %1      ->      %2: f32 = load @v
//!                                                  %3: f32 = ddx %2
//!                                                  %4: f32 = fmul %3, %1.x
//!                                                  %5: f32 = fadd %2, %4, and the same along y
//! ```
//!
//! With perspective that is as exact as a plane through the value is.

use chiaro_ir::{FunctionRef, Inst, Module, Op, Taken};

use super::rewrite::{Replaced, Rewrite, Rule, has, rewrite};
use crate::Changed;

/// Replaces what is taken at an offset by the value in the middle and how it changes over the quad.
pub fn offsets(module: &mut Module, f: FunctionRef) -> Changed {
    if has(module, f, |_, _, op| op == Op::Interpolate(Taken::Offset)) {
        rewrite(module, f, Offsets)
    } else {
        Changed::No
    }
}

struct Offsets;

impl Rule for Offsets {
    fn replace(r: &mut Rewrite<'_, Self>, inst: Inst, op: Op) -> Replaced {
        let (Op::Interpolate(Taken::Offset), Some(result)) = (op, r.old.result_of(inst)) else {
            return Replaced::Copy;
        };
        let ty = r.old.ty(result);
        let args = r.args(inst);
        let &[input, offset] = args.as_slice() else { return Replaced::Copy };
        let b = &mut r.b;
        let middle = b.op_as(Op::Load, &[input], ty);
        let scalar = b.types().scalar(ty);
        let moved = [Op::Ddx, Op::Ddy].into_iter().zip(0..).fold(middle, |sum, (change, axis)| {
            let by = b.extract(offset, axis);
            let by = if b.ty(by) == scalar { by } else { b.convert(Op::FToF, by, scalar) };
            let by = if ty == scalar { by } else { b.splat(ty, by) };
            let slope = b.op_as(change, &[middle], ty);
            let change = b.fmul(slope, by);
            b.fadd(sum, change)
        });
        Replaced::By(moved)
    }
}
