//! What qualifiers say once they are resolved: where a variable lives, how it is laid out, how it
//! is interpolated.

use crate::handle::ExprId;
use crate::inline::{SpirvDecoration, SpirvNeeds};
use crate::ty::HitObject;

/// `lowp`, `mediump`, `highp`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Precision {
    Low,
    Medium,
    High,
}

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// `in`, `attribute`, `varying` of a fragment shader.
    In,
    /// `out`, `varying` of a vertex shader.
    Out,
    /// `uniform`: loose, opaque, or a block.
    Uniform,
    /// `buffer`.
    Buffer,
    /// `layout(push_constant) uniform`.
    PushConstant,
    /// `shared`.
    Shared,
    /// `taskPayloadSharedEXT`: what a task shader hands to its mesh shaders.
    TaskPayload,
    /// What travels with a ray or a call.
    Ray(RayStorage),
    /// `layout(shaderRecordEXT) buffer`.
    ShaderRecord,
    /// `resourceheap`, `samplerheap`.
    Heap(HeapKind),
    /// `tileImageEXT`.
    TileImage,
    /// A storage class that the source brings itself.
    Spirv(spirv::StorageClass),
    /// A variable without a qualifier: one for each invocation.
    Private,
}

/// What travels with a ray, or to a callable shader and back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RayStorage {
    /// `rayPayloadEXT`: sent.
    Payload,
    /// `rayPayloadInEXT`: received.
    PayloadIn,
    /// `hitAttributeEXT`: from the intersection shader to those of hits.
    HitAttribute,
    /// `callableDataEXT`: sent.
    Callable,
    /// `callableDataInEXT`: received.
    CallableIn,
    /// `hitObjectAttributeEXT`: attributes that go into hit objects and out of them.
    HitObjectAttribute(HitObject),
}

/// The heaps of descriptors. [GL_EXT_descriptor_heap]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HeapKind {
    /// Textures, images, buffers and all else but samplers.
    Resources,
    /// Samplers.
    Samplers,
}

/// How an array of descriptors, or a member of a heap, lies there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HeapArray {
    /// `descriptor_stride`: bytes from descriptor to descriptor, where they are not those that
    /// the device says.
    pub stride: Option<u32>,
    /// `descriptor_size`, likewise.
    pub size: Option<u32>,
}

/// How a varying is interpolated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs, reason = "the names are the language's own words")]
pub enum Interpolation {
    #[default]
    Smooth,
    Flat,
    NoPerspective,
    /// `pervertexEXT`: the values of the triangle's vertices, in an array.
    PerVertex,
    /// `__explicitInterpAMD`: the values of the vertices, which a function gives.
    Explicit,
}

/// How a block is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs, reason = "the names are the language's own words")]
pub enum Packing {
    /// Also `shared` and `packed`: laid out as std140, which both allow.
    #[default]
    Std140,
    Std430,
    Scalar,
}

/// Numbers and flags that qualifiers give; of a variable, or of a member of a block.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// `location`.
    pub location: Option<u32>,
    /// `component`.
    pub component: Option<u32>,
    /// `index` of a second colour.
    pub index: Option<u32>,
    /// `binding`.
    pub binding: Option<u32>,
    /// `set`.
    pub set: Option<u32>,
    /// `offset`, in bytes.
    pub offset: Option<u32>,
    /// `align`, in bytes.
    pub align: Option<u32>,
    /// `input_attachment_index`.
    pub attachment: Option<u32>,
    /// `row_major`.
    pub row_major: bool,
    /// Image format, by SPIR-V's enum.
    pub format: Option<spirv::ImageFormat>,
    /// Interpolation.
    pub interpolation: Interpolation,
    /// `smooth` is written, which colours of fixed functions tell from nothing.
    pub smooth: bool,
    /// `centroid`.
    pub centroid: bool,
    /// `sample`.
    pub sample: bool,
    /// `patch`.
    pub patch: bool,
    /// `invariant`.
    pub invariant: bool,
    /// `precise`.
    pub precise: bool,
    /// `nonuniformEXT`.
    pub nonuniform: bool,
    /// `coherent`.
    pub coherent: bool,
    /// `volatile`.
    pub volatile: bool,
    /// `restrict`.
    pub restrict: bool,
    /// `readonly`.
    pub read_only: bool,
    /// `writeonly`.
    pub write_only: bool,
    /// Decorations that the source brings itself.
    pub decorations: Vec<SpirvDecoration>,
    /// What the storage class needs that the source brings itself.
    pub spirv: Option<SpirvNeeds>,
    /// `tile_attachmentQCOM`.
    pub tile: bool,
    /// `perprimitiveEXT`: one value for the primitive.
    pub per_primitive: bool,
    /// `taskNV`: what a task shader hands to its mesh shaders.
    pub per_task: bool,
    /// `descriptor_heap`, and what is said of descriptors in heaps.
    pub heap: Option<HeapArray>,
    /// `heap_offset`: bytes at which a heap's block starts.
    pub heap_offset: Option<ExprId>,
    /// What extensions let a variable of the language be declared as, with a number if need be.
    pub marks: Vec<(spirv::Decoration, Option<u32>)>,
}
