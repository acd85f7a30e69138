//! Constants of the implementation: `gl_Max...`, with the least values that the language
//! demands or, where those are tiny, what real drivers say.

use super::When;

/// A constant.
#[derive(Debug)]
pub struct Constant {
    /// Its name.
    pub name: &'static str,
    /// Its value: an `int`, or three of an `ivec3`.
    pub value: &'static [i32],
    /// When it is there.
    pub when: When,
}

macro_rules! constants {
    ($( $when:expr => { $( $name:literal = $($value:literal)+ ; )* } )*) => {
        &[ $( $( Constant { name: $name, value: &[$($value),+], when: $when } ),* ),* ]
    };
}

/// Removed from the core profile with fixed functions.
const FIXED: When = When::since(0, 110).until(0, 140);
const V130: When = When::since(0, 130);
const V150: When = When::since(0, 150);
const V400: When = When::since(0, 400);
const COUNTERS: When = When::since(310, 420).or(&["GL_ARB_shader_atomic_counters"]);
const COUNTERS_DESKTOP: When = When::since(320, 420).or(&["GL_ARB_shader_atomic_counters"]);
const IMAGES: When = When::since(310, 420).or(&["GL_ARB_shader_image_load_store"]);
const IMAGES_DESKTOP: When = When::since(0, 420).or(&["GL_ARB_shader_image_load_store"]);
const IMAGES_GEOMETRY: When = When::since(320, 420).or(&["GL_ARB_shader_image_load_store"]);
const COMPUTE: When = When::since(310, 430).or(&["GL_ARB_compute_shader"]);
const GEOMETRY: When = When::since(320, 150).or(&[
    "GL_EXT_geometry_shader",
    "GL_OES_geometry_shader",
    "GL_ARB_geometry_shader4",
]);
const TESSELLATION: When = When::since(320, 400).or(&[
    "GL_EXT_tessellation_shader",
    "GL_OES_tessellation_shader",
    "GL_ARB_tessellation_shader",
]);
const CLIP: When = When::since(0, 130).or(&["GL_EXT_clip_cull_distance", "GL_APPLE_clip_distance"]);
const CULL: When = When::since(0, 450).or(&["GL_ARB_cull_distance", "GL_EXT_clip_cull_distance"]);
const SAMPLES: When = When::since(320, 450).or(&["GL_OES_sample_variables"]);

