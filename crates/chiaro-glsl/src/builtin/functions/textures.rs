//! Functions of textures as version 1.30 and ES 3.00 have them: one name for all shapes.

use super::names::*;
use super::row::{Row, functions};
use crate::builtin::pattern::*;
use crate::builtin::{Stages, When};
use crate::intrinsic::Intrinsic::{Sample, TextureQueryLevels, TextureQueryLod, TextureSamples, TextureSize};
use crate::intrinsic::Sampling;
use crate::ty::Scalar;

/// Patterns of this family, by the words of the specification.
#[allow(non_upper_case_globals, reason = "a form reads as in the specification")]
mod words {
    use crate::builtin::pattern::{Pattern, Shape, pattern};
    use crate::ty::Scalar;
    const fn float(shape: Shape) -> Pattern {
        pattern(shape, Scalar::Float)
    }
    pub(in super::super) const Texel: Pattern = float(Shape::Texel);
    pub(in super::super) const Texel4: Pattern = float(Shape::Texel4);
    pub(in super::super) const Coord: Pattern = float(Shape::Coord);
    pub(in super::super) const CoordBare: Pattern = float(Shape::CoordBare);
    pub(in super::super) const CoordDim: Pattern = float(Shape::CoordDim);
    pub(in super::super) const CoordProj: Pattern = float(Shape::CoordProj);
    pub(in super::super) const Fetch: Pattern = float(Shape::Fetch);
    pub(in super::super) const Offset: Pattern = float(Shape::Offset);
    pub(in super::super) const Offsets: Pattern = float(Shape::Offsets);
    pub(in super::super) const Grad: Pattern = float(Shape::Grad);
    pub(in super::super) const Size: Pattern = float(Shape::Size);
}
pub(super) use words::*;

/// A function that samples: which of the operands it has.
macro_rules! sample {
    ($($flag:ident)*) => {
        Sample(Sampling { $($flag: true,)* ..PLAIN })
    };
}
pub(super) use sample;

/// Nothing but a coordinate.
pub(super) const PLAIN: Sampling = Sampling {
    projected: false,
    bias: false,
    level: false,
    gradients: false,
    offset: false,
    offsets: false,
    fetch: false,
    gather: false,
    component: false,
    separate_reference: false,
    clamp: false,
    sparse: false,
};

const fn sampler(shapes: Shapes) -> Pattern {
    pattern(Shape::Texture(shapes), Scalar::Float)
}

/// Colours with mip levels.
const COLOUR: Shapes = LINE.and(PLANE).and(SOLID).and(CUBE).and(LINE_ARRAY).and(PLANE_ARRAY);
/// Comparisons whose reference fits into the coordinate.
const SHADOW: Shapes = SHADOW_1D.and(SHADOW_2D).and(SHADOW_CUBE).and(SHADOW_1D_ARRAY);
/// Without levels.
const RECTS: Shapes = RECT.and(SHADOW_RECT);

const ANY: Pattern =
    sampler(COLOUR.and(CUBE_ARRAY).and(SHADOW).and(SHADOW_2D_ARRAY).and(RECTS).and(EXTERNAL));
const BIASED: Pattern = sampler(COLOUR.and(CUBE_ARRAY).and(SHADOW).and(EXTERNAL));
const LEVELS: Pattern = sampler(COLOUR.and(CUBE_ARRAY).and(SHADOW_1D).and(SHADOW_2D).and(SHADOW_1D_ARRAY));
const GRADIENTS: Pattern = sampler(COLOUR.and(CUBE_ARRAY).and(SHADOW).and(SHADOW_2D_ARRAY).and(RECTS));
const OFFSET: Pattern = sampler(
    LINE.and(PLANE)
        .and(SOLID)
        .and(LINE_ARRAY)
        .and(PLANE_ARRAY)
        .and(SHADOW_1D)
        .and(SHADOW_2D)
        .and(SHADOW_1D_ARRAY)
        .and(RECTS),
);
const OFFSET_BIASED: Pattern = sampler(
    LINE.and(PLANE)
        .and(SOLID)
        .and(LINE_ARRAY)
        .and(PLANE_ARRAY)
        .and(SHADOW_1D)
        .and(SHADOW_2D)
        .and(SHADOW_1D_ARRAY),
);
const OFFSET_LEVEL: Pattern = OFFSET_BIASED;
const OFFSET_GRAD: Pattern = sampler(
    LINE.and(PLANE)
        .and(SOLID)
        .and(LINE_ARRAY)
        .and(PLANE_ARRAY)
        .and(SHADOW_1D)
        .and(SHADOW_2D)
        .and(SHADOW_1D_ARRAY)
        .and(SHADOW_2D_ARRAY)
        .and(RECTS),
);
const OFFSET_ARRAY: Pattern = sampler(SHADOW_2D_ARRAY);
const CUBES: Pattern = sampler(SHADOW_CUBE_ARRAY);
/// Divided by a component of their own, or by the last of four.
const PROJ: Pattern = sampler(LINE.and(PLANE).and(RECT).and(EXTERNAL));
const PROJ4: Pattern = sampler(
    LINE.and(PLANE).and(SOLID).and(RECT).and(SHADOW_1D).and(SHADOW_2D).and(SHADOW_RECT).and(EXTERNAL),
);
const PROJ_LEVELS: Pattern = sampler(LINE.and(PLANE));
const PROJ4_LEVELS: Pattern = sampler(LINE.and(PLANE).and(SOLID).and(SHADOW_1D).and(SHADOW_2D));
const PROJ_OFFSET: Pattern = sampler(LINE.and(PLANE).and(RECT));
const PROJ4_OFFSET: Pattern =
    sampler(LINE.and(PLANE).and(SOLID).and(RECT).and(SHADOW_1D).and(SHADOW_2D).and(SHADOW_RECT));
