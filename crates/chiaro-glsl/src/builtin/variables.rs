//! Variables of the language, by stage and version.
//!
//! What fixed functions had (attributes, varyings, state) is [`Builtin::Legacy`]: it becomes a
//! named input, output or uniform, which the caller fills as the old pipeline would have.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::variable::{Count, Kind, Variable, float, variables, vector};
use super::{Stages, When};
use crate::hir::Builtin;
use crate::qualifier::{Precision, Storage};
use crate::ty::Scalar;

/// All variables by name; those of one name differ in [`When`]. Made when the first source is
/// checked.
static INDEX: LazyLock<HashMap<&'static str, Vec<&'static Variable>>> = LazyLock::new(|| {
    let mut index: HashMap<_, Vec<_>> = HashMap::new();
    for variable in all() {
        index.entry(variable.name).or_default().push(variable);
    }
    index
});

/// The variables of a name, whatever version and stage.
#[must_use]
pub fn named(name: &str) -> &'static [&'static Variable] {
    INDEX.get(name).map_or(&[], Vec::as_slice)
}

/// All variables, for advice.
pub fn all() -> impl Iterator<Item = &'static Variable> {
    let own = VARIABLES.iter().chain(FIXED_VARIABLES).chain(COMPUTE_VARIABLES).chain(SUBGROUP_VARIABLES);
    own.chain(super::devices::VARIABLES).chain(super::rays::VARIABLES).chain(super::primitives::VARIABLES)
}

const NO: Option<Precision> = None;
const HIGH: Option<Precision> = Some(Precision::High);
const MEDIUM: Option<Precision> = Some(Precision::Medium);
const LOW: Option<Precision> = Some(Precision::Low);

const F: Kind = float();
const V2: Kind = vector(2);
const V3: Kind = vector(3);
const V4: Kind = vector(4);
const I: Kind = Kind::Known(Scalar::Int, 1, 1);
const U: Kind = Kind::Known(Scalar::Uint, 1, 1);
const U3: Kind = Kind::Known(Scalar::Uint, 1, 3);
const B: Kind = Kind::Known(Scalar::Bool, 1, 1);
const M3: Kind = Kind::Known(Scalar::Float, 3, 3);
const M4: Kind = Kind::Known(Scalar::Float, 4, 4);
const FLOATS: Kind = Kind::Array(Scalar::Float, 1, 1, Count::Use);
const COLOURS: Kind = Kind::Array(Scalar::Float, 1, 4, Count::Constant("gl_MaxDrawBuffers"));
const MASKS: Kind = Kind::Array(Scalar::Int, 1, 1, Count::Number(1));
const COORDS: Kind = Kind::Array(Scalar::Float, 1, 4, Count::Use);
const PER_COORD: Kind = Kind::Array(Scalar::Float, 1, 4, Count::Constant("gl_MaxTextureCoords"));
const PER_UNIT: Kind = Kind::Array(Scalar::Float, 1, 4, Count::Constant("gl_MaxTextureUnits"));
const PER_PLANE: Kind = Kind::Array(Scalar::Float, 1, 4, Count::Constant("gl_MaxClipPlanes"));
const MATRICES: Kind = Kind::Array(Scalar::Float, 4, 4, Count::Constant("gl_MaxTextureCoords"));

const fn known(builtin: spirv::BuiltIn) -> Builtin {
    Builtin::Known(builtin)
}

const VERTEX: Stages = Stages::VERTEX;
const FRAGMENT: Stages = Stages::FRAGMENT;
const GEOMETRY: Stages = Stages::GEOMETRY;
const LAST: Stages = VERTEX.and(GEOMETRY);
pub(super) const CLIP: When =
    When::since(0, 130).or(&["GL_EXT_clip_cull_distance", "GL_APPLE_clip_distance"]);
pub(super) const CULL: When = When::since(0, 450).or(&["GL_ARB_cull_distance", "GL_EXT_clip_cull_distance"]);
const SAMPLES: When =
    When::since(320, 400).or(&["GL_OES_sample_variables", "GL_ARB_sample_shading"]).only(FRAGMENT);
