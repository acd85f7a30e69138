//! Scalars during selection.

use chiaro_mach::Value;

use crate::regs::mods;

/// A scalar: where it is, and what whoever reads it still has to do to it.
///
/// Reading widens and turns signs for nothing where the machine's operands can (spec 3.3); where they cannot, the
/// scalar is brought into a register of its own first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Part {
    pub(super) from: From,
    /// Its size in halves.
    pub(super) size: u16,
    /// What makes it that size.
    pub(super) widened: Widened,
    /// [`mods::NEG`] and [`mods::ABS`], of a float.
    pub(super) signs: u16,
}

/// Where a scalar is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum From {
    /// In a register: the value, and the half of it that it begins at.
    Value(Value, u16),
    /// In uniforms: the first half.
    Uniform(u16),
    /// A number.
    Number(u64),
    /// Anything: nobody cares for what it is.
    Undef,
}

/// How 16 bits stand for 32.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Widened {
    /// They do not: the scalar is held in its own size.
    No,
    /// With zeros above.
    Zero,
    /// With the sign above.
    Sign,
    /// As the float of the same value.
    Float,
}

impl Part {
    pub(super) const fn new(from: From, size: u16) -> Part {
        Part { from, size, widened: Widened::No, signs: 0 }
    }

    pub(super) const fn undef(size: u16) -> Part {
        Part::new(From::Undef, size)
    }

    /// 32 bits.
    pub(super) const fn number(bits: u32) -> Part {
        Part::new(From::Number(bits as u64), 2)
    }

    /// 16 bits.
    pub(super) const fn half(bits: u16) -> Part {
        Part::new(From::Number(bits as u64), 1)
    }

    pub(super) const fn float(x: f32) -> Part {
        Part::number(x.to_bits())
    }

    pub(super) const fn bool(holds: bool) -> Part {
        Part::half(holds as u16)
    }

    /// Halves that it is held in.
    pub(super) fn held(self) -> u16 {
        if self.widened == Widened::No { self.size } else { 1 }
    }

    fn sign_bit(self) -> u64 {
        1 << (16 * self.size - 1)
    }

    /// The number, if it is one, with its signs applied.
    pub(super) fn bits(self) -> Option<u64> {
        let From::Number(bits) = self.from else { return None };
        let size = if self.signs & mods::ABS != 0 { bits & !self.sign_bit() } else { bits };
        Some(if self.signs & mods::NEG != 0 { size ^ self.sign_bit() } else { size })
    }

    pub(super) fn negated(self) -> Part {
        match self.bits() {
            Some(bits) => Part::new(From::Number(bits ^ self.sign_bit()), self.size),
            None => Part { signs: self.signs ^ mods::NEG, ..self },
        }
    }

    pub(super) fn absolute(self) -> Part {
        match self.bits() {
            Some(bits) => Part::new(From::Number(bits & !self.sign_bit()), self.size),
            None => Part { signs: mods::ABS, ..self },
        }
    }

    /// 16 bits that are read as 32.
    pub(super) fn wider(self, widened: Widened) -> Option<Part> {
        let plain =
            self.size == 1 && self.signs == 0 && matches!(self.from, From::Value(..) | From::Uniform(_));
        plain.then_some(Part { size: 2, widened, ..self })
    }

    /// Some of its halves, where they are by themselves.
    pub(super) fn halves(self, first: u16, size: u16) -> Option<Part> {
        if self.signs != 0 || self.widened != Widened::No {
            return None;
        }
        let from = match self.from {
            From::Value(value, at) => From::Value(value, at + first),
            From::Uniform(at) => From::Uniform(at + first),
            From::Number(bits) => From::Number(bits >> (16 * first) & (u64::MAX >> (64 - 16 * size))),
            From::Undef => From::Undef,
        };
        Some(Part::new(from, size))
    }
}

/// Where a register of so many halves begins: at a multiple of this.
pub(super) fn alignment(size: u16) -> u8 {
    if size == 1 { 1 } else { 2 }
}
