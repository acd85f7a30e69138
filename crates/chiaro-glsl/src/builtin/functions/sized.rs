//! Functions of numbers of 8, 16 and 64 bits: what those of 32 bits have, and putting small
//! numbers into large ones. [GL_EXT_shader_explicit_arithmetic_types, GL_AMD_gpu_shader_int16,
//! GL_AMD_gpu_shader_half_float]

use super::names::*;
use super::row::{Row, functions};
use crate::builtin::pattern::*;
use crate::builtin::{Stages, When};
use crate::intrinsic::Intrinsic::*;
use crate::intrinsic::Math as M;
use crate::ty::Scalar;

const BITS: crate::intrinsic::Intrinsic = Instruction(spirv::Op::Bitcast);

const INT8: When =
    When::with(&["GL_EXT_shader_explicit_arithmetic_types", "GL_EXT_shader_explicit_arithmetic_types_int8"]);
const INT16: When = When::with(&[
    "GL_AMD_gpu_shader_int16",
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_explicit_arithmetic_types_int16",
]);
const INT64: When =
    When::with(&["GL_EXT_shader_explicit_arithmetic_types", "GL_EXT_shader_explicit_arithmetic_types_int64"]);
/// Any of the sizes: what joins two of them.
const SIZES: When = When::with(&[
    "GL_AMD_gpu_shader_int16",
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_explicit_arithmetic_types_int8",
    "GL_EXT_shader_explicit_arithmetic_types_int16",
    "GL_EXT_shader_explicit_arithmetic_types_int32",
    "GL_EXT_shader_explicit_arithmetic_types_int64",
]);
const HALF: When = When::with(&[
    "GL_AMD_gpu_shader_half_float",
    "GL_AMD_gpu_shader_int16",
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_explicit_arithmetic_types_float16",
]);
const HALF_BITS: When = When::with(&[
    "GL_AMD_gpu_shader_int16",
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_explicit_arithmetic_types_float16",
    "GL_EXT_shader_explicit_arithmetic_types_int16",
]);
/// Exponents of halves as shorts.
const HALF_EXPONENTS: When = When::with(&[
    "GL_AMD_gpu_shader_int16",
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_explicit_arithmetic_types_int16",
]);
/// Carries of every size came with long vectors.
const LONG: When = When::with(&["GL_EXT_long_vector"]);
/// Halves between stages, which only one vendor interpolates by functions.
const HALF_INTERPOLANTS: When = When::with(&["GL_AMD_gpu_shader_half_float"]).only(Stages::FRAGMENT);
const HALF_SLOPES: When = HALF.only(Stages::FRAGMENT);
const DOUBLE_SLOPES: When = When::with(&[
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_explicit_arithmetic_types_float64",
])
.only(Stages::FRAGMENT);

const HM: Pattern = pattern(Shape::AnyMatrix, Scalar::Float16);
const HMS: Pattern = pattern(Shape::Square, Scalar::Float16);
const HMT: Pattern = pattern(Shape::Transposed, Scalar::Float16);
const HM22: Pattern = pattern(Shape::Matrix(2, 2), Scalar::Float16);
const HM23: Pattern = pattern(Shape::Matrix(2, 3), Scalar::Float16);
const HM24: Pattern = pattern(Shape::Matrix(2, 4), Scalar::Float16);
const HM32: Pattern = pattern(Shape::Matrix(3, 2), Scalar::Float16);
const HM33: Pattern = pattern(Shape::Matrix(3, 3), Scalar::Float16);
const HM34: Pattern = pattern(Shape::Matrix(3, 4), Scalar::Float16);
const HM42: Pattern = pattern(Shape::Matrix(4, 2), Scalar::Float16);
const HM43: Pattern = pattern(Shape::Matrix(4, 3), Scalar::Float16);
const HM44: Pattern = pattern(Shape::Matrix(4, 4), Scalar::Float16);

/// What every integer has, given its names: generic, vector, one; signed before unsigned.
macro_rules! integers {
    ($when:ident: $s:ident $vs:ident $s1:ident, $u:ident $vu:ident $u1:ident) => {
        functions! {
            $when => {
                "abs" Math(M::Abs) => $s($s);
                "sign" Math(M::Sign) => $s($s);
                "min" Math(M::Min) => $s($s, $s) | $s($s, $s1) | $u($u, $u) | $u($u, $u1);
                "max" Math(M::Max) => $s($s, $s) | $s($s, $s1) | $u($u, $u) | $u($u, $u1);
                "clamp" Math(M::Clamp) => $s($s, $s, $s) | $s($s, $s1, $s1) | $u($u, $u, $u) | $u($u, $u1, $u1);
                "mix" MixBool => $s($s, $s, B) | $u($u, $u, B);
                "lessThan" LessThan => VB($vs, $vs) | VB($vu, $vu);
                "lessThanEqual" LessThanEqual => VB($vs, $vs) | VB($vu, $vu);
                "greaterThan" GreaterThan => VB($vs, $vs) | VB($vu, $vu);
                "greaterThanEqual" GreaterThanEqual => VB($vs, $vs) | VB($vu, $vu);
                "equal" Equal => VB($vs, $vs) | VB($vu, $vu);
                "notEqual" NotEqual => VB($vs, $vs) | VB($vu, $vu);
                "bitfieldReverse" Math(M::BitfieldReverse) => $s($s) | $u($u);
                "bitfieldExtract" BitfieldExtract => $s($s, I1, I1) | $u($u, I1, I1);
                "bitfieldInsert" Math(M::BitfieldInsert) => $s($s, $s, I1, I1) | $u($u, $u, I1, I1);
                "bitCount" Math(M::BitCount) => $s($s) | $s($u);
                "findLSB" Math(M::FindLsb) => $s($s) | $s($u);
                "findMSB" Math(M::FindMsb) => $s($s) | $s($u);
            }
        }
    };
}

