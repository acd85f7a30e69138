//! When results can be read, for the shared schedulers: the machine waits by itself, so that these are estimates of
//! the cost model (spec section 14.1).

use chiaro_isa::{Hazard, Wait};
use chiaro_mach::{Code, Inst, Timing};

use super::code::{operation, row};

/// The clock of the machine.
pub struct Clock;

impl Timing for Clock {
    /// Waits for memory are stalls like all others: whatever can issue goes before its readers.
    fn between(&self, code: &Code, first: Inst, _: Inst, hazard: Hazard) -> Option<Wait> {
        let Hazard::Raw { .. } = hazard else { return None };
        let class = row(operation(code, first)?).class;
        Some(Wait::Slots(class.result.estimate()))
    }

    fn slots(&self, code: &Code, inst: Inst) -> u16 {
        let issue = operation(code, inst).and_then(|op| row(op).class.issue);
        issue.map_or(0, |slots| u16::from(slots).min(4))
    }
}
