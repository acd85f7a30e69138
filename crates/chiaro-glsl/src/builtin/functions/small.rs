//! Functions of small floats: their bits, alone and packed into integers. [GL_EXT_bfloat16,
//! GL_EXT_float_e5m2, GL_EXT_float_e4m3, GL_EXT_ocp_microscaling_types]

use super::names::*;
use super::row::{Row, functions};
use crate::builtin::When;
use crate::builtin::pattern::*;
use crate::intrinsic::Intrinsic;
use crate::intrinsic::Intrinsic::{BitcastExtract, Dot, Instruction, SaturatedConvert};
use crate::small::Small;
use crate::ty::Scalar;

const BITS: Intrinsic = Instruction(spirv::Op::Bitcast);

const fn of(small: Small) -> When {
    When::with(small.extensions())
}

const fn small(shape: Shape, small: Small) -> Pattern {
    pattern(shape, Scalar::Small(small))
}

const fn some(count: u8, scalar: Scalar) -> Pattern {
    pattern(Shape::Fixed(count), scalar)
}

const BRAIN: Pattern = small(Shape::Gen, Small::Brain);
const BRAINS: Pattern = small(Shape::Vec, Small::Brain);
const BRAIN1: Pattern = small(Shape::Fixed(1), Small::Brain);
const E5: Pattern = small(Shape::Gen, Small::E5M2);
const E4: Pattern = small(Shape::Gen, Small::E4M3);
const UE: Pattern = small(Shape::Gen, Small::Ue8M0);
const MX: Pattern = small(Shape::Gen, Small::MxInt8);
const OUT_E5: Pattern = written(Shape::Gen, Scalar::Small(Small::E5M2));
const OUT_E4: Pattern = written(Shape::Gen, Scalar::Small(Small::E4M3));

const E32: Pattern = small(Shape::Gen, Small::E3M2);
const E32_4: Pattern = small(Shape::Fixed(4), Small::E3M2);
const E32_8: Pattern = small(Shape::Fixed(8), Small::E3M2);
const E32_16: Pattern = small(Shape::Fixed(16), Small::E3M2);
const E23: Pattern = small(Shape::Gen, Small::E2M3);
const E23_4: Pattern = small(Shape::Fixed(4), Small::E2M3);
const E23_8: Pattern = small(Shape::Fixed(8), Small::E2M3);
const E23_16: Pattern = small(Shape::Fixed(16), Small::E2M3);
const E21_2: Pattern = small(Shape::Fixed(2), Small::E2M1);
const E21: Pattern = small(Shape::Gen, Small::E2M1);
const E21_4: Pattern = small(Shape::Fixed(4), Small::E2M1);
const E21_8: Pattern = small(Shape::Fixed(8), Small::E2M1);
const E21_16: Pattern = small(Shape::Fixed(16), Small::E2M1);

const BYTE: Pattern = some(1, Scalar::Uint8);
const BYTES3: Pattern = some(3, Scalar::Uint8);
const SHORT: Pattern = some(1, Scalar::Uint16);
const SHORTS3: Pattern = some(3, Scalar::Uint16);

