//! What a user of the compiler chooses.

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// How hard to search: 0 to 3.
    pub effort: u32,
    /// Keeps only what the position and the point size need, for the binning pass.
    pub binning: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { effort: 1, binning: false }
    }
}
