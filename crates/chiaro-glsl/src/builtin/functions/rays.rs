//! Functions of rays: `GL_EXT_ray_query`, `GL_EXT_ray_tracing` and their companions.

use super::names::*;
use super::row::{Row, functions};
use crate::builtin::pattern::*;
use crate::builtin::{Stages, When};
use crate::intrinsic::Intrinsic::{EndOfRay, ExecuteCallable, Instruction, RayParts, RayQuery, TraceRay};
use crate::ty::Scalar;
use spirv::Op;

pub(super) const Q: Pattern = pattern(Shape::RayQuery, Scalar::Float);
pub(super) const TREE: Pattern = pattern(Shape::Acceleration, Scalar::Float);
/// The corners of a triangle.
pub(super) const CORNERS: Pattern = written(Shape::Several(3, 3), Scalar::Float);
/// The ends of a swept sphere, and its radius at each.
pub(super) const ENDS: Pattern = written(Shape::Several(2, 3), Scalar::Float);
pub(super) const RADII: Pattern = written(Shape::Several(2, 1), Scalar::Float);
pub(super) const M4X3: Pattern = pattern(Shape::Matrix(4, 3), Scalar::Float);

const QUERY: When = When::with(&["GL_EXT_ray_query"]);
const POSITION: When = When::with(&["GL_EXT_ray_tracing_position_fetch"]);
const CLUSTER: When = When::with(&["GL_NV_cluster_acceleration_structure"]);
const SPHERES: When = When::with(&["GL_NV_linear_swept_spheres"]);
const MICRO: When = When::with(&["GL_NV_displacement_micromap"]);

pub(super) static QUERIES: &[Row] = functions! {
    QUERY => {
        "rayQueryInitializeEXT" RayQuery(Op::RayQueryInitializeKHR) => VOID(Q, TREE, U1, U1, F3, F1, F3, F1);
        "rayQueryTerminateEXT" RayQuery(Op::RayQueryTerminateKHR) => VOID(Q);
        "rayQueryGenerateIntersectionEXT" RayQuery(Op::RayQueryGenerateIntersectionKHR) => VOID(Q, F1);
        "rayQueryConfirmIntersectionEXT" RayQuery(Op::RayQueryConfirmIntersectionKHR) => VOID(Q);
        "rayQueryProceedEXT" RayQuery(Op::RayQueryProceedKHR) => B1(Q);
        "rayQueryGetRayTMinEXT" RayQuery(Op::RayQueryGetRayTMinKHR) => F1(Q);
        "rayQueryGetRayFlagsEXT" RayQuery(Op::RayQueryGetRayFlagsKHR) => U1(Q);
        "rayQueryGetWorldRayOriginEXT" RayQuery(Op::RayQueryGetWorldRayOriginKHR) => F3(Q);
        "rayQueryGetWorldRayDirectionEXT" RayQuery(Op::RayQueryGetWorldRayDirectionKHR) => F3(Q);
        "rayQueryGetIntersectionCandidateAABBOpaqueEXT"
            RayQuery(Op::RayQueryGetIntersectionCandidateAABBOpaqueKHR) => B1(Q);
        "rayQueryGetIntersectionTypeEXT" RayQuery(Op::RayQueryGetIntersectionTypeKHR) => U1(Q, B1);
        "rayQueryGetIntersectionTEXT" RayQuery(Op::RayQueryGetIntersectionTKHR) => F1(Q, B1);
        "rayQueryGetIntersectionInstanceCustomIndexEXT"
            RayQuery(Op::RayQueryGetIntersectionInstanceCustomIndexKHR) => I1(Q, B1);
        "rayQueryGetIntersectionInstanceIdEXT" RayQuery(Op::RayQueryGetIntersectionInstanceIdKHR) => I1(Q, B1);
        "rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT"
            RayQuery(Op::RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR) => U1(Q, B1);
        "rayQueryGetIntersectionGeometryIndexEXT"
            RayQuery(Op::RayQueryGetIntersectionGeometryIndexKHR) => I1(Q, B1);
        "rayQueryGetIntersectionPrimitiveIndexEXT"
            RayQuery(Op::RayQueryGetIntersectionPrimitiveIndexKHR) => I1(Q, B1);
        "rayQueryGetIntersectionBarycentricsEXT"
            RayQuery(Op::RayQueryGetIntersectionBarycentricsKHR) => F2(Q, B1);
        "rayQueryGetIntersectionFrontFaceEXT" RayQuery(Op::RayQueryGetIntersectionFrontFaceKHR) => B1(Q, B1);
        "rayQueryGetIntersectionObjectRayDirectionEXT"
            RayQuery(Op::RayQueryGetIntersectionObjectRayDirectionKHR) => F3(Q, B1);
        "rayQueryGetIntersectionObjectRayOriginEXT"
            RayQuery(Op::RayQueryGetIntersectionObjectRayOriginKHR) => F3(Q, B1);
        "rayQueryGetIntersectionObjectToWorldEXT"
            RayQuery(Op::RayQueryGetIntersectionObjectToWorldKHR) => M4X3(Q, B1);
        "rayQueryGetIntersectionWorldToObjectEXT"
            RayQuery(Op::RayQueryGetIntersectionWorldToObjectKHR) => M4X3(Q, B1);
    }
    POSITION => {
        "rayQueryGetIntersectionTriangleVertexPositionsEXT"
            RayParts(Op::RayQueryGetIntersectionTriangleVertexPositionsKHR) => VOID(Q, B1, CORNERS);
    }
    CLUSTER => {
        "rayQueryGetIntersectionClusterIdNV" RayQuery(Op::RayQueryGetIntersectionClusterIdNV) => I1(Q, B1);
    }
    SPHERES => {
        "rayQueryGetIntersectionSpherePositionNV" RayQuery(Op::RayQueryGetIntersectionSpherePositionNV) => F3(Q, B1);
        "rayQueryGetIntersectionSphereRadiusNV" RayQuery(Op::RayQueryGetIntersectionSphereRadiusNV) => F1(Q, B1);
        "rayQueryGetIntersectionLSSHitValueNV" RayQuery(Op::RayQueryGetIntersectionLSSHitValueNV) => F1(Q, B1);
        "rayQueryGetIntersectionLSSPositionsNV" RayParts(Op::RayQueryGetIntersectionLSSPositionsNV) => VOID(Q, B1, ENDS);
        "rayQueryGetIntersectionLSSRadiiNV" RayParts(Op::RayQueryGetIntersectionLSSRadiiNV) => VOID(Q, B1, RADII);
        "rayQueryIsSphereHitNV" RayQuery(Op::RayQueryIsSphereHitNV) => B1(Q, B1);
        "rayQueryIsLSSHitNV" RayQuery(Op::RayQueryIsLSSHitNV) => B1(Q, B1);
    }
    MICRO => {
        "fetchMicroTriangleVertexPositionNV"
            Instruction(Op::FetchMicroTriangleVertexPositionNV) => F3(TREE, I1, I1, I1, I2);
        "fetchMicroTriangleVertexBarycentricNV"
            Instruction(Op::FetchMicroTriangleVertexBarycentricNV) => F2(TREE, I1, I1, I1, I2);
    }
};

