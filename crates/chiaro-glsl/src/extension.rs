//! Extensions: which there are, where they may be asked for, and which a source has turned on.
//!
//! To add one: a row here; its words in [`keyword`](crate::keyword), its functions and
//! variables in the tables of built-ins, each of which names the extension. A row also makes
//! the macro of that name, with the value 1.

mod devices;
mod row;

use chiaro_diag::Advice;

use crate::head::Head;
use crate::source::{Profile, Stage, Version};
pub use row::Extension;
use row::{both, desktop, es};

/// What `#extension` says of an extension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Behaviour {
    /// On; an error where it is not known.
    Require,
    /// On; a warning where it is not known.
    Enable,
    /// On, with a warning where it is used.
    Warn,
    /// Off.
    Disable,
}

/// An `#extension` line, or what one implies.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// The extension; `None` is `all`.
    pub extension: Option<&'static Extension>,
    /// What is said of it.
    pub behaviour: Behaviour,
    /// The first token for which it holds.
    pub from: u32,
}

/// What a source says of extensions, in order.
#[derive(Clone, Debug, Default)]
pub struct Extensions {
    /// The lines.
    pub statements: Vec<Statement>,
}

impl Extensions {
    /// What holds for an extension at a token; `Disable` where nothing was said.
    #[must_use]
    pub fn behaviour(&self, name: &str, token: u32) -> Behaviour {
        let about = |statement: &&Statement| statement.extension.is_none_or(|e| e.name == name);
        let said = self.statements.iter().rev().filter(|statement| statement.from <= token).find(about);
        said.map_or(Behaviour::Disable, |statement| statement.behaviour)
    }

    /// Whether an extension is on at a token.
    #[must_use]
    pub fn enabled(&self, name: &str, token: u32) -> bool {
        !self.statements.is_empty() && self.behaviour(name, token) != Behaviour::Disable
    }

    /// Extensions that the source turns on anywhere, each once, in order.
    pub fn used(&self) -> impl Iterator<Item = &'static Extension> + '_ {
        let on = |at: usize| self.statements[at].behaviour != Behaviour::Disable;
        let name = |at: usize| self.statements[at].extension.map(|extension| extension.name);
        (0..self.statements.len())
            .filter(move |&at| on(at) && (0..at).all(|before| !on(before) || name(before) != name(at)))
            .filter_map(|at| self.statements[at].extension)
    }

    /// Notes a line and what it implies.
    pub(crate) fn say(&mut self, extension: Option<&'static Extension>, behaviour: Behaviour, from: u32) {
        self.statements.push(Statement { extension, behaviour, from });
        for implied in extension.iter().flat_map(|extension| extension.implies) {
            let extension = find(implied);
            self.statements.push(Statement { extension, behaviour, from });
        }
    }
}

/// The row of an extension.
#[must_use]
pub fn find(name: &str) -> Option<&'static Extension> {
    EXTENSIONS.iter().find(|extension| extension.name == name)
}

/// What a profile is called where versions are reported to people.
pub(crate) fn language(version: Version) -> String {
    match version.profile {
        Profile::Es => format!("GLSL ES {}.{:02}", version.number / 100, version.number % 100),
        _ => format!("GLSL {}.{:02}", version.number / 100, version.number % 100),
    }
}

/// What would allow a thing that came with a version of ES, one of desktop GLSL, and some extensions, for messages:
/// "`#version 300 es` or later".
pub(crate) fn needs(version: Version, head: Head, from: (u16, u16), extensions: &[&str]) -> Advice {
    let (es, desktop) = from;
    let fits =
        |name: &&&str| find(name).is_none_or(|extension| version.at_least(extension.es, extension.desktop));
    let extension = extensions.iter().find(fits);
    let least = match (version.is_es(), es, desktop) {
        (true, 0, _) | (false, _, 0) => None,
        (true, 100, _) => Some("100".to_owned()),
        (true, es, _) => Some(format!("{es} es")),
        (false, _, desktop) => Some(desktop.to_string()),
    };
    let words = match (&least, extension) {
        (Some(least), Some(name)) => format!("`#version {least}` or later, or `#extension {name} : enable`"),
        (Some(least), None) => format!("`#version {least}` or later"),
        (None, Some(name)) => format!("`#extension {name} : enable`"),
        (None, None) if version.is_es() && desktop != 0 => {
            format!("desktop GLSL, `#version {desktop}` or later")
        }
        (None, None) if es != 0 => format!("GLSL ES, `#version {es} es` or later"),
        (None, None) => "an extension that is not known here".to_owned(),
    };
    let least = least.map(|least| head.with_version(&least));
    Advice::words(words).fix(least).fix(extension.map(|name| head.with_extension(name)))
}

