//! VOP2: two sources, also as the long form, DPP and SDWA (spec 4, 6.2, 7).

use super::layout::*;
use super::vector::*;
use crate::operand::register::{Vcc, Vgpr};
use chiaro_isa::{Bits, Field, Format, Hex, Length, at, bit, dst, inout, modifier, operations, src};

operations! {
    /// Vector operations of two sources.
    pub enum Vop2 => ROWS {
        /// D = mask[lane] ? S1 : S0; mask = VCC (e32) or src2 (e64). e64 accepts neg/abs on the sources.
        CndmaskB32 "v_cndmask_b32" [select::E32 0x01, select::E64 0x01, select::DPP16 0x01, select::DPP8 0x01, select::DPP8_FI 0x01, select::SDWA 0x01] VALU32 AMD;
        /// D.f32 += S0.h[0]*S1.h[0] + S0.h[1]*S1.h[1].
        Dot2cF32F16 "v_dot2c_f32_f16" [dot_halves::E32 0x02, dot_halves::DPP16 0x02, dot_halves::DPP8 0x02, dot_halves::DPP8_FI 0x02] VALU32 AMD;
        /// S0+S1.
        AddF32 "v_add_f32" [v_ff_co::E32 0x03, v_ff_co::E64 0x03, v_ff_co::DPP16 0x03, v_ff_co::DPP8 0x03, v_ff_co::DPP8_FI 0x03, v_ff_co::SDWA 0x03] VALU32 AMD;
        /// S0-S1.
        SubF32 "v_sub_f32" [v_ff_co::E32 0x04, v_ff_co::E64 0x04, v_ff_co::DPP16 0x04, v_ff_co::DPP8 0x04, v_ff_co::DPP8_FI 0x04, v_ff_co::SDWA 0x04] VALU32 AMD;
        /// S1-S0.
        SubrevF32 "v_subrev_f32" [v_ff_co::E32 0x05, v_ff_co::E64 0x05, v_ff_co::DPP16 0x05, v_ff_co::DPP8 0x05, v_ff_co::DPP8_FI 0x05, v_ff_co::SDWA 0x05] VALU32 AMD;
        /// D = fma_legacy(S0,S1,D).
        FmacLegacyF32 "v_fmac_legacy_f32" [acc_v_ff_co::E32 0x06, acc_v_ff_co::E64 0x06] VALU32 AMD;
        /// Product.
        MulLegacyF32 "v_mul_legacy_f32" [v_ff_co::E32 0x07, v_ff_co::E64 0x07, v_ff_co::DPP16 0x07, v_ff_co::DPP8 0x07, v_ff_co::DPP8_FI 0x07, v_ff_co::SDWA 0x07] VALU32 AMD;
        /// Product.
        MulF32 "v_mul_f32" [v_ff_co::E32 0x08, v_ff_co::E64 0x08, v_ff_co::DPP16 0x08, v_ff_co::DPP8 0x08, v_ff_co::DPP8_FI 0x08, v_ff_co::SDWA 0x08] VALU32 AMD;
        /// Sources sign-extended from bit 23.
        MulI32I24 "v_mul_i32_i24" [v_ww_c::E32 0x09, v_ww_c::E64 0x09, v_ww_c::DPP16 0x09, v_ww_c::DPP8 0x09, v_ww_c::DPP8_FI 0x09, v_ww_c::SDWA 0x09] VALU32 AMD;
        /// Low 32 / bits 63:32 of the 48-bit product sign-extended.
        MulHiI32I24 "v_mul_hi_i32_i24" [v_ww::E32 0x0a, v_ww::E64 0x0a, v_ww::DPP16 0x0a, v_ww::DPP8 0x0a, v_ww::DPP8_FI 0x0a, v_ww::SDWA 0x0a] VALU32 AMD;
        /// Sources masked to 24 bits.
        MulU32U24 "v_mul_u32_u24" [v_ww_c::E32 0x0b, v_ww_c::E64 0x0b, v_ww_c::DPP16 0x0b, v_ww_c::DPP8 0x0b, v_ww_c::DPP8_FI 0x0b, v_ww_c::SDWA 0x0b] VALU32 AMD;
        /// Sources masked to 24 bits.
        MulHiU32U24 "v_mul_hi_u32_u24" [v_ww::E32 0x0c, v_ww::E64 0x0c, v_ww::DPP16 0x0c, v_ww::DPP8 0x0c, v_ww::DPP8_FI 0x0c, v_ww::SDWA 0x0c] VALU32 AMD;
        /// D += sum of 4 signed byte products.
        Dot4cI32I8 "v_dot4c_i32_i8" [dot_bytes::E32 0x0d, dot_bytes::DPP16 0x0d, dot_bytes::DPP8 0x0d, dot_bytes::DPP8_FI 0x0d] VALU32 AMD;
        /// 6.1.
        MinF32 "v_min_f32" [v_ff_co::E32 0x0f, v_ff_co::E64 0x0f, v_ff_co::DPP16 0x0f, v_ff_co::DPP8 0x0f, v_ff_co::DPP8_FI 0x0f, v_ff_co::SDWA 0x0f] VALU32 AMD;
        /// 6.1.
        MaxF32 "v_max_f32" [v_ff_co::E32 0x10, v_ff_co::E64 0x10, v_ff_co::DPP16 0x10, v_ff_co::DPP8 0x10, v_ff_co::DPP8_FI 0x10, v_ff_co::SDWA 0x10] VALU32 AMD;
        /// Minimum, signed words.
        MinI32 "v_min_i32" [v_ww::E32 0x11, v_ww::E64 0x11, v_ww::DPP16 0x11, v_ww::DPP8 0x11, v_ww::DPP8_FI 0x11, v_ww::SDWA 0x11] VALU32 AMD;
        /// Maximum, signed words.
        MaxI32 "v_max_i32" [v_ww::E32 0x12, v_ww::E64 0x12, v_ww::DPP16 0x12, v_ww::DPP8 0x12, v_ww::DPP8_FI 0x12, v_ww::SDWA 0x12] VALU32 AMD;
        /// Minimum, unsigned words.
        MinU32 "v_min_u32" [v_ww::E32 0x13, v_ww::E64 0x13, v_ww::DPP16 0x13, v_ww::DPP8 0x13, v_ww::DPP8_FI 0x13, v_ww::SDWA 0x13] VALU32 AMD;
        /// Maximum, unsigned words.
        MaxU32 "v_max_u32" [v_ww::E32 0x14, v_ww::E64 0x14, v_ww::DPP16 0x14, v_ww::DPP8 0x14, v_ww::DPP8_FI 0x14, v_ww::SDWA 0x14] VALU32 AMD;
        /// S1 shifted by S0[4:0].
        LshrrevB32 "v_lshrrev_b32" [v_ww::E32 0x16, v_ww::E64 0x16, v_ww::DPP16 0x16, v_ww::DPP8 0x16, v_ww::DPP8_FI 0x16, v_ww::SDWA 0x16] VALU32 AMD;
        /// S1 shifted by S0[4:0].
        AshrrevI32 "v_ashrrev_i32" [v_ww::E32 0x18, v_ww::E64 0x18, v_ww::DPP16 0x18, v_ww::DPP8 0x18, v_ww::DPP8_FI 0x18, v_ww::SDWA 0x18] VALU32 AMD;
        /// S1 shifted by S0[4:0].
        LshlrevB32 "v_lshlrev_b32" [v_ww::E32 0x1a, v_ww::E64 0x1a, v_ww::DPP16 0x1a, v_ww::DPP8 0x1a, v_ww::DPP8_FI 0x1a, v_ww::SDWA 0x1a] VALU32 AMD;
        /// Bitwise and.
        AndB32 "v_and_b32" [v_ww::E32 0x1b, v_ww::E64 0x1b, v_ww::DPP16 0x1b, v_ww::DPP8 0x1b, v_ww::DPP8_FI 0x1b, v_ww::SDWA 0x1b] VALU32 AMD;
        /// Bitwise or.
        OrB32 "v_or_b32" [v_ww::E32 0x1c, v_ww::E64 0x1c, v_ww::DPP16 0x1c, v_ww::DPP8 0x1c, v_ww::DPP8_FI 0x1c, v_ww::SDWA 0x1c] VALU32 AMD;
        /// Bitwise exclusive or.
        XorB32 "v_xor_b32" [v_ww::E32 0x1d, v_ww::E64 0x1d, v_ww::DPP16 0x1d, v_ww::DPP8 0x1d, v_ww::DPP8_FI 0x1d, v_ww::SDWA 0x1d] VALU32 AMD;
        /// Complement of the exclusive or.
        XnorB32 "v_xnor_b32" [v_ww::E32 0x1e, v_ww::E64 0x1e, v_ww::DPP16 0x1e, v_ww::DPP8 0x1e, v_ww::DPP8_FI 0x1e, v_ww::SDWA 0x1e] VALU32 AMD;
        /// No carry; clamp (e64) saturates unsigned.
        AddNcU32 "v_add_nc_u32" [v_ww_c::E32 0x25, v_ww_c::E64 0x25, v_ww_c::DPP16 0x25, v_ww_c::DPP8 0x25, v_ww_c::DPP8_FI 0x25, v_ww_c::SDWA 0x25] VALU32 AMD { aliases: &[(1, "v_add_u32")] };
        /// No carry; clamp (e64) saturates unsigned.
        SubNcU32 "v_sub_nc_u32" [v_ww_c::E32 0x26, v_ww_c::E64 0x26, v_ww_c::DPP16 0x26, v_ww_c::DPP8 0x26, v_ww_c::DPP8_FI 0x26, v_ww_c::SDWA 0x26] VALU32 AMD { aliases: &[(1, "v_sub_u32")] };
        /// No carry; clamp (e64) saturates unsigned.
        SubrevNcU32 "v_subrev_nc_u32" [v_ww_c::E32 0x27, v_ww_c::E64 0x27, v_ww_c::DPP16 0x27, v_ww_c::DPP8 0x27, v_ww_c::DPP8_FI 0x27, v_ww_c::SDWA 0x27] VALU32 AMD { aliases: &[(1, "v_subrev_u32")] };
        /// S0+S1+cin; cout. e32: cin=cout=VCC; e64: cout=sdst, cin=src2.
        AddCoCiU32 "v_add_co_ci_u32" [carry::E32 0x28, carry::E64 0x28, carry::DPP16 0x28, carry::DPP8 0x28, carry::DPP8_FI 0x28, carry::SDWA 0x28] VALU32 AMD { aliases: &[(1, "v_addc_co_u32")] };
        /// S0-S1-cin, S1-S0-cin.
        SubCoCiU32 "v_sub_co_ci_u32" [carry::E32 0x29, carry::E64 0x29, carry::DPP16 0x29, carry::DPP8 0x29, carry::DPP8_FI 0x29, carry::SDWA 0x29] VALU32 AMD { aliases: &[(1, "v_subb_co_u32")] };
        /// Borrow out.
        SubrevCoCiU32 "v_subrev_co_ci_u32" [carry::E32 0x2a, carry::E64 0x2a, carry::DPP16 0x2a, carry::DPP8 0x2a, carry::DPP8_FI 0x2a, carry::SDWA 0x2a] VALU32 AMD { aliases: &[(1, "v_subbrev_co_u32")] };
        /// D = fma(S0,S1,D).
        FmacF32 "v_fmac_f32" [acc_v_ff_co::E32 0x2b, acc_v_ff_co::E64 0x2b, acc_v_ff_co::DPP16 0x2b, acc_v_ff_co::DPP8 0x2b, acc_v_ff_co::DPP8_FI 0x2b] VALU32 AMD;
        /// Fma(S0,K,S1).
        FmamkF32 "v_fmamk_f32" [MULTIPLIER 0x2c] VALU32 AMD;
        /// Fma(S0,S1,K).
        FmaakF32 "v_fmaak_f32" [ADDEND 0x2d] VALU32 AMD;
        /// {f16(S1), f16(S0)} rounded toward zero always.
        CvtPkrtzF16F32 "v_cvt_pkrtz_f16_f32" [v_ff_co::E32 0x2f, v_ff_co::E64 0x2f, v_ff_co::DPP16 0x2f, v_ff_co::DPP8 0x2f, v_ff_co::DPP8_FI 0x2f, v_ff_co::SDWA 0x2f] VALU32 AMD;
        /// Result in low 16 bits; high 16 bits of D kept.
        AddF16 "v_add_f16" [v_hh_co::E32 0x32, v_hh_co::E64 0x32, v_hh_co::DPP16 0x32, v_hh_co::DPP8 0x32, v_hh_co::DPP8_FI 0x32, v_hh_co::SDWA 0x32] VALU32 AMD;
        /// Result in low 16 bits; high 16 bits of D kept.
        SubF16 "v_sub_f16" [v_hh_co::E32 0x33, v_hh_co::E64 0x33, v_hh_co::DPP16 0x33, v_hh_co::DPP8 0x33, v_hh_co::DPP8_FI 0x33, v_hh_co::SDWA 0x33] VALU32 AMD;
        /// Result in low 16 bits; high 16 bits of D kept.
        SubrevF16 "v_subrev_f16" [v_hh_co::E32 0x34, v_hh_co::E64 0x34, v_hh_co::DPP16 0x34, v_hh_co::DPP8 0x34, v_hh_co::DPP8_FI 0x34, v_hh_co::SDWA 0x34] VALU32 AMD;
        /// Result in low 16 bits; high 16 bits of D kept.
        MulF16 "v_mul_f16" [v_hh_co::E32 0x35, v_hh_co::E64 0x35, v_hh_co::DPP16 0x35, v_hh_co::DPP8 0x35, v_hh_co::DPP8_FI 0x35, v_hh_co::SDWA 0x35] VALU32 AMD;
        /// Adds a product to the destination, rounded once, half floats.
        FmacF16 "v_fmac_f16" [acc_v_hh_co::E32 0x36, acc_v_hh_co::E64 0x36, acc_v_hh_co::DPP16 0x36, acc_v_hh_co::DPP8 0x36, acc_v_hh_co::DPP8_FI 0x36] VALU32 AMD;
        /// K is the low half of the literal dword.
        FmamkF16 "v_fmamk_f16" [MULTIPLIER_HALF 0x37] VALU32 AMD;
        /// K is the low half of the literal dword.
        FmaakF16 "v_fmaak_f16" [ADDEND_HALF 0x38] VALU32 AMD;
        /// Maximum, half floats.
        MaxF16 "v_max_f16" [v_hh_co::E32 0x39, v_hh_co::E64 0x39, v_hh_co::DPP16 0x39, v_hh_co::DPP8 0x39, v_hh_co::DPP8_FI 0x39, v_hh_co::SDWA 0x39] VALU32 AMD;
        /// Minimum, half floats.
        MinF16 "v_min_f16" [v_hh_co::E32 0x3a, v_hh_co::E64 0x3a, v_hh_co::DPP16 0x3a, v_hh_co::DPP8 0x3a, v_hh_co::DPP8_FI 0x3a, v_hh_co::SDWA 0x3a] VALU32 AMD;
        /// S0 * 2^S1.i16.
        LdexpF16 "v_ldexp_f16" [v_he_co::E32 0x3b, v_he_co::E64 0x3b, v_he_co::DPP16 0x3b, v_he_co::DPP8 0x3b, v_he_co::DPP8_FI 0x3b, v_he_co::SDWA 0x3b] VALU32 AMD;
        /// Both halves, D = fma(S0,S1,D); e32 only.
        PkFmacF16 "v_pk_fmac_f16" [PACKED 0x3c] VALU32 AMD;
    }
}

