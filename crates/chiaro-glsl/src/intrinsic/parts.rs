//! What distinguishes functions of one kind.

use crate::handle::FunctionId;
use crate::ty::CoopKind;

/// What an image or sampler function does beside sampling: the operands follow the sampler and
/// the coordinate in this order: reference (where it is an operand of its own), level or bias,
/// gradients, offset(s), component, sample.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Sampling {
    /// The last component of the coordinate divides the others (`Proj`). With `vec4` for two
    /// dimensions the third one is skipped.
    pub projected: bool,
    /// A bias for the level is the last operand (as GLSL has it).
    pub bias: bool,
    /// The level is given (`Lod`).
    pub level: bool,
    /// The gradients are given (`Grad`).
    pub gradients: bool,
    /// One offset is given.
    pub offset: bool,
    /// Four offsets are given (`textureGatherOffsets`).
    pub offsets: bool,
    /// `texelFetch`: integer coordinate, then level or sample where the type has them.
    pub fetch: bool,
    /// `textureGather`.
    pub gather: bool,
    /// A component is given to a gather.
    pub component: bool,
    /// Of a shadow sampler: the reference is an operand of its own, not the coordinate's last
    /// component.
    pub separate_reference: bool,
    /// The least level is given, behind levels and offsets (`Clamp`).
    pub clamp: bool,
    /// The result is a code that says whether the texels were there; they go to a place, which
    /// stands before bias and component (`sparse`).
    pub sparse: bool,
}

impl Sampling {
    /// Nothing beside the coordinate.
    pub const NONE: Sampling = Sampling {
        projected: false,
        bias: false,
        level: false,
        gradients: false,
        offset: false,
        offsets: false,
        fetch: false,
        gather: false,
        component: false,
        separate_reference: false,
        clamp: false,
        sparse: false,
    };
}

/// Atomic functions; of memory, of images and of counters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Atomic {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exchange,
    CompareSwap,
    /// Of counters.
    Increment,
    /// Of counters; gives the value after.
    Decrement,
    /// Of counters, or `atomicLoad`.
    Load,
    /// `atomicStore`.
    Store,
    /// Of counters.
    Subtract,
}

/// Functions of tensors. [GL_ARM_tensors]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Tensor {
    /// Elements into a place.
    Read,
    /// Elements from a value.
    Write,
    /// How many there are in a dimension.
    Size,
}

/// What goes with a hit object into a call: a variable that an argument names by its location.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Companion {
    /// Nothing.
    None,
    /// The payload of shaders that are called, the last argument.
    Payload,
    /// The same; behind it SPIR-V wants the hint and its number of bits, which stand before.
    PayloadAfterHint,
    /// Attributes of the hit, the last argument.
    Attributes,
    /// Attributes of the hit, the fourth argument: a kind of hit may follow.
    QueryAttributes,
}

impl Companion {
    /// Which of so many arguments is the location.
    #[must_use]
    pub fn place(self, count: usize) -> Option<usize> {
        match self {
            Companion::None => None,
            Companion::QueryAttributes => Some(3),
            Companion::Payload | Companion::PayloadAfterHint | Companion::Attributes => count.checked_sub(1),
        }
    }
}

/// Functions that decode what memory holds into elements of a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Decoding {
    /// Of one element.
    pub one: Option<FunctionId>,
    /// Of several, beside it.
    pub several: Option<FunctionId>,
}

/// What a cooperative vector is multiplied with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Product {
    /// A matrix.
    Mul,
    /// A matrix, with a bias added.
    MulAdd,
}

/// Functions of cooperative types. Results that the language writes to a place are the first
/// argument. [GL_KHR_cooperative_matrix and what builds on it, GL_NV_cooperative_vector,
/// GL_QCOM_cooperative_matrix_conversion]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cooperative {
    /// A matrix from memory: place, array, element, stride, layout.
    Load,
    /// A matrix to memory.
    Store,
    /// A product and a sum.
    MulAdd,
    /// How many elements an invocation holds.
    Length,
    /// The same as a specialisation constant, as the first such matrices have it.
    FixedLength,
    /// A matrix as one of another use, perhaps with elements of another type.
    Convert,
    /// A matrix transposed, to a place.
    Transpose,
    /// Elements combined by a function, to a place.
    Reduce(FunctionId),
    /// A function of each element, to a place.
    PerElement(FunctionId),
    /// Row and column of an element.
    Coordinate,
    /// A matrix from a tensor: place, array, element, layout, perhaps a view.
    LoadTensor(Decoding),
    /// A matrix to a tensor.
    StoreTensor,
    /// A layout or view of tensors.
    Create(CoopKind),
    /// A layout or view with other numbers.
    Set(spirv::Op),
    /// A vector from memory: place, array, offset.
    VectorLoad,
    /// A vector to memory.
    VectorStore,
    /// A vector times a matrix in memory, to a place.
    VectorProduct(Product),
    /// The product of two vectors, added to a matrix in memory.
    OuterProduct,
    /// A vector that is added to one in memory.
    ReduceSum,
    /// An array, matrix or part as another value: the instruction, its operand, its place.
    Rearrange(spirv::Op),
}
