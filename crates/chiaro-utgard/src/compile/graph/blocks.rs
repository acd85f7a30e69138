//! A program of blocks: what selection makes, and what is scheduled block by block.

use super::{Graph, Operand};
use crate::regs::BANK;

/// A label: a block that is known later.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label(pub u32);

/// A block and how it ends.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// What it computes.
    pub graph: Graph,
    /// Where it goes on; the next block without.
    pub jump: Option<Jump>,
}

/// The end of a block.
#[derive(Clone, Copy, Debug)]
pub struct Jump {
    /// Where it leads.
    pub to: Label,
    /// Without, always.
    pub condition: Option<Operand>,
}

/// A program of blocks.
#[derive(Clone, Default, Debug)]
pub struct Program {
    /// In the order of the words.
    pub blocks: Vec<Block>,
    /// Where each label is.
    pub labels: Vec<u32>,
    /// Register components that hold values between blocks.
    pub reserved: [u8; BANK],
    /// Start values of temporaries: the constants follow them.
    pub temporaries: Vec<[f32; 4]>,
}

/// A row of temporaries that the program stores before it loads: what it holds before, nobody
/// says.
pub const ANYTHING: [f32; 4] = [f32::NAN; 4];

/// Register components that selection may name before they get their final places.
pub const NAMES: usize = 1024;
