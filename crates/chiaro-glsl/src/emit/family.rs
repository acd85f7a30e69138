//! Instructions that come in three: of floats, of signed and of unsigned integers.

use spirv::Op;

use crate::ty::{Family, Scalar};

/// One of three instructions by the family of what they compute with.
pub(super) fn by_family(scalar: Scalar, [float, signed, unsigned]: [Op; 3]) -> Op {
    match scalar.family() {
        Family::Float => float,
        Family::Signed => signed,
        Family::Unsigned | Family::Bool => unsigned,
    }
}
