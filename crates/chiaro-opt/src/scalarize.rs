//! Scalarisation: splits vector operations into scalar ones, for targets without vectors.
//!
//! ```text
//! %2: vec2 = fadd %0, %1     ->    %3 = extract.0 %0; %4 = extract.0 %1; %5 = fadd %3, %4
//!                                  %6 = extract.1 %0; %7 = extract.1 %1; %8 = fadd %6, %7
//!                                  %2: vec2 = construct %5, %8
//! ```
//!
//! True after: no operation computes with vectors, but those that take them apart, put them
//! together, or have effects. Nothing is taken out of what was just put together.

use crate::rules::{Asks, Node, Rewriter, apply};
use crate::simplify::composite;
use crate::{Changed, Cx};
use chiaro_ir::{FunctionRef, Module, Op, Shape, Ty, Value};

/// Takes vector operations apart.
pub fn scalarize(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    apply(module, f, cx, Asks::Nothing, rule).into()
}

fn rule(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    match n.op.info().shape {
        Shape::Dot => dot(w, n),
        Shape::Fold => fold(w, n),
        Shape::Same(_) | Shape::Compare | Shape::Test | Shape::Shift | Shape::Convert | Shape::Select => {
            each(w, n)
        }
        Shape::Special => match n.op {
            Op::Extract(part) => composite::extract(w, n, part),
            Op::Construct | Op::Shuffle(_) | Op::Insert(_) => composite::vector(w, n),
            _ => None,
        },
    }
}

/// Component by component.
fn each(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let count = w.module.types.components(n.ty);
    if count < 2 {
        return None;
    }
    let scalar = w.module.types.scalar(n.ty);
    let mut parts = Vec::with_capacity(usize::from(count));
    for i in 0..count {
        let mut args = n.first::<4>();
        let args = &mut args[..n.args().len()];
        args.iter_mut().for_each(|arg| *arg = component(w, n, *arg, i));
        parts.push(w.emit(n, n.op, args, scalar));
    }
    Some(w.same(n, Op::Construct, &parts))
}

/// A component of a vector; of a scalar, which a select may have, itself.
fn component(w: &mut Rewriter<'_>, n: &Node, v: Value, i: u8) -> Value {
    let ty = w.ty(v);
    if w.module.types.components(ty) < 2 {
        return v;
    }
    let scalar = w.module.types.scalar(ty);
    w.emit(n, Op::Extract(u32::from(i)), &[v], scalar)
}

/// Products added one after the other, as the operation itself does.
fn dot(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a, b] = n.first();
    let mut sum: Option<Value> = None;
    for i in 0..w.components(a) {
        let (x, y) = (component(w, n, a, i), component(w, n, b, i));
        let product = w.same(n, Op::FMul, &[x, y]);
        sum = Some(sum.map_or(product, |sum| w.same(n, Op::FAdd, &[sum, product])));
    }
    sum
}

/// All or any of some bools.
fn fold(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a] = n.first();
    let op = if n.op == Op::All { Op::And } else { Op::Or };
    let bool: Ty = n.ty;
    let mut all: Option<Value> = None;
    for i in 0..w.components(a) {
        let part = component(w, n, a, i);
        all = Some(all.map_or(part, |all| w.emit(n, op, &[all, part], bool)));
    }
    all
}
