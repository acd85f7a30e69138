//! `layout(...)`: a table of names, where each may stand and since when.

mod devices;

use super::Checker;
use super::qualifier::Qualifiers;
use crate::ast::LayoutId;
use crate::builtin::{Stages, When};
use crate::qualifier::Packing;
use crate::token::At;
use spirv::{Decoration, ExecutionMode, ImageFormat};

/// What a declaration is, to tell which layouts it takes: a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kind(u32);

impl Kind {
    pub(super) const ATTRIBUTE: Kind = Kind(1);
    pub(super) const COLOUR: Kind = Kind(1 << 1);
    pub(super) const VARYING: Kind = Kind(1 << 2);
    pub(super) const UNIFORM: Kind = Kind(1 << 3);
    pub(super) const SAMPLER: Kind = Kind(1 << 4);
    pub(super) const IMAGE: Kind = Kind(1 << 5);
    pub(super) const COUNTER: Kind = Kind(1 << 6);
    pub(super) const UNIFORM_BLOCK: Kind = Kind(1 << 7);
    pub(super) const BUFFER_BLOCK: Kind = Kind(1 << 8);
    pub(super) const IO_BLOCK: Kind = Kind(1 << 9);
    /// Members of a uniform or buffer block.
    pub(super) const MEMBER: Kind = Kind(1 << 10);
    /// Members of an input or output block.
    pub(super) const IO_MEMBER: Kind = Kind(1 << 11);
    /// `layout(...) uniform;`
    pub(super) const DEFAULT_BLOCK: Kind = Kind(1 << 12);
    /// `layout(...) in;`
    pub(super) const DEFAULT_IN: Kind = Kind(1 << 13);
    /// `layout(...) out;`
    pub(super) const DEFAULT_OUT: Kind = Kind(1 << 14);
    pub(super) const CONSTANT: Kind = Kind(1 << 15);
    /// `gl_FragCoord`, declared again.
    pub(super) const FRAG_COORD: Kind = Kind(1 << 16);
    /// `gl_FragDepth`, declared again.
    pub(super) const FRAG_DEPTH: Kind = Kind(1 << 17);
    /// `shared` with members.
    pub(super) const SHARED_BLOCK: Kind = Kind(1 << 20);
    /// Another variable of the language, declared again.
    pub(super) const BUILTIN: Kind = Kind(1 << 18);
    /// What travels with rays and calls.
    pub(super) const PAYLOAD: Kind = Kind(1 << 24);
    /// `resourceheap`, `samplerheap` with members.
    pub(super) const HEAP_BLOCK: Kind = Kind(1 << 21);
    /// Those members.
    pub(super) const HEAP_MEMBER: Kind = Kind(1 << 22);
    /// `tileImageEXT`.
    pub(super) const TILE: Kind = Kind(1 << 23);
    /// `layout(...);`
    pub(super) const ALONE: Kind = Kind(1 << 19);
    /// Every other declaration.
    pub(super) const OTHER: Kind = Kind(0);

    pub(super) const fn or(self, other: Kind) -> Kind {
        Kind(self.0 | other.0)
    }

    fn meets(self, other: Kind) -> bool {
        self.0 & other.0 != 0
    }
}

/// What a name in `layout(...)` sets.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Sets {
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
struct Row {
    name: &'static str,
    sets: Sets,
    on: Kind,
    when: When,
}

macro_rules! layouts {
    ($( $name:literal $sets:expr, $on:expr, $when:expr; )*) => {
        &[ $( Row { name: $name, sets: $sets, on: $on, when: $when } ),* ]
    };
}
use layouts;

/// All names.
fn rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().chain(devices::ROWS)
}

