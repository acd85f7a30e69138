//! VOP3: what has only the long form (spec 4, 6.4).

use super::layout::*;
use super::vector::*;
use crate::operand::attribute::{Attribute, Bits as BitList};
use crate::operand::register::{Sgpr, Vgpr};
use chiaro_isa::{Field, Flag, Format, Length, Names, at, bit, dst, inout, modifier, operations, split, src};

operations! {
    /// Vector operations that have only the long form.
    pub enum Vop3 => ROWS {
        /// DX9 zero rule.
        FmaLegacyF32 "v_fma_legacy_f32" [V_FFF_CO 0x140] VALU32 AMD { aliases: &[(1, "v_fma_legacy_f32"), (1, "v_mad_legacy_f32")] };
        /// 24-bit product low 32 + S2.
        MadI32I24 "v_mad_i32_i24" [V_WWW_C 0x142] VALU32 AMD;
        /// Clamp saturates.
        MadU32U24 "v_mad_u32_u24" [V_WWW_C 0x143] VALU32 AMD;
        /// Face 0..5: major axis z if abs(z)>=abs(x) and abs(z)>=abs(y) (4 or 5), else y if abs(y)>=abs(x) (2 or 3), else x (0 or 1); odd if negative.
        CubeidF32 "v_cubeid_f32" [V_FFF_CO 0x144] VALU32 AMD;
        /// Z: sign(z)<0 ? -x : x; y: x; x: x<0 ? z : -z.
        CubescF32 "v_cubesc_f32" [V_FFF_CO 0x145] VALU32 AMD;
        /// Z: -y; y: y<0 ? -z : z; x: -y.
        CubetcF32 "v_cubetc_f32" [V_FFF_CO 0x146] VALU32 AMD;
        /// 2 * major axis value.
        CubemaF32 "v_cubema_f32" [V_FFF_CO 0x147] VALU32 AMD;
        /// Offset S1[4:0], width S2[4:0].
        BfeU32 "v_bfe_u32" [V_WWW 0x148] VALU32 AMD;
        /// Width 0 gives 0.
        BfeI32 "v_bfe_i32" [V_WWW 0x149] VALU32 AMD;
        /// (S0 & S1) or (~S0 & S2).
        BfiB32 "v_bfi_b32" [V_WWW 0x14a] VALU32 AMD;
        /// Product plus sum, rounded once, floats.
        FmaF32 "v_fma_f32" [V_FFF_CO 0x14b] VALU32 AMD;
        /// Product plus sum, rounded once, doubles.
        FmaF64 "v_fma_f64" [V2_DDD_CO 0x14c] DOUBLE AMD;
        /// Per byte (S0+S1+(S2&1))>>1.
        LerpU8 "v_lerp_u8" [V_WWW 0x14d] VALU32 AMD;
        /// {S0,S1} >> S2[4:0], low 32.
        AlignbitB32 "v_alignbit_b32" [V_WWW 0x14e] VALU32 AMD;
        /// {S0,S1} >> 8*S2[1:0], low 32.
        AlignbyteB32 "v_alignbyte_b32" [V_WWW 0x14f] VALU32 AMD;
        /// If S1 is -max, -inf or NaN, or S2 <= 0 or NaN: -max_float; else S0*S1.
        MullitF32 "v_mullit_f32" [V_FFF_CO 0x150] VALU32 AMD;
        /// Minimum of three, floats.
        Min3F32 "v_min3_f32" [V_FFF_CO 0x151] VALU32 AMD;
        /// Minimum of three, signed words.
        Min3I32 "v_min3_i32" [V_WWW 0x152] VALU32 AMD;
        /// Minimum of three, unsigned words.
        Min3U32 "v_min3_u32" [V_WWW 0x153] VALU32 AMD;
        /// Maximum of three, floats.
        Max3F32 "v_max3_f32" [V_FFF_CO 0x154] VALU32 AMD;
        /// Maximum of three, signed words.
        Max3I32 "v_max3_i32" [V_WWW 0x155] VALU32 AMD;
        /// Maximum of three, unsigned words.
        Max3U32 "v_max3_u32" [V_WWW 0x156] VALU32 AMD;
        /// Middle of three, floats.
        Med3F32 "v_med3_f32" [V_FFF_CO 0x157] VALU32 AMD;
        /// Middle of three, signed words.
        Med3I32 "v_med3_i32" [V_WWW 0x158] VALU32 AMD;
        /// Middle of three, unsigned words.
        Med3U32 "v_med3_u32" [V_WWW 0x159] VALU32 AMD;
        /// S2 + sum of 4 byte distances (unsigned).
        SadU8 "v_sad_u8" [V_WWW_C 0x15a] VALU32 AMD;
        /// Hi: distance sum << 16.
        SadHiU8 "v_sad_hi_u8" [V_WWW_C 0x15b] VALU32 AMD;
        /// S2 + unsigned distances (one manual printed a signed form: wrong).
        SadU16 "v_sad_u16" [V_WWW_C 0x15c] VALU32 AMD;
        /// S2 + unsigned distances (one manual printed a signed form: wrong).
        SadU32 "v_sad_u32" [V_WWW_C 0x15d] VALU32 AMD;
        /// Byte S1[1:0] of S2 replaced by clamp of S0 to 0..255 (truncated).
        CvtPkU8F32 "v_cvt_pk_u8_f32" [V_FEE_C 0x15e] VALU32 AMD;
        /// S0 quotient, S1 denominator, S2 numerator: 6.6.
        DivFixupF32 "v_div_fixup_f32" [V_FFF_CO 0x15f] VALU32 AMD;
        /// S0 quotient, S1 denominator, S2 numerator: 6.6.
        DivFixupF64 "v_div_fixup_f64" [V2_DDD_CO 0x160] VALU32 AMD;
        /// Sum, doubles.
        AddF64 "v_add_f64" [V2_DD_CO 0x164] DOUBLE AMD { aliases: &[(1, "v_add_f64_e64")] };
        /// Product, doubles.
        MulF64 "v_mul_f64" [V2_DD_CO 0x165] DOUBLE AMD { aliases: &[(1, "v_mul_f64_e64")] };
        /// Minimum, doubles.
        MinF64 "v_min_f64" [V2_DD_CO 0x166] DOUBLE AMD { aliases: &[(1, "v_min_f64_e64")] };
        /// Maximum, doubles.
        MaxF64 "v_max_f64" [V2_DD_CO 0x167] DOUBLE AMD { aliases: &[(1, "v_max_f64_e64")] };
        /// S0*2^S1.i32.
        LdexpF64 "v_ldexp_f64" [V2_DE_CO 0x168] DOUBLE AMD;
        /// Quarter rate.
        MulLoU32 "v_mul_lo_u32" [V_WW 0x169] QUARTER AMD;
        /// Quarter rate.
        MulHiU32 "v_mul_hi_u32" [V_WW 0x16a] QUARTER AMD;
        /// Quarter rate.
        MulHiI32 "v_mul_hi_i32" [V_WW 0x16c] QUARTER AMD;
        /// Scales a numerator or denominator for a division; the second result says whether to scale back.
        DivScaleF32 "v_div_scale_f32" [V_FFF_CO_CARRY 0x16d] VALU32 AMD;
        /// Scales a numerator or denominator of doubles; the second result says whether to scale back.
        DivScaleF64 "v_div_scale_f64" [V2_DDD_CO_CARRY 0x16e] DOUBLE AMD;
        /// Fma, times a power of two where VCC[lane]: 2^32 in RDNA3 text, 2^64 in older; unknown.
        DivFmasF32 "v_div_fmas_f32" [V_FFF_CO 0x16f] VALU32 AMD { implicit: READS_VCC };
        /// Fma, times a power of two where VCC[lane]: 2^64 in RDNA3 text, 2^128 in older; unknown.
        DivFmasF64 "v_div_fmas_f64" [V2_DDD_CO 0x170] DOUBLE AMD { implicit: READS_VCC };
        /// Like v_sad_u8 but bytes where the reference S1 byte is 0 are skipped.
        MsadU8 "v_msad_u8" [V_WWW_C 0x171] VALU32 AMD;
        /// Four (m)sads of S0[31:0], S0[39:8], S0[47:16], S0[55:24] against S1, each + 16-bit of S2.
        QsadPkU16U8 "v_qsad_pk_u16_u8" [V2_LWL_C 0x172] VALU32 AMD;
        /// Four (m)sads of S0[31:0], S0[39:8], S0[47:16], S0[55:24] against S1, each + 16-bit of S2.
        MqsadPkU16U8 "v_mqsad_pk_u16_u8" [V2_LWL_C 0x173] VALU32 AMD;
        /// 53-bit slice of 2/pi selected by S1[4:0] and exponent(S0); scale 2^(-53-shift), +128 for huge.
        TrigPreopF64 "v_trig_preop_f64" [V2_DE_CO 0x174] DOUBLE AMD;
        /// As 173 with four 32-bit accumulators.
        MqsadU32U8 "v_mqsad_u32_u8" [SADS 0x175] QUARTER AMD;
        /// VOP3B: {carry, D64} = S0*S1 + S2.64.
        MadU64U32 "v_mad_u64_u32" [V2_WWL_C_CARRY 0x176] VALU64 AMD;
        /// Sdst = carry/overflow bit per lane.
        MadI64I32 "v_mad_i64_i32" [V2_WWL_C_CARRY 0x177] VALU64 AMD;
        /// Bitwise exclusive or of three.
        Xor3B32 "v_xor3_b32" [V_WWW 0x178] VALU32 AMD;
        /// VOP3 forms of VINTRP.
        InterpP1F32 "v_interp_p1_f32" [INTERPOLATE 0x200] VALU32 AMD { implicit: READS_M0 };
        /// VOP3 forms of VINTRP.
        InterpP2F32 "v_interp_p2_f32" [INTERPOLATE_ONTO 0x201] VALU32 AMD { implicit: READS_M0 };
        /// VOP3 forms of VINTRP.
        InterpMovF32 "v_interp_mov_f32" [INTERPOLATE_MOVE 0x202] VALU32 AMD { implicit: READS_M0 };
        /// S1.64 shifted by S0[5:0].
        LshlrevB64 "v_lshlrev_b64" [V2_WL 0x2ff] VALU64 AMD { aliases: &[(1, "v_lshlrev_b64_e64")] };
        /// S1.64 shifted by S0[5:0].
        LshrrevB64 "v_lshrrev_b64" [V2_WL 0x300] VALU64 AMD;
        /// S1.64 shifted by S0[5:0].
        AshrrevI64 "v_ashrrev_i64" [V2_WL 0x301] VALU64 AMD;
        /// Clamp saturates.
        AddNcU16 "v_add_nc_u16" [V_SS_C 0x303] VALU32 AMD { aliases: &[(1, "v_add_u16_e64")] };
        /// Clamp saturates.
        SubNcU16 "v_sub_nc_u16" [V_SS_C 0x304] VALU32 AMD { aliases: &[(1, "v_sub_u16_e64")] };
        /// Product, unsigned shorts.
        MulLoU16 "v_mul_lo_u16" [V_SS 0x305] VALU32 AMD { aliases: &[(1, "v_mul_lo_u16_e64")] };
        /// S1 shifted by S0[3:0].
        LshrrevB16 "v_lshrrev_b16" [V_SS 0x307] VALU32 AMD { aliases: &[(1, "v_lshrrev_b16_e64")] };
        /// S1 shifted by S0[3:0].
        AshrrevI16 "v_ashrrev_i16" [V_SS 0x308] VALU32 AMD { aliases: &[(1, "v_ashrrev_i16_e64")] };
        /// Maximum, unsigned shorts.
        MaxU16 "v_max_u16" [V_SS 0x309] VALU32 AMD { aliases: &[(1, "v_max_u16_e64")] };
        /// Maximum, signed shorts.
        MaxI16 "v_max_i16" [V_SS 0x30a] VALU32 AMD { aliases: &[(1, "v_max_i16_e64")] };
        /// Minimum, unsigned shorts.
        MinU16 "v_min_u16" [V_SS 0x30b] VALU32 AMD { aliases: &[(1, "v_min_u16_e64")] };
        /// Minimum, signed shorts.
        MinI16 "v_min_i16" [V_SS 0x30c] VALU32 AMD { aliases: &[(1, "v_min_i16_e64")] };
        /// Clamp saturates signed.
        AddNcI16 "v_add_nc_i16" [V_SS_CP 0x30d] VALU32 AMD { aliases: &[(1, "v_add_i16")] };
        /// Clamp saturates signed.
        SubNcI16 "v_sub_nc_i16" [V_SS_CP 0x30e] VALU32 AMD { aliases: &[(1, "v_sub_i16")] };
        /// VOP3B, carry/borrow to sdst.
        AddCoU32 "v_add_co_u32" [V_WW_C_CARRY 0x30f] VALU32 AMD { aliases: &[(1, "v_add_co_u32_e64")] };
        /// VOP3B, carry/borrow to sdst.
        SubCoU32 "v_sub_co_u32" [V_WW_C_CARRY 0x310] VALU32 AMD { aliases: &[(1, "v_sub_co_u32_e64")] };
        /// {S1.f16, S0.f16} (denormals follow the f16 mode).
        PackB32F16 "v_pack_b32_f16" [V_HH_CP 0x311] VALU32 AMD;
        /// Conversion, half floats.
        CvtPknormI16F16 "v_cvt_pknorm_i16_f16" [V_HH_CP 0x312] VALU32 AMD;
        /// Conversion, half floats.
        CvtPknormU16F16 "v_cvt_pknorm_u16_f16" [V_HH_CP 0x313] VALU32 AMD;
        /// S1 shifted by S0[3:0].
        LshlrevB16 "v_lshlrev_b16" [V_SS 0x314] VALU32 AMD { aliases: &[(1, "v_lshlrev_b16_e64")] };
        /// VOP3B, carry/borrow to sdst.
        SubrevCoU32 "v_subrev_co_u32" [V_WW_C_CARRY 0x319] VALU32 AMD { aliases: &[(1, "v_subrev_co_u32_e64")] };
        /// Low 16 of product + S2.
        MadU16 "v_mad_u16" [V_SSS_CP 0x340] VALU32 AMD;
        /// Pixel interpolation.
        InterpP1llF16 "v_interp_p1ll_f16" [INTERPOLATE_HALF 0x342] VALU32 AMD { implicit: READS_M0 };
        /// Pixel interpolation.
        InterpP1lvF16 "v_interp_p1lv_f16" [INTERPOLATE_HALF_WITH 0x343] VALU32 AMD { implicit: READS_M0 };
        /// Bytes from {S0,S1} (byte 0 = lowest byte of S1): selector byte of S2 0-7 byte; 8,9,10,11 = sign of byte 1,3,5,7 replicated; 12 = 0x00; >= 13 = 0xff.
        PermB32 "v_perm_b32" [V_WWW 0x344] VALU32 AMD;
        /// (S0^S1)+S2.
        XadU32 "v_xad_u32" [V_WWW 0x345] VALU32 AMD;
        /// (S0<<S1[4:0])+S2.
        LshlAddU32 "v_lshl_add_u32" [V_WWW 0x346] VALU32 AMD;
        /// (S0+S1)<<S2[4:0].
        AddLshlU32 "v_add_lshl_u32" [V_WWW 0x347] VALU32 AMD;
        /// Product plus sum, rounded once, half floats.
        FmaF16 "v_fma_f16" [V_HHH_COP 0x34b] VALU32 AMD;
        /// Minimum of three, half floats.
        Min3F16 "v_min3_f16" [V_HHH_COP 0x351] VALU32 AMD;
        /// Minimum of three, signed shorts.
        Min3I16 "v_min3_i16" [V_SSS_CP 0x352] VALU32 AMD;
        /// Minimum of three, unsigned shorts.
        Min3U16 "v_min3_u16" [V_SSS_CP 0x353] VALU32 AMD;
        /// Maximum of three, half floats.
        Max3F16 "v_max3_f16" [V_HHH_COP 0x354] VALU32 AMD;
        /// Maximum of three, signed shorts.
        Max3I16 "v_max3_i16" [V_SSS_CP 0x355] VALU32 AMD;
        /// Maximum of three, unsigned shorts.
        Max3U16 "v_max3_u16" [V_SSS_CP 0x356] VALU32 AMD;
        /// Middle of three, half floats.
        Med3F16 "v_med3_f16" [V_HHH_COP 0x357] VALU32 AMD;
        /// Middle of three, signed shorts.
        Med3I16 "v_med3_i16" [V_SSS_CP 0x358] VALU32 AMD;
        /// Middle of three, unsigned shorts.
        Med3U16 "v_med3_u16" [V_SSS_CP 0x359] VALU32 AMD;
        /// Pixel interpolation.
        InterpP2F16 "v_interp_p2_f16" [INTERPOLATE_HALF_ONTO 0x35a] VALU32 AMD { aliases: &[(1, "v_interp_p2_f16"), (1, "v_interp_p2_hi_f16")], implicit: READS_M0 };
        /// Clamp saturates.
        MadI16 "v_mad_i16" [V_SSS_CP 0x35e] VALU32 AMD;
        /// Repairs a quotient (S0) of S2 by S1: signs, zeros, infinities and NaN.
        DivFixupF16 "v_div_fixup_f16" [V_HHH_COP 0x35f] VALU32 AMD;
        /// SGPR D = S0 of lane S1[4:0] (wave64 [5:0]); ignores EXEC.
        ReadlaneB32 "v_readlane_b32" [READ_LANE 0x360] VECTOR_MOVE AMD { aliases: &[(1, "v_readlane_b32_e64")] };
        /// D of lane S1 = S0; ignores EXEC; other lanes kept.
        WritelaneB32 "v_writelane_b32" [WRITE_LANE 0x361] VECTOR_MOVE AMD { aliases: &[(1, "v_writelane_b32_e64")] };
        /// S0*2^S1.i32.
        LdexpF32 "v_ldexp_f32" [V_FE_CO 0x362] VALU32 AMD;
        /// ((1<<S0[4:0])-1)<<S1[4:0].
        BfmB32 "v_bfm_b32" [V_WW 0x363] VALU32 AMD;
        /// Popcount(S0)+S1 (one manual omits S1: wrong).
        BcntU32B32 "v_bcnt_u32_b32" [V_WW 0x364] VALU32 AMD;
        /// S1 + popcount(S0 & lanes below me), lanes 0-31 / 32-63.
        MbcntLoU32B32 "v_mbcnt_lo_u32_b32" [V_WW 0x365] VALU32 AMD;
        /// Hi adds nothing in wave32.
        MbcntHiU32B32 "v_mbcnt_hi_u32_b32" [V_WW 0x366] VALU32 AMD { aliases: &[(1, "v_mbcnt_hi_u32_b32_e64")] };
        /// Conversion, floats.
        CvtPknormI16F32 "v_cvt_pknorm_i16_f32" [V_FF_C 0x368] VALU32 AMD;
        /// Conversion, floats.
        CvtPknormU16F32 "v_cvt_pknorm_u16_f32" [V_FF_C 0x369] VALU32 AMD;
        /// Saturate each (compilers rely on it).
        CvtPkU16U32 "v_cvt_pk_u16_u32" [V_WW 0x36a] VALU32 AMD;
        /// Saturate each (compilers rely on it).
        CvtPkI16I32 "v_cvt_pk_i16_i32" [V_WW 0x36b] VALU32 AMD;
        /// Sum of three.
        Add3U32 "v_add3_u32" [V_WWW 0x36d] VALU32 AMD;
        /// (S0<<S1[4:0]) or S2.
        LshlOrB32 "v_lshl_or_b32" [V_WWW 0x36f] VALU32 AMD;
        /// (S0&S1) or S2.
        AndOrB32 "v_and_or_b32" [V_WWW 0x371] VALU32 AMD;
        /// Three-way or.
        Or3B32 "v_or3_b32" [V_WWW 0x372] VALU32 AMD;
        /// 16x16 product + 32-bit S2.
        MadU32U16 "v_mad_u32_u16" [V_SSW_CP 0x373] VALU32 AMD;
        /// 16x16 product + 32-bit S2.
        MadI32I16 "v_mad_i32_i16" [V_SSW_CP 0x375] VALU32 AMD;
        /// Clamp saturates signed.
        SubNcI32 "v_sub_nc_i32" [V_WW_C 0x376] VALU32 AMD { aliases: &[(1, "v_sub_i32")] };
        /// Within each row of 16 lanes lane i reads lane sel[i] of the same row (x16: of the neighbouring row, 0<->1, 2<->3); sel = 4-bit fields of {S2,S1} (SGPRs). op_sel[0]: read inactive lanes; op_sel[1]: inactive source gives 0 instead of keeping D.
        Permlane16B32 "v_permlane16_b32" [PERMUTE 0x377] VALU32 AMD;
        /// Within each row of 16 lanes lane i reads lane sel[i] of the same row (x16: of the neighbouring row, 0<->1, 2<->3); sel = 4-bit fields of {S2,S1} (SGPRs). op_sel[0]: read inactive lanes; op_sel[1]: inactive source gives 0 instead of keeping D.
        Permlanex16B32 "v_permlanex16_b32" [PERMUTE 0x378] VALU32 AMD;
        /// Clamp saturates signed.
        AddNcI32 "v_add_nc_i32" [V_WW_C 0x37f] VALU32 AMD { aliases: &[(1, "v_add_i32")] };
    }
}

