//! Functions that come with extensions about devices: interlocks, hints, clocks, attachments in
//! tiles, dot products of small integers, textures that are compared in blocks.

use super::names::*;
use super::row::{Row, functions};
use crate::builtin::pattern::*;
use crate::builtin::{Stages, When};
use crate::intrinsic::Intrinsic::{
    ControlArrive, ControlWait, Extended, Instruction, ReadClock, TextureBlock,
};
use crate::ty::Scalar;
use spirv::Op;

const FRAGMENT: Stages = Stages::FRAGMENT;
const INTERLOCK: When = When::with(&["GL_ARB_fragment_shader_interlock"]).only(FRAGMENT);
const INTERLOCK_NV: When = When::with(&["GL_NV_fragment_shader_interlock"]).only(FRAGMENT);
const HINTS: When = When::with(&["GL_EXT_expect_assume"]);
const CLOCK: When = When::with(&["GL_ARB_shader_clock"]);
const REAL_CLOCK: When = When::with(&["GL_EXT_shader_realtime_clock"]);
const SPLIT: When = When::with(&["GL_EXT_split_barrier"]).only(Stages::COMPUTE);
const TILES: When = When::with(&["GL_EXT_shader_tile_image"]).only(FRAGMENT);
const FRAGMENT_MASK: When = When::with(&["GL_AMD_shader_fragment_mask"]).only(FRAGMENT);
const TRINARY: When = When::with(&["GL_AMD_shader_trinary_minmax"]);
const GCN: When = When::with(&["GL_AMD_gcn_shader"]);
const BALLOT_AMD: When = When::with(&["GL_AMD_shader_ballot"]);
const DOTS: When = When::with(&["GL_EXT_integer_dot_product"]);
const PROCESSING: When = When::with(&["GL_QCOM_image_processing"]);
const PROCESSING2: When = When::with(&["GL_QCOM_image_processing2"]);

const TRINARY_SET: &str = "SPV_AMD_shader_trinary_minmax";
const GCN_SET: &str = "SPV_AMD_gcn_shader";
const BALLOT_SET: &str = "SPV_AMD_shader_ballot";

const fn pick(shape: Shape) -> Pattern {
    pattern(shape, Scalar::Float)
}

const TILE_IMAGE: Pattern = pick(Shape::Texture(TILE));
const SAMPLES: Pattern = pick(Shape::Texture(MULTI.and(MULTI_ARRAY)));
const PASS: Pattern = pick(Shape::Texture(SUBPASS_MULTI));
const P: Pattern = pattern(Shape::Fetch, Scalar::Int);
const T: Pattern = pick(Shape::Texel4);
const TEX: Pattern = pick(Shape::Texture(PLANE));
const WEIGHTS: Pattern = pick(Shape::Weights);

const C: Pattern = pattern(Shape::Vec, Scalar::Int8);
const UC: Pattern = pattern(Shape::Vec, Scalar::Uint8);
const S: Pattern = pattern(Shape::Vec, Scalar::Int16);
const US: Pattern = pattern(Shape::Vec, Scalar::Uint16);
const C1: Pattern = pattern(Shape::Gen, Scalar::Int8);
const UC1: Pattern = pattern(Shape::Gen, Scalar::Uint8);
const S1: Pattern = pattern(Shape::Gen, Scalar::Int16);
const US1: Pattern = pattern(Shape::Gen, Scalar::Uint16);

