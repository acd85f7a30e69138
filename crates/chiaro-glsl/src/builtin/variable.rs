//! A variable of the language, and how lists of them are written.

use super::When;
use crate::hir::Builtin;
use crate::qualifier::{Precision, Storage};
use crate::ty::Scalar;

/// How many elements an array of the language's own has.
#[derive(Clone, Copy, Debug)]
pub enum Count {
    /// So many.
    Number(u32),
    /// As the constant of that name says.
    Constant(&'static str),
    /// As many as the source uses.
    Use,
    /// As many as there are vertices: of the geometry shader's input primitive, the patch, the mesh.
    Vertices,
    /// As many as the mesh has primitives.
    Primitives,
    /// As many as the mesh's primitives have vertices together.
    Indices,
}

/// The type of a variable.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A scalar, vector or matrix: scalar, columns, rows.
    Known(Scalar, u8, u8),
    /// An array of scalars, vectors or matrices.
    Array(Scalar, u8, u8, Count),
    /// A structure of the language's own.
    Structure(&'static str),
    /// An array of those.
    Structures(&'static str, Count),
}

/// `float`.
pub(crate) const fn float() -> Kind {
    Kind::Known(Scalar::Float, 1, 1)
}

/// A vector of floats.
pub(crate) const fn vector(n: u8) -> Kind {
    Kind::Known(Scalar::Float, 1, n)
}

/// A variable.
#[derive(Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Where it lives.
    pub storage: Storage,
    /// Its precision in GLSL ES.
    pub precision: Option<Precision>,
    /// What it is.
    pub builtin: Builtin,
    /// When it is there.
    pub when: When,
}

/// A list of variables: `when => { Storage kind, precision "name" = what; }`.
macro_rules! variables {
    ($( $when:expr => { $( $storage:ident $kind:expr, $precision:ident $name:literal = $builtin:expr ; )* } )*) => {
        &[ $( $( Variable {
            name: $name,
            kind: $kind,
            storage: Storage::$storage,
            precision: $precision,
            builtin: $builtin,
            when: $when,
        } ),* ),* ]
    };
}
pub(crate) use variables;

/// A number that an extension names.
#[derive(Debug)]
pub(crate) struct Number {
    /// Its name.
    pub name: &'static str,
    /// `Int`, `Uint` or `Bool`.
    pub scalar: Scalar,
    /// Its value.
    pub value: u32,
    /// When it is there.
    pub when: When,
}