const VOP2: Format = Format {
    name: "VOP2",
    length: Length::Literal { asked: &[(at(0..=8), LITERAL)], short: 4, long: 8 },
    opcode: at(25..=30),
    fixed: &[(bit(31), 0)],
    suffix: &["_e32"],
    ..Format::EMPTY
};
/// The long forms stand 0x100 above the short ones.
const VOP2_LONG: Format = Format {
    opcode: at(16..=21),
    fixed: &[(at(26..=31), 0x35), (at(22..=25), 4)],
    suffix: &["_e64", "_e64"],
    ..LONG2
};
const VOP2_DPP: Format = Format {
    name: "VOP2 DPP",
    length: Length::Bytes(8),
    fixed: &[(bit(31), 0), (at(0..=8), DPP16)],
    suffix: &["_dpp"],
    ..VOP2
};
const VOP2_DPP8: Format = Format { fixed: &[(bit(31), 0), (at(0..=8), DPP8)], ..VOP2_DPP };
const VOP2_DPP8_FI: Format = Format { fixed: &[(bit(31), 0), (at(0..=8), DPP8_FI)], ..VOP2_DPP };
const VOP2_SDWA: Format =
    Format { name: "VOP2 SDWA", fixed: &[(bit(31), 0), (at(0..=8), SDWA)], suffix: &["_sdwa"], ..VOP2_DPP };
