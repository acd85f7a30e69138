//! Blocks of the language's own: what stands in `gl_in`, `gl_out` and the arrays of a mesh.
//!
//! [GLSL 4.60, 7.1; GL_EXT_mesh_shader; GL_NV_mesh_shader]

use spirv::BuiltIn;

use super::When;
use super::variable::{Count, Kind, float, vector};
use super::variables::{CLIP, CULL};
use crate::ty::Scalar;

/// A member: its name, its type, what it is, and when it is there.
pub(crate) type OwnMember = (&'static str, Kind, BuiltIn, When);

/// A block of the language's own.
#[derive(Debug)]
pub(crate) struct OwnBlock {
    /// The block's name.
    pub(crate) name: &'static str,
    /// Whether its members are of primitives, not of vertices.
    pub(crate) per_primitive: bool,
    /// Its members; those that are often unused come last.
    pub(crate) members: &'static [OwnMember],
}

const FLOATS: Kind = Kind::Array(Scalar::Float, 1, 1, Count::Use);
const I: Kind = Kind::Known(Scalar::Int, 1, 1);
const B: Kind = Kind::Known(Scalar::Bool, 1, 1);
const MASKS: Kind = Kind::Array(Scalar::Int, 1, 1, Count::Number(1));

const POSITIONS: Kind = Kind::Array(Scalar::Float, 1, 4, Count::Number(1));
const STEREO: When = When::with(&["GL_NV_stereo_view_rendering"]);
const VIEWS: When = When::with(&["GL_NVX_multiview_per_view_attributes"]);

const VERTEX: &[OwnMember] = &[
    ("gl_Position", vector(4), BuiltIn::Position, When::ALWAYS),
    ("gl_PointSize", float(), BuiltIn::PointSize, When::ALWAYS),
    ("gl_ClipDistance", FLOATS, BuiltIn::ClipDistance, CLIP),
    ("gl_CullDistance", FLOATS, BuiltIn::CullDistance, CULL),
    ("gl_SecondaryPositionNV", vector(4), BuiltIn::SecondaryPositionNV, STEREO),
    ("gl_PositionPerViewNV", POSITIONS, BuiltIn::PositionPerViewNV, VIEWS),
];

const PRIMITIVE: &[OwnMember] = &[
    ("gl_PrimitiveID", I, BuiltIn::PrimitiveId, When::ALWAYS),
    ("gl_Layer", I, BuiltIn::Layer, When::ALWAYS),
    ("gl_ViewportIndex", I, BuiltIn::ViewportIndex, When::ALWAYS),
    ("gl_CullPrimitiveEXT", B, BuiltIn::CullPrimitiveEXT, When::with(&["GL_EXT_mesh_shader"])),
    (
        "gl_PrimitiveShadingRateEXT",
        I,
        BuiltIn::PrimitiveShadingRateKHR,
        When::with(&["GL_EXT_fragment_shading_rate", "GL_EXT_mesh_shader"]),
    ),
    (
        "gl_ViewportMask",
        MASKS,
        BuiltIn::ViewportMaskNV,
        When::with(&["GL_NV_viewport_array2", "GL_NV_mesh_shader"]),
    ),
];

/// The blocks.
pub(crate) static BLOCKS: [OwnBlock; 5] = [
    OwnBlock { name: "gl_PerVertex", per_primitive: false, members: VERTEX },
    OwnBlock { name: "gl_MeshPerVertexEXT", per_primitive: false, members: VERTEX },
    OwnBlock { name: "gl_MeshPerVertexNV", per_primitive: false, members: VERTEX },
    OwnBlock { name: "gl_MeshPerPrimitiveEXT", per_primitive: true, members: PRIMITIVE },
    OwnBlock { name: "gl_MeshPerPrimitiveNV", per_primitive: true, members: PRIMITIVE },
];

/// The block of a name.
pub(crate) fn block(name: &str) -> Option<&'static OwnBlock> {
    BLOCKS.iter().find(|block| block.name == name)
}
