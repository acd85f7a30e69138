//! What no public source says of arithmetic, and what is taken for it (spec section 21). It is looked at where
//! micro-ops are written, so that no lane pays for the choice.

use chiaro_sim::{FloatEnv, NanRule, Op, Slot};

use super::uops::Uops;

/// What is taken for arithmetic that nobody knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// Power of two by which v_div_fmas_f32 scales back: 32 by RDNA3's pseudo-code, 64 by LLVM and older text.
    pub fmas_by: u32,
    /// Whether SCC of s_max needs the first operand to be greater (old text) and not greater or equal (RDNA3).
    pub max_is_greater: bool,
    /// Whether v_rndne gives +0 for what it rounds to zero from below, and not -0 as IEEE 754 has it.
    pub rounds_to_positive: bool,
    /// Bits behind the point that transcendental functions give, 1 to 23, the rest being zero.
    pub estimate_bits: u32,
    /// Whether reciprocals and roots of doubles are exact, and not good to 2^-28 alone.
    pub exact_doubles: bool,
    /// Which NaN operations on words and half floats give.
    pub nans: Nans,
    /// How v_dot2_f32_f16 adds.
    pub dots: Dots,
}

/// Which NaN an operation gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Nans {
    /// What the engine gives: mostly the first operand that is one.
    #[default]
    Any,
    /// The first operand that is one, made quiet.
    First,
    /// The last operand that is one, made quiet.
    Last,
    /// The quiet NaN without sign and payload.
    Canonical,
}

/// How a product of two pairs of half floats is added.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dots {
    /// The second product first, each sum rounded.
    #[default]
    Second,
    /// The first product first, each sum rounded.
    First,
    /// In doubles, rounded to a word at the end.
    Once,
}

/// Bits behind the point of a word: nothing is cut.
const WHOLE: u32 = 23;

impl Default for Unknown {
    fn default() -> Unknown {
        Unknown {
            fmas_by: 32,
            max_is_greater: false,
            rounds_to_positive: false,
            estimate_bits: WHOLE,
            exact_doubles: false,
            nans: Nans::Any,
            dots: Dots::Second,
        }
    }
}

impl Unknown {
    /// Arithmetic with the chosen NaN.
    pub(super) fn env(self, env: FloatEnv) -> FloatEnv {
        let nan = match self.nans {
            Nans::Any => return env,
            Nans::First => NanRule::Propagate,
            Nans::Last => NanRule::PropagateLast,
            Nans::Canonical => NanRule::Canonical,
        };
        FloatEnv { nan, ..env }
    }
}

/// A result of a transcendental function with so many bits behind the point as are taken for known, of those
/// that its kind has. Infinity and quiet NaN stay.
pub(super) fn estimated(u: &mut Uops, exact: Slot, bits: u32) -> Slot {
    let cut = bits.saturating_sub(u.unknown.estimate_bits);
    if cut == 0 { exact } else { u.ti(Op::And, exact, u32::MAX << cut) }
}

/// A whole number that was rounded to even, of 16 or 32 bits by the bit of its sign: zero with the sign that is
/// taken for known.
pub(super) fn signed_zero(u: &mut Uops, whole: Slot, sign: u32) -> Slot {
    if !u.unknown.rounds_to_positive {
        return whole;
    }
    let size = u.ti(Op::And, whole, sign - 1);
    let is_zero = u.ti(Op::Eq, size, 0);
    u.t(Op::Select, &[is_zero, size, whole])
}

/// The same of a double.
pub(super) fn signed_zero_double(u: &mut Uops, whole: Slot) -> Slot {
    if !u.unknown.rounds_to_positive {
        return whole;
    }
    let (size, both) = (u.ti(Op::And, whole.at(1), u32::MAX >> 1), u.spare(2));
    let all = u.t(Op::Or, &[size, whole]);
    let is_zero = u.ti(Op::Eq, all, 0);
    u.op(Op::Mov, both, &[whole]);
    u.op(Op::Select, both.at(1), &[is_zero, size, whole.at(1)]);
    both
}
