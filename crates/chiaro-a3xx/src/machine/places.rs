//! Registers of a program: their names in messages, and the slots that hold them.

use std::fmt;

use chiaro_sim::Slot;

use crate::check::effect::Place;
use crate::regs::{P0, file};

/// Registers of a file that words can name and that are no special ones: r0 to r60.
pub(super) const REGISTERS: u16 = 61 * 4;

/// Where registers are among the slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) full: Slot,
    pub(super) half: Slot,
    pub(super) predicates: Slot,
    pub(super) address: Slot,
    /// Takes what is written to no register.
    pub(super) nowhere: Slot,
}

/// A register in a message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Register(pub(super) Place);

/// How a constant is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// Its 32 bits.
    Full,
    /// As a float, rounded to 16 bits.
    HalfFloat,
    /// Its low 16 bits. [unverified]
    HalfBits,
}

impl Layout {
    /// The slot of a register.
    pub(super) fn slot(&self, place: Place) -> Slot {
        match place {
            Place::Full(n) if n < REGISTERS => self.full.at(n),
            Place::Half(n) if n < REGISTERS => self.half.at(n),
            Place::Predicate(n) => self.predicates.at(n & 3),
            Place::Address => self.address,
            _ => self.nowhere,
        }
    }
}

impl Register {
    /// The register with its number in the file, for those that read values.
    pub(super) fn general(half: bool, number: u16) -> Place {
        if half { Place::Half(number) } else { Place::Full(number) }
    }
}

/// The number of a register as a place; `None` for those that are no register.
pub(super) fn place(r: chiaro_isa::Reg) -> Option<Place> {
    match r.file {
        file::GPR if r.index >= P0 + 4 => None,
        _ => Place::of(r),
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name())
    }
}
