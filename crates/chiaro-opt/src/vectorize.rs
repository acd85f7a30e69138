//! SLP vectorisation: scalar operations of the same kind become one vector operation.
//!
//! ```text
//! %2 = extract.0 %0; %3 = extract.1 %0        %4 = shuffle.0.1 %0, %0
//! %5 = extract.0 %1; %6 = extract.1 %1        %7 = shuffle.0.1 %1, %1
//! %8 = fmul %2, %5;  %9 = fmul %3, %6    ->   %10 = fmul %4, %7
//! %10 = construct %8, %9
//! ```
//!
//! It begins at vectors that are made of scalars, and goes from there to what those are made of,
//! as long as it saves operations: what was computed one by one, less what it takes to bring the
//! operands together. A sum of products of the components of two vectors, in order, is their dot
//! product: the same operations, bit for bit.

mod gain;
mod products;

use crate::rules::{Asks, Node, Rewriter, apply};
use crate::simplify::composite;
use crate::{Changed, Cx};
use chiaro_ir::{FunctionRef, Module, Op, Value};
use gain::{Group, is_worth};

/// Makes vector operations, if the target has some.
pub fn vectorize(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    if cx.options.limits.lanes < 2 {
        return Changed::No;
    }
    apply(module, f, cx, Asks::Nothing, rule).into()
}

fn rule(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    match n.op {
        Op::FAdd => products::dot(w, n),
        Op::Extract(part) => composite::extract(w, n, part),
        Op::Construct => groups(w, n).or_else(|| composite::vector(w, n)),
        Op::Insert(_) | Op::Shuffle(_) => composite::vector(w, n),
        _ => None,
    }
}

/// Runs of a construction's scalars that are the same operation.
fn groups(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let args = n.args().to_vec();
    let (mut parts, mut at) = (Vec::with_capacity(args.len()), 0);
    let mut changed = false;
    while at < args.len() {
        let run = longest(w, &args[at..]);
        if run > 1 {
            parts.push(together(w, n, &args[at..at + run])?);
            changed = true;
        } else {
            parts.push(args[at]);
        }
        at += run.max(1);
    }
    if !changed {
        return None;
    }
    match parts[..] {
        [only] => Some(only),
        _ => Some(w.same(n, Op::Construct, &parts)),
    }
}

/// How many of the first scalars are worth one operation.
fn longest(w: &Rewriter<'_>, args: &[Value]) -> usize {
    let most = args.len().min(4);
    (2..=most).rev().find(|&run| is_worth(w, &args[..run])).unwrap_or(1)
}

/// One operation for several scalars.
fn together(w: &mut Rewriter<'_>, n: &Node, args: &[Value]) -> Option<Value> {
    let group = Group::of(w, args)?;
    let n = &group.node(n);
    let count = args.len() as u8;
    let mut operands = Vec::with_capacity(3);
    for column in &group.operands {
        let scalar = w.ty(column[0]);
        let ty = w.module.types.vector(scalar, count);
        operands.push(w.emit(n, Op::Construct, column, ty));
    }
    let scalar = w.ty(args[0]);
    let ty = w.module.types.vector(scalar, count);
    Some(w.emit(n, group.op, &operands, ty))
}