const BLOCK: Kind = Kind::UNIFORM_BLOCK.or(Kind::BUFFER_BLOCK);
const PACKED: Kind = BLOCK.or(Kind::SHARED_BLOCK).or(Kind::DEFAULT_BLOCK);
const MATRICES: Kind = PACKED.or(Kind::MEMBER).or(Kind::HEAP_BLOCK);
const IO: Kind = Kind::VARYING.or(Kind::ATTRIBUTE).or(Kind::COLOUR).or(Kind::IO_MEMBER).or(Kind::IO_BLOCK);
const LOOSE: Kind = Kind::UNIFORM.or(Kind::SAMPLER).or(Kind::IMAGE);
const RESOURCES: Kind = Kind::SAMPLER.or(Kind::IMAGE).or(Kind::COUNTER).or(BLOCK);
/// Vulkan's sets hold anything that is bound.
const BOUND: Kind = RESOURCES.or(Kind::UNIFORM);

const EXPLICIT: When = When::since(300, 330).or(&["GL_ARB_explicit_attrib_location"]);
const SEPARATE: When = When::since(310, 410).or(&[
    "GL_ARB_separate_shader_objects",
    "GL_EXT_separate_shader_objects",
    "GL_EXT_shader_io_blocks",
    "GL_OES_shader_io_blocks",
]);
const UNIFORM_LOCATION: When = When::since(310, 430).or(&["GL_ARB_explicit_uniform_location"]);
const ENHANCED: When = When::since(0, 440).or(&["GL_ARB_enhanced_layouts"]);
const BINDING: When =
    When::since(310, 420).or(&["GL_ARB_shading_language_420pack", "GL_ARB_shader_atomic_counters"]);
const VULKAN: When = When::since(310, 140);
const BLOCKS: When = When::since(300, 140).or(&["GL_ARB_uniform_buffer_object"]);
const STORAGE: When = When::since(310, 430).or(&["GL_ARB_shader_storage_buffer_object"]);
const SCALAR: When = When::with(&["GL_EXT_scalar_block_layout"]);
const BLEND: When = When::since(0, 330).or(&["GL_ARB_blend_func_extended", "GL_EXT_blend_func_extended"]);
const IMAGES: When = When::since(310, 420).or(&["GL_ARB_shader_image_load_store"]);
const MORE_IMAGES: When = When::since(0, 420).or(&["GL_ARB_shader_image_load_store", "GL_NV_image_formats"]);
const COMPUTE: When = When::since(310, 430).or(&["GL_ARB_compute_shader"]).only(Stages::COMPUTE);
const FRAG_COORD: When =
    When::since(0, 150).or(&["GL_ARB_fragment_coord_conventions"]).only(Stages::FRAGMENT);
const DEPTH: When = When::since(0, 420)
    .or(&["GL_ARB_conservative_depth", "GL_AMD_conservative_depth", "GL_EXT_conservative_depth"])
    .only(Stages::FRAGMENT);
const EARLY: When = When::since(310, 420).or(&["GL_ARB_shader_image_load_store"]).only(Stages::FRAGMENT);
const GEOMETRY: When = When::ALWAYS.only(Stages::GEOMETRY);
const ADVANCED_BLEND: When = When::since(320, 0)
    .or(&["GL_KHR_blend_equation_advanced", "GL_NV_blend_equation_advanced"])
    .only(Stages::FRAGMENT);

const REFERENCE: When = When::with(&["GL_EXT_buffer_reference"]);

const IN: Kind = Kind::DEFAULT_IN;
const OUT: Kind = Kind::DEFAULT_OUT;

