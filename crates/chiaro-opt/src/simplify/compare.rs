//! Rules for comparisons: decided by ranges, of one value with itself, of what is constant either way.

use crate::rules::{Node, Rewriter};
use chiaro_ir::interp::float_value;
use chiaro_ir::{ConstantKind, FunctionRef, Op, Value};

pub(super) fn float(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a, b] = n.first();
    if let Some(truth) = known(w, n, a, b) {
        return Some(w.bits(n.ty, truth.into()));
    }
    if a == b && n.op == Op::FNe {
        return Some(w.emit(n, Op::IsNan, &[a], n.ty));
    }
    if n.args().len() == 1 {
        return None;
    }
    of_select(w, n).or_else(|| signs(w, n)).or_else(|| difference(w, n))
}

/// A comparison that ranges decide, or the equality of operands.
fn known(w: &Rewriter<'_>, n: &Node, a: Value, b: Value) -> Option<bool> {
    let (x, y, assume) = (w.float_range(a), w.float_range(b), w.assume(n));
    let numbers = assume.no_nans || !x.nan && !y.nan;
    let (below, above) = (x.high < y.low, x.low > y.high);
    match n.op {
        Op::IsNan => (!x.nan || assume.no_nans).then_some(false),
        Op::IsInf => {
            let finite = x.low.is_finite() && x.high.is_finite();
            (finite || assume.no_infs).then_some(false)
        }
        Op::FLt if a == b => Some(false),
        Op::FEq | Op::FLe if a == b => numbers.then_some(true),
        Op::FNe if a == b => numbers.then_some(false),
        Op::FEq => (below || above).then_some(false),
        Op::FNe => (below || above).then_some(true),
        Op::FLt if below && numbers => Some(true),
        Op::FLt => (x.low >= y.high).then_some(false),
        Op::FLe if x.high <= y.low && numbers => Some(true),
        _ => above.then_some(false),
    }
}

/// A comparison of one of two constants with a constant: the condition that chose, or its
/// opposite, or neither.
fn of_select(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a, b] = n.first();
    let chosen = |w: &Rewriter<'_>, v| w.is(v, Op::Select);
    let ([condition, yes, no, _], right) = match chosen(w, a) {
        Some(args) => (args, true),
        None => (chosen(w, b)?, false),
    };
    let other = w.splat_bits(if right { b } else { a })?;
    let (yes, no) = (w.splat_bits(yes)?, w.splat_bits(no)?);
    let (ty, width) = (w.ty(a), w.width(w.ty(a)));
    let is_float = w.module.types.is_float(ty);
    let test = |x: u64| {
        let (l, r) = if right { (x, other) } else { (other, x) };
        if is_float { float_test(n.op, l, r, width) } else { int_test(n.op, l, r, width) }
    };
    match (test(yes)?, test(no)?) {
        (true, true) => Some(w.bits(n.ty, 1)),
        (false, false) => Some(w.bits(n.ty, 0)),
        (yes, _) => {
            let condition =
                if w.ty(condition) == n.ty { condition } else { w.same(n, Op::Construct, &[condition]) };
            Some(if yes { condition } else { w.same(n, Op::Not, &[condition]) })
        }
    }
}

fn float_test(op: Op, a: u64, b: u64, width: u8) -> Option<bool> {
    let (a, b) = (float_value(a, width), float_value(b, width));
    Some(match op {
        Op::FEq => a == b,
        Op::FNe => a != b,
        Op::FLt => a < b,
        Op::FLe => a <= b,
        _ => return None,
    })
}

fn int_test(op: Op, a: u64, b: u64, width: u8) -> Option<bool> {
    let signed = |x: u64| (x << (64 - u32::from(width.max(1)))) as i64;
    Some(match op {
        Op::IEq => a == b,
        Op::INe => a != b,
        Op::ULt => a < b,
        Op::ULe => a <= b,
        Op::SLt => signed(a) < signed(b),
        Op::SLe => signed(a) <= signed(b),
        _ => return None,
    })
}

/// Of two negatives, of a negative and a constant, of an absolute and zero.
fn signs(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a, b] = n.first();
    let (x, y) = (w.is(a, Op::FNeg), w.is(b, Op::FNeg));
    let ty = w.ty(a);
    let like = n.with(n.op, &[], ty);
    let (p, q) = match (x, y) {
        (Some([x, ..]), Some([y, ..])) => (x, y),
        (Some([x, ..]), None) if w.floats(b).is_some() => (x, w.same(&like, Op::FNeg, &[b])),
        (None, Some([y, ..])) if w.floats(a).is_some() => (w.same(&like, Op::FNeg, &[a]), y),
        _ => return None,
    };
    Some(w.same(n, n.op, &[q, p]))
}

