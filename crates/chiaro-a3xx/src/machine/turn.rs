//! One repetition of an instruction: what it reads, computes and writes.

use std::ops::Range;

use chiaro_sim::Slot;

use super::places::Form;
use crate::check::effect::Place;

/// One repetition of an instruction.
#[derive(Clone, Debug, Default)]
pub(super) struct Turn {
    /// Registers to read into operand slots, in timed mode.
    pub(super) reads: Vec<Read>,
    /// Operands whose place is known only at run time.
    pub(super) gathers: Vec<Gather>,
    pub(super) uops: Range<usize>,
    /// A result whose place is known only at run time.
    pub(super) scatter: Option<Scatter>,
    /// Registers to write from result slots, in timed mode.
    pub(super) writes: Vec<(Slot, Place)>,
}

/// A register that is read, and how old an ALU result there must be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub(super) place: Place,
    pub(super) needed: u16,
    pub(super) to: Slot,
}

/// An operand whose place is known only at run time: a0.x plus an offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gather {
    pub(super) from: From,
    pub(super) offset: i32,
    /// What is added to the offset: a0.x, or the register with a varying's location.
    pub(super) index: Slot,
    pub(super) to: Slot,
}

/// What a [`Gather`] reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum From {
    Constants(Form),
    Registers { half: bool },
    Varyings,
}

/// A result whose place is known only at run time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scatter {
    pub(super) half: bool,
    pub(super) offset: i32,
    pub(super) index: Slot,
    pub(super) from: Slot,
}
