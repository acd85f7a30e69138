//! Where a variable of the module is.

use chiaro_words::write::Id;

use super::place::Place;

/// What a variable of the module became.
#[derive(Clone, Debug)]
pub(crate) enum Root {
    /// A variable, or a part of one.
    Place(Place),
    /// A matrix that is read with rows for columns.
    Transposed(Place),
    /// A mask of a subgroup, of which the first 64 bits are read.
    Mask(Place),
    /// A value that does not change: `gl_WorkGroupSize`.
    Value(Id),
    /// Nothing: no code names it.
    Unused,
}

/// An atomic counter on the way into its buffer.
pub(crate) struct Counter {
    pub(crate) global: usize,
    pub(crate) binding: u32,
    pub(crate) offset: u32,
    /// Bytes.
    pub(crate) size: u32,
}
