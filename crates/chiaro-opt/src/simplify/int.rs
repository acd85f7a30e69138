//! Rules for integers, which wrap: all of them hold modulo the width.

use super::float::constant_right;
use crate::rules::{Node, Rewriter};
use chiaro_ir::{Op, Value};

pub(super) fn int(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a, b] = n.first();
    match n.op {
        Op::INeg | Op::IAbs | Op::Not => unary(w, n, a),
        Op::UMin | Op::UMax | Op::SMin | Op::SMax => bounds(w, n, a, b),
        Op::UDiv | Op::SDiv | Op::URem | Op::SRem | Op::SMod => quotient(w, n, a, b),
        Op::Shl | Op::LShr | Op::AShr => shift(w, n, a, b),
        _ => binary(w, n, a, b),
    }
}

fn mask(w: &Rewriter<'_>, n: &Node) -> u64 {
    u64::MAX >> (64 - u32::from(w.width(n.ty).clamp(1, 64)))
}

fn unary(w: &Rewriter<'_>, n: &Node, a: Value) -> Option<Value> {
    if n.op == Op::IAbs {
        return w.int_range(a).is_natural().then_some(a);
    }
    w.is(a, n.op).map(|[x, ..]| x)
}

fn binary(w: &mut Rewriter<'_>, n: &Node, a: Value, b: Value) -> Option<Value> {
    if a == b {
        match n.op {
            Op::And | Op::Or => return Some(a),
            Op::ISub | Op::Xor => return Some(w.bits(n.ty, 0)),
            _ => {}
        }
    }
    if let Some(c) = w.int(b) {
        return with_constant(w, n, a, c).or_else(|| regroup(w, n, a, c));
    }
    if n.op == Op::ISub { None } else { constant_right(w, n) }
}

fn with_constant(w: &mut Rewriter<'_>, n: &Node, a: Value, c: u64) -> Option<Value> {
    let all = mask(w, n);
    match (n.op, c) {
        (Op::IAdd | Op::ISub | Op::Or | Op::Xor, 0) | (Op::IMul, 1) => Some(a),
        (Op::And, c) if c == all => Some(a),
        (Op::IMul | Op::And, 0) => Some(w.bits(n.ty, 0)),
        (Op::Or, c) if c == all => Some(w.bits(n.ty, all)),
        (Op::Xor, c) if c == all => Some(w.same(n, Op::Not, &[a])),
        (Op::IMul, c) if c == all => Some(w.same(n, Op::INeg, &[a])),
        (Op::ISub, c) => {
            let negative = w.bits(n.ty, c.wrapping_neg() & all);
            Some(w.same(n, Op::IAdd, &[a, negative]))
        }
        (Op::IMul, c) if c.is_power_of_two() => {
            let amount = w.bits(n.ty, c.trailing_zeros().into());
            Some(w.same(n, Op::Shl, &[a, amount]))
        }
        // A mask that keeps all that can be there.
        (Op::And, c) if (c + 1).is_power_of_two() => {
            let range = w.int_range(a);
            (range.is_natural() && range.high as u64 <= c).then_some(a)
        }
        _ => None,
    }
}

/// (x op c) op d.
fn regroup(w: &mut Rewriter<'_>, n: &Node, a: Value, d: u64) -> Option<Value> {
    let [x, c, ..] = w.is(a, n.op)?;
    let c = w.int(c)?;
    let both = match n.op {
        Op::IAdd => c.wrapping_add(d),
        Op::IMul => c.wrapping_mul(d),
        Op::And => c & d,
        Op::Or => c | d,
        Op::Xor => c ^ d,
        _ => return None,
    };
    let constant = w.bits(n.ty, both & mask(w, n));
    Some(w.same(n, n.op, &[x, constant]))
}

fn bounds(w: &Rewriter<'_>, n: &Node, a: Value, b: Value) -> Option<Value> {
    let (x, y) = (w.int_range(a), w.int_range(b));
    let ordered = matches!(n.op, Op::SMin | Op::SMax) || x.is_natural() && y.is_natural();
    let least = matches!(n.op, Op::SMin | Op::UMin);
    match () {
        () if a == b => Some(a),
        () if ordered && x.high <= y.low => Some(if least { a } else { b }),
        () if ordered && y.high <= x.low => Some(if least { b } else { a }),
        () => None,
    }
}

fn quotient(w: &mut Rewriter<'_>, n: &Node, a: Value, b: Value) -> Option<Value> {
    let c = w.int(b).filter(|&c| c != 0)?;
    let unsigned = matches!(n.op, Op::UDiv | Op::URem) || w.int_range(a).is_natural();
    let rest = matches!(n.op, Op::URem | Op::SRem | Op::SMod);
    if c == 1 {
        return Some(if rest { w.bits(n.ty, 0) } else { a });
    }
    // A signed power of two is one that is positive.
    if !c.is_power_of_two() || c > mask(w, n) >> 1 {
        return None;
    }
    // A floored remainder is that of the bits, whatever the sign.
    if rest && (unsigned || n.op == Op::SMod) {
        let mask = w.bits(n.ty, c - 1);
        Some(w.same(n, Op::And, &[a, mask]))
    } else if !rest && unsigned {
        let amount = w.bits(n.ty, c.trailing_zeros().into());
        Some(w.same(n, Op::LShr, &[a, amount]))
    } else {
        None
    }
}

fn shift(w: &mut Rewriter<'_>, n: &Node, a: Value, b: Value) -> Option<Value> {
    let width = u64::from(w.width(n.ty).max(1));
    let d = w.int(b)? % width;
    if d == 0 {
        return Some(a);
    }
    let [x, c, ..] = w.is(a, n.op)?;
    let sum = w.int(c)? % width + d;
    let amount_ty = w.ty(b);
    if sum < width {
        let amount = w.bits(amount_ty, sum);
        return Some(w.same(n, n.op, &[x, amount]));
    }
    (n.op != Op::AShr).then(|| w.bits(n.ty, 0))
}
