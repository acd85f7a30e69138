//! Rules for conversions: there and back, and of what is constant either way.

use crate::rules::{Node, Rewriter};
use chiaro_ir::interp::float_bits;
use chiaro_ir::{Op, Value};

pub(super) fn convert(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    let [a] = n.first();
    if matches!(n.op, Op::Bitcast | Op::FToF | Op::SExt | Op::ZExt) && w.ty(a) == n.ty {
        return Some(a);
    }
    if matches!(n.op, Op::SToF | Op::UToF)
        && let Some(chosen) = of_select(w, n, a)
    {
        return Some(chosen);
    }
    let (op, [x, ..]) = w.made_by(a)?;
    match (n.op, op) {
        (Op::Bitcast, Op::Bitcast) => Some(w.emit(n, Op::Bitcast, &[x], n.ty)),
        // To a wider format and back is exact.
        (Op::FToF, Op::FToF) if w.width(w.ty(a)) > w.width(w.ty(x)) && w.ty(x) == n.ty => Some(x),
        (Op::FToS | Op::FToU, Op::FTrunc) => Some(w.emit(n, n.op, &[x], n.ty)),
        (Op::FToS, Op::SToF) if w.ty(x) == n.ty && is_exact(w, x, w.width(w.ty(a))) => Some(x),
        (Op::FToS | Op::FToU, Op::UToF) if w.ty(x) == n.ty && is_natural_exact(w, x, w.width(w.ty(a))) => {
            Some(x)
        }
        (Op::SToF, Op::FToS) if w.ty(x) == n.ty => truncated(w, n, x, w.width(w.ty(a))),
        _ => None,
    }
}

/// Whether a float of a width holds every value of an integer exactly.
fn is_exact(w: &Rewriter<'_>, x: Value, width: u8) -> bool {
    let most: i64 = if width == 16 { 1 << 11 } else { 1 << 24 };
    let range = w.int_range(x);
    range.low >= -most && range.high <= most
}

fn is_natural_exact(w: &Rewriter<'_>, x: Value, width: u8) -> bool {
    w.int_range(x).is_natural() && is_exact(w, x, width)
}

/// To an integer and back, of what an integer holds: rounded towards zero, whose sign is lost.
fn truncated(w: &mut Rewriter<'_>, n: &Node, x: Value, int: u8) -> Option<Value> {
    let (range, assume) = (w.float_range(x), w.assume(n));
    let fits = int >= 32 && range.low >= -32768.0 && range.high <= 32768.0 && (assume.no_nans || !range.nan);
    let sign = assume.no_signed_zeros || range.is_positive();
    (fits && sign).then(|| w.same(n, Op::FTrunc, &[x]))
}

/// One of two constants: one of two floats.
fn of_select(w: &mut Rewriter<'_>, n: &Node, a: Value) -> Option<Value> {
    let [condition, yes, no, _] = w.is(a, Op::Select)?;
    let (from, to) = (w.width(w.ty(a)), w.width(n.ty));
    let number = |bits: u64| {
        let unused = 64 - u32::from(from.clamp(1, 64));
        let x = if n.op == Op::SToF { ((bits << unused) as i64 >> unused) as f64 } else { bits as f64 };
        // A conversion through binary64 must not round twice.
        (x.abs() <= 9e15).then(|| float_bits(x, to))
    };
    let (yes, no) = (number(w.int(yes)?)?, number(w.int(no)?)?);
    let (yes, no) = (w.bits(n.ty, yes), w.bits(n.ty, no));
    Some(w.same(n, Op::Select, &[condition, yes, no]))
}
