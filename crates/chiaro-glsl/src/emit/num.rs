//! Numeric types by value: what arithmetic has to know of them.

use spirv::Op;

use crate::ty::{Scalar, Type};

/// A scalar (1 column, 1 row), vector (1 column), matrix, or what is spread (0 columns).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Num {
    pub(super) scalar: Scalar,
    pub(super) columns: u8,
    pub(super) rows: u8,
}

impl Num {
    pub(super) const BOOL: Num = Num::scalar(Scalar::Bool);
    pub(super) const INT: Num = Num::scalar(Scalar::Int);
    pub(super) const UINT: Num = Num::scalar(Scalar::Uint);
    pub(super) const FLOAT: Num = Num::scalar(Scalar::Float);

    pub(super) const fn scalar(scalar: Scalar) -> Num {
        Num { scalar, columns: 1, rows: 1 }
    }

    pub(super) const fn vector(scalar: Scalar, rows: u8) -> Num {
        Num { scalar, columns: 1, rows }
    }

    /// `None` for what cannot be computed with.
    pub(super) fn of(ty: &Type) -> Option<Num> {
        match *ty {
            Type::Scalar(scalar) => Some(Num::scalar(scalar)),
            Type::Vector(scalar, rows) => Some(Num::vector(scalar, rows)),
            Type::Matrix { scalar, columns, rows } => Some(Num { scalar, columns, rows }),
            Type::Spread(scalar, id) => Some(Num { scalar, columns: 0, rows: id.0 }),
            _ => None,
        }
    }

    pub(super) fn is_matrix(self) -> bool {
        self.columns > 1
    }

    pub(super) fn is_scalar(self) -> bool {
        self.columns == 1 && self.rows == 1
    }

    /// Whether it is of a cooperative or open shape, whose handle stands for rows.
    pub(super) fn is_spread(self) -> bool {
        self.columns == 0
    }

    /// The type of a column; a vector's or scalar's own.
    pub(super) fn column(self) -> Num {
        Num { columns: 1, ..self }
    }

    /// The same shape of another scalar.
    pub(super) fn with(self, scalar: Scalar) -> Num {
        Num { scalar, ..self }
    }

    pub(super) fn ty(self) -> Type {
        match self {
            Num { scalar, columns: 1, rows: 1 } => Type::Scalar(scalar),
            Num { scalar, columns: 1, rows } => Type::Vector(scalar, rows),
            Num { scalar, columns: 0, rows } => Type::Spread(scalar, crate::spread::SpreadId(rows)),
            Num { scalar, columns, rows } => Type::Matrix { scalar, columns, rows },
        }
    }
}

/// What instructions tell apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    Bool,
    Float,
    Signed,
    Unsigned,
}

impl Scalar {
    pub(super) fn family(self) -> Family {
        match self {
            Scalar::Bool => Family::Bool,
            Scalar::Float | Scalar::Double | Scalar::Float16 | Scalar::Small(_) => Family::Float,
            Scalar::Int | Scalar::Int8 | Scalar::Int16 | Scalar::Int64 => Family::Signed,
            Scalar::Uint | Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint64 => Family::Unsigned,
        }
    }

    /// Bits in memory and registers; a bool takes 32 in blocks.
    pub(super) fn bits(self) -> u32 {
        match self {
            Scalar::Int8 | Scalar::Uint8 => 8,
            Scalar::Int16 | Scalar::Uint16 | Scalar::Float16 => 16,
            Scalar::Double | Scalar::Int64 | Scalar::Uint64 => 64,
            Scalar::Bool | Scalar::Int | Scalar::Uint | Scalar::Float => 32,
            Scalar::Small(small) => small.bits(),
        }
    }
}

/// Bits of a scalar in memory and registers.
pub(crate) fn bits_of(scalar: Scalar) -> u32 {
    scalar.bits()
}

/// One of three instructions by the family of what they compute with.
pub(super) fn by_family(scalar: Scalar, [float, signed, unsigned]: [Op; 3]) -> Op {
    match scalar.family() {
        Family::Float => float,
        Family::Signed => signed,
        Family::Unsigned | Family::Bool => unsigned,
    }
}
