//! What was declared already: types, addresses, heaps.

use std::collections::HashMap;

use chiaro_words::write::Id;

use crate::hir::GlobalId;
use crate::layout::{Extents, Rules};
use crate::ty::{ReferenceId, Scalar, StructId, Ty, Type};

/// Types that were declared.
#[derive(Debug)]
pub(crate) struct TypeTable {
    /// By scalar, columns and rows; 0 for those that were not asked for yet.
    pub(crate) numeric: [Id; Scalar::COUNT * 16],
    pub(crate) plain: HashMap<Type, Id>,
    pub(crate) laid: HashMap<(Type, Rules), Id>,
    pub(crate) blocks: HashMap<GlobalId, Id>,
    pub(crate) extents: Extents,
    /// One more than the largest constant index of arrays without a size, by their type.
    pub(crate) implicit: Option<HashMap<Ty, u32>>,
}

impl Default for TypeTable {
    fn default() -> Self {
        TypeTable {
            numeric: [0; Scalar::COUNT * 16],
            plain: HashMap::new(),
            laid: HashMap::new(),
            blocks: HashMap::new(),
            extents: HashMap::new(),
            implicit: None,
        }
    }
}

/// Types of addresses, by number.
#[derive(Debug, Default)]
pub(crate) struct References {
    /// The pointer and the block of each that was asked for; the block is 0 until it is declared.
    pub(crate) list: Vec<Option<(Id, Id)>>,
    /// Announced, and not declared yet.
    pub(crate) pending: Vec<ReferenceId>,
    /// Whether pending ones are being declared.
    pub(crate) busy: bool,
    /// Whether the source has words of its own for addresses.
    pub(crate) announced: bool,
    /// Which structures hold addresses, by number; worked out when there are any.
    pub(crate) holders: Vec<bool>,
}

impl References {
    /// Whether the words have any.
    pub(crate) fn any(&self) -> bool {
        self.announced || !self.list.is_empty()
    }

    /// Notes that the words have addresses that are declared elsewhere.
    pub(crate) fn announce(&mut self) {
        self.announced = true;
    }
}

/// What was declared for heaps.
#[derive(Debug, Default)]
pub(crate) struct Heaps {
    pub(crate) variables: [Option<Id>; 2],
    /// An array of bytes, to count them with.
    pub(crate) bytes: Option<Id>,
    /// Blocks that descriptors lead to.
    pub(crate) buffers: HashMap<ReferenceId, Id>,
    /// Structures that hold descriptors, and their extents.
    pub(crate) structures: HashMap<StructId, (Id, Extent)>,
}

/// A number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bytes {
    Known(u32),
    /// A constant of the module.
    Computed(Id),
}

/// Bytes that a type takes in a heap, and what its start is a multiple of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Extent {
    pub(crate) size: Bytes,
    pub(crate) align: Bytes,
}
