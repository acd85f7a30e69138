//! Functions of numbers: angles, exponentials, common ones, packing, geometry, matrices,
//! relations and bits.

use super::names::*;
use super::row::{Row, functions};
use crate::builtin::When;
use crate::builtin::pattern::*;
use crate::intrinsic::Intrinsic::*;
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
        "radians" Radians => F(F);
        "degrees" Degrees => F(F);
        "sin" Sin => F(F);
        "cos" Cos => F(F);
        "tan" Tan => F(F);
        "asin" Asin => F(F);
        "acos" Acos => F(F);
        "atan" Atan => F(F);
        "exp" Exp => F(F);
        "log" Log => F(F);
        "exp2" Exp2 => F(F);
        "log2" Log2 => F(F);
        "sqrt" Sqrt => F(F);
        "inversesqrt" InverseSqrt => F(F);
        "abs" Abs => F(F);
        "sign" Sign => F(F);
        "floor" Floor => F(F);
        "ceil" Ceil => F(F);
        "fract" Fract => F(F);
        "normalize" Normalize => F(F);
        "atan" Atan2 => F(F, F);
        "pow" Pow => F(F, F);
        "mod" Mod => F(F, F) | F(F, F1);
        "min" Min => F(F, F) | F(F, F1);
        "max" Max => F(F, F) | F(F, F1);
        "clamp" Clamp => F(F, F, F) | F(F, F1, F1);
        "mix" Mix => F(F, F, F) | F(F, F, F1);
        "step" Step => F(F, F) | F(F1, F);
        "smoothstep" SmoothStep => F(F, F, F) | F(F1, F1, F);
        "length" Length => F1(F);
        "distance" Distance => F1(F, F);
        "dot" Dot => F1(F, F);
        "cross" Cross => F3(F3, F3);
        "faceforward" FaceForward => F(F, F, F);
        "reflect" Reflect => F(F, F);
        "refract" Refract => F(F, F, F1);
        "matrixCompMult" MatrixCompMult => M(M, M);
        "lessThan" LessThan => VB(VF, VF) | VB(VI, VI);
        "lessThanEqual" LessThanEqual => VB(VF, VF) | VB(VI, VI);
        "greaterThan" GreaterThan => VB(VF, VF) | VB(VI, VI);
        "greaterThanEqual" GreaterThanEqual => VB(VF, VF) | VB(VI, VI);
        "equal" Equal => VB(VF, VF) | VB(VI, VI) | VB(VB, VB);
        "notEqual" NotEqual => VB(VF, VF) | VB(VI, VI) | VB(VB, VB);
        "any" Any => B1(VB);
        "all" All => B1(VB);
        "not" Not => VB(VB);
    }
    V120 => {
        "outerProduct" OuterProduct => M22(F2, F2) | M23(F3, F2) | M24(F4, F2) | M32(F2, F3) | M33(F3, F3) | M34(F4, F3) | M42(F2, F4) | M43(F3, F4) | M44(F4, F4);
        "transpose" Transpose => MT(M);
    }
    V150 => {
        "determinant" Determinant => F1(MS);
    }
    V140 => {
        "inverse" Inverse => MS(MS);
    }
    V130 => {
        "sinh" Sinh => F(F);
        "cosh" Cosh => F(F);
        "tanh" Tanh => F(F);
        "asinh" Asinh => F(F);
        "acosh" Acosh => F(F);
        "atanh" Atanh => F(F);
        "trunc" Trunc => F(F);
        "round" Round => F(F);
        "roundEven" RoundEven => F(F);
        "abs" Abs => I(I);
        "sign" Sign => I(I);
        "min" Min => I(I, I) | I(I, I1) | U(U, U) | U(U, U1);
        "max" Max => I(I, I) | I(I, I1) | U(U, U) | U(U, U1);
        "clamp" Clamp => I(I, I, I) | I(I, I1, I1) | U(U, U, U) | U(U, U1, U1);
        "mix" MixBool => F(F, F, B);
        "isnan" IsNan => B(F);
        "isinf" IsInf => B(F);
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
        "floatBitsToInt" FloatBitsToInt => I(F);
        "floatBitsToUint" FloatBitsToUint => U(F);
        "intBitsToFloat" IntBitsToFloat => F(I);
        "uintBitsToFloat" UintBitsToFloat => F(U);
    }
    FMA => {
        "fma" Fma => F(F, F, F);
    }
    FREXP => {
        "frexp" Frexp => F(F, OI);
        "ldexp" Ldexp => F(F, I);
    }
    PACK_UNORM => {
        "packUnorm2x16" PackUnorm2x16 => U1(F2);
        "unpackUnorm2x16" UnpackUnorm2x16 => F2(U1);
    }
    PACK_HALF => {
        "packSnorm2x16" PackSnorm2x16 => U1(F2);
        "unpackSnorm2x16" UnpackSnorm2x16 => F2(U1);
        "packHalf2x16" PackHalf2x16 => U1(F2);
        "unpackHalf2x16" UnpackHalf2x16 => F2(U1);
    }
    PACK_8 => {
        "packUnorm4x8" PackUnorm4x8 => U1(F4);
        "unpackUnorm4x8" UnpackUnorm4x8 => F4(U1);
        "packSnorm4x8" PackSnorm4x8 => U1(F4);
        "unpackSnorm4x8" UnpackSnorm4x8 => F4(U1);
    }
    BITS => {
        "uaddCarry" UaddCarry => U(U, U, OU);
        "usubBorrow" UsubBorrow => U(U, U, OU);
        "umulExtended" UmulExtended => VOID(U, U, OU, OU);
        "imulExtended" ImulExtended => VOID(I, I, OI, OI);
        "bitfieldExtract" BitfieldExtract => I(I, I1, I1) | U(U, I1, I1);
        "bitfieldInsert" BitfieldInsert => I(I, I, I1, I1) | U(U, U, I1, I1);
        "bitfieldReverse" BitfieldReverse => I(I) | U(U);
        "bitCount" BitCount => I(I) | I(U);
        "findLSB" FindLsb => I(I) | I(U);
        "findMSB" FindMsb => I(I) | I(U);
    }
    FP64 => {
        "sqrt" Sqrt => D(D);
        "inversesqrt" InverseSqrt => D(D);
        "abs" Abs => D(D);
        "sign" Sign => D(D);
        "floor" Floor => D(D);
        "trunc" Trunc => D(D);
        "round" Round => D(D);
        "roundEven" RoundEven => D(D);
        "ceil" Ceil => D(D);
        "fract" Fract => D(D);
        "normalize" Normalize => D(D);
        "mod" Mod => D(D, D) | D(D, D1);
        "modf" Modf => D(D, OD);
        "min" Min => D(D, D) | D(D, D1);
        "max" Max => D(D, D) | D(D, D1);
        "clamp" Clamp => D(D, D, D) | D(D, D1, D1);
        "mix" Mix => D(D, D, D) | D(D, D, D1);
        "mix" MixBool => D(D, D, B);
        "step" Step => D(D, D) | D(D1, D);
        "smoothstep" SmoothStep => D(D, D, D) | D(D1, D1, D);
        "isnan" IsNan => B(D);
        "isinf" IsInf => B(D);
        "fma" Fma => D(D, D, D);
        "frexp" Frexp => D(D, OI);
        "ldexp" Ldexp => D(D, I);
        "packDouble2x32" PackDouble2x32 => D1(U2);
        "unpackDouble2x32" UnpackDouble2x32 => U2(D1);
        "length" Length => D1(D);
        "distance" Distance => D1(D, D);
        "dot" Dot => D1(D, D);
        "cross" Cross => D3(D3, D3);
        "faceforward" FaceForward => D(D, D, D);
        "reflect" Reflect => D(D, D);
        "refract" Refract => D(D, D, D1);
        "matrixCompMult" MatrixCompMult => DM(DM, DM);
        "outerProduct" OuterProduct => DM22(D2, D2) | DM23(D3, D2) | DM24(D4, D2) | DM32(D2, D3) | DM33(D3, D3) | DM34(D4, D3) | DM42(D2, D4) | DM43(D3, D4) | DM44(D4, D4);
        "transpose" Transpose => DMT(DM);
        "determinant" Determinant => D1(DMS);
        "inverse" Inverse => DMS(DMS);
        "lessThan" LessThan => VB(VD, VD);
        "lessThanEqual" LessThanEqual => VB(VD, VD);
        "greaterThan" GreaterThan => VB(VD, VD);
        "greaterThanEqual" GreaterThanEqual => VB(VD, VD);
        "equal" Equal => VB(VD, VD);
        "notEqual" NotEqual => VB(VD, VD);
    }
    INT64 => {
        "abs" Abs => L(L);
        "sign" Sign => L(L);
        "min" Min => L(L, L) | L(L, L1) | UL(UL, UL) | UL(UL, UL1);
        "max" Max => L(L, L) | L(L, L1) | UL(UL, UL) | UL(UL, UL1);
        "clamp" Clamp => L(L, L, L) | L(L, L1, L1) | UL(UL, UL, UL) | UL(UL, UL1, UL1);
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
        "radians" Radians => H(H);
        "degrees" Degrees => H(H);
        "sin" Sin => H(H);
        "cos" Cos => H(H);
        "tan" Tan => H(H);
        "asin" Asin => H(H);
        "acos" Acos => H(H);
        "atan" Atan => H(H);
        "exp" Exp => H(H);
        "log" Log => H(H);
        "exp2" Exp2 => H(H);
        "log2" Log2 => H(H);
        "sqrt" Sqrt => H(H);
        "inversesqrt" InverseSqrt => H(H);
        "abs" Abs => H(H);
        "sign" Sign => H(H);
        "floor" Floor => H(H);
        "trunc" Trunc => H(H);
        "round" Round => H(H);
        "roundEven" RoundEven => H(H);
        "ceil" Ceil => H(H);
        "fract" Fract => H(H);
        "normalize" Normalize => H(H);
        "sinh" Sinh => H(H);
        "cosh" Cosh => H(H);
        "tanh" Tanh => H(H);
        "asinh" Asinh => H(H);
        "acosh" Acosh => H(H);
        "atanh" Atanh => H(H);
        "atan" Atan2 => H(H, H);
        "pow" Pow => H(H, H);
        "mod" Mod => H(H, H) | H(H, H1);
        "modf" Modf => H(H, OH);
        "min" Min => H(H, H) | H(H, H1);
        "max" Max => H(H, H) | H(H, H1);
        "clamp" Clamp => H(H, H, H) | H(H, H1, H1);
        "mix" Mix => H(H, H, H) | H(H, H, H1);
        "mix" MixBool => H(H, H, B);
        "step" Step => H(H, H) | H(H1, H);
        "smoothstep" SmoothStep => H(H, H, H) | H(H1, H1, H);
        "isnan" IsNan => B(H);
        "isinf" IsInf => B(H);
        "fma" Fma => H(H, H, H);
        "frexp" Frexp => H(H, OI);
        "ldexp" Ldexp => H(H, I);
        "length" Length => H1(H);
        "distance" Distance => H1(H, H);
        "dot" Dot => H1(H, H);
        "cross" Cross => H3(H3, H3);
        "faceforward" FaceForward => H(H, H, H);
        "reflect" Reflect => H(H, H);
        "refract" Refract => H(H, H, H1);
        "lessThan" LessThan => VB(VH, VH);
        "lessThanEqual" LessThanEqual => VB(VH, VH);
        "greaterThan" GreaterThan => VB(VH, VH);
        "greaterThanEqual" GreaterThanEqual => VB(VH, VH);
        "equal" Equal => VB(VH, VH);
        "notEqual" NotEqual => VB(VH, VH);
    }
};
