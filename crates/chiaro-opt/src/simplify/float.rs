//! Rules for float sums, products, quotients and signs.

use crate::rules::{Node, Rewriter};
use chiaro_ir::{Op, Value};

/// Constants go to the right, so that rules find them there.
pub(super) fn constant_right(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a, b] = n.first();
    let swap = w.as_constant(a).is_some() && w.as_constant(b).is_none();
    swap.then(|| w.same(n, n.op, &[b, a]))
}

pub(super) fn sub(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a, b] = n.first();
    let negative = w.same(n, Op::FNeg, &[b]);
    Some(w.same(n, Op::FAdd, &[a, negative]))
}

pub(super) fn add(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a, b] = n.first();
    let assume = w.assume(n);
    if let Some(c) = w.float(b).filter(|&c| c == 0.0)
        && (c.is_sign_negative() || assume.no_signed_zeros || !w.float_range(a).negative_zero)
    {
        return Some(a);
    }
    if assume.finite() && (opposite(w, a, b) || opposite(w, b, a)) {
        return Some(w.number(n.ty, 0.0));
    }
    fract(w, n, a, b)
        .or_else(|| fract(w, n, b, a))
        .or_else(|| regroup(w, n, Op::FAdd))
        .or_else(|| lerp(w, n, a, b))
        .or_else(|| constant_right(w, n))
}

/// Whether one is the negative of the other.
fn opposite(w: &Rewriter<'_>, a: Value, b: Value) -> bool {
    w.is(a, Op::FNeg).is_some_and(|[x, ..]| x == b)
}

/// x - floor(x).
fn fract(w: &mut Rewriter<'_>, n: &Node, x: Value, b: Value) -> Option<Value> {
    let [floor, ..] = w.is(b, Op::FNeg)?;
    let [of, ..] = w.is(floor, Op::FFloor)?;
    (of == x).then(|| w.same(n, Op::FFract, &[x]))
}

/// (x op c) op d with constants c and d.
fn regroup(w: &mut Rewriter<'_>, n: &Node, op: Op) -> Option<Value> {
    let [a, b] = n.first();
    if !w.assume(n).reassociate {
        return None;
    }
    let [x, c, ..] = w.loose(a, op)?;
    let (c, d) = (w.floats(c)?, w.floats(b)?);
    let both = c.iter().zip(&d).map(|(c, d)| if op == Op::FAdd { c + d } else { c * d });
    let both: Vec<f64> = both.collect();
    // A constant that would leave the type's range says less than the two.
    let sound = both.iter().all(|x| x.abs() < 1e4 && (*x == 0.0 || x.abs() > 1e-4));
    if !sound {
        return None;
    }
    let constant = w.numbers(n.ty, &both);
    Some(w.same(n, op, &[x, constant]))
}

/// x * (1 - t) + y * t: a step from x towards y.
fn lerp(w: &mut Rewriter<'_>, n: &Node, a: Value, b: Value) -> Option<Value> {
    if !w.assume(n).reassociate {
        return None;
    }
    let (left, right) = (w.loose(a, Op::FMul)?, w.loose(b, Op::FMul)?);
    for (p, q) in [(left, right), (right, left)] {
        for (x, rest) in [(p[0], p[1]), (p[1], p[0])] {
            if w.is(rest, Op::FAdd).or(w.is(rest, Op::Construct)).is_none() {
                continue;
            }
            for (y, t) in [(q[0], q[1]), (q[1], q[0])] {
                if is_rest(w, rest, t) {
                    let minus = w.same(n, Op::FNeg, &[x]);
                    let way = w.same(n, Op::FAdd, &[y, minus]);
                    let step = w.same(n, Op::FMul, &[way, t]);
                    return Some(w.same(n, Op::FAdd, &[step, x]));
                }
            }
        }
    }
    None
}

/// Whether a value is 1 - t.
fn is_rest(w: &Rewriter<'_>, rest: Value, t: Value) -> bool {
    // Splats of both: look at what they repeat.
    if let (Some(&[rest]), Some(&[t])) = (w.parts(rest, Op::Construct), w.parts(t, Op::Construct)) {
        return is_rest(w, rest, t);
    }
    let Some([a, b, ..]) = w.loose(rest, Op::FAdd) else { return false };
    [(a, b), (b, a)]
        .into_iter()
        .any(|(minus, one)| w.float(one) == Some(1.0) && w.is(minus, Op::FNeg).is_some_and(|[x, ..]| x == t))
}

pub(super) fn mul(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a, b] = n.first();
    match w.float(b) {
        Some(1.0) => return Some(a),
        Some(-1.0) => return Some(w.same(n, Op::FNeg, &[a])),
        Some(0.0) => {
            if let Some(zero) = times_zero(w, n, a, b) {
                return Some(zero);
            }
        }
        _ => {}
    }
    if let (Some([x, ..]), Some([y, ..])) = (w.is(a, Op::FNeg), w.is(b, Op::FNeg)) {
        return Some(w.same(n, Op::FMul, &[x, y]));
    }
    if w.floats(b).is_some()
        && let Some([x, ..]) = w.is(a, Op::FNeg)
    {
        let constant = w.same(n, Op::FNeg, &[b]);
        return Some(w.same(n, Op::FMul, &[x, constant]));
    }
    regroup(w, n, Op::FMul).or_else(|| constant_right(w, n))
}

fn times_zero(w: &mut Rewriter<'_>, n: &Node, x: Value, zero: Value) -> Option<Value> {
    let (assume, range) = (w.assume(n), w.float_range(x));
    let number = assume.finite() || range.is_finite();
    let positive = assume.no_signed_zeros || range.is_positive() && w.float_range(zero).is_positive();
    (number && positive).then_some(zero)
}

