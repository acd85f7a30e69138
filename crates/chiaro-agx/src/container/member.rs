//! Members of buffers and blocks: where a host puts what the source calls so.

use super::Error;
use super::stored::{Bytes, Stored, names, stored};

/// A member that has no members itself: scalars in rows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Member {
    /// Descriptor set of its buffer.
    pub set: u32,
    /// Binding in the set.
    pub binding: u32,
    /// The names that lead to it: `lights[].colour` of an array of structures; empty where the buffer is one value.
    pub path: String,
    /// Byte of its first scalar.
    pub offset: u32,
    /// What each scalar is.
    pub scalar: Scalar,
    /// Bits of a scalar.
    pub bits: u8,
    /// Elements, columns, components, the outermost first: how many, and bytes from one to the next. The first may
    /// be 0: as many as the buffer holds.
    pub rows: Vec<(u32, u32)>,
}

/// What a scalar is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scalar {
    /// A float.
    #[default]
    Float,
    /// An integer.
    Int,
    /// True or false.
    Bool,
}

names! {
    Scalar { Float, Int, Bool }
}

stored! {
    Member { set, binding, path, offset, scalar, bits, rows }
}

impl Member {
    /// Its type in a few characters: `float32[4][4]`.
    #[must_use]
    pub fn spelled(&self) -> String {
        let name = match self.scalar {
            Scalar::Float => "float",
            Scalar::Int => "int",
            Scalar::Bool => "bool",
        };
        let rows = self.rows.iter().map(|(count, _)| match count {
            0 => "[]".to_owned(),
            count => format!("[{count}]"),
        });
        format!("{name}{}{}", self.bits, rows.collect::<String>())
    }
}