const VOP3_1: Format = Format { opcode: at(16..=25), ..LONG1 };
const VOP3_2: Format = Format { opcode: at(16..=25), ..LONG2 };
const VOP3_3: Format = Format { opcode: at(16..=25), ..LONG3 };
/// Without a literal.
const VOP3_FIXED: Format = Format { length: Length::Bytes(8), ..VOP3_1 };

/// Which halves are read, and written.
const SELECT2: Field = modifier(
    "op_sel",
    split([14..=14, 11..=12]),
    &BitList { tag: " op_sel:", count: 3 },
    "upper half of each source and of the result",
);
const SELECT3: Field = modifier(
    "op_sel",
    at(11..=14),
    &BitList { tag: " op_sel:", count: 4 },
    "upper half of each source and of the result",
);
const LANES: Field = modifier(
    "op_sel",
    at(11..=12),
    &BitList { tag: " op_sel:", count: 2 },
    "read lanes that do not run; give 0 where the source does not run",
);
const ATTRIBUTE: Field = modifier("attr", at(32..=39), &Attribute, "attribute and component");
const HIGH: Field = modifier("high", bit(40), &Flag(" high"), "upper half of the attribute");
const BARYCENTRIC: Field = src("src1", split([62..=62, 9..=9, 41..=49]), &VS, "barycentric coordinate");
static VS: crate::operand::source::Source =
    crate::operand::source::Source { signs: crate::operand::source::Signs::NegAbs, ..ONLY_VECTOR };
