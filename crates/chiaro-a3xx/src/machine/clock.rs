//! The state of the timed way of running: the clock, the trace, and results on their way.

use chiaro_sim::{Changes, Lanes, Touched};

use super::places::Register;
use crate::check::effect::{Arrival, Place};

/// Cycles, and what they went into.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// All of them.
    pub cycles: u64,
    /// Of these, spent waiting for special functions and local memory.
    pub ss: u64,
    /// Of these, spent waiting for textures and memory.
    pub sy: u64,
    /// Of these, empty slots.
    pub nops: u64,
}

/// An instruction that a wave has executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Executed {
    /// Its number.
    pub at: u32,
    /// The cycle in which it was issued.
    pub cycle: u64,
    /// Lanes that took part.
    pub lanes: u32,
    /// Registers that were set from outside before it, with what they hold since.
    pub set: Vec<(String, Lanes)>,
    /// Registers that it read, with what they held.
    pub reads: Vec<(Register, Lanes)>,
    /// Registers that it wrote.
    pub writes: Vec<(Register, Lanes)>,
    /// Memory that it read and wrote.
    pub memory: Vec<Touched>,
}

/// What is to be set on the way of a batch.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The lane whose steps are counted, and which is set; without one those of all are, and changes say which.
    pub lane: Option<usize>,
    /// The changes.
    pub changes: Changes,
}

/// The state of the timed way of running.
#[derive(Clone, Debug, Default)]
pub(super) struct Timed {
    pub(super) clock: Clock,
    pub(super) trace: Option<Vec<Executed>>,
    /// Whether the instruction in progress is the last of the trace: none is once the trace is full.
    pub(super) is_kept: bool,
    /// Registers that are set on the way.
    pub(super) planned: Vec<Planned>,
    pub(super) at_barrier: bool,
    /// Results that are not in their registers yet, in the order of their issue.
    pub(super) pending: Vec<Pending>,
    /// Registers that a slow instruction may still read.
    pub(super) read: Vec<LateRead>,
    /// Issue slots so far.
    pub(super) slot: u64,
    pub(super) released: Released,
    pub(super) current: Option<Issued>,
}

/// What a program has given back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Released {
    pub(super) address: bool,
    pub(super) inputs: bool,
}

/// The instruction in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Issued {
    pub(super) arrival: Arrival,
    pub(super) late: bool,
    pub(super) ready: u64,
}

/// A register that a slow instruction may still read.
#[derive(Clone, Copy, Debug)]
pub(super) struct LateRead {
    pub(super) place: Place,
    pub(super) by: Arrival,
    pub(super) lanes: u32,
}

/// A result on its way.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) place: Place,
    pub(super) value: Lanes,
    pub(super) lanes: u32,
    pub(super) arrival: Arrival,
    /// The slot of its issue.
    pub(super) issued: u64,
    /// The cycle in which it is there, where a flag waits for it.
    pub(super) ready: u64,
}

impl Timed {
    /// The instruction in progress, if it is kept.
    pub(super) fn kept(&mut self) -> Option<&mut Executed> {
        self.trace.as_mut().filter(|_| self.is_kept)?.last_mut()
    }

    pub(super) fn restart(&mut self) {
        let trace = self.trace.take().map(|_| Vec::new());
        *self = Timed { trace, ..Timed::default() };
    }
}
