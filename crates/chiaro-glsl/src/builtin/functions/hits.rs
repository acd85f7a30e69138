//! Functions of hit objects, which part tracing a ray from shading what it hit:
//! `GL_EXT_shader_invocation_reorder` and the extension of NVIDIA that it grew out of.

use super::names::*;
use super::rays::{CORNERS, ENDS, M4X3, Q, RADII, TREE};
use super::row::{Row, functions};
use crate::builtin::pattern::*;
use crate::builtin::{Stages, When};
use crate::intrinsic::Companion::{Attributes, None, Payload, PayloadAfterHint, QueryAttributes};
use crate::intrinsic::Intrinsic::{HitObject, HitObjectParts, Instruction};
use crate::ty::{HitObject as Which, Scalar};
use spirv::Op;

const E: Pattern = pattern(Shape::HitObject(Which::Ext), Scalar::Float);
const N: Pattern = pattern(Shape::HitObject(Which::Nv), Scalar::Float);

/// Shaders that may hold hit objects, and the one whose invocations may change places.
const HOLDERS: Stages = Stages::RAY_GENERATION.and(Stages::CLOSEST_HIT).and(Stages::MISS);
const REORDERED: Stages = Stages::RAY_GENERATION;

const NAME: When = When::with(&["GL_EXT_shader_invocation_reorder"]);
const NAME_NV: When = When::with(&["GL_NV_shader_invocation_reorder"]);
const MOTION: When = When::with(&["GL_NV_ray_tracing_motion_blur"]).only(HOLDERS);
const CLUSTER: When = When::with(&["GL_NV_cluster_acceleration_structure"]).only(HOLDERS);
const SPHERES: When = When::with(&["GL_NV_linear_swept_spheres"]).only(HOLDERS);

#[rustfmt::skip]
pub(super) static NV: &[Row] = functions! {
    NAME_NV.only(HOLDERS) => {
        "hitObjectTraceRayNV" HitObject(Op::HitObjectTraceRayNV, Payload) =>
            VOID(N, TREE, U1, U1, U1, U1, U1, F3, F1, F3, F1, I1);
        "hitObjectRecordHitNV" HitObject(Op::HitObjectRecordHitNV, Attributes) =>
            VOID(N, TREE, I1, I1, I1, U1, U1, U1, F3, F1, F3, F1, I1);
        "hitObjectRecordHitWithIndexNV" HitObject(Op::HitObjectRecordHitWithIndexNV, Attributes) =>
            VOID(N, TREE, I1, I1, I1, U1, U1, F3, F1, F3, F1, I1);
        "hitObjectRecordMissNV" HitObject(Op::HitObjectRecordMissNV, None) => VOID(N, U1, F3, F1, F3, F1);
        "hitObjectRecordEmptyNV" HitObject(Op::HitObjectRecordEmptyNV, None) => VOID(N);
        "hitObjectExecuteShaderNV" HitObject(Op::HitObjectExecuteShaderNV, Payload) => VOID(N, I1);
        "hitObjectIsEmptyNV" HitObject(Op::HitObjectIsEmptyNV, None) => B1(N);
        "hitObjectIsMissNV" HitObject(Op::HitObjectIsMissNV, None) => B1(N);
        "hitObjectIsHitNV" HitObject(Op::HitObjectIsHitNV, None) => B1(N);
        "hitObjectGetRayTMinNV" HitObject(Op::HitObjectGetRayTMinNV, None) => F1(N);
        "hitObjectGetRayTMaxNV" HitObject(Op::HitObjectGetRayTMaxNV, None) => F1(N);
        "hitObjectGetWorldRayOriginNV" HitObject(Op::HitObjectGetWorldRayOriginNV, None) => F3(N);
        "hitObjectGetWorldRayDirectionNV" HitObject(Op::HitObjectGetWorldRayDirectionNV, None) => F3(N);
        "hitObjectGetObjectRayOriginNV" HitObject(Op::HitObjectGetObjectRayOriginNV, None) => F3(N);
        "hitObjectGetObjectRayDirectionNV" HitObject(Op::HitObjectGetObjectRayDirectionNV, None) => F3(N);
        "hitObjectGetWorldToObjectNV" HitObject(Op::HitObjectGetWorldToObjectNV, None) => M4X3(N);
        "hitObjectGetObjectToWorldNV" HitObject(Op::HitObjectGetObjectToWorldNV, None) => M4X3(N);
        "hitObjectGetInstanceCustomIndexNV" HitObject(Op::HitObjectGetInstanceCustomIndexNV, None) => I1(N);
        "hitObjectGetInstanceIdNV" HitObject(Op::HitObjectGetInstanceIdNV, None) => I1(N);
        "hitObjectGetGeometryIndexNV" HitObject(Op::HitObjectGetGeometryIndexNV, None) => I1(N);
        "hitObjectGetPrimitiveIndexNV" HitObject(Op::HitObjectGetPrimitiveIndexNV, None) => I1(N);
        "hitObjectGetHitKindNV" HitObject(Op::HitObjectGetHitKindNV, None) => U1(N);
        "hitObjectGetAttributesNV" HitObject(Op::HitObjectGetAttributesNV, Attributes) => VOID(N, I1);
        "hitObjectGetShaderBindingTableRecordIndexNV"
            HitObject(Op::HitObjectGetShaderBindingTableRecordIndexNV, None) => U1(N);
        "hitObjectGetShaderRecordBufferHandleNV" HitObject(Op::HitObjectGetShaderRecordBufferHandleNV, None) => U2(N);
    }
    MOTION => {
        "hitObjectTraceRayMotionNV" HitObject(Op::HitObjectTraceRayMotionNV, Payload) =>
            VOID(N, TREE, U1, U1, U1, U1, U1, F3, F1, F3, F1, F1, I1);
        "hitObjectRecordHitMotionNV" HitObject(Op::HitObjectRecordHitMotionNV, Attributes) =>
            VOID(N, TREE, I1, I1, I1, U1, U1, U1, F3, F1, F3, F1, F1, I1);
        "hitObjectRecordHitWithIndexMotionNV" HitObject(Op::HitObjectRecordHitWithIndexMotionNV, Attributes) =>
            VOID(N, TREE, I1, I1, I1, U1, U1, F3, F1, F3, F1, F1, I1);
        "hitObjectRecordMissMotionNV" HitObject(Op::HitObjectRecordMissMotionNV, None) =>
            VOID(N, U1, F3, F1, F3, F1, F1);
        "hitObjectGetCurrentTimeNV" HitObject(Op::HitObjectGetCurrentTimeNV, None) => F1(N);
    }
    CLUSTER => {
        "hitObjectGetClusterIdNV" HitObject(Op::HitObjectGetClusterIdNV, None) => I1(N);
    }
    SPHERES => {
        "hitObjectGetSpherePositionNV" HitObject(Op::HitObjectGetSpherePositionNV, None) => F3(N);
        "hitObjectGetSphereRadiusNV" HitObject(Op::HitObjectGetSphereRadiusNV, None) => F1(N);
        "hitObjectGetLSSPositionsNV" HitObjectParts(Op::HitObjectGetLSSPositionsNV) => VOID(N, ENDS);
        "hitObjectGetLSSRadiiNV" HitObjectParts(Op::HitObjectGetLSSRadiiNV) => VOID(N, RADII);
        "hitObjectIsSphereHitNV" HitObject(Op::HitObjectIsSphereHitNV, None) => B1(N);
        "hitObjectIsLSSHitNV" HitObject(Op::HitObjectIsLSSHitNV, None) => B1(N);
    }
    NAME_NV.only(REORDERED) => {
        "reorderThreadNV" Instruction(Op::ReorderThreadWithHintNV) => VOID(U1, U1);
        "reorderThreadNV" HitObject(Op::ReorderThreadWithHitObjectNV, None) => VOID(N) | VOID(N, U1, U1);
    }
};