const MIPPED: Pattern = sampler(LINE.and(PLANE).and(SOLID).and(LINE_ARRAY).and(PLANE_ARRAY).and(EXTERNAL));
const MIPPED_OFFSET: Pattern = sampler(LINE.and(PLANE).and(SOLID).and(LINE_ARRAY).and(PLANE_ARRAY));
const FLAT: Pattern = sampler(RECT);
const LINEAR: Pattern = sampler(BUFFER);
const SAMPLES: Pattern = sampler(MULTI.and(MULTI_ARRAY));
const ALL_LEVELS: Pattern =
    sampler(COLOUR.and(CUBE_ARRAY).and(SHADOW).and(SHADOW_2D_ARRAY).and(SHADOW_CUBE_ARRAY).and(EXTERNAL));
const NO_LEVELS: Pattern = sampler(RECTS.and(BUFFER).and(MULTI).and(MULTI_ARRAY));
const GATHER: Pattern = sampler(PLANE.and(PLANE_ARRAY).and(CUBE).and(CUBE_ARRAY).and(RECT));
const GATHER_SHADOW: Pattern =
    sampler(SHADOW_2D.and(SHADOW_2D_ARRAY).and(SHADOW_CUBE).and(SHADOW_CUBE_ARRAY).and(SHADOW_RECT));
const GATHER_OFFSET: Pattern = sampler(PLANE.and(PLANE_ARRAY).and(RECT));
const GATHER_SHADOW_OFFSET: Pattern = sampler(SHADOW_2D.and(SHADOW_2D_ARRAY).and(SHADOW_RECT));
/// Shapes that a level could not be given for, until an extension.
const SHADOW_LEVEL: Pattern = sampler(SHADOW_2D_ARRAY.and(SHADOW_CUBE));

/// One name for all shapes.
const V130: When = When::since(300, 130);
/// Only where derivatives are.
const BIAS: When = V130.only(Stages::FRAGMENT.and(Stages::GROUPS));
/// Offset of the 2D array with comparison.
const V430: When = When::since(0, 430).or(&["GL_EXT_texture_shadow_lod"]);
/// Four texels at once.
const GATHERS: When =
    When::since(310, 400).or(&["GL_ARB_texture_gather", "GL_ARB_gpu_shader5", "GL_EXT_gpu_shader5"]);
/// Gathers with a component, a comparison or an offset.
const GATHERS5: When = When::since(310, 400).or(&["GL_ARB_gpu_shader5", "GL_EXT_gpu_shader5"]);
/// Gathers with four offsets.
const GATHERS_FOUR: When =
    When::since(320, 400).or(&["GL_ARB_gpu_shader5", "GL_EXT_gpu_shader5", "GL_OES_gpu_shader5"]);
/// Comparison with a level or bias.
const SHADOW_LOD: When = When::with(&["GL_EXT_texture_shadow_lod"]);

