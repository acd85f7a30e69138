//! Variables and numbers of ray tracing, with the names of both extensions.

use super::variable::{Count, Kind, Number, Variable, variables};
use super::{Stages, When};
use crate::hir::Builtin;
use crate::qualifier::{Precision, Storage};
use crate::ty::Scalar;
use spirv::BuiltIn;

const NO: Option<Precision> = None;
const HIGH: Option<Precision> = Some(Precision::High);

const F: Kind = Kind::Known(Scalar::Float, 1, 1);
const V3: Kind = Kind::Known(Scalar::Float, 1, 3);
const I: Kind = Kind::Known(Scalar::Int, 1, 1);
const U: Kind = Kind::Known(Scalar::Uint, 1, 1);
const U3: Kind = Kind::Known(Scalar::Uint, 1, 3);
const M43: Kind = Kind::Known(Scalar::Float, 4, 3);
const M34: Kind = Kind::Known(Scalar::Float, 3, 4);
const B: Kind = Kind::Known(Scalar::Bool, 1, 1);
const CORNERS: Kind = Kind::Array(Scalar::Float, 1, 3, Count::Number(3));
/// How much of each corner of a triangle is in each corner of a part of it.
const SHARES: Kind = Kind::Array(Scalar::Float, 1, 2, Count::Number(3));
const ENDS: Kind = Kind::Array(Scalar::Float, 1, 3, Count::Number(2));
const RADII: Kind = Kind::Array(Scalar::Float, 1, 1, Count::Number(2));

const fn known(builtin: BuiltIn) -> Builtin {
    Builtin::Known(builtin)
}

const HITS: Stages = Stages::ANY_HIT.and(Stages::CLOSEST_HIT);
const OBJECTS: Stages = HITS.and(Stages::INTERSECTION);
const RAYS: Stages = OBJECTS.and(Stages::MISS);
const EVERY: Stages = RAYS.and(Stages::RAY_GENERATION).and(Stages::CALLABLE);

const EXT: When = When::with(&["GL_EXT_ray_tracing"]);
const NV: When = When::with(&["GL_NV_ray_tracing"]);
const EITHER: When = When::with(&["GL_EXT_ray_tracing", "GL_NV_ray_tracing"]);
const CULL: When = When::with(&["GL_EXT_ray_cull_mask"]);
const POSITIONS: When = When::with(&["GL_EXT_ray_tracing_position_fetch"]);
const CLUSTERS: When = When::with(&["GL_NV_cluster_acceleration_structure"]);
const SPHERES: When = When::with(&["GL_NV_linear_swept_spheres"]);
const MICRO: When = When::with(&["GL_NV_displacement_micromap"]);
const MOTION: When = When::with(&["GL_NV_ray_tracing_motion_blur"]);

