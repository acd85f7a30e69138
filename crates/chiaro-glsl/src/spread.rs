//! Values that are spread over the invocations of a scope, or have as many components as a
//! specialisation constant says: cooperative matrices and vectors, long vectors that no
//! [`crate::ty::Type::Vector`] can be, layouts and views of tensors.
//! [GL_KHR_cooperative_matrix, GL_NV_cooperative_matrix, GL_NV_cooperative_matrix2,
//! GL_NV_cooperative_vector, GL_EXT_long_vector]
//!
//! All of them are a word and numbers, so a type is a handle of those, with the elements' scalar
//! type beside it. A constant of such a type is one scalar that all its elements have.

use crate::ty::{Length, Scalar, Type, Types};

/// Handle of a [`Spread`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SpreadId(pub u8);

/// Which.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// `coopmat`: scope, rows, columns, use.
    Matrix,
    /// `fcoopmatNV` and its like: scope, rows, columns.
    MatrixNv,
    /// `coopvecNV`: components.
    Vector,
    /// `vector` of one component, of very many, or of a specialised number.
    Long,
    /// `tensorLayoutNV`: dimensions, mode of clamping.
    Layout,
    /// `tensorViewNV`: dimensions, whether it has them, the order of dimensions.
    View,
}

/// What matrices are used for, as the last number of `coopmat` says.
pub(crate) mod usage {
    /// `gl_MatrixUseAccumulator`
    pub(crate) const ACCUMULATOR: u32 = 2;
}

/// A kind with its numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spread {
    /// Which.
    pub kind: Kind,
    /// Its numbers, known or specialised.
    pub numbers: Vec<Length>,
}

impl Spread {
    /// Whether it is a matrix.
    #[must_use]
    pub fn is_matrix(&self) -> bool {
        matches!(self.kind, Kind::Matrix | Kind::MatrixNv)
    }

    /// Whether it is a vector.
    #[must_use]
    pub fn is_vector(&self) -> bool {
        matches!(self.kind, Kind::Vector | Kind::Long)
    }

    /// Number n, if it is known.
    #[must_use]
    pub fn known(&self, n: usize) -> Option<u32> {
        match self.numbers.get(n) {
            Some(Length::Known(number)) => Some(*number),
            _ => None,
        }
    }

    /// How many components a vector has, if that is known.
    #[must_use]
    pub fn components(&self) -> Option<u32> {
        self.is_vector().then(|| self.known(0)).flatten()
    }

    /// Its word and numbers as the source has them, for elements of a type.
    pub(crate) fn name(&self, scalar: Scalar, scalar_name: &str) -> String {
        let numbers: Vec<String> = self.numbers.iter().map(number_name).collect();
        let numbers = numbers.join(", ");
        match self.kind {
            Kind::Matrix => format!("coopmat<{scalar_name}, {numbers}>"),
            Kind::MatrixNv => {
                let letter = match scalar {
                    Scalar::Float | Scalar::Double | Scalar::Float16 | Scalar::Small(_) => 'f',
                    Scalar::Uint | Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint64 => 'u',
                    _ => 'i',
                };
                format!("{letter}coopmatNV<{}, {numbers}>", crate::emit::bits_of(scalar))
            }
            Kind::Vector => format!("coopvecNV<{scalar_name}, {numbers}>"),
            Kind::Long => format!("vector<{scalar_name}, {numbers}>"),
            Kind::Layout => format!("tensorLayoutNV<{numbers}>"),
            Kind::View => format!("tensorViewNV<{numbers}>"),
        }
    }
}

fn number_name(number: &Length) -> String {
    match number {
        Length::Known(number) => number.to_string(),
        _ => "specialised".into(),
    }
}

impl Types {
    /// The handle of a kind with its numbers; `None` where there are too many in one source.
    pub(crate) fn spread_of(&mut self, spread: Spread) -> Option<SpreadId> {
        if let Some(known) = self.spreads.iter().position(|known| *known == spread) {
            return Some(SpreadId(known as u8));
        }
        let id = u8::try_from(self.spreads.len()).ok()?;
        self.spreads.push(spread);
        Some(SpreadId(id))
    }

    /// A kind with its numbers.
    #[must_use]
    pub fn spread(&self, id: SpreadId) -> &Spread {
        &self.spreads[usize::from(id.0)]
    }

    /// What is spread of a type, and its elements; layouts and views have none of those.
    pub(crate) fn as_spread(&self, ty: &Type) -> Option<(Scalar, &Spread)> {
        match *ty {
            Type::Spread(scalar, id) => Some((scalar, self.spread(id))),
            _ => None,
        }
    }
}
