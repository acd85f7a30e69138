//! When results come: at the wait for their slot.

use chiaro_isa::Reg;
use chiaro_sim::Lanes;

use super::fault::FaultKind;
use super::pending::{Pending, each, halves_of, nth};
use super::program::Step;
use super::simdgroup::SimdGroup;
use crate::regs::halves::Halves;
use crate::regs::size;

/// Lists that are kept: as many as a program has on their way (spec 10.1).
const MOST_IDLE: usize = 8;

impl SimdGroup {
    /// Brings a result: at its wait, or at once where the configuration says so.
    pub(super) fn bring(&mut self, slot: u8, run: Reg, values: Vec<Lanes>) {
        let (lanes, halves) = (self.active(), halves_of(run));
        let pending = Pending { slot, lanes, run, values, halves, is_source: false };
        if self.config.immediate {
            self.arrive(&pending);
            self.keep(pending.values);
        } else {
            self.on_way = self.on_way.with(&pending.halves);
            self.pending.push(pending);
        }
    }

    /// Keeps the registers of a store from being written until its slot is waited for, where it is assumed to read
    /// them when it is done.
    pub(super) fn hold(&mut self, slot: Option<u8>, step: &Step) {
        let Some(slot) = slot.filter(|_| self.config.holds_sources) else { return };
        let (lanes, halves) = (self.active(), step.reads);
        self.on_way = self.on_way.with(&halves);
        let (run, values) = (Reg::default(), Vec::new());
        self.pending.push(Pending { slot, lanes, run, values, halves, is_source: true });
    }

    /// Everything on a slot arrives. True if there was something.
    pub(super) fn wait(&mut self, slot: u8) -> bool {
        let before = self.pending.len();
        while let Some(n) = self.pending.iter().position(|pending| pending.slot == slot) {
            let pending = self.pending.remove(n);
            self.arrive(&pending);
            self.keep(pending.values);
        }
        self.on_way = self.pending.iter().fold(Halves::default(), |all, pending| all.with(&pending.halves));
        self.pending.len() < before
    }

    /// Keeps the room of a list for the results of other loads.
    fn keep(&mut self, values: Vec<Lanes>) {
        if self.idle.len() < MOST_IDLE {
            self.idle.push(values);
        }
    }

    fn arrive(&mut self, pending: &Pending) {
        for (register, value) in each(pending.run).zip(&pending.values) {
            self.merge(register, value, pending.lanes);
        }
    }

    /// A fault if a step touches what is still on its way in a lane that runs, or writes what a store still reads.
    pub(super) fn check_arrival(&mut self, step: &Step) {
        let active = self.active();
        let early = |pending: &Pending| {
            let touched = if pending.is_source { &step.writes } else { &step.touches };
            let half = pending.halves.common(touched).iter().next()?;
            Some(match pending.is_source {
                true => FaultKind::Held(half, pending.slot),
                false => FaultKind::TooEarly(half, pending.slot),
            })
        };
        let found = self.pending.iter().filter(|pending| pending.lanes & active != 0).find_map(early);
        if let Some(kind) = found {
            self.fault(active.trailing_zeros() as usize % 32, kind);
        }
    }

    /// Up to four registers of a run in a lane, zeros behind them.
    pub(super) fn read_run(&self, run: Reg, count: usize, lane: usize) -> [u32; 4] {
        let read = |n: usize| if n < count { self.read(nth(run, n), lane) as u32 } else { 0 };
        std::array::from_fn(read)
    }

    /// Writes a run of registers in the lanes that run.
    pub(super) fn write_run(&mut self, run: Reg, values: &[Lanes]) {
        let active = self.active();
        each(run).zip(values).for_each(|(register, value)| self.merge(register, value, active));
    }

    /// Writes a register in some lanes; of a half, nothing of the other half.
    pub(super) fn merge(&mut self, register: Reg, value: &Lanes, lanes: u32) {
        let slot = self.compiled.uops.slot(register);
        let (mask, shift) = match (register.size, register.index & 1) {
            (size::HALF, 0) => (0xffff, 0),
            (size::HALF, _) => (0xffff_0000, 16),
            _ => (u32::MAX, 0),
        };
        let to = self.state.lanes_mut(slot);
        if lanes == u32::MAX && mask == u32::MAX {
            *to = *value;
            return;
        }
        for (lane, (to, from)) in to.0.iter_mut().zip(value.0).enumerate() {
            let mask = (lanes >> lane & 1).wrapping_neg() & mask;
            *to = *to & !mask | from << shift & mask;
        }
    }
}