const ONLY_VECTOR: crate::operand::source::Source = crate::operand::source::Source {
    number: crate::operand::constant::Number::Word,
    count: 1,
    takes: crate::operand::source::Takes::VECTOR,
    width: 9,
    signs: crate::operand::source::Signs::None,
};
const VERTEX: Field = modifier("vertex", at(41..=49), &Names(&["p10", "p20", "p0"]), "which vertex");

layout!(
    READ_LANE = VOP3_FIXED,
    [
        dst("vdst", at(0..=7), &Sgpr(1), "result"),
        src("src0", at(32..=40), &V, "what the lane holds"),
        src("src1", at(41..=49), &LANE, "which lane"),
    ],
    "{op} {vdst}, {src0}, {src1}"
);
layout!(
    WRITE_LANE = VOP3_1,
    [
        inout("vdst", at(0..=7), &Vgpr(1), "one lane is written"),
        long0(&UNIFORM),
        src("src1", at(41..=49), &LANE, "which lane"),
    ],
    "{op} {vdst}, {src0}, {src1}"
);
layout!(
    PERMUTE = VOP3_3,
    [
        inout("vdst", at(0..=7), &Vgpr(1), "result, kept where the source does not run"),
        src("src0", at(32..=40), &V, "what is read"),
        long1(&UNIFORM),
        long2(&UNIFORM),
        LANES,
    ],
    "{op} {vdst}, {src0}, {src1}, {src2}{*op_sel}",
    length: Length::Literal { asked: &[(at(41..=49), LITERAL), (at(50..=58), LITERAL)], short: 8, long: 12 },
);
layout!(
    SADS = VOP3_2,
    [long_dst(&Vgpr(4)), long0(&L), long1(&W), src("src2", at(50..=58), &V4, "what is added to"), CLAMP,],
    "{op} {vdst}, {src0}, {src1}, {src2}{*clamp}"
);
layout!(
    INTERPOLATE = VOP3_FIXED,
    [long_dst(&Vgpr(1)), BARYCENTRIC, ATTRIBUTE, CLAMP, OMOD],
    "{op} {vdst}, {src1}, {attr}{*clamp omod}",
    suffix: &["_e64", "_e64"],
);
layout!(
    INTERPOLATE_ONTO = VOP3_FIXED,
    [inout("vdst", at(0..=7), &Vgpr(1), "added to"), BARYCENTRIC, ATTRIBUTE, CLAMP, OMOD],
    "{op} {vdst}, {src1}, {attr}{*clamp omod}",
    suffix: &["_e64", "_e64"],
);
layout!(
    INTERPOLATE_MOVE = VOP3_FIXED,
    [long_dst(&Vgpr(1)), VERTEX, ATTRIBUTE, CLAMP, OMOD],
    "{op} {vdst}, {vertex}, {attr}{*clamp omod}",
    suffix: &["_e64", "_e64"],
);
layout!(
    INTERPOLATE_HALF = VOP3_FIXED,
    [long_dst(&Vgpr(1)), BARYCENTRIC, ATTRIBUTE, HIGH, CLAMP, OMOD],
    "{op} {vdst}, {src1}, {attr}{*high clamp omod}"
);
layout!(
    INTERPOLATE_HALF_WITH = VOP3_FIXED,
    [long_dst(&Vgpr(1)), BARYCENTRIC, ATTRIBUTE, THIRD, HIGH, CLAMP, OMOD],
    "{op} {vdst}, {src1}, {attr}, {src2}{*high clamp omod}"
);
layout!(
    INTERPOLATE_HALF_ONTO = VOP3_FIXED,
    [long_dst(&Vgpr(1)), BARYCENTRIC, ATTRIBUTE, THIRD, HIGH, CLAMP],
    "{op} {vdst}, {src1}, {attr}, {src2}{*high clamp}"
);
const THIRD: Field = src("src2", split([63..=63, 10..=10, 50..=58]), &VS, "what the first step gave");

