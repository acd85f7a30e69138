//! What the qualifiers of one declaration say together.

use super::formats::FORMATS;
use crate::inline::{SpirvInstruction, SpirvParam};
use crate::qualifier::{Packing, Precision, RayStorage};
use crate::token::At;
use spirv::{Decoration, ExecutionMode};

/// The word that says where a variable lives or how a parameter is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    In,
    Out,
    Inout,
    Attribute,
    Varying,
    Uniform,
    Buffer,
    Shared,
    TaskPayload,
    Ray(RayStorage),
    Heap(crate::qualifier::HeapKind),
    TileImage,
    /// A storage class of the source's own.
    Spirv(spirv::StorageClass),
}

/// What the qualifiers of a declaration say together.
#[derive(Debug, Default)]
pub(crate) struct Qualifiers {
    /// Where it lives.
    pub(crate) place: Option<Place>,
    /// Where that stands.
    pub(crate) place_at: Option<At>,
    /// `const`, also together with `in` for parameters.
    pub(crate) constant: Option<At>,
    /// `lowp` and so on.
    pub(crate) precision: Option<Precision>,
    /// An interpolation was written, and where.
    pub(crate) interpolation: Option<At>,
    /// `centroid`, `sample`, `patch`: where.
    pub(crate) auxiliary: Option<At>,
    /// `coherent` and so on: where the first stands.
    pub(crate) memory: Option<At>,
    /// `invariant`: where.
    pub(crate) invariant: Option<At>,
    /// `precise`: where.
    pub(crate) precise: Option<At>,
    /// Flags, and what the layout gives.
    pub(crate) layout: crate::qualifier::Layout,
    /// What else `layout(...)` gives.
    pub(crate) numbers: LayoutNumbers,
    /// Words of SPIR-V.
    pub(crate) spirv: SpirvUse,
    /// `subroutine`: where.
    pub(crate) subroutine: Option<At>,
}

/// Words of SPIR-V among the qualifiers of a declaration.
#[derive(Debug, Default)]
pub(crate) struct SpirvUse {
    /// The instruction that a function is.
    pub(crate) instruction: Option<SpirvInstruction>,
    /// How an argument is passed to an instruction.
    pub(crate) passed: Option<SpirvParam>,
}

/// What `layout(...)` gives beside what every variable may have.
#[derive(Debug, Default)]
pub(crate) struct LayoutNumbers {
    /// Where the first name stands.
    pub(crate) at: Option<At>,
    /// The names, for the check against what is declared.
    pub(crate) names: Vec<(&'static str, At)>,
    pub(crate) packing: Option<Packing>,
    pub(crate) row_major: Option<bool>,
    pub(crate) push_constant: bool,
    pub(crate) constant_id: Option<u32>,
    pub(crate) buffer_reference: bool,
    pub(crate) reference_align: Option<u32>,
    pub(crate) reference_mark: Option<Decoration>,
    pub(crate) local_size: [Option<u32>; 3],
    pub(crate) local_size_id: [Option<u32>; 3],
    pub(crate) early_tests: bool,
    pub(crate) upper_left: bool,
    pub(crate) integer_centre: bool,
    pub(crate) depth: Option<ExecutionMode>,
    pub(crate) input: Option<ExecutionMode>,
    pub(crate) output: Option<ExecutionMode>,
    pub(crate) points: bool,
    pub(crate) max_vertices: Option<u32>,
    pub(crate) max_primitives: Option<u32>,
    pub(crate) patch_vertices: Option<u32>,
    pub(crate) invocations: Option<u32>,
    pub(crate) modes: Vec<ExecutionMode>,
    pub(crate) primitive_culling: bool,
    pub(crate) shader_record: bool,
    pub(crate) tile_rate: Option<[u32; 3]>,
    pub(crate) descriptor_heap: bool,
    pub(crate) buffer_type: bool,
    pub(crate) passthrough: bool,
    /// What a variable of the language is declared to be besides.
    pub(crate) marks: Vec<(spirv::Decoration, Option<u32>)>,
}

impl LayoutNumbers {
    /// Whether the format of an image is all that there is.
    pub(crate) fn is_format(&self) -> bool {
        matches!(self.names.as_slice(), [(name, _)] if FORMATS.iter().any(|row| row.0 == *name))
    }

    /// Whether a name is among them.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known.0 == name)
    }
}

/// Defaults that the source has set so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Defaults {
    /// For uniform blocks: packing, row major.
    pub(crate) uniform: (Option<Packing>, bool),
    /// For buffer blocks.
    pub(crate) buffer: (Option<Packing>, bool),
    /// For blocks in shared memory.
    pub(crate) shared: (Option<Packing>, bool),
}