const VERTEX_ID: When = When::since(300, 130).or(&["GL_EXT_gpu_shader4"]).only(VERTEX);
const INSTANCE_ID: When = When::since(300, 140)
    .or(&["GL_ARB_draw_instanced", "GL_EXT_gpu_shader4", "GL_EXT_draw_instanced"])
    .only(VERTEX);
const PRIMITIVE_ID: When = When::since(320, 150).or(&[
    "GL_EXT_geometry_shader",
    "GL_OES_geometry_shader",
    "GL_EXT_tessellation_shader",
    "GL_EXT_gpu_shader4",
]);
const LAYERED: When = When::since(320, 150).or(&["GL_EXT_geometry_shader", "GL_OES_geometry_shader"]);
const LAYER_INPUT: When = When::since(320, 430).or(&[
    "GL_EXT_geometry_shader",
    "GL_OES_geometry_shader",
    "GL_ARB_fragment_layer_viewport",
]);
const LAYER_VERTEX: When = When::with(&[
    "GL_ARB_shader_viewport_layer_array",
    "GL_NV_viewport_array2",
    "GL_AMD_vertex_shader_layer",
]);
const VIEWPORT_VERTEX: When = When::with(&[
    "GL_ARB_shader_viewport_layer_array",
    "GL_NV_viewport_array2",
    "GL_AMD_vertex_shader_viewport_index",
]);
const FETCH: When =
    When::with(&["GL_EXT_shader_framebuffer_fetch", "GL_EXT_shader_framebuffer_fetch_non_coherent"])
        .until(300, 1);

