//! The clock of a wave: the cost model of the report (spec section 14) along the way that the wave
//! takes. The model knows one wave, so waves do not take units from one another; they meet at
//! barriers alone.

use std::sync::Arc;

use super::program::Program;
use crate::report::Latencies;
use crate::report::cycles::{Clock, Stalls};
use crate::report::inst::Inst;

/// What cycles of waves go into, in the order of [`Time::causes`].
pub const CAUSES: [&str; 8] = [
    "Issue",
    "Stall_results",
    "Stall_vmcnt",
    "Stall_lgkmcnt",
    "Stall_expcnt",
    "Stall_vscnt",
    "Stall_units",
    "Stall_barrier",
];

/// Cycles of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Time {
    /// Until its last wave has ended.
    pub longest: u64,
    /// Those of all waves, by [`CAUSES`].
    pub causes: [u64; CAUSES.len()],
}

/// The clock of a wave, and where its time goes.
#[derive(Clone, Debug)]
pub(super) struct Timed {
    /// By word of the code.
    insts: Arc<[Option<Inst>]>,
    latencies: Latencies,
    clock: Clock,
    stalls: Stalls,
    barrier: u64,
    /// Whether vector instructions issue for each half of the wave.
    pub(super) twice: bool,
}

impl Timed {
    pub(super) fn new(program: &Program, latencies: Latencies) -> Timed {
        let (clock, stalls) = (Clock::new(), Stalls::default());
        let insts = Arc::clone(program.timed());
        Timed { insts, latencies, clock, stalls, barrier: 0, twice: program.wave() == 64 }
    }

    pub(super) fn reset(&mut self) {
        (self.clock, self.stalls, self.barrier) = (Clock::new(), Stalls::default(), 0);
    }

    /// The instruction so many bytes from the start of the code.
    pub(super) fn issue(&mut self, offset: u32) {
        if let Some(Some(inst)) = self.insts.get(offset as usize / 4) {
            self.clock.issue(inst, self.twice, &self.latencies, 1.0, &mut self.stalls);
        }
    }

    pub(super) fn now(&self) -> u64 {
        self.clock.now.unsigned_abs()
    }

    /// Where the cycles went.
    pub(super) fn time(&self) -> Time {
        let mut time = Time { longest: self.now(), ..Time::default() };
        let stalls = self.stalls.by_cause().into_iter().map(|(_, cycles)| cycles).chain([self.barrier]);
        time.causes[1..].iter_mut().zip(stalls).for_each(|(to, cycles)| *to = cycles);
        time.causes[0] = time.longest.saturating_sub(time.causes[1..].iter().sum());
        time
    }

    /// Stands at a barrier until the last wave has come.
    pub(super) fn meet(&mut self, last: u64) {
        self.barrier += last.saturating_sub(self.now());
        self.clock.now = self.clock.now.max(last as i64);
    }
}

impl Time {
    /// Adds another group, or another wave.
    pub fn add(&mut self, other: &Time) {
        self.longest = self.longest.max(other.longest);
        self.causes.iter_mut().zip(other.causes).for_each(|(sum, cycles)| *sum += cycles);
    }
}
