//! Functions of numbers: angles, exponentials, common ones, packing, geometry, matrices,
//! relations and bits.

use super::names::*;
use super::row::{Row, functions};
use crate::builtin::When;
use crate::builtin::pattern::*;
use crate::intrinsic::Intrinsic::*;
use crate::intrinsic::Math as M;
use crate::ty::Scalar;

/// Unsigned integers, and what came with them.
const V130: When = When::since(300, 130).or(&["GL_EXT_gpu_shader4"]);
/// Bits of integers.
const BITS: When = When::since(310, 400).or(&[
    "GL_ARB_gpu_shader5",
    "GL_EXT_gpu_shader5",
    "GL_OES_gpu_shader5",
    "GL_MESA_shader_integer_functions",
]);
/// Doubles.
const FP64: When = When::since(0, 400).or(&["GL_ARB_gpu_shader_fp64"]);
/// Integers of 64 bits.
const INT64: When = When::with(&[
    "GL_ARB_gpu_shader_int64",
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_explicit_arithmetic_types_int64",
]);
/// Halves.
const HALF: When = When::with(&[
    "GL_AMD_gpu_shader_half_float",
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_explicit_arithmetic_types_float16",
]);
/// Fused multiplication and addition.
const FMA: When =
    When::since(320, 400).or(&["GL_ARB_gpu_shader5", "GL_EXT_gpu_shader5", "GL_OES_gpu_shader5"]);
/// Floats as their bits.
const FLOAT_BITS: When = When::since(300, 330).or(&["GL_ARB_shader_bit_encoding", "GL_ARB_gpu_shader5"]);
/// Two halves or 16-bit fractions in a word.
const PACK_HALF: When = When::since(300, 420).or(&["GL_ARB_shading_language_packing"]);
/// Fractions in a word that desktop had earlier.
const PACK_UNORM: When = When::since(300, 400).or(&["GL_ARB_shading_language_packing", "GL_ARB_gpu_shader5"]);
/// Four fractions of 8 bits.
const PACK_8: When = When::since(310, 400).or(&[
    "GL_ARB_shading_language_packing",
    "GL_ARB_gpu_shader5",
    "GL_EXT_gpu_shader5",
]);
/// Matrices that came with version 1.20.
const V120: When = When::since(300, 120);
/// `inverse`.
const V140: When = When::since(300, 140);
/// `determinant`.
const V150: When = When::since(300, 150);
/// `frexp` and `ldexp`.
const FREXP: When = When::since(310, 400).or(&[
    "GL_ARB_gpu_shader5",
    "GL_EXT_gpu_shader5",
    "GL_OES_gpu_shader5",
    "GL_MESA_shader_integer_functions",
]);
/// Selecting integers.
const MIX_INT: When = When::since(310, 450).or(&["GL_EXT_shader_integer_mix"]);

macro_rules! matrices {
    ($($name:ident $wide:ident $columns:literal $rows:literal;)*) => { $(
        const $name: Pattern = pattern(Shape::Matrix($columns, $rows), Scalar::Float);
        const $wide: Pattern = pattern(Shape::Matrix($columns, $rows), Scalar::Double);
    )* };
}
matrices! {
    M22 DM22 2 2; M23 DM23 2 3; M24 DM24 2 4;
    M32 DM32 3 2; M33 DM33 3 3; M34 DM34 3 4;
    M42 DM42 4 2; M43 DM43 4 3; M44 DM44 4 4;
}
const M: Pattern = pattern(Shape::AnyMatrix, Scalar::Float);
const MS: Pattern = pattern(Shape::Square, Scalar::Float);
const MT: Pattern = pattern(Shape::Transposed, Scalar::Float);
const DM: Pattern = pattern(Shape::AnyMatrix, Scalar::Double);
const DMS: Pattern = pattern(Shape::Square, Scalar::Double);
const DMT: Pattern = pattern(Shape::Transposed, Scalar::Double);