/// The names. Where one stands several times, the rows are for different declarations.
static ROWS: &[Row] = layouts! {
    "location" Sets::Location, Kind::ATTRIBUTE.or(Kind::COLOUR), EXPLICIT;
    "location" Sets::Location, Kind::VARYING.or(Kind::IO_MEMBER).or(Kind::IO_BLOCK), SEPARATE;
    "location" Sets::Location, LOOSE, UNIFORM_LOCATION;
    "component" Sets::Component, IO, ENHANCED;
    "index" Sets::Index, Kind::COLOUR, BLEND;
    "binding" Sets::Binding, BOUND.or(Kind::DEFAULT_BLOCK), BINDING;
    "set" Sets::Set, BOUND, VULKAN;
    "offset" Sets::Offset, Kind::COUNTER.or(Kind::DEFAULT_BLOCK), BINDING;
    "offset" Sets::Offset, Kind::MEMBER, ENHANCED;
    "align" Sets::Align, Kind::MEMBER.or(BLOCK).or(Kind::SHARED_BLOCK), ENHANCED;
    "input_attachment_index" Sets::Attachment, Kind::SAMPLER, VULKAN;
    "constant_id" Sets::ConstantId, Kind::CONSTANT, VULKAN;
    "push_constant" Sets::PushConstant, Kind::UNIFORM_BLOCK, VULKAN;
    "buffer_reference" Sets::BufferReference, Kind::BUFFER_BLOCK, REFERENCE;
    "buffer_reference_align" Sets::ReferenceAlign, Kind::BUFFER_BLOCK, REFERENCE;
    "row_major" Sets::RowMajor(true), MATRICES, BLOCKS;
    "column_major" Sets::RowMajor(false), MATRICES, BLOCKS;
    "std140" Sets::Packing(Packing::Std140), PACKED, BLOCKS;
    "shared" Sets::Packing(Packing::Std140), PACKED, BLOCKS;
    "packed" Sets::Packing(Packing::Std140), PACKED, BLOCKS;
    "std430" Sets::Packing(Packing::Std430), PACKED, STORAGE;
    "scalar" Sets::Packing(Packing::Scalar), PACKED, SCALAR;
    "xfb_buffer" Sets::Number, IO.or(OUT), ENHANCED;
    "xfb_stride" Sets::Number, IO.or(OUT), ENHANCED;
    "xfb_offset" Sets::Number, IO, ENHANCED;
    "stream" Sets::Number, IO.or(OUT), GEOMETRY;
    "local_size_x" Sets::LocalSize(0), IN, COMPUTE;
    "local_size_y" Sets::LocalSize(1), IN, COMPUTE;
    "local_size_z" Sets::LocalSize(2), IN, COMPUTE;
    "local_size_x_id" Sets::LocalSizeId(0), IN, COMPUTE;
    "local_size_y_id" Sets::LocalSizeId(1), IN, COMPUTE;
    "local_size_z_id" Sets::LocalSizeId(2), IN, COMPUTE;
    "early_fragment_tests" Sets::EarlyTests, IN, EARLY;
    "origin_upper_left" Sets::UpperLeft, Kind::FRAG_COORD, FRAG_COORD;
    "pixel_center_integer" Sets::IntegerCentre, Kind::FRAG_COORD, FRAG_COORD;
    "depth_any" Sets::Depth(ExecutionMode::DepthReplacing), Kind::FRAG_DEPTH, DEPTH;
    "depth_greater" Sets::Depth(ExecutionMode::DepthGreater), Kind::FRAG_DEPTH, DEPTH;
    "depth_less" Sets::Depth(ExecutionMode::DepthLess), Kind::FRAG_DEPTH, DEPTH;
    "depth_unchanged" Sets::Depth(ExecutionMode::DepthUnchanged), Kind::FRAG_DEPTH, DEPTH;
    "points" Sets::Points, IN.or(OUT), GEOMETRY;
    "lines" Sets::InputPrimitive(ExecutionMode::InputLines), IN, GEOMETRY;
    "lines_adjacency" Sets::InputPrimitive(ExecutionMode::InputLinesAdjacency), IN, GEOMETRY;
    "triangles" Sets::InputPrimitive(ExecutionMode::Triangles), IN, GEOMETRY;
    "triangles_adjacency" Sets::InputPrimitive(ExecutionMode::InputTrianglesAdjacency), IN, GEOMETRY;
    "line_strip" Sets::OutputPrimitive(ExecutionMode::OutputLineStrip), OUT, GEOMETRY;
    "triangle_strip" Sets::OutputPrimitive(ExecutionMode::OutputTriangleStrip), OUT, GEOMETRY;
    "max_vertices" Sets::MaxVertices, OUT, GEOMETRY;
    "invocations" Sets::Invocations, IN, GEOMETRY;
    "blend_support_multiply" Sets::Flag, OUT, ADVANCED_BLEND;
    "blend_support_screen" Sets::Flag, OUT, ADVANCED_BLEND;
    "blend_support_overlay" Sets::Flag, OUT, ADVANCED_BLEND;
    "blend_support_darken" Sets::Flag, OUT, ADVANCED_BLEND;
    "blend_support_lighten" Sets::Flag, OUT, ADVANCED_BLEND;
    "blend_support_colordodge" Sets::Flag, OUT, ADVANCED_BLEND;
    "blend_support_colorburn" Sets::Flag, OUT, ADVANCED_BLEND;
    "blend_support_hardlight" Sets::Flag, OUT, ADVANCED_BLEND;
    "blend_support_softlight" Sets::Flag, OUT, ADVANCED_BLEND;
    "blend_support_difference" Sets::Flag, OUT, ADVANCED_BLEND;
    "blend_support_exclusion" Sets::Flag, OUT, ADVANCED_BLEND;
    "blend_support_hsl_hue" Sets::Flag, OUT, ADVANCED_BLEND;
    "blend_support_hsl_saturation" Sets::Flag, OUT, ADVANCED_BLEND;
    "blend_support_hsl_color" Sets::Flag, OUT, ADVANCED_BLEND;
    "blend_support_hsl_luminosity" Sets::Flag, OUT, ADVANCED_BLEND;
    "blend_support_all_equations" Sets::Flag, OUT, ADVANCED_BLEND;
    "noncoherent" Sets::Flag, Kind::COLOUR, When::with(&["GL_EXT_shader_framebuffer_fetch_non_coherent"]);
    "num_views" Sets::Number, IN, When::with(&["GL_OVR_multiview", "GL_OVR_multiview2"]);
    "bindless_sampler" Sets::Flag, LOOSE.or(Kind::DEFAULT_BLOCK), When::with(&["GL_ARB_bindless_texture"]);
    "bound_sampler" Sets::Flag, LOOSE.or(Kind::DEFAULT_BLOCK), When::with(&["GL_ARB_bindless_texture"]);
    "bindless_image" Sets::Flag, LOOSE.or(Kind::DEFAULT_BLOCK), When::with(&["GL_ARB_bindless_texture"]);
    "bound_image" Sets::Flag, LOOSE.or(Kind::DEFAULT_BLOCK), When::with(&["GL_ARB_bindless_texture"]);
};

