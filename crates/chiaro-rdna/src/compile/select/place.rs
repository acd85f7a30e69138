//! Places in memory: variables, and bytes within them.

use super::part::Part;

/// Bytes from the start of a variable: a number, and what is added at run time, by the wave and by the lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    pub(super) offset: u32,
    pub(super) wave: Option<Part>,
    pub(super) lanes: Option<Part>,
    /// The largest power of two that divides all of it.
    pub(super) align: u32,
}

impl Place {
    /// The same, so many bytes further.
    pub(super) fn further(self, bytes: u32) -> Place {
        Place { offset: self.offset.wrapping_add(bytes), ..self }
    }

    /// To what the address of byte `at` from here is aligned.
    pub(super) fn align_of(&self, at: u32) -> u32 {
        let offset = self.offset.wrapping_add(at);
        let own = if offset == 0 { 1 << 16 } else { 1 << offset.trailing_zeros().min(16) };
        own.min(self.align)
    }
}