/// All of them.
pub static EXTENSIONS: [Extension; LANGUAGE.len() + devices::ROWS.len()] = {
    let mut all = [LANGUAGE[0]; LANGUAGE.len() + devices::ROWS.len()];
    let mut row = 0;
    while row < all.len() {
        all[row] = if row < LANGUAGE.len() { LANGUAGE[row] } else { devices::ROWS[row - LANGUAGE.len()] };
        row += 1;
    }
    all
};

/// Those about the language itself. Versions are those from which the extension's text starts,
/// or earlier where drivers are known to allow it earlier.
const LANGUAGE: &[Extension] = &[
    // OpenGL ES.
    es("GL_OES_standard_derivatives", 100).only(Stage::Fragment),
    es("GL_OES_texture_3D", 100),
    es("GL_OES_fragment_precision_high", 100),
    es("GL_EXT_frag_depth", 100).only(Stage::Fragment),
    es("GL_EXT_draw_buffers", 100).only(Stage::Fragment),
    es("GL_EXT_shader_texture_lod", 100),
    es("GL_EXT_shadow_samplers", 100),
    es("GL_OES_EGL_image_external", 100),
    es("GL_OES_EGL_image_external_essl3", 300),
    es("GL_EXT_shader_framebuffer_fetch", 100).only(Stage::Fragment),
    es("GL_EXT_shader_framebuffer_fetch_non_coherent", 100).only(Stage::Fragment),
    es("GL_ARM_shader_framebuffer_fetch", 100).only(Stage::Fragment),
    es("GL_NV_shader_framebuffer_fetch", 100).only(Stage::Fragment),
    es("GL_EXT_blend_func_extended", 100).only(Stage::Fragment),
    es("GL_EXT_separate_shader_objects", 100),
    es("GL_EXT_clip_cull_distance", 300),
    es("GL_NV_shader_noperspective_interpolation", 300),
    es("GL_OES_sample_variables", 300).only(Stage::Fragment),
    es("GL_OES_shader_multisample_interpolation", 300),
    es("GL_OES_shader_image_atomic", 310),
    es("GL_EXT_shader_io_blocks", 310),
    es("GL_OES_shader_io_blocks", 310),
    es("GL_EXT_gpu_shader5", 310),
    es("GL_OES_gpu_shader5", 310),
    es("GL_EXT_texture_buffer", 310),
    es("GL_OES_texture_buffer", 310),
    es("GL_EXT_texture_cube_map_array", 310),
    es("GL_OES_texture_cube_map_array", 310),
    es("GL_OES_texture_storage_multisample_2d_array", 310),
    es("GL_EXT_shader_implicit_conversions", 310),
    es("GL_EXT_geometry_shader", 310).implies(&["GL_EXT_shader_io_blocks"]),
    es("GL_OES_geometry_shader", 310).implies(&["GL_OES_shader_io_blocks"]),
    both("GL_EXT_tessellation_shader", 310, 400).implies(&["GL_EXT_shader_io_blocks"]),
    es("GL_OES_tessellation_shader", 310).implies(&["GL_OES_shader_io_blocks"]),
    es("GL_EXT_primitive_bounding_box", 310),
    es("GL_OES_primitive_bounding_box", 310),
    es("GL_KHR_blend_equation_advanced", 310).only(Stage::Fragment),
    es("GL_ANDROID_extension_pack_es31a", 310).implies(&[
        "GL_EXT_gpu_shader5",
        "GL_EXT_geometry_shader",
        "GL_EXT_shader_io_blocks",
        "GL_EXT_tessellation_shader",
        "GL_EXT_texture_buffer",
        "GL_EXT_texture_cube_map_array",
        "GL_OES_sample_variables",
        "GL_OES_shader_image_atomic",
        "GL_OES_shader_multisample_interpolation",
        "GL_OES_texture_storage_multisample_2d_array",
    ]),
    // Desktop.
    desktop("GL_ARB_texture_rectangle", 110),
    desktop("GL_ARB_draw_buffers", 110).only(Stage::Fragment),
    desktop("GL_ATI_draw_buffers", 110).only(Stage::Fragment),
    desktop("GL_ARB_shader_texture_lod", 110),
    desktop("GL_EXT_gpu_shader4", 110),
    desktop("GL_EXT_texture_array", 110),
    desktop("GL_ARB_draw_instanced", 110).only(Stage::Vertex),
    desktop("GL_EXT_draw_instanced", 110).only(Stage::Vertex),
    desktop("GL_ARB_explicit_attrib_location", 110),
    desktop("GL_ARB_explicit_uniform_location", 110),
    desktop("GL_ARB_uniform_buffer_object", 110),
    desktop("GL_ARB_texture_cube_map_array", 110),
    desktop("GL_ARB_texture_buffer_object", 110),
    desktop("GL_ARB_texture_multisample", 110),
    desktop("GL_ARB_fragment_coord_conventions", 110).only(Stage::Fragment),
    desktop("GL_ARB_shading_language_420pack", 110),
    desktop("GL_ARB_shading_language_packing", 110),
    desktop("GL_ARB_shader_bit_encoding", 110),
    desktop("GL_ARB_gpu_shader5", 110),
    desktop("GL_ARB_gpu_shader_fp64", 110),
    desktop("GL_ARB_vertex_attrib_64bit", 110).only(Stage::Vertex),
    desktop("GL_ARB_gpu_shader_int64", 110),
    desktop("GL_ARB_texture_gather", 110),
    desktop("GL_ARB_texture_query_lod", 110).only(Stage::Fragment),
    desktop("GL_ARB_texture_query_levels", 110),
    desktop("GL_ARB_sample_shading", 110).only(Stage::Fragment),
    desktop("GL_ARB_conservative_depth", 110).only(Stage::Fragment),
    desktop("GL_AMD_conservative_depth", 110).only(Stage::Fragment),
    desktop("GL_ARB_derivative_control", 110).only(Stage::Fragment),
    desktop("GL_ARB_separate_shader_objects", 110),
    desktop("GL_ARB_shader_image_load_store", 110),
    desktop("GL_EXT_shader_image_load_store", 110),
    desktop("GL_ARB_shader_image_size", 110),
    desktop("GL_ARB_shader_texture_image_samples", 110),
    desktop("GL_ARB_shader_atomic_counters", 110),
    desktop("GL_ARB_shader_atomic_counter_ops", 110),
    desktop("GL_ARB_shader_storage_buffer_object", 110),
    desktop("GL_ARB_compute_shader", 110),
    desktop("GL_ARB_arrays_of_arrays", 110),
    desktop("GL_ARB_enhanced_layouts", 110),
    desktop("GL_ARB_shader_draw_parameters", 110),
    desktop("GL_ARB_shader_group_vote", 110),
    desktop("GL_ARB_cull_distance", 110),
    desktop("GL_ARB_viewport_array", 110),
    desktop("GL_ARB_fragment_layer_viewport", 110).only(Stage::Fragment),
    desktop("GL_ARB_shader_subroutine", 110),
    desktop("GL_ARB_bindless_texture", 110),
    desktop("GL_ARB_tessellation_shader", 110),
    desktop("GL_ARB_shading_language_include", 110),
    desktop("GL_ARB_shader_precision", 110),
    desktop("GL_AMD_vertex_shader_layer", 110).only(Stage::Vertex),
    desktop("GL_AMD_vertex_shader_viewport_index", 110).only(Stage::Vertex),
    desktop("GL_ARB_shader_viewport_layer_array", 110),
    desktop("GL_AMD_gpu_shader_half_float", 110),
    desktop("GL_AMD_gpu_shader_int16", 110),
    desktop("GL_MESA_shader_integer_functions", 110),
    desktop("GL_3DL_array_objects", 110),
    // Both.
    both("GL_EXT_shader_integer_mix", 300, 110),
    both("GL_EXT_demote_to_helper_invocation", 310, 140).only(Stage::Fragment),
    both("GL_EXT_terminate_invocation", 310, 140).only(Stage::Fragment),
    both("GL_EXT_control_flow_attributes", 310, 140),
    both("GL_EXT_control_flow_attributes2", 310, 140),
    both("GL_EXT_function_control_attributes", 310, 140),
    both("GL_EXT_subgroup_uniform_control_flow", 310, 140),
    both("GL_EXT_maximal_reconvergence", 310, 140),
    both("GL_EXT_samplerless_texture_functions", 310, 140),
    both("GL_EXT_scalar_block_layout", 310, 140),
    both("GL_EXT_nonuniform_qualifier", 310, 140),
    both("GL_EXT_multiview", 310, 140),
    both("GL_OVR_multiview", 300, 110),
    both("GL_OVR_multiview2", 300, 110).implies(&["GL_OVR_multiview"]),
    both("GL_GOOGLE_include_directive", 100, 110).implies(&["GL_GOOGLE_cpp_style_line_directive"]),
    both("GL_GOOGLE_cpp_style_line_directive", 100, 110),
    both("GL_KHR_vulkan_glsl", 310, 140),
    both("GL_KHR_shader_subgroup_basic", 310, 140),
    both("GL_KHR_shader_subgroup_vote", 310, 140).implies(&["GL_KHR_shader_subgroup_basic"]),
    both("GL_KHR_shader_subgroup_arithmetic", 310, 140).implies(&["GL_KHR_shader_subgroup_basic"]),
    both("GL_KHR_shader_subgroup_ballot", 310, 140).implies(&["GL_KHR_shader_subgroup_basic"]),
    both("GL_KHR_shader_subgroup_shuffle", 310, 140).implies(&["GL_KHR_shader_subgroup_basic"]),
    both("GL_KHR_shader_subgroup_shuffle_relative", 310, 140).implies(&["GL_KHR_shader_subgroup_basic"]),
    both("GL_KHR_shader_subgroup_clustered", 310, 140).implies(&["GL_KHR_shader_subgroup_basic"]),
    both("GL_KHR_shader_subgroup_quad", 310, 140).implies(&["GL_KHR_shader_subgroup_basic"]),
    both("GL_EXT_shader_16bit_storage", 310, 140),
    both("GL_EXT_shader_8bit_storage", 310, 140),
    both("GL_EXT_shader_explicit_arithmetic_types", 310, 140),
    both("GL_EXT_shader_explicit_arithmetic_types_int8", 310, 140),
    both("GL_EXT_shader_explicit_arithmetic_types_int16", 310, 140),
    both("GL_EXT_shader_explicit_arithmetic_types_int32", 310, 140),
    both("GL_EXT_shader_explicit_arithmetic_types_int64", 310, 140),
    both("GL_EXT_shader_explicit_arithmetic_types_float16", 310, 140),
    both("GL_EXT_shader_explicit_arithmetic_types_float32", 310, 140),
    both("GL_EXT_shader_explicit_arithmetic_types_float64", 310, 140),
    both("GL_EXT_buffer_reference", 310, 140),
    both("GL_EXT_buffer_reference2", 310, 140).implies(&["GL_EXT_buffer_reference"]),
    both("GL_EXT_buffer_reference_uvec2", 310, 140).implies(&["GL_EXT_buffer_reference"]),
    both("GL_EXT_shared_memory_block", 310, 420),
    both("GL_ARM_tensors", 310, 420),
    both("GL_ARM_tensors_bfloat16", 310, 420),
    both("GL_ARM_tensors_float_e4m3", 310, 420),
    both("GL_ARM_tensors_float_e5m2", 310, 420),
    both("GL_EXT_bfloat16", 310, 450),
    both("GL_EXT_float_e5m2", 310, 450),
    both("GL_EXT_float_e4m3", 310, 450),
    both("GL_EXT_float_e3m2", 310, 450),
    both("GL_EXT_float_e2m3", 310, 450),
    both("GL_EXT_float_e2m1", 310, 450),
    both("GL_EXT_float_mxint8", 310, 450),
    both("GL_EXT_float_ue8m0", 310, 450),
    both("GL_EXT_spirv_intrinsics", 310, 140),
    both("GL_EXT_long_vector", 310, 140),
    both("GL_EXT_descriptor_heap", 310, 420),
    desktop("GL_EXT_structured_descriptor_heap", 460),
    both("GL_EXT_shader_image_int64", 310, 420),
    both("GL_NV_shader_atomic_int64", 310, 420),
    both("GL_NV_explicit_typecast", 310, 140),
    desktop("GL_NV_gpu_shader5", 110).implies(&[
        "GL_ARB_gpu_shader5",
        "GL_ARB_gpu_shader_int64",
        "GL_ARB_texture_cube_map_array",
        "GL_EXT_shader_explicit_arithmetic_types",
    ]),
    // Known to the tables of built-ins.
    desktop("GL_ARB_compatibility", 140),
    both("GL_NV_shader_atomic_float", 310, 420),
    both("GL_EXT_shader_atomic_float", 310, 420),
    both("GL_EXT_shader_atomic_int64", 310, 420),
    both("GL_EXT_texture_shadow_lod", 300, 130),
    both("GL_KHR_memory_scope_semantics", 310, 420),
    both("GL_EXT_shader_image_load_formatted", 310, 420),
    both("GL_EXT_device_group", 310, 140),
    both("GL_EXT_conservative_depth", 300, 130),
    both("GL_EXT_null_initializer", 310, 140),
    es("GL_EXT_shader_non_constant_global_initializers", 100),
];