pub(super) static BYTES: &[Row] = integers!(INT8: C VC C1, UC VUC UC1);
pub(super) static SHORTS: &[Row] = integers!(INT16: S VS S1, US VUS US1);

pub(super) static ROWS: &[Row] = functions! {
    INT64 => {
        "bitCount" Math(M::BitCount) => L(L) | L(UL);
        "findLSB" Math(M::FindLsb) => L(L) | L(UL);
        "findMSB" Math(M::FindMsb) => L(L) | L(UL);
    }
    SIZES => {
        "pack16" BITS => S1(C2) | US1(UC2);
        "pack32" BITS => I1(C4) | U1(UC4) | I1(S2) | U1(US2);
        "pack64" BITS => L1(S4) | UL1(US4) | L1(I2) | UL1(U2);
        "unpack8" BITS => C2(S1) | UC2(US1) | C4(I1) | UC4(U1);
        "unpack16" BITS => S2(I1) | US2(U1) | S4(L1) | US4(UL1);
        "unpack32" BITS => I2(L1) | U2(UL1);
    }
    INT16 => {
        "packInt2x16" BITS => I1(S2);
        "packUint2x16" BITS => U1(US2);
        "packInt4x16" BITS => L1(S4);
        "packUint4x16" BITS => UL1(US4);
        "unpackInt2x16" BITS => S2(I1);
        "unpackUint2x16" BITS => US2(U1);
        "unpackInt4x16" BITS => S4(L1);
        "unpackUint4x16" BITS => US4(UL1);
    }
    HALF => {
        "packFloat2x16" BITS => U1(H2);
        "unpackFloat2x16" BITS => H2(U1);
    }
    HALF_BITS => {
        "float16BitsToInt16" BITS => S(H);
        "float16BitsToUint16" BITS => US(H);
        "int16BitsToFloat16" BITS => H(S);
        "uint16BitsToFloat16" BITS => H(US);
        "halfBitsToInt16" BITS => S(H);
        "halfBitsToUint16" BITS => US(H);
        "int16BitsToHalf" BITS => H(S);
        "uint16BitsToHalf" BITS => H(US);
    }
    HALF_EXPONENTS => {
        "frexp" Frexp => H(H, OS);
        "ldexp" Math(M::Ldexp) => H(H, S);
    }
    LONG => {
        "uaddCarry" UaddCarry => UC(UC, UC, OUC) | US(US, US, OUS) | UL(UL, UL, OUL);
        "usubBorrow" UsubBorrow => UC(UC, UC, OUC) | US(US, US, OUS) | UL(UL, UL, OUL);
        "umulExtended" UmulExtended =>
            VOID(UC, UC, OUC, OUC) | VOID(US, US, OUS, OUS) | VOID(UL, UL, OUL, OUL);
        "imulExtended" ImulExtended => VOID(C, C, OC, OC) | VOID(S, S, OS, OS) | VOID(L, L, OL, OL);
    }
    HALF => {
        "matrixCompMult" MatrixCompMult => HM(HM, HM);
        "outerProduct" Math(M::OuterProduct) => HM22(H2, H2) | HM23(H3, H2) | HM24(H4, H2) | HM32(H2, H3) | HM33(H3, H3) | HM34(H4, H3) | HM42(H2, H4) | HM43(H3, H4) | HM44(H4, H4);
        "transpose" Math(M::Transpose) => HMT(HM);
        "determinant" Math(M::Determinant) => H1(HMS);
        "inverse" Math(M::Inverse) => HMS(HMS);
    }
    HALF_INTERPOLANTS => {
        "interpolateAtCentroid" InterpolateAtCentroid => H(H);
        "interpolateAtSample" InterpolateAtSample => H(H, I1);
        "interpolateAtOffset" InterpolateAtOffset => H(H, H2);
    }
    DOUBLE_SLOPES => {
        "interpolateAtCentroid" InterpolateAtCentroid => D(D);
        "interpolateAtSample" InterpolateAtSample => D(D, I1);
        "interpolateAtOffset" InterpolateAtOffset => D(D, D2);
    }
    HALF_SLOPES => {
        "dFdx" Math(M::Dfdx) => H(H);
        "dFdy" Math(M::Dfdy) => H(H);
        "fwidth" Math(M::Fwidth) => H(H);
        "dFdxFine" Math(M::DfdxFine) => H(H);
        "dFdyFine" Math(M::DfdyFine) => H(H);
        "fwidthFine" Math(M::FwidthFine) => H(H);
        "dFdxCoarse" Math(M::DfdxCoarse) => H(H);
        "dFdyCoarse" Math(M::DfdyCoarse) => H(H);
        "fwidthCoarse" Math(M::FwidthCoarse) => H(H);
    }
    DOUBLE_SLOPES => {
        "dFdx" Math(M::Dfdx) => D(D);
        "dFdy" Math(M::Dfdy) => D(D);
        "fwidth" Math(M::Fwidth) => D(D);
        "dFdxFine" Math(M::DfdxFine) => D(D);
        "dFdyFine" Math(M::DfdyFine) => D(D);
        "fwidthFine" Math(M::FwidthFine) => D(D);
        "dFdxCoarse" Math(M::DfdxCoarse) => D(D);
        "dFdyCoarse" Math(M::DfdyCoarse) => D(D);
        "fwidthCoarse" Math(M::FwidthCoarse) => D(D);
    }
};
