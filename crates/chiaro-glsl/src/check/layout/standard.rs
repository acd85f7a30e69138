//! Names in `layout(...)` that are of the language itself, and a few near it.

use super::row::{Kind, Row, Sets, layouts};
use crate::builtin::{Stages, When};
use crate::qualifier::Packing;
use spirv::ExecutionMode;

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
pub(super) const ENHANCED: When = When::since(0, 440).or(&["GL_ARB_enhanced_layouts"]);
const BINDING: When =
    When::since(310, 420).or(&["GL_ARB_shading_language_420pack", "GL_ARB_shader_atomic_counters"]);
const VULKAN: When = When::since(310, 140);
const BLOCKS: When = When::since(300, 140).or(&["GL_ARB_uniform_buffer_object"]);
const STORAGE: When = When::since(310, 430).or(&["GL_ARB_shader_storage_buffer_object"]);
const SCALAR: When = When::with(&["GL_EXT_scalar_block_layout"]);
const BLEND: When = When::since(0, 330).or(&[
    "GL_ARB_blend_func_extended",
    "GL_EXT_blend_func_extended",
    "GL_ARB_explicit_attrib_location",
]);
pub(super) const IMAGES: When = When::since(310, 420).or(&["GL_ARB_shader_image_load_store"]);
pub(super) const MORE_IMAGES: When =
    When::since(0, 420).or(&["GL_ARB_shader_image_load_store", "GL_NV_image_formats"]);
const GROUPS: When = When::since(310, 430)
    .or(&["GL_ARB_compute_shader", "GL_NV_mesh_shader", "GL_EXT_mesh_shader"])
    .only(Stages::GROUPS);
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
pub(crate) static ROWS: &[Row] = layouts! {
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
    "local_size_x" Sets::LocalSize(0), IN, GROUPS;
    "local_size_y" Sets::LocalSize(1), IN, GROUPS;
    "local_size_z" Sets::LocalSize(2), IN, GROUPS;
    "local_size_x_id" Sets::LocalSizeId(0), IN, GROUPS;
    "local_size_y_id" Sets::LocalSizeId(1), IN, GROUPS;
    "local_size_z_id" Sets::LocalSizeId(2), IN, GROUPS;
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
