//! Reassociation: regroups sums and products so that constants meet constants and uniforms meet
//! uniforms.
//!
//! ```text
//! %3 = fadd %u, %x                 %5 = fadd %u, %v        (%u, %v uniform: a target computes
//! %4 = fadd %3, %y          ->     %3 = fadd %x, %y         their sum once)
//! %5 = fadd %4, %v                 %6 = fadd %3, %5
//! ```
//!
//! A chain is a tree of one operation of which nothing but the tree uses the parts. Operands are
//! ranked: what varies comes first, then uniforms, then constants. Terms that are products make a
//! chain, as each becomes one multiply-add with the sum so far; other terms make a balanced tree
//! where [`Limits::chains`](crate::Limits) is off. Operations that are `exact` stay, and all do
//! unless [`Assumptions::reassociate`](crate::Assumptions) is set. Sums of integers may always be
//! regrouped.

use crate::rules::{Asks, Node, Rewriter, apply};
use crate::{Changed, Cx};
use chiaro_ir::{FunctionRef, Module, Op, Value};

/// Longer chains are regrouped piece by piece.
const MOST: usize = 64;

/// Regroups sums and products.
pub fn reassociate(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    apply(module, f, cx, Asks::Uniforms, rule).into()
}

fn rule(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let free = match n.op {
        Op::FAdd | Op::FMul => w.assume(n).reassociate,
        Op::IAdd | Op::IMul | Op::And | Op::Or | Op::Xor => true,
        _ => return None,
    };
    if !free || w.is_inner(n) {
        return None;
    }
    let mut sorted = leaves(w, n);
    if sorted.len() < 3 {
        return None;
    }
    sorted.sort_by_key(|&v| rank(w, v));
    let shape = Shape::of(w, n, &sorted);
    let [a, b] = n.first();
    let (left, right) = sorted.split_at(split(w, &sorted, shape));
    if is_tree(w, n, a, left, shape) && is_tree(w, n, b, right, shape) {
        return None;
    }
    tree(w, n, &sorted, shape)
}

/// Varying values, uniforms, constants; among the varying ones products last, to be added to what
/// is there.
fn rank(w: &Rewriter<'_>, v: Value) -> u8 {
    if w.as_constant(v).is_some() {
        3
    } else if w.is_uniform(v) {
        2
    } else {
        u8::from(w.parts(v, Op::FMul).is_some())
    }
}

/// The operands of a tree of one operation, from left to right.
pub(crate) fn leaves(w: &Rewriter<'_>, n: &Node) -> Vec<Value> {
    let mut found = Vec::new();
    let mut open: Vec<Value> = n.args().iter().rev().copied().collect();
    while let Some(v) = open.pop() {
        match w.loose(v, n.op) {
            Some([a, b, ..]) if w.used_once(v) && found.len() + open.len() < MOST => open.extend([b, a]),
            _ => found.push(v),
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    Chain,
    Balanced,
}

impl Shape {
    fn of(w: &Rewriter<'_>, n: &Node, leaves: &[Value]) -> Shape {
        let products = leaves.iter().filter(|&&v| w.parts(v, Op::FMul).is_some()).count();
        let fused = n.op == Op::FAdd && products > 1;
        if w.limits.chains || fused { Shape::Chain } else { Shape::Balanced }
    }
}

/// How many of some sorted operands are on the left of the last operation: what varies is by
/// itself, so are uniforms, so are constants.
fn split(w: &Rewriter<'_>, list: &[Value], shape: Shape) -> usize {
    let class = |v: Value| rank(w, v).max(1);
    let first = list.first().map_or(1, |&v| class(v));
    let alike = list.iter().take_while(|&&v| class(v) == first).count();
    match shape {
        _ if alike < list.len() => alike,
        Shape::Balanced if first == 1 => list.len().next_power_of_two() / 2,
        _ => list.len().saturating_sub(1),
    }
}

/// Whether the tree of a value is as it would be built.
fn is_tree(w: &Rewriter<'_>, n: &Node, v: Value, list: &[Value], shape: Shape) -> bool {
    if let &[leaf] = list {
        return v == leaf;
    }
    let Some([a, b, ..]) = w.loose(v, n.op).filter(|_| w.used_once(v)) else { return false };
    let split = split(w, list, shape);
    is_tree(w, n, a, &list[..split], shape) && is_tree(w, n, b, &list[split..], shape)
}

/// The tree of sorted operands.
fn tree(w: &mut Rewriter<'_>, n: &Node, list: &[Value], shape: Shape) -> Option<Value> {
    if list.len() < 2 {
        return list.first().copied();
    }
    let (left, right) = list.split_at(split(w, list, shape));
    let (a, b) = (tree(w, n, left, shape)?, tree(w, n, right, shape)?);
    Some(w.make_as(n, n.op, &[a, b], n.ty))
}
