//! VOP1: one source, also as the long form, DPP and SDWA (spec 4, 6.3, 7).

use super::layout::*;
use super::vector::*;
use crate::operand::register::{Sgpr, Vgpr};
use chiaro_isa::{Format, Length, at, dst, inout, operations, src};

operations! {
    /// Vector operations of one source.
    pub enum Vop1 => ROWS {
        /// No register effect (clear exceptions).
        Nop "v_nop" [NONE 0x00, NONE_LONG 0x00] VECTOR_EMPTY_SLOT AMD;
        /// D = S0.
        MovB32 "v_mov_b32" [v_w::E32 0x01, v_w::E64 0x01, v_w::DPP16 0x01, v_w::DPP8 0x01, v_w::DPP8_FI 0x01, v_w::SDWA 0x01] VECTOR_MOVE AMD;
        /// SGPR D = S0 of the lowest active lane; lane 0 if EXEC = 0.
        ReadfirstlaneB32 "v_readfirstlane_b32" [FIRST_LANE 0x02] VECTOR_MOVE AMD { implicit: READS_EXEC };
        /// Truncate, saturate, NaN -> 0.
        CvtI32F64 "v_cvt_i32_f64" [v_d_co::E32 0x03, v_d_co::E64 0x03] DOUBLE AMD;
        /// Exact.
        CvtF64I32 "v_cvt_f64_i32" [v2_w_co::E32 0x04, v2_w_co::E64 0x04] DOUBLE AMD;
        /// Round by mode.
        CvtF32I32 "v_cvt_f32_i32" [v_w_co::E32 0x05, v_w_co::E64 0x05, v_w_co::DPP16 0x05, v_w_co::DPP8 0x05, v_w_co::DPP8_FI 0x05, v_w_co::SDWA 0x05] VALU32 AMD;
        /// Round by mode.
        CvtF32U32 "v_cvt_f32_u32" [v_w_co::E32 0x06, v_w_co::E64 0x06, v_w_co::DPP16 0x06, v_w_co::DPP8 0x06, v_w_co::DPP8_FI 0x06, v_w_co::SDWA 0x06] VALU32 AMD;
        /// Truncate, saturate, NaN -> 0.
        CvtU32F32 "v_cvt_u32_f32" [v_f_co::E32 0x07, v_f_co::E64 0x07, v_f_co::DPP16 0x07, v_f_co::DPP8 0x07, v_f_co::DPP8_FI 0x07, v_f_co::SDWA 0x07] VALU32 AMD;
        /// Truncate, saturate, NaN -> 0.
        CvtI32F32 "v_cvt_i32_f32" [v_f_co::E32 0x08, v_f_co::E64 0x08, v_f_co::DPP16 0x08, v_f_co::DPP8 0x08, v_f_co::DPP8_FI 0x08, v_f_co::SDWA 0x08] VALU32 AMD;
        /// Round by f16 mode.
        CvtF16F32 "v_cvt_f16_f32" [v_f_co::E32 0x0a, v_f_co::E64 0x0a, v_f_co::DPP16 0x0a, v_f_co::DPP8 0x0a, v_f_co::DPP8_FI 0x0a, v_f_co::SDWA 0x0a] VALU32 AMD;
        /// Exact.
        CvtF32F16 "v_cvt_f32_f16" [v_h_co::E32 0x0b, v_h_co::E64 0x0b, v_h_co::DPP16 0x0b, v_h_co::DPP8 0x0b, v_h_co::DPP8_FI 0x0b, v_h_co::SDWA 0x0b] VALU32 AMD;
        /// Floor(S0+0.5), floor(S0), saturating.
        CvtRpiI32F32 "v_cvt_rpi_i32_f32" [v_f_c::E32 0x0c, v_f_c::E64 0x0c, v_f_c::DPP16 0x0c, v_f_c::DPP8 0x0c, v_f_c::DPP8_FI 0x0c, v_f_c::SDWA 0x0c] VALU32 AMD;
        /// Floor(S0+0.5), floor(S0), saturating.
        CvtFlrI32F32 "v_cvt_flr_i32_f32" [v_f_c::E32 0x0d, v_f_c::E64 0x0d, v_f_c::DPP16 0x0d, v_f_c::DPP8 0x0d, v_f_c::DPP8_FI 0x0d, v_f_c::SDWA 0x0d] VALU32 AMD;
        /// S0[3:0] as signed nibble / 16.
        CvtOffF32I4 "v_cvt_off_f32_i4" [v_w_co::E32 0x0e, v_w_co::E64 0x0e, v_w_co::DPP16 0x0e, v_w_co::DPP8 0x0e, v_w_co::DPP8_FI 0x0e, v_w_co::SDWA 0x0e] VALU32 AMD;
        /// Conversion, doubles.
        CvtF32F64 "v_cvt_f32_f64" [v_d_co::E32 0x0f, v_d_co::E64 0x0f] DOUBLE AMD;
        /// Conversion, floats.
        CvtF64F32 "v_cvt_f64_f32" [v2_f_co::E32 0x10, v2_f_co::E64 0x10] DOUBLE AMD;
        /// Byte n to float.
        CvtF32Ubyte0 "v_cvt_f32_ubyte0" [v_w_co::E32 0x11, v_w_co::E64 0x11, v_w_co::DPP16 0x11, v_w_co::DPP8 0x11, v_w_co::DPP8_FI 0x11, v_w_co::SDWA 0x11] VALU32 AMD;
        /// Byte n to float.
        CvtF32Ubyte1 "v_cvt_f32_ubyte1" [v_w_co::E32 0x12, v_w_co::E64 0x12, v_w_co::DPP16 0x12, v_w_co::DPP8 0x12, v_w_co::DPP8_FI 0x12, v_w_co::SDWA 0x12] VALU32 AMD;
        /// Byte n to float.
        CvtF32Ubyte2 "v_cvt_f32_ubyte2" [v_w_co::E32 0x13, v_w_co::E64 0x13, v_w_co::DPP16 0x13, v_w_co::DPP8 0x13, v_w_co::DPP8_FI 0x13, v_w_co::SDWA 0x13] VALU32 AMD;
        /// Byte n to float.
        CvtF32Ubyte3 "v_cvt_f32_ubyte3" [v_w_co::E32 0x14, v_w_co::E64 0x14, v_w_co::DPP16 0x14, v_w_co::DPP8 0x14, v_w_co::DPP8_FI 0x14, v_w_co::SDWA 0x14] VALU32 AMD;
        /// Truncate, saturate, NaN -> 0.
        CvtU32F64 "v_cvt_u32_f64" [v_d_co::E32 0x15, v_d_co::E64 0x15] DOUBLE AMD;
        /// Exact.
        CvtF64U32 "v_cvt_f64_u32" [v2_w_co::E32 0x16, v2_w_co::E64 0x16] DOUBLE AMD;
        /// Rounded toward zero, doubles.
        TruncF64 "v_trunc_f64" [v2_d_co::E32 0x17, v2_d_co::E64 0x17] DOUBLE AMD;
        /// Rounded up, doubles.
        CeilF64 "v_ceil_f64" [v2_d_co::E32 0x18, v2_d_co::E64 0x18] DOUBLE AMD;
        /// Rounded to the nearest, ties to even, doubles.
        RndneF64 "v_rndne_f64" [v2_d_co::E32 0x19, v2_d_co::E64 0x19] DOUBLE AMD;
        /// Rounded down, doubles.
        FloorF64 "v_floor_f64" [v2_d_co::E32 0x1a, v2_d_co::E64 0x1a] DOUBLE AMD;
        /// No register effect (clear exceptions).
        Pipeflush "v_pipeflush" [NONE 0x1b, NONE_LONG 0x1b] VALU32 AMD;
        /// Fract = S0 - floor(S0), clamped below 1.0.
        FractF32 "v_fract_f32" [v_f_co::E32 0x20, v_f_co::E64 0x20, v_f_co::DPP16 0x20, v_f_co::DPP8 0x20, v_f_co::DPP8_FI 0x20, v_f_co::SDWA 0x20] VALU32 AMD;
        /// Fract = S0 - floor(S0), clamped below 1.0.
        TruncF32 "v_trunc_f32" [v_f_co::E32 0x21, v_f_co::E64 0x21, v_f_co::DPP16 0x21, v_f_co::DPP8 0x21, v_f_co::DPP8_FI 0x21, v_f_co::SDWA 0x21] VALU32 AMD;
        /// Fract = S0 - floor(S0), clamped below 1.0.
        CeilF32 "v_ceil_f32" [v_f_co::E32 0x22, v_f_co::E64 0x22, v_f_co::DPP16 0x22, v_f_co::DPP8 0x22, v_f_co::DPP8_FI 0x22, v_f_co::SDWA 0x22] VALU32 AMD;
        /// Fract = S0 - floor(S0), clamped below 1.0.
        RndneF32 "v_rndne_f32" [v_f_co::E32 0x23, v_f_co::E64 0x23, v_f_co::DPP16 0x23, v_f_co::DPP8 0x23, v_f_co::DPP8_FI 0x23, v_f_co::SDWA 0x23] VALU32 AMD;
        /// Fract = S0 - floor(S0), clamped below 1.0.
        FloorF32 "v_floor_f32" [v_f_co::E32 0x24, v_f_co::E64 0x24, v_f_co::DPP16 0x24, v_f_co::DPP8 0x24, v_f_co::DPP8_FI 0x24, v_f_co::SDWA 0x24] VALU32 AMD;
        /// 2^x.
        ExpF32 "v_exp_f32" [v_f_co::E32 0x25, v_f_co::E64 0x25, v_f_co::DPP16 0x25, v_f_co::DPP8 0x25, v_f_co::DPP8_FI 0x25, v_f_co::SDWA 0x25] TRANS AMD;
        /// Log2 x.
        LogF32 "v_log_f32" [v_f_co::E32 0x27, v_f_co::E64 0x27, v_f_co::DPP16 0x27, v_f_co::DPP8 0x27, v_f_co::DPP8_FI 0x27, v_f_co::SDWA 0x27] TRANS AMD;
        /// Iflag: only raises the integer divide-by-zero flag.
        RcpF32 "v_rcp_f32" [v_f_co::E32 0x2a, v_f_co::E64 0x2a, v_f_co::DPP16 0x2a, v_f_co::DPP8 0x2a, v_f_co::DPP8_FI 0x2a, v_f_co::SDWA 0x2a] TRANS AMD;
        /// Iflag: only raises the integer divide-by-zero flag.
        RcpIflagF32 "v_rcp_iflag_f32" [v_f_co::E32 0x2b, v_f_co::E64 0x2b, v_f_co::DPP16 0x2b, v_f_co::DPP8 0x2b, v_f_co::DPP8_FI 0x2b, v_f_co::SDWA 0x2b] TRANS AMD;
        /// Iflag: only raises the integer divide-by-zero flag.
        RsqF32 "v_rsq_f32" [v_f_co::E32 0x2e, v_f_co::E64 0x2e, v_f_co::DPP16 0x2e, v_f_co::DPP8 0x2e, v_f_co::DPP8_FI 0x2e, v_f_co::SDWA 0x2e] TRANS AMD;
        /// Approximate (about 2^-28 relative): refine.
        RcpF64 "v_rcp_f64" [v2_d_co::E32 0x2f, v2_d_co::E64 0x2f] DOUBLE_TRANS AMD;
        /// Approximate (about 2^-28 relative): refine.
        RsqF64 "v_rsq_f64" [v2_d_co::E32 0x31, v2_d_co::E64 0x31] DOUBLE_TRANS AMD;
        /// Square root, floats.
        SqrtF32 "v_sqrt_f32" [v_f_co::E32 0x33, v_f_co::E64 0x33, v_f_co::DPP16 0x33, v_f_co::DPP8 0x33, v_f_co::DPP8_FI 0x33, v_f_co::SDWA 0x33] TRANS AMD;
        /// Approximate (about 2^-28 relative): refine.
        SqrtF64 "v_sqrt_f64" [v2_d_co::E32 0x34, v2_d_co::E64 0x34] DOUBLE_TRANS AMD;
        /// Of 2*pi*S0.
        SinF32 "v_sin_f32" [v_f_co::E32 0x35, v_f_co::E64 0x35, v_f_co::DPP16 0x35, v_f_co::DPP8 0x35, v_f_co::DPP8_FI 0x35, v_f_co::SDWA 0x35] TRANS AMD;
        /// Of 2*pi*S0.
        CosF32 "v_cos_f32" [v_f_co::E32 0x36, v_f_co::E64 0x36, v_f_co::DPP16 0x36, v_f_co::DPP8 0x36, v_f_co::DPP8_FI 0x36, v_f_co::SDWA 0x36] TRANS AMD;
        /// Complement.
        NotB32 "v_not_b32" [v_w::E32 0x37, v_w::E64 0x37, v_w::DPP16 0x37, v_w::DPP8 0x37, v_w::DPP8_FI 0x37, v_w::SDWA 0x37] VALU32 AMD;
        /// Bits in reverse order.
        BfrevB32 "v_bfrev_b32" [v_w::E32 0x38, v_w::E64 0x38, v_w::DPP16 0x38, v_w::DPP8 0x38, v_w::DPP8_FI 0x38, v_w::SDWA 0x38] VALU32 AMD;
        /// Leading zero count / index of first bit differing from sign.
        FfbhU32 "v_ffbh_u32" [v_w::E32 0x39, v_w::E64 0x39, v_w::DPP16 0x39, v_w::DPP8 0x39, v_w::DPP8_FI 0x39, v_w::SDWA 0x39] VALU32 AMD;
        /// Lowest set bit; -1 if none.
        FfblB32 "v_ffbl_b32" [v_w::E32 0x3a, v_w::E64 0x3a, v_w::DPP16 0x3a, v_w::DPP8 0x3a, v_w::DPP8_FI 0x3a, v_w::SDWA 0x3a] VALU32 AMD;
        /// -1 if none.
        FfbhI32 "v_ffbh_i32" [v_w::E32 0x3b, v_w::E64 0x3b, v_w::DPP16 0x3b, v_w::DPP8 0x3b, v_w::DPP8_FI 0x3b, v_w::SDWA 0x3b] VALU32 AMD;
        /// Exponent e with S0 = m*2^e, 0.5 <= abs(m) < 1.
        FrexpExpI32F64 "v_frexp_exp_i32_f64" [v_d_co::E32 0x3c, v_d_co::E64 0x3c] DOUBLE AMD;
        /// That m.
        FrexpMantF64 "v_frexp_mant_f64" [v2_d_co::E32 0x3d, v2_d_co::E64 0x3d] DOUBLE AMD;
        /// Fraction, doubles.
        FractF64 "v_fract_f64" [v2_d_co::E32 0x3e, v2_d_co::E64 0x3e] DOUBLE AMD;
        /// 0 for zero, inf, NaN.
        FrexpExpI32F32 "v_frexp_exp_i32_f32" [v_f_c::E32 0x3f, v_f_c::E64 0x3f, v_f_c::DPP16 0x3f, v_f_c::DPP8 0x3f, v_f_c::DPP8_FI 0x3f, v_f_c::SDWA 0x3f] VALU32 AMD;
        /// Inf/NaN/zero unchanged.
        FrexpMantF32 "v_frexp_mant_f32" [v_f_co::E32 0x40, v_f_co::E64 0x40, v_f_co::DPP16 0x40, v_f_co::DPP8 0x40, v_f_co::DPP8_FI 0x40, v_f_co::SDWA 0x40] VALU32 AMD;
        /// No register effect (clear exceptions).
        Clrexcp "v_clrexcp" [NONE 0x41, NONE_LONG 0x41] VALU32 AMD;
        /// VGPR index + M0 on destination / source / both / both with M0[25:16] and M0[9:0].
        MovreldB32 "v_movreld_b32" [v_w::E32 0x42, v_w::E64 0x42, v_w::DPP16 0x42, v_w::DPP8 0x42, v_w::DPP8_FI 0x42, v_w::SDWA 0x42] VECTOR_MOVE AMD { implicit: READS_M0 };
        /// VGPR index + M0 on destination / source / both / both with M0[25:16] and M0[9:0].
        MovrelsB32 "v_movrels_b32" [v_v::E32 0x43, v_v::E64 0x43, v_v::DPP16 0x43, v_v::DPP8 0x43, v_v::DPP8_FI 0x43, v_v::SDWA 0x43] VECTOR_MOVE AMD { implicit: READS_M0 };
        /// VGPR index + M0 on destination / source / both / both with M0[25:16] and M0[9:0].
        MovrelsdB32 "v_movrelsd_b32" [v_v::E32 0x44, v_v::E64 0x44, v_v::DPP16 0x44, v_v::DPP8 0x44, v_v::DPP8_FI 0x44, v_v::SDWA 0x44] VECTOR_MOVE AMD { implicit: READS_M0 };
        /// VGPR index + M0 on destination / source / both / both with M0[25:16] and M0[9:0].
        Movrelsd2B32 "v_movrelsd_2_b32" [v_v::E32 0x48, v_v::E64 0x48, v_v::DPP16 0x48, v_v::DPP8 0x48, v_v::DPP8_FI 0x48, v_v::SDWA 0x48] VECTOR_MOVE AMD { implicit: READS_M0 };
        /// Conversion, unsigned shorts.
        CvtF16U16 "v_cvt_f16_u16" [v_s_co::E32 0x50, v_s_co::E64 0x50, v_s_co::DPP16 0x50, v_s_co::DPP8 0x50, v_s_co::DPP8_FI 0x50, v_s_co::SDWA 0x50] VALU32 AMD;
        /// Conversion, signed shorts.
        CvtF16I16 "v_cvt_f16_i16" [v_s_co::E32 0x51, v_s_co::E64 0x51, v_s_co::DPP16 0x51, v_s_co::DPP8 0x51, v_s_co::DPP8_FI 0x51, v_s_co::SDWA 0x51] VALU32 AMD;
        /// Truncate, saturate, NaN -> 0.
        CvtU16F16 "v_cvt_u16_f16" [v_h_co::E32 0x52, v_h_co::E64 0x52, v_h_co::DPP16 0x52, v_h_co::DPP8 0x52, v_h_co::DPP8_FI 0x52, v_h_co::SDWA 0x52] VALU32 AMD;
        /// Truncate, saturate, NaN -> 0.
        CvtI16F16 "v_cvt_i16_f16" [v_h_co::E32 0x53, v_h_co::E64 0x53, v_h_co::DPP16 0x53, v_h_co::DPP8 0x53, v_h_co::DPP8_FI 0x53, v_h_co::SDWA 0x53] VALU32 AMD;
        /// Reciprocal, half floats.
        RcpF16 "v_rcp_f16" [v_h_co::E32 0x54, v_h_co::E64 0x54, v_h_co::DPP16 0x54, v_h_co::DPP8 0x54, v_h_co::DPP8_FI 0x54, v_h_co::SDWA 0x54] TRANS AMD;
        /// Square root, half floats.
        SqrtF16 "v_sqrt_f16" [v_h_co::E32 0x55, v_h_co::E64 0x55, v_h_co::DPP16 0x55, v_h_co::DPP8 0x55, v_h_co::DPP8_FI 0x55, v_h_co::SDWA 0x55] TRANS AMD;
        /// Reciprocal of the square root, half floats.
        RsqF16 "v_rsq_f16" [v_h_co::E32 0x56, v_h_co::E64 0x56, v_h_co::DPP16 0x56, v_h_co::DPP8 0x56, v_h_co::DPP8_FI 0x56, v_h_co::SDWA 0x56] TRANS AMD;
        /// Logarithm to base two, half floats.
        LogF16 "v_log_f16" [v_h_co::E32 0x57, v_h_co::E64 0x57, v_h_co::DPP16 0x57, v_h_co::DPP8 0x57, v_h_co::DPP8_FI 0x57, v_h_co::SDWA 0x57] TRANS AMD;
        /// Two to the power, half floats.
        ExpF16 "v_exp_f16" [v_h_co::E32 0x58, v_h_co::E64 0x58, v_h_co::DPP16 0x58, v_h_co::DPP8 0x58, v_h_co::DPP8_FI 0x58, v_h_co::SDWA 0x58] TRANS AMD;
        /// Mantissa m of m * 2^e with 0.5 <= abs(m) < 1; infinity, NaN and zero unchanged.
        FrexpMantF16 "v_frexp_mant_f16" [v_h_co::E32 0x59, v_h_co::E64 0x59, v_h_co::DPP16 0x59, v_h_co::DPP8 0x59, v_h_co::DPP8_FI 0x59, v_h_co::SDWA 0x59] VALU32 AMD;
        /// Exponent e of m * 2^e with 0.5 <= abs(m) < 1; 0 for zero, infinity and NaN.
        FrexpExpI16F16 "v_frexp_exp_i16_f16" [v_h_co::E32 0x5a, v_h_co::E64 0x5a, v_h_co::DPP16 0x5a, v_h_co::DPP8 0x5a, v_h_co::DPP8_FI 0x5a, v_h_co::SDWA 0x5a] VALU32 AMD;
        /// Rounded down, half floats.
        FloorF16 "v_floor_f16" [v_h_co::E32 0x5b, v_h_co::E64 0x5b, v_h_co::DPP16 0x5b, v_h_co::DPP8 0x5b, v_h_co::DPP8_FI 0x5b, v_h_co::SDWA 0x5b] VALU32 AMD;
        /// Rounded up, half floats.
        CeilF16 "v_ceil_f16" [v_h_co::E32 0x5c, v_h_co::E64 0x5c, v_h_co::DPP16 0x5c, v_h_co::DPP8 0x5c, v_h_co::DPP8_FI 0x5c, v_h_co::SDWA 0x5c] VALU32 AMD;
        /// Rounded toward zero, half floats.
        TruncF16 "v_trunc_f16" [v_h_co::E32 0x5d, v_h_co::E64 0x5d, v_h_co::DPP16 0x5d, v_h_co::DPP8 0x5d, v_h_co::DPP8_FI 0x5d, v_h_co::SDWA 0x5d] VALU32 AMD;
        /// Rounded to the nearest, ties to even, half floats.
        RndneF16 "v_rndne_f16" [v_h_co::E32 0x5e, v_h_co::E64 0x5e, v_h_co::DPP16 0x5e, v_h_co::DPP8 0x5e, v_h_co::DPP8_FI 0x5e, v_h_co::SDWA 0x5e] VALU32 AMD;
        /// Fraction, half floats.
        FractF16 "v_fract_f16" [v_h_co::E32 0x5f, v_h_co::E64 0x5f, v_h_co::DPP16 0x5f, v_h_co::DPP8 0x5f, v_h_co::DPP8_FI 0x5f, v_h_co::SDWA 0x5f] VALU32 AMD;
        /// Sine of 2 pi times the source, half floats.
        SinF16 "v_sin_f16" [v_h_co::E32 0x60, v_h_co::E64 0x60, v_h_co::DPP16 0x60, v_h_co::DPP8 0x60, v_h_co::DPP8_FI 0x60, v_h_co::SDWA 0x60] TRANS AMD;
        /// Cosine of 2 pi times the source, half floats.
        CosF16 "v_cos_f16" [v_h_co::E32 0x61, v_h_co::E64 0x61, v_h_co::DPP16 0x61, v_h_co::DPP8 0x61, v_h_co::DPP8_FI 0x61, v_h_co::SDWA 0x61] TRANS AMD;
        /// Two signed 16-bit halves clamped to 0..255, packed into D[15:0].
        SatPkU8I16 "v_sat_pk_u8_i16" [v_w::E32 0x62, v_w::E64 0x62, v_w::DPP16 0x62, v_w::DPP8 0x62, v_w::DPP8_FI 0x62, v_w::SDWA 0x62] VALU32 AMD;
        /// Clamp to [-1,1] / [0,1], scale 32767 / 65535, round to nearest even (rounding mode dependence unknown).
        CvtNormI16F16 "v_cvt_norm_i16_f16" [v_h_co::E32 0x63, v_h_co::E64 0x63, v_h_co::DPP16 0x63, v_h_co::DPP8 0x63, v_h_co::DPP8_FI 0x63, v_h_co::SDWA 0x63] VALU32 AMD;
        /// Clamp to [-1,1] / [0,1], scale 32767 / 65535, round to nearest even (rounding mode dependence unknown).
        CvtNormU16F16 "v_cvt_norm_u16_f16" [v_h_co::E32 0x64, v_h_co::E64 0x64, v_h_co::DPP16 0x64, v_h_co::DPP8 0x64, v_h_co::DPP8_FI 0x64, v_h_co::SDWA 0x64] VALU32 AMD;
        /// Exchange D and S0 (both VGPRs).
        SwapB32 "v_swap_b32" [SWAP 0x65] VECTOR_MOVE AMD;
        /// Exchange with M0[25:16], M0[9:0] added.
        SwaprelB32 "v_swaprel_b32" [SWAP 0x68] VECTOR_MOVE AMD { implicit: READS_M0 };
    }
}

