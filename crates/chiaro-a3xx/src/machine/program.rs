//! A program decoded for running.

use std::fmt;
use std::ops::Range;

use chiaro_sim::{Prepared, Slot};

use super::config::{Config, Mode};
use super::{Access, FaultKind, Lookup};
use crate::check::effect::{Arrival, Place};
use crate::exec::Uops;
use crate::regs::{P0, file};

/// Registers of a file that words can name and that are no special ones: r0 to r60.
pub(super) const REGISTERS: u16 = 61 * 4;

/// A program, decoded once and run as often as wanted.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) steps: Vec<Step>,
    pub(super) uops: Uops,
    pub(super) prepared: Option<Prepared>,
    pub(super) layout: Layout,
    /// Constants that the program names, with the slots that hold them.
    pub(super) constants: Vec<(u16, Form, Slot)>,
    /// Varying scalars that the program names, with their first slots: value and two slopes.
    pub(super) varyings: Vec<(u16, Slot)>,
    /// For each step the end of the straight run that begins there: a step that is more than
    /// micro-ops, or one at which lanes may join.
    pub(super) straight: Vec<u32>,
    /// Instructions with their repetitions before each step.
    pub(super) issued: Vec<u64>,
    pub(super) config: Config,
}

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

/// An instruction ready to run.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Repetitions; one that does all of them where nothing has to look in between.
    pub(super) issues: Vec<Turn>,
    pub(super) action: Action,
    pub(super) flags: Flags,
    pub(super) arrival: Arrival,
    /// Sources are read late.
    pub(super) late: bool,
    /// Issue slots.
    pub(super) slots: u16,
    /// Cycles until the result is there, where a flag waits for it.
    pub(super) latency: u32,
}

/// What the flags of a word say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Flags {
    pub(super) ss: bool,
    pub(super) sy: bool,
    pub(super) jp: bool,
    pub(super) ul: bool,
    pub(super) ei: bool,
    pub(super) address: bool,
    pub(super) varying: bool,
}

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

/// What an instruction does beside its micro-ops.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Next,
    Branch { target: i64, test: Slot, inverted: bool },
    Jump(i64),
    Call(i64),
    Return,
    Kill { test: Slot, inverted: bool },
    End,
    Barrier,
    Texture(Box<Lookup>),
    Memory(Box<Access>),
    Unknown(FaultKind),
}

impl Program {
    /// How the program runs.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    pub(super) fn is_timed(&self) -> bool {
        self.config.mode == Mode::Timed
    }

    /// How many instructions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
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
