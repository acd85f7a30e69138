//! A row of the table of layouts: a name, what it sets, where it may stand and since when.

use crate::builtin::When;
use crate::qualifier::Packing;
use spirv::{Decoration, ExecutionMode};

/// What a declaration is, to decide which layouts it takes: a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kind(u32);

impl Kind {
    pub(crate) const ATTRIBUTE: Kind = Kind(1);
    pub(crate) const COLOUR: Kind = Kind(1 << 1);
    pub(crate) const VARYING: Kind = Kind(1 << 2);
    pub(crate) const UNIFORM: Kind = Kind(1 << 3);
    pub(crate) const SAMPLER: Kind = Kind(1 << 4);
    pub(crate) const IMAGE: Kind = Kind(1 << 5);
    pub(crate) const COUNTER: Kind = Kind(1 << 6);
    pub(crate) const UNIFORM_BLOCK: Kind = Kind(1 << 7);
    pub(crate) const BUFFER_BLOCK: Kind = Kind(1 << 8);
    pub(crate) const IO_BLOCK: Kind = Kind(1 << 9);
    /// Members of a uniform or buffer block.
    pub(crate) const MEMBER: Kind = Kind(1 << 10);
    /// Members of an input or output block.
    pub(crate) const IO_MEMBER: Kind = Kind(1 << 11);
    /// `layout(...) uniform;`
    pub(crate) const DEFAULT_BLOCK: Kind = Kind(1 << 12);
    /// `layout(...) in;`
    pub(crate) const DEFAULT_IN: Kind = Kind(1 << 13);
    /// `layout(...) out;`
    pub(crate) const DEFAULT_OUT: Kind = Kind(1 << 14);
    pub(crate) const CONSTANT: Kind = Kind(1 << 15);
    /// `gl_FragCoord`, declared again.
    pub(crate) const FRAG_COORD: Kind = Kind(1 << 16);
    /// `gl_FragDepth`, declared again.
    pub(crate) const FRAG_DEPTH: Kind = Kind(1 << 17);
    /// `shared` with members.
    pub(crate) const SHARED_BLOCK: Kind = Kind(1 << 20);
    /// Another variable of the language, declared again.
    pub(crate) const BUILTIN: Kind = Kind(1 << 18);
    /// What travels with rays and calls.
    pub(crate) const PAYLOAD: Kind = Kind(1 << 24);
    /// `resourceheap`, `samplerheap` with members.
    pub(crate) const HEAP_BLOCK: Kind = Kind(1 << 21);
    /// Those members.
    pub(crate) const HEAP_MEMBER: Kind = Kind(1 << 22);
    /// `tileImageEXT`.
    pub(crate) const TILE: Kind = Kind(1 << 23);
    /// `layout(...);`
    pub(crate) const ALONE: Kind = Kind(1 << 19);
    /// Every other declaration.
    pub(crate) const OTHER: Kind = Kind(0);

    pub(crate) const fn or(self, other: Kind) -> Kind {
        Kind(self.0 | other.0)
    }

    pub(crate) fn meets(self, other: Kind) -> bool {
        self.0 & other.0 != 0
    }
}

/// What a name in `layout(...)` sets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Sets {
    Location,
    Component,
    Index,
    Binding,
    Set,
    Offset,
    Align,
    Attachment,
    ConstantId,
    BufferReference,
    ReferenceAlign,
    RowMajor(bool),
    Packing(Packing),
    PushConstant,
    LocalSize(usize),
    LocalSizeId(usize),
    EarlyTests,
    UpperLeft,
    IntegerCentre,
    Depth(ExecutionMode),
    InputPrimitive(ExecutionMode),
    OutputPrimitive(ExecutionMode),
    /// `points` is both.
    Points,
    MaxVertices,
    MaxPrimitives,
    /// Vertices of a patch that a tessellation control shader makes.
    PatchVertices,
    Invocations,
    /// A mode that comes with an extension.
    Mode(ExecutionMode),
    ViewportRelative,
    SecondaryView,
    OverrideCoverage,
    PrimitiveCulling,
    ShaderRecord,
    ReferenceMark(Decoration),
    TileAttachment,
    TileRate(usize),
    DescriptorHeap,
    DescriptorStride,
    DescriptorSize,
    BufferType,
    HeapOffset,
    Bank,
    MemberOffset,
    Passthrough,
    /// A number or flag that nothing here needs.
    Number,
    Flag,
}

/// A name in `layout(...)`.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) sets: Sets,
    pub(crate) on: Kind,
    pub(crate) when: When,
}

macro_rules! layouts {
    ($( $name:literal $sets:expr, $on:expr, $when:expr; )*) => {
        &[ $( Row { name: $name, sets: $sets, on: $on, when: $when } ),* ]
    };
}
pub(crate) use layouts;
