//! Rules for `min`, `max` and `clamp`: of equal operands the first is taken, a number before NaN.

use crate::rules::{Node, Rewriter};
use chiaro_ir::{Op, Value};

pub(super) fn min_max(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a, b] = n.first();
    if a == b {
        return Some(a);
    }
    known(w, n, a, b)
        .or_else(|| absolute(w, n, a, b))
        .or_else(|| nested(w, n, a, b))
        .or_else(|| constant_right(w, n, a, b))
}

/// By the ranges of both.
fn known(w: &Rewriter<'_>, n: &Node, a: Value, b: Value) -> Option<Value> {
    let (x, y) = (w.float_range(a), w.float_range(b));
    let numbers = w.assume(n).no_nans;
    let (a_wins, b_wins) = match n.op {
        Op::FMax => (x.low >= y.high, x.high < y.low),
        _ => (x.high <= y.low, y.high < x.low),
    };
    if a_wins && (numbers || !x.nan) { Some(a) } else { (b_wins && (numbers || !y.nan)).then_some(b) }
}

/// max(x, -x).
fn absolute(w: &mut Rewriter<'_>, n: &Node, a: Value, b: Value) -> Option<Value> {
    if !w.assume(n).no_signed_zeros {
        return None;
    }
    let is_negative = |w: &Rewriter<'_>, p, q| w.is(q, Op::FNeg).is_some_and(|[x, ..]| x == p);
    let x = if is_negative(w, a, b) {
        a
    } else if is_negative(w, b, a) {
        b
    } else {
        return None;
    };
    let abs = w.same(n, Op::FAbs, &[x]);
    Some(if n.op == Op::FMax { abs } else { w.same(n, Op::FNeg, &[abs]) })
}

/// Of another one: with constants of the same kind one remains, of the other kind it is a clamp.
fn nested(w: &mut Rewriter<'_>, n: &Node, a: Value, b: Value) -> Option<Value> {
    let outer = w.float(b).filter(|c| !c.is_nan())?;
    let (op, [x, c, ..]) = w.made_by(a)?;
    let inner = w.float(c).filter(|c| !c.is_nan())?;
    match (n.op, op) {
        (Op::FMin, Op::FMin) | (Op::FMax, Op::FMax) => {
            if inner == 0.0 && outer == 0.0 {
                return Some(a);
            }
            let first = if n.op == Op::FMin { inner <= outer } else { inner >= outer };
            Some(if first { a } else { w.same(n, n.op, &[x, b]) })
        }
        (Op::FMin, Op::FMax) if w.used_once(a) => Some(w.same(n, Op::FClamp, &[x, c, b])),
        (Op::FMax, Op::FMin) if w.used_once(a) && outer <= inner => {
            let number = w.assume(n).no_nans || !w.float_range(x).nan;
            number.then(|| w.same(n, Op::FClamp, &[x, b, c]))
        }
        _ => None,
    }
}

/// Only zeros tell which operand came first.
fn constant_right(w: &mut Rewriter<'_>, n: &Node, a: Value, b: Value) -> Option<Value> {
    let nonzero = w.floats(a)?.iter().all(|&c| c != 0.0 && !c.is_nan());
    let swap = w.as_constant(b).is_none() && (nonzero || w.assume(n).no_signed_zeros);
    swap.then(|| w.same(n, n.op, &[b, a]))
}

/// fmin(fmax(x, low), high).
pub(super) fn clamp(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [x, low, high] = n.first();
    let (range, bottom, top) = (w.float_range(x), w.float_range(low), w.float_range(high));
    let number = w.assume(n).no_nans || !range.nan;
    if number && range.low >= bottom.high && !bottom.nan {
        return Some(w.same(n, Op::FMin, &[x, high]));
    }
    // What is not above the top needs no other bound, nor does the bottom.
    if range.high <= top.low && bottom.high <= top.low && !top.nan && !bottom.nan {
        return Some(w.same(n, Op::FMax, &[x, low]));
    }
    None
}
