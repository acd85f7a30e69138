//! Variables and constants that come with extensions about devices.

use super::variable::{Count, Kind, Variable, variables};
use super::{Stages, When};
use crate::builtin::variable::Number;
use crate::hir::Builtin;
use crate::qualifier::{Precision, Storage};
use crate::ty::Scalar;
use spirv::BuiltIn;

const NO: Option<Precision> = None;
const HIGH: Option<Precision> = Some(Precision::High);
const MEDIUM: Option<Precision> = Some(Precision::Medium);

const V2: Kind = Kind::Known(Scalar::Float, 1, 2);
const V3: Kind = Kind::Known(Scalar::Float, 1, 3);
const V4: Kind = Kind::Known(Scalar::Float, 1, 4);
const B: Kind = Kind::Known(Scalar::Bool, 1, 1);
const I: Kind = Kind::Known(Scalar::Int, 1, 1);
const I2: Kind = Kind::Known(Scalar::Int, 1, 2);
const U: Kind = Kind::Known(Scalar::Uint, 1, 1);
const U2: Kind = Kind::Known(Scalar::Uint, 1, 2);
const U3: Kind = Kind::Known(Scalar::Uint, 1, 3);
const UL: Kind = Kind::Known(Scalar::Uint64, 1, 1);
const MASKS: Kind = Kind::Array(Scalar::Int, 1, 1, Count::Use);
const POSITIONS: Kind = Kind::Array(Scalar::Float, 1, 4, Count::Use);

const fn known(builtin: BuiltIn) -> Builtin {
    Builtin::Known(builtin)
}

const BARYCENTRIC: When = When::with(&["GL_EXT_fragment_shader_barycentric"]);
const BARYCENTRIC_NV: When = When::with(&["GL_NV_fragment_shader_barycentric"]);
const EXPLICIT_VERTEX: When = When::with(&["GL_AMD_shader_explicit_vertex_parameter"]);
const RATE: When = When::with(&["GL_EXT_fragment_shading_rate"]);
const DENSITY: When = When::with(&["GL_EXT_fragment_invocation_density"]).only(Stages::FRAGMENT);
const RATE_IMAGE: When = When::with(&["GL_NV_shading_rate_image"]);
const MULTIPROCESSOR: When = When::with(&["GL_NV_shader_sm_builtins"]);
const TILES: When = When::with(&["GL_QCOM_tile_shading"]).only(Stages::FRAGMENT.and(Stages::COMPUTE));
const MICROMAPS: When = When::with(&["GL_EXT_opacity_micromap"]);
const CORES: When = When::with(&["GL_ARM_shader_core_builtins"]);
const BALLOT: When = When::with(&["GL_ARB_shader_ballot"]);
const SEMANTICS: When = When::with(&["GL_KHR_memory_scope_semantics", "GL_EXT_split_barrier"]);
const SCOPES: When = When::with(&[
    "GL_KHR_memory_scope_semantics",
    "GL_EXT_split_barrier",
    "GL_EXT_shader_realtime_clock",
    "GL_KHR_cooperative_matrix",
    "GL_NV_cooperative_matrix",
    "GL_EXT_shader_atomic_float",
]);
const QUERIES: When = When::with(&["GL_EXT_ray_query"]);
const CULLING: When = When::with(&["GL_EXT_ray_flags_primitive_culling"]);
const QUERY_MODE: When = When::with(&["GL_EXT_opacity_micromap_ray_query_mode"]);
const CLUSTERS: When = When::with(&["GL_NV_cluster_acceleration_structure"]);

