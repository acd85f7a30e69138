//! VOP3P: two halves at once, dot products, mixed precision (spec 4, 6.7).

use super::layout::*;
use super::vector::*;
use crate::operand::attribute::Bits as BitList;
use crate::operand::register::Vgpr;
use chiaro_isa::{Field, Format, at, bit, modifier, operations, split};

operations! {
    /// Packed vector operations.
    pub enum Vop3p => ROWS {
        /// S0*S1+S2 low 16.
        PkMadI16 "v_pk_mad_i16" [SHORTS_3 0x00] VALU32 AMD;
        /// Lower halves of two products.
        PkMulLoU16 "v_pk_mul_lo_u16" [SHORTS_2 0x01] VALU32 AMD;
        /// Clamp saturates.
        PkAddI16 "v_pk_add_i16" [SHORTS_2 0x02] VALU32 AMD;
        /// Clamp saturates.
        PkSubI16 "v_pk_sub_i16" [SHORTS_2 0x03] VALU32 AMD;
        /// S1 shifted by 4 bits of S0 half.
        PkLshlrevB16 "v_pk_lshlrev_b16" [SHORTS_2 0x04] VALU32 AMD;
        /// S1 shifted by 4 bits of S0 half.
        PkLshrrevB16 "v_pk_lshrrev_b16" [SHORTS_2 0x05] VALU32 AMD;
        /// S1 shifted by 4 bits of S0 half.
        PkAshrrevI16 "v_pk_ashrrev_i16" [SHORTS_2 0x06] VALU32 AMD;
        /// Maximum of each half, signed.
        PkMaxI16 "v_pk_max_i16" [SHORTS_2 0x07] VALU32 AMD;
        /// Minimum of each half, signed.
        PkMinI16 "v_pk_min_i16" [SHORTS_2 0x08] VALU32 AMD;
        /// S0*S1+S2 low 16.
        PkMadU16 "v_pk_mad_u16" [SHORTS_3 0x09] VALU32 AMD;
        /// Clamp saturates.
        PkAddU16 "v_pk_add_u16" [SHORTS_2 0x0a] VALU32 AMD;
        /// Clamp saturates.
        PkSubU16 "v_pk_sub_u16" [SHORTS_2 0x0b] VALU32 AMD;
        /// Maximum of each half, unsigned.
        PkMaxU16 "v_pk_max_u16" [SHORTS_2 0x0c] VALU32 AMD;
        /// Minimum of each half, unsigned.
        PkMinU16 "v_pk_min_u16" [SHORTS_2 0x0d] VALU32 AMD;
        /// Neg_lo/neg_hi negate per half.
        PkFmaF16 "v_pk_fma_f16" [HALVES_3 0x0e] VALU32 AMD;
        /// Neg_lo/neg_hi negate per half.
        PkAddF16 "v_pk_add_f16" [HALVES_2 0x0f] VALU32 AMD;
        /// Neg_lo/neg_hi negate per half.
        PkMulF16 "v_pk_mul_f16" [HALVES_2 0x10] VALU32 AMD;
        /// Neg_lo/neg_hi negate per half.
        PkMinF16 "v_pk_min_f16" [HALVES_2 0x11] VALU32 AMD;
        /// Neg_lo/neg_hi negate per half.
        PkMaxF16 "v_pk_max_f16" [HALVES_2 0x12] VALU32 AMD;
        /// S2 + sum of 2 f16 products in f32 (intermediate rounding unknown).
        Dot2F32F16 "v_dot2_f32_f16" [DOT_HALVES 0x13] VALU32 AMD;
        /// Clamp saturates.
        Dot2I32I16 "v_dot2_i32_i16" [DOT_SHORTS 0x14] VALU32 AMD;
        /// Clamp saturates.
        Dot2U32U16 "v_dot2_u32_u16" [DOT_SHORTS 0x15] VALU32 AMD;
        /// Sum of four products of signed bytes, plus S2.
        Dot4I32I8 "v_dot4_i32_i8" [DOT_WORDS 0x16] VALU32 AMD;
        /// Sum of four products of unsigned bytes, plus S2.
        Dot4U32U8 "v_dot4_u32_u8" [DOT_WORDS 0x17] VALU32 AMD;
        /// (18 missing in ACO's table).
        Dot8I32I4 "v_dot8_i32_i4" [DOT_WORDS 0x18] VALU32 AMD;
        /// (18 missing in ACO's table).
        Dot8U32U4 "v_dot8_u32_u4" [DOT_WORDS 0x19] VALU32 AMD;
        /// F32 fma; source i is f32 if op_sel_hi[i]=0, else f16 half op_sel[i]. neg_lo = neg, neg_hi = abs. A literal is 32 bits, two f16 halves where op_sel_hi says so (`perlin2d`: cb804600); LLVM's printer shows 16 bits of it.
        FmaMixF32 "v_fma_mix_f32" [MIX 0x20] VALU32 AMD;
        /// Result converted to f16 into low / high half.
        FmaMixloF16 "v_fma_mixlo_f16" [MIX 0x21] VALU32 AMD;
        /// Other half kept.
        FmaMixhiF16 "v_fma_mixhi_f16" [MIX 0x22] VALU32 AMD;
    }
}

