//! What is known of types: handles of those that are asked for all the time, and what each is
//! made of.

use crate::ty::{Scalar, Ty, Type, Types};

/// Handles of types that are asked for all the time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) error: Ty,
    pub(crate) void: Ty,
    pub(crate) bool: Ty,
    pub(crate) int: Ty,
    pub(crate) uint: Ty,
    pub(crate) float: Ty,
}

impl Known {
    pub(crate) fn new(types: &mut Types) -> Known {
        Known {
            error: types.intern(Type::Error),
            void: types.intern(Type::Void),
            bool: types.intern(Type::Scalar(Scalar::Bool)),
            int: types.intern(Type::Scalar(Scalar::Int)),
            uint: types.intern(Type::Scalar(Scalar::Uint)),
            float: types.intern(Type::Scalar(Scalar::Float)),
        }
    }
}

/// What a type is made of. That of a structure is found once: structures hold each other, and
/// walking them for every question could take for ever.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Parts {
    /// Which kinds of parts there are, itself included.
    pub(crate) kinds: u16,
    /// How many scalars; saturates.
    pub(crate) scalars: usize,
    /// How deep arrays and structures are nested in it.
    pub(crate) depth: u32,
}

impl Parts {
    pub(crate) const OPAQUE: u16 = 1;
    pub(crate) const BOOL: u16 = 2;
    pub(crate) const INTEGER: u16 = 4;
    pub(crate) const DOUBLE: u16 = 8;
    pub(crate) const ARRAY: u16 = 16;
    pub(crate) const STRUCT: u16 = 32;
    pub(crate) const MATRIX: u16 = 64;
    pub(crate) const REFERENCE: u16 = 128;
    /// An array without a length.
    pub(crate) const OPEN: u16 = 256;
    /// What is stored and converted alone.
    pub(crate) const SMALL: u16 = 512;
    /// What a scope holds together, and layouts and views of tensors.
    pub(crate) const COOPERATIVE: u16 = 1024;
}

/// Whether a scalar is an integer, of any width.
pub(crate) fn is_integer(scalar: Scalar) -> bool {
    !matches!(scalar, Scalar::Bool | Scalar::Float | Scalar::Double | Scalar::Float16 | Scalar::Small(_))
}
