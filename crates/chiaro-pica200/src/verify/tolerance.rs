//! Error bounds of a correct compilation against its source: the arbiter of checked
//! compilation (design section 7, c2).
//!
//! Every float is a binary64 with a bound of its error. Operands carry theirs through; each
//! operation adds what float24 and the [bounds](crate::compile::legalize::bounds) of the functions
//! allow it.

use chiaro_ir::Op;
use chiaro_ir::interp::{Domain, Fuzzy, Interval, Note, Precision, Rounding};

use crate::compile::legalize::bounds::Bound;
use crate::compile::legalize::float24::Float24;

/// Floats with error intervals as wide as this machine makes them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// Carries errors through operations and knows what sums may cost; adds nothing else.
    carried: Interval,
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
        let precision = Precision {
            bits: 53,
            basic: 0.0,
            regrouped: Some(Rounding { bits: 17, ulps: 1.0 }),
            quotient: 0.0,
            function: 0.0,
            angle: 0.0,
            others: 4096.0,
            tiny: TINY,
        };
        Tolerance { carried: Interval { precision } }
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
        match op {
            // The interval has them, in whatever order.
            Op::FAdd | Op::FSub | Op::FMul | Op::Fma => 0.0,
            Op::FFract => result.abs().max(if args[0] < 0.0 { 1.0 } else { 0.0 }) * HALF_ULP,
            _ => 2.0 * result.abs() * HALF_ULP + TINY,
        }
    }
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
        self.carried.bits(s)
    }
    fn of_bits(&self, bits: u64) -> Fuzzy {
        self.carried.of_bits(bits)
    }
    fn of_float(&self, bits: u64, width: u8) -> Fuzzy {
        let mut s = self.carried.of_float(bits, width);
        // Constants are rounded.
        if f24(s.value) != s.value && s.value.is_finite() {
            s.error += s.value.abs() * HALF_ULP + TINY;
        }
        s
    }
    fn value(&self, s: Fuzzy, width: u8) -> f64 {
        self.carried.value(s, width)
    }
    fn error(&self, s: Fuzzy) -> f64 {
        s.error
    }
    fn float_op(&self, op: Op, width: u8, args: [Fuzzy; 3], note: &mut Note) -> Fuzzy {
        let mut result = self.carried.float_op(op, width, args, note);
        let is_beyond = result.value.is_nan() || result.value.abs() >= HUGE;
        // Their squares are beyond the machine's largest number.
        let squares = matches!(op, Op::FAsinh | Op::FAcosh) && args[0].value.abs() > LARGEST_SQUARED;
        let own = Tolerance::own(op, result.value, args.map(|arg| arg.value));
        result.error = if is_beyond || squares || own.is_nan() { f64::INFINITY } else { result.error + own };
        result
    }
    fn float_test(&self, op: Op, width: u8, a: Fuzzy, b: Fuzzy, note: &mut Note) -> bool {
        self.carried.float_test(op, width, a, b, note)
    }
    fn to_int(&self, s: Fuzzy, from: u8, to: u8, signed: bool, note: &mut Note) -> u64 {
        self.carried.to_int(s, from, to, signed, note)
    }
    fn of_int(&self, value: i128, width: u8) -> Fuzzy {
        self.carried.of_int(value, width)
    }
    fn resize(&self, s: Fuzzy, from: u8, to: u8) -> Fuzzy {
        self.carried.resize(s, from, to)
    }
    fn scale(&self, s: Fuzzy, width: u8, power: i32) -> Fuzzy {
        self.carried.scale(s, width, power)
    }
    fn shadow(&self, s: Fuzzy) -> Fuzzy {
        s
    }
    fn recall(&self, bits: u64, width: u8, shadow: Fuzzy) -> Fuzzy {
        // What nobody computed is a constant, wherever it stands. That has no error as yet; what may be anything has,
        // and may be NaN, which is not equal to itself.
        let recalled = self.carried.recall(bits, width, shadow);
        let is_kept = recalled.error.is_infinite() || recalled == shadow;
        if is_kept { recalled } else { self.of_float(bits, width) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A power of a negative number may be anything, also behind a variable that keeps it: were it exact, a clamp
    /// of it would have to be 0.
    #[test]
    fn nothing_is_known_of_nan_that_is_read_again() {
        let (tolerance, note) = (Tolerance::default(), &mut Note::default());
        let float = |x: f32| tolerance.of_float(x.to_bits().into(), 32);
        let power = tolerance.float_op(Op::FPow, 32, [float(-2.0), float(0.5), float(0.0)], note);
        assert!(power.value.is_nan());
        let again = tolerance.recall(tolerance.bits(power), 32, tolerance.shadow(power));
        let clamped = tolerance.float_op(Op::FClamp, 32, [again, float(0.0), float(1.0)], note);
        assert!(clamped.error.is_infinite(), "{clamped:?}");
    }

    /// What other bits lie over is a number of its own.
    #[test]
    fn what_is_written_over_is_a_constant() {
        let tolerance = Tolerance::default();
        let rounded = tolerance.of_float(0.1f32.to_bits().into(), 32);
        let again = tolerance.recall(0.5f32.to_bits().into(), 32, rounded);
        assert_eq!((again.value, again.error), (0.5, 0.0));
    }

    /// Sums and what is exact add nothing; a fraction is as good as what its number was, of which a negative one is taken
    /// from 1; what has no bound of its own is two units off.
    #[test]
    fn operations_add_what_they_round() {
        let own = |op, result, x| Tolerance::own(op, result, [x, 3.0, 5.0]);
        for op in [Op::FAdd, Op::FSub, Op::FMul, Op::Fma, Op::FNeg, Op::FMax] {
            assert_eq!(own(op, 8.0, 3.0), 0.0, "{op:?}");
        }
        let fractions = [(0.25, 1.25), (0.25, 0.0), (0.25, -0.75), (-0.25, 1.0)]
            .map(|(result, x)| own(Op::FFract, result, x));
        assert_eq!(fractions, [0.25, 0.25, 1.0, 0.25].map(|x| x * HALF_ULP));
        assert!(Bound::of(Op::FLdexp).is_none());
        assert_eq!(own(Op::FLdexp, -8.0, 3.0), 16.0 * HALF_ULP + TINY);
        assert_eq!(own(Op::FLdexp, 0.0, 3.0), TINY);
    }

    /// Functions that square their arguments say nothing of arguments whose squares the machine does not have.
    #[test]
    fn squares_beyond_the_largest_number_prove_nothing() {
        let domain = Tolerance::default();
        let is_bounded = |op, x: f32| {
            let x = domain.of_float(x.to_bits().into(), 32);
            domain.error(domain.float_op(op, 32, [x; 3], &mut Note::default())).is_finite()
        };
        for (op, x, bounded) in [
            (Op::FAsinh, 4.2e9, true),
            (Op::FAsinh, 4.3e9, false),
            (Op::FAsinh, -4.2e9, true),
            (Op::FAsinh, -4.3e9, false),
            (Op::FAcosh, 4.2e9, true),
            (Op::FAcosh, 4.3e9, false),
            (Op::FSqrt, 4.3e9, true),
            (Op::FMul, 4.2e9, true),
            (Op::FMul, 4.3e9, false),
        ] {
            assert_eq!(is_bounded(op, x), bounded, "{op:?} {x}");
        }
    }
}