const EXT: When = When::with(&["GL_EXT_ray_tracing"]);
const NV: When = When::with(&["GL_NV_ray_tracing"]);
const MOTION: When = When::with(&["GL_NV_ray_tracing_motion_blur"]);
const TRACERS: Stages = Stages::RAY_GENERATION.and(Stages::CLOSEST_HIT).and(Stages::MISS);
const CALLERS: Stages = TRACERS.and(Stages::CALLABLE);

/// The last argument of a trace or call is the location of what goes with it.
pub(super) static TRACING: &[Row] = functions! {
    EXT.only(TRACERS) => {
        "traceRayEXT" TraceRay(Op::TraceRayKHR) => VOID(TREE, U1, U1, U1, U1, U1, F3, F1, F3, F1, I1);
    }
    NV.only(TRACERS) => {
        "traceNV" TraceRay(Op::TraceRayKHR) => VOID(TREE, U1, U1, U1, U1, U1, F3, F1, F3, F1, I1);
    }
    MOTION.only(TRACERS) => {
        "traceRayMotionNV" TraceRay(Op::TraceRayMotionNV) =>
            VOID(TREE, U1, U1, U1, U1, U1, F3, F1, F3, F1, F1, I1);
    }
    EXT.only(CALLERS) => {
        "executeCallableEXT" ExecuteCallable => VOID(U1, I1);
    }
    NV.only(CALLERS) => {
        "executeCallableNV" ExecuteCallable => VOID(U1, I1);
    }
    EXT.only(Stages::INTERSECTION) => {
        "reportIntersectionEXT" Instruction(Op::ReportIntersectionKHR) => B1(F1, U1);
    }
    NV.only(Stages::INTERSECTION) => {
        "reportIntersectionNV" Instruction(Op::ReportIntersectionKHR) => B1(F1, U1);
    }
    EXT.only(Stages::ANY_HIT) => {
        "ignoreIntersectionEXT" EndOfRay(Op::IgnoreIntersectionKHR) => VOID();
        "terminateRayEXT" EndOfRay(Op::TerminateRayKHR) => VOID();
    }
    NV.only(Stages::ANY_HIT) => {
        "ignoreIntersectionNV" EndOfRay(Op::IgnoreIntersectionKHR) => VOID();
        "terminateRayNV" EndOfRay(Op::TerminateRayKHR) => VOID();
    }
};