static VARIABLES: &[Variable] = variables! {
    When::ALWAYS.only(LAST) => {
        Out V4, HIGH "gl_Position" = known(spirv::BuiltIn::Position);
    }
    When::since(100, 110).only(VERTEX) => {
        Out F, HIGH "gl_PointSize" = known(spirv::BuiltIn::PointSize);
    }
    When::since(0, 150).or(&["GL_EXT_geometry_point_size", "GL_OES_geometry_point_size"]).only(GEOMETRY) => {
        Out F, HIGH "gl_PointSize" = known(spirv::BuiltIn::PointSize);
    }
    CLIP.only(LAST.and(Stages::TESS_EVALUATION)) => {
        Out FLOATS, HIGH "gl_ClipDistance" = known(spirv::BuiltIn::ClipDistance);
    }
    CULL.only(LAST.and(Stages::TESS_EVALUATION)) => {
        Out FLOATS, HIGH "gl_CullDistance" = known(spirv::BuiltIn::CullDistance);
    }
    CLIP.only(FRAGMENT) => {
        In FLOATS, HIGH "gl_ClipDistance" = known(spirv::BuiltIn::ClipDistance);
    }
    CULL.only(FRAGMENT) => {
        In FLOATS, HIGH "gl_CullDistance" = known(spirv::BuiltIn::CullDistance);
    }
    VERTEX_ID => {
        In I, HIGH "gl_VertexID" = Builtin::VertexId;
    }
    INSTANCE_ID => {
        In I, HIGH "gl_InstanceID" = Builtin::InstanceId;
    }
    When::with(&["GL_ARB_draw_instanced"]).only(VERTEX) => {
        In I, HIGH "gl_InstanceIDARB" = Builtin::InstanceId;
    }
    When::with(&["GL_EXT_draw_instanced"]).only(VERTEX) => {
        In I, HIGH "gl_InstanceIDEXT" = Builtin::InstanceId;
    }
    When::since(310, 140).only(VERTEX) => {
        In I, HIGH "gl_VertexIndex" = known(spirv::BuiltIn::VertexIndex);
        In I, HIGH "gl_InstanceIndex" = known(spirv::BuiltIn::InstanceIndex);
    }
    When::since(0, 460).only(VERTEX) => {
        In I, HIGH "gl_BaseVertex" = known(spirv::BuiltIn::BaseVertex);
        In I, HIGH "gl_BaseInstance" = known(spirv::BuiltIn::BaseInstance);
    }
    When::since(0, 460).only(VERTEX.and(Stages::TASK).and(Stages::MESH)) => {
        In I, HIGH "gl_DrawID" = known(spirv::BuiltIn::DrawIndex);
    }
    When::with(&["GL_ARB_shader_draw_parameters"]).only(VERTEX.and(Stages::TASK).and(Stages::MESH)) => {
        In I, HIGH "gl_BaseVertexARB" = known(spirv::BuiltIn::BaseVertex);
        In I, HIGH "gl_BaseInstanceARB" = known(spirv::BuiltIn::BaseInstance);
        In I, HIGH "gl_DrawIDARB" = known(spirv::BuiltIn::DrawIndex);
    }
    PRIMITIVE_ID.only(GEOMETRY) => {
        Out I, HIGH "gl_PrimitiveID" = known(spirv::BuiltIn::PrimitiveId);
        In I, HIGH "gl_PrimitiveIDIn" = known(spirv::BuiltIn::PrimitiveId);
    }
    PRIMITIVE_ID.only(FRAGMENT) => {
        In I, HIGH "gl_PrimitiveID" = known(spirv::BuiltIn::PrimitiveId);
    }
    When::since(320, 400).or(&["GL_ARB_gpu_shader5", "GL_EXT_geometry_shader", "GL_OES_geometry_shader"]).only(GEOMETRY) => {
        In I, HIGH "gl_InvocationID" = known(spirv::BuiltIn::InvocationId);
    }
    LAYERED.only(GEOMETRY) => {
        Out I, HIGH "gl_Layer" = known(spirv::BuiltIn::Layer);
        In Kind::Structures("gl_PerVertex", Count::Vertices), NO "gl_in" = Builtin::Legacy;
    }
    LAYER_INPUT.only(FRAGMENT) => {
        In I, HIGH "gl_Layer" = known(spirv::BuiltIn::Layer);
    }
    LAYER_VERTEX.only(VERTEX.and(Stages::TESS_EVALUATION)) => {
        Out I, HIGH "gl_Layer" = known(spirv::BuiltIn::Layer);
    }
    When::since(0, 410).or(&["GL_ARB_viewport_array", "GL_OES_viewport_array"]).only(GEOMETRY) => {
        Out I, HIGH "gl_ViewportIndex" = known(spirv::BuiltIn::ViewportIndex);
    }
    When::since(0, 430).or(&["GL_ARB_fragment_layer_viewport", "GL_OES_viewport_array"]).only(FRAGMENT) => {
        In I, HIGH "gl_ViewportIndex" = known(spirv::BuiltIn::ViewportIndex);
    }
    VIEWPORT_VERTEX.only(VERTEX.and(Stages::TESS_EVALUATION)) => {
        Out I, HIGH "gl_ViewportIndex" = known(spirv::BuiltIn::ViewportIndex);
    }
    When::with(&["GL_EXT_multiview"]) => {
        In I, HIGH "gl_ViewIndex" = known(spirv::BuiltIn::ViewIndex);
    }
    When::with(&["GL_EXT_device_group"]) => {
        In I, HIGH "gl_DeviceIndex" = known(spirv::BuiltIn::DeviceIndex);
    }
    When::since(100, 110).until(300, 0).only(FRAGMENT) => {
        In V4, MEDIUM "gl_FragCoord" = known(spirv::BuiltIn::FragCoord);
    }
    When::since(300, 0).only(FRAGMENT) => {
        In V4, HIGH "gl_FragCoord" = known(spirv::BuiltIn::FragCoord);
    }
    When::ALWAYS.only(FRAGMENT) => {
        In B, NO "gl_FrontFacing" = known(spirv::BuiltIn::FrontFacing);
    }
    When::since(100, 120).only(FRAGMENT) => {
        In V2, MEDIUM "gl_PointCoord" = known(spirv::BuiltIn::PointCoord);
    }
    When::since(100, 110).until(300, 420).only(FRAGMENT) => {
        Out V4, MEDIUM "gl_FragColor" = Builtin::FragColor;
        Out COLOURS, MEDIUM "gl_FragData" = Builtin::FragData;
    }
    When::since(300, 110).only(FRAGMENT) => {
        Out F, HIGH "gl_FragDepth" = known(spirv::BuiltIn::FragDepth);
    }
    When::with(&["GL_EXT_frag_depth"]).until(300, 1).only(FRAGMENT) => {
        Out F, HIGH "gl_FragDepthEXT" = known(spirv::BuiltIn::FragDepth);
    }
    FETCH.only(FRAGMENT) => {
        In COLOURS, MEDIUM "gl_LastFragData" = Builtin::LastFragData;
    }
    When::with(&["GL_ARM_shader_framebuffer_fetch"]).only(FRAGMENT) => {
        In V4, MEDIUM "gl_LastFragColorARM" = Builtin::LastFragData;
    }
    When::with(&["GL_EXT_blend_func_extended"]).until(300, 1).only(FRAGMENT) => {
        Out V4, MEDIUM "gl_SecondaryFragColorEXT" = Builtin::Legacy;
        Out Kind::Array(Scalar::Float, 1, 4, Count::Number(1)), MEDIUM "gl_SecondaryFragDataEXT" = Builtin::Legacy;
    }
    SAMPLES => {
        In I, LOW "gl_SampleID" = known(spirv::BuiltIn::SampleId);
        In V2, MEDIUM "gl_SamplePosition" = known(spirv::BuiltIn::SamplePosition);
        Out MASKS, HIGH "gl_SampleMask" = known(spirv::BuiltIn::SampleMask);
        Uniform I, LOW "gl_NumSamples" = Builtin::Legacy;
    }
    When::since(320, 400).or(&["GL_OES_sample_variables", "GL_ARB_gpu_shader5"]).only(FRAGMENT) => {
        In MASKS, HIGH "gl_SampleMaskIn" = known(spirv::BuiltIn::SampleMask);
    }
    When::since(310, 450).or(&["GL_ARB_ES3_1_compatibility"]).only(FRAGMENT) => {
        In B, NO "gl_HelperInvocation" = known(spirv::BuiltIn::HelperInvocation);
    }
    When::ALWAYS => {
        Uniform Kind::Structure("gl_DepthRangeParameters"), NO "gl_DepthRange" = Builtin::Legacy;
    }
};

