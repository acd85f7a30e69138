//! A result on its way: done when it was issued, seen when its slot has been waited for; a call on its way.

use chiaro_isa::Reg;
use chiaro_sim::Lanes;

use crate::regs::halves::Halves;

/// A result that is still to be written.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) slot: u8,
    /// Lanes that are written.
    pub(super) lanes: u32,
    /// Registers, and the value of each.
    pub(super) run: Reg,
    pub(super) values: Vec<Lanes>,
    pub(super) halves: Halves,
    /// Nothing comes: a store may still read the registers.
    pub(super) is_source: bool,
}

/// A call that is not done with all its places.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The place behind it, in bytes from the start of the code.
    pub(super) behind: u32,
    pub(super) targets: Lanes,
    pub(super) counters: Lanes,
    /// Lanes that called, those of them that still wait, and those that were awake before.
    pub(super) lanes: u32,
    pub(super) waiting: u32,
    pub(super) awake: u32,
}

impl Call {
    /// Lanes that end in it.
    pub(super) fn leave(&mut self, lanes: u32) {
        self.lanes &= !lanes;
        self.waiting &= !lanes;
        self.awake &= !lanes;
    }
}

/// The registers of a run, one by one.
pub(super) fn each(run: Reg) -> impl Iterator<Item = Reg> {
    (0..=usize::from(run.more)).map(move |n| nth(run, n))
}

/// A register of a run.
pub(super) fn nth(run: Reg, n: usize) -> Reg {
    Reg { index: run.index + n as u16 * u16::from(run.size), more: 0, ..run }
}

/// The halves of a run.
pub(super) fn halves_of(run: Reg) -> Halves {
    let mut all = Halves::default();
    all.add(run.index, u16::from(run.size) * (u16::from(run.more) + 1));
    all
}
