//! What the user chooses.

/// How to compile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// An index of [`GENERATIONS`](crate::isa::GENERATIONS).
    pub generation: u8,
    /// Whether what is the same for all threads is computed once, by a preamble.
    pub preamble: bool,
    /// Whether vertices are computed by threads of a grid, which store them in memory.
    pub software: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { generation: 0, preamble: true, software: false }
    }
}
