//! Functions of textures and images that single vendors added: gathers of other shapes than a
//! square, gathers with a level or bias, images with levels, atomic pairs of halves.
//! [GL_QCOM_image_processing3, GL_AMD_texture_gather_bias_lod, GL_AMD_shader_image_load_store_lod,
//! GL_NV_shader_atomic_fp16_vector]

use super::names::*;
use super::row::{Row, functions};
use super::textures::{CoordBare, Fetch, Offset, Offsets, PLAIN, Texel4, sample};
use crate::builtin::When;
use crate::builtin::pattern::*;
use crate::intrinsic::Intrinsic::{
    GatherMode, ImageAtomic, ImageLoadLevel, ImageStoreLevel, Sample, SparseImageLoadLevel,
};
use crate::intrinsic::{Atomic, Sampling};
use crate::ty::Scalar;

const QCOM: When = When::with(&["GL_QCOM_image_processing3"]);
const BIAS_LOD: When = When::with(&["GL_AMD_texture_gather_bias_lod"]);
const SPARSE_BIAS_LOD: When = BIAS_LOD;
const LEVELS: When = When::with(&["GL_AMD_shader_image_load_store_lod"]);
const HALVES: When = When::with(&["GL_NV_shader_atomic_fp16_vector"]);

const fn texture(shapes: Shapes) -> Pattern {
    pattern(Shape::Texture(shapes), Scalar::Float)
}

const FLAT: Pattern = texture(PLANE.and(PLANE_ARRAY));
const ANY: Pattern = texture(PLANE.and(PLANE_ARRAY).and(CUBE).and(CUBE_ARRAY));
const IMAGE: Pattern = pattern(
    Shape::Image(LINE.and(PLANE).and(SOLID).and(CUBE).and(LINE_ARRAY).and(PLANE_ARRAY).and(CUBE_ARRAY)),
    Scalar::Float,
);
const OUT4: Pattern = written(Shape::Texel4, Scalar::Float);
const M2: Pattern = written(Shape::Fixed(2), Scalar::Float16);
const M4: Pattern = written(Shape::Fixed(4), Scalar::Float16);

/// Gathers of one shape, by SPIR-V's number.
macro_rules! gathers {
    ($( $name:literal $offset_name:literal $mode:literal; )*) => {
        functions! { QCOM => { $(
            $name GatherMode { mode: $mode, offset: false } =>
                Texel4(FLAT, CoordBare) | Texel4(FLAT, CoordBare, I1);
            $offset_name GatherMode { mode: $mode, offset: true } =>
                Texel4(FLAT, CoordBare, Offset) | Texel4(FLAT, CoordBare, Offset, I1);
        )* } }
    };
}

/// Atomic functions of two or four halves, in memory and in images.
macro_rules! halves {
    ($( $memory:literal $image:literal $what:ident; )*) => {
        functions! { HALVES => { $(
            $memory crate::intrinsic::Intrinsic::Atomic(Atomic::$what) => H2(M2, H2) | H4(M4, H4);
            $image ImageAtomic(Atomic::$what) => H2(IMAGE, Fetch, H2) | H4(IMAGE, Fetch, H4);
        )* } }
    };
}

pub(super) static GATHERS: &[Row] = gathers! {
    "textureGather4x1QCOM" "textureGather4x1OffsetQCOM" 0;
    "textureGatherDQCOM" "textureGatherDOffsetQCOM" 1;
    "textureGatherH2QCOM" "textureGatherH2OffsetQCOM" 2;
    "textureGatherV2QCOM" "textureGatherV2OffsetQCOM" 3;
};

pub(super) static HALF_ATOMICS: &[Row] = halves! {
    "atomicAdd" "imageAtomicAdd" Add;
    "atomicMin" "imageAtomicMin" Min;
    "atomicMax" "imageAtomicMax" Max;
    "atomicExchange" "imageAtomicExchange" Exchange;
};

pub(super) static ROWS: &[Row] = functions! {
    BIAS_LOD => {
        "textureGather" sample!(gather component bias) => Texel4(ANY, CoordBare, I1, F1);
        "textureGatherOffset" sample!(gather offset component bias) => Texel4(FLAT, CoordBare, Offset, I1, F1);
        "textureGatherOffsets" sample!(gather offsets component bias) =>
            Texel4(FLAT, CoordBare, Offsets, I1, F1);
        "textureGatherLodAMD" sample!(gather level) => Texel4(ANY, CoordBare, F1);
        "textureGatherLodAMD" sample!(gather level component) => Texel4(ANY, CoordBare, F1, I1);
        "textureGatherLodOffsetAMD" sample!(gather level offset) => Texel4(FLAT, CoordBare, F1, Offset);
        "textureGatherLodOffsetAMD" sample!(gather level offset component) =>
            Texel4(FLAT, CoordBare, F1, Offset, I1);
        "textureGatherLodOffsetsAMD" sample!(gather level offsets) => Texel4(FLAT, CoordBare, F1, Offsets);
        "textureGatherLodOffsetsAMD" sample!(gather level offsets component) =>
            Texel4(FLAT, CoordBare, F1, Offsets, I1);
    }
    SPARSE_BIAS_LOD => {
        "sparseTextureGatherARB" sample!(gather component bias sparse) => I1(ANY, CoordBare, OUT4, I1, F1);
        "sparseTextureGatherOffsetARB" sample!(gather offset component bias sparse) =>
            I1(FLAT, CoordBare, Offset, OUT4, I1, F1);
        "sparseTextureGatherOffsetsARB" sample!(gather offsets component bias sparse) =>
            I1(FLAT, CoordBare, Offsets, OUT4, I1, F1);
        "sparseTextureGatherLodAMD" sample!(gather level sparse) => I1(ANY, CoordBare, F1, OUT4);
        "sparseTextureGatherLodAMD" sample!(gather level component sparse) =>
            I1(ANY, CoordBare, F1, OUT4, I1);
        "sparseTextureGatherLodOffsetAMD" sample!(gather level offset sparse) =>
            I1(FLAT, CoordBare, F1, Offset, OUT4);
        "sparseTextureGatherLodOffsetAMD" sample!(gather level offset component sparse) =>
            I1(FLAT, CoordBare, F1, Offset, OUT4, I1);
        "sparseTextureGatherLodOffsetsAMD" sample!(gather level offsets sparse) =>
            I1(FLAT, CoordBare, F1, Offsets, OUT4);
        "sparseTextureGatherLodOffsetsAMD" sample!(gather level offsets component sparse) =>
            I1(FLAT, CoordBare, F1, Offsets, OUT4, I1);
    }
    LEVELS => {
        "imageLoadLodAMD" ImageLoadLevel => Texel4(IMAGE, Fetch, I1);
        "imageStoreLodAMD" ImageStoreLevel => VOID(IMAGE, Fetch, I1, Texel4);
        "sparseImageLoadLodAMD" SparseImageLoadLevel => I1(IMAGE, Fetch, I1, OUT4);
    }
};
