//! Allocation errors: a function that does not fit.

use std::fmt;

use crate::code::{Block, Inst};
use crate::file::File;

/// Why a function was not allocated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AllocateError {
    /// An instruction needs more of a file at once than there is, and nothing that could be
    /// spilled remains.
    Full {
        /// The block.
        block: Block,
        /// The instruction; `None` for the head of the block.
        inst: Option<Inst>,
        /// The file.
        file: File,
        /// Units needed at once.
        needed: u32,
        /// Units there are.
        allowed: u32,
    },
    /// An edge from a block with several successors to one with several predecessors.
    CriticalEdge {
        /// Where it comes from.
        from: Block,
        /// Where it goes.
        to: Block,
    },
    /// No place is left where values of this file are spilled to.
    SpillSpace {
        /// The file that is spilled.
        file: File,
        /// Units needed.
        needed: u32,
        /// Units there are.
        allowed: u32,
    },
    /// The declaration of the files or an operand breaks a rule.
    Unfit {
        /// The file.
        file: File,
        /// The rule.
        rule: &'static str,
    },
}

impl fmt::Display for AllocateError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AllocateError::Full { file, needed, allowed, .. } => {
                write!(out, "{needed} units of register file {} are needed at once, {allowed} exist", file.0)
            }
            AllocateError::CriticalEdge { from, to } => {
                write!(out, "the edge from b{} to b{} has no block of its own for copies", from.0, to.0)
            }
            AllocateError::SpillSpace { file, needed, allowed } => {
                write!(out, "spilling register file {} takes {needed} units, {allowed} exist", file.0)
            }
            AllocateError::Unfit { file, rule } => write!(out, "register file {}: {rule}", file.0),
        }
    }
}