pub(super) fn div(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a, b] = n.first();
    let assume = w.assume(n);
    match w.float(b) {
        Some(1.0) => return Some(a),
        Some(-1.0) => return Some(w.same(n, Op::FNeg, &[a])),
        _ => {}
    }
    if let Some(c) = w.floats(b)
        && c.iter().all(|&c| is_power(c) || assume.reciprocal && (1e-4..1e4).contains(&c.abs()))
    {
        let reciprocals: Vec<f64> = c.iter().map(|c| 1.0 / c).collect();
        let constant = w.numbers(n.ty, &reciprocals);
        return Some(w.same(n, Op::FMul, &[a, constant]));
    }
    if let (Some([x, ..]), Some([y, ..])) = (w.is(a, Op::FNeg), w.is(b, Op::FNeg)) {
        return Some(w.same(n, Op::FDiv, &[x, y]));
    }
    if assume.finite() && a == b {
        return Some(w.number(n.ty, 1.0));
    }
    if assume.approximate { div_by_function(w, n) } else { None }
}

/// Quotients by what has a reciprocal of its own.
fn div_by_function(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a, b] = n.first();
    // A vector divided by a splat, as a product with one.
    let inner = match w.parts(b, Op::Construct) {
        Some(&[scalar]) => scalar,
        _ => b,
    };
    if let Some(quotient) = div_by_scaled(w, n, inner) {
        return Some(quotient);
    }
    let ty = w.ty(inner);
    let reciprocal = if let Some([y, ..]) = w.loose(inner, Op::FSqrt) {
        w.emit(n, Op::FRsqrt, &[y], ty)
    } else if let Some([y, ..]) = w.loose(inner, Op::FRsqrt) {
        w.emit(n, Op::FSqrt, &[y], ty)
    } else if let Some([y, ..]) = w.loose(inner, Op::FExp2) {
        let minus = w.emit(n, Op::FNeg, &[y], ty);
        w.emit(n, Op::FExp2, &[minus], ty)
    } else {
        return None;
    };
    let factor = if inner == b { reciprocal } else { w.same(n, Op::Construct, &[reciprocal]) };
    Some(w.same(n, Op::FMul, &[factor, a]))
}

/// `a / (sqrt(y) * c)` is `a * (1 / c) / sqrt(y)`: what has a reciprocal of its own loses its factor.
fn div_by_scaled(w: &mut Rewriter<'_>, n: &Node, by: Value) -> Option<Value> {
    let [x, c, ..] = w.loose(by, Op::FMul)?;
    let sound = w.float(c).filter(|c| (1e-4..1e4).contains(&c.abs()) && w.assume(n).reassociate)?;
    let (function, _) = w.made_by(x)?;
    if !matches!(function, Op::FSqrt | Op::FRsqrt | Op::FExp2) {
        return None;
    }
    let [a, b] = n.first();
    let factor = w.number(n.ty, 1.0 / sound);
    let scaled = w.same(n, Op::FMul, &[a, factor]);
    let by = if by == b { x } else { w.same(n, Op::Construct, &[x]) };
    Some(w.same(n, Op::FDiv, &[scaled, by]))
}

/// A power of two whose reciprocal is a normal number in every format from half precision on.
fn is_power(c: f64) -> bool {
    c.to_bits() << 12 == 0 && (6.2e-5..=16384.0).contains(&c.abs())
}

pub(super) fn fma(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a, b, c] = n.first();
    let assume = w.assume(n);
    for (x, y) in [(a, b), (b, a)] {
        if w.float(y) == Some(1.0) {
            return Some(w.same(n, Op::FAdd, &[x, c]));
        }
        if w.float(y) == Some(0.0) && assume.finite() && assume.no_signed_zeros {
            return Some(c);
        }
    }
    if let Some(zero) = w.float(c).filter(|&c| c == 0.0)
        && (zero.is_sign_negative() || assume.no_signed_zeros)
    {
        return Some(w.same(n, Op::FMul, &[a, b]));
    }
    if let (Some([x, ..]), Some([y, ..])) = (w.is(a, Op::FNeg), w.is(b, Op::FNeg)) {
        return Some(w.same(n, Op::Fma, &[x, y, c]));
    }
    None
}

pub(super) fn neg(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a] = n.first();
    if let Some(c) = w.floats(a) {
        let negative: Vec<f64> = c.iter().map(|c| -c).collect();
        return Some(w.numbers(n.ty, &negative));
    }
    let (op, [x, y, ..]) = w.made_by(a)?;
    if op == Op::FNeg {
        return Some(x);
    }
    if !w.used_once(a) {
        return None;
    }
    let n = &n.over(w, a);
    match op {
        // The sign goes to an operand, where it costs nothing; best to a constant.
        Op::FMul => {
            let minus = w.same(n, Op::FNeg, &[y]);
            Some(w.same(n, Op::FMul, &[x, minus]))
        }
        Op::FDiv => {
            let minus = w.same(n, Op::FNeg, &[x]);
            Some(w.same(n, Op::FDiv, &[minus, y]))
        }
        Op::FAdd if w.assume(n).no_signed_zeros && w.is(x, Op::FNeg).or(w.is(y, Op::FNeg)).is_some() => {
            let (p, q) = (w.same(n, Op::FNeg, &[x]), w.same(n, Op::FNeg, &[y]));
            Some(w.same(n, Op::FAdd, &[p, q]))
        }
        _ => None,
    }
}

pub(super) fn abs(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a] = n.first();
    let range = w.float_range(a);
    if range.is_positive() || range.low >= 0.0 && w.assume(n).no_signed_zeros {
        return Some(a);
    }
    let [x, ..] = w.is(a, Op::FNeg)?;
    Some(w.same(n, Op::FAbs, &[x]))
}