/// The variables.
pub(super) static VARIABLES: &[Variable] = variables! {
    EITHER.only(OBJECTS) => {
        In I, HIGH "gl_PrimitiveID" = known(BuiltIn::PrimitiveId);
        In I, HIGH "gl_InstanceID" = known(BuiltIn::InstanceId);
    }
    EXT.only(EVERY) => {
        In U3, HIGH "gl_LaunchIDEXT" = known(BuiltIn::LaunchIdKHR);
        In U3, HIGH "gl_LaunchSizeEXT" = known(BuiltIn::LaunchSizeKHR);
    }
    EXT.only(RAYS) => {
        In V3, HIGH "gl_WorldRayOriginEXT" = known(BuiltIn::WorldRayOriginKHR);
        In V3, HIGH "gl_WorldRayDirectionEXT" = known(BuiltIn::WorldRayDirectionKHR);
        In F, HIGH "gl_RayTminEXT" = known(BuiltIn::RayTminKHR);
        In F, HIGH "gl_RayTmaxEXT" = known(BuiltIn::RayTmaxKHR);
        In U, HIGH "gl_IncomingRayFlagsEXT" = known(BuiltIn::IncomingRayFlagsKHR);
    }
    EXT.only(OBJECTS) => {
        In I, HIGH "gl_InstanceCustomIndexEXT" = known(BuiltIn::InstanceCustomIndexKHR);
        In I, HIGH "gl_GeometryIndexEXT" = known(BuiltIn::RayGeometryIndexKHR);
        In V3, HIGH "gl_ObjectRayOriginEXT" = known(BuiltIn::ObjectRayOriginKHR);
        In V3, HIGH "gl_ObjectRayDirectionEXT" = known(BuiltIn::ObjectRayDirectionKHR);
        In M43, HIGH "gl_ObjectToWorldEXT" = known(BuiltIn::ObjectToWorldKHR);
        In M43, HIGH "gl_WorldToObjectEXT" = known(BuiltIn::WorldToObjectKHR);
        In M34, HIGH "gl_ObjectToWorld3x4EXT" = Builtin::Transposed(BuiltIn::ObjectToWorldKHR);
        In M34, HIGH "gl_WorldToObject3x4EXT" = Builtin::Transposed(BuiltIn::WorldToObjectKHR);
    }
    EXT.only(HITS) => {
        In F, HIGH "gl_HitTEXT" = known(BuiltIn::RayTmaxKHR);
        In U, HIGH "gl_HitKindEXT" = known(BuiltIn::HitKindKHR);
    }
    NV.only(EVERY) => {
        In U3, HIGH "gl_LaunchIDNV" = known(BuiltIn::LaunchIdKHR);
        In U3, HIGH "gl_LaunchSizeNV" = known(BuiltIn::LaunchSizeKHR);
    }
    NV.only(RAYS) => {
        In V3, HIGH "gl_WorldRayOriginNV" = known(BuiltIn::WorldRayOriginKHR);
        In V3, HIGH "gl_WorldRayDirectionNV" = known(BuiltIn::WorldRayDirectionKHR);
        In V3, HIGH "gl_ObjectRayOriginNV" = known(BuiltIn::ObjectRayOriginKHR);
        In V3, HIGH "gl_ObjectRayDirectionNV" = known(BuiltIn::ObjectRayDirectionKHR);
        In F, HIGH "gl_RayTminNV" = known(BuiltIn::RayTminKHR);
        In F, HIGH "gl_RayTmaxNV" = known(BuiltIn::RayTmaxKHR);
        In U, HIGH "gl_IncomingRayFlagsNV" = known(BuiltIn::IncomingRayFlagsKHR);
    }
    NV.only(OBJECTS) => {
        In I, HIGH "gl_InstanceCustomIndexNV" = known(BuiltIn::InstanceCustomIndexKHR);
        In M43, HIGH "gl_ObjectToWorldNV" = known(BuiltIn::ObjectToWorldKHR);
        In M43, HIGH "gl_WorldToObjectNV" = known(BuiltIn::WorldToObjectKHR);
    }
    NV.only(HITS) => {
        In F, HIGH "gl_HitTNV" = known(BuiltIn::RayTmaxKHR);
        In U, HIGH "gl_HitKindNV" = known(BuiltIn::HitKindKHR);
    }
    CULL.only(RAYS) => {
        In U, HIGH "gl_CullMaskEXT" = known(BuiltIn::CullMaskKHR);
    }
    POSITIONS.only(HITS) => {
        In CORNERS, HIGH "gl_HitTriangleVertexPositionsEXT" = known(BuiltIn::HitTriangleVertexPositionsKHR);
    }
    CLUSTERS.only(HITS) => {
        In I, HIGH "gl_ClusterIDNV" = known(BuiltIn::ClusterIDNV);
    }
    SPHERES.only(HITS) => {
        In B, NO "gl_HitIsSphereNV" = known(BuiltIn::HitIsSphereNV);
        In B, NO "gl_HitIsLSSNV" = known(BuiltIn::HitIsLSSNV);
        In V3, HIGH "gl_HitSpherePositionNV" = known(BuiltIn::HitSpherePositionNV);
        In F, HIGH "gl_HitSphereRadiusNV" = known(BuiltIn::HitSphereRadiusNV);
        In ENDS, HIGH "gl_HitLSSPositionsNV" = known(BuiltIn::HitLSSPositionsNV);
        In RADII, HIGH "gl_HitLSSRadiiNV" = known(BuiltIn::HitLSSRadiiNV);
    }
    MICRO.only(HITS) => {
        In CORNERS, HIGH "gl_HitMicroTriangleVertexPositionsNV" = known(BuiltIn::HitMicroTriangleVertexPositionsNV);
        In SHARES, HIGH "gl_HitMicroTriangleVertexBarycentricsNV" =
            known(BuiltIn::HitMicroTriangleVertexBarycentricsNV);
    }
    MICRO.only(EVERY) => {
        In U, HIGH "gl_HitKindFrontFacingMicroTriangleNV" = known(BuiltIn::HitKindFrontFacingMicroTriangleNV);
        In U, HIGH "gl_HitKindBackFacingMicroTriangleNV" = known(BuiltIn::HitKindBackFacingMicroTriangleNV);
    }
    MOTION.only(RAYS) => {
        In F, HIGH "gl_CurrentRayTimeNV" = known(BuiltIn::CurrentRayTimeNV);
    }
};

/// A list of numbers with the names of both extensions.
macro_rules! numbers {
    ($( $ext:literal $nv:literal = $value:expr ; )*) => {
        &[ $(
            Number { name: $ext, scalar: Scalar::Uint, value: $value, when: RAY_NUMBERS },
            Number { name: $nv, scalar: Scalar::Uint, value: $value, when: NV },
        )* ]
    };
}

const RAY_NUMBERS: When = When::with(&["GL_EXT_ray_query", "GL_EXT_ray_tracing"]);

/// Flags of rays and kinds of hits.
pub(super) static NUMBERS: &[Number] = numbers! {
    "gl_RayFlagsNoneEXT" "gl_RayFlagsNoneNV" = 0;
    "gl_RayFlagsOpaqueEXT" "gl_RayFlagsOpaqueNV" = 1;
    "gl_RayFlagsNoOpaqueEXT" "gl_RayFlagsNoOpaqueNV" = 2;
    "gl_RayFlagsTerminateOnFirstHitEXT" "gl_RayFlagsTerminateOnFirstHitNV" = 4;
    "gl_RayFlagsSkipClosestHitShaderEXT" "gl_RayFlagsSkipClosestHitShaderNV" = 8;
    "gl_RayFlagsCullBackFacingTrianglesEXT" "gl_RayFlagsCullBackFacingTrianglesNV" = 16;
    "gl_RayFlagsCullFrontFacingTrianglesEXT" "gl_RayFlagsCullFrontFacingTrianglesNV" = 32;
    "gl_RayFlagsCullOpaqueEXT" "gl_RayFlagsCullOpaqueNV" = 64;
    "gl_RayFlagsCullNoOpaqueEXT" "gl_RayFlagsCullNoOpaqueNV" = 128;
    "gl_HitKindFrontFacingTriangleEXT" "gl_HitKindFrontFacingTriangleNV" = 0xfe;
    "gl_HitKindBackFacingTriangleEXT" "gl_HitKindBackFacingTriangleNV" = 0xff;
};
