//! Rules for splats: an operation on splats is computed once, then splatted.

use crate::rules::{Node, Rewriter};
use chiaro_ir::{Op, Shape, Ty, Value};

/// The scalar operation, if every operand has the same in all components and one is not constant.
pub(super) fn splat(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    if !matches!(n.op.info().shape, Shape::Same(_)) || w.module.types.components(n.ty) < 2 {
        return None;
    }
    let is_splat = |&arg: &Value| repeated(w, arg).is_some();
    let is_same = |arg: &Value| is_splat(arg) || w.splat_bits(*arg).is_some();
    if !n.args().iter().all(is_same) || !n.args().iter().any(is_splat) {
        return None;
    }
    let scalar = w.module.types.scalar(n.ty);
    let args: Vec<Value> = n.args().iter().map(|&arg| once(w, n, arg, scalar)).collect();
    let once = w.emit(n, n.op, &args, scalar);
    Some(w.same(n, Op::Construct, &[once]))
}

/// What a vector has in all components: a scalar, or a component of a vector.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Repeated {
    Scalar(Value),
    Part(Value, u8),
}

/// What a vector that is computed repeats.
pub(crate) fn repeated(w: &Rewriter<'_>, v: Value) -> Option<Repeated> {
    if let Some(&[part]) = w.parts(v, Op::Construct) {
        return (w.components(part) == 1).then_some(Repeated::Scalar(part));
    }
    let (Op::Shuffle(parts), [a, b, ..]) = w.made_by(v)? else { return None };
    let used = &parts[..usize::from(w.components(v).min(4))];
    let (first, split) = (used[0], w.components(a));
    if first == 255 || used.iter().any(|&part| part != first) {
        return None;
    }
    Some(if first < split { Repeated::Part(a, first) } else { Repeated::Part(b, first - split) })
}

impl Repeated {
    /// The scalar itself.
    pub(super) fn scalar(self, w: &mut Rewriter<'_>, n: &Node) -> Value {
        match self {
            Repeated::Scalar(v) => v,
            Repeated::Part(v, i) => {
                let ty = w.module.types.scalar(w.ty(v));
                w.emit(n, Op::Extract(u32::from(i)), &[v], ty)
            }
        }
    }
}

/// The scalar of a splat or of a constant that is the same in all components.
fn once(w: &mut Rewriter<'_>, n: &Node, arg: Value, scalar: Ty) -> Value {
    match repeated(w, arg) {
        Some(splat) => splat.scalar(w, n),
        None => {
            let bits = w.splat_bits(arg).unwrap_or(0);
            w.bits(scalar, bits)
        }
    }
}
