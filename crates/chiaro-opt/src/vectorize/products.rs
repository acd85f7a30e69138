//! Recognises sums of products that are dot products.

use crate::rules::{Node, Rewriter};
use chiaro_ir::{Op, Value};

/// ((a.x * b.x + a.y * b.y) + a.z * b.z): the order in which a dot product adds.
pub(super) fn dot(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    if w.module.types.components(n.ty) != 1 {
        return None;
    }
    let [mut rest, last] = n.first();
    let mut products = vec![product(w, n, last)?];
    loop {
        if let Some(first) = product(w, n, rest) {
            products.push(first);
            break;
        }
        let [sum, next, ..] = w.parts(rest, Op::FAdd).and_then(|args| <[Value; 2]>::try_from(args).ok())?;
        if !w.used_once(rest) || w.flags(rest) != n.flags || products.len() > 3 {
            return None;
        }
        products.push(product(w, n, next)?);
        rest = sum;
    }
    products.reverse();
    let count = products.len();
    if !(3..=4).contains(&count) {
        return None;
    }
    let (left, right) = sides(w, &products)?;
    let ty = w.module.types.vector(n.ty, count as u8);
    let (a, b) = (w.emit(n, Op::Construct, &left, ty), w.emit(n, Op::Construct, &right, ty));
    Some(w.emit(n, Op::FDot, &[a, b], n.ty))
}

/// The factors of a product that is used here only and as exact as the sum.
fn product(w: &Rewriter<'_>, n: &Node, v: Value) -> Option<[Value; 2]> {
    let args = w.parts(v, Op::FMul)?;
    let factors = <[Value; 2]>::try_from(args).ok()?;
    (w.used_once(v) && w.flags(v) == n.flags).then_some(factors)
}

/// The factors in two lists, each of the components of one vector.
fn sides(w: &Rewriter<'_>, products: &[[Value; 2]]) -> Option<(Vec<Value>, Vec<Value>)> {
    let vector = |v: Value| match w.made_by(v) {
        Some((Op::Extract(_), [of, ..])) if w.components(of) > 1 => Some(of),
        _ => None,
    };
    let (a, b) = (vector(products[0][0])?, vector(products[0][1])?);
    let (mut left, mut right) = (Vec::with_capacity(4), Vec::with_capacity(4));
    for &[x, y] in products {
        let (p, q) = (vector(x)?, vector(y)?);
        if (p, q) == (a, b) {
            left.push(x);
            right.push(y);
        } else if (p, q) == (b, a) {
            left.push(y);
            right.push(x);
        } else {
            return None;
        }
    }
    Some((left, right))
}
