//! Functions of ray queries: `GL_EXT_ray_query` and its companions.

use super::*;
use crate::intrinsic::Intrinsic::{RayPositions, RayQuery};
use spirv::Op;

const Q: Pattern = pattern(Shape::RayQuery, Scalar::Float);
const TREE: Pattern = pattern(Shape::Acceleration, Scalar::Float);
const CORNERS: Pattern = written(Shape::Corners, Scalar::Float);
const M4X3: Pattern = pattern(Shape::Matrix(4, 3), Scalar::Float);

const QUERY: When = When::with(&["GL_EXT_ray_query"]);
const POSITION: When = When::with(&["GL_EXT_ray_tracing_position_fetch"]);
const CLUSTER: When = When::with(&["GL_NV_cluster_acceleration_structure"]);

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
        "rayQueryGetIntersectionTriangleVertexPositionsEXT" RayPositions => VOID(Q, B1, CORNERS);
    }
    CLUSTER => {
        "rayQueryGetIntersectionClusterIdNV" RayQuery(Op::RayQueryGetIntersectionClusterIdNV) => I1(Q, B1);
    }
};