pub(super) static ROWS: &[Row] = functions! {
    of(Small::Brain) => {
        "dot" Dot => BRAIN1(BRAINS, BRAINS);
        "bfloat16BitsToIntEXT" BITS => S(BRAIN);
        "bfloat16BitsToUintEXT" BITS => US(BRAIN);
        "intBitsToBFloat16EXT" BITS => BRAIN(S);
        "uintBitsToBFloat16EXT" BITS => BRAIN(US);
    }
    of(Small::E5M2) => {
        "floate5m2BitsToIntEXT" BITS => C(E5);
        "floate5m2BitsToUintEXT" BITS => UC(E5);
        "intBitsToFloate5m2EXT" BITS => E5(C);
        "uintBitsToFloate5m2EXT" BITS => E5(UC);
        "saturatedConvertEXT" SaturatedConvert =>
            VOID(OUT_E5, F) | VOID(OUT_E5, D) | VOID(OUT_E5, H) | VOID(OUT_E5, BRAIN)
            | VOID(OUT_E5, C) | VOID(OUT_E5, S) | VOID(OUT_E5, I) | VOID(OUT_E5, L)
            | VOID(OUT_E5, UC) | VOID(OUT_E5, US) | VOID(OUT_E5, U) | VOID(OUT_E5, UL);
    }
    of(Small::E4M3) => {
        "floate4m3BitsToIntEXT" BITS => C(E4);
        "floate4m3BitsToUintEXT" BITS => UC(E4);
        "intBitsToFloate4m3EXT" BITS => E4(C);
        "uintBitsToFloate4m3EXT" BITS => E4(UC);
        "saturatedConvertEXT" SaturatedConvert =>
            VOID(OUT_E4, F) | VOID(OUT_E4, D) | VOID(OUT_E4, H) | VOID(OUT_E4, BRAIN)
            | VOID(OUT_E4, C) | VOID(OUT_E4, S) | VOID(OUT_E4, I) | VOID(OUT_E4, L)
            | VOID(OUT_E4, UC) | VOID(OUT_E4, US) | VOID(OUT_E4, U) | VOID(OUT_E4, UL);
    }
    of(Small::E3M2) => {
        "bitcastExtractfe3m2EXT" BitcastExtract => E32(UC, U1);
        "packFloat4xfe3m2EXT" BITS => BYTES3(E32_4);
        "packFloat8xfe3m2EXT" BITS => SHORTS3(E32_8);
        "packFloat16xfe3m2EXT" BITS => U3(E32_16);
        "unpackFloat4xfe3m2EXT" BITS => E32_4(BYTES3);
        "unpackFloat8xfe3m2EXT" BITS => E32_8(SHORTS3);
        "unpackFloat16xfe3m2EXT" BITS => E32_16(U3);
    }
    of(Small::E2M3) => {
        "bitcastExtractfe2m3EXT" BitcastExtract => E23(UC, U1);
        "packFloat4xfe2m3EXT" BITS => BYTES3(E23_4);
        "packFloat8xfe2m3EXT" BITS => SHORTS3(E23_8);
        "packFloat16xfe2m3EXT" BITS => U3(E23_16);
        "unpackFloat4xfe2m3EXT" BITS => E23_4(BYTES3);
        "unpackFloat8xfe2m3EXT" BITS => E23_8(SHORTS3);
        "unpackFloat16xfe2m3EXT" BITS => E23_16(U3);
    }
    of(Small::E2M1) => {
        "packFloat2xfe2m1EXT" BITS => BYTE(E21_2);
        "bitcastExtractfe2m1EXT" BitcastExtract => E21(UC, U1);
        "packFloat4xfe2m1EXT" BITS => SHORT(E21_4);
        "packFloat8xfe2m1EXT" BITS => U1(E21_8);
        "packFloat16xfe2m1EXT" BITS => U2(E21_16);
        "unpackFloat2xfe2m1EXT" BITS => E21_2(BYTE);
        "unpackFloat4xfe2m1EXT" BITS => E21_4(SHORT);
        "unpackFloat8xfe2m1EXT" BITS => E21_8(U1);
        "unpackFloat16xfe2m1EXT" BITS => E21_16(U2);
    }
    of(Small::Ue8M0) => {
        "floatue8m0BitsToIntEXT" BITS => C(UE);
        "floatue8m0BitsToUintEXT" BITS => UC(UE);
        "intBitsToFloatue8m0EXT" BITS => UE(C);
        "uintBitsToFloatue8m0EXT" BITS => UE(UC);
    }
    of(Small::MxInt8) => {
        "floatmxint8BitsToIntEXT" BITS => C(MX);
        "floatmxint8BitsToUintEXT" BITS => UC(MX);
        "intBitsToFloatmxint8EXT" BITS => MX(C);
        "uintBitsToFloatmxint8EXT" BITS => MX(UC);
    }
};
