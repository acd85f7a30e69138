//! Functions of textures that carry the shape in their name: versions before 1.30 and ES 3.00,
//! and the extensions of those.

use super::names::*;
use super::row::{Row, functions};
use super::textures::{PLAIN, sample};
use crate::builtin::pattern::*;
use crate::builtin::{Stages, When};
use crate::intrinsic::Intrinsic::{Sample, TextureSize};
use crate::intrinsic::Sampling;
use crate::ty::Scalar;

const fn sampler(shapes: Shapes) -> Pattern {
    pattern(Shape::Texture(shapes), Scalar::Float)
}

const S1: Pattern = sampler(LINE);
const S2: Pattern = sampler(PLANE);
const S3: Pattern = sampler(SOLID);
const SC: Pattern = sampler(CUBE);
const SR: Pattern = sampler(RECT);
const SB: Pattern = sampler(BUFFER);
const S1A: Pattern = sampler(LINE_ARRAY);
const S2A: Pattern = sampler(PLANE_ARRAY);
const Z1: Pattern = sampler(SHADOW_1D);
const Z2: Pattern = sampler(SHADOW_2D);
const ZC: Pattern = sampler(SHADOW_CUBE);
const ZR: Pattern = sampler(SHADOW_RECT);
const Z1A: Pattern = sampler(SHADOW_1D_ARRAY);
const Z2A: Pattern = sampler(SHADOW_2D_ARRAY);
const SX: Pattern = sampler(EXTERNAL);
/// A texel of the texture's own scalar: extensions gave old names to integer textures.
const T4: Pattern = pattern(Shape::Texel4, Scalar::Float);

const FRAGMENT: Stages = Stages::FRAGMENT;
/// Both languages before their modern names.
const OLD: When = When::since(100, 110).until(300, 420);
/// Desktop only.
const OLD_DESKTOP: When = When::since(0, 110).until(0, 420);
/// A level was for vertex shaders only, until 1.30 took the names away.
const LOD: When = OLD.only(Stages::VERTEX);
const LOD_DESKTOP: When = OLD_DESKTOP.only(Stages::VERTEX);
const LOD_FRAGMENT: When =
    When::since(0, 130).until(0, 420).or(&["GL_ARB_shader_texture_lod", "GL_EXT_gpu_shader4"]).only(
        FRAGMENT
            .and(Stages::GEOMETRY)
            .and(Stages::COMPUTE)
            .and(Stages::TESS_CONTROL)
            .and(Stages::TESS_EVALUATION),
    );
const GRAD_ARB: When = When::with(&["GL_ARB_shader_texture_lod"]);
const LOD_ES: When = When::with(&["GL_EXT_shader_texture_lod"]).only(FRAGMENT);
const VOLUME: When = When::since(0, 110).until(0, 420).or(&["GL_OES_texture_3D"]);
const VOLUME_LOD: When = VOLUME.only(Stages::VERTEX);
const RECTANGLE: When = When::since(0, 140).until(0, 420).or(&[
    "GL_ARB_texture_rectangle",
    "GL_NV_texture_rectangle",
    "GL_EXT_gpu_shader4",
]);
const EXTERNAL_ES: When =
    When::with(&["GL_OES_EGL_image_external", "GL_NV_EGL_stream_consumer_external"]).until(300, 0);
const SHADOW_ES: When = When::with(&["GL_EXT_shadow_samplers"]);
const ARRAYS: When = When::with(&["GL_EXT_texture_array", "GL_EXT_gpu_shader4"]);
/// The text of GL_EXT_texture_array has these for vertices; compilers take them for fragments too.
const ARRAYS_LOD: When = ARRAYS.only(Stages::VERTEX.and(Stages::FRAGMENT));
const SHADER4: When = When::with(&["GL_EXT_gpu_shader4"]);
/// `EXT_gpu_shader4` took fragment shaders too.
const SHADER4_LOD: When = SHADER4.only(FRAGMENT);

