//! Numeric types by value: what arithmetic and layouts have to know of them.

use crate::ty::{CoopId, Scalar, Type};

/// A scalar (1 column, 1 row), vector (1 column), matrix, or a cooperative type (0 columns).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Num {
    pub(crate) scalar: Scalar,
    pub(crate) columns: u8,
    pub(crate) rows: u8,
}

impl Num {
    pub(crate) const BOOL: Num = Num::scalar(Scalar::Bool);
    pub(crate) const INT: Num = Num::scalar(Scalar::Int);
    pub(crate) const UINT: Num = Num::scalar(Scalar::Uint);
    pub(crate) const FLOAT: Num = Num::scalar(Scalar::Float);

    pub(crate) const fn scalar(scalar: Scalar) -> Num {
        Num { scalar, columns: 1, rows: 1 }
    }

    pub(crate) const fn vector(scalar: Scalar, rows: u8) -> Num {
        Num { scalar, columns: 1, rows }
    }

    /// `None` for what cannot be computed with.
    pub(crate) fn of(ty: &Type) -> Option<Num> {
        match *ty {
            Type::Scalar(scalar) => Some(Num::scalar(scalar)),
            Type::Vector(scalar, rows) => Some(Num::vector(scalar, rows)),
            Type::Matrix { scalar, columns, rows } => Some(Num { scalar, columns, rows }),
            Type::Coop(scalar, id) => Some(Num { scalar, columns: 0, rows: id.0 }),
            _ => None,
        }
    }

    pub(crate) fn is_matrix(self) -> bool {
        self.columns > 1
    }

    pub(crate) fn is_vector(self) -> bool {
        self.columns == 1 && self.rows > 1
    }

    /// How many scalars a constant of it has; of a cooperative type, whose elements are equal, one.
    pub(crate) fn count(self) -> usize {
        if self.is_coop() {
            return 1;
        }
        usize::from(self.columns) * usize::from(self.rows)
    }

    pub(crate) fn is_scalar(self) -> bool {
        self.columns == 1 && self.rows == 1
    }

    /// Whether it is of a cooperative or open shape, whose handle stands for rows.
    pub(crate) fn is_coop(self) -> bool {
        self.columns == 0
    }

    /// The type of a column; a vector's or scalar's own.
    pub(crate) fn column(self) -> Num {
        Num { columns: 1, ..self }
    }

    /// The same shape of another scalar.
    pub(crate) fn with(self, scalar: Scalar) -> Num {
        Num { scalar, ..self }
    }

    pub(crate) fn ty(self) -> Type {
        match self {
            Num { scalar, columns: 1, rows: 1 } => Type::Scalar(scalar),
            Num { scalar, columns: 1, rows } => Type::Vector(scalar, rows),
            Num { scalar, columns: 0, rows } => Type::Coop(scalar, CoopId(rows)),
            Num { scalar, columns, rows } => Type::Matrix { scalar, columns, rows },
        }
    }
}
