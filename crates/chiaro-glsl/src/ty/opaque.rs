//! Types that cannot be computed with: textures, samplers, counters and what rays have.

use super::scalar::Scalar;
use crate::handle::ReferenceId;

/// Dimensions of a texture.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Dim {
    D1,
    D2,
    D3,
    Cube,
    Rect,
    Buffer,
    Subpass,
    /// A colour attachment of GL_EXT_shader_tile_image.
    Tile,
}

/// How an opaque texture type is used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Access {
    /// `sampler2D`: texture and sampler in one.
    Sampled,
    /// `texture2D`, the type: a texture alone.
    Texture,
    /// `image2D`: by coordinate.
    Storage,
}

/// The two kinds of hit objects, which instructions of their own work on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum HitObject {
    /// `hitObjectEXT`. [GL_EXT_shader_invocation_reorder]
    Ext,
    /// `hitObjectNV`. [GL_NV_shader_invocation_reorder]
    Nv,
}

/// Types that cannot be computed with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Opaque {
    /// Textures of all kinds.
    Texture {
        /// Sampled component: `Float`, `Int`, `Uint` (or 64-bit ones).
        scalar: Scalar,
        /// Dimensions.
        dim: Dim,
        /// Has layers.
        arrayed: bool,
        /// Has samples.
        multisampled: bool,
        /// Compares with a reference.
        shadow: bool,
        /// How it is used.
        access: Access,
        /// `samplerExternalOES`.
        external: bool,
    },
    /// `sampler`, or `samplerShadow`.
    Sampler {
        /// Whether it compares.
        shadow: bool,
    },
    /// `atomic_uint`.
    AtomicCounter,
    /// `accelerationStructureEXT`.
    AccelerationStructure,
    /// `rayQueryEXT`.
    RayQuery,
    /// `hitObjectEXT`, `hitObjectNV`: what a ray has hit, before anything is made of it.
    HitObject(HitObject),
    /// `tensorARM`: scalars in so many dimensions.
    Tensor {
        /// The type of its elements.
        scalar: Scalar,
        /// How many dimensions.
        rank: u8,
    },
    /// The descriptor of a buffer, in a heap.
    Buffer(ReferenceId),
}
