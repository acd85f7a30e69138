//! What a wave does, step by step, for people who look for a mistake.

use chiaro_sim::{Changes, Touched};

/// A register's name and its bits: one word, or one for each lane.
pub type Named = (String, Vec<u32>);

/// An executed instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Executed {
    /// Bytes from the start of the code.
    pub offset: u32,
    /// Its text.
    pub text: String,
    /// Registers that were set from outside before it, with what they hold since.
    pub set: Vec<Named>,
    /// The cycle behind its issue, if there is a clock.
    pub cycle: Option<u64>,
    /// The lanes that ran, in each half of the wave.
    pub exec: [u32; 2],
    /// What was in the registers that it reads.
    pub reads: Vec<Named>,
    /// What is in those that it writes. What a load brings comes with a later wait, which writes it.
    pub writes: Vec<Named>,
    /// Registers that loads still write, after it.
    pub on_way: Vec<String>,
    /// Memory that it read and wrote.
    pub memory: Vec<Touched>,
    /// Where the wave goes on.
    pub next: u32,
}

/// The steps so far, and how many are kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Trace {
    pub(super) steps: Vec<Executed>,
    pub(super) most: usize,
    /// What is to be set on the way.
    pub(super) changes: Changes,
    /// Memory that the present step has touched.
    pub(super) touched: Vec<Touched>,
}
