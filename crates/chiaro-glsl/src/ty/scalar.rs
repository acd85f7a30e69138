//! Scalar types, and what arithmetic and memory have to know of them.

use crate::small::Small;

/// Scalars. Those of explicit width other than 32 come with extensions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Scalar {
    Bool,
    Int,
    Uint,
    Float,
    Double,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Float16,
    Int64,
    Uint64,
    /// One that is stored and converted, not computed with.
    Small(Small),
}

impl Scalar {
    /// How many there are.
    pub(crate) const COUNT: usize = 12 + Small::ALL.len();

    /// The place in tables of all of them.
    pub(crate) fn index(self) -> usize {
        match self {
            Scalar::Bool => 0,
            Scalar::Int => 1,
            Scalar::Uint => 2,
            Scalar::Float => 3,
            Scalar::Double => 4,
            Scalar::Int8 => 5,
            Scalar::Uint8 => 6,
            Scalar::Int16 => 7,
            Scalar::Uint16 => 8,
            Scalar::Float16 => 9,
            Scalar::Int64 => 10,
            Scalar::Uint64 => 11,
            Scalar::Small(small) => 12 + small as usize,
        }
    }

    /// Whether it is stored and converted alone.
    pub(crate) fn is_small(self) -> bool {
        matches!(self, Scalar::Small(_))
    }
}

/// What instructions distinguish.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    Bool,
    Float,
    Signed,
    Unsigned,
}

impl Scalar {
    pub(crate) fn family(self) -> Family {
        match self {
            Scalar::Bool => Family::Bool,
            Scalar::Float | Scalar::Double | Scalar::Float16 | Scalar::Small(_) => Family::Float,
            Scalar::Int | Scalar::Int8 | Scalar::Int16 | Scalar::Int64 => Family::Signed,
            Scalar::Uint | Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint64 => Family::Unsigned,
        }
    }

    /// Bits in memory and registers; a bool takes 32 in blocks.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Scalar::Int8 | Scalar::Uint8 => 8,
            Scalar::Int16 | Scalar::Uint16 | Scalar::Float16 => 16,
            Scalar::Double | Scalar::Int64 | Scalar::Uint64 => 64,
            Scalar::Bool | Scalar::Int | Scalar::Uint | Scalar::Float => 32,
            Scalar::Small(small) => small.bits(),
        }
    }
}