const PACKED_3: Format =
    Format { name: "VOP3P", opcode: at(16..=22), fixed: &[(at(26..=31), 0x33), (at(23..=25), 0)], ..LONG3 };
/// With two sources the third one's selection bit is set all the same [LLVM].
const PACKED_2: Format = Format {
    name: "VOP3P",
    opcode: at(16..=22),
    fixed: &[(at(26..=31), 0x33), (at(23..=25), 0), (bit(14), 1)],
    ..LONG2
};

const fn bits(tag: &'static str, count: u8) -> BitList {
    BitList { tag, count }
}
static SELECT: [BitList; 2] = [bits(" op_sel:", 2), bits(" op_sel:", 3)];
static SELECT_HIGH: [BitList; 2] = [bits(" op_sel_hi:", 2), bits(" op_sel_hi:", 3)];
static NEG_LOW: [BitList; 2] = [bits(" neg_lo:", 2), bits(" neg_lo:", 3)];
static NEG_HIGH: [BitList; 2] = [bits(" neg_hi:", 2), bits(" neg_hi:", 3)];

const LOW2: Field = modifier("op_sel", at(11..=12), &SELECT[0], "half of each source for the lower result");
const LOW3: Field = modifier("op_sel", at(11..=13), &SELECT[1], "half of each source for the lower result");
const HIGH2: Field =
    modifier("op_sel_hi", at(59..=60), &SELECT_HIGH[0], "half of each source for the upper result").or(3);
const HIGH3: Field = modifier(
    "op_sel_hi",
    split([14..=14, 59..=60]),
    &SELECT_HIGH[1],
    "half of each source for the upper result",
)
.or(7);
const NEGLOW2: Field = modifier("neg_lo", at(61..=62), &NEG_LOW[0], "signs inverted for the lower result");
const NEGLOW3: Field = modifier("neg_lo", at(61..=63), &NEG_LOW[1], "signs inverted for the lower result");
const NEGHIGH2: Field = modifier("neg_hi", at(8..=9), &NEG_HIGH[0], "signs inverted for the upper result");
const NEGHIGH3: Field = modifier("neg_hi", at(8..=10), &NEG_HIGH[1], "signs inverted for the upper result");
const MIXED: Field =
    modifier("op_sel_hi", split([14..=14, 59..=60]), &SELECT_HIGH[1], "which sources are half floats");
const HALF_OF: Field = modifier("op_sel", at(11..=13), &SELECT[1], "which half of each half float");

/// The layout of so many sources of a kind.
macro_rules! packed {
    ($two:ident, $three:ident, $kind:expr) => {
        packed!($two, $kind);
        packed!($three, $kind, $kind);
    };
    ($name:ident, $kind:expr) => {
        layout!(
            $name = PACKED_2,
            [long_dst(&Vgpr(1)), long0($kind), long1($kind), LOW2, HIGH2, NEGLOW2, NEGHIGH2, CLAMP],
            "{op} {vdst}, {src0}, {src1}{*op_sel op_sel_hi neg_lo neg_hi clamp}"
        );
    };
    ($name:ident, $kind:expr, $third:expr) => {
        layout!(
            $name = PACKED_3,
            [
                long_dst(&Vgpr(1)),
                long0($kind),
                long1($kind),
                long2($third),
                LOW3,
                HIGH3,
                NEGLOW3,
                NEGHIGH3,
                CLAMP
            ],
            "{op} {vdst}, {src0}, {src1}, {src2}{*op_sel op_sel_hi neg_lo neg_hi clamp}"
        );
    };
}
packed!(HALVES_2, HALVES_3, &HH);
packed!(SHORTS_2, SHORTS_3, &SS);
packed!(DOT_HALVES, &HH, &W);
packed!(DOT_SHORTS, &SS, &W);
packed!(DOT_WORDS, &W, &W);
layout!(
    MIX = PACKED_3,
    [long_dst(&Vgpr(1)), long0(&H), long1(&H), long2(&H), HALF_OF, MIXED, CLAMP],
    "{op} {vdst}, {src0}, {src1}, {src2}{*op_sel op_sel_hi clamp}"
);
