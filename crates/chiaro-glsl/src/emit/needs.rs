//! Capabilities and extensions of SPIR-V that built-ins, instructions and modes ask for.
//!
//! [SPIR-V 1.6 and the texts of the extensions, the sections on capabilities]

use spirv::{BuiltIn, Capability, Decoration, ExecutionMode, Op};

/// What has to be declared for something.
#[derive(Clone, Copy, Default)]
pub(super) struct Need(pub(super) &'static [Capability], pub(super) &'static [&'static str]);

/// Nothing but what every shader has.
pub(super) const NOTHING: Need = Need(&[], &[]);

pub(super) const MESHES: Need = Need(&[Capability::MeshShadingEXT], &["SPV_EXT_mesh_shader"]);
pub(super) const MESHES_NV: Need = Need(&[Capability::MeshShadingNV], &["SPV_NV_mesh_shader"]);
pub(super) const BARYCENTRIC: Need =
    Need(&[Capability::FragmentBarycentricKHR], &["SPV_KHR_fragment_shader_barycentric"]);
/// Attachments that are read and written in tiles.
pub(super) const TILES: Need = Need(&[Capability::TileShadingQCOM], &["SPV_QCOM_tile_shading"]);
/// Flags of rays about opacity micromaps.
pub(super) const MICROMAPS: Need =
    Need(&[Capability::RayTracingOpacityMicromapEXT], &["SPV_EXT_opacity_micromap"]);
/// Footprints of textures.
pub(super) const FOOTPRINTS: Need = Need(&[Capability::ImageFootprintNV], &["SPV_NV_shader_image_footprint"]);
/// Colours of attachments in tiles.
pub(super) const TILE_COLOURS: Need =
    Need(&[Capability::TileImageColorReadAccessEXT], &["SPV_EXT_shader_tile_image"]);
/// Values of vertices that are interpolated by hand.
pub(super) const EXPLICIT: Need = Need(&[], &["SPV_AMD_shader_explicit_vertex_parameter"]);
/// Levels of images.
pub(super) const IMAGE_LEVELS: Need =
    Need(&[Capability::ImageReadWriteLodAMD], &["SPV_AMD_shader_image_load_store_lod"]);
/// Gathers with a level or bias.
pub(super) const GATHER_LEVELS: Need =
    Need(&[Capability::ImageGatherBiasLodAMD], &["SPV_AMD_texture_gather_bias_lod"]);
/// Atomic functions of several halves.
pub(super) const HALF_ATOMICS: Need =
    Need(&[Capability::AtomicFloat16VectorNV], &["SPV_NV_shader_atomic_fp16_vector"]);
/// Arrays of as many descriptors as the host binds.
pub(super) const OPEN_DESCRIPTORS: Need =
    Need(&[Capability::RuntimeDescriptorArray], &["SPV_EXT_descriptor_indexing"]);
/// Textures by handles.
pub(super) const BINDLESS: Need = Need(&[Capability::BindlessTextureNV], &["SPV_NV_bindless_texture"]);
/// Heaps of descriptors.
pub(super) const HEAPS: Need = Need(
    &[Capability::UntypedPointersKHR, Capability::DescriptorHeapEXT],
    &["SPV_EXT_descriptor_heap", "SPV_KHR_untyped_pointers"],
);
pub(super) const INTERLOCK: &[&str] = &["SPV_EXT_fragment_shader_interlock"];
pub(super) const DOT: &[&str] = &["SPV_KHR_integer_dot_product"];
/// What every shader of ray tracing asks for.
pub(super) const TRACING: Need = Need(&[Capability::RayTracingKHR], &["SPV_KHR_ray_tracing"]);
pub(super) const QUERY: Need = Need(&[Capability::RayQueryKHR], &["SPV_KHR_ray_query"]);
pub(super) const SPHERES: Need =
    Need(&[Capability::RayTracingSpheresGeometryNV], &["SPV_NV_linear_swept_spheres"]);
pub(super) const SWEPT_SPHERES: Need =
    Need(&[Capability::RayTracingLinearSweptSpheresGeometryNV], &["SPV_NV_linear_swept_spheres"]);
pub(super) const BLOCKS: Need = Need(&[Capability::TextureBlockMatchQCOM], &["SPV_QCOM_image_processing"]);
pub(super) const BLOCKS2: Need = Need(
    &[Capability::TextureBlockMatchQCOM, Capability::TextureBlockMatch2QCOM],
    &["SPV_QCOM_image_processing", "SPV_QCOM_image_processing2"],
);

/// What a built-in variable asks for.
pub(super) fn of_builtin(builtin: BuiltIn) -> Need {
    use BuiltIn as B;
    use Capability as C;
    match builtin {
        B::BaryCoordKHR | B::BaryCoordNoPerspKHR => BARYCENTRIC,
        B::BaryCoordNoPerspAMD
        | B::BaryCoordNoPerspCentroidAMD
        | B::BaryCoordNoPerspSampleAMD
        | B::BaryCoordSmoothAMD
        | B::BaryCoordSmoothCentroidAMD
        | B::BaryCoordSmoothSampleAMD
        | B::BaryCoordPullModelAMD => EXPLICIT,
        B::ShadingRateKHR | B::PrimitiveShadingRateKHR => {
            Need(&[C::FragmentShadingRateKHR], &["SPV_KHR_fragment_shading_rate"])
        }
        B::FragSizeEXT | B::FragInvocationCountEXT => {
            Need(&[C::FragmentDensityEXT], &["SPV_EXT_fragment_invocation_density"])
        }
        B::FragStencilRefEXT => Need(&[C::StencilExportEXT], &["SPV_EXT_shader_stencil_export"]),
        B::FullyCoveredEXT => Need(&[C::FragmentFullyCoveredEXT], &["SPV_EXT_fragment_fully_covered"]),
        B::ViewportMaskNV => Need(
            &[C::ShaderViewportIndexLayerEXT, C::ShaderViewportMaskNV],
            &["SPV_EXT_shader_viewport_index_layer", "SPV_NV_viewport_array2"],
        ),
        B::SecondaryPositionNV | B::SecondaryViewportMaskNV => Need(
            &[C::ShaderViewportIndexLayerEXT, C::ShaderViewportMaskNV, C::ShaderStereoViewNV],
            &[
                "SPV_EXT_shader_viewport_index_layer",
                "SPV_NV_viewport_array2",
                "SPV_NV_stereo_view_rendering",
            ],
        ),
        B::PositionPerViewNV | B::ViewportMaskPerViewNV => {
            // From SPIR-V 1.3 on views are in the core; OpenGL takes 1.0.
            let extensions = &["SPV_KHR_multiview", "SPV_NVX_multiview_per_view_attributes"];
            Need(&[C::MultiView, C::PerViewAttributesNV], extensions)
        }
        B::WarpsPerSMNV | B::SMCountNV | B::WarpIDNV | B::SMIDNV => {
            Need(&[C::ShaderSMBuiltinsNV], &["SPV_NV_shader_sm_builtins"])
        }
        B::CoreIDARM | B::CoreCountARM | B::CoreMaxIDARM | B::WarpIDARM | B::WarpMaxIDARM => {
            Need(&[C::CoreBuiltinsARM], &["SPV_ARM_core_builtins"])
        }
        B::CullMaskKHR => Need(&[C::RayCullMaskKHR], &["SPV_KHR_ray_cull_mask"]),
        B::HitTriangleVertexPositionsKHR => {
            Need(&[C::RayTracingPositionFetchKHR], &["SPV_KHR_ray_tracing_position_fetch"])
        }
        B::ClusterIDNV => {
            Need(&[C::RayTracingClusterAccelerationStructureNV], &["SPV_NV_cluster_acceleration_structure"])
        }
        B::HitMicroTriangleVertexPositionsNV
        | B::HitMicroTriangleVertexBarycentricsNV
        | B::HitKindFrontFacingMicroTriangleNV
        | B::HitKindBackFacingMicroTriangleNV => {
            Need(&[C::RayTracingDisplacementMicromapNV], &["SPV_NV_displacement_micromap"])
        }
        B::HitIsSphereNV | B::HitSpherePositionNV | B::HitSphereRadiusNV => SPHERES,
        B::HitIsLSSNV | B::HitLSSPositionsNV | B::HitLSSRadiiNV => SWEPT_SPHERES,
        B::CurrentRayTimeNV => Need(&[C::RayTracingMotionBlurNV], &["SPV_NV_ray_tracing_motion_blur"]),
        B::TileOffsetQCOM | B::TileDimensionQCOM | B::TileApronSizeQCOM => TILES,
        B::ViewIndex => Need(&[C::MultiView], &["SPV_KHR_multiview"]),
        B::DeviceIndex => Need(&[C::DeviceGroup], &["SPV_KHR_device_group"]),
        _ => NOTHING,
    }
}

/// What an instruction asks for, beside what its operands' types do.
pub(super) fn of_instruction(op: Op) -> Need {
    use Capability as C;
    match op {
        Op::IsHelperInvocationEXT => {
            Need(&[C::DemoteToHelperInvocation], &["SPV_EXT_demote_to_helper_invocation"])
        }
        Op::BeginInvocationInterlockEXT | Op::EndInvocationInterlockEXT => Need(&[], INTERLOCK),
        Op::ExpectKHR | Op::AssumeTrueKHR => Need(&[C::ExpectAssumeKHR], &["SPV_KHR_expect_assume"]),
        Op::ReadClockKHR => Need(&[C::ShaderClockKHR], &["SPV_KHR_shader_clock"]),
        Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
            Need(&[C::DotProduct], DOT)
        }
        Op::FragmentMaskFetchAMD | Op::FragmentFetchAMD => {
            Need(&[C::FragmentMaskAMD], &["SPV_AMD_shader_fragment_mask"])
        }
        Op::DepthAttachmentReadEXT => Need(&[C::TileImageDepthReadAccessEXT], &["SPV_EXT_shader_tile_image"]),
        Op::StencilAttachmentReadEXT => {
            Need(&[C::TileImageStencilReadAccessEXT], &["SPV_EXT_shader_tile_image"])
        }
        Op::ImageSampleWeightedQCOM => Need(&[C::TextureSampleWeightedQCOM], &["SPV_QCOM_image_processing"]),
        Op::ImageBoxFilterQCOM => Need(&[C::TextureBoxFilterQCOM], &["SPV_QCOM_image_processing"]),
        Op::ImageBlockMatchSSDQCOM | Op::ImageBlockMatchSADQCOM => BLOCKS,
        Op::ImageBlockMatchWindowSSDQCOM
        | Op::ImageBlockMatchWindowSADQCOM
        | Op::ImageBlockMatchGatherSSDQCOM
        | Op::ImageBlockMatchGatherSADQCOM => BLOCKS2,
        Op::RayQueryGetIntersectionTriangleVertexPositionsKHR => Need(
            &[C::RayQueryKHR, C::RayQueryPositionFetchKHR],
            &["SPV_KHR_ray_query", "SPV_KHR_ray_tracing_position_fetch"],
        ),
        Op::RayQueryGetIntersectionClusterIdNV => Need(
            &[C::RayQueryKHR, C::RayTracingClusterAccelerationStructureNV],
            &["SPV_KHR_ray_query", "SPV_NV_cluster_acceleration_structure"],
        ),
        Op::ReorderThreadWithHintEXT => REORDER,
        Op::ReorderThreadWithHintNV => REORDER_NV,
        Op::HitObjectGetClusterIdNV => of_builtin(BuiltIn::ClusterIDNV),
        Op::HitObjectGetSpherePositionNV | Op::HitObjectGetSphereRadiusNV | Op::HitObjectIsSphereHitNV => {
            SPHERES
        }
        Op::HitObjectGetLSSPositionsNV | Op::HitObjectGetLSSRadiiNV | Op::HitObjectIsLSSHitNV => {
            SWEPT_SPHERES
        }
        Op::RayQueryGetIntersectionSpherePositionNV
        | Op::RayQueryGetIntersectionSphereRadiusNV
        | Op::RayQueryIsSphereHitNV => SPHERES,
        Op::RayQueryGetIntersectionLSSPositionsNV
        | Op::RayQueryGetIntersectionLSSRadiiNV
        | Op::RayQueryGetIntersectionLSSHitValueNV
        | Op::RayQueryIsLSSHitNV => SWEPT_SPHERES,
        Op::FetchMicroTriangleVertexPositionNV | Op::FetchMicroTriangleVertexBarycentricNV => {
            Need(&[C::DisplacementMicromapNV], &["SPV_NV_displacement_micromap"])
        }
        Op::TraceRayMotionNV => Need(&[C::RayTracingMotionBlurNV], &["SPV_NV_ray_tracing_motion_blur"]),
        Op::TypeRayQueryKHR => QUERY,
        _ => NOTHING,
    }
}

/// What a decoration of a variable of the language asks for.
pub(super) fn of_mark(mark: Decoration) -> Need {
    use Capability as C;
    match mark {
        Decoration::ViewportRelativeNV => of_builtin(BuiltIn::ViewportMaskNV),
        Decoration::SecondaryViewportRelativeNV => of_builtin(BuiltIn::SecondaryPositionNV),
        Decoration::HitObjectShaderRecordBufferEXT => REORDER,
        Decoration::HitObjectShaderRecordBufferNV => REORDER_NV,
        Decoration::BankNV => Need(&[C::PushConstantBanksNV], &["SPV_NV_push_constant_bank"]),
        Decoration::PassthroughNV => {
            Need(&[C::GeometryShaderPassthroughNV], &["SPV_NV_geometry_shader_passthrough"])
        }
        Decoration::OverrideCoverageNV => {
            Need(&[C::SampleMaskOverrideCoverageNV], &["SPV_NV_sample_mask_override_coverage"])
        }
        _ => NOTHING,
    }
}

/// What a mode of an entry point asks for.
pub(super) fn of_mode(mode: ExecutionMode) -> Need {
    use Capability as C;
    use ExecutionMode as M;
    match mode {
        M::PixelInterlockOrderedEXT | M::PixelInterlockUnorderedEXT => {
            Need(&[C::FragmentShaderPixelInterlockEXT], INTERLOCK)
        }
        M::SampleInterlockOrderedEXT | M::SampleInterlockUnorderedEXT => {
            Need(&[C::FragmentShaderSampleInterlockEXT], INTERLOCK)
        }
        M::ShadingRateInterlockOrderedEXT | M::ShadingRateInterlockUnorderedEXT => {
            Need(&[C::FragmentShaderShadingRateInterlockEXT], INTERLOCK)
        }
        M::QuadDerivativesKHR | M::RequireFullQuadsKHR => {
            Need(&[C::QuadControlKHR], &["SPV_KHR_quad_control"])
        }
        M::DerivativeGroupQuadsKHR => {
            Need(&[C::ComputeDerivativeGroupQuadsKHR], &["SPV_NV_compute_shader_derivatives"])
        }
        M::DerivativeGroupLinearKHR => {
            Need(&[C::ComputeDerivativeGroupLinearKHR], &["SPV_NV_compute_shader_derivatives"])
        }
        M::NonCoherentTileAttachmentReadQCOM | M::TileShadingRateQCOM => TILES,
        M::PostDepthCoverage => Need(&[C::SampleMaskPostDepthCoverage], &["SPV_KHR_post_depth_coverage"]),
        M::StencilRefReplacingEXT => Need(&[C::StencilExportEXT], &["SPV_EXT_shader_stencil_export"]),
        M::EarlyAndLateFragmentTestsAMD => Need(&[], &["SPV_AMD_shader_early_and_late_fragment_tests"]),
        _ => NOTHING,
    }
}

/// What hit objects and the order of invocations ask for.
pub(super) const REORDER: Need =
    Need(&[Capability::ShaderInvocationReorderEXT], &["SPV_EXT_shader_invocation_reorder"]);
/// The same of NVIDIA.
pub(super) const REORDER_NV: Need =
    Need(&[Capability::ShaderInvocationReorderNV], &["SPV_NV_shader_invocation_reorder"]);