/// Every one of these has a literal; code 255 in the first source means the same one.
const CONSTANT: Format =
    Format { name: "VOP2 with a constant", length: Length::Bytes(8), suffix: &[], ..VOP2 };

const VCC_IN: Field = src("src2", Bits::NONE, &Vcc, "bit of each lane");
const VCC_OUT: Field = dst("sdst", Bits::NONE, &Vcc, "carry of each lane");
const DST: Field = short_dst(&Vgpr(1));
const ACCUMULATED: Field = inout("vdst", at(17..=24), &Vgpr(1), "added to");
const K: Field = modifier("k", at(32..=63), &Hex, "the constant");
const K_HALF: Field = modifier("k", at(32..=63), &Hex, "the constant, a half float");

layout!(MULTIPLIER = CONSTANT, [DST, short0(&W), K, short1(&Vgpr(1))], "{op} {vdst}, {src0}, {k}, {src1}");
layout!(ADDEND = CONSTANT, [DST, short0(&W), short1(&Vgpr(1)), K], "{op} {vdst}, {src0}, {src1}, {k}");
layout!(
    MULTIPLIER_HALF = CONSTANT,
    [DST, short0(&H0), K_HALF, short1(&Vgpr(1))],
    "{op} {vdst}, {src0}, {k}, {src1}"
);
layout!(
    ADDEND_HALF = CONSTANT,
    [DST, short0(&H0), short1(&Vgpr(1)), K_HALF],
    "{op} {vdst}, {src0}, {src1}, {k}"
);
layout!(
    PACKED = VOP2,
    [ACCUMULATED, short0(&HH), short1(&Vgpr(1))],
    "{op} {vdst}, {src0}, {src1}",
    suffix: &[],
);

