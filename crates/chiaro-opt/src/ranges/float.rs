//! Transfer functions for floats.

use super::Ranges;
use chiaro_ir::{Def, Function, Inst, Op, Types, Value};

/// What a float can be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FloatRange {
    /// Unless it is NaN, at least this.
    pub low: f64,
    /// Unless it is NaN, at most this.
    pub high: f64,
    /// Whether it can be NaN.
    pub nan: bool,
    /// Whether it can be a negative zero.
    pub negative_zero: bool,
    /// Whether it is a whole number or infinite, if it is a number.
    pub whole: bool,
}

impl FloatRange {
    /// Everything.
    pub const ANY: FloatRange = FloatRange {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        nan: true,
        negative_zero: true,
        whole: false,
    };

    /// Never below zero nor a negative zero; perhaps NaN.
    pub fn is_positive(self) -> bool {
        self.low >= 0.0 && !self.negative_zero
    }

    /// Neither NaN nor infinite.
    pub fn is_finite(self) -> bool {
        !self.nan && self.low.is_finite() && self.high.is_finite()
    }

    /// A number from `low` to `high`, never NaN; both are rounded outwards.
    pub fn between(low: f64, high: f64) -> FloatRange {
        FloatRange { low: down(low), high: up(high), nan: false, negative_zero: low <= 0.0, whole: false }
    }

    pub(super) fn number(x: f64) -> FloatRange {
        if x.is_nan() {
            return FloatRange { nan: true, ..FloatRange::between(0.0, 0.0) };
        }
        let negative_zero = x == 0.0 && x.is_sign_negative();
        FloatRange { negative_zero, whole: x == x.trunc(), ..FloatRange::between(x, x) }
    }

    pub(super) fn join(self, other: FloatRange) -> FloatRange {
        FloatRange {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            nan: self.nan || other.nan,
            negative_zero: self.negative_zero || other.negative_zero,
            whole: self.whole && other.whole,
        }
    }

    fn holds_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    fn is_infinite(self) -> bool {
        self.low == f64::NEG_INFINITY || self.high == f64::INFINITY
    }

    /// Between bounds that this one's function has whatever its operand, NaN where it is.
    fn within(self, low: f64, high: f64) -> FloatRange {
        FloatRange { nan: self.nan, ..FloatRange::between(low, high) }
    }

    fn never_negative_zero(self) -> FloatRange {
        FloatRange { negative_zero: false, ..self }
    }
}

/// The largest bound below a number: eight significant bits, magnitudes of half precision.
fn down(x: f64) -> f64 {
    const TINY: f64 = 6.103515625e-5;
    const LARGE: f64 = 32768.0;
    const LOST: u64 = (1 << 45) - 1;
    if x >= LARGE {
        return LARGE;
    } else if x < -LARGE {
        return f64::NEG_INFINITY;
    } else if x.abs() < TINY {
        return if x < 0.0 { -TINY } else { 0.0 };
    }
    let bits = x.to_bits();
    let cut = bits & !LOST;
    f64::from_bits(if x < 0.0 && bits & LOST != 0 { cut + LOST + 1 } else { cut })
}

/// The smallest bound above a number.
fn up(x: f64) -> f64 {
    -down(-x)
}

/// A bound of a function that is computed with an error.
fn margin(x: f64, way: f64) -> f64 {
    if x.is_finite() { x + way * x.abs() / 128.0 } else { x }
}