/// Image formats by their words in `layout(...)`; those of GLSL ES are first.
static FORMATS: &[(&str, ImageFormat, bool)] = &[
    ("rgba32f", ImageFormat::Rgba32f, true),
    ("rgba16f", ImageFormat::Rgba16f, true),
    ("r32f", ImageFormat::R32f, true),
    ("rgba8", ImageFormat::Rgba8, true),
    ("rgba8_snorm", ImageFormat::Rgba8Snorm, true),
    ("rgba32i", ImageFormat::Rgba32i, true),
    ("rgba16i", ImageFormat::Rgba16i, true),
    ("rgba8i", ImageFormat::Rgba8i, true),
    ("r32i", ImageFormat::R32i, true),
    ("rgba32ui", ImageFormat::Rgba32ui, true),
    ("rgba16ui", ImageFormat::Rgba16ui, true),
    ("rgba8ui", ImageFormat::Rgba8ui, true),
    ("r32ui", ImageFormat::R32ui, true),
    ("rg32f", ImageFormat::Rg32f, false),
    ("rg16f", ImageFormat::Rg16f, false),
    ("r11f_g11f_b10f", ImageFormat::R11fG11fB10f, false),
    ("r16f", ImageFormat::R16f, false),
    ("rgba16", ImageFormat::Rgba16, false),
    ("rgb10_a2", ImageFormat::Rgb10A2, false),
    ("rg16", ImageFormat::Rg16, false),
    ("rg8", ImageFormat::Rg8, false),
    ("r16", ImageFormat::R16, false),
    ("r8", ImageFormat::R8, false),
    ("rgba16_snorm", ImageFormat::Rgba16Snorm, false),
    ("rg16_snorm", ImageFormat::Rg16Snorm, false),
    ("rg8_snorm", ImageFormat::Rg8Snorm, false),
    ("r16_snorm", ImageFormat::R16Snorm, false),
    ("r8_snorm", ImageFormat::R8Snorm, false),
    ("rg32i", ImageFormat::Rg32i, false),
    ("rg16i", ImageFormat::Rg16i, false),
    ("rg8i", ImageFormat::Rg8i, false),
    ("r16i", ImageFormat::R16i, false),
    ("r8i", ImageFormat::R8i, false),
    ("rgb10_a2ui", ImageFormat::Rgb10a2ui, false),
    ("rg32ui", ImageFormat::Rg32ui, false),
    ("rg16ui", ImageFormat::Rg16ui, false),
    ("rg8ui", ImageFormat::Rg8ui, false),
    ("r16ui", ImageFormat::R16ui, false),
    ("r8ui", ImageFormat::R8ui, false),
    ("r64i", ImageFormat::R64i, false),
    ("r64ui", ImageFormat::R64ui, false),
];

