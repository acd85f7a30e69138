//! Rules for rounding and elementary functions.

use crate::rules::{Node, Rewriter};
use chiaro_ir::{Op, Value};
use std::f64::consts::{LN_2, LOG2_E};

/// Whole numbers are rounded to themselves.
pub(super) fn rounded(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a] = n.first();
    let range = w.float_range(a);
    match n.op {
        Op::FFract if range.whole && range.is_finite() => Some(w.number(n.ty, 0.0)),
        Op::FFract => None,
        _ => range.whole.then_some(a),
    }
}

pub(super) fn ldexp(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a, b] = n.first();
    let power = w.int(b)? as u32 as i32;
    if !(-14..=15).contains(&power) {
        return None;
    }
    let factor = w.number(n.ty, 2f64.powi(power));
    Some(w.same(n, Op::FMul, &[a, factor]))
}

pub(super) fn pow(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [x, y] = n.first();
    match w.float(y) {
        Some(0.0) => return Some(w.number(n.ty, 1.0)),
        Some(1.0) => return Some(x),
        _ if !w.assume(n).approximate => return None,
        _ => {}
    }
    if let Some(power) = w.float(y) {
        return constant_power(w, n, x, power);
    }
    // c^y is a power of two.
    let base = w.float(x).filter(|&c| c > 0.0)?;
    let exponent = scaled(w, n, y, base.log2());
    Some(w.same(n, Op::FExp2, &[exponent]))
}

fn constant_power(w: &mut Rewriter<'_>, n: &Node, x: Value, power: f64) -> Option<Value> {
    let op = if power == 0.5 {
        Op::FSqrt
    } else if power == -0.5 {
        Op::FRsqrt
    } else if power == -1.0 {
        let one = w.number(n.ty, 1.0);
        return Some(w.same(n, Op::FDiv, &[one, x]));
    } else {
        return product(w, n, x, power);
    };
    Some(w.same(n, op, &[x]))
}

/// Powers that take at most three products.
fn product(w: &mut Rewriter<'_>, n: &Node, x: Value, power: f64) -> Option<Value> {
    if ![2.0, 3.0, 4.0, 5.0, 6.0, 8.0].contains(&power) {
        return None;
    }
    let (mut result, mut square, mut left) = (None, x, power as u32);
    while left > 0 {
        if left & 1 == 1 {
            result = Some(match result {
                Some(so_far) => w.same(n, Op::FMul, &[so_far, square]),
                None => square,
            });
        }
        left >>= 1;
        if left > 0 {
            square = w.same(n, Op::FMul, &[square, square]);
        }
    }
    result
}

fn scaled(w: &mut Rewriter<'_>, n: &Node, x: Value, factor: f64) -> Value {
    let factor = w.number(n.ty, factor);
    w.same(n, Op::FMul, &[x, factor])
}

pub(super) fn unary(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a] = n.first();
    let assume = w.assume(n);
    match n.op {
        Op::FCos => {
            let [x, ..] = w.is(a, Op::FNeg).or(w.is(a, Op::FAbs))?;
            Some(w.same(n, Op::FCos, &[x]))
        }
        Op::FSin => {
            let [x, ..] = w.is(a, Op::FNeg)?;
            let sine = w.same(n, Op::FSin, &[x]);
            Some(w.same(n, Op::FNeg, &[sine]))
        }
        _ if !assume.approximate => None,
        Op::FExp => {
            let scaled = scaled(w, n, a, LOG2_E);
            Some(w.same(n, Op::FExp2, &[scaled]))
        }
        Op::FLog => {
            let log = w.same(n, Op::FLog2, &[a]);
            Some(scaled(w, n, log, LN_2))
        }
        Op::FExp2 if assume.no_nans => Some(w.loose(a, Op::FLog2)?[0]),
        Op::FLog2 => Some(w.loose(a, Op::FExp2)?[0]),
        Op::FSqrt => {
            let [x, y, ..] = w.loose(a, Op::FMul)?;
            (x == y).then(|| w.same(n, Op::FAbs, &[x]))
        }
        _ => None,
    }
}
