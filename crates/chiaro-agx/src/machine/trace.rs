//! What is kept of a run, step by step.

use chiaro_sim::{Changes, Touched};

/// A register with its values, lane by lane.
pub type Named = (String, Vec<u32>);

/// A step that was taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Executed {
    /// Bytes from the start of the code.
    pub offset: u32,
    /// The instruction.
    pub text: String,
    /// Registers that were set from outside before it, with what they hold since.
    pub set: Vec<Named>,
    /// Lanes that ran before it, and the nesting counter of each.
    pub active: u32,
    /// r0l in every lane before it.
    pub counters: Vec<u32>,
    /// Registers read, with what they held.
    pub reads: Vec<Named>,
    /// Registers written, with what they hold.
    pub writes: Vec<Named>,
    /// Registers whose results are still on their way.
    pub on_way: Vec<String>,
    /// Memory that it read and wrote.
    pub memory: Vec<Touched>,
    /// The place of the next step.
    pub next: u32,
}

/// Steps that are kept, and how many at most.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    pub(super) steps: Vec<Executed>,
    pub(super) most: usize,
    /// What is to be set on the way.
    pub(super) changes: Changes,
    /// Memory that the present step has touched.
    pub(super) touched: Vec<Touched>,
}
