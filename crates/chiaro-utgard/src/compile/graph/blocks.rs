//! A program of blocks: what selection makes, and what is scheduled block by block.

use super::{Graph, Operand};

/// A label: a block that is known later.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Label(pub(crate) u32);

/// A block and how it ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) graph: Graph,
    /// Where it goes on; the next block without.
    pub(crate) jump: Option<Jump>,
}

/// The end of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jump {
    pub(crate) to: Label,
    /// Without, always.
    pub(crate) condition: Option<Operand>,
}

/// A program of blocks.
#[derive(Debug)]
pub(crate) struct Selected {
    pub(crate) blocks: Vec<Block>,
    /// Where each label is.
    pub(crate) labels: Vec<u32>,
    /// Register components that hold values between blocks.
    pub(crate) reserved: [u8; 16],
    /// Start values of temporaries: the constants follow them.
    pub(crate) temporaries: Vec<[f32; 4]>,
}

/// A row of temporaries that the program stores before it loads: what it holds before, nobody
/// says.
pub(crate) const ANYTHING: [f32; 4] = [f32::NAN; 4];
