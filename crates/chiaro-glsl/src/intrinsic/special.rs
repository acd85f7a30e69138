//! Functions whose parameters depend on each other, so that no form describes them: a rule of the
//! checker does.

use spirv::Op;

use super::parts::{Product, Sampling, Tensor};
use crate::ty::CoopKind;

/// Which rule checks a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Special {
    /// `debugPrintfEXT`: a text, then values.
    Print,
    /// `abortEXT`: nothing, or a text and values.
    Abort,
    /// `nonuniformEXT`: a value that differs between invocations.
    Nonuniform,
    /// Of a tensor.
    Tensor(Tensor),
    /// Of a texture's footprint.
    Footprint(Sampling),
    /// Of cooperative types.
    Cooperative(CoopRule),
    /// Arrays and matrices as each other.
    Rearrange(Op),
    /// `saturatedConvertEXT` of matrices.
    SaturatedMatrix,
}

impl Special {
    /// Whether the rule reads its arguments itself: texts and names of functions are no values.
    #[must_use]
    pub fn takes_written(self) -> bool {
        matches!(self, Special::Print | Special::Abort | Special::Cooperative(_))
    }
}

/// What is to be checked of a call of a cooperative function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CoopRule {
    /// `(out m, buffer, element, stride, layout)`
    Load(CoopKind),
    /// `(m, buffer, element, stride, layout)`
    Store(CoopKind),
    /// `(a, b, c, operands)`, a result
    MulAdd(CoopKind),
    /// `(out m, m)`
    Transpose,
    /// `(out m, m, mask, function)`
    Reduce,
    /// `(out m, m, function, ...)`
    PerElement,
    /// `(m, n)`, a result
    Coordinate,
    /// `(inout m, buffer, element, layout, ...)`
    LoadTensor,
    /// `(m, buffer, element, layout, ...)`
    StoreTensor,
    /// `createTensorLayoutNV` and its like.
    Create(CoopKind),
    /// `setTensorLayoutStrideNV` and its like: numbers for each dimension, or so many.
    Set(CoopKind, Op, Counted),
    /// `(out v, buffer, offset)`
    VectorLoad,
    /// `(v, buffer, offset)`
    VectorStore,
    /// `(out v, v, ...)`
    VectorProduct(Product),
    /// `(v, v, buffer, ...)`
    OuterProduct,
    /// `(v, buffer, offset)`
    ReduceSum,
}

/// How many numbers follow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Counted {
    /// So many for each dimension.
    Each(usize),
    /// So many.
    Just(usize),
}
