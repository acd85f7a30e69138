//! What the user chooses.

/// How to compile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// An index of [`GENERATIONS`](crate::isa::GENERATIONS).
    pub generation: u8,
}