pub(super) static ROWS: &[Row] = functions! {
    OLD => {
        "texture2D" sample!() => T4(S2, F2);
        "texture2DProj" sample!(projected) => T4(S2, F3) | T4(S2, F4);
        "textureCube" sample!() => T4(SC, F3);
    }
    OLD.only(FRAGMENT) => {
        "texture2D" sample!(bias) => T4(S2, F2, F1);
        "texture2DProj" sample!(projected bias) => T4(S2, F3, F1) | T4(S2, F4, F1);
        "textureCube" sample!(bias) => T4(SC, F3, F1);
    }
    OLD_DESKTOP => {
        "texture1D" sample!() => T4(S1, F1);
        "texture1DProj" sample!(projected) => T4(S1, F2) | T4(S1, F4);
        "shadow1D" sample!() => F4(Z1, F3);
        "shadow2D" sample!() => F4(Z2, F3);
        "shadow1DProj" sample!(projected) => F4(Z1, F4);
        "shadow2DProj" sample!(projected) => F4(Z2, F4);
    }
    OLD_DESKTOP.only(FRAGMENT) => {
        "texture1D" sample!(bias) => T4(S1, F1, F1);
        "texture1DProj" sample!(projected bias) => T4(S1, F2, F1) | T4(S1, F4, F1);
        "shadow1D" sample!(bias) => F4(Z1, F3, F1);
        "shadow2D" sample!(bias) => F4(Z2, F3, F1);
        "shadow1DProj" sample!(projected bias) => F4(Z1, F4, F1);
        "shadow2DProj" sample!(projected bias) => F4(Z2, F4, F1);
    }
    VOLUME => {
        "texture3D" sample!() => T4(S3, F3);
        "texture3DProj" sample!(projected) => T4(S3, F4);
    }
    VOLUME.only(FRAGMENT) => {
        "texture3D" sample!(bias) => T4(S3, F3, F1);
        "texture3DProj" sample!(projected bias) => T4(S3, F4, F1);
    }
    LOD => {
        "texture2DLod" sample!(level) => T4(S2, F2, F1);
        "texture2DProjLod" sample!(projected level) => T4(S2, F3, F1) | T4(S2, F4, F1);
        "textureCubeLod" sample!(level) => T4(SC, F3, F1);
    }
    LOD_DESKTOP => {
        "texture1DLod" sample!(level) => T4(S1, F1, F1);
        "texture1DProjLod" sample!(projected level) => T4(S1, F2, F1) | T4(S1, F4, F1);
        "shadow1DLod" sample!(level) => F4(Z1, F3, F1);
        "shadow2DLod" sample!(level) => F4(Z2, F3, F1);
        "shadow1DProjLod" sample!(projected level) => F4(Z1, F4, F1);
        "shadow2DProjLod" sample!(projected level) => F4(Z2, F4, F1);
    }
    VOLUME_LOD => {
        "texture3DLod" sample!(level) => T4(S3, F3, F1);
        "texture3DProjLod" sample!(projected level) => T4(S3, F4, F1);
    }
    LOD_FRAGMENT => {
        "texture2DLod" sample!(level) => T4(S2, F2, F1);
        "texture2DProjLod" sample!(projected level) => T4(S2, F3, F1) | T4(S2, F4, F1);
        "textureCubeLod" sample!(level) => T4(SC, F3, F1);
        "texture1DLod" sample!(level) => T4(S1, F1, F1);
        "texture1DProjLod" sample!(projected level) => T4(S1, F2, F1) | T4(S1, F4, F1);
        "shadow1DLod" sample!(level) => F4(Z1, F3, F1);
        "shadow2DLod" sample!(level) => F4(Z2, F3, F1);
        "shadow1DProjLod" sample!(projected level) => F4(Z1, F4, F1);
        "shadow2DProjLod" sample!(projected level) => F4(Z2, F4, F1);
        "texture3DLod" sample!(level) => T4(S3, F3, F1);
        "texture3DProjLod" sample!(projected level) => T4(S3, F4, F1);
    }
    GRAD_ARB => {
        "texture1DGradARB" sample!(gradients) => T4(S1, F1, F1, F1);
        "texture1DProjGradARB" sample!(projected gradients) => T4(S1, F2, F1, F1) | T4(S1, F4, F1, F1);
        "texture2DGradARB" sample!(gradients) => T4(S2, F2, F2, F2);
        "texture2DProjGradARB" sample!(projected gradients) => T4(S2, F3, F2, F2) | T4(S2, F4, F2, F2);
        "texture3DGradARB" sample!(gradients) => T4(S3, F3, F3, F3);
        "texture3DProjGradARB" sample!(projected gradients) => T4(S3, F4, F3, F3);
        "textureCubeGradARB" sample!(gradients) => T4(SC, F3, F3, F3);
        "shadow1DGradARB" sample!(gradients) => F4(Z1, F3, F1, F1);
        "shadow1DProjGradARB" sample!(projected gradients) => F4(Z1, F4, F1, F1);
        "shadow2DGradARB" sample!(gradients) => F4(Z2, F3, F2, F2);
        "shadow2DProjGradARB" sample!(projected gradients) => F4(Z2, F4, F2, F2);
        "texture2DRectGradARB" sample!(gradients) => T4(SR, F2, F2, F2);
        "texture2DRectProjGradARB" sample!(projected gradients) => T4(SR, F3, F2, F2) | T4(SR, F4, F2, F2);
        "shadow2DRectGradARB" sample!(gradients) => F4(ZR, F3, F2, F2);
        "shadow2DRectProjGradARB" sample!(projected gradients) => F4(ZR, F4, F2, F2);
    }
    LOD_ES => {
        "texture2DLodEXT" sample!(level) => T4(S2, F2, F1);
        "texture2DProjLodEXT" sample!(projected level) => T4(S2, F3, F1) | T4(S2, F4, F1);
        "textureCubeLodEXT" sample!(level) => T4(SC, F3, F1);
        "texture2DGradEXT" sample!(gradients) => T4(S2, F2, F2, F2);
        "texture2DProjGradEXT" sample!(projected gradients) => T4(S2, F3, F2, F2) | T4(S2, F4, F2, F2);
        "textureCubeGradEXT" sample!(gradients) => T4(SC, F3, F3, F3);
    }
    RECTANGLE => {
        "texture2DRect" sample!() => T4(SR, F2);
        "texture2DRectProj" sample!(projected) => T4(SR, F3) | T4(SR, F4);
        "shadow2DRect" sample!() => F4(ZR, F3);
        "shadow2DRectProj" sample!(projected) => F4(ZR, F4);
    }
    EXTERNAL_ES => {
        "texture2D" sample!() => F4(SX, F2);
        "texture2DProj" sample!(projected) => F4(SX, F3) | F4(SX, F4);
    }
    EXTERNAL_ES.only(FRAGMENT) => {
        "texture2D" sample!(bias) => F4(SX, F2, F1);
        "texture2DProj" sample!(projected bias) => F4(SX, F3, F1) | F4(SX, F4, F1);
    }
    SHADOW_ES => {
        "shadow2DEXT" sample!() => F1(Z2, F3);
        "shadow2DProjEXT" sample!(projected) => F1(Z2, F4);
    }
    ARRAYS => {
        "texture1DArray" sample!() => T4(S1A, F2);
        "texture2DArray" sample!() => T4(S2A, F3);
        "shadow1DArray" sample!() => F4(Z1A, F3);
        "shadow2DArray" sample!() => F4(Z2A, F4);
    }
    ARRAYS.only(FRAGMENT) => {
        "texture1DArray" sample!(bias) => T4(S1A, F2, F1);
        "texture2DArray" sample!(bias) => T4(S2A, F3, F1);
        "shadow1DArray" sample!(bias) => F4(Z1A, F3, F1);
    }
    ARRAYS_LOD => {
        "texture1DArrayLod" sample!(level) => T4(S1A, F2, F1);
        "texture2DArrayLod" sample!(level) => T4(S2A, F3, F1);
        "shadow1DArrayLod" sample!(level) => F4(Z1A, F3, F1);
    }
    SHADER4_LOD => {
        "texture1DArrayLod" sample!(level) => T4(S1A, F2, F1);
        "texture2DArrayLod" sample!(level) => T4(S2A, F3, F1);
        "shadow1DArrayLod" sample!(level) => F4(Z1A, F3, F1);
    }
    SHADER4 => {
        "shadowCube" sample!() => F4(ZC, F4);
        "texelFetch1D" sample!(fetch level) => T4(S1, I1, I1);
        "texelFetch2D" sample!(fetch level) => T4(S2, I2, I1);
        "texelFetch3D" sample!(fetch level) => T4(S3, I3, I1);
        "texelFetch1DArray" sample!(fetch level) => T4(S1A, I2, I1);
        "texelFetch2DArray" sample!(fetch level) => T4(S2A, I3, I1);
        "texelFetch2DRect" sample!(fetch) => T4(SR, I2);
        "texelFetchBuffer" sample!(fetch) => T4(SB, I1);
        "texelFetch1DOffset" sample!(fetch level offset) => T4(S1, I1, I1, I1);
        "texelFetch2DOffset" sample!(fetch level offset) => T4(S2, I2, I1, I2);
        "texelFetch3DOffset" sample!(fetch level offset) => T4(S3, I3, I1, I3);
        "texelFetch1DArrayOffset" sample!(fetch level offset) => T4(S1A, I2, I1, I1);
        "texelFetch2DArrayOffset" sample!(fetch level offset) => T4(S2A, I3, I1, I2);
        "texelFetch2DRectOffset" sample!(fetch offset) => T4(SR, I2, I2);
        "texture1DOffset" sample!(offset) => T4(S1, F1, I1);
        "texture1DLodOffset" sample!(level offset) => T4(S1, F1, F1, I1);
        "texture1DGrad" sample!(gradients) => T4(S1, F1, F1, F1);
        "texture1DGradOffset" sample!(gradients offset) => T4(S1, F1, F1, F1, I1);
        "texture1DProjOffset" sample!(projected offset) => T4(S1, F2, I1) | T4(S1, F4, I1);
        "texture1DProjGrad" sample!(projected gradients) => T4(S1, F2, F1, F1) | T4(S1, F4, F1, F1);
        "texture1DProjGradOffset" sample!(projected gradients offset) => T4(S1, F2, F1, F1, I1) | T4(S1, F4, F1, F1, I1);
        "texture1DProjLodOffset" sample!(projected level offset) => T4(S1, F2, F1, I1) | T4(S1, F4, F1, I1);
        "texture2DOffset" sample!(offset) => T4(S2, F2, I2);
        "texture2DLodOffset" sample!(level offset) => T4(S2, F2, F1, I2);
        "texture2DGrad" sample!(gradients) => T4(S2, F2, F2, F2);
        "texture2DGradOffset" sample!(gradients offset) => T4(S2, F2, F2, F2, I2);
        "texture2DProjOffset" sample!(projected offset) => T4(S2, F3, I2) | T4(S2, F4, I2);
        "texture2DProjGrad" sample!(projected gradients) => T4(S2, F3, F2, F2) | T4(S2, F4, F2, F2);
        "texture2DProjGradOffset" sample!(projected gradients offset) => T4(S2, F3, F2, F2, I2) | T4(S2, F4, F2, F2, I2);
        "texture2DProjLodOffset" sample!(projected level offset) => T4(S2, F3, F1, I2) | T4(S2, F4, F1, I2);
        "texture3DOffset" sample!(offset) => T4(S3, F3, I3);
        "texture3DLodOffset" sample!(level offset) => T4(S3, F3, F1, I3);
        "texture3DGrad" sample!(gradients) => T4(S3, F3, F3, F3);
        "texture3DGradOffset" sample!(gradients offset) => T4(S3, F3, F3, F3, I3);
        "texture3DProjOffset" sample!(projected offset) => T4(S3, F4, I3);
        "texture3DProjGrad" sample!(projected gradients) => T4(S3, F4, F3, F3);
        "texture3DProjGradOffset" sample!(projected gradients offset) => T4(S3, F4, F3, F3, I3);
        "texture3DProjLodOffset" sample!(projected level offset) => T4(S3, F4, F1, I3);
        "texture1DArrayOffset" sample!(offset) => T4(S1A, F2, I1);
        "texture1DArrayLodOffset" sample!(level offset) => T4(S1A, F2, F1, I1);
        "texture1DArrayGrad" sample!(gradients) => T4(S1A, F2, F1, F1);
        "texture1DArrayGradOffset" sample!(gradients offset) => T4(S1A, F2, F1, F1, I1);
        "texture2DArrayOffset" sample!(offset) => T4(S2A, F3, I2);
        "texture2DArrayLodOffset" sample!(level offset) => T4(S2A, F3, F1, I2);
        "texture2DArrayGrad" sample!(gradients) => T4(S2A, F3, F2, F2);
        "texture2DArrayGradOffset" sample!(gradients offset) => T4(S2A, F3, F2, F2, I2);
        "shadow1DOffset" sample!(offset) => F4(Z1, F3, I1);
        "shadow1DLodOffset" sample!(level offset) => F4(Z1, F3, F1, I1);
        "shadow1DGrad" sample!(gradients) => F4(Z1, F3, F1, F1);
        "shadow1DGradOffset" sample!(gradients offset) => F4(Z1, F3, F1, F1, I1);
        "shadow1DProjOffset" sample!(projected offset) => F4(Z1, F4, I1);
        "shadow1DProjGrad" sample!(projected gradients) => F4(Z1, F4, F1, F1);
        "shadow1DProjGradOffset" sample!(projected gradients offset) => F4(Z1, F4, F1, F1, I1);
        "shadow1DProjLodOffset" sample!(projected level offset) => F4(Z1, F4, F1, I1);
        "shadow2DOffset" sample!(offset) => F4(Z2, F3, I2);
        "shadow2DLodOffset" sample!(level offset) => F4(Z2, F3, F1, I2);
        "shadow2DGrad" sample!(gradients) => F4(Z2, F3, F2, F2);
        "shadow2DGradOffset" sample!(gradients offset) => F4(Z2, F3, F2, F2, I2);
        "shadow2DProjOffset" sample!(projected offset) => F4(Z2, F4, I2);
        "shadow2DProjGrad" sample!(projected gradients) => F4(Z2, F4, F2, F2);
        "shadow2DProjGradOffset" sample!(projected gradients offset) => F4(Z2, F4, F2, F2, I2);
        "shadow2DProjLodOffset" sample!(projected level offset) => F4(Z2, F4, F1, I2);
        "shadow1DArrayOffset" sample!(offset) => F4(Z1A, F3, I1);
        "shadow1DArrayLodOffset" sample!(level offset) => F4(Z1A, F3, F1, I1);
        "shadow1DArrayGrad" sample!(gradients) => F4(Z1A, F3, F1, F1);
        "shadow1DArrayGradOffset" sample!(gradients offset) => F4(Z1A, F3, F1, F1, I1);
        "shadow2DArrayOffset" sample!(offset) => F4(Z2A, F4, I2);
        "shadow2DArrayGrad" sample!(gradients) => F4(Z2A, F4, F2, F2);
        "shadow2DArrayGradOffset" sample!(gradients offset) => F4(Z2A, F4, F2, F2, I2);
        "texture2DRectOffset" sample!(offset) => T4(SR, F2, I2);
        "texture2DRectGrad" sample!(gradients) => T4(SR, F2, F2, F2);
        "texture2DRectGradOffset" sample!(gradients offset) => T4(SR, F2, F2, F2, I2);
        "texture2DRectProjOffset" sample!(projected offset) => T4(SR, F3, I2) | T4(SR, F4, I2);
        "texture2DRectProjGrad" sample!(projected gradients) => T4(SR, F3, F2, F2) | T4(SR, F4, F2, F2);
        "texture2DRectProjGradOffset" sample!(projected gradients offset) => T4(SR, F3, F2, F2, I2) | T4(SR, F4, F2, F2, I2);
        "shadow2DRectOffset" sample!(offset) => F4(ZR, F3, I2);
        "shadow2DRectGrad" sample!(gradients) => F4(ZR, F3, F2, F2);
        "shadow2DRectGradOffset" sample!(gradients offset) => F4(ZR, F3, F2, F2, I2);
        "shadow2DRectProjOffset" sample!(projected offset) => F4(ZR, F4, I2);
        "shadow2DRectProjGrad" sample!(projected gradients) => F4(ZR, F4, F2, F2);
        "shadow2DRectProjGradOffset" sample!(projected gradients offset) => F4(ZR, F4, F2, F2, I2);
        "textureCubeGrad" sample!(gradients) => T4(SC, F3, F3, F3);
        "shadowCubeGrad" sample!(gradients) => F4(ZC, F4, F3, F3);
        "textureSize1D" TextureSize => I1(S1, I1);
        "textureSize2D" TextureSize => I2(S2, I1);
        "textureSize3D" TextureSize => I3(S3, I1);
        "textureSizeCube" TextureSize => I2(SC, I1);
        "textureSize1DArray" TextureSize => I2(S1A, I1);
        "textureSize2DArray" TextureSize => I3(S2A, I1);
        "textureSize2DRect" TextureSize => I2(SR);
        "textureSizeBuffer" TextureSize => I1(SB);
    }
};
