//! Registers that were written, lane by lane: who reads others reads what nobody left there (spec 14.1, 14.3).

use crate::regs::GPR_HALVES;

/// Lanes that have written each half.
#[derive(Clone, Debug)]
pub(super) struct Defined(Box<[u32; GPR_HALVES as usize]>);

impl Default for Defined {
    fn default() -> Defined {
        Defined(Box::new([0; GPR_HALVES as usize]))
    }
}

impl Defined {
    /// Lanes that have written a half.
    pub(super) fn lanes(&self, half: u16) -> u32 {
        self.0[usize::from(half)]
    }

    pub(super) fn write(&mut self, half: u16, lanes: u32) {
        self.0[usize::from(half)] |= lanes;
    }
}
