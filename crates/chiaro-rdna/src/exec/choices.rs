//! What no public source says of arithmetic, and what is taken for it (spec section 21). It is looked at where
//! micro-ops are written, so that no lane pays for the choice.

use chiaro_sim::{FloatEnv, NanRule};

/// What is taken for arithmetic that nobody knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choices {
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
pub(crate) const WHOLE: u32 = 23;

impl Default for Choices {
    fn default() -> Choices {
        Choices {
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

impl Choices {
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
