//! How far a correct compilation may be from what the source means: the arbiter of checked
//! compilation (design section 7, c2).
//!
//! Every float is a binary64 with a bound of its error. Operands carry theirs through; each
//! operation adds what float24 and the [bounds](crate::legalize::bounds) of the functions
//! allow it.

use chiaro_ir::Op;
use chiaro_ir::interp::{Domain, Fuzzy, Inconclusive, Interval, Note, Precision};

use crate::float24::Float24;
use crate::legalize::bounds::Bound;

/// Floats with error intervals as wide as this machine makes them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// Carries errors through operations, and adds next to nothing of its own.
    exact: Interval,
}

/// Half the distance of float24's neighbours above 1.
const HALF_ULP: f64 = 1.0 / 131_072.0;
/// The smallest normal float24: what is below may be 0.
const TINY: f64 = 2.168_404_344_971_009e-19;
/// float24 ends here.
const HUGE: f64 = 1.8e19;
/// What has a square there.
const LARGEST_SQUARED: f64 = 4.2e9;

impl Default for Tolerance {
    fn default() -> Tolerance {
        let exact = Precision {
            bits: 53,
            basic: 0.0,
            sums: 0.0,
            quotient: 0.0,
            function: 0.0,
            angle: 0.0,
            tiny: 0.0,
        };
        Tolerance { exact: Interval { precision: exact } }
    }
}

impl Tolerance {
    /// What an operation adds: nothing, where float24 has its result.
    fn own(op: Op, result: f64, args: [f64; 3]) -> f64 {
        if is_exact(op) {
            return 0.0;
        }
        if let Some(bound) = Bound::of(op) {
            return bound.error(result, [args[0], args[1]]) + TINY;
        }
        let [a, b, c] = args;
        // A sum may be taken in another order, with what stands around it; what is exact in
        // any order stays so.
        let sum = |a: f64, b: f64| {
            let exact = is_round(a) && is_round(b) && is_round(result);
            let largest = a.abs().max(b.abs()).max(result.abs());
            if exact { 0.0 } else { 4.0 * largest * HALF_ULP + TINY }
        };
        let product = |a: f64, b: f64| {
            // A factor from 0 to 1 may weigh a mix, x (1 - t) + y t, which the compiler computes
            // as x + t (y - x); at the ends the other value is not seen here.
            let end = |t: f64| t == 0.0 || t == 1.0;
            let exact = is_round(a) && is_round(b) && is_round(a * b) && !end(a) && !end(b);
            let weighed = |x: f64, t: f64| if (0.0..=1.0).contains(&t) { x.abs() } else { 0.0 };
            let largest = (a * b).abs().max(weighed(a, b)).max(weighed(b, a));
            if exact { 0.0 } else { 2.0 * largest * HALF_ULP + TINY }
        };
        match op {
            Op::FAdd | Op::FSub => sum(a, b),
            Op::FMul => product(a, b),
            Op::Fma => product(a, b) + sum(a * b, c),
            Op::FFract => result.abs().max(if a < 0.0 { 1.0 } else { 0.0 }) * HALF_ULP,
            _ => 2.0 * result.abs() * HALF_ULP + TINY,
        }
    }
}

/// Whether sums of such numbers are exact, however many and in whatever order: few bits before
/// and behind the point.
fn is_round(x: f64) -> bool {
    x.abs() < 1024.0 && (x * 64.0).fract() == 0.0
}

fn f24(x: f64) -> f64 {
    let narrow = x as f32;
    if f64::from(narrow) == x { f64::from(Float24::NEAREST.rounded(narrow)) } else { f64::NAN }
}

/// Operations whose results need no rounding.
fn is_exact(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        FNeg | FAbs | FSign | FFloor | FCeil | FTrunc | FRoundEven | FMin | FMax | FClamp | FFrexpFraction
    )
}

impl Domain for Tolerance {
    type Scalar = Fuzzy;
    type Shadow = Fuzzy;

    fn bits(&self, s: Fuzzy) -> u64 {
        self.exact.bits(s)
    }
    fn of_bits(&self, bits: u64) -> Fuzzy {
        self.exact.of_bits(bits)
    }
    fn of_float(&self, bits: u64, width: u8) -> Fuzzy {
        let mut s = self.exact.of_float(bits, width);
        // Constants are rounded.
        if f24(s.value) != s.value && s.value.is_finite() {
            s.error += s.value.abs() * HALF_ULP + TINY;
        }
        s
    }
    fn value(&self, s: Fuzzy, width: u8) -> f64 {
        self.exact.value(s, width)
    }
    fn error(&self, s: Fuzzy) -> f64 {
        s.error
    }
    fn float_op(&self, op: Op, width: u8, args: [Fuzzy; 3], note: &mut Note) -> Fuzzy {
        let mut result = self.exact.float_op(op, width, args, note);
        if result.value.is_nan() || result.value.abs() >= HUGE {
            note.0 = note.0.or(Some(Inconclusive::NotFinite));
        }
        // No language says what a power of a negative number is, nor this machine.
        let [x, y] = [args[0].value, args[1].value];
        if op == Op::FPow && (x < 0.0 || x == 0.0 && y <= 0.0) {
            note.0 = note.0.or(Some(Inconclusive::NotFinite));
        }
        // Their squares are beyond the machine's largest number.
        if matches!(op, Op::FAsinh | Op::FAcosh) && x.abs() > LARGEST_SQUARED {
            note.0 = note.0.or(Some(Inconclusive::NotFinite));
        }
        result.error += Tolerance::own(op, result.value, args.map(|arg| arg.value));
        result
    }
    fn float_test(&self, op: Op, width: u8, a: Fuzzy, b: Fuzzy, note: &mut Note) -> bool {
        self.exact.float_test(op, width, a, b, note)
    }
    fn to_int(&self, s: Fuzzy, from: u8, to: u8, signed: bool, note: &mut Note) -> u64 {
        self.exact.to_int(s, from, to, signed, note)
    }
    fn of_int(&self, value: i128, width: u8) -> Fuzzy {
        self.exact.of_int(value, width)
    }
    fn resize(&self, s: Fuzzy, from: u8, to: u8) -> Fuzzy {
        self.exact.resize(s, from, to)
    }
    fn scale(&self, s: Fuzzy, width: u8, power: i32) -> Fuzzy {
        self.exact.scale(s, width, power)
    }
    fn shadow(&self, s: Fuzzy) -> Fuzzy {
        s
    }
    fn recall(&self, bits: u64, width: u8, shadow: Fuzzy) -> Fuzzy {
        self.exact.recall(bits, width, shadow)
    }
}
