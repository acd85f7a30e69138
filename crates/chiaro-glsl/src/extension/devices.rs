//! Extensions about what devices can do beside the language's core: subgroups, quads, rates,
//! coverage, interlocks, rays, and what single vendors added.

use super::row::{Extension, both, desktop, es};
use crate::source::Stage::{Compute, Fragment, Vertex};

const BASIC: &[&str] = &["GL_KHR_shader_subgroup_basic"];

/// The rows.
pub(super) const ROWS: &[Extension] = &[
    // Subgroups.
    both("GL_KHR_shader_subgroup_rotate", 310, 140).implies(BASIC),
    both("GL_NV_shader_subgroup_partitioned", 310, 140).implies(BASIC),
    both("GL_EXT_shader_subgroup_extended_types_int8", 310, 140)
        .implies(&["GL_EXT_shader_explicit_arithmetic_types_int8"]),
    both("GL_EXT_shader_subgroup_extended_types_int16", 310, 140)
        .implies(&["GL_EXT_shader_explicit_arithmetic_types_int16"]),
    both("GL_EXT_shader_subgroup_extended_types_int64", 310, 140)
        .implies(&["GL_EXT_shader_explicit_arithmetic_types_int64"]),
    both("GL_EXT_shader_subgroup_extended_types_float16", 310, 140)
        .implies(&["GL_EXT_shader_explicit_arithmetic_types_float16"]),
    desktop("GL_ARB_shader_ballot", 110).implies(&["GL_ARB_gpu_shader_int64"]),
    both("GL_EXT_shader_quad_control", 310, 140),
    both("GL_EXT_expect_assume", 310, 140),
    both("GL_EXT_split_barrier", 310, 420).only(Compute),
    // Rays.
    desktop("GL_EXT_ray_tracing", 460),
    desktop("GL_NV_ray_tracing", 460),
    desktop("GL_NV_ray_tracing_motion_blur", 460),
    both("GL_EXT_ray_cull_mask", 320, 460),
    both("GL_EXT_ray_query", 320, 460),
    both("GL_EXT_ray_flags_primitive_culling", 320, 460),
    both("GL_EXT_ray_tracing_position_fetch", 320, 460),
    both("GL_NV_cluster_acceleration_structure", 320, 460),
    desktop("GL_EXT_shader_invocation_reorder", 460),
    desktop("GL_NV_shader_invocation_reorder", 460),
    desktop("GL_NV_linear_swept_spheres", 460),
    desktop("GL_NV_displacement_micromap", 460),
    both("GL_EXT_opacity_micromap_ray_query_mode", 320, 460),
    // Fragments.
    desktop("GL_ARB_fragment_shader_interlock", 110).only(Fragment),
    es("GL_NV_fragment_shader_interlock", 310).only(Fragment),
    both("GL_EXT_fragment_shader_barycentric", 320, 450).only(Fragment),
    both("GL_NV_fragment_shader_barycentric", 320, 450).only(Fragment),
    both("GL_EXT_fragment_shading_rate", 310, 450),
    both("GL_EXT_fragment_invocation_density", 310, 450).only(Fragment),
    desktop("GL_AMD_shader_explicit_vertex_parameter", 450).only(Fragment),
    both("GL_NV_shading_rate_image", 320, 450).only(Fragment),
    desktop("GL_ARB_shader_stencil_export", 110).only(Fragment),
    desktop("GL_ARB_post_depth_coverage", 110).only(Fragment),
    both("GL_EXT_post_depth_coverage", 310, 450).only(Fragment),
    desktop("GL_AMD_shader_early_and_late_fragment_tests", 420).only(Fragment),
    both("GL_NV_conservative_raster_underestimation", 310, 140).only(Fragment),
    both("GL_NV_sample_mask_override_coverage", 310, 110).only(Fragment),
    both("GL_EXT_shader_tile_image", 310, 450).only(Fragment),
    both("GL_EXT_optional_input_attachment_index", 310, 140).only(Fragment),
    desktop("GL_AMD_shader_fragment_mask", 450).only(Fragment),
    // Vertices.
    desktop("GL_NV_viewport_array2", 110).only(Vertex),
    desktop("GL_NV_stereo_view_rendering", 450).only(Vertex),
    desktop("GL_NVX_multiview_per_view_attributes", 450).only(Vertex),
    // Computation.
    both("GL_NV_compute_shader_derivatives", 320, 450).only(Compute),
    both("GL_KHR_compute_shader_derivatives", 320, 450).only(Compute),
    desktop("GL_ARB_shader_clock", 110),
    both("GL_EXT_shader_realtime_clock", 310, 140),
    both("GL_EXT_integer_dot_product", 310, 140),
    desktop("GL_AMD_shader_trinary_minmax", 110),
    desktop("GL_AMD_gcn_shader", 110),
    both("GL_EXT_nontemporal_keyword", 310, 420),
    both("GL_EXT_debug_printf", 310, 140),
    both("GL_EXT_abort", 310, 140),
    // Textures.
    both("GL_EXT_texture_offset_non_const", 320, 130),
    desktop("GL_ARB_sparse_texture2", 110),
    desktop("GL_ARB_sparse_texture_clamp", 110),
    both("GL_QCOM_image_processing", 310, 140),
    both("GL_QCOM_image_processing2", 310, 140),
    both("GL_QCOM_image_processing3", 310, 140),
    both("GL_QCOM_tile_shading", 310, 460),
    desktop("GL_AMD_texture_gather_bias_lod", 400),
    desktop("GL_AMD_shader_image_load_store_lod", 420),
    both("GL_NV_shader_atomic_fp16_vector", 310, 430),
    both("GL_NV_push_constant_bank", 310, 450),
    both("GL_NV_shader_texture_footprint", 310, 450),
    desktop("GL_NV_geometry_shader_passthrough", 150),
    both("GL_NV_mesh_shader", 320, 450),
    both("GL_EXT_mesh_shader", 320, 450),
    desktop("GL_AMD_shader_ballot", 450),
    both("GL_EXT_opacity_micromap", 320, 460),
    // What a device is.
    both("GL_NV_shader_sm_builtins", 320, 450),
    both("GL_ARM_shader_core_builtins", 310, 450),
    // Cooperative matrices and vectors.
    both("GL_KHR_cooperative_matrix", 320, 450),
    both("GL_NV_cooperative_matrix", 320, 450),
    both("GL_NV_integer_cooperative_matrix", 320, 450),
    both("GL_NV_cooperative_matrix2", 320, 450),
    both("GL_NV_cooperative_matrix_decode_vector", 320, 450),
    both("GL_EXT_cooperative_matrix_maintenance1", 320, 450),
    both("GL_NV_cooperative_vector", 320, 450),
    both("GL_QCOM_cooperative_matrix_conversion", 320, 450),
    both("GL_QCOM_multiple_wait_queues", 320, 450),
    both("GL_EXT_spec_constant_composites", 320, 450),
    both("GL_EXT_shader_64bit_indexing", 320, 450),
];
