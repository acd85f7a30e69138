//! Cooperative types: values that the invocations of a scope hold together, or that have as many
//! components as a specialisation constant says. Cooperative matrices and vectors are such, long
//! vectors that no [`crate::ty::Type::Vector`] can be, layouts and views of tensors.
//! [GL_KHR_cooperative_matrix, GL_NV_cooperative_matrix, GL_NV_cooperative_matrix2,
//! GL_NV_cooperative_vector, GL_EXT_long_vector]
//!
//! All of them are a word and numbers, so a type is a handle of those, with the elements' scalar
//! type beside it. A constant of such a type is one scalar that all its elements have.

use super::scalar::Scalar;

/// How many elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Length {
    /// So many.
    Known(u32),
    /// The last member of a storage block: as many as the buffer holds. Also an array whose
    /// size a later declaration or its largest constant index gives, until that is known.
    Unsized,
    /// A specialisation constant, by its number among the module's, and its default.
    Spec(u32, u32),
}

/// Which.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum CoopKind {
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
pub struct CoopType {
    /// Which.
    pub kind: CoopKind,
    /// Its numbers, known or specialised.
    pub numbers: Vec<Length>,
}

impl CoopType {
    /// Whether it is a matrix.
    #[must_use]
    pub fn is_matrix(&self) -> bool {
        matches!(self.kind, CoopKind::Matrix | CoopKind::MatrixNv)
    }

    /// Whether it is a vector.
    #[must_use]
    pub fn is_vector(&self) -> bool {
        matches!(self.kind, CoopKind::Vector | CoopKind::Long)
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
            CoopKind::Matrix => format!("coopmat<{scalar_name}, {numbers}>"),
            CoopKind::MatrixNv => {
                let letter = match scalar {
                    Scalar::Float | Scalar::Double | Scalar::Float16 | Scalar::Small(_) => 'f',
                    Scalar::Uint | Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint64 => 'u',
                    _ => 'i',
                };
                format!("{letter}coopmatNV<{}, {numbers}>", scalar.bits())
            }
            CoopKind::Vector => format!("coopvecNV<{scalar_name}, {numbers}>"),
            CoopKind::Long => format!("vector<{scalar_name}, {numbers}>"),
            CoopKind::Layout => format!("tensorLayoutNV<{numbers}>"),
            CoopKind::View => format!("tensorViewNV<{numbers}>"),
        }
    }
}

fn number_name(number: &Length) -> String {
    match number {
        Length::Known(number) => number.to_string(),
        _ => "specialised".into(),
    }
}
