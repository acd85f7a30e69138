//! What is told of an instruction that ran.

use crate::isa::selector::Unit;

/// An instruction as one lane ran it.
#[derive(Clone, PartialEq, Debug)]
pub struct Executed {
    /// The instruction.
    pub at: u32,
    /// When, in cycles.
    pub cycle: u64,
    /// Results of the busy units, as bits.
    pub results: Vec<(Unit, u32)>,
    /// Whether it branched.
    pub branched: bool,
    /// Registers that were set from outside before it.
    pub set: Vec<(String, u32)>,
    /// Components of attributes, registers, uniforms and temporaries that it read.
    pub reads: Vec<(String, u32)>,
    /// Components of registers, outputs and temporaries that it stored, and address registers: from when on
    /// others see them is the machine's affair.
    pub writes: Vec<(String, u32)>,
}
