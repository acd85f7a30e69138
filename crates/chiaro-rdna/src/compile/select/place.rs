//! Places in memory: variables, and bytes within them.

use chiaro_ir as ir;
use chiaro_ir::{GlobalRef, Space, Ty};

use super::part::Part;

/// The variable that a pointer leads into.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Root {
    Global(GlobalRef),
    /// A variable of the function, by the instruction that makes it.
    Var(ir::Inst),
}

/// Where a pointer leads.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) root: Root,
    pub(super) space: Space,
    /// Types and indices from the variable on.
    pub(super) steps: Vec<(Ty, ir::Value)>,
}

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
