//! Names in `layout(...)` that come with extensions about devices.

use super::row::{Kind, Row, Sets, layouts};
use crate::builtin::{Stages, When};
use spirv::{Decoration, ExecutionMode as M};

const IN: Kind = Kind::DEFAULT_IN;
const OUT: Kind = Kind::DEFAULT_OUT;
const INTERLOCK: When = When::with(&["GL_ARB_fragment_shader_interlock", "GL_NV_fragment_shader_interlock"])
    .only(Stages::FRAGMENT);
const QUADS: When = When::with(&["GL_EXT_shader_quad_control"]).only(Stages::FRAGMENT);
const COVERAGE: When =
    When::with(&["GL_ARB_post_depth_coverage", "GL_EXT_post_depth_coverage"]).only(Stages::FRAGMENT);
const EARLY_AND_LATE: When =
    When::with(&["GL_AMD_shader_early_and_late_fragment_tests"]).only(Stages::FRAGMENT);
const DERIVATIVES_NV: When = When::with(&["GL_NV_compute_shader_derivatives"]).only(Stages::COMPUTE);
const DERIVATIVES: When = When::with(&["GL_KHR_compute_shader_derivatives"]).only(Stages::GROUPS);
const VIEWPORTS: When = When::with(&["GL_NV_viewport_array2"]);
const STEREO: When = When::with(&["GL_NV_stereo_view_rendering"]);
const OVERRIDE: When = When::with(&["GL_NV_sample_mask_override_coverage"]).only(Stages::FRAGMENT);
const RAYS: When = When::with(&["GL_EXT_ray_tracing", "GL_NV_ray_tracing"]);
const REFERENCE: Kind = Kind::BUFFER_BLOCK;
const REORDER: When = When::with(&["GL_EXT_shader_invocation_reorder"]);
const REORDER_NV: When = When::with(&["GL_NV_shader_invocation_reorder"]);
const PAYLOADS: When = When::with(&[
    "GL_EXT_ray_tracing",
    "GL_NV_ray_tracing",
    "GL_EXT_shader_invocation_reorder",
    "GL_NV_shader_invocation_reorder",
]);
const TILES: When = When::with(&["GL_QCOM_tile_shading"]);
const TILES_FRAGMENT: When = TILES.only(Stages::FRAGMENT);
const TILES_COMPUTE: When = TILES.only(Stages::COMPUTE);
const HEAPS: When = When::with(&["GL_EXT_descriptor_heap"]);
const STRUCTURED: When = When::with(&["GL_EXT_structured_descriptor_heap"]);
const BLOCKS: Kind = Kind::UNIFORM_BLOCK.or(Kind::BUFFER_BLOCK);
const IN_HEAP: Kind = BLOCKS.or(Kind::SAMPLER).or(Kind::IMAGE);
const TILE_IMAGES: When = When::with(&["GL_EXT_shader_tile_image"]).only(Stages::FRAGMENT);
const BANKS: When = When::with(&["GL_NV_push_constant_bank"]);
const PASSTHROUGH: When = When::with(&["GL_NV_geometry_shader_passthrough"]).only(Stages::GEOMETRY);
const CULLING: When = When::with(&["GL_EXT_ray_flags_primitive_culling"]);

/// The names.
pub(super) static ROWS: &[Row] = layouts! {
    "pixel_interlock_ordered" Sets::Mode(M::PixelInterlockOrderedEXT), IN, INTERLOCK;
    "pixel_interlock_unordered" Sets::Mode(M::PixelInterlockUnorderedEXT), IN, INTERLOCK;
    "sample_interlock_ordered" Sets::Mode(M::SampleInterlockOrderedEXT), IN, INTERLOCK;
    "sample_interlock_unordered" Sets::Mode(M::SampleInterlockUnorderedEXT), IN, INTERLOCK;
    "full_quads" Sets::Mode(M::RequireFullQuadsKHR), IN, QUADS;
    "quad_derivatives" Sets::Mode(M::QuadDerivativesKHR), IN, QUADS;
    "post_depth_coverage" Sets::Mode(M::PostDepthCoverage), IN, COVERAGE;
    "early_and_late_fragment_tests_amd" Sets::Mode(M::EarlyAndLateFragmentTestsAMD), IN, EARLY_AND_LATE;
    "derivative_group_quadsnv" Sets::Mode(M::DerivativeGroupQuadsKHR), IN, DERIVATIVES_NV;
    "derivative_group_linearnv" Sets::Mode(M::DerivativeGroupLinearKHR), IN, DERIVATIVES_NV;
    "derivative_group_quadskhr" Sets::Mode(M::DerivativeGroupQuadsKHR), IN, DERIVATIVES;
    "derivative_group_linearkhr" Sets::Mode(M::DerivativeGroupLinearKHR), IN, DERIVATIVES;
    "viewport_relative" Sets::ViewportRelative, Kind::BUILTIN, VIEWPORTS;
    "secondary_view_offset" Sets::SecondaryView, Kind::BUILTIN, STEREO;
    "override_coverage" Sets::OverrideCoverage, Kind::BUILTIN.or(OUT), OVERRIDE;
    "location" Sets::Location, Kind::PAYLOAD, PAYLOADS;
    "shaderrecordext" Sets::ShaderRecord, Kind::BUFFER_BLOCK, RAYS;
    "shaderrecordnv" Sets::ShaderRecord, Kind::BUFFER_BLOCK, RAYS;
    "hitobjectshaderrecordext" Sets::ReferenceMark(Decoration::HitObjectShaderRecordBufferEXT), REFERENCE, REORDER;
    "hitobjectshaderrecordnv" Sets::ReferenceMark(Decoration::HitObjectShaderRecordBufferNV), REFERENCE, REORDER_NV;
    "tile_attachmentqcom" Sets::TileAttachment, Kind::IMAGE, TILES;
    "non_coherent_attachment_readqcom" Sets::Mode(M::NonCoherentTileAttachmentReadQCOM), IN, TILES_FRAGMENT;
    "shading_rate_xqcom" Sets::TileRate(0), IN, TILES_COMPUTE;
    "shading_rate_yqcom" Sets::TileRate(1), IN, TILES_COMPUTE;
    "shading_rate_zqcom" Sets::TileRate(2), IN, TILES_COMPUTE;
    "descriptor_heap" Sets::DescriptorHeap, IN_HEAP, HEAPS;
    "descriptor_stride" Sets::DescriptorStride, IN_HEAP.or(Kind::HEAP_MEMBER), HEAPS;
    "descriptor_size" Sets::DescriptorSize, Kind::HEAP_MEMBER, STRUCTURED;
    "buffer_type" Sets::BufferType, BLOCKS, STRUCTURED;
    "heap_offset" Sets::HeapOffset, Kind::HEAP_BLOCK, STRUCTURED;
    "location" Sets::Location, Kind::TILE, TILE_IMAGES;
    "non_coherent_color_attachment_readext" Sets::Mode(M::NonCoherentColorAttachmentReadEXT), IN, TILE_IMAGES;
    "bank" Sets::Bank, Kind::UNIFORM_BLOCK, BANKS;
    "member_offset" Sets::MemberOffset, Kind::UNIFORM_BLOCK, BANKS;
    "passthrough" Sets::Passthrough, Kind::IO_BLOCK.or(Kind::IO_MEMBER).or(Kind::VARYING), PASSTHROUGH;
    "primitive_culling" Sets::PrimitiveCulling, Kind::ALONE, CULLING;
};