/// What the result of an instruction can be.
pub(super) fn result(ranges: &Ranges, types: &Types, f: &Function, inst: Inst, op: Op) -> FloatRange {
    let args = f.args(inst);
    let at = |i: usize| args.get(i).map_or(FloatRange::ANY, |&v| ranges.float(v));
    let same = args.len() > 1 && args[0] == args[1];
    match op {
        Op::FAdd => sum(at(0), at(1)),
        Op::FSub => sum(at(0), neg(at(1))),
        Op::FMul if same => square(at(0)),
        Op::FMul => product(at(0), at(1)),
        Op::FDiv => quotient(at(0), at(1)),
        Op::Fma if same => sum(square(at(0)), at(2)),
        Op::Fma => sum(product(at(0), at(1)), at(2)),
        Op::FDot => {
            let term = if same { square(at(0)) } else { product(at(0), at(1)) };
            (1..types.components(f.ty(args[0]))).fold(term, |all, _| sum(all, term))
        }
        Op::FNeg => neg(at(0)),
        Op::FAbs => abs(at(0)),
        Op::FMin => min(at(0), at(1)),
        Op::FMax => max(at(0), at(1)),
        Op::FClamp => min(max(at(0), at(1)), at(2)),
        Op::Select => chosen(ranges, f, args),
        Op::Construct | Op::Insert(_) | Op::InsertDyn => composite(ranges, types, f, args, op),
        Op::Extract(_) if types.is_float(f.ty(args[0])) => at(0),
        Op::ExtractDyn => at(0).join(FloatRange::number(0.0)),
        Op::Shuffle(parts) => shuffled(ranges, types, f, inst, parts),
        Op::SToF | Op::UToF => converted(ranges, types, f, args, op),
        // Rounding to another width keeps bounds and zeros.
        Op::FToF | Op::FQuantize16 => FloatRange { whole: false, ..at(0) },
        _ => function(op, at(0), at(1)),
    }
}

/// One of two, each by what the condition says of it: `select (flt %a, %b), %a, %b` is at most as large as
/// either, and never NaN if `%b` is not.
fn chosen(ranges: &Ranges, f: &Function, args: &[Value]) -> FloatRange {
    let [condition, yes, no] = [0, 1, 2].map(|n| args[n]);
    let (mut first, mut second) = (ranges.float(yes), ranges.float(no));
    let Def::Result(inst, _) = f.def(condition) else { return first.join(second) };
    let (Op::FLt | Op::FLe, &[less, more]) = (f.op(inst), f.args(inst)) else { return first.join(second) };
    let (low, high) = (ranges.float(less), ranges.float(more));
    if yes == more {
        first = FloatRange { low: first.low.max(low.low), nan: false, ..first };
    }
    if yes == less {
        first = FloatRange { high: first.high.min(high.high), nan: false, ..first };
    }
    // Where it does not hold, either can be NaN.
    let are_numbers = !low.nan && !high.nan;
    if no == less && are_numbers {
        second.low = second.low.max(high.low);
    }
    if no == more && are_numbers {
        second.high = second.high.min(low.high);
    }
    first.join(second)
}

fn sum(a: FloatRange, b: FloatRange) -> FloatRange {
    let opposite = |a: FloatRange, b: FloatRange| a.high == f64::INFINITY && b.low == f64::NEG_INFINITY;
    let (low, high) = (number(a.low + b.low, -1.0), number(a.high + b.high, 1.0));
    FloatRange {
        nan: a.nan || b.nan || opposite(a, b) || opposite(b, a),
        // A sum that vanishes is a positive zero; one that is flushed has the sign it had.
        negative_zero: a.negative_zero && b.negative_zero || low < 0.0,
        whole: a.whole && b.whole,
        ..FloatRange::between(low, high)
    }
}

/// A bound that could not be computed is none.
fn number(x: f64, way: f64) -> f64 {
    if x.is_nan() { way * f64::INFINITY } else { x }
}

fn product(a: FloatRange, b: FloatRange) -> FloatRange {
    let corner = |x: f64, y: f64| if x == 0.0 || y == 0.0 { 0.0 } else { x * y };
    let corners =
        [corner(a.low, b.low), corner(a.low, b.high), corner(a.high, b.low), corner(a.high, b.high)];
    let unknown = a.holds_zero() && b.is_infinite() || b.holds_zero() && a.is_infinite();
    FloatRange {
        nan: a.nan || b.nan || unknown,
        negative_zero: !(a.is_positive() && b.is_positive()),
        whole: a.whole && b.whole,
        ..FloatRange::between(
            corners.into_iter().fold(f64::INFINITY, f64::min),
            corners.into_iter().fold(f64::NEG_INFINITY, f64::max),
        )
    }
}

