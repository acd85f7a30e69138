//! Operations on splats: computed once, then repeated.

use crate::rules::{Node, Rewriter};
use chiaro_ir::{Op, Shape, Value};

/// The scalar operation, if every operand has the same in all components and one is not constant.
pub(super) fn splat(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    if !matches!(n.op.info().shape, Shape::Same(_)) || w.module.types.components(n.ty) < 2 {
        return None;
    }
    let scalar = w.module.types.scalar(n.ty);
    let mut args = Vec::with_capacity(n.args().len());
    let mut computed = false;
    for &arg in n.args() {
        let part = match w.parts(arg, Op::Construct) {
            Some(&[part]) if w.ty(part) == scalar => {
                computed = true;
                part
            }
            _ => {
                let bits = w.splat_bits(arg)?;
                w.bits(scalar, bits)
            }
        };
        args.push(part);
    }
    if !computed {
        return None;
    }
    let once = w.emit(n, n.op, &args, scalar);
    Some(w.same(n, Op::Construct, &[once]))
}