/// Subgroups come in several parts, each of which has the variables.
const SUBGROUPS: When = When::with(&[
    "GL_KHR_shader_subgroup_basic",
    "GL_KHR_shader_subgroup_vote",
    "GL_KHR_shader_subgroup_arithmetic",
    "GL_KHR_shader_subgroup_ballot",
    "GL_KHR_shader_subgroup_shuffle",
    "GL_KHR_shader_subgroup_shuffle_relative",
    "GL_KHR_shader_subgroup_clustered",
    "GL_KHR_shader_subgroup_quad",
    "GL_KHR_shader_subgroup_rotate",
    "GL_NV_shader_subgroup_partitioned",
]);
const MASKS_OF_GROUP: When = When::with(&["GL_KHR_shader_subgroup_ballot"]);
const U4: Kind = Kind::Known(Scalar::Uint, 1, 4);

const GROUPS: When = When::since(310, 420).or(&["GL_ARB_compute_shader"]).only(Stages::GROUPS);

static COMPUTE_VARIABLES: &[Variable] = variables! {
    GROUPS => {
        In U3, HIGH "gl_NumWorkGroups" = known(spirv::BuiltIn::NumWorkgroups);
        In U3, HIGH "gl_WorkGroupID" = known(spirv::BuiltIn::WorkgroupId);
        In U3, HIGH "gl_LocalInvocationID" = known(spirv::BuiltIn::LocalInvocationId);
        In U3, HIGH "gl_GlobalInvocationID" = known(spirv::BuiltIn::GlobalInvocationId);
        In U, HIGH "gl_LocalInvocationIndex" = known(spirv::BuiltIn::LocalInvocationIndex);
    }
};

