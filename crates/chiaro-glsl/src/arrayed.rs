//! Inputs and outputs that stand in arrays: an element for each vertex of a primitive or patch, or
//! for each vertex or primitive of a mesh.
//!
//! [GLSL 4.60, 4.3.4, 4.3.6; GL_EXT_mesh_shader]

use crate::hir::{Expr, ExprKind, GlobalId, Modes};
use crate::qualifier::{Layout, Storage};
use crate::source::Stage;

/// Vertices that a patch has at most: `gl_MaxPatchVertices`.
pub(crate) const PATCH: u32 = 32;

/// Whether a variable of the interface is such an array.
pub(crate) fn is_arrayed(stage: Stage, storage: Storage, layout: &Layout) -> bool {
    match (stage, storage) {
        (Stage::Geometry, Storage::In) => true,
        (Stage::TessControl, Storage::In) => true,
        (Stage::TessControl, Storage::Out) | (Stage::TessEvaluation, Storage::In) => !layout.patch,
        (Stage::Mesh, Storage::Out) => true,
        _ => false,
    }
}

/// How many elements it has, once the source has said it.
pub(crate) fn elements(stage: Stage, storage: Storage, layout: &Layout, modes: &Modes) -> Option<u32> {
    match (stage, storage) {
        (Stage::Geometry, _) => input_vertices(modes),
        (Stage::TessControl, Storage::Out) => modes.patch_vertices,
        (Stage::Mesh, _) => modes.mesh[usize::from(layout.per_primitive)],
        _ => Some(PATCH),
    }
}

/// Vertices of the primitive that a geometry shader takes.
fn input_vertices(modes: &Modes) -> Option<u32> {
    use spirv::ExecutionMode::{
        InputLines, InputLinesAdjacency, InputPoints, InputTrianglesAdjacency, Triangles,
    };
    Some(match modes.geometry?.0 {
        InputPoints => 1,
        InputLines => 2,
        Triangles => 3,
        InputLinesAdjacency => 4,
        InputTrianglesAdjacency => 6,
        _ => return None,
    })
}

/// Members of a block that expressions name, by number.
pub(crate) fn named_members(exprs: &[Expr], block: GlobalId) -> impl Iterator<Item = u32> {
    exprs.iter().filter_map(move |expr| match expr.kind {
        ExprKind::Member(base, n) => is_block(exprs, base, block).then_some(n),
        _ => None,
    })
}

/// Whether an expression is a block, or an element of an array of it.
fn is_block(exprs: &[Expr], mut base: crate::hir::ExprId, block: GlobalId) -> bool {
    loop {
        match exprs[base.0 as usize].kind {
            ExprKind::Index(inner, _) => base = inner,
            ExprKind::Global(id) => return id == block,
            _ => return false,
        }
    }
}