fn square(a: FloatRange) -> FloatRange {
    let a = FloatRange { nan: a.nan, ..abs(a) };
    // Zero times infinity needs two numbers.
    FloatRange { nan: a.nan, negative_zero: false, ..product(a, a) }
}

fn quotient(a: FloatRange, b: FloatRange) -> FloatRange {
    let nan = a.nan || b.nan || a.holds_zero() && b.holds_zero() || a.is_infinite() && b.is_infinite();
    if a.is_positive() && b.is_positive() {
        let bound = |x: f64, y: f64, none: f64| if y == 0.0 || x.is_infinite() { none } else { x / y };
        let (low, high) =
            (margin(bound(a.low, b.high, 0.0), -1.0), margin(bound(a.high, b.low, f64::INFINITY), 1.0));
        return FloatRange { nan, negative_zero: false, ..FloatRange::between(low, high) };
    }
    FloatRange { nan, ..FloatRange::ANY }
}

fn neg(a: FloatRange) -> FloatRange {
    // Which of the zeros it was is not kept; a number above zero is none.
    FloatRange { low: -a.high, high: -a.low, negative_zero: a.holds_zero(), ..a }
}

fn abs(a: FloatRange) -> FloatRange {
    let low = if a.holds_zero() { 0.0 } else { a.low.abs().min(a.high.abs()) };
    FloatRange { low, high: a.low.abs().max(a.high.abs()), negative_zero: false, ..a }
}

/// The other one if exactly one is NaN.
fn min(a: FloatRange, b: FloatRange) -> FloatRange {
    let both = FloatRange { low: a.low.min(b.low), high: a.high.min(b.high), ..a.join(b) };
    or_other(both, a, b)
}

fn max(a: FloatRange, b: FloatRange) -> FloatRange {
    let both = FloatRange { low: a.low.max(b.low), high: a.high.max(b.high), ..a.join(b) };
    or_other(both, a, b)
}

fn or_other(both: FloatRange, a: FloatRange, b: FloatRange) -> FloatRange {
    let all = if a.nan { both.join(b) } else { both };
    let all = if b.nan { all.join(a) } else { all };
    FloatRange { nan: a.nan && b.nan, ..all }
}

fn composite(ranges: &Ranges, types: &Types, f: &Function, args: &[Value], op: Op) -> FloatRange {
    let count = if op == Op::InsertDyn { 2 } else { args.len() };
    let parts = args.iter().take(count);
    if parts.clone().any(|&v| !types.is_float(f.ty(v))) {
        return FloatRange::ANY;
    }
    parts.map(|&v| ranges.float(v)).reduce(FloatRange::join).unwrap_or(FloatRange::ANY)
}

fn shuffled(ranges: &Ranges, types: &Types, f: &Function, inst: Inst, parts: [u8; 4]) -> FloatRange {
    let (Some(result), &[a, b]) = (f.result_of(inst), f.args(inst)) else { return FloatRange::ANY };
    let split = types.components(f.ty(a));
    let used = parts.into_iter().take(usize::from(types.components(f.ty(result))));
    let part = |part| match part {
        255 => FloatRange::ANY,
        part if part < split => ranges.float(a),
        _ => ranges.float(b),
    };
    used.map(part).reduce(FloatRange::join).unwrap_or(FloatRange::ANY)
}

fn converted(ranges: &Ranges, types: &Types, f: &Function, args: &[Value], op: Op) -> FloatRange {
    let width = types.bits(f.ty(args[0])).unwrap_or(64);
    let int = ranges.int(args[0], width);
    let (low, high) = match op {
        Op::UToF if int.low < 0 => (0.0, f64::INFINITY),
        _ => (int.low as f64, int.high as f64),
    };
    FloatRange { whole: true, negative_zero: false, ..FloatRange::between(low, high) }
}

