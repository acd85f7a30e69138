//! A program decoded for running.

use chiaro_sim::{Prepared, Slot};

use super::access::Access;
use super::config::{Config, Mode};
use super::fault::FaultKind;
use super::lookup::Lookup;
use super::places::{Form, Layout};
use super::turn::Turn;
use crate::check::effect::Arrival;
use crate::exec::Uops;

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