static SUBGROUP_VARIABLES: &[Variable] = variables! {
    SUBGROUPS => {
        In U, MEDIUM "gl_SubgroupSize" = known(spirv::BuiltIn::SubgroupSize);
        In U, MEDIUM "gl_SubgroupInvocationID" = known(spirv::BuiltIn::SubgroupLocalInvocationId);
    }
    SUBGROUPS.only(Stages::GROUPS) => {
        In U, MEDIUM "gl_NumSubgroups" = known(spirv::BuiltIn::NumSubgroups);
        In U, MEDIUM "gl_SubgroupID" = known(spirv::BuiltIn::SubgroupId);
    }
    MASKS_OF_GROUP => {
        In U4, HIGH "gl_SubgroupEqMask" = known(spirv::BuiltIn::SubgroupEqMask);
        In U4, HIGH "gl_SubgroupGeMask" = known(spirv::BuiltIn::SubgroupGeMask);
        In U4, HIGH "gl_SubgroupGtMask" = known(spirv::BuiltIn::SubgroupGtMask);
        In U4, HIGH "gl_SubgroupLeMask" = known(spirv::BuiltIn::SubgroupLeMask);
        In U4, HIGH "gl_SubgroupLtMask" = known(spirv::BuiltIn::SubgroupLtMask);
    }
};

/// What fixed functions had.
const FIXED: When = When::since(0, 110).until(0, 140);
const FIXED_VERTEX: When = FIXED.only(VERTEX);
const FIXED_FRAGMENT: When = FIXED.only(FRAGMENT);

