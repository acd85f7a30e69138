//! What a preamble computes, while the main part is selected.

use chiaro_ir as ir;

use super::asked::{OfDraw, OfImage};
use super::hoist::Hoist;
use super::image::Image;

/// What is moved, and what stands for it meanwhile.
#[derive(Debug, Default)]
pub(super) struct Once {
    /// What moves.
    pub(super) hoist: Hoist,
    /// Results in the order in which they got numbers: the first of each, and its sizes.
    pub(super) results: Vec<(Source, u16, Vec<u16>)>,
    /// The number of the next one.
    pub(super) next: u16,
    /// Whether something may move at all.
    pub(super) is_open: bool,
    /// Whether the preamble itself is selected.
    pub(super) runs: bool,
}

/// What is computed once.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// A value of the source.
    Value(ir::Value),
    /// Something of a descriptor.
    Image(OfImage, Image),
    /// Something of the draw.
    Draw(OfDraw),
}
