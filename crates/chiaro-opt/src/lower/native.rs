//! Operations that machines have and the IR has no name for, as natives of lowered IR.
//!
//! The table names the same micro-op that a target writes for its word, so that IR and words
//! cannot disagree.

use chiaro_ir::Op;
use chiaro_sim::Op as U;

/// A native operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Native {
    /// 1 / x, of a scalar.
    Rcp,
    /// 1 / sqrt(x), of a scalar.
    Rsq,
    /// 2 to the power of x, of a scalar.
    Ex2,
    /// Logarithm of x to base 2, of a scalar.
    Lg2,
    /// 1 where a < b, else 0; 0 for NaN. Component by component.
    Slt,
    /// 1 where a >= b, else 0; 0 for NaN. Component by component.
    Sge,
    /// Sine of radians between minus pi and pi, of a scalar.
    Sin,
    /// Cosine of the same.
    Cos,
}

impl Native {
    /// All, in the order of their numbers.
    pub const ALL: [Native; 8] = [
        Native::Rcp,
        Native::Rsq,
        Native::Ex2,
        Native::Lg2,
        Native::Slt,
        Native::Sge,
        Native::Sin,
        Native::Cos,
    ];

    /// The operation of a number.
    #[must_use]
    pub fn of(number: u16) -> Option<Native> {
        Native::ALL.get(usize::from(number)).copied()
    }

    /// The operation of the IR.
    #[must_use]
    pub const fn op(self) -> Op {
        Op::Native(self as u16)
    }

    /// Its name in listings of lowered IR.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Native::Rcp => "rcp",
            Native::Rsq => "rsq",
            Native::Ex2 => "ex2",
            Native::Lg2 => "lg2",
            Native::Slt => "slt",
            Native::Sge => "sge",
            Native::Sin => "sin",
            Native::Cos => "cos",
        }
    }

    /// How many operands it takes.
    #[must_use]
    pub const fn operands(self) -> usize {
        if matches!(self, Native::Slt | Native::Sge) { 2 } else { 1 }
    }

    /// Whether it exists for scalars only.
    #[must_use]
    pub const fn is_scalar(self) -> bool {
        self.operands() == 1
    }

    /// What computes it, and whether that is a truth that stands for 1.
    #[must_use]
    pub const fn meaning(self) -> (U, bool) {
        match self {
            Native::Rcp => (U::Frcp, false),
            Native::Rsq => (U::Frsq, false),
            Native::Ex2 => (U::Fexp2, false),
            Native::Lg2 => (U::Flog2, false),
            Native::Slt => (U::Flt, true),
            // a >= b is b <= a: the operands change places.
            Native::Sge => (U::Fle, true),
            Native::Sin => (U::FsinRadians, false),
            Native::Cos => (U::FcosRadians, false),
        }
    }

    /// The operands in the order of [`meaning`](Self::meaning).
    #[must_use]
    pub fn ordered<T: Copy>(self, [a, b]: [T; 2]) -> [T; 2] {
        if self == Native::Sge { [b, a] } else { [a, b] }
    }
}