pub(super) static ROWS: &[Row] = functions! {
    INTERLOCK => {
        "beginInvocationInterlockARB" Instruction(Op::BeginInvocationInterlockEXT) => VOID();
        "endInvocationInterlockARB" Instruction(Op::EndInvocationInterlockEXT) => VOID();
    }
    INTERLOCK_NV => {
        "beginInvocationInterlockNV" Instruction(Op::BeginInvocationInterlockEXT) => VOID();
        "endInvocationInterlockNV" Instruction(Op::EndInvocationInterlockEXT) => VOID();
    }
    HINTS => {
        "assumeEXT" Instruction(Op::AssumeTrueKHR) => VOID(B1);
        "expectEXT" Instruction(Op::ExpectKHR) =>
            B(B, B) | I(I, I) | U(U, U) | C1(C1, C1) | UC1(UC1, UC1) | S1(S1, S1) | US1(US1, US1)
            | L(L, L) | UL(UL, UL);
    }
    CLOCK => {
        "clock2x32ARB" ReadClock(spirv::Scope::Subgroup) => U2();
        "clockARB" ReadClock(spirv::Scope::Subgroup) => UL1();
    }
    REAL_CLOCK => {
        "clockRealtime2x32EXT" ReadClock(spirv::Scope::Device) => U2();
        "clockRealtimeEXT" ReadClock(spirv::Scope::Device) => UL1();
    }
    SPLIT => {
        "controlBarrierArrive" ControlArrive => VOID() | VOID(I1, I1, I1, I1);
        "controlBarrierWait" ControlWait => VOID() | VOID(I1, I1, I1, I1);
    }
    TILES => {
        "colorAttachmentReadEXT" Instruction(Op::ColorAttachmentReadEXT) => T(TILE_IMAGE) | T(TILE_IMAGE, I1);
        "depthAttachmentReadEXT" Instruction(Op::DepthAttachmentReadEXT) => F1() | F1(I1);
        "stencilAttachmentReadEXT" Instruction(Op::StencilAttachmentReadEXT) => U1() | U1(I1);
    }
    FRAGMENT_MASK => {
        "fragmentMaskFetchAMD" Instruction(Op::FragmentMaskFetchAMD) => U1(SAMPLES, P) | U1(PASS);
        "fragmentFetchAMD" Instruction(Op::FragmentFetchAMD) => T(SAMPLES, P, U1) | T(PASS, U1);
    }
    TRINARY => {
        "min3" Extended(TRINARY_SET, 1) => F(F, F, F);
        "min3" Extended(TRINARY_SET, 2) => U(U, U, U);
        "min3" Extended(TRINARY_SET, 3) => I(I, I, I);
        "max3" Extended(TRINARY_SET, 4) => F(F, F, F);
        "max3" Extended(TRINARY_SET, 5) => U(U, U, U);
        "max3" Extended(TRINARY_SET, 6) => I(I, I, I);
        "mid3" Extended(TRINARY_SET, 7) => F(F, F, F);
        "mid3" Extended(TRINARY_SET, 8) => U(U, U, U);
        "mid3" Extended(TRINARY_SET, 9) => I(I, I, I);
    }
    GCN => {
        "cubeFaceIndexAMD" Extended(GCN_SET, 1) => F1(F3);
        "cubeFaceCoordAMD" Extended(GCN_SET, 2) => F2(F3);
        "timeAMD" Extended(GCN_SET, 3) => UL1();
    }
    BALLOT_AMD => {
        "swizzleInvocationsAMD" Extended(BALLOT_SET, 1) => F(F, U4) | I(I, U4) | U(U, U4);
        "swizzleInvocationsMaskedAMD" Extended(BALLOT_SET, 2) => F(F, U3) | I(I, U3) | U(U, U3);
        "writeInvocationAMD" Extended(BALLOT_SET, 3) => F(F, F, U1) | I(I, I, U1) | U(U, U, U1);
        "mbcntAMD" Extended(BALLOT_SET, 4) => U1(UL1);
    }
    DOTS => {
        "dotPacked4x8EXT" Instruction(Op::SDot) => I1(I1, I1);
        "dotPacked4x8EXT" Instruction(Op::UDot) => U1(U1, U1);
        "dotPacked4x8EXT" Instruction(Op::SUDot) => I1(I1, U1) | I1(U1, I1);
        "dotPacked4x8AccSatEXT" Instruction(Op::SDotAccSat) => I1(I1, I1, I1);
        "dotPacked4x8AccSatEXT" Instruction(Op::UDotAccSat) => U1(U1, U1, U1);
        "dotPacked4x8AccSatEXT" Instruction(Op::SUDotAccSat) => I1(I1, U1, I1) | I1(U1, I1, I1);
        "dotEXT" Instruction(Op::SDot) => I1(C, C) | I1(S, S) | I1(VI, VI) | L1(VL, VL);
        "dotEXT" Instruction(Op::UDot) => U1(UC, UC) | U1(US, US) | U1(VU, VU) | UL1(VUL, VUL);
        "dotEXT" Instruction(Op::SUDot) =>
            I1(C, UC) | I1(UC, C) | I1(S, US) | I1(US, S) | I1(VI, VU) | I1(VU, VI) | L1(VL, VUL) | L1(VUL, VL);
        "dotAccSatEXT" Instruction(Op::SDotAccSat) =>
            I1(C, C, I1) | I1(S, S, I1) | I1(VI, VI, I1) | L1(VL, VL, L1);
        "dotAccSatEXT" Instruction(Op::UDotAccSat) =>
            U1(UC, UC, U1) | U1(US, US, U1) | U1(VU, VU, U1) | UL1(VUL, VUL, UL1);
        "dotAccSatEXT" Instruction(Op::SUDotAccSat) =>
            I1(C, UC, I1) | I1(UC, C, I1) | I1(S, US, I1) | I1(US, S, I1) | I1(VI, VU, I1) | I1(VU, VI, I1)
            | L1(VL, VUL, L1) | L1(VUL, VL, L1);
    }
    PROCESSING => {
        "textureWeightedQCOM" TextureBlock(Op::ImageSampleWeightedQCOM) => T(TEX, F2, WEIGHTS);
        "textureBoxFilterQCOM" TextureBlock(Op::ImageBoxFilterQCOM) => T(TEX, F2, F2);
        "textureBlockMatchSSDQCOM" TextureBlock(Op::ImageBlockMatchSSDQCOM) => T(TEX, U2, TEX, U2, U2);
        "textureBlockMatchSADQCOM" TextureBlock(Op::ImageBlockMatchSADQCOM) => T(TEX, U2, TEX, U2, U2);
    }
    PROCESSING2 => {
        "textureBlockMatchWindowSSDQCOM"
            TextureBlock(Op::ImageBlockMatchWindowSSDQCOM) => T(TEX, U2, TEX, U2, U2);
        "textureBlockMatchWindowSADQCOM"
            TextureBlock(Op::ImageBlockMatchWindowSADQCOM) => T(TEX, U2, TEX, U2, U2);
        "textureBlockMatchGatherSSDQCOM"
            TextureBlock(Op::ImageBlockMatchGatherSSDQCOM) => T(TEX, U2, TEX, U2, U2);
        "textureBlockMatchGatherSADQCOM"
            TextureBlock(Op::ImageBlockMatchGatherSADQCOM) => T(TEX, U2, TEX, U2, U2);
    }
};