layout!(
    V_FFF_CO = VOP3_3,
    [long_dst(&Vgpr(1)), long0(&F), long1(&F), long2(&F), CLAMP, OMOD],
    "{op} {vdst}, {src0}, {src1}, {src2}{*clamp omod}"
);
layout!(
    V_WWW_C = VOP3_3,
    [long_dst(&Vgpr(1)), long0(&W), long1(&W), long2(&W), CLAMP],
    "{op} {vdst}, {src0}, {src1}, {src2}{*clamp}"
);
layout!(
    V_WWW = VOP3_3,
    [long_dst(&Vgpr(1)), long0(&W), long1(&W), long2(&W)],
    "{op} {vdst}, {src0}, {src1}, {src2}"
);
layout!(
    V2_DDD_CO = VOP3_3,
    [long_dst(&Vgpr(2)), long0(&D), long1(&D), long2(&D), CLAMP, OMOD],
    "{op} {vdst}, {src0}, {src1}, {src2}{*clamp omod}"
);
layout!(
    V_FEE_C = VOP3_3,
    [long_dst(&Vgpr(1)), long0(&F), long1(&E), long2(&E), CLAMP],
    "{op} {vdst}, {src0}, {src1}, {src2}{*clamp}"
);
layout!(
    V2_DD_CO = VOP3_2,
    [long_dst(&Vgpr(2)), long0(&D), long1(&D), CLAMP, OMOD],
    "{op} {vdst}, {src0}, {src1}{*clamp omod}"
);
layout!(
    V2_DE_CO = VOP3_2,
    [long_dst(&Vgpr(2)), long0(&D), long1(&E), CLAMP, OMOD],
    "{op} {vdst}, {src0}, {src1}{*clamp omod}"
);
layout!(V_WW = VOP3_2, [long_dst(&Vgpr(1)), long0(&W), long1(&W)], "{op} {vdst}, {src0}, {src1}");
layout!(
    V_FFF_CO_CARRY = VOP3_3,
    [long_dst(&Vgpr(1)), CARRY_OUT, long0(&FN), long1(&FN), long2(&FN), CLAMP, OMOD],
    "{op} {vdst}, {sdst}, {src0}, {src1}, {src2}{*clamp omod}"
);
layout!(
    V2_DDD_CO_CARRY = VOP3_3,
    [long_dst(&Vgpr(2)), CARRY_OUT, long0(&DN), long1(&DN), long2(&DN), CLAMP, OMOD],
    "{op} {vdst}, {sdst}, {src0}, {src1}, {src2}{*clamp omod}"
);
layout!(
    V2_LWL_C = VOP3_3,
    [long_dst(&Vgpr(2)), long0(&L), long1(&W), long2(&L), CLAMP],
    "{op} {vdst}, {src0}, {src1}, {src2}{*clamp}"
);
layout!(
    V2_WWL_C_CARRY = VOP3_3,
    [long_dst(&Vgpr(2)), CARRY_OUT, long0(&W), long1(&W), long2(&L), CLAMP],
    "{op} {vdst}, {sdst}, {src0}, {src1}, {src2}{*clamp}"
);
layout!(V2_WL = VOP3_2, [long_dst(&Vgpr(2)), long0(&W), long1(&L)], "{op} {vdst}, {src0}, {src1}");
layout!(
    V_SS_C = VOP3_2,
    [long_dst(&Vgpr(1)), long0(&S), long1(&S), CLAMP],
    "{op} {vdst}, {src0}, {src1}{*clamp}"
);
layout!(V_SS = VOP3_2, [long_dst(&Vgpr(1)), long0(&S), long1(&S)], "{op} {vdst}, {src0}, {src1}");
layout!(
    V_SS_CP = VOP3_2,
    [long_dst(&Vgpr(1)), long0(&S), long1(&S), SELECT2, CLAMP],
    "{op} {vdst}, {src0}, {src1}{*op_sel clamp}"
);
layout!(
    V_WW_C_CARRY = VOP3_2,
    [long_dst(&Vgpr(1)), CARRY_OUT, long0(&W), long1(&W), CLAMP],
    "{op} {vdst}, {sdst}, {src0}, {src1}{*clamp}"
);
layout!(
    V_HH_CP = VOP3_2,
    [long_dst(&Vgpr(1)), long0(&H), long1(&H), SELECT2, CLAMP],
    "{op} {vdst}, {src0}, {src1}{*op_sel clamp}"
);
layout!(
    V_SSS_CP = VOP3_3,
    [long_dst(&Vgpr(1)), long0(&S), long1(&S), long2(&S), SELECT3, CLAMP],
    "{op} {vdst}, {src0}, {src1}, {src2}{*op_sel clamp}"
);
layout!(
    V_HHH_COP = VOP3_3,
    [long_dst(&Vgpr(1)), long0(&H), long1(&H), long2(&H), SELECT3, CLAMP, OMOD],
    "{op} {vdst}, {src0}, {src1}, {src2}{*op_sel clamp omod}"
);
layout!(
    V_FE_CO = VOP3_2,
    [long_dst(&Vgpr(1)), long0(&F), long1(&E), CLAMP, OMOD],
    "{op} {vdst}, {src0}, {src1}{*clamp omod}"
);
layout!(
    V_FF_C = VOP3_2,
    [long_dst(&Vgpr(1)), long0(&F), long1(&F), CLAMP],
    "{op} {vdst}, {src0}, {src1}{*clamp}"
);
layout!(
    V_SSW_CP = VOP3_3,
    [long_dst(&Vgpr(1)), long0(&S), long1(&S), long2(&W), SELECT3, CLAMP],
    "{op} {vdst}, {src0}, {src1}, {src2}{*op_sel clamp}"
);
layout!(
    V_WW_C = VOP3_2,
    [long_dst(&Vgpr(1)), long0(&W), long1(&W), CLAMP],
    "{op} {vdst}, {src0}, {src1}{*clamp}"
);