static FIXED_VARIABLES: &[Variable] = variables! {
    FIXED_VERTEX => {
        In V4, NO "gl_Color" = Builtin::Legacy;
        In V4, NO "gl_SecondaryColor" = Builtin::Legacy;
        In V3, NO "gl_Normal" = Builtin::Legacy;
        In V4, NO "gl_Vertex" = Builtin::Legacy;
        In V4, NO "gl_MultiTexCoord0" = Builtin::Legacy;
        In V4, NO "gl_MultiTexCoord1" = Builtin::Legacy;
        In V4, NO "gl_MultiTexCoord2" = Builtin::Legacy;
        In V4, NO "gl_MultiTexCoord3" = Builtin::Legacy;
        In V4, NO "gl_MultiTexCoord4" = Builtin::Legacy;
        In V4, NO "gl_MultiTexCoord5" = Builtin::Legacy;
        In V4, NO "gl_MultiTexCoord6" = Builtin::Legacy;
        In V4, NO "gl_MultiTexCoord7" = Builtin::Legacy;
        In F, NO "gl_FogCoord" = Builtin::Legacy;
    }
    FIXED.only(LAST) => {
        Out V4, NO "gl_FrontColor" = Builtin::Legacy;
        Out V4, NO "gl_BackColor" = Builtin::Legacy;
        Out V4, NO "gl_FrontSecondaryColor" = Builtin::Legacy;
        Out V4, NO "gl_BackSecondaryColor" = Builtin::Legacy;
        Out COORDS, NO "gl_TexCoord" = Builtin::Legacy;
        Out F, NO "gl_FogFragCoord" = Builtin::Legacy;
    }
    When::since(0, 110).until(0, 140).only(LAST) => {
        Out V4, NO "gl_ClipVertex" = Builtin::Legacy;
    }
    FIXED_FRAGMENT => {
        In V4, NO "gl_Color" = Builtin::Legacy;
        In V4, NO "gl_SecondaryColor" = Builtin::Legacy;
        In COORDS, NO "gl_TexCoord" = Builtin::Legacy;
        In F, NO "gl_FogFragCoord" = Builtin::Legacy;
    }
    FIXED => {
        Uniform M4, NO "gl_ModelViewMatrix" = Builtin::Legacy;
        Uniform M4, NO "gl_ProjectionMatrix" = Builtin::Legacy;
        Uniform M4, NO "gl_ModelViewProjectionMatrix" = Builtin::Legacy;
        Uniform M4, NO "gl_ModelViewMatrixInverse" = Builtin::Legacy;
        Uniform M4, NO "gl_ProjectionMatrixInverse" = Builtin::Legacy;
        Uniform M4, NO "gl_ModelViewProjectionMatrixInverse" = Builtin::Legacy;
        Uniform M4, NO "gl_ModelViewMatrixTranspose" = Builtin::Legacy;
        Uniform M4, NO "gl_ProjectionMatrixTranspose" = Builtin::Legacy;
        Uniform M4, NO "gl_ModelViewProjectionMatrixTranspose" = Builtin::Legacy;
        Uniform M4, NO "gl_ModelViewMatrixInverseTranspose" = Builtin::Legacy;
        Uniform M4, NO "gl_ProjectionMatrixInverseTranspose" = Builtin::Legacy;
        Uniform M4, NO "gl_ModelViewProjectionMatrixInverseTranspose" = Builtin::Legacy;
        Uniform M3, NO "gl_NormalMatrix" = Builtin::Legacy;
        Uniform F, NO "gl_NormalScale" = Builtin::Legacy;
        Uniform MATRICES, NO "gl_TextureMatrix" = Builtin::Legacy;
        Uniform MATRICES, NO "gl_TextureMatrixInverse" = Builtin::Legacy;
        Uniform MATRICES, NO "gl_TextureMatrixTranspose" = Builtin::Legacy;
        Uniform MATRICES, NO "gl_TextureMatrixInverseTranspose" = Builtin::Legacy;
        Uniform PER_PLANE, NO "gl_ClipPlane" = Builtin::Legacy;
        Uniform PER_UNIT, NO "gl_TextureEnvColor" = Builtin::Legacy;
        Uniform PER_COORD, NO "gl_EyePlaneS" = Builtin::Legacy;
        Uniform PER_COORD, NO "gl_EyePlaneT" = Builtin::Legacy;
        Uniform PER_COORD, NO "gl_EyePlaneR" = Builtin::Legacy;
        Uniform PER_COORD, NO "gl_EyePlaneQ" = Builtin::Legacy;
        Uniform PER_COORD, NO "gl_ObjectPlaneS" = Builtin::Legacy;
        Uniform PER_COORD, NO "gl_ObjectPlaneT" = Builtin::Legacy;
        Uniform PER_COORD, NO "gl_ObjectPlaneR" = Builtin::Legacy;
        Uniform PER_COORD, NO "gl_ObjectPlaneQ" = Builtin::Legacy;
        Uniform Kind::Structure("gl_PointParameters"), NO "gl_Point" = Builtin::Legacy;
        Uniform Kind::Structure("gl_MaterialParameters"), NO "gl_FrontMaterial" = Builtin::Legacy;
        Uniform Kind::Structure("gl_MaterialParameters"), NO "gl_BackMaterial" = Builtin::Legacy;
        Uniform Kind::Structures("gl_LightSourceParameters", Count::Constant("gl_MaxLights")), NO
            "gl_LightSource" = Builtin::Legacy;
        Uniform Kind::Structure("gl_LightModelParameters"), NO "gl_LightModel" = Builtin::Legacy;
        Uniform Kind::Structure("gl_LightModelProducts"), NO "gl_FrontLightModelProduct" = Builtin::Legacy;
        Uniform Kind::Structure("gl_LightModelProducts"), NO "gl_BackLightModelProduct" = Builtin::Legacy;
        Uniform Kind::Structures("gl_LightProducts", Count::Constant("gl_MaxLights")), NO
            "gl_FrontLightProduct" = Builtin::Legacy;
        Uniform Kind::Structures("gl_LightProducts", Count::Constant("gl_MaxLights")), NO
            "gl_BackLightProduct" = Builtin::Legacy;
        Uniform Kind::Structure("gl_FogParameters"), NO "gl_Fog" = Builtin::Legacy;
    }
};