/// Which of two values, by a bit for each lane.
mod select {
    use super::*;
    layout!(E32 = VOP2, [DST, short0(&W), short1(&Vgpr(1)), VCC_IN], "{op} {vdst}, {src0}, {src1}, {src2}");
    layout!(
        E64 = VOP2_LONG,
        [long_dst(&Vgpr(1)), long0(&F), long1(&F), CARRY_IN],
        "{op} {vdst}, {src0}, {src1}, {src2}"
    );
    layout!(
        DPP16 = VOP2_DPP,
        [DST, dpp0(true), dpp1(true), VCC_IN, PATTERN, ROW_MASK, BANK_MASK, BOUND, FETCH],
        "{op} {vdst}, {src0}, {src1}, {src2} {dpp_ctrl}{row_mask}{bank_mask}{*bound_ctrl fi}"
    );
    layout!(
        DPP8 = VOP2_DPP8,
        [DST, DPP8_0, dpp1(false), VCC_IN, EIGHT],
        "{op} {vdst}, {src0}, {src1}, {src2} {dpp8}"
    );
    layout!(
        DPP8_FI = VOP2_DPP8_FI,
        [DST, DPP8_0, dpp1(false), VCC_IN, EIGHT],
        "{op} {vdst}, {src0}, {src1}, {src2} {dpp8} fi:1"
    );
    layout!(
        SDWA = VOP2_SDWA,
        [DST, sdwa0(&SDWA_FLOAT), sdwa1(&SDWA_FLOAT), VCC_IN, SDWA_CLAMP, DST_SEL, UNUSED, SEL0, SEL1],
        "{op} {vdst}, {src0}, {src1}, {src2}{*clamp}{dst_sel}{dst_unused}{src0_sel}{src1_sel}"
    );
}

