//! Rules for `select`.

use crate::rules::{Node, Rewriter};
use chiaro_ir::{Op, Shape, Value};

pub(super) fn select(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [condition, yes, no] = n.first();
    if yes == no {
        return Some(yes);
    }
    if let Some(truth) = w.truth(condition) {
        return Some(if truth { yes } else { no });
    }
    if let Some([opposite, ..]) = w.is(condition, Op::Not) {
        return Some(w.same(n, Op::Select, &[opposite, no, yes]));
    }
    again(w, n, condition, yes, no)
        .or_else(|| bools(w, n, condition, yes, no))
        .or_else(|| bounds(w, n, condition, yes, no))
        .or_else(|| common(w, n, condition, yes, no))
}

/// What the same condition chose before.
fn again(w: &mut Rewriter<'_>, n: &Node, condition: Value, yes: Value, no: Value) -> Option<Value> {
    let chosen = |w: &Rewriter<'_>, v| w.is(v, Op::Select).filter(|args| args[0] == condition);
    let (inner_yes, inner_no) = (chosen(w, yes), chosen(w, no));
    inner_yes.or(inner_no)?;
    let (yes, no) = (inner_yes.map_or(yes, |args| args[1]), inner_no.map_or(no, |args| args[2]));
    Some(w.same(n, Op::Select, &[condition, yes, no]))
}

/// Of bools, by as many conditions.
fn bools(w: &mut Rewriter<'_>, n: &Node, condition: Value, yes: Value, no: Value) -> Option<Value> {
    if w.ty(condition) != n.ty {
        return None;
    }
    match (w.truth(yes), w.truth(no)) {
        (Some(true), Some(false)) => Some(condition),
        (Some(false), Some(true)) => Some(w.same(n, Op::Not, &[condition])),
        (Some(true), None) => Some(w.same(n, Op::Or, &[condition, no])),
        (None, Some(false)) => Some(w.same(n, Op::And, &[condition, yes])),
        // What decides, and is chosen.
        _ if yes == condition => Some(w.same(n, Op::Or, &[condition, no])),
        _ if no == condition => Some(w.same(n, Op::And, &[condition, yes])),
        _ => None,
    }
}

/// The smaller, the larger, the absolute.
fn bounds(w: &mut Rewriter<'_>, n: &Node, condition: Value, yes: Value, no: Value) -> Option<Value> {
    let (op, [a, b, ..]) = w.made_by(condition)?;
    let assume = w.assume(&n.over(w, condition));
    if !matches!(op, Op::FLt | Op::FLe) || !assume.no_signed_zeros || w.ty(condition) != w.bools(n.ty) {
        return None;
    }
    let numbers = assume.no_nans || !w.float_range(a).nan && !w.float_range(b).nan;
    if numbers && (a, b) == (yes, no) {
        return Some(w.same(n, Op::FMin, &[a, b]));
    } else if numbers && (a, b) == (no, yes) {
        return Some(w.same(n, Op::FMax, &[a, b]));
    }
    let negative = |w: &Rewriter<'_>, p, q| w.is(p, Op::FNeg).is_some_and(|[x, ..]| x == q);
    let x = match (w.float(a), w.float(b)) {
        (_, Some(0.0)) if a == no && negative(w, yes, a) => a,
        (Some(0.0), _) if b == yes && negative(w, no, b) => b,
        _ => return None,
    };
    Some(w.same(n, Op::FAbs, &[x]))
}

/// Both the same operation of one operand, or of two of which one is the same: chosen before.
fn common(w: &mut Rewriter<'_>, n: &Node, condition: Value, yes: Value, no: Value) -> Option<Value> {
    let ((op, p), (other, q)) = (w.made_by(yes)?, w.made_by(no)?);
    let same_flags = w.flags(yes) == w.flags(no);
    if op != other || !same_flags || !w.used_once(yes) || !w.used_once(no) {
        return None;
    }
    let n = &n.over(w, yes);
    match op.info().shape {
        Shape::Same(1) => {
            let x = w.same(n, Op::Select, &[condition, p[0], q[0]]);
            Some(w.same(n, op, &[x]))
        }
        Shape::Same(2) if p[0] == q[0] => {
            let x = w.same(n, Op::Select, &[condition, p[1], q[1]]);
            Some(w.same(n, op, &[p[0], x]))
        }
        Shape::Same(2) if p[1] == q[1] => {
            let x = w.same(n, Op::Select, &[condition, p[0], q[0]]);
            Some(w.same(n, op, &[x, p[1]]))
        }
        _ => None,
    }
}
