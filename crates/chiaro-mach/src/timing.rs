//! When the later of two instructions may issue, as schedulers ask it.

use chiaro_isa::{Hazard, Wait};

use crate::code::{Code, Inst};

/// The clock of a machine, as its scheduler has to know it.
pub trait Timing: Sync {
    /// How `second` has to wait for `first`, which touches the same register before it;
    /// `None`: the order alone counts.
    fn between(&self, code: &Code, first: Inst, second: Inst, hazard: Hazard) -> Option<Wait>;

    /// Slots that are best left between an instruction and the end of its block, for those who read its results
    /// behind it.
    fn behind(&self, code: &Code, inst: Inst) -> u16 {
        let _ = (code, inst);
        0
    }

    /// What an instruction is best issued side by side with: others of the same number, as loads of one line of a cache.
    fn group(&self, code: &Code, inst: Inst) -> Option<u64> {
        let _ = (code, inst);
        None
    }

    /// How many issue slots an instruction takes.
    fn slots(&self, code: &Code, inst: Inst) -> u16 {
        let _ = (code, inst);
        1
    }
}