/// The constants, by no order.
pub static CONSTANTS: &[Constant] = constants! {
    When::ALWAYS => {
        "gl_MaxVertexAttribs" = 16;
        "gl_MaxVertexTextureImageUnits" = 16;
        "gl_MaxCombinedTextureImageUnits" = 32;
        "gl_MaxTextureImageUnits" = 16;
        "gl_MaxDrawBuffers" = 8;
    }
    FIXED => {
        "gl_MaxLights" = 8;
        "gl_MaxTextureUnits" = 8;
        "gl_MaxTextureCoords" = 8;
    }
    When::since(0, 110).until(0, 140).or(&["GL_APPLE_clip_distance"]) => {
        "gl_MaxClipPlanes" = 8;
    }
    When::since(0, 110).until(0, 420) => {
        "gl_MaxVaryingFloats" = 64;
    }
    When::since(0, 110) => {
        "gl_MaxVertexUniformComponents" = 1024;
        "gl_MaxFragmentUniformComponents" = 1024;
    }
    V130 => {
        "gl_MaxVaryingComponents" = 64;
    }
    CLIP => {
        "gl_MaxClipDistances" = 8;
    }
    CULL => {
        "gl_MaxCullDistances" = 8;
        "gl_MaxCombinedClipAndCullDistances" = 8;
    }
    When::since(100, 410).or(&["GL_ARB_ES2_compatibility"]) => {
        "gl_MaxVertexUniformVectors" = 256;
        "gl_MaxFragmentUniformVectors" = 256;
    }
    When::since(100, 410).until(300, 0).or(&["GL_ARB_ES2_compatibility"]) => {
        "gl_MaxVaryingVectors" = 15;
    }
    When::since(300, 420) => {
        "gl_MinProgramTexelOffset" = -8;
        "gl_MaxProgramTexelOffset" = 7;
    }
    When::since(300, 0) => {
        "gl_MaxVertexOutputVectors" = 16;
        "gl_MaxFragmentInputVectors" = 15;
    }
    When::with(&["GL_EXT_blend_func_extended"]) => {
        "gl_MaxDualSourceDrawBuffersEXT" = 1;
    }
    V150 => {
        "gl_MaxVertexOutputComponents" = 64;
        "gl_MaxFragmentInputComponents" = 128;
    }
    GEOMETRY => {
        "gl_MaxGeometryInputComponents" = 64;
        "gl_MaxGeometryOutputComponents" = 128;
        "gl_MaxGeometryTextureImageUnits" = 16;
        "gl_MaxGeometryOutputVertices" = 256;
        "gl_MaxGeometryTotalOutputComponents" = 1024;
        "gl_MaxGeometryUniformComponents" = 1024;
    }
    V150 => {
        "gl_MaxGeometryVaryingComponents" = 64;
    }
    TESSELLATION => {
        "gl_MaxTessControlInputComponents" = 128;
        "gl_MaxTessControlOutputComponents" = 128;
        "gl_MaxTessControlTextureImageUnits" = 16;
        "gl_MaxTessControlUniformComponents" = 1024;
        "gl_MaxTessControlTotalOutputComponents" = 4096;
        "gl_MaxTessEvaluationInputComponents" = 128;
        "gl_MaxTessEvaluationOutputComponents" = 128;
        "gl_MaxTessEvaluationTextureImageUnits" = 16;
        "gl_MaxTessEvaluationUniformComponents" = 1024;
        "gl_MaxTessPatchComponents" = 120;
        "gl_MaxPatchVertices" = 32;
        "gl_MaxTessGenLevel" = 64;
    }
    V400 => {
        "gl_MaxViewports" = 16;
    }
    IMAGES => {
        "gl_MaxImageUnits" = 8;
        "gl_MaxVertexImageUniforms" = 8;
        "gl_MaxFragmentImageUniforms" = 8;
        "gl_MaxCombinedImageUniforms" = 8;
    }
    When::since(310, 430).or(&["GL_ARB_ES3_1_compatibility", "GL_ARB_compute_shader"]) => {
        "gl_MaxCombinedShaderOutputResources" = 8;
    }
    IMAGES_DESKTOP => {
        "gl_MaxImageSamples" = 0;
        "gl_MaxCombinedImageUnitsAndFragmentOutputs" = 16;
    }
    IMAGES_GEOMETRY => {
        "gl_MaxTessControlImageUniforms" = 0;
        "gl_MaxTessEvaluationImageUniforms" = 0;
        "gl_MaxGeometryImageUniforms" = 0;
    }
    COUNTERS => {
        "gl_MaxVertexAtomicCounters" = 8;
        "gl_MaxFragmentAtomicCounters" = 8;
        "gl_MaxCombinedAtomicCounters" = 8;
        "gl_MaxAtomicCounterBindings" = 8;
        "gl_MaxVertexAtomicCounterBuffers" = 8;
        "gl_MaxFragmentAtomicCounterBuffers" = 8;
        "gl_MaxCombinedAtomicCounterBuffers" = 8;
        "gl_MaxAtomicCounterBufferSize" = 16384;
    }
    COUNTERS_DESKTOP => {
        "gl_MaxTessControlAtomicCounters" = 0;
        "gl_MaxTessEvaluationAtomicCounters" = 0;
        "gl_MaxGeometryAtomicCounters" = 0;
        "gl_MaxTessControlAtomicCounterBuffers" = 0;
        "gl_MaxTessEvaluationAtomicCounterBuffers" = 0;
        "gl_MaxGeometryAtomicCounterBuffers" = 0;
    }
    COMPUTE => {
        "gl_MaxComputeWorkGroupCount" = 65535 65535 65535;
        "gl_MaxComputeWorkGroupSize" = 1024 1024 64;
        "gl_MaxComputeUniformComponents" = 1024;
        "gl_MaxComputeTextureImageUnits" = 16;
        "gl_MaxComputeImageUniforms" = 8;
        "gl_MaxComputeAtomicCounters" = 8;
        "gl_MaxComputeAtomicCounterBuffers" = 8;
    }
    SAMPLES => {
        "gl_MaxSamples" = 4;
    }
    When::since(0, 440).or(&["GL_ARB_enhanced_layouts"]) => {
        "gl_MaxTransformFeedbackBuffers" = 4;
        "gl_MaxTransformFeedbackInterleavedComponents" = 64;
    }
    When::with(&["GL_ARM_tensors"]) => {
        "gl_TensorOperandsNonTemporalARM" = 1;
        "gl_TensorOperandsOutOfBoundsValueARM" = 2;
    }
    When::since(0, 410) => {
        "gl_MaxInputAttachments" = 8;
    }
};
