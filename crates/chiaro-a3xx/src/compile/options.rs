//! What the user chooses.

use crate::abi::Sink;

/// How to compile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// What is made of a vertex shader.
    pub variant: Variant,
    /// Computes in half precision where the source says that it is enough (mediump).
    pub half: bool,
}

/// What a program is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Variant {
    /// Drawing.
    #[default]
    Whole,
    /// Finding out which tiles a primitive covers: position and point size only. The vertices of a
    /// draw run through it once before all tiles.
    Binning,
}

impl Variant {
    /// Whether a program of this variant writes such an output.
    #[must_use]
    pub fn keeps(self, sink: Sink) -> bool {
        self == Variant::Whole || !matches!(sink, Sink::Varying(_))
    }
}