/// a - b against zero.
fn difference(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a, b] = n.first();
    let assume = w.assume(n);
    if !assume.finite() || !assume.approximate {
        return None;
    }
    let parts = |w: &Rewriter<'_>, v: Value| {
        let [p, q, ..] = w.loose(v, Op::FAdd)?;
        let of = |v| w.is(v, Op::FNeg).map(|[x, ..]| x);
        of(q).map(|y| (p, y)).or_else(|| of(p).map(|y| (q, y)))
    };
    if w.float(b) == Some(0.0) {
        let (x, y) = parts(w, a)?;
        return Some(w.same(n, n.op, &[x, y]));
    }
    if w.float(a) == Some(0.0) {
        let (x, y) = parts(w, b)?;
        return Some(w.same(n, n.op, &[y, x]));
    }
    None
}

pub(super) fn int(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a, b] = n.first();
    if w.module.types.is_bool(w.ty(a)) {
        return bools(w, n, a, b);
    }
    if let Some(truth) = known_int(w, n, a, b) {
        return Some(w.bits(n.ty, truth.into()));
    }
    of_select(w, n).or_else(|| sum(w, n, a, b))
}

/// The function whose address a number is, which every one has of its own, or none of 0.
fn address(w: &Rewriter<'_>, a: Value) -> Option<Option<FunctionRef>> {
    if w.int(a) == Some(0) {
        return Some(None);
    }
    let [pointer, ..] = w.is(a, Op::Bitcast)?;
    match w.module.constants.get(w.as_constant(pointer)?) {
        ConstantKind::Function(f) => Some(Some(*f)),
        _ => None,
    }
}

fn known_int(w: &Rewriter<'_>, n: &Node, a: Value, b: Value) -> Option<bool> {
    if let (Op::IEq | Op::INe, Some(one), Some(other)) = (n.op, address(w, a), address(w, b)) {
        return Some((one == other) == (n.op == Op::IEq));
    }
    let (x, y) = (w.int_range(a), w.int_range(b));
    let (below, above) = (x.high < y.low, x.low > y.high);
    let (at_most, at_least) = (x.high <= y.low, x.low >= y.high);
    // Unsigned order is the signed one among what is natural.
    let ordered = matches!(n.op, Op::SLt | Op::SLe) || x.is_natural() && y.is_natural();
    match n.op {
        Op::IEq | Op::ULe | Op::SLe if a == b => Some(true),
        Op::INe | Op::ULt | Op::SLt if a == b => Some(false),
        Op::IEq => (below || above).then_some(false),
        Op::INe => (below || above).then_some(true),
        Op::ULt if w.int(b) == Some(0) => Some(false),
        Op::ULe if w.int(a) == Some(0) => Some(true),
        _ if !ordered => None,
        Op::SLt | Op::ULt if below => Some(true),
        Op::SLt | Op::ULt => at_least.then_some(false),
        _ if at_most => Some(true),
        _ => above.then_some(false),
    }
}

/// x + c == d.
fn sum(w: &mut Rewriter<'_>, n: &Node, a: Value, b: Value) -> Option<Value> {
    if !matches!(n.op, Op::IEq | Op::INe) {
        return None;
    }
    let d = w.int(b)?;
    let [x, c, ..] = w.is(a, Op::IAdd)?;
    let (c, ty) = (w.int(c)?, w.ty(a));
    let mask = u64::MAX >> (64 - u32::from(w.width(ty).max(1)));
    let constant = w.bits(ty, d.wrapping_sub(c) & mask);
    Some(w.same(n, n.op, &[x, constant]))
}

/// Equality of bools.
fn bools(w: &mut Rewriter<'_>, n: &Node, a: Value, b: Value) -> Option<Value> {
    if a == b {
        return Some(w.bits(n.ty, u64::from(n.op == Op::IEq)));
    }
    let (x, truth) = match (w.truth(a), w.truth(b)) {
        (_, Some(truth)) => (a, truth),
        (Some(truth), _) => (b, truth),
        _ => return None,
    };
    let same = truth == (n.op == Op::IEq);
    Some(if same { x } else { w.same(n, Op::Not, &[x]) })
}
