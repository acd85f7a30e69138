//! What stands around code.

/// What stands behind the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The program ends.
    Stop,
    /// Another part follows.
    Open,
}

/// Where code stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    /// What follows it.
    pub end: End,
    /// It runs once for each sample: the counter of nesting is 0 at its start.
    pub samples: bool,
    /// An index of [`GENERATIONS`](crate::isa::GENERATIONS).
    pub generation: u8,
}