/// Functions of one operand, and powers.
fn function(op: Op, a: FloatRange, b: FloatRange) -> FloatRange {
    let nan_below = |limit: f64| a.nan || a.low < limit;
    match op {
        Op::FFloor => rounded(a, f64::floor, a.negative_zero),
        Op::FCeil => rounded(a, f64::ceil, a.negative_zero || a.low < 0.0),
        Op::FTrunc => rounded(a, f64::trunc, a.negative_zero || a.low < 0.0),
        Op::FRoundEven => rounded(a, f64::round_ties_even, a.negative_zero || a.low < 0.0),
        // Just below zero it rounds to one.
        Op::FFract => FloatRange { nan: a.nan || a.is_infinite(), ..unit() },
        Op::FSign => FloatRange { whole: true, ..FloatRange::between(-1.0, 1.0) },
        Op::FSqrt => FloatRange {
            nan: nan_below(0.0),
            negative_zero: a.negative_zero,
            ..FloatRange::between(margin(a.low.max(0.0).sqrt(), -1.0), margin(a.high.max(0.0).sqrt(), 1.0))
        },
        Op::FRsqrt if a.is_positive() => {
            let bound = |x: f64| if x == 0.0 { f64::INFINITY } else { 1.0 / x.sqrt() };
            let (low, high) = (margin(bound(a.high), -1.0), margin(bound(a.low), 1.0));
            FloatRange { nan: a.nan, ..FloatRange::between(low, high).never_negative_zero() }
        }
        Op::FExp | Op::FExp2 => {
            let power = |x: f64| if op == Op::FExp { x.exp() } else { x.exp2() };
            a.within(margin(power(a.low), -1.0), margin(power(a.high), 1.0)).never_negative_zero()
        }
        Op::FPow if a.is_positive() => {
            FloatRange { nan: a.nan || b.nan, ..FloatRange::between(0.0, f64::INFINITY) }
                .never_negative_zero()
        }
        Op::FSin | Op::FCos => FloatRange { nan: a.nan || a.is_infinite(), ..a.within(-1.0, 1.0) },
        Op::FTanh => a.within(-1.0, 1.0),
        Op::FAtan => a.within(-1.6, 1.6),
        Op::FAsin => FloatRange { nan: true, ..a.within(-1.6, 1.6) },
        Op::FAcos => FloatRange { nan: true, ..a.within(0.0, 3.2) },
        Op::FAtan2 => FloatRange { nan: a.nan || b.nan, ..a.within(-3.2, 3.2) },
        Op::FCosh => a.within(0.99, f64::INFINITY),
        Op::FFrexpFraction => FloatRange { nan: true, ..FloatRange::ANY },
        _ => FloatRange::ANY,
    }
}

fn unit() -> FloatRange {
    FloatRange::between(0.0, 1.0).never_negative_zero()
}

fn rounded(a: FloatRange, round: fn(f64) -> f64, negative_zero: bool) -> FloatRange {
    let (low, high) = (round(a.low), round(a.high));
    FloatRange { nan: a.nan, negative_zero, whole: true, ..FloatRange::between(low, high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_rounded_outwards_to_what_every_format_holds() {
        assert_eq!((down(0.1), up(0.1)), (0.099609375, 0.10009765625));
        assert_eq!((down(-0.1), up(-0.1)), (-0.10009765625, -0.099609375));
        assert_eq!((down(1e9), up(1e9)), (32768.0, f64::INFINITY));
        assert_eq!((down(-1e-9), up(-1e-9)), (-6.103515625e-5, 0.0));
        assert_eq!((down(f64::NEG_INFINITY), up(f64::INFINITY)), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!((down(3.0), up(3.0)), (3.0, 3.0));
    }
}
