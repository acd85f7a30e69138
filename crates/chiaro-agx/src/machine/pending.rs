//! A result on its way: done when it was issued, seen when its slot has been waited for.

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
