//! What is known of a type of SPIR-V; [`types`](crate::types) makes it.

use chiaro_ir::{Space, Ty};

/// A type of the module: its number in the reader's table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TypeId(pub(crate) u32);

/// How matrices stand in memory; the member of a structure decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Layout {
    /// Bytes from column to column, or from row to row.
    pub(crate) stride: u32,
    /// Rows follow each other.
    pub(crate) by_row: bool,
}

/// A type of SPIR-V.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeInfo {
    pub(crate) kind: Kind,
    /// As a value.
    pub(crate) value: Ty,
    /// In memory with a layout, matrices outside of structures by column.
    pub(crate) memory: Ty,
    /// How deep it nests: at most 255, SPIR-V's own limit for structures.
    pub(crate) depth: u8,
    /// Whether a row-major matrix is inside.
    pub(crate) rows_inside: bool,
}

/// What a type is, as far as the IR's type does not tell.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// A scalar, a vector, an image or the like: the same everywhere.
    Plain,
    /// A vector of such scalars.
    Vector(TypeId),
    /// Columns, and their number.
    Matrix(TypeId, u8),
    /// Elements; their number, 0 for a runtime array; their stride.
    Array(TypeId, u32, u32),
    /// Members: a run of the table, and the id of the structure.
    Struct { first: u32, count: u32, id: u32 },
    /// Where to; the id of a type that may still be unknown.
    Pointer(Space, u32),
    /// A pointer to code: the id of the type of the functions that it may lead to.
    Code(u32),
    /// Type of a function: its result and the number of parameters.
    Function(TypeId, u32),
}

/// A member of a structure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) ty: TypeId,
    pub(crate) layout: Layout,
}
