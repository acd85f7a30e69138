//! Scalars during selection.

use chiaro_mach::Value;

use crate::regs::mods;

/// A scalar, with signs that whoever reads it as a float applies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Part {
    pub(super) from: From,
    /// [`mods::NEG`] and [`mods::ABS`], of a float.
    pub(super) signs: u16,
}

/// Where a scalar is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum From {
    /// In a register.
    Value(Value),
    /// In the constant file.
    Constant(u16),
    /// A number.
    Number(u32),
    /// Anywhere: nobody cares for what it is.
    Undef,
}

/// The sign of a float.
pub(super) const SIGN: u32 = 1 << 31;

impl Part {
    pub(super) const fn new(from: From) -> Part {
        Part { from, signs: 0 }
    }

    pub(super) const fn number(bits: u32) -> Part {
        Part::new(From::Number(bits))
    }

    pub(super) const fn float(x: f32) -> Part {
        Part::number(x.to_bits())
    }

    /// The number, if it is one, with its signs applied.
    pub(super) fn bits(self) -> Option<u32> {
        let From::Number(bits) = self.from else { return None };
        let size = if self.signs & mods::ABS != 0 { bits & !SIGN } else { bits };
        Some(if self.signs & mods::NEG != 0 { size ^ SIGN } else { size })
    }

    pub(super) fn negated(self) -> Part {
        match self.bits() {
            Some(bits) => Part::number(bits ^ SIGN),
            None => Part { signs: self.signs ^ mods::NEG, ..self },
        }
    }

    pub(super) fn absolute(self) -> Part {
        match self.bits() {
            Some(bits) => Part::number(bits & !SIGN),
            None => Part { signs: mods::ABS, ..self },
        }
    }
}