const VOP1: Format = Format {
    name: "VOP1",
    length: Length::Literal { asked: &[(at(0..=8), LITERAL)], short: 4, long: 8 },
    opcode: at(9..=16),
    fixed: &[(at(25..=31), 0x3f)],
    suffix: &["_e32"],
    ..Format::EMPTY
};
/// The long forms stand 0x180 above the short ones.
const VOP1_LONG: Format = Format {
    opcode: at(16..=22),
    fixed: &[(at(26..=31), 0x35), (at(23..=25), 3)],
    suffix: &["_e64", "_e64"],
    ..LONG1
};
const VOP1_DPP: Format = Format {
    name: "VOP1 DPP",
    length: Length::Bytes(8),
    fixed: &[(at(25..=31), 0x3f), (at(0..=8), DPP16)],
    suffix: &["_dpp"],
    ..VOP1
};
const VOP1_DPP8: Format = Format { fixed: &[(at(25..=31), 0x3f), (at(0..=8), DPP8)], ..VOP1_DPP };
const VOP1_DPP8_FI: Format = Format { fixed: &[(at(25..=31), 0x3f), (at(0..=8), DPP8_FI)], ..VOP1_DPP };
const VOP1_SDWA: Format = Format {
    name: "VOP1 SDWA",
    fixed: &[(at(25..=31), 0x3f), (at(0..=8), SDWA)],
    suffix: &["_sdwa"],
    ..VOP1_DPP
};

