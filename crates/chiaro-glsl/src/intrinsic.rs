//! Functions of the language, by what they do.
//!
//! The tables of `builtin` map names and signatures to these; emission maps these to SPIR-V.
//! Where one name serves several scalar types (`abs`), the operands' types say which
//! instruction it is.

mod math;
mod parts;
mod special;

use crate::token::Symbol;

pub use math::Math;
pub(crate) use math::{Instruction, Value, sign};
pub use parts::{Atomic, Companion, Cooperative, Decoding, Product, Sampling, Tensor};
pub use special::{CoopRule, Counted, Special};

/// A function of the language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are the language's own")]
pub enum Intrinsic {
    /// One instruction on numbers.
    Math(Math),
    /// One that a rule checks: a call becomes another of these.
    Special(Special),
    /// Of cooperative types.
    Cooperative(Cooperative),
    // Of numbers, several instructions.
    Mod,
    /// The whole part goes to the second argument, a place.
    Modf,
    /// `mix` with a bool: third ? second : first.
    MixBool,
    /// The exponent goes to the second argument, a place.
    Frexp,
    Dot,
    // Matrices.
    MatrixCompMult,
    // Vector relations, component by component.
    LessThan,
    LessThanEqual,
    GreaterThan,
    GreaterThanEqual,
    Equal,
    NotEqual,
    Any,
    All,
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
    InterpolateAtCentroid,
    InterpolateAtSample,
    InterpolateAtOffset,
    /// `interpolateAtVertexAMD`: an input as the vertex of that number has it.
    InterpolateAtVertex,
    // Noise: gives zeros, as every driver does.
    Noise,
    // Barriers.
    Barrier,
    /// `barrier()` of tessellation control shaders, which waits for the patch.
    PatchBarrier,
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
    /// `EmitMeshTasksEXT`: ends the task shader.
    EmitMeshTasks,
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