/// What `layout(...)` gives beside what every variable may have.
#[derive(Debug, Default)]
pub(super) struct LayoutNumbers {
    /// Where the first name stands.
    pub(super) at: Option<At>,
    /// The names, for the check against what is declared.
    names: Vec<(&'static str, At)>,
    pub(super) packing: Option<Packing>,
    pub(super) row_major: Option<bool>,
    pub(super) push_constant: bool,
    pub(super) constant_id: Option<u32>,
    pub(super) buffer_reference: bool,
    pub(super) reference_align: Option<u32>,
    pub(super) reference_mark: Option<Decoration>,
    pub(super) local_size: [Option<u32>; 3],
    pub(super) local_size_id: [Option<u32>; 3],
    pub(super) early_tests: bool,
    pub(super) upper_left: bool,
    pub(super) integer_centre: bool,
    pub(super) depth: Option<ExecutionMode>,
    pub(super) input: Option<ExecutionMode>,
    pub(super) output: Option<ExecutionMode>,
    pub(super) points: bool,
    pub(super) max_vertices: Option<u32>,
    pub(super) invocations: Option<u32>,
    pub(super) modes: Vec<ExecutionMode>,
    pub(super) primitive_culling: bool,
    pub(super) shader_record: bool,
    pub(super) tile_rate: Option<[u32; 3]>,
    pub(super) descriptor_heap: bool,
    pub(super) buffer_type: bool,
    pub(super) passthrough: bool,
    /// What a variable of the language is declared to be besides.
    pub(super) marks: Vec<(spirv::Decoration, Option<u32>)>,
}

impl LayoutNumbers {
    /// Whether the format of an image is all that there is.
    pub(super) fn is_format(&self) -> bool {
        matches!(self.names.as_slice(), [(name, _)] if FORMATS.iter().any(|row| row.0 == *name))
    }

    /// Whether a name is among them.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known.0 == name)
    }
}

/// Defaults that the source has set so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Defaults {
    /// For uniform blocks: packing, row major.
    pub(super) uniform: (Option<Packing>, bool),
    /// For buffer blocks.
    pub(super) buffer: (Option<Packing>, bool),
    /// For blocks in shared memory.
    pub(super) shared: (Option<Packing>, bool),
}

impl<'a> Checker<'a> {
    /// Reads `layout(...)`.
    pub(super) fn layout(&mut self, ids: &'a [LayoutId], all: &mut Qualifiers) {
        for id in ids {
            all.numbers.at.get_or_insert(id.at);
            self.layout_id(id, all);
        }
    }