pub(super) static ROWS: &[Row] = functions! {
    V130 => {
        "texture" sample!() => Texel(ANY, Coord);
        "texture" sample!(separate_reference) => Texel(CUBES, F4, F1);
        "textureProj" sample!(projected) => Texel(PROJ, CoordProj) | Texel(PROJ4, F4);
        "textureLod" sample!(level) => Texel(LEVELS, Coord, F1);
        "textureOffset" sample!(offset) => Texel(OFFSET, Coord, Offset);
        "texelFetch" sample!(fetch level) => Texel(MIPPED, Fetch, I1);
        "texelFetch" sample!(fetch) => Texel(FLAT, Fetch) | Texel(LINEAR, Fetch) | Texel(SAMPLES, Fetch, I1);
        "texelFetchOffset" sample!(fetch level offset) => Texel(MIPPED_OFFSET, Fetch, I1, Offset);
        "texelFetchOffset" sample!(fetch offset) => Texel(FLAT, Fetch, Offset);
        "textureProjOffset" sample!(projected offset) =>
            Texel(PROJ_OFFSET, CoordProj, Offset) | Texel(PROJ4_OFFSET, F4, Offset);
        "textureLodOffset" sample!(level offset) => Texel(OFFSET_LEVEL, Coord, F1, Offset);
        "textureProjLod" sample!(projected level) =>
            Texel(PROJ_LEVELS, CoordProj, F1) | Texel(PROJ4_LEVELS, F4, F1);
        "textureProjLodOffset" sample!(projected level offset) =>
            Texel(PROJ_LEVELS, CoordProj, F1, Offset) | Texel(PROJ4_LEVELS, F4, F1, Offset);
        "textureGrad" sample!(gradients) => Texel(GRADIENTS, Coord, Grad, Grad);
        "textureGradOffset" sample!(gradients offset) => Texel(OFFSET_GRAD, Coord, Grad, Grad, Offset);
        "textureProjGrad" sample!(projected gradients) =>
            Texel(PROJ_OFFSET, CoordProj, Grad, Grad) | Texel(PROJ4_OFFSET, F4, Grad, Grad);
        "textureProjGradOffset" sample!(projected gradients offset) =>
            Texel(PROJ_OFFSET, CoordProj, Grad, Grad, Offset) | Texel(PROJ4_OFFSET, F4, Grad, Grad, Offset);
        "textureSize" TextureSize => Size(ALL_LEVELS, I1) | Size(NO_LEVELS);
    }
    V430 => {
        "textureOffset" sample!(offset) => Texel(OFFSET_ARRAY, Coord, Offset);
    }
    BIAS => {
        "texture" sample!(bias) => Texel(BIASED, Coord, F1);
        "textureProj" sample!(projected bias) => Texel(PROJ, CoordProj, F1) | Texel(PROJ4, F4, F1);
        "textureOffset" sample!(offset bias) => Texel(OFFSET_BIASED, Coord, Offset, F1);
        "textureProjOffset" sample!(projected offset bias) =>
            Texel(PROJ_LEVELS, CoordProj, Offset, F1) | Texel(PROJ4_LEVELS, F4, Offset, F1);
    }
    SHADOW_LOD => {
        "texture" sample!(bias) => Texel(OFFSET_ARRAY, Coord, F1);
        "texture" sample!(separate_reference bias) => Texel(CUBES, F4, F1, F1);
        "textureLod" sample!(level) => Texel(SHADOW_LEVEL, Coord, F1);
        "textureLod" sample!(separate_reference level) => Texel(CUBES, F4, F1, F1);
        "textureOffset" sample!(offset bias) => Texel(OFFSET_ARRAY, Coord, Offset, F1);
        "textureLodOffset" sample!(level offset) => Texel(OFFSET_ARRAY, Coord, F1, Offset);
    }
    When::since(0, 400).only(Stages::FRAGMENT.and(Stages::GROUPS)) => {
        "textureQueryLod" TextureQueryLod => F2(ALL_LEVELS, CoordDim);
    }
    When::with(&["GL_ARB_texture_query_lod"]).only(Stages::FRAGMENT) => {
        "textureQueryLOD" TextureQueryLod => F2(ALL_LEVELS, CoordDim);
    }
    When::since(0, 430).or(&["GL_ARB_texture_query_levels"]) => {
        "textureQueryLevels" TextureQueryLevels => I1(ALL_LEVELS);
    }
    When::since(0, 450).or(&["GL_ARB_shader_texture_image_samples"]) => {
        "textureSamples" TextureSamples => I1(SAMPLES);
    }
    GATHERS => {
        "textureGather" sample!(gather) => Texel4(GATHER, CoordBare);
        "textureGatherOffset" sample!(gather offset) => Texel4(GATHER_OFFSET, CoordBare, Offset);
    }
    GATHERS5 => {
        "textureGather" sample!(gather component) => Texel4(GATHER, CoordBare, I1);
        "textureGather" sample!(gather separate_reference) => Texel4(GATHER_SHADOW, CoordBare, F1);
        "textureGatherOffset" sample!(gather offset component) => Texel4(GATHER_OFFSET, CoordBare, Offset, I1);
        "textureGatherOffset" sample!(gather offset separate_reference) =>
            Texel4(GATHER_SHADOW_OFFSET, CoordBare, F1, Offset);
    }
    GATHERS_FOUR => {
        "textureGatherOffsets" sample!(gather offsets) => Texel4(GATHER_OFFSET, CoordBare, Offsets);
        "textureGatherOffsets" sample!(gather offsets component) =>
            Texel4(GATHER_OFFSET, CoordBare, Offsets, I1);
        "textureGatherOffsets" sample!(gather offsets separate_reference) =>
            Texel4(GATHER_SHADOW_OFFSET, CoordBare, F1, Offsets);
    }
};
