//! Instructions of hit objects, swept spheres and small triangles of displaced ones: what came
//! to ray tracing after its first version. [SPIRV-Headers 1.4.341, `spirv.core.grammar.json`]

use spirv::Op;

/// The shape of one of them; all operands are ids.
pub(super) fn shape(op: Op) -> Option<&'static str> {
    use Op::*;
    let within = |first: Op, last: Op| (first as u32..=last as u32).contains(&(op as u32));
    let known = within(HitObjectRecordHitMotionNV, TypeHitObjectNV)
        || within(FetchMicroTriangleVertexPositionNV, FetchMicroTriangleVertexBarycentricNV)
        || within(HitObjectRecordFromQueryEXT, HitObjectGetRayTMaxEXT)
        || within(HitObjectGetClusterIdNV, HitObjectIsMissEXT)
        || within(RayQueryGetIntersectionSpherePositionNV, RayQueryIsLSSHitNV);
    known.then(|| match op {
        TypeHitObjectNV | TypeHitObjectEXT => "r",
        _ if is_silent(op) => "i*",
        _ => "tri*",
    })
}

/// Whether one of them has no result.
fn is_silent(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        HitObjectRecordHitMotionNV
            | HitObjectRecordHitWithIndexMotionNV
            | HitObjectRecordMissMotionNV
            | HitObjectTraceRayMotionNV
            | HitObjectRecordEmptyNV
            | HitObjectTraceRayNV
            | HitObjectRecordHitNV
            | HitObjectRecordHitWithIndexNV
            | HitObjectRecordMissNV
            | HitObjectExecuteShaderNV
            | HitObjectGetAttributesNV
            | ReorderThreadWithHitObjectNV
            | ReorderThreadWithHintNV
    ) || matches!(
        op,
        HitObjectRecordFromQueryEXT
            | HitObjectRecordMissEXT
            | HitObjectRecordMissMotionEXT
            | HitObjectSetShaderBindingTableRecordIndexEXT
            | HitObjectReorderExecuteShaderEXT
            | HitObjectTraceReorderExecuteEXT
            | HitObjectTraceMotionReorderExecuteEXT
            | ReorderThreadWithHintEXT
            | ReorderThreadWithHitObjectEXT
            | HitObjectTraceRayEXT
            | HitObjectTraceRayMotionEXT
            | HitObjectRecordEmptyEXT
            | HitObjectExecuteShaderEXT
            | HitObjectGetAttributesEXT
    )
}