pub(super) static ROWS: &[Row] = functions! {
    When::ALWAYS => {
        "radians" Math(M::Radians) => F(F);
        "degrees" Math(M::Degrees) => F(F);
        "sin" Math(M::Sin) => F(F);
        "cos" Math(M::Cos) => F(F);
        "tan" Math(M::Tan) => F(F);
        "asin" Math(M::Asin) => F(F);
        "acos" Math(M::Acos) => F(F);
        "atan" Math(M::Atan) => F(F);
        "exp" Math(M::Exp) => F(F);
        "log" Math(M::Log) => F(F);
        "exp2" Math(M::Exp2) => F(F);
        "log2" Math(M::Log2) => F(F);
        "sqrt" Math(M::Sqrt) => F(F);
        "inversesqrt" Math(M::InverseSqrt) => F(F);
        "abs" Math(M::Abs) => F(F);
        "sign" Math(M::Sign) => F(F);
        "floor" Math(M::Floor) => F(F);
        "ceil" Math(M::Ceil) => F(F);
        "fract" Math(M::Fract) => F(F);
        "normalize" Math(M::Normalize) => F(F);
        "atan" Math(M::Atan2) => F(F, F);
        "pow" Math(M::Pow) => F(F, F);
        "mod" Mod => F(F, F) | F(F, F1);
        "min" Math(M::Min) => F(F, F) | F(F, F1);
        "max" Math(M::Max) => F(F, F) | F(F, F1);
        "clamp" Math(M::Clamp) => F(F, F, F) | F(F, F1, F1);
        "mix" Math(M::Mix) => F(F, F, F) | F(F, F, F1);
        "step" Math(M::Step) => F(F, F) | F(F1, F);
        "smoothstep" Math(M::SmoothStep) => F(F, F, F) | F(F1, F1, F);
        "length" Math(M::Length) => F1(F);
        "distance" Math(M::Distance) => F1(F, F);
        "dot" Dot => F1(F, F);
        "cross" Math(M::Cross) => F3(F3, F3);
        "faceforward" Math(M::FaceForward) => F(F, F, F);
        "reflect" Math(M::Reflect) => F(F, F);
        "refract" Math(M::Refract) => F(F, F, F1);
        "matrixCompMult" MatrixCompMult => M(M, M);
        "lessThan" LessThan => VB(VF, VF) | VB(VI, VI);
        "lessThanEqual" LessThanEqual => VB(VF, VF) | VB(VI, VI);
        "greaterThan" GreaterThan => VB(VF, VF) | VB(VI, VI);
        "greaterThanEqual" GreaterThanEqual => VB(VF, VF) | VB(VI, VI);
        "equal" Equal => VB(VF, VF) | VB(VI, VI) | VB(VB, VB);
        "notEqual" NotEqual => VB(VF, VF) | VB(VI, VI) | VB(VB, VB);
        "any" Any => B1(VB);
        "all" All => B1(VB);
        "not" Math(M::Not) => VB(VB);
    }
    V120 => {
        "outerProduct" Math(M::OuterProduct) => M22(F2, F2) | M23(F3, F2) | M24(F4, F2) | M32(F2, F3) | M33(F3, F3) | M34(F4, F3) | M42(F2, F4) | M43(F3, F4) | M44(F4, F4);
        "transpose" Math(M::Transpose) => MT(M);
    }
    V150 => {
        "determinant" Math(M::Determinant) => F1(MS);
    }
    V140 => {
        "inverse" Math(M::Inverse) => MS(MS);
    }
    V130 => {
        "sinh" Math(M::Sinh) => F(F);
        "cosh" Math(M::Cosh) => F(F);
        "tanh" Math(M::Tanh) => F(F);
        "asinh" Math(M::Asinh) => F(F);
        "acosh" Math(M::Acosh) => F(F);
        "atanh" Math(M::Atanh) => F(F);
        "trunc" Math(M::Trunc) => F(F);
        "round" Math(M::Round) => F(F);
        "roundEven" Math(M::RoundEven) => F(F);
        "abs" Math(M::Abs) => I(I);
        "sign" Math(M::Sign) => I(I);
        "min" Math(M::Min) => I(I, I) | I(I, I1) | U(U, U) | U(U, U1);
        "max" Math(M::Max) => I(I, I) | I(I, I1) | U(U, U) | U(U, U1);
        "clamp" Math(M::Clamp) => I(I, I, I) | I(I, I1, I1) | U(U, U, U) | U(U, U1, U1);
        "mix" MixBool => F(F, F, B);
        "isnan" Math(M::IsNan) => B(F);
        "isinf" Math(M::IsInf) => B(F);
        "modf" Modf => F(F, OF);
        "lessThan" LessThan => VB(VU, VU);
        "lessThanEqual" LessThanEqual => VB(VU, VU);
        "greaterThan" GreaterThan => VB(VU, VU);
        "greaterThanEqual" GreaterThanEqual => VB(VU, VU);
        "equal" Equal => VB(VU, VU);
        "notEqual" NotEqual => VB(VU, VU);
    }
    MIX_INT => {
        "mix" MixBool => I(I, I, B) | U(U, U, B) | B(B, B, B);
    }
    FLOAT_BITS => {
        "floatBitsToInt" Math(M::FloatBitsToInt) => I(F);
        "floatBitsToUint" Math(M::FloatBitsToUint) => U(F);
        "intBitsToFloat" Math(M::IntBitsToFloat) => F(I);
        "uintBitsToFloat" Math(M::UintBitsToFloat) => F(U);
    }
    FMA => {
        "fma" Math(M::Fma) => F(F, F, F);
    }
    FREXP => {
        "frexp" Frexp => F(F, OI);
        "ldexp" Math(M::Ldexp) => F(F, I);
    }
    PACK_UNORM => {
        "packUnorm2x16" Math(M::PackUnorm2x16) => U1(F2);
        "unpackUnorm2x16" Math(M::UnpackUnorm2x16) => F2(U1);
    }
    PACK_HALF => {
        "packSnorm2x16" Math(M::PackSnorm2x16) => U1(F2);
        "unpackSnorm2x16" Math(M::UnpackSnorm2x16) => F2(U1);
        "packHalf2x16" Math(M::PackHalf2x16) => U1(F2);
        "unpackHalf2x16" Math(M::UnpackHalf2x16) => F2(U1);
    }
    PACK_8 => {
        "packUnorm4x8" Math(M::PackUnorm4x8) => U1(F4);
        "unpackUnorm4x8" Math(M::UnpackUnorm4x8) => F4(U1);
        "packSnorm4x8" Math(M::PackSnorm4x8) => U1(F4);
        "unpackSnorm4x8" Math(M::UnpackSnorm4x8) => F4(U1);
    }
    BITS => {
        "uaddCarry" UaddCarry => U(U, U, OU);
        "usubBorrow" UsubBorrow => U(U, U, OU);
        "umulExtended" UmulExtended => VOID(U, U, OU, OU);
        "imulExtended" ImulExtended => VOID(I, I, OI, OI);
        "bitfieldExtract" BitfieldExtract => I(I, I1, I1) | U(U, I1, I1);
        "bitfieldInsert" Math(M::BitfieldInsert) => I(I, I, I1, I1) | U(U, U, I1, I1);
        "bitfieldReverse" Math(M::BitfieldReverse) => I(I) | U(U);
        "bitCount" Math(M::BitCount) => I(I) | I(U);
        "findLSB" Math(M::FindLsb) => I(I) | I(U);
        "findMSB" Math(M::FindMsb) => I(I) | I(U);
    }
    FP64 => {
        "sqrt" Math(M::Sqrt) => D(D);
        "inversesqrt" Math(M::InverseSqrt) => D(D);
        "abs" Math(M::Abs) => D(D);
        "sign" Math(M::Sign) => D(D);
        "floor" Math(M::Floor) => D(D);
        "trunc" Math(M::Trunc) => D(D);
        "round" Math(M::Round) => D(D);
        "roundEven" Math(M::RoundEven) => D(D);
        "ceil" Math(M::Ceil) => D(D);
        "fract" Math(M::Fract) => D(D);
        "normalize" Math(M::Normalize) => D(D);
        "mod" Mod => D(D, D) | D(D, D1);
        "modf" Modf => D(D, OD);
        "min" Math(M::Min) => D(D, D) | D(D, D1);
        "max" Math(M::Max) => D(D, D) | D(D, D1);
        "clamp" Math(M::Clamp) => D(D, D, D) | D(D, D1, D1);
        "mix" Math(M::Mix) => D(D, D, D) | D(D, D, D1);
        "mix" MixBool => D(D, D, B);
        "step" Math(M::Step) => D(D, D) | D(D1, D);
        "smoothstep" Math(M::SmoothStep) => D(D, D, D) | D(D1, D1, D);
        "isnan" Math(M::IsNan) => B(D);
        "isinf" Math(M::IsInf) => B(D);
        "fma" Math(M::Fma) => D(D, D, D);
        "frexp" Frexp => D(D, OI);
        "ldexp" Math(M::Ldexp) => D(D, I);
        "packDouble2x32" Math(M::PackDouble2x32) => D1(U2);
        "unpackDouble2x32" Math(M::UnpackDouble2x32) => U2(D1);
        "length" Math(M::Length) => D1(D);
        "distance" Math(M::Distance) => D1(D, D);
        "dot" Dot => D1(D, D);
        "cross" Math(M::Cross) => D3(D3, D3);
        "faceforward" Math(M::FaceForward) => D(D, D, D);
        "reflect" Math(M::Reflect) => D(D, D);
        "refract" Math(M::Refract) => D(D, D, D1);
        "matrixCompMult" MatrixCompMult => DM(DM, DM);
        "outerProduct" Math(M::OuterProduct) => DM22(D2, D2) | DM23(D3, D2) | DM24(D4, D2) | DM32(D2, D3) | DM33(D3, D3) | DM34(D4, D3) | DM42(D2, D4) | DM43(D3, D4) | DM44(D4, D4);
        "transpose" Math(M::Transpose) => DMT(DM);
        "determinant" Math(M::Determinant) => D1(DMS);
        "inverse" Math(M::Inverse) => DMS(DMS);
        "lessThan" LessThan => VB(VD, VD);
        "lessThanEqual" LessThanEqual => VB(VD, VD);
        "greaterThan" GreaterThan => VB(VD, VD);
        "greaterThanEqual" GreaterThanEqual => VB(VD, VD);
        "equal" Equal => VB(VD, VD);
        "notEqual" NotEqual => VB(VD, VD);
    }
    INT64 => {
        "abs" Math(M::Abs) => L(L);
        "sign" Math(M::Sign) => L(L);
        "min" Math(M::Min) => L(L, L) | L(L, L1) | UL(UL, UL) | UL(UL, UL1);
        "max" Math(M::Max) => L(L, L) | L(L, L1) | UL(UL, UL) | UL(UL, UL1);
        "clamp" Math(M::Clamp) => L(L, L, L) | L(L, L1, L1) | UL(UL, UL, UL) | UL(UL, UL1, UL1);
        "mix" MixBool => L(L, L, B) | UL(UL, UL, B);
        "lessThan" LessThan => VB(VL, VL) | VB(VUL, VUL);
        "lessThanEqual" LessThanEqual => VB(VL, VL) | VB(VUL, VUL);
        "greaterThan" GreaterThan => VB(VL, VL) | VB(VUL, VUL);
        "greaterThanEqual" GreaterThanEqual => VB(VL, VL) | VB(VUL, VUL);
        "equal" Equal => VB(VL, VL) | VB(VUL, VUL);
        "notEqual" NotEqual => VB(VL, VL) | VB(VUL, VUL);
        "packInt2x32" Instruction(spirv::Op::Bitcast) => L1(I2);
        "packUint2x32" Instruction(spirv::Op::Bitcast) => UL1(U2);
        "unpackInt2x32" Instruction(spirv::Op::Bitcast) => I2(L1);
        "unpackUint2x32" Instruction(spirv::Op::Bitcast) => U2(UL1);
        "doubleBitsToInt64" Instruction(spirv::Op::Bitcast) => L(D);
        "doubleBitsToUint64" Instruction(spirv::Op::Bitcast) => UL(D);
        "int64BitsToDouble" Instruction(spirv::Op::Bitcast) => D(L);
        "uint64BitsToDouble" Instruction(spirv::Op::Bitcast) => D(UL);
    }
    HALF => {
        "radians" Math(M::Radians) => H(H);
        "degrees" Math(M::Degrees) => H(H);
        "sin" Math(M::Sin) => H(H);
        "cos" Math(M::Cos) => H(H);
        "tan" Math(M::Tan) => H(H);
        "asin" Math(M::Asin) => H(H);
        "acos" Math(M::Acos) => H(H);
        "atan" Math(M::Atan) => H(H);
        "exp" Math(M::Exp) => H(H);
        "log" Math(M::Log) => H(H);
        "exp2" Math(M::Exp2) => H(H);
        "log2" Math(M::Log2) => H(H);
        "sqrt" Math(M::Sqrt) => H(H);
        "inversesqrt" Math(M::InverseSqrt) => H(H);
        "abs" Math(M::Abs) => H(H);
        "sign" Math(M::Sign) => H(H);
        "floor" Math(M::Floor) => H(H);
        "trunc" Math(M::Trunc) => H(H);
        "round" Math(M::Round) => H(H);
        "roundEven" Math(M::RoundEven) => H(H);
        "ceil" Math(M::Ceil) => H(H);
        "fract" Math(M::Fract) => H(H);
        "normalize" Math(M::Normalize) => H(H);
        "sinh" Math(M::Sinh) => H(H);
        "cosh" Math(M::Cosh) => H(H);
        "tanh" Math(M::Tanh) => H(H);
        "asinh" Math(M::Asinh) => H(H);
        "acosh" Math(M::Acosh) => H(H);
        "atanh" Math(M::Atanh) => H(H);
        "atan" Math(M::Atan2) => H(H, H);
        "pow" Math(M::Pow) => H(H, H);
        "mod" Mod => H(H, H) | H(H, H1);
        "modf" Modf => H(H, OH);
        "min" Math(M::Min) => H(H, H) | H(H, H1);
        "max" Math(M::Max) => H(H, H) | H(H, H1);
        "clamp" Math(M::Clamp) => H(H, H, H) | H(H, H1, H1);
        "mix" Math(M::Mix) => H(H, H, H) | H(H, H, H1);
        "mix" MixBool => H(H, H, B);
        "step" Math(M::Step) => H(H, H) | H(H1, H);
        "smoothstep" Math(M::SmoothStep) => H(H, H, H) | H(H1, H1, H);
        "isnan" Math(M::IsNan) => B(H);
        "isinf" Math(M::IsInf) => B(H);
        "fma" Math(M::Fma) => H(H, H, H);
        "frexp" Frexp => H(H, OI);
        "ldexp" Math(M::Ldexp) => H(H, I);
        "length" Math(M::Length) => H1(H);
        "distance" Math(M::Distance) => H1(H, H);
        "dot" Dot => H1(H, H);
        "cross" Math(M::Cross) => H3(H3, H3);
        "faceforward" Math(M::FaceForward) => H(H, H, H);
        "reflect" Math(M::Reflect) => H(H, H);
        "refract" Math(M::Refract) => H(H, H, H1);
        "lessThan" LessThan => VB(VH, VH);
        "lessThanEqual" LessThanEqual => VB(VH, VH);
        "greaterThan" GreaterThan => VB(VH, VH);
        "greaterThanEqual" GreaterThanEqual => VB(VH, VH);
        "equal" Equal => VB(VH, VH);
        "notEqual" NotEqual => VB(VH, VH);
    }
};