    fn layout_id(&mut self, id: &'a LayoutId, all: &mut Qualifiers) {
        // Desktop versions compare these names without regard to case; GLSL ES and those from
        // 1.50 on as written. Nobody depends on the difference.
        let name = self.text(id.name).to_ascii_lowercase();
        let value = id.value.map(|value| match name.as_str() {
            "heap_offset" => {
                all.layout.heap_offset = self.heap_offset(value);
                Some(0)
            }
            _ => self.layout_value(value, &name),
        });
        if let Some(&(word, format, es)) = FORMATS.iter().find(|row| row.0 == name) {
            all.numbers.names.push((word, id.at));
            self.require_word(id.at, word, if es { IMAGES } else { MORE_IMAGES });
            all.layout.format = Some(format);
            return;
        }
        let Some(row) = rows().find(|row| row.name == name) else {
            let words = rows().map(|row| row.name).chain(FORMATS.iter().map(|row| row.0));
            let meant = chiaro_diag::did_you_mean(&name, words).map(|word| format!("did you mean `{word}`?"));
            let message = format!("unknown layout `{}`", self.text(id.name));
            self.error(id.at, message).help.extend(meant);
            return;
        };
        all.numbers.names.push((row.name, id.at));
        if let Some(set) = self.set_layout(row, value, id.at) {
            set.apply(row.sets, all);
        }
    }

    /// Whether a name has a value exactly if it takes one.
    fn set_layout(&mut self, row: &Row, value: Option<Option<u32>>, at: At) -> Option<Value> {
        let flag = !matches!(
            row.sets,
            Sets::Location
                | Sets::Component
                | Sets::Index
                | Sets::Binding
                | Sets::Set
                | Sets::Offset
                | Sets::Align
                | Sets::Attachment
                | Sets::ConstantId
                | Sets::ReferenceAlign
                | Sets::LocalSize(_)
                | Sets::LocalSizeId(_)
                | Sets::MaxVertices
                | Sets::Invocations
                | Sets::SecondaryView
                | Sets::TileRate(_)
                | Sets::DescriptorStride
                | Sets::DescriptorSize
                | Sets::HeapOffset
                | Sets::Bank
                | Sets::MemberOffset
                | Sets::Number
        );
        match value {
            Some(_) if flag => {
                self.error(at, format!("`{}` takes no value", row.name));
                None
            }
            None if !flag => {
                self.error(at, format!("`{}` needs a value", row.name))
                    .help
                    .push(format!("write `{} = 0`", row.name));
                None
            }
            None => Some(Value(0)),
            Some(value) => {
                let value = value?;
                if value == 0 && matches!(row.sets, Sets::LocalSize(_) | Sets::Invocations) {
                    self.error(at, format!("`{}` must be at least 1", row.name));
                }
                if matches!(row.sets, Sets::Align | Sets::ReferenceAlign | Sets::DescriptorStride)
                    && !value.is_power_of_two()
                {
                    self.error(at, format!("`{}` must be a power of two", row.name));
                }
                Some(Value(value))
            }
        }
    }

    /// The number behind an equals sign.
    fn layout_value(&mut self, value: crate::ast::ExprId, name: &str) -> Option<u32> {
        let written = &self.ast.exprs[value.0 as usize];
        let literal = matches!(written.kind, crate::ast::ExprKind::Int(..));
        let at = written.at;
        let expr = self.expr(value);
        if self.is_error(expr) {
            return None;
        }
        if !literal {
            self.require(at, "an expression in `layout`", ENHANCED);
        }
        let ty = self.ty_of(expr);
        let integer = ty == self.known.int || ty == self.known.uint;
        let Some(&bits) = self.bits(expr).filter(|_| integer).and_then(<[u64]>::first) else {
            self.error(at, format!("the value of `{name}` must be a constant integer"));
            return None;
        };
        if ty == self.known.int && (bits as u32 as i32) < 0 {
            self.error(at, format!("the value of `{name}` cannot be negative"));
            return None;
        }
        Some(bits as u32)
    }

