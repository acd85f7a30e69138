//! Functions of the language, by what they do.
//!
//! The tables of `builtin` map names and signatures to these; emission maps these to SPIR-V.
//! Where one name serves several scalar types (`abs`), the operands' types tell which
//! instruction it is.

use crate::handle::FunctionId;
use crate::token::Symbol;
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
    /// The result is a code that tells whether the texels were there; they go to a place, which
    /// stands before bias and component (`sparse`).
    pub sparse: bool,
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

/// A function of the language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are the language's own")]
pub enum Intrinsic {
    /// Of cooperative types.
    Cooperative(Cooperative),
    // Angles and exponentials.
    Radians,
    Degrees,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Pow,
    Exp,
    Log,
    Exp2,
    Log2,
    Sqrt,
    InverseSqrt,
    // Common functions.
    Abs,
    Sign,
    Floor,
    Trunc,
    Round,
    RoundEven,
    Ceil,
    Fract,
    Mod,
    /// The whole part goes to the second argument, a place.
    Modf,
    Min,
    Max,
    Clamp,
    Mix,
    /// `mix` with a bool: third ? second : first.
    MixBool,
    Step,
    SmoothStep,
    IsNan,
    IsInf,
    FloatBitsToInt,
    FloatBitsToUint,
    IntBitsToFloat,
    UintBitsToFloat,
    Fma,
    /// The exponent goes to the second argument, a place.
    Frexp,
    Ldexp,
    // Packing.
    PackUnorm2x16,
    PackSnorm2x16,
    PackUnorm4x8,
    PackSnorm4x8,
    PackHalf2x16,
    PackDouble2x32,
    UnpackUnorm2x16,
    UnpackSnorm2x16,
    UnpackUnorm4x8,
    UnpackSnorm4x8,
    UnpackHalf2x16,
    UnpackDouble2x32,
    // Geometry.
    Length,
    Distance,
    Dot,
    Cross,
    Normalize,
    FaceForward,
    Reflect,
    Refract,
    // Matrices.
    MatrixCompMult,
    OuterProduct,
    Transpose,
    Determinant,
    Inverse,
    // Vector relations, component by component.
    LessThan,
    LessThanEqual,
    GreaterThan,
    GreaterThanEqual,
    Equal,
    NotEqual,
    Any,
    All,
    Not,
    // Integers.
    /// Third argument: carry, a place.
    UaddCarry,
    /// Third argument: borrow, a place.
    UsubBorrow,
    /// Third and fourth arguments: high and low half, places.
    UmulExtended,
    /// The same with signs.
    ImulExtended,
    BitfieldExtract,
    BitfieldInsert,
    BitfieldReverse,
    BitCount,
    FindLsb,
    FindMsb,
    // Textures.
    Sample(Sampling),
    /// `textureSize`: sampler, level where the type has levels.
    TextureSize,
    TextureQueryLod,
    TextureQueryLevels,
    TextureSamples,
    // Images.
    ImageSize,
    ImageSamples,
    ImageLoad,
    ImageStore,
    /// `sparseImageLoadARB`: the texel goes to the last argument.
    SparseImageLoad,
    /// Likewise, with the level behind the coordinate.
    ImageLoadLevel,
    ImageStoreLevel,
    SparseImageLoadLevel,
    /// A footprint of a texture: what the function has of level, gradients, least level and bias.
    /// The footprint goes to a place, behind granularity and coarseness.
    Footprint(Sampling),
    /// A gather of four texels that are no square, by SPIR-V's number; perhaps at an offset.
    GatherMode {
        mode: u32,
        offset: bool,
    },
    ImageAtomic(Atomic),
    /// `subpassLoad`.
    SubpassLoad,
    // Memory.
    /// On a buffer or shared variable: the place, then operands.
    Atomic(Atomic),
    /// To a float of 8 bits; what is too large becomes the largest number.
    SaturatedConvert,
    /// The bits of small floats from some place in each of several bytes.
    BitcastExtract,
    /// On a tensor.
    Tensor(Tensor),
    /// On an `atomic_uint`.
    AtomicCounter(Atomic),
    // Fragments.
    Dfdx,
    Dfdy,
    DfdxFine,
    DfdyFine,
    DfdxCoarse,
    DfdyCoarse,
    Fwidth,
    FwidthFine,
    FwidthCoarse,
    InterpolateAtCentroid,
    InterpolateAtSample,
    InterpolateAtOffset,
    /// `interpolateAtVertexAMD`: an input as the vertex of that number has it.
    InterpolateAtVertex,
    // Noise: gives zeros, as every driver does.
    Noise,
    // Barriers.
    Barrier,
    MemoryBarrier,
    MemoryBarrierAtomicCounter,
    MemoryBarrierBuffer,
    MemoryBarrierShared,
    MemoryBarrierImage,
    GroupMemoryBarrier,
    // Votes, as far as desktop 4.60 has them without an extension.
    AnyInvocation,
    AllInvocations,
    AllInvocationsEqual,
    // Geometry shaders.
    EmitVertex,
    EndPrimitive,
    EmitStreamVertex,
    EndStreamPrimitive,
    /// `ftransform()`: position of fixed functions.
    Ftransform,
    /// Of the invocations of a subgroup, by the SPIR-V instruction, which has the scope first and
    /// then the operation, if there is one. Where instructions differ by scalar type, it is the
    /// one of signed integers.
    Subgroup(spirv::Op, Option<spirv::GroupOperation>),
    /// A barrier that says its scopes, storage and order.
    ScopedBarrier(spirv::Op),
    /// `controlBarrierArrive`: execution and memory scope, storage, order; or nothing.
    ControlArrive,
    /// `controlBarrierWait`, likewise.
    ControlWait,
    /// A clock of the subgroup or the device: two words, or one of 64 bits.
    ReadClock(spirv::Scope),
    /// `subgroupQuadSwap...`: horizontal, vertical or diagonal, by SPIR-V's number.
    QuadSwap(u32),
    /// Of a ray query: the place of the query first. What concerns an intersection has a bool for
    /// the committed one behind it, which SPIR-V wants as a number.
    RayQuery(spirv::Op),
    /// Sends a ray; the last argument is the place of its payload.
    TraceRay(spirv::Op),
    /// Calls a callable shader: its number, and the place of its data.
    ExecuteCallable,
    /// Ends the invocation and says what becomes of the hit.
    EndOfRay(spirv::Op),
    /// Several numbers of a ray query's intersection; they go to the last argument, a place.
    RayParts(spirv::Op),
    /// Of a hit object: the place of the object first, then values, and what goes with it.
    HitObject(spirv::Op, Companion),
    /// Several numbers of a hit object; they go to the last argument, a place.
    HitObjectParts(spirv::Op),
    /// Texture functions of blocks: the textures that the function compares, or weighs with, are
    /// marked as such.
    TextureBlock(spirv::Op),
    /// `debugPrintfEXT`: the text, and values.
    Print(Symbol),
    /// `abortEXT`: likewise, and the end.
    Abort(Symbol),
    /// Of another set than GLSL's, by its name and number: operands in order.
    Extended(&'static str, u32),
    /// Others that come with extensions, by their SPIR-V instruction: operands in order.
    Instruction(spirv::Op),
}