/// Sums with carry in and out.
mod carry {
    use super::*;
    layout!(
        E32 = VOP2,
        [DST, VCC_OUT, short0(&W), short1(&Vgpr(1)), VCC_IN],
        "{op} {vdst}, {sdst}, {src0}, {src1}, {src2}"
    );
    layout!(
        E64 = VOP2_LONG,
        [long_dst(&Vgpr(1)), CARRY_OUT, long0(&W), long1(&W), CARRY_IN, CLAMP],
        "{op} {vdst}, {sdst}, {src0}, {src1}, {src2}{*clamp}"
    );
    layout!(
        DPP16 = VOP2_DPP,
        [DST, VCC_OUT, dpp0(false), dpp1(false), VCC_IN, PATTERN, ROW_MASK, BANK_MASK, BOUND, FETCH],
        "{op} {vdst}, {sdst}, {src0}, {src1}, {src2} {dpp_ctrl}{row_mask}{bank_mask}{*bound_ctrl fi}"
    );
    layout!(
        DPP8 = VOP2_DPP8,
        [DST, VCC_OUT, DPP8_0, dpp1(false), VCC_IN, EIGHT],
        "{op} {vdst}, {sdst}, {src0}, {src1}, {src2} {dpp8}"
    );
    layout!(
        DPP8_FI = VOP2_DPP8_FI,
        [DST, VCC_OUT, DPP8_0, dpp1(false), VCC_IN, EIGHT],
        "{op} {vdst}, {sdst}, {src0}, {src1}, {src2} {dpp8} fi:1"
    );
    layout!(
        SDWA = VOP2_SDWA,
        [DST, VCC_OUT, sdwa0(&SDWA_INT), sdwa1(&SDWA_INT), VCC_IN, SDWA_CLAMP, DST_SEL, UNUSED, SEL0, SEL1],
        "{op} {vdst}, {sdst}, {src0}, {src1}, {src2}{*clamp}{dst_sel}{dst_unused}{src0_sel}{src1_sel}"
    );
}