layout!(NONE = VOP1, [], "{op}", length: Length::Bytes(4), suffix: &[]);
// LLVM prints this one like the short form; with a name of its own no listing loses it.
layout!(
    NONE_LONG = VOP1_LONG,
    [],
    "{op}",
    length: Length::Bytes(8),
    fixed: &[(at(26..=31), 0x35), (at(23..=25), 3), (at(0..=15), 0), (at(32..=63), 0)],
);
layout!(
    FIRST_LANE = VOP1,
    [dst("vdst", at(17..=24), &Sgpr(1), "result"), src("src0", at(0..=8), &V, "what the lane holds")],
    "{op} {vdst}, {src0}",
    length: Length::Bytes(4),
    suffix: &[],
);
layout!(
    SWAP = VOP1,
    [
        inout("vdst", at(17..=24), &Vgpr(1), "exchanged"),
        inout("src0", at(0..=8), &V, "exchanged with it"),
    ],
    "{op} {vdst}, {src0}",
    length: Length::Bytes(4),
    suffix: &[],
);

/// The forms of one signature: destination, source without and with signs, whether it has
/// signs, and what changes the result in the long form and in SDWA.
macro_rules! unary {
    (long $name:ident: $dst:expr, $plain:expr, $signed:expr, $float:literal, [$($field:expr),*], $tail:literal,
     [$($sdwa:expr),*], $sdwa_tail:literal) => {
        mod $name {
            use super::*;
            layout!(E32 = VOP1, [short_dst($dst), short0($plain)], "{op} {vdst}, {src0}");
            layout!(E64 = VOP1_LONG, [long_dst($dst), long0($signed), $($field),*],
                concat!("{op} {vdst}, {src0}", $tail));
        }
    };
    (short $name:ident: $dst:expr, $plain:expr, $signed:expr, $float:literal, [$($field:expr),*], $tail:literal,
     [$($sdwa:expr),*], $sdwa_tail:literal) => {
        mod $name {
            use super::*;
            layout!(E32 = VOP1, [short_dst($dst), short0($plain)], "{op} {vdst}, {src0}");
            layout!(E64 = VOP1_LONG, [long_dst($dst), long0($signed), $($field),*],
                concat!("{op} {vdst}, {src0}", $tail));
            layout!(DPP16 = VOP1_DPP, [short_dst($dst), dpp0($float), PATTERN, ROW_MASK, BANK_MASK, BOUND, FETCH],
                "{op} {vdst}, {src0} {dpp_ctrl}{row_mask}{bank_mask}{*bound_ctrl fi}");
            layout!(DPP8 = VOP1_DPP8, [short_dst($dst), DPP8_0, EIGHT], "{op} {vdst}, {src0} {dpp8}");
            layout!(DPP8_FI = VOP1_DPP8_FI, [short_dst($dst), DPP8_0, EIGHT], "{op} {vdst}, {src0} {dpp8} fi:1");
            layout!(SDWA = VOP1_SDWA,
                [short_dst($dst), sdwa0(if $float { &SDWA_FLOAT } else { &SDWA_INT }), $($sdwa,)* DST_SEL, UNUSED, SEL0],
                concat!("{op} {vdst}, {src0}", $sdwa_tail, "{dst_sel}{dst_unused}{src0_sel}"));
        }
    };
}
unary!(short v_w: &Vgpr(1), &W, &W, false, [], "", [SDWA_CLAMP], "{*clamp}");
unary!(long v_d_co: &Vgpr(1), &D0, &D, true, [CLAMP, OMOD], "{*clamp omod}", [SDWA_CLAMP, SDWA_OMOD], "{*clamp omod}");
unary!(long v2_w_co: &Vgpr(2), &W, &W, false, [CLAMP, OMOD], "{*clamp omod}", [SDWA_CLAMP, SDWA_OMOD], "{*clamp omod}");
unary!(short v_w_co: &Vgpr(1), &W, &W, false, [CLAMP, OMOD], "{*clamp omod}", [SDWA_CLAMP, SDWA_OMOD], "{*clamp omod}");
unary!(short v_f_co: &Vgpr(1), &W, &F, true, [CLAMP, OMOD], "{*clamp omod}", [SDWA_CLAMP, SDWA_OMOD], "{*clamp omod}");
unary!(short v_h_co: &Vgpr(1), &H0, &H, true, [CLAMP, OMOD], "{*clamp omod}", [SDWA_CLAMP, SDWA_OMOD], "{*clamp omod}");
unary!(short v_f_c: &Vgpr(1), &W, &F, true, [CLAMP], "{*clamp}", [SDWA_CLAMP], "{*clamp}");
unary!(long v2_f_co: &Vgpr(2), &W, &F, true, [CLAMP, OMOD], "{*clamp omod}", [SDWA_CLAMP, SDWA_OMOD], "{*clamp omod}");
unary!(long v2_d_co: &Vgpr(2), &D0, &D, true, [CLAMP, OMOD], "{*clamp omod}", [SDWA_CLAMP, SDWA_OMOD], "{*clamp omod}");
unary!(short v_v: &Vgpr(1), &V, &V, false, [], "", [SDWA_CLAMP], "{*clamp}");
unary!(short v_s_co: &Vgpr(1), &S, &S, false, [CLAMP, OMOD], "{*clamp omod}", [SDWA_CLAMP, SDWA_OMOD], "{*clamp omod}");
