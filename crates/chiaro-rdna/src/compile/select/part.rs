//! Scalars during selection.

use chiaro_mach::Value;

use crate::regs::mods;

/// A scalar of some type: a word, a pair of words, or a bool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Part {
    pub(super) from: From,
    /// [`mods::NEG`] and [`mods::ABS`], of a float: whoever reads it applies them.
    pub(super) signs: u16,
    pub(super) kind: Kind,
}

/// Where a scalar is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum From {
    /// In registers: a value, and the first unit of it.
    Value(Value, u16),
    /// A number.
    Number(u64),
    /// Anywhere: nobody cares for what it is.
    Undef,
}

/// What the registers of a scalar hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    /// A number of 32 bits.
    Word,
    /// A number of 8 or 16 bits; what is above it is undefined.
    Short,
    /// A number of 64 bits.
    Pair,
    /// A bool: a bit for each lane, undefined for those that do not run.
    Mask,
    /// A bool of the wave: 0 or 1.
    Truth,
}

impl Kind {
    /// The bit of a float's sign.
    pub(super) fn sign(self) -> u64 {
        match self {
            Kind::Short => 1 << 15,
            Kind::Pair => 1 << 63,
            _ => 1 << 31,
        }
    }

    /// Registers that it takes in waves of a size.
    pub(super) fn size(self, wave: u8) -> u16 {
        match self {
            Kind::Word | Kind::Short | Kind::Truth => 1,
            Kind::Pair => 2,
            Kind::Mask => u16::from(wave / 32),
        }
    }
}

impl Part {
    pub(super) const fn new(from: From, kind: Kind) -> Part {
        Part { from, signs: 0, kind }
    }

    pub(super) const fn word(value: Value) -> Part {
        Part::new(From::Value(value, 0), Kind::Word)
    }

    pub(super) const fn pair(value: Value) -> Part {
        Part::new(From::Value(value, 0), Kind::Pair)
    }

    pub(super) const fn number(bits: u32) -> Part {
        Part::new(From::Number(bits as u64), Kind::Word)
    }

    pub(super) const fn long(bits: u64) -> Part {
        Part::new(From::Number(bits), Kind::Pair)
    }

    pub(super) const fn truth(holds: bool) -> Part {
        Part::new(From::Number(holds as u64), Kind::Truth)
    }

    pub(super) const fn undef(kind: Kind) -> Part {
        Part::new(From::Undef, kind)
    }

    pub(super) const fn float(x: f32) -> Part {
        Part::number(x.to_bits())
    }

    /// The number, if it is one. Its signs are applied.
    pub(super) fn bits(self) -> Option<u64> {
        match self.from {
            From::Number(bits) => Some(bits),
            _ => None,
        }
    }

    /// Its sign turned.
    pub(super) fn negated(self) -> Part {
        let sign = self.kind.sign();
        match self.from {
            From::Number(bits) => Part { from: From::Number(bits ^ sign), ..self },
            _ => Part { signs: self.signs ^ mods::NEG, ..self },
        }
    }

    pub(super) fn absolute(self) -> Part {
        let sign = self.kind.sign();
        match self.from {
            From::Number(bits) => Part { from: From::Number(bits & !sign), ..self },
            _ => Part { signs: mods::ABS, ..self },
        }
    }

    /// One word of a pair.
    pub(super) fn half(self, n: u16) -> Part {
        let from = match self.from {
            From::Value(value, at) => From::Value(value, at + n),
            From::Number(bits) => From::Number(bits >> (32 * n) & 0xffff_ffff),
            From::Undef => From::Undef,
        };
        Part::new(from, Kind::Word)
    }
}