/// The variables.
pub(super) static VARIABLES: &[Variable] = variables! {
    BARYCENTRIC => {
        In V3, HIGH "gl_BaryCoordEXT" = known(BuiltIn::BaryCoordKHR);
        In V3, HIGH "gl_BaryCoordNoPerspEXT" = known(BuiltIn::BaryCoordNoPerspKHR);
    }
    BARYCENTRIC_NV => {
        In V3, HIGH "gl_BaryCoordNV" = known(BuiltIn::BaryCoordKHR);
        In V3, HIGH "gl_BaryCoordNoPerspNV" = known(BuiltIn::BaryCoordNoPerspKHR);
    }
    EXPLICIT_VERTEX => {
        In V2, HIGH "gl_BaryCoordNoPerspAMD" = known(BuiltIn::BaryCoordNoPerspAMD);
        In V2, HIGH "gl_BaryCoordNoPerspCentroidAMD" = known(BuiltIn::BaryCoordNoPerspCentroidAMD);
        In V2, HIGH "gl_BaryCoordNoPerspSampleAMD" = known(BuiltIn::BaryCoordNoPerspSampleAMD);
        In V2, HIGH "gl_BaryCoordSmoothAMD" = known(BuiltIn::BaryCoordSmoothAMD);
        In V2, HIGH "gl_BaryCoordSmoothCentroidAMD" = known(BuiltIn::BaryCoordSmoothCentroidAMD);
        In V2, HIGH "gl_BaryCoordSmoothSampleAMD" = known(BuiltIn::BaryCoordSmoothSampleAMD);
        In V3, HIGH "gl_BaryCoordPullModelAMD" = known(BuiltIn::BaryCoordPullModelAMD);
    }
    RATE.only(Stages::FRAGMENT) => {
        In I, HIGH "gl_ShadingRateEXT" = known(BuiltIn::ShadingRateKHR);
    }
    RATE.only(Stages::VERTEX.and(Stages::GEOMETRY)) => {
        Out I, HIGH "gl_PrimitiveShadingRateEXT" = known(BuiltIn::PrimitiveShadingRateKHR);
    }
    DENSITY => {
        In I2, HIGH "gl_FragSizeEXT" = known(BuiltIn::FragSizeEXT);
        In I, HIGH "gl_FragInvocationCountEXT" = known(BuiltIn::FragInvocationCountEXT);
    }
    RATE_IMAGE => {
        In I2, HIGH "gl_FragmentSizeNV" = known(BuiltIn::FragSizeEXT);
        In I, HIGH "gl_InvocationsPerPixelNV" = known(BuiltIn::FragInvocationCountEXT);
    }
    When::with(&["GL_ARB_shader_stencil_export"]) => {
        Out I, HIGH "gl_FragStencilRefARB" = known(BuiltIn::FragStencilRefEXT);
    }
    When::with(&["GL_NV_conservative_raster_underestimation"]) => {
        In B, NO "gl_FragFullyCoveredNV" = known(BuiltIn::FullyCoveredEXT);
    }
    When::with(&["GL_NV_viewport_array2"]) => {
        Out MASKS, HIGH "gl_ViewportMask" = known(BuiltIn::ViewportMaskNV);
    }
    When::with(&["GL_NV_stereo_view_rendering"]) => {
        Out V4, HIGH "gl_SecondaryPositionNV" = known(BuiltIn::SecondaryPositionNV);
        Out MASKS, HIGH "gl_SecondaryViewportMaskNV" = known(BuiltIn::SecondaryViewportMaskNV);
    }
    When::with(&["GL_NVX_multiview_per_view_attributes"]) => {
        Out POSITIONS, HIGH "gl_PositionPerViewNV" = known(BuiltIn::PositionPerViewNV);
        Out MASKS, HIGH "gl_ViewportMaskPerViewNV" = known(BuiltIn::ViewportMaskPerViewNV);
    }
    TILES => {
        In U2, HIGH "gl_TileOffsetQCOM" = known(BuiltIn::TileOffsetQCOM);
        In U3, HIGH "gl_TileDimensionQCOM" = known(BuiltIn::TileDimensionQCOM);
        In U2, HIGH "gl_TileApronSizeQCOM" = known(BuiltIn::TileApronSizeQCOM);
    }
    MULTIPROCESSOR => {
        In U, HIGH "gl_WarpsPerSMNV" = known(BuiltIn::WarpsPerSMNV);
        In U, HIGH "gl_SMCountNV" = known(BuiltIn::SMCountNV);
        In U, HIGH "gl_WarpIDNV" = known(BuiltIn::WarpIDNV);
        In U, HIGH "gl_SMIDNV" = known(BuiltIn::SMIDNV);
    }
    CORES => {
        In U, HIGH "gl_CoreIDARM" = known(BuiltIn::CoreIDARM);
        In U, HIGH "gl_CoreCountARM" = known(BuiltIn::CoreCountARM);
        In U, HIGH "gl_CoreMaxIDARM" = known(BuiltIn::CoreMaxIDARM);
        In U, HIGH "gl_WarpIDARM" = known(BuiltIn::WarpIDARM);
        In U, HIGH "gl_WarpMaxIDARM" = known(BuiltIn::WarpMaxIDARM);
    }
    BALLOT => {
        In U, MEDIUM "gl_SubGroupSizeARB" = known(BuiltIn::SubgroupSize);
        In U, MEDIUM "gl_SubGroupInvocationARB" = known(BuiltIn::SubgroupLocalInvocationId);
        In UL, HIGH "gl_SubGroupEqMaskARB" = Builtin::Ballot(BuiltIn::SubgroupEqMask);
        In UL, HIGH "gl_SubGroupGeMaskARB" = Builtin::Ballot(BuiltIn::SubgroupGeMask);
        In UL, HIGH "gl_SubGroupGtMaskARB" = Builtin::Ballot(BuiltIn::SubgroupGtMask);
        In UL, HIGH "gl_SubGroupLeMaskARB" = Builtin::Ballot(BuiltIn::SubgroupLeMask);
        In UL, HIGH "gl_SubGroupLtMaskARB" = Builtin::Ballot(BuiltIn::SubgroupLtMask);
    }
    When::with(&["GL_OVR_multiview", "GL_OVR_multiview2"]) => {
        In U, MEDIUM "gl_ViewID_OVR" = known(BuiltIn::ViewIndex);
    }
};