#[rustfmt::skip]
pub(super) static EXT: &[Row] = functions! {
    NAME.only(HOLDERS) => {
        "hitObjectTraceRayEXT" HitObject(Op::HitObjectTraceRayEXT, Payload) =>
            VOID(E, TREE, U1, U1, U1, U1, U1, F3, F1, F3, F1, I1);
        "hitObjectRecordFromQueryEXT" HitObject(Op::HitObjectRecordFromQueryEXT, QueryAttributes) =>
            VOID(E, Q, U1, I1) | VOID(E, Q, U1, I1, U1);
        "hitObjectRecordMissEXT" HitObject(Op::HitObjectRecordMissEXT, None) => VOID(E, U1, U1, F3, F1, F3, F1);
        "hitObjectRecordEmptyEXT" HitObject(Op::HitObjectRecordEmptyEXT, None) => VOID(E);
        "hitObjectExecuteShaderEXT" HitObject(Op::HitObjectExecuteShaderEXT, Payload) => VOID(E, I1);
        "hitObjectIsEmptyEXT" HitObject(Op::HitObjectIsEmptyEXT, None) => B1(E);
        "hitObjectIsMissEXT" HitObject(Op::HitObjectIsMissEXT, None) => B1(E);
        "hitObjectIsHitEXT" HitObject(Op::HitObjectIsHitEXT, None) => B1(E);
        "hitObjectGetRayTMinEXT" HitObject(Op::HitObjectGetRayTMinEXT, None) => F1(E);
        "hitObjectGetRayTMaxEXT" HitObject(Op::HitObjectGetRayTMaxEXT, None) => F1(E);
        "hitObjectGetRayFlagsEXT" HitObject(Op::HitObjectGetRayFlagsEXT, None) => U1(E);
        "hitObjectGetWorldRayOriginEXT" HitObject(Op::HitObjectGetWorldRayOriginEXT, None) => F3(E);
        "hitObjectGetWorldRayDirectionEXT" HitObject(Op::HitObjectGetWorldRayDirectionEXT, None) => F3(E);
        "hitObjectGetObjectRayOriginEXT" HitObject(Op::HitObjectGetObjectRayOriginEXT, None) => F3(E);
        "hitObjectGetObjectRayDirectionEXT" HitObject(Op::HitObjectGetObjectRayDirectionEXT, None) => F3(E);
        "hitObjectGetWorldToObjectEXT" HitObject(Op::HitObjectGetWorldToObjectEXT, None) => M4X3(E);
        "hitObjectGetObjectToWorldEXT" HitObject(Op::HitObjectGetObjectToWorldEXT, None) => M4X3(E);
        "hitObjectGetInstanceCustomIndexEXT" HitObject(Op::HitObjectGetInstanceCustomIndexEXT, None) => I1(E);
        "hitObjectGetInstanceIdEXT" HitObject(Op::HitObjectGetInstanceIdEXT, None) => I1(E);
        "hitObjectGetGeometryIndexEXT" HitObject(Op::HitObjectGetGeometryIndexEXT, None) => I1(E);
        "hitObjectGetPrimitiveIndexEXT" HitObject(Op::HitObjectGetPrimitiveIndexEXT, None) => I1(E);
        "hitObjectGetHitKindEXT" HitObject(Op::HitObjectGetHitKindEXT, None) => U1(E);
        "hitObjectGetAttributesEXT" HitObject(Op::HitObjectGetAttributesEXT, Attributes) => VOID(E, I1);
        "hitObjectGetIntersectionTriangleVertexPositionsEXT"
            HitObjectParts(Op::HitObjectGetIntersectionTriangleVertexPositionsEXT) => VOID(E, CORNERS);
        "hitObjectGetShaderBindingTableRecordIndexEXT"
            HitObject(Op::HitObjectGetShaderBindingTableRecordIndexEXT, None) => U1(E);
        "hitObjectSetShaderBindingTableRecordIndexEXT"
            HitObject(Op::HitObjectSetShaderBindingTableRecordIndexEXT, None) => VOID(E, U1);
        "hitObjectGetShaderRecordBufferHandleEXT" HitObject(Op::HitObjectGetShaderRecordBufferHandleEXT, None) => U2(E);
    }
    MOTION => {
        "hitObjectTraceRayMotionEXT" HitObject(Op::HitObjectTraceRayMotionEXT, Payload) =>
            VOID(E, TREE, U1, U1, U1, U1, U1, F3, F1, F3, F1, F1, I1);
        "hitObjectRecordMissMotionEXT" HitObject(Op::HitObjectRecordMissMotionEXT, None) =>
            VOID(E, U1, U1, F3, F1, F3, F1, F1);
        "hitObjectGetCurrentTimeEXT" HitObject(Op::HitObjectGetCurrentTimeEXT, None) => F1(E);
    }
    NAME.only(REORDERED) => {
        "reorderThreadEXT" Instruction(Op::ReorderThreadWithHintEXT) => VOID(U1, U1);
        "reorderThreadEXT" HitObject(Op::ReorderThreadWithHitObjectEXT, None) => VOID(E) | VOID(E, U1, U1);
        "hitObjectReorderExecuteEXT" HitObject(Op::HitObjectReorderExecuteShaderEXT, Payload) => VOID(E, I1);
        "hitObjectReorderExecuteEXT" HitObject(Op::HitObjectReorderExecuteShaderEXT, PayloadAfterHint) =>
            VOID(E, U1, U1, I1);
        "hitObjectTraceReorderExecuteEXT" HitObject(Op::HitObjectTraceReorderExecuteEXT, Payload) =>
            VOID(E, TREE, U1, U1, U1, U1, U1, F3, F1, F3, F1, I1);
        "hitObjectTraceReorderExecuteEXT" HitObject(Op::HitObjectTraceReorderExecuteEXT, PayloadAfterHint) =>
            VOID(E, TREE, U1, U1, U1, U1, U1, F3, F1, F3, F1, U1, U1, I1);
    }
    When::with(&["GL_NV_ray_tracing_motion_blur"]).only(REORDERED) => {
        "hitObjectTraceMotionReorderExecuteEXT" HitObject(Op::HitObjectTraceMotionReorderExecuteEXT, Payload) =>
            VOID(E, TREE, U1, U1, U1, U1, U1, F3, F1, F3, F1, F1, I1);
        "hitObjectTraceMotionReorderExecuteEXT" HitObject(Op::HitObjectTraceMotionReorderExecuteEXT, PayloadAfterHint) =>
            VOID(E, TREE, U1, U1, U1, U1, U1, F3, F1, F3, F1, F1, U1, U1, I1);
    }
};
