//! Variables of tessellation, mesh and task shaders.
//!
//! [GLSL 4.60, 7.1.2, 7.1.3; GL_EXT_mesh_shader; GL_NV_mesh_shader]

use super::variable::{Count, Kind, Number, Variable, float, variables, vector};
use super::{Stages, When};
use crate::hir::Builtin;
use crate::qualifier::{Precision, Storage};
use crate::ty::Scalar;
use spirv::BuiltIn;

const NO: Option<Precision> = None;
const HIGH: Option<Precision> = Some(Precision::High);

const F: Kind = float();
const V3: Kind = vector(3);
const V4: Kind = vector(4);
const I: Kind = Kind::Known(Scalar::Int, 1, 1);
const U: Kind = Kind::Known(Scalar::Uint, 1, 1);
const OUTER: Kind = Kind::Array(Scalar::Float, 1, 1, Count::Number(4));
const INNER: Kind = Kind::Array(Scalar::Float, 1, 1, Count::Number(2));
const BOX: Kind = Kind::Array(Scalar::Float, 1, 4, Count::Number(2));
const PER_VERTEX: Kind = Kind::Structures("gl_PerVertex", Count::Vertices);
const MESH_VERTICES: Kind = Kind::Structures("gl_MeshPerVertexEXT", Count::Vertices);
const MESH_PRIMITIVES: Kind = Kind::Structures("gl_MeshPerPrimitiveEXT", Count::Primitives);
const MESH_VERTICES_NV: Kind = Kind::Structures("gl_MeshPerVertexNV", Count::Vertices);
const MESH_PRIMITIVES_NV: Kind = Kind::Structures("gl_MeshPerPrimitiveNV", Count::Primitives);
const POINTS: Kind = Kind::Array(Scalar::Uint, 1, 1, Count::Primitives);
const LINES: Kind = Kind::Array(Scalar::Uint, 1, 2, Count::Primitives);
const TRIANGLES: Kind = Kind::Array(Scalar::Uint, 1, 3, Count::Primitives);
const VIEWS: Kind = Kind::Array(Scalar::Uint, 1, 1, Count::Number(MESH_VIEWS));
const INDICES: Kind = Kind::Array(Scalar::Uint, 1, 1, Count::Indices);

const fn known(builtin: BuiltIn) -> Builtin {
    Builtin::Known(builtin)
}

const CONTROL: Stages = Stages::TESS_CONTROL;
const EVALUATION: Stages = Stages::TESS_EVALUATION;
const BOTH: Stages = CONTROL.and(EVALUATION);
/// The stages themselves need a version or an extension, which is checked once.
const ALWAYS: When = When::ALWAYS;
const MESH: When = When::with(&["GL_EXT_mesh_shader"]).only(Stages::MESH);
const MESH_NV: When = When::with(&["GL_NV_mesh_shader"]).only(Stages::MESH);
const VIEWS_NV: When = When::with(&["GL_NV_mesh_shader"]).only(Stages::MESH.and(Stages::TASK));
const TASK_NV: When = When::with(&["GL_NV_mesh_shader"]).only(Stages::TASK);
const BOUNDING: When =
    When::since(320, 0).or(&["GL_EXT_primitive_bounding_box", "GL_OES_primitive_bounding_box"]);

/// The variables.
pub(super) static VARIABLES: &[Variable] = variables! {
    ALWAYS.only(BOTH) => {
        In PER_VERTEX, NO "gl_in" = Builtin::Legacy;
        In I, HIGH "gl_PatchVerticesIn" = known(BuiltIn::PatchVertices);
        In I, HIGH "gl_PrimitiveID" = known(BuiltIn::PrimitiveId);
    }
    ALWAYS.only(CONTROL) => {
        Out PER_VERTEX, NO "gl_out" = Builtin::Legacy;
        In I, HIGH "gl_InvocationID" = known(BuiltIn::InvocationId);
        Out OUTER, HIGH "gl_TessLevelOuter" = known(BuiltIn::TessLevelOuter);
        Out INNER, HIGH "gl_TessLevelInner" = known(BuiltIn::TessLevelInner);
    }
    BOUNDING.only(CONTROL) => {
        Out BOX, HIGH "gl_BoundingBox" = Builtin::Unused;
        Out BOX, HIGH "gl_BoundingBoxEXT" = Builtin::Unused;
        Out BOX, HIGH "gl_BoundingBoxOES" = Builtin::Unused;
    }
    ALWAYS.only(EVALUATION) => {
        In V3, HIGH "gl_TessCoord" = known(BuiltIn::TessCoord);
        In OUTER, HIGH "gl_TessLevelOuter" = known(BuiltIn::TessLevelOuter);
        In INNER, HIGH "gl_TessLevelInner" = known(BuiltIn::TessLevelInner);
        Out V4, HIGH "gl_Position" = known(BuiltIn::Position);
        Out F, HIGH "gl_PointSize" = known(BuiltIn::PointSize);
    }
    MESH => {
        Out MESH_VERTICES, NO "gl_MeshVerticesEXT" = Builtin::Legacy;
        Out MESH_PRIMITIVES, NO "gl_MeshPrimitivesEXT" = Builtin::Legacy;
        Out POINTS, HIGH "gl_PrimitivePointIndicesEXT" = known(BuiltIn::PrimitivePointIndicesEXT);
        Out LINES, HIGH "gl_PrimitiveLineIndicesEXT" = known(BuiltIn::PrimitiveLineIndicesEXT);
        Out TRIANGLES, HIGH "gl_PrimitiveTriangleIndicesEXT" = known(BuiltIn::PrimitiveTriangleIndicesEXT);
    }
    MESH_NV => {
        Out MESH_VERTICES_NV, NO "gl_MeshVerticesNV" = Builtin::Legacy;
        Out MESH_PRIMITIVES_NV, NO "gl_MeshPrimitivesNV" = Builtin::Legacy;
        Out U, HIGH "gl_PrimitiveCountNV" = known(BuiltIn::PrimitiveCountNV);
        Out INDICES, HIGH "gl_PrimitiveIndicesNV" = known(BuiltIn::PrimitiveIndicesNV);
    }
    VIEWS_NV => {
        In U, HIGH "gl_MeshViewCountNV" = known(BuiltIn::MeshViewCountNV);
        In VIEWS, HIGH "gl_MeshViewIndicesNV" = known(BuiltIn::MeshViewIndicesNV);
    }
    TASK_NV => {
        Out U, HIGH "gl_TaskCountNV" = known(BuiltIn::TaskCountNV);
    }
};

/// Views of a mesh at most. [GL_NV_mesh_shader]
const MESH_VIEWS: u32 = 4;

const EXT: When = When::with(&["GL_EXT_mesh_shader"]);
const NV: When = When::with(&["GL_NV_mesh_shader"]);

const fn number(name: &'static str, value: u32, when: When) -> Number {
    Number { name, scalar: Scalar::Int, value, when }
}

/// What devices make at most: the least that the extensions promise.
pub(crate) static NUMBERS: &[Number] = &[
    number("gl_MaxMeshOutputVerticesEXT", 256, EXT),
    number("gl_MaxMeshOutputPrimitivesEXT", 256, EXT),
    number("gl_MaxMeshViewCountEXT", 4, EXT),
    number("gl_MaxMeshOutputVerticesNV", 256, NV),
    number("gl_MaxMeshOutputPrimitivesNV", 512, NV),
    number("gl_MaxMeshViewCountNV", MESH_VIEWS, NV),
];
