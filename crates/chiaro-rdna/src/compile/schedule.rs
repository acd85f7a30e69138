//! When results can be read, for the shared schedulers: the machine waits by itself, so that these are estimates of
//! the cost model (spec section 14.1).

pub(super) mod near;

use chiaro_isa::{Hazard, Rng, Wait};
use chiaro_mach::{Code, Inst, Timing};

use super::code::{operation, row};
use near::Near;

/// The clock of the machine. With a seed that is not 0 it is off by up to three quarters, instruction by instruction:
/// what goes first among equals is chance, and some other order may be the better one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// What it is off by.
    pub seed: u32,
}

impl Clock {
    fn off(self, first: Inst, slots: u16) -> u16 {
        if self.seed == 0 {
            return slots;
        }
        let share = Rng(u64::from(self.seed) << 32 | u64::from(first.0)).next() >> 58;
        (u64::from(slots) * (48 + share) / 64) as u16
    }
}

impl Timing for Clock {
    /// Waits for memory are stalls like all others: whatever can issue goes before its readers.
    fn between(&self, code: &Code, first: Inst, _: Inst, hazard: Hazard) -> Option<Wait> {
        let Hazard::Raw { .. } = hazard else { return None };
        let class = row(operation(code, first)?).class;
        Some(Wait::Slots(self.off(first, class.result.estimate())))
    }

    /// Loads that may stand in one clause.
    fn group(&self, code: &Code, inst: Inst) -> Option<u64> {
        let op = operation(code, inst)?;
        Near::of(op, code.defs(inst), code.uses(inst)).map(Near::number)
    }

    fn slots(&self, code: &Code, inst: Inst) -> u16 {
        let issue = operation(code, inst).and_then(|op| row(op).class.issue);
        issue.map_or(0, |slots| u16::from(slots).min(4))
    }
}