/// Forms without signs and without a long form.
macro_rules! dot {
    ($name:ident, $source:expr) => {
        mod $name {
            use super::*;
            layout!(E32 = VOP2, [ACCUMULATED, short0($source), short1(&Vgpr(1))], "{op} {vdst}, {src0}, {src1}",
                suffix: &[]);
            layout!(DPP16 = VOP2_DPP,
                [ACCUMULATED, dpp0(false), dpp1(false), PATTERN, ROW_MASK, BANK_MASK, BOUND, FETCH],
                "{op} {vdst}, {src0}, {src1} {dpp_ctrl}{row_mask}{bank_mask}{*bound_ctrl fi}");
            layout!(DPP8 = VOP2_DPP8, [ACCUMULATED, DPP8_0, dpp1(false), EIGHT], "{op} {vdst}, {src0}, {src1} {dpp8}");
            layout!(DPP8_FI = VOP2_DPP8_FI, [ACCUMULATED, DPP8_0, dpp1(false), EIGHT],
                "{op} {vdst}, {src0}, {src1} {dpp8} fi:1");
        }
    };
}
dot!(dot_halves, &HH);
dot!(dot_bytes, &W);

/// The forms of one signature: role of the destination, sources of the short form, sources
/// of the long form, whether they have signs, and what changes the result.
macro_rules! binary {
    (@short $role:ident, $plain:expr, $second:expr, $signed0:expr, $signed1:expr, [$($field:expr),*], $tail:literal) => {
        const DST: Field = $role("vdst", at(17..=24), &Vgpr(1), "result");
        layout!(E32 = VOP2, [DST, short0($plain), short1($second)], "{op} {vdst}, {src0}, {src1}");
        layout!(E64 = VOP2_LONG,
            [$role("vdst", at(0..=7), &Vgpr(1), "result"), long0($signed0), long1($signed1), $($field),*],
            concat!("{op} {vdst}, {src0}, {src1}", $tail));
    };
    (@dpp $float0:literal, $float1:literal) => {
        layout!(DPP16 = VOP2_DPP, [DST, dpp0($float0), dpp1($float1), PATTERN, ROW_MASK, BANK_MASK, BOUND, FETCH],
            "{op} {vdst}, {src0}, {src1} {dpp_ctrl}{row_mask}{bank_mask}{*bound_ctrl fi}");
        layout!(DPP8 = VOP2_DPP8, [DST, DPP8_0, dpp1(false), EIGHT], "{op} {vdst}, {src0}, {src1} {dpp8}");
        layout!(DPP8_FI = VOP2_DPP8_FI, [DST, DPP8_0, dpp1(false), EIGHT],
            "{op} {vdst}, {src0}, {src1} {dpp8} fi:1");
    };
    (long $name:ident: $role:ident, $plain:expr, $second:expr, $signed0:expr, $signed1:expr,
     $float0:literal, $float1:literal, [$($field:expr),*], $tail:literal, [$($sdwa:expr),*], $sdwa_tail:literal) => {
        mod $name {
            use super::*;
            binary!(@short $role, $plain, $second, $signed0, $signed1, [$($field),*], $tail);
        }
    };
    (dpp $name:ident: $role:ident, $plain:expr, $second:expr, $signed0:expr, $signed1:expr,
     $float0:literal, $float1:literal, [$($field:expr),*], $tail:literal, [$($sdwa:expr),*], $sdwa_tail:literal) => {
        mod $name {
            use super::*;
            binary!(@short $role, $plain, $second, $signed0, $signed1, [$($field),*], $tail);
            binary!(@dpp $float0, $float1);
        }
    };
    (sdwa $name:ident: $role:ident, $plain:expr, $second:expr, $signed0:expr, $signed1:expr,
     $float0:literal, $float1:literal, [$($field:expr),*], $tail:literal, [$($sdwa:expr),*], $sdwa_tail:literal) => {
        mod $name {
            use super::*;
            binary!(@short $role, $plain, $second, $signed0, $signed1, [$($field),*], $tail);
            binary!(@dpp $float0, $float1);
            layout!(SDWA = VOP2_SDWA,
                [DST, sdwa0(if $float0 { &SDWA_FLOAT } else { &SDWA_INT }),
                 sdwa1(if $float1 { &SDWA_FLOAT } else { &SDWA_INT }), $($sdwa,)* DST_SEL, UNUSED, SEL0, SEL1],
                concat!("{op} {vdst}, {src0}, {src1}", $sdwa_tail, "{dst_sel}{dst_unused}{src0_sel}{src1_sel}"));
        }
    };
}
binary!(sdwa v_ff_co: dst, &W, &Vgpr(1), &F, &F, true, true, [CLAMP, OMOD], "{*clamp omod}", [SDWA_CLAMP, SDWA_OMOD], "{*clamp omod}");
binary!(dpp acc_v_ff_co: inout, &W, &Vgpr(1), &F, &F, true, true, [CLAMP, OMOD], "{*clamp omod}", [SDWA_CLAMP, SDWA_OMOD], "{*clamp omod}");
binary!(sdwa v_ww_c: dst, &W, &Vgpr(1), &W, &W, false, false, [CLAMP], "{*clamp}", [SDWA_CLAMP], "{*clamp}");
binary!(sdwa v_ww: dst, &W, &Vgpr(1), &W, &W, false, false, [], "", [SDWA_CLAMP], "{*clamp}");
binary!(sdwa v_hh_co: dst, &H0, &Vgpr(1), &H, &H, true, true, [CLAMP, OMOD], "{*clamp omod}", [SDWA_CLAMP, SDWA_OMOD], "{*clamp omod}");
binary!(dpp acc_v_hh_co: inout, &H0, &Vgpr(1), &H, &H, true, true, [CLAMP, OMOD], "{*clamp omod}", [SDWA_CLAMP, SDWA_OMOD], "{*clamp omod}");
binary!(sdwa v_he_co: dst, &H0, &Vgpr(1), &H, &E, true, false, [CLAMP, OMOD], "{*clamp omod}", [SDWA_CLAMP, SDWA_OMOD], "{*clamp omod}");
