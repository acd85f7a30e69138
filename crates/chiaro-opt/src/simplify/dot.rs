//! Rules for dot products.

use super::splat::repeated;
use crate::rules::{Node, Rewriter};
use chiaro_ir::{Op, Value};

pub(super) fn dot(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a, b] = n.first();
    if let (Some([x, ..]), Some([y, ..])) = (w.is(a, Op::FNeg), w.is(b, Op::FNeg)) {
        return Some(w.same(n, Op::FDot, &[x, y]));
    }
    let assume = w.assume(n);
    if assume.finite()
        && assume.no_signed_zeros
        && let Some(found) = zeros(w, n, a, b).or_else(|| zeros(w, n, b, a))
    {
        return Some(found);
    }
    if assume.reassociate
        && let Some(found) = factor(w, n, a, b).or_else(|| factor(w, n, b, a))
    {
        return Some(found);
    }
    if assume.no_signed_zeros { turned(w, n, a, b).or_else(|| turned(w, n, b, a)) } else { None }
}

/// Components that are zero add nothing. A component that is one stays: targets have dot products
/// with an implied one.
fn zeros(w: &mut Rewriter<'_>, n: &Node, a: Value, b: Value) -> Option<Value> {
    let count = w.components(b);
    let used: Vec<u8> = (0..count).filter(|&i| component(w, b, i) != Some(0.0)).collect();
    if used.len() == usize::from(count) {
        return None;
    }
    match used[..] {
        [] => Some(w.number(n.ty, 0.0)),
        [i] => {
            let (x, y) = (part(w, n, a, &[i]), part(w, n, b, &[i]));
            Some(w.same(n, Op::FMul, &[x, y]))
        }
        _ => {
            let (x, y) = (part(w, n, a, &used), part(w, n, b, &used));
            Some(w.same(n, Op::FDot, &[x, y]))
        }
    }
}

/// Component `i` if it is constant, in a constant or a composite.
fn component(w: &Rewriter<'_>, v: Value, i: u8) -> Option<f64> {
    if let Some(all) = w.floats(v) {
        return all.get(usize::from(i)).copied();
    }
    let mut at = 0;
    for &arg in w.parts(v, Op::Construct)? {
        if at == i && w.components(arg) == 1 {
            return w.float(arg);
        }
        at += w.components(arg);
    }
    None
}

/// Some components of a vector.
fn part(w: &mut Rewriter<'_>, n: &Node, v: Value, used: &[u8]) -> Value {
    let scalar = w.module.types.scalar(w.ty(v));
    if let &[i] = used {
        return w.emit(n, Op::Extract(u32::from(i)), &[v], scalar);
    }
    let mut parts = [255; 4];
    parts.iter_mut().zip(used).for_each(|(to, from)| *to = *from);
    let ty = w.module.types.vector(scalar, used.len() as u8);
    w.emit(n, Op::Shuffle(parts), &[v, v], ty)
}

/// A factor of all components of one side, out of the sum: v * s . b = (v . b) * s.
fn factor(w: &mut Rewriter<'_>, n: &Node, a: Value, b: Value) -> Option<Value> {
    if !w.used_once(a) || a == b {
        return None;
    }
    let [p, q, ..] = w.loose(a, Op::FMul)?;
    let of = |(v, splat)| repeated(w, splat).map(|s| (v, s));
    let (v, s) = of((p, q)).or_else(|| of((q, p)))?;
    let s = s.scalar(w, n);
    let sum = w.same(n, Op::FDot, &[v, b]);
    Some(w.same(n, Op::FMul, &[sum, s]))
}

/// A vector or its opposite, as a condition says: the sum or its opposite, `(c ? -v : v) . b = c ? -(v . b) : v . b`.
fn turned(w: &mut Rewriter<'_>, n: &Node, a: Value, b: Value) -> Option<Value> {
    let [condition, yes, no, ..] = w.is(a, Op::Select).filter(|_| w.used_once(a) && a != b)?;
    let is_opposite = |w: &Rewriter<'_>, p, q| w.is(p, Op::FNeg).is_some_and(|[x, ..]| x == q);
    let v = if is_opposite(w, yes, no) {
        no
    } else if is_opposite(w, no, yes) {
        yes
    } else {
        return None;
    };
    let condition = match w.components(condition) {
        1 => condition,
        _ => repeated(w, condition)?.scalar(w, n),
    };
    let sum = w.same(n, Op::FDot, &[v, b]);
    let minus = w.same(n, Op::FNeg, &[sum]);
    let [yes, no] = if v == no { [minus, sum] } else { [sum, minus] };
    Some(w.same(n, Op::Select, &[condition, yes, no]))
}