/// A list of numbers.
macro_rules! numbers {
    ($( $when:expr => $scalar:ident { $( $name:literal = $value:expr ; )* } )*) => {
        &[ $( $( Number { name: $name, scalar: Scalar::$scalar, value: $value, when: $when } ),* ),* ]
    };
}

/// All numbers.
pub(crate) fn numbers() -> impl Iterator<Item = &'static Number> {
    NUMBERS.iter().chain(super::rays::NUMBERS).chain(super::primitives::NUMBERS)
}

/// Numbers of scopes, memories, rays and rates.
static NUMBERS: &[Number] = numbers! {
    SCOPES => Int {
        "gl_ScopeDevice" = 1;
        "gl_ScopeWorkgroup" = 2;
        "gl_ScopeSubgroup" = 3;
        "gl_ScopeInvocation" = 4;
        "gl_ScopeQueueFamily" = 5;
        "gl_ScopeShaderCallEXT" = 6;
    }
    SEMANTICS => Int {
        "gl_SemanticsRelaxed" = 0;
        "gl_SemanticsAcquire" = 0x2;
        "gl_SemanticsRelease" = 0x4;
        "gl_SemanticsAcquireRelease" = 0x8;
        "gl_SemanticsMakeAvailable" = 0x2000;
        "gl_SemanticsMakeVisible" = 0x4000;
        "gl_SemanticsVolatile" = 0x8000;
        "gl_StorageSemanticsNone" = 0;
        "gl_StorageSemanticsBuffer" = 0x40;
        "gl_StorageSemanticsShared" = 0x100;
        "gl_StorageSemanticsImage" = 0x800;
        "gl_StorageSemanticsOutput" = 0x1000;
    }
    CULLING => Uint {
        "gl_RayFlagsSkipTrianglesEXT" = 0x100;
        "gl_RayFlagsSkipAABBEXT" = 0x200;
    }
    QUERIES => Uint {
        "gl_RayQueryCommittedIntersectionNoneEXT" = 0;
        "gl_RayQueryCommittedIntersectionTriangleEXT" = 1;
        "gl_RayQueryCommittedIntersectionGeneratedEXT" = 2;
        "gl_RayQueryCandidateIntersectionTriangleEXT" = 0;
        "gl_RayQueryCandidateIntersectionAABBEXT" = 1;
    }
    MICROMAPS => Uint {
        "gl_RayFlagsForceOpacityMicromap2StateEXT" = 0x400;
    }
    QUERY_MODE => Bool {
        "gl_EnableOpacityMicromapEXT" = 0;
    }
    CLUSTERS => Int {
        "gl_ClusterIDNoneNV" = u32::MAX;
    }
    When::with(&["GL_KHR_cooperative_matrix"]) => Int {
        "gl_MatrixUseA" = 0;
        "gl_MatrixUseB" = 1;
        "gl_MatrixUseAccumulator" = 2;
        "gl_MatrixOperandsSaturatingAccumulation" = 0x10;
        "gl_CooperativeMatrixLayoutRowMajor" = 0;
        "gl_CooperativeMatrixLayoutColumnMajor" = 1;
        "gl_CooperativeMatrixLayoutRowBlockedInterleavedARM" = 4202;
        "gl_CooperativeMatrixLayoutColumnBlockedInterleavedARM" = 4203;
    }
    When::with(&["GL_NV_cooperative_matrix2"]) => Int {
        "gl_CooperativeMatrixReduceRowNV" = 1;
        "gl_CooperativeMatrixReduceColumnNV" = 2;
        "gl_CooperativeMatrixReduceRowAndColumnNV" = 3;
        "gl_CooperativeMatrixReduce2x2NV" = 4;
        "gl_CooperativeMatrixClampModeUndefinedNV" = 0;
        "gl_CooperativeMatrixClampModeConstantNV" = 1;
        "gl_CooperativeMatrixClampModeClampToEdgeNV" = 2;
        "gl_CooperativeMatrixClampModeRepeatNV" = 3;
        "gl_CooperativeMatrixClampModeMirrorRepeatNV" = 4;
    }
    When::with(&["GL_EXT_cooperative_matrix_maintenance1"]) => Int {
        "gl_CooperativeMatrixReduceRowEXT" = 1;
        "gl_CooperativeMatrixReduceColumnEXT" = 2;
        "gl_CooperativeMatrixReduceRowAndColumnEXT" = 3;
        "gl_CooperativeMatrixReduce2x2EXT" = 4;
    }
    When::with(&["GL_NV_cooperative_vector", "GL_EXT_long_vector"]) => Int {
        "gl_CooperativeVectorMatrixLayoutRowMajorNV" = 0;
        "gl_CooperativeVectorMatrixLayoutColumnMajorNV" = 1;
        "gl_CooperativeVectorMatrixLayoutInferencingOptimalNV" = 2;
        "gl_CooperativeVectorMatrixLayoutTrainingOptimalNV" = 3;
        "gl_ComponentTypeFloat16NV" = 0;
        "gl_ComponentTypeFloat32NV" = 1;
        "gl_ComponentTypeFloat64NV" = 2;
        "gl_ComponentTypeSignedInt8NV" = 3;
        "gl_ComponentTypeSignedInt16NV" = 4;
        "gl_ComponentTypeSignedInt32NV" = 5;
        "gl_ComponentTypeSignedInt64NV" = 6;
        "gl_ComponentTypeUnsignedInt8NV" = 7;
        "gl_ComponentTypeUnsignedInt16NV" = 8;
        "gl_ComponentTypeUnsignedInt32NV" = 9;
        "gl_ComponentTypeUnsignedInt64NV" = 10;
        "gl_ComponentTypeSignedInt8PackedNV" = 1_000_491_000;
        "gl_ComponentTypeUnsignedInt8PackedNV" = 1_000_491_001;
        "gl_ComponentTypeFloatE4M3NV" = 1_000_491_002;
        "gl_ComponentTypeFloatE5M2NV" = 1_000_491_003;
    }
    RATE => Int {
        "gl_ShadingRateFlag2VerticalPixelsEXT" = 1;
        "gl_ShadingRateFlag4VerticalPixelsEXT" = 2;
        "gl_ShadingRateFlag2HorizontalPixelsEXT" = 4;
        "gl_ShadingRateFlag4HorizontalPixelsEXT" = 8;
    }
};
