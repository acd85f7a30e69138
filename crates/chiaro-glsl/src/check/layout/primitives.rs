//! Names in `layout(...)` of tessellation and mesh shaders: what they take and make.
//!
//! [GLSL 4.60, 4.4.1.1, 4.4.2.1; GL_EXT_mesh_shader; GL_NV_mesh_shader]

use super::row::{Kind, Row, Sets, layouts};
use crate::builtin::{Stages, When};
use spirv::ExecutionMode as M;

const IN: Kind = Kind::DEFAULT_IN;
const OUT: Kind = Kind::DEFAULT_OUT;
const CONTROL: When = When::ALWAYS.only(Stages::TESS_CONTROL);
const EVALUATION: When = When::ALWAYS.only(Stages::TESS_EVALUATION);
const MESH: When = When::ALWAYS.only(Stages::MESH);

/// The names.
pub(super) static ROWS: &[Row] = layouts! {
    "vertices" Sets::PatchVertices, OUT, CONTROL;
    "triangles" Sets::Mode(M::Triangles), IN, EVALUATION;
    "quads" Sets::Mode(M::Quads), IN, EVALUATION;
    "isolines" Sets::Mode(M::Isolines), IN, EVALUATION;
    "equal_spacing" Sets::Mode(M::SpacingEqual), IN, EVALUATION;
    "fractional_even_spacing" Sets::Mode(M::SpacingFractionalEven), IN, EVALUATION;
    "fractional_odd_spacing" Sets::Mode(M::SpacingFractionalOdd), IN, EVALUATION;
    "cw" Sets::Mode(M::VertexOrderCw), IN, EVALUATION;
    "ccw" Sets::Mode(M::VertexOrderCcw), IN, EVALUATION;
    "point_mode" Sets::Mode(M::PointMode), IN, EVALUATION;
    "points" Sets::Mode(M::OutputPoints), OUT, MESH;
    "lines" Sets::Mode(M::OutputLinesEXT), OUT, MESH;
    "triangles" Sets::Mode(M::OutputTrianglesEXT), OUT, MESH;
    "max_vertices" Sets::MaxVertices, OUT, MESH;
    "max_primitives" Sets::MaxPrimitives, OUT, MESH;
};

/// Modes of which a shader has one: the names of each group.
pub(in crate::check) const GROUPS: [(&[M], &str); 4] = [
    (&[M::Triangles, M::Quads, M::Isolines], "primitive"),
    (&[M::SpacingEqual, M::SpacingFractionalEven, M::SpacingFractionalOdd], "spacing"),
    (&[M::VertexOrderCw, M::VertexOrderCcw], "order of vertices"),
    (&[M::OutputPoints, M::OutputLinesEXT, M::OutputTrianglesEXT], "primitive"),
];