    /// Checks the names that a declaration has against what it is.
    pub(super) fn check_layout(&mut self, all: &Qualifiers, kind: Kind, what: &str) {
        for &(name, at) in &all.numbers.names {
            if FORMATS.iter().any(|row| row.0 == name) {
                if !kind.meets(Kind::IMAGE) {
                    self.error(at, format!("`{name}` is for images; {what} takes no format"));
                }
                continue;
            }
            let fits = |row: &&Row| row.name == name && row.on.meets(kind);
            let Some(row) = rows().find(fits) else {
                self.error(at, format!("`{name}` does not fit here: {what} does not take it"));
                continue;
            };
            let when = row.when;
            if !when.is(self.version, self.stage, &self.enabled) {
                self.require(at, &format!("`{name}` for {what}"), when);
            }
        }
    }
}

/// A checked value; 0 for flags.
struct Value(u32);

impl Value {
    fn apply(&self, sets: Sets, all: &mut Qualifiers) {
        let number = Some(self.0);
        let (layout, numbers) = (&mut all.layout, &mut all.numbers);
        match sets {
            Sets::Location => layout.location = number,
            Sets::Component => layout.component = number,
            Sets::Index => layout.index = number,
            Sets::Binding => layout.binding = number,
            Sets::Set => layout.set = number,
            Sets::Offset => layout.offset = number,
            Sets::Align => layout.align = number,
            Sets::Attachment => layout.attachment = number,
            Sets::BufferReference => numbers.buffer_reference = true,
            Sets::ReferenceAlign => numbers.reference_align = number,
            Sets::ConstantId => numbers.constant_id = number,
            Sets::RowMajor(row_major) => {
                layout.row_major = row_major;
                numbers.row_major = Some(row_major);
            }
            Sets::Packing(packing) => numbers.packing = Some(packing),
            Sets::PushConstant => numbers.push_constant = true,
            Sets::LocalSize(axis) => numbers.local_size[axis] = number,
            Sets::LocalSizeId(axis) => numbers.local_size_id[axis] = number,
            Sets::EarlyTests => numbers.early_tests = true,
            Sets::UpperLeft => numbers.upper_left = true,
            Sets::IntegerCentre => numbers.integer_centre = true,
            Sets::Depth(mode) => numbers.depth = Some(mode),
            Sets::InputPrimitive(mode) => numbers.input = Some(mode),
            Sets::OutputPrimitive(mode) => numbers.output = Some(mode),
            Sets::Points => numbers.points = true,
            Sets::MaxVertices => numbers.max_vertices = number,
            Sets::Invocations => numbers.invocations = number,
            Sets::Mode(mode) => numbers.modes.push(mode),
            Sets::ViewportRelative => numbers.marks.push((Decoration::ViewportRelativeNV, None)),
            Sets::SecondaryView => numbers.marks.push((Decoration::SecondaryViewportRelativeNV, number)),
            Sets::OverrideCoverage => numbers.marks.push((Decoration::OverrideCoverageNV, None)),
            Sets::TileAttachment => layout.tile = true,
            Sets::TileRate(axis) => numbers.tile_rate.get_or_insert([1; 3])[axis] = self.0,
            Sets::DescriptorHeap => {
                numbers.descriptor_heap = true;
                layout.heap.get_or_insert_default();
            }
            Sets::DescriptorStride => layout.heap.get_or_insert_default().stride = number,
            Sets::DescriptorSize => layout.heap.get_or_insert_default().size = number,
            Sets::Bank => numbers.marks.push((Decoration::BankNV, number)),
            Sets::MemberOffset => numbers.marks.push((Decoration::MemberOffsetNV, number)),
            Sets::Passthrough => {
                numbers.passthrough = true;
                numbers.marks.push((Decoration::PassthroughNV, None));
            }
            Sets::BufferType => numbers.buffer_type = true,
            Sets::ShaderRecord => numbers.shader_record = true,
            Sets::ReferenceMark(mark) => numbers.reference_mark = Some(mark),
            Sets::PrimitiveCulling => numbers.primitive_culling = true,
            Sets::HeapOffset | Sets::Number | Sets::Flag => {}
        }
    }
}
