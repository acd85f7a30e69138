//! Rules for bools, and for negated comparisons.

use super::float::constant_right;
use crate::rules::{Node, Rewriter};
use chiaro_ir::{Op, Value};

pub(super) fn logic(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    if n.op == Op::Not {
        return not(w, n);
    }
    let [a, b] = n.first();
    if a == b {
        return Some(if n.op == Op::Xor { w.bits(n.ty, 0) } else { a });
    }
    match (n.op, w.truth(b)) {
        (Op::And, Some(true)) | (Op::Or | Op::Xor, Some(false)) => return Some(a),
        (Op::And, Some(false)) | (Op::Or, Some(true)) => return Some(b),
        (Op::Xor, Some(true)) => return Some(w.same(n, Op::Not, &[a])),
        _ => {}
    }
    let opposite = |w: &Rewriter<'_>, p, q| w.is(p, Op::Not).is_some_and(|[x, ..]| x == q);
    if opposite(w, a, b) || opposite(w, b, a) {
        return Some(w.bits(n.ty, u64::from(n.op != Op::And)));
    }
    constant_right(w, n)
}

fn not(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a] = n.first();
    if let Some(truth) = w.truth(a) {
        return Some(w.bits(n.ty, u64::from(!truth)));
    }
    let (op, [x, y, ..]) = w.made_by(a)?;
    if op == Op::Not {
        return Some(x);
    }
    let n = &n.over(w, a);
    let numbers = || w.assume(n).no_nans || !w.float_range(x).nan && !w.float_range(y).nan;
    let (op, args) = match op {
        Op::FEq => (Op::FNe, [x, y]),
        Op::FNe => (Op::FEq, [x, y]),
        Op::FLt if numbers() => (Op::FLe, [y, x]),
        Op::FLe if numbers() => (Op::FLt, [y, x]),
        Op::IEq => (Op::INe, [x, y]),
        Op::INe => (Op::IEq, [x, y]),
        Op::ULt => (Op::ULe, [y, x]),
        Op::ULe => (Op::ULt, [y, x]),
        Op::SLt => (Op::SLe, [y, x]),
        Op::SLe => (Op::SLt, [y, x]),
        _ => return None,
    };
    Some(w.same(n, op, &args))
}
