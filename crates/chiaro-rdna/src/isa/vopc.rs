//! VOPC: comparisons, also as the long form and SDWA (spec 4, 6.5, 7).

use super::layout::*;
use super::vector::*;
use crate::operand::dpp::SdwaMask;
use crate::operand::register::{Vcc, Vgpr};
use chiaro_isa::{Bits, Field, Format, Length, at, dst, operations};

operations! {
    /// Comparisons: `cmp` gives a bit for each lane, `cmpx` decides which lanes run on.
    pub enum Vopc => ROWS {
        /// Compares floats: never.
        CmpFF32 "v_cmp_f_f32" [mask_ff_c::E32 0x00, mask_ff_c::E64 0x00, mask_ff_c::SDWA 0x00] VALU32 AMD;
        /// Compares floats: less.
        CmpLtF32 "v_cmp_lt_f32" [mask_ff_c::E32 0x01, mask_ff_c::E64 0x01, mask_ff_c::SDWA 0x01] VALU32 AMD;
        /// Compares floats: equal.
        CmpEqF32 "v_cmp_eq_f32" [mask_ff_c::E32 0x02, mask_ff_c::E64 0x02, mask_ff_c::SDWA 0x02] VALU32 AMD;
        /// Compares floats: less or equal.
        CmpLeF32 "v_cmp_le_f32" [mask_ff_c::E32 0x03, mask_ff_c::E64 0x03, mask_ff_c::SDWA 0x03] VALU32 AMD;
        /// Compares floats: greater.
        CmpGtF32 "v_cmp_gt_f32" [mask_ff_c::E32 0x04, mask_ff_c::E64 0x04, mask_ff_c::SDWA 0x04] VALU32 AMD;
        /// Compares floats: less or greater.
        CmpLgF32 "v_cmp_lg_f32" [mask_ff_c::E32 0x05, mask_ff_c::E64 0x05, mask_ff_c::SDWA 0x05] VALU32 AMD;
        /// Compares floats: greater or equal.
        CmpGeF32 "v_cmp_ge_f32" [mask_ff_c::E32 0x06, mask_ff_c::E64 0x06, mask_ff_c::SDWA 0x06] VALU32 AMD;
        /// Compares floats: both are numbers.
        CmpOF32 "v_cmp_o_f32" [mask_ff_c::E32 0x07, mask_ff_c::E64 0x07, mask_ff_c::SDWA 0x07] VALU32 AMD;
        /// Compares floats: one is not a number.
        CmpUF32 "v_cmp_u_f32" [mask_ff_c::E32 0x08, mask_ff_c::E64 0x08, mask_ff_c::SDWA 0x08] VALU32 AMD;
        /// Compares floats: not greater or equal.
        CmpNgeF32 "v_cmp_nge_f32" [mask_ff_c::E32 0x09, mask_ff_c::E64 0x09, mask_ff_c::SDWA 0x09] VALU32 AMD;
        /// Compares floats: not less or greater.
        CmpNlgF32 "v_cmp_nlg_f32" [mask_ff_c::E32 0x0a, mask_ff_c::E64 0x0a, mask_ff_c::SDWA 0x0a] VALU32 AMD;
        /// Compares floats: not greater.
        CmpNgtF32 "v_cmp_ngt_f32" [mask_ff_c::E32 0x0b, mask_ff_c::E64 0x0b, mask_ff_c::SDWA 0x0b] VALU32 AMD;
        /// Compares floats: not less or equal.
        CmpNleF32 "v_cmp_nle_f32" [mask_ff_c::E32 0x0c, mask_ff_c::E64 0x0c, mask_ff_c::SDWA 0x0c] VALU32 AMD;
        /// Compares floats: not equal.
        CmpNeqF32 "v_cmp_neq_f32" [mask_ff_c::E32 0x0d, mask_ff_c::E64 0x0d, mask_ff_c::SDWA 0x0d] VALU32 AMD;
        /// Compares floats: not less.
        CmpNltF32 "v_cmp_nlt_f32" [mask_ff_c::E32 0x0e, mask_ff_c::E64 0x0e, mask_ff_c::SDWA 0x0e] VALU32 AMD;
        /// Compares floats: always.
        CmpTruF32 "v_cmp_tru_f32" [mask_ff_c::E32 0x0f, mask_ff_c::E64 0x0f, mask_ff_c::SDWA 0x0f] VALU32 AMD;
        /// Compares floats: never; the lanes that pass run on.
        CmpxFF32 "v_cmpx_f_f32" [lanes_ff_c::E32 0x10, lanes_ff_c::E64 0x10, lanes_ff_c::SDWA 0x10] VALU32 AMD { implicit: EXEC };
        /// Compares floats: less; the lanes that pass run on.
        CmpxLtF32 "v_cmpx_lt_f32" [lanes_ff_c::E32 0x11, lanes_ff_c::E64 0x11, lanes_ff_c::SDWA 0x11] VALU32 AMD { implicit: EXEC };
        /// Compares floats: equal; the lanes that pass run on.
        CmpxEqF32 "v_cmpx_eq_f32" [lanes_ff_c::E32 0x12, lanes_ff_c::E64 0x12, lanes_ff_c::SDWA 0x12] VALU32 AMD { implicit: EXEC };
        /// Compares floats: less or equal; the lanes that pass run on.
        CmpxLeF32 "v_cmpx_le_f32" [lanes_ff_c::E32 0x13, lanes_ff_c::E64 0x13, lanes_ff_c::SDWA 0x13] VALU32 AMD { implicit: EXEC };
        /// Compares floats: greater; the lanes that pass run on.
        CmpxGtF32 "v_cmpx_gt_f32" [lanes_ff_c::E32 0x14, lanes_ff_c::E64 0x14, lanes_ff_c::SDWA 0x14] VALU32 AMD { implicit: EXEC };
        /// Compares floats: less or greater; the lanes that pass run on.
        CmpxLgF32 "v_cmpx_lg_f32" [lanes_ff_c::E32 0x15, lanes_ff_c::E64 0x15, lanes_ff_c::SDWA 0x15] VALU32 AMD { implicit: EXEC };
        /// Compares floats: greater or equal; the lanes that pass run on.
        CmpxGeF32 "v_cmpx_ge_f32" [lanes_ff_c::E32 0x16, lanes_ff_c::E64 0x16, lanes_ff_c::SDWA 0x16] VALU32 AMD { implicit: EXEC };
        /// Compares floats: both are numbers; the lanes that pass run on.
        CmpxOF32 "v_cmpx_o_f32" [lanes_ff_c::E32 0x17, lanes_ff_c::E64 0x17, lanes_ff_c::SDWA 0x17] VALU32 AMD { implicit: EXEC };
        /// Compares floats: one is not a number; the lanes that pass run on.
        CmpxUF32 "v_cmpx_u_f32" [lanes_ff_c::E32 0x18, lanes_ff_c::E64 0x18, lanes_ff_c::SDWA 0x18] VALU32 AMD { implicit: EXEC };
        /// Compares floats: not greater or equal; the lanes that pass run on.
        CmpxNgeF32 "v_cmpx_nge_f32" [lanes_ff_c::E32 0x19, lanes_ff_c::E64 0x19, lanes_ff_c::SDWA 0x19] VALU32 AMD { implicit: EXEC };
        /// Compares floats: not less or greater; the lanes that pass run on.
        CmpxNlgF32 "v_cmpx_nlg_f32" [lanes_ff_c::E32 0x1a, lanes_ff_c::E64 0x1a, lanes_ff_c::SDWA 0x1a] VALU32 AMD { implicit: EXEC };
        /// Compares floats: not greater; the lanes that pass run on.
        CmpxNgtF32 "v_cmpx_ngt_f32" [lanes_ff_c::E32 0x1b, lanes_ff_c::E64 0x1b, lanes_ff_c::SDWA 0x1b] VALU32 AMD { implicit: EXEC };
        /// Compares floats: not less or equal; the lanes that pass run on.
        CmpxNleF32 "v_cmpx_nle_f32" [lanes_ff_c::E32 0x1c, lanes_ff_c::E64 0x1c, lanes_ff_c::SDWA 0x1c] VALU32 AMD { implicit: EXEC };
        /// Compares floats: not equal; the lanes that pass run on.
        CmpxNeqF32 "v_cmpx_neq_f32" [lanes_ff_c::E32 0x1d, lanes_ff_c::E64 0x1d, lanes_ff_c::SDWA 0x1d] VALU32 AMD { implicit: EXEC };
        /// Compares floats: not less; the lanes that pass run on.
        CmpxNltF32 "v_cmpx_nlt_f32" [lanes_ff_c::E32 0x1e, lanes_ff_c::E64 0x1e, lanes_ff_c::SDWA 0x1e] VALU32 AMD { implicit: EXEC };
        /// Compares floats: always; the lanes that pass run on.
        CmpxTruF32 "v_cmpx_tru_f32" [lanes_ff_c::E32 0x1f, lanes_ff_c::E64 0x1f, lanes_ff_c::SDWA 0x1f] VALU32 AMD { implicit: EXEC };
        /// Compares doubles: never.
        CmpFF64 "v_cmp_f_f64" [mask_dd_c::E32 0x20, mask_dd_c::E64 0x20] DOUBLE AMD;
        /// Compares doubles: less.
        CmpLtF64 "v_cmp_lt_f64" [mask_dd_c::E32 0x21, mask_dd_c::E64 0x21] DOUBLE AMD;
        /// Compares doubles: equal.
        CmpEqF64 "v_cmp_eq_f64" [mask_dd_c::E32 0x22, mask_dd_c::E64 0x22] DOUBLE AMD;
        /// Compares doubles: less or equal.
        CmpLeF64 "v_cmp_le_f64" [mask_dd_c::E32 0x23, mask_dd_c::E64 0x23] DOUBLE AMD;
        /// Compares doubles: greater.
        CmpGtF64 "v_cmp_gt_f64" [mask_dd_c::E32 0x24, mask_dd_c::E64 0x24] DOUBLE AMD;
        /// Compares doubles: less or greater.
        CmpLgF64 "v_cmp_lg_f64" [mask_dd_c::E32 0x25, mask_dd_c::E64 0x25] DOUBLE AMD;
        /// Compares doubles: greater or equal.
        CmpGeF64 "v_cmp_ge_f64" [mask_dd_c::E32 0x26, mask_dd_c::E64 0x26] DOUBLE AMD;
        /// Compares doubles: both are numbers.
        CmpOF64 "v_cmp_o_f64" [mask_dd_c::E32 0x27, mask_dd_c::E64 0x27] DOUBLE AMD;
        /// Compares doubles: one is not a number.
        CmpUF64 "v_cmp_u_f64" [mask_dd_c::E32 0x28, mask_dd_c::E64 0x28] DOUBLE AMD;
        /// Compares doubles: not greater or equal.
        CmpNgeF64 "v_cmp_nge_f64" [mask_dd_c::E32 0x29, mask_dd_c::E64 0x29] DOUBLE AMD;
        /// Compares doubles: not less or greater.
        CmpNlgF64 "v_cmp_nlg_f64" [mask_dd_c::E32 0x2a, mask_dd_c::E64 0x2a] DOUBLE AMD;
        /// Compares doubles: not greater.
        CmpNgtF64 "v_cmp_ngt_f64" [mask_dd_c::E32 0x2b, mask_dd_c::E64 0x2b] DOUBLE AMD;
        /// Compares doubles: not less or equal.
        CmpNleF64 "v_cmp_nle_f64" [mask_dd_c::E32 0x2c, mask_dd_c::E64 0x2c] DOUBLE AMD;
        /// Compares doubles: not equal.
        CmpNeqF64 "v_cmp_neq_f64" [mask_dd_c::E32 0x2d, mask_dd_c::E64 0x2d] DOUBLE AMD;
        /// Compares doubles: not less.
        CmpNltF64 "v_cmp_nlt_f64" [mask_dd_c::E32 0x2e, mask_dd_c::E64 0x2e] DOUBLE AMD;
        /// Compares doubles: always.
        CmpTruF64 "v_cmp_tru_f64" [mask_dd_c::E32 0x2f, mask_dd_c::E64 0x2f] DOUBLE AMD;
        /// Compares doubles: never; the lanes that pass run on.
        CmpxFF64 "v_cmpx_f_f64" [lanes_dd_c::E32 0x30, lanes_dd_c::E64 0x30] DOUBLE AMD { implicit: EXEC };
        /// Compares doubles: less; the lanes that pass run on.
        CmpxLtF64 "v_cmpx_lt_f64" [lanes_dd_c::E32 0x31, lanes_dd_c::E64 0x31] DOUBLE AMD { implicit: EXEC };
        /// Compares doubles: equal; the lanes that pass run on.
        CmpxEqF64 "v_cmpx_eq_f64" [lanes_dd_c::E32 0x32, lanes_dd_c::E64 0x32] DOUBLE AMD { implicit: EXEC };
        /// Compares doubles: less or equal; the lanes that pass run on.
        CmpxLeF64 "v_cmpx_le_f64" [lanes_dd_c::E32 0x33, lanes_dd_c::E64 0x33] DOUBLE AMD { implicit: EXEC };
        /// Compares doubles: greater; the lanes that pass run on.
        CmpxGtF64 "v_cmpx_gt_f64" [lanes_dd_c::E32 0x34, lanes_dd_c::E64 0x34] DOUBLE AMD { implicit: EXEC };
        /// Compares doubles: less or greater; the lanes that pass run on.
        CmpxLgF64 "v_cmpx_lg_f64" [lanes_dd_c::E32 0x35, lanes_dd_c::E64 0x35] DOUBLE AMD { implicit: EXEC };
        /// Compares doubles: greater or equal; the lanes that pass run on.
        CmpxGeF64 "v_cmpx_ge_f64" [lanes_dd_c::E32 0x36, lanes_dd_c::E64 0x36] DOUBLE AMD { implicit: EXEC };
        /// Compares doubles: both are numbers; the lanes that pass run on.
        CmpxOF64 "v_cmpx_o_f64" [lanes_dd_c::E32 0x37, lanes_dd_c::E64 0x37] DOUBLE AMD { implicit: EXEC };
        /// Compares doubles: one is not a number; the lanes that pass run on.
        CmpxUF64 "v_cmpx_u_f64" [lanes_dd_c::E32 0x38, lanes_dd_c::E64 0x38] DOUBLE AMD { implicit: EXEC };
        /// Compares doubles: not greater or equal; the lanes that pass run on.
        CmpxNgeF64 "v_cmpx_nge_f64" [lanes_dd_c::E32 0x39, lanes_dd_c::E64 0x39] DOUBLE AMD { implicit: EXEC };
        /// Compares doubles: not less or greater; the lanes that pass run on.
        CmpxNlgF64 "v_cmpx_nlg_f64" [lanes_dd_c::E32 0x3a, lanes_dd_c::E64 0x3a] DOUBLE AMD { implicit: EXEC };
        /// Compares doubles: not greater; the lanes that pass run on.
        CmpxNgtF64 "v_cmpx_ngt_f64" [lanes_dd_c::E32 0x3b, lanes_dd_c::E64 0x3b] DOUBLE AMD { implicit: EXEC };
        /// Compares doubles: not less or equal; the lanes that pass run on.
        CmpxNleF64 "v_cmpx_nle_f64" [lanes_dd_c::E32 0x3c, lanes_dd_c::E64 0x3c] DOUBLE AMD { implicit: EXEC };
        /// Compares doubles: not equal; the lanes that pass run on.
        CmpxNeqF64 "v_cmpx_neq_f64" [lanes_dd_c::E32 0x3d, lanes_dd_c::E64 0x3d] DOUBLE AMD { implicit: EXEC };
        /// Compares doubles: not less; the lanes that pass run on.
        CmpxNltF64 "v_cmpx_nlt_f64" [lanes_dd_c::E32 0x3e, lanes_dd_c::E64 0x3e] DOUBLE AMD { implicit: EXEC };
        /// Compares doubles: always; the lanes that pass run on.
        CmpxTruF64 "v_cmpx_tru_f64" [lanes_dd_c::E32 0x3f, lanes_dd_c::E64 0x3f] DOUBLE AMD { implicit: EXEC };
        /// Compares signed words: never.
        CmpFI32 "v_cmp_f_i32" [mask_ww::E32 0x80, mask_ww::E64 0x80, mask_ww::SDWA 0x80] VALU32 AMD;
        /// Compares signed words: less.
        CmpLtI32 "v_cmp_lt_i32" [mask_ww::E32 0x81, mask_ww::E64 0x81, mask_ww::SDWA 0x81] VALU32 AMD;
        /// Compares signed words: equal.
        CmpEqI32 "v_cmp_eq_i32" [mask_ww::E32 0x82, mask_ww::E64 0x82, mask_ww::SDWA 0x82] VALU32 AMD;
        /// Compares signed words: less or equal.
        CmpLeI32 "v_cmp_le_i32" [mask_ww::E32 0x83, mask_ww::E64 0x83, mask_ww::SDWA 0x83] VALU32 AMD;
        /// Compares signed words: greater.
        CmpGtI32 "v_cmp_gt_i32" [mask_ww::E32 0x84, mask_ww::E64 0x84, mask_ww::SDWA 0x84] VALU32 AMD;
        /// Compares signed words: not equal.
        CmpNeI32 "v_cmp_ne_i32" [mask_ww::E32 0x85, mask_ww::E64 0x85, mask_ww::SDWA 0x85] VALU32 AMD { aliases: &[(1, "v_cmp_lg_i32")] };
        /// Compares signed words: greater or equal.
        CmpGeI32 "v_cmp_ge_i32" [mask_ww::E32 0x86, mask_ww::E64 0x86, mask_ww::SDWA 0x86] VALU32 AMD;
        /// Compares signed words: always.
        CmpTI32 "v_cmp_t_i32" [mask_ww::E32 0x87, mask_ww::E64 0x87, mask_ww::SDWA 0x87] VALU32 AMD { aliases: &[(1, "v_cmp_tru_i32")] };
        /// Compares whether the first source is of one of the classes of the second, floats.
        CmpClassF32 "v_cmp_class_f32" [mask_fw::E32 0x88, mask_fw::E64 0x88, mask_fw::SDWA 0x88] VALU32 AMD;
        /// Compares signed shorts: less.
        CmpLtI16 "v_cmp_lt_i16" [mask_ss::E32 0x89, mask_ss::E64 0x89, mask_ss::SDWA 0x89] VALU32 AMD;
        /// Compares signed shorts: equal.
        CmpEqI16 "v_cmp_eq_i16" [mask_ss::E32 0x8a, mask_ss::E64 0x8a, mask_ss::SDWA 0x8a] VALU32 AMD;
        /// Compares signed shorts: less or equal.
        CmpLeI16 "v_cmp_le_i16" [mask_ss::E32 0x8b, mask_ss::E64 0x8b, mask_ss::SDWA 0x8b] VALU32 AMD;
        /// Compares signed shorts: greater.
        CmpGtI16 "v_cmp_gt_i16" [mask_ss::E32 0x8c, mask_ss::E64 0x8c, mask_ss::SDWA 0x8c] VALU32 AMD;
        /// Compares signed shorts: not equal.
        CmpNeI16 "v_cmp_ne_i16" [mask_ss::E32 0x8d, mask_ss::E64 0x8d, mask_ss::SDWA 0x8d] VALU32 AMD { aliases: &[(1, "v_cmp_lg_i16")] };
        /// Compares signed shorts: greater or equal.
        CmpGeI16 "v_cmp_ge_i16" [mask_ss::E32 0x8e, mask_ss::E64 0x8e, mask_ss::SDWA 0x8e] VALU32 AMD;
        /// Compares whether the first source is of one of the classes of the second, half floats.
        CmpClassF16 "v_cmp_class_f16" [mask_hw::E32 0x8f, mask_hw::E64 0x8f, mask_hw::SDWA 0x8f] VALU32 AMD;
        /// Compares signed words: never; the lanes that pass run on.
        CmpxFI32 "v_cmpx_f_i32" [lanes_ww::E32 0x90, lanes_ww::E64 0x90, lanes_ww::SDWA 0x90] VALU32 AMD { implicit: EXEC };
        /// Compares signed words: less; the lanes that pass run on.
        CmpxLtI32 "v_cmpx_lt_i32" [lanes_ww::E32 0x91, lanes_ww::E64 0x91, lanes_ww::SDWA 0x91] VALU32 AMD { implicit: EXEC };
        /// Compares signed words: equal; the lanes that pass run on.
        CmpxEqI32 "v_cmpx_eq_i32" [lanes_ww::E32 0x92, lanes_ww::E64 0x92, lanes_ww::SDWA 0x92] VALU32 AMD { implicit: EXEC };
        /// Compares signed words: less or equal; the lanes that pass run on.
        CmpxLeI32 "v_cmpx_le_i32" [lanes_ww::E32 0x93, lanes_ww::E64 0x93, lanes_ww::SDWA 0x93] VALU32 AMD { implicit: EXEC };
        /// Compares signed words: greater; the lanes that pass run on.
        CmpxGtI32 "v_cmpx_gt_i32" [lanes_ww::E32 0x94, lanes_ww::E64 0x94, lanes_ww::SDWA 0x94] VALU32 AMD { implicit: EXEC };
        /// Compares signed words: not equal; the lanes that pass run on.
        CmpxNeI32 "v_cmpx_ne_i32" [lanes_ww::E32 0x95, lanes_ww::E64 0x95, lanes_ww::SDWA 0x95] VALU32 AMD { aliases: &[(1, "v_cmpx_lg_i32")], implicit: EXEC };
        /// Compares signed words: greater or equal; the lanes that pass run on.
        CmpxGeI32 "v_cmpx_ge_i32" [lanes_ww::E32 0x96, lanes_ww::E64 0x96, lanes_ww::SDWA 0x96] VALU32 AMD { implicit: EXEC };
        /// Compares signed words: always; the lanes that pass run on.
        CmpxTI32 "v_cmpx_t_i32" [lanes_ww::E32 0x97, lanes_ww::E64 0x97, lanes_ww::SDWA 0x97] VALU32 AMD { aliases: &[(1, "v_cmpx_tru_i32")], implicit: EXEC };
        /// Compares whether the first source is of one of the classes of the second, floats; the lanes that pass run on.
        CmpxClassF32 "v_cmpx_class_f32" [lanes_fw::E32 0x98, lanes_fw::E64 0x98, lanes_fw::SDWA 0x98] VALU32 AMD { implicit: EXEC };
        /// Compares signed shorts: less; the lanes that pass run on.
        CmpxLtI16 "v_cmpx_lt_i16" [lanes_ss::E32 0x99, lanes_ss::E64 0x99, lanes_ss::SDWA 0x99] VALU32 AMD { implicit: EXEC };
        /// Compares signed shorts: equal; the lanes that pass run on.
        CmpxEqI16 "v_cmpx_eq_i16" [lanes_ss::E32 0x9a, lanes_ss::E64 0x9a, lanes_ss::SDWA 0x9a] VALU32 AMD { implicit: EXEC };
        /// Compares signed shorts: less or equal; the lanes that pass run on.
        CmpxLeI16 "v_cmpx_le_i16" [lanes_ss::E32 0x9b, lanes_ss::E64 0x9b, lanes_ss::SDWA 0x9b] VALU32 AMD { implicit: EXEC };
        /// Compares signed shorts: greater; the lanes that pass run on.
        CmpxGtI16 "v_cmpx_gt_i16" [lanes_ss::E32 0x9c, lanes_ss::E64 0x9c, lanes_ss::SDWA 0x9c] VALU32 AMD { implicit: EXEC };
        /// Compares signed shorts: not equal; the lanes that pass run on.
        CmpxNeI16 "v_cmpx_ne_i16" [lanes_ss::E32 0x9d, lanes_ss::E64 0x9d, lanes_ss::SDWA 0x9d] VALU32 AMD { aliases: &[(1, "v_cmpx_lg_i16")], implicit: EXEC };
        /// Compares signed shorts: greater or equal; the lanes that pass run on.
        CmpxGeI16 "v_cmpx_ge_i16" [lanes_ss::E32 0x9e, lanes_ss::E64 0x9e, lanes_ss::SDWA 0x9e] VALU32 AMD { implicit: EXEC };
        /// Compares whether the first source is of one of the classes of the second, half floats; the lanes that pass run on.
        CmpxClassF16 "v_cmpx_class_f16" [lanes_hw::E32 0x9f, lanes_hw::E64 0x9f, lanes_hw::SDWA 0x9f] VALU32 AMD { implicit: EXEC };
        /// Compares signed long integers: never.
        CmpFI64 "v_cmp_f_i64" [mask_ll::E32 0xa0, mask_ll::E64 0xa0] VALU64 AMD;
        /// Compares signed long integers: less.
        CmpLtI64 "v_cmp_lt_i64" [mask_ll::E32 0xa1, mask_ll::E64 0xa1] VALU64 AMD;
        /// Compares signed long integers: equal.
        CmpEqI64 "v_cmp_eq_i64" [mask_ll::E32 0xa2, mask_ll::E64 0xa2] VALU64 AMD;
        /// Compares signed long integers: less or equal.
        CmpLeI64 "v_cmp_le_i64" [mask_ll::E32 0xa3, mask_ll::E64 0xa3] VALU64 AMD;
        /// Compares signed long integers: greater.
        CmpGtI64 "v_cmp_gt_i64" [mask_ll::E32 0xa4, mask_ll::E64 0xa4] VALU64 AMD;
        /// Compares signed long integers: not equal.
        CmpNeI64 "v_cmp_ne_i64" [mask_ll::E32 0xa5, mask_ll::E64 0xa5] VALU64 AMD { aliases: &[(1, "v_cmp_lg_i64")] };
        /// Compares signed long integers: greater or equal.
        CmpGeI64 "v_cmp_ge_i64" [mask_ll::E32 0xa6, mask_ll::E64 0xa6] VALU64 AMD;
        /// Compares signed long integers: always.
        CmpTI64 "v_cmp_t_i64" [mask_ll::E32 0xa7, mask_ll::E64 0xa7] VALU64 AMD { aliases: &[(1, "v_cmp_tru_i64")] };
        /// Compares whether the first source is of one of the classes of the second, doubles.
        CmpClassF64 "v_cmp_class_f64" [mask_dw::E32 0xa8, mask_dw::E64 0xa8] DOUBLE AMD;
        /// Compares unsigned shorts: less.
        CmpLtU16 "v_cmp_lt_u16" [mask_ss::E32 0xa9, mask_ss::E64 0xa9, mask_ss::SDWA 0xa9] VALU32 AMD;
        /// Compares unsigned shorts: equal.
        CmpEqU16 "v_cmp_eq_u16" [mask_ss::E32 0xaa, mask_ss::E64 0xaa, mask_ss::SDWA 0xaa] VALU32 AMD;
        /// Compares unsigned shorts: less or equal.
        CmpLeU16 "v_cmp_le_u16" [mask_ss::E32 0xab, mask_ss::E64 0xab, mask_ss::SDWA 0xab] VALU32 AMD;
        /// Compares unsigned shorts: greater.
        CmpGtU16 "v_cmp_gt_u16" [mask_ss::E32 0xac, mask_ss::E64 0xac, mask_ss::SDWA 0xac] VALU32 AMD;
        /// Compares unsigned shorts: not equal.
        CmpNeU16 "v_cmp_ne_u16" [mask_ss::E32 0xad, mask_ss::E64 0xad, mask_ss::SDWA 0xad] VALU32 AMD { aliases: &[(1, "v_cmp_lg_u16")] };
        /// Compares unsigned shorts: greater or equal.
        CmpGeU16 "v_cmp_ge_u16" [mask_ss::E32 0xae, mask_ss::E64 0xae, mask_ss::SDWA 0xae] VALU32 AMD;
        /// Compares signed long integers: never; the lanes that pass run on.
        CmpxFI64 "v_cmpx_f_i64" [lanes_ll::E32 0xb0, lanes_ll::E64 0xb0] VALU64 AMD { implicit: EXEC };
        /// Compares signed long integers: less; the lanes that pass run on.
        CmpxLtI64 "v_cmpx_lt_i64" [lanes_ll::E32 0xb1, lanes_ll::E64 0xb1] VALU64 AMD { implicit: EXEC };
        /// Compares signed long integers: equal; the lanes that pass run on.
        CmpxEqI64 "v_cmpx_eq_i64" [lanes_ll::E32 0xb2, lanes_ll::E64 0xb2] VALU64 AMD { implicit: EXEC };
        /// Compares signed long integers: less or equal; the lanes that pass run on.
        CmpxLeI64 "v_cmpx_le_i64" [lanes_ll::E32 0xb3, lanes_ll::E64 0xb3] VALU64 AMD { implicit: EXEC };
        /// Compares signed long integers: greater; the lanes that pass run on.
        CmpxGtI64 "v_cmpx_gt_i64" [lanes_ll::E32 0xb4, lanes_ll::E64 0xb4] VALU64 AMD { implicit: EXEC };
        /// Compares signed long integers: not equal; the lanes that pass run on.
        CmpxNeI64 "v_cmpx_ne_i64" [lanes_ll::E32 0xb5, lanes_ll::E64 0xb5] VALU64 AMD { aliases: &[(1, "v_cmpx_lg_i64")], implicit: EXEC };
        /// Compares signed long integers: greater or equal; the lanes that pass run on.
        CmpxGeI64 "v_cmpx_ge_i64" [lanes_ll::E32 0xb6, lanes_ll::E64 0xb6] VALU64 AMD { implicit: EXEC };
        /// Compares signed long integers: always; the lanes that pass run on.
        CmpxTI64 "v_cmpx_t_i64" [lanes_ll::E32 0xb7, lanes_ll::E64 0xb7] VALU64 AMD { aliases: &[(1, "v_cmpx_tru_i64")], implicit: EXEC };
        /// Compares whether the first source is of one of the classes of the second, doubles; the lanes that pass run on.
        CmpxClassF64 "v_cmpx_class_f64" [lanes_dw::E32 0xb8, lanes_dw::E64 0xb8] DOUBLE AMD { implicit: EXEC };
        /// Compares unsigned shorts: less; the lanes that pass run on.
        CmpxLtU16 "v_cmpx_lt_u16" [lanes_ss::E32 0xb9, lanes_ss::E64 0xb9, lanes_ss::SDWA 0xb9] VALU32 AMD { implicit: EXEC };
        /// Compares unsigned shorts: equal; the lanes that pass run on.
        CmpxEqU16 "v_cmpx_eq_u16" [lanes_ss::E32 0xba, lanes_ss::E64 0xba, lanes_ss::SDWA 0xba] VALU32 AMD { implicit: EXEC };
        /// Compares unsigned shorts: less or equal; the lanes that pass run on.
        CmpxLeU16 "v_cmpx_le_u16" [lanes_ss::E32 0xbb, lanes_ss::E64 0xbb, lanes_ss::SDWA 0xbb] VALU32 AMD { implicit: EXEC };
        /// Compares unsigned shorts: greater; the lanes that pass run on.
        CmpxGtU16 "v_cmpx_gt_u16" [lanes_ss::E32 0xbc, lanes_ss::E64 0xbc, lanes_ss::SDWA 0xbc] VALU32 AMD { implicit: EXEC };
        /// Compares unsigned shorts: not equal; the lanes that pass run on.
        CmpxNeU16 "v_cmpx_ne_u16" [lanes_ss::E32 0xbd, lanes_ss::E64 0xbd, lanes_ss::SDWA 0xbd] VALU32 AMD { aliases: &[(1, "v_cmpx_lg_u16")], implicit: EXEC };
        /// Compares unsigned shorts: greater or equal; the lanes that pass run on.
        CmpxGeU16 "v_cmpx_ge_u16" [lanes_ss::E32 0xbe, lanes_ss::E64 0xbe, lanes_ss::SDWA 0xbe] VALU32 AMD { implicit: EXEC };
        /// Compares unsigned words: never.
        CmpFU32 "v_cmp_f_u32" [mask_ww::E32 0xc0, mask_ww::E64 0xc0, mask_ww::SDWA 0xc0] VALU32 AMD;
        /// Compares unsigned words: less.
        CmpLtU32 "v_cmp_lt_u32" [mask_ww::E32 0xc1, mask_ww::E64 0xc1, mask_ww::SDWA 0xc1] VALU32 AMD;
        /// Compares unsigned words: equal.
        CmpEqU32 "v_cmp_eq_u32" [mask_ww::E32 0xc2, mask_ww::E64 0xc2, mask_ww::SDWA 0xc2] VALU32 AMD;
        /// Compares unsigned words: less or equal.
        CmpLeU32 "v_cmp_le_u32" [mask_ww::E32 0xc3, mask_ww::E64 0xc3, mask_ww::SDWA 0xc3] VALU32 AMD;
        /// Compares unsigned words: greater.
        CmpGtU32 "v_cmp_gt_u32" [mask_ww::E32 0xc4, mask_ww::E64 0xc4, mask_ww::SDWA 0xc4] VALU32 AMD;
        /// Compares unsigned words: not equal.
        CmpNeU32 "v_cmp_ne_u32" [mask_ww::E32 0xc5, mask_ww::E64 0xc5, mask_ww::SDWA 0xc5] VALU32 AMD { aliases: &[(1, "v_cmp_lg_u32")] };
        /// Compares unsigned words: greater or equal.
        CmpGeU32 "v_cmp_ge_u32" [mask_ww::E32 0xc6, mask_ww::E64 0xc6, mask_ww::SDWA 0xc6] VALU32 AMD;
        /// Compares unsigned words: always.
        CmpTU32 "v_cmp_t_u32" [mask_ww::E32 0xc7, mask_ww::E64 0xc7, mask_ww::SDWA 0xc7] VALU32 AMD { aliases: &[(1, "v_cmp_tru_u32")] };
        /// Compares half floats: never.
        CmpFF16 "v_cmp_f_f16" [mask_hh_c::E32 0xc8, mask_hh_c::E64 0xc8, mask_hh_c::SDWA 0xc8] VALU32 AMD;
        /// Compares half floats: less.
        CmpLtF16 "v_cmp_lt_f16" [mask_hh_c::E32 0xc9, mask_hh_c::E64 0xc9, mask_hh_c::SDWA 0xc9] VALU32 AMD;
        /// Compares half floats: equal.
        CmpEqF16 "v_cmp_eq_f16" [mask_hh_c::E32 0xca, mask_hh_c::E64 0xca, mask_hh_c::SDWA 0xca] VALU32 AMD;
        /// Compares half floats: less or equal.
        CmpLeF16 "v_cmp_le_f16" [mask_hh_c::E32 0xcb, mask_hh_c::E64 0xcb, mask_hh_c::SDWA 0xcb] VALU32 AMD;
        /// Compares half floats: greater.
        CmpGtF16 "v_cmp_gt_f16" [mask_hh_c::E32 0xcc, mask_hh_c::E64 0xcc, mask_hh_c::SDWA 0xcc] VALU32 AMD;
        /// Compares half floats: less or greater.
        CmpLgF16 "v_cmp_lg_f16" [mask_hh_c::E32 0xcd, mask_hh_c::E64 0xcd, mask_hh_c::SDWA 0xcd] VALU32 AMD;
        /// Compares half floats: greater or equal.
        CmpGeF16 "v_cmp_ge_f16" [mask_hh_c::E32 0xce, mask_hh_c::E64 0xce, mask_hh_c::SDWA 0xce] VALU32 AMD;
        /// Compares half floats: both are numbers.
        CmpOF16 "v_cmp_o_f16" [mask_hh_c::E32 0xcf, mask_hh_c::E64 0xcf, mask_hh_c::SDWA 0xcf] VALU32 AMD;
        /// Compares unsigned words: never; the lanes that pass run on.
        CmpxFU32 "v_cmpx_f_u32" [lanes_ww::E32 0xd0, lanes_ww::E64 0xd0, lanes_ww::SDWA 0xd0] VALU32 AMD { implicit: EXEC };
        /// Compares unsigned words: less; the lanes that pass run on.
        CmpxLtU32 "v_cmpx_lt_u32" [lanes_ww::E32 0xd1, lanes_ww::E64 0xd1, lanes_ww::SDWA 0xd1] VALU32 AMD { implicit: EXEC };
        /// Compares unsigned words: equal; the lanes that pass run on.
        CmpxEqU32 "v_cmpx_eq_u32" [lanes_ww::E32 0xd2, lanes_ww::E64 0xd2, lanes_ww::SDWA 0xd2] VALU32 AMD { implicit: EXEC };
        /// Compares unsigned words: less or equal; the lanes that pass run on.
        CmpxLeU32 "v_cmpx_le_u32" [lanes_ww::E32 0xd3, lanes_ww::E64 0xd3, lanes_ww::SDWA 0xd3] VALU32 AMD { implicit: EXEC };
        /// Compares unsigned words: greater; the lanes that pass run on.
        CmpxGtU32 "v_cmpx_gt_u32" [lanes_ww::E32 0xd4, lanes_ww::E64 0xd4, lanes_ww::SDWA 0xd4] VALU32 AMD { implicit: EXEC };
        /// Compares unsigned words: not equal; the lanes that pass run on.
        CmpxNeU32 "v_cmpx_ne_u32" [lanes_ww::E32 0xd5, lanes_ww::E64 0xd5, lanes_ww::SDWA 0xd5] VALU32 AMD { aliases: &[(1, "v_cmpx_lg_u32")], implicit: EXEC };
        /// Compares unsigned words: greater or equal; the lanes that pass run on.
        CmpxGeU32 "v_cmpx_ge_u32" [lanes_ww::E32 0xd6, lanes_ww::E64 0xd6, lanes_ww::SDWA 0xd6] VALU32 AMD { implicit: EXEC };
        /// Compares unsigned words: always; the lanes that pass run on.
        CmpxTU32 "v_cmpx_t_u32" [lanes_ww::E32 0xd7, lanes_ww::E64 0xd7, lanes_ww::SDWA 0xd7] VALU32 AMD { aliases: &[(1, "v_cmpx_tru_u32")], implicit: EXEC };
        /// Compares half floats: never; the lanes that pass run on.
        CmpxFF16 "v_cmpx_f_f16" [lanes_hh_c::E32 0xd8, lanes_hh_c::E64 0xd8, lanes_hh_c::SDWA 0xd8] VALU32 AMD { implicit: EXEC };
        /// Compares half floats: less; the lanes that pass run on.
        CmpxLtF16 "v_cmpx_lt_f16" [lanes_hh_c::E32 0xd9, lanes_hh_c::E64 0xd9, lanes_hh_c::SDWA 0xd9] VALU32 AMD { implicit: EXEC };
        /// Compares half floats: equal; the lanes that pass run on.
        CmpxEqF16 "v_cmpx_eq_f16" [lanes_hh_c::E32 0xda, lanes_hh_c::E64 0xda, lanes_hh_c::SDWA 0xda] VALU32 AMD { implicit: EXEC };
        /// Compares half floats: less or equal; the lanes that pass run on.
        CmpxLeF16 "v_cmpx_le_f16" [lanes_hh_c::E32 0xdb, lanes_hh_c::E64 0xdb, lanes_hh_c::SDWA 0xdb] VALU32 AMD { implicit: EXEC };
        /// Compares half floats: greater; the lanes that pass run on.
        CmpxGtF16 "v_cmpx_gt_f16" [lanes_hh_c::E32 0xdc, lanes_hh_c::E64 0xdc, lanes_hh_c::SDWA 0xdc] VALU32 AMD { implicit: EXEC };
        /// Compares half floats: less or greater; the lanes that pass run on.
        CmpxLgF16 "v_cmpx_lg_f16" [lanes_hh_c::E32 0xdd, lanes_hh_c::E64 0xdd, lanes_hh_c::SDWA 0xdd] VALU32 AMD { implicit: EXEC };
        /// Compares half floats: greater or equal; the lanes that pass run on.
        CmpxGeF16 "v_cmpx_ge_f16" [lanes_hh_c::E32 0xde, lanes_hh_c::E64 0xde, lanes_hh_c::SDWA 0xde] VALU32 AMD { implicit: EXEC };
        /// Compares half floats: both are numbers; the lanes that pass run on.
        CmpxOF16 "v_cmpx_o_f16" [lanes_hh_c::E32 0xdf, lanes_hh_c::E64 0xdf, lanes_hh_c::SDWA 0xdf] VALU32 AMD { implicit: EXEC };
        /// Compares unsigned long integers: never.
        CmpFU64 "v_cmp_f_u64" [mask_ll::E32 0xe0, mask_ll::E64 0xe0] VALU64 AMD;
        /// Compares unsigned long integers: less.
        CmpLtU64 "v_cmp_lt_u64" [mask_ll::E32 0xe1, mask_ll::E64 0xe1] VALU64 AMD;
        /// Compares unsigned long integers: equal.
        CmpEqU64 "v_cmp_eq_u64" [mask_ll::E32 0xe2, mask_ll::E64 0xe2] VALU64 AMD;
        /// Compares unsigned long integers: less or equal.
        CmpLeU64 "v_cmp_le_u64" [mask_ll::E32 0xe3, mask_ll::E64 0xe3] VALU64 AMD;
        /// Compares unsigned long integers: greater.
        CmpGtU64 "v_cmp_gt_u64" [mask_ll::E32 0xe4, mask_ll::E64 0xe4] VALU64 AMD;
        /// Compares unsigned long integers: not equal.
        CmpNeU64 "v_cmp_ne_u64" [mask_ll::E32 0xe5, mask_ll::E64 0xe5] VALU64 AMD { aliases: &[(1, "v_cmp_lg_u64")] };
        /// Compares unsigned long integers: greater or equal.
        CmpGeU64 "v_cmp_ge_u64" [mask_ll::E32 0xe6, mask_ll::E64 0xe6] VALU64 AMD;
        /// Compares unsigned long integers: always.
        CmpTU64 "v_cmp_t_u64" [mask_ll::E32 0xe7, mask_ll::E64 0xe7] VALU64 AMD { aliases: &[(1, "v_cmp_tru_u64")] };
        /// Compares half floats: one is not a number.
        CmpUF16 "v_cmp_u_f16" [mask_hh_c::E32 0xe8, mask_hh_c::E64 0xe8, mask_hh_c::SDWA 0xe8] VALU32 AMD;
        /// Compares half floats: not greater or equal.
        CmpNgeF16 "v_cmp_nge_f16" [mask_hh_c::E32 0xe9, mask_hh_c::E64 0xe9, mask_hh_c::SDWA 0xe9] VALU32 AMD;
        /// Compares half floats: not less or greater.
        CmpNlgF16 "v_cmp_nlg_f16" [mask_hh_c::E32 0xea, mask_hh_c::E64 0xea, mask_hh_c::SDWA 0xea] VALU32 AMD;
        /// Compares half floats: not greater.
        CmpNgtF16 "v_cmp_ngt_f16" [mask_hh_c::E32 0xeb, mask_hh_c::E64 0xeb, mask_hh_c::SDWA 0xeb] VALU32 AMD;
        /// Compares half floats: not less or equal.
        CmpNleF16 "v_cmp_nle_f16" [mask_hh_c::E32 0xec, mask_hh_c::E64 0xec, mask_hh_c::SDWA 0xec] VALU32 AMD;
        /// Compares half floats: not equal.
        CmpNeqF16 "v_cmp_neq_f16" [mask_hh_c::E32 0xed, mask_hh_c::E64 0xed, mask_hh_c::SDWA 0xed] VALU32 AMD;
        /// Compares half floats: not less.
        CmpNltF16 "v_cmp_nlt_f16" [mask_hh_c::E32 0xee, mask_hh_c::E64 0xee, mask_hh_c::SDWA 0xee] VALU32 AMD;
        /// Compares half floats: always.
        CmpTruF16 "v_cmp_tru_f16" [mask_hh_c::E32 0xef, mask_hh_c::E64 0xef, mask_hh_c::SDWA 0xef] VALU32 AMD;
        /// Compares unsigned long integers: never; the lanes that pass run on.
        CmpxFU64 "v_cmpx_f_u64" [lanes_ll::E32 0xf0, lanes_ll::E64 0xf0] VALU64 AMD { implicit: EXEC };
        /// Compares unsigned long integers: less; the lanes that pass run on.
        CmpxLtU64 "v_cmpx_lt_u64" [lanes_ll::E32 0xf1, lanes_ll::E64 0xf1] VALU64 AMD { implicit: EXEC };
        /// Compares unsigned long integers: equal; the lanes that pass run on.
        CmpxEqU64 "v_cmpx_eq_u64" [lanes_ll::E32 0xf2, lanes_ll::E64 0xf2] VALU64 AMD { implicit: EXEC };
        /// Compares unsigned long integers: less or equal; the lanes that pass run on.
        CmpxLeU64 "v_cmpx_le_u64" [lanes_ll::E32 0xf3, lanes_ll::E64 0xf3] VALU64 AMD { implicit: EXEC };
        /// Compares unsigned long integers: greater; the lanes that pass run on.
        CmpxGtU64 "v_cmpx_gt_u64" [lanes_ll::E32 0xf4, lanes_ll::E64 0xf4] VALU64 AMD { implicit: EXEC };
        /// Compares unsigned long integers: not equal; the lanes that pass run on.
        CmpxNeU64 "v_cmpx_ne_u64" [lanes_ll::E32 0xf5, lanes_ll::E64 0xf5] VALU64 AMD { aliases: &[(1, "v_cmpx_lg_u64")], implicit: EXEC };
        /// Compares unsigned long integers: greater or equal; the lanes that pass run on.
        CmpxGeU64 "v_cmpx_ge_u64" [lanes_ll::E32 0xf6, lanes_ll::E64 0xf6] VALU64 AMD { implicit: EXEC };
        /// Compares unsigned long integers: always; the lanes that pass run on.
        CmpxTU64 "v_cmpx_t_u64" [lanes_ll::E32 0xf7, lanes_ll::E64 0xf7] VALU64 AMD { aliases: &[(1, "v_cmpx_tru_u64")], implicit: EXEC };
        /// Compares half floats: one is not a number; the lanes that pass run on.
        CmpxUF16 "v_cmpx_u_f16" [lanes_hh_c::E32 0xf8, lanes_hh_c::E64 0xf8, lanes_hh_c::SDWA 0xf8] VALU32 AMD { implicit: EXEC };
        /// Compares half floats: not greater or equal; the lanes that pass run on.
        CmpxNgeF16 "v_cmpx_nge_f16" [lanes_hh_c::E32 0xf9, lanes_hh_c::E64 0xf9, lanes_hh_c::SDWA 0xf9] VALU32 AMD { implicit: EXEC };
        /// Compares half floats: not less or greater; the lanes that pass run on.
        CmpxNlgF16 "v_cmpx_nlg_f16" [lanes_hh_c::E32 0xfa, lanes_hh_c::E64 0xfa, lanes_hh_c::SDWA 0xfa] VALU32 AMD { implicit: EXEC };
        /// Compares half floats: not greater; the lanes that pass run on.
        CmpxNgtF16 "v_cmpx_ngt_f16" [lanes_hh_c::E32 0xfb, lanes_hh_c::E64 0xfb, lanes_hh_c::SDWA 0xfb] VALU32 AMD { implicit: EXEC };
        /// Compares half floats: not less or equal; the lanes that pass run on.
        CmpxNleF16 "v_cmpx_nle_f16" [lanes_hh_c::E32 0xfc, lanes_hh_c::E64 0xfc, lanes_hh_c::SDWA 0xfc] VALU32 AMD { implicit: EXEC };
        /// Compares half floats: not equal; the lanes that pass run on.
        CmpxNeqF16 "v_cmpx_neq_f16" [lanes_hh_c::E32 0xfd, lanes_hh_c::E64 0xfd, lanes_hh_c::SDWA 0xfd] VALU32 AMD { implicit: EXEC };
        /// Compares half floats: not less; the lanes that pass run on.
        CmpxNltF16 "v_cmpx_nlt_f16" [lanes_hh_c::E32 0xfe, lanes_hh_c::E64 0xfe, lanes_hh_c::SDWA 0xfe] VALU32 AMD { implicit: EXEC };
        /// Compares half floats: always; the lanes that pass run on.
        CmpxTruF16 "v_cmpx_tru_f16" [lanes_hh_c::E32 0xff, lanes_hh_c::E64 0xff, lanes_hh_c::SDWA 0xff] VALU32 AMD { implicit: EXEC };
    }
}

impl Vopc {
    /// The comparison that lets the lanes run on that pass, for one that makes a mask of them.
    #[must_use]
    pub fn running(self) -> Option<Vopc> {
        let name = |op: Vopc| ROWS[usize::from(op.row())].name;
        let compared = name(self).strip_prefix("v_cmp_")?;
        let behind = &Vopc::ALL[usize::from(self.row())..];
        behind.iter().copied().find(|&op| name(op).strip_prefix("v_cmpx_") == Some(compared))
    }
}

const VOPC: Format = Format {
    name: "VOPC",
    length: Length::Literal { asked: &[(at(0..=8), LITERAL)], short: 4, long: 8 },
    opcode: at(17..=24),
    fixed: &[(at(25..=31), 0x3e)],
    suffix: &["_e32"],
    ..Format::EMPTY
};
const VOPC_LONG: Format = Format {
    opcode: at(16..=23),
    fixed: &[(at(26..=31), 0x35), (at(24..=25), 0)],
    suffix: &["_e64", "_e64"],
    ..LONG2
};
/// The long form names the register it writes: exec.
const VOPC_LANES: Format =
    Format { fixed: &[(at(26..=31), 0x35), (at(24..=25), 0), (at(0..=7), 126)], ..VOPC_LONG };
const VOPC_SDWA: Format = Format {
    name: "VOPC SDWA",
    length: Length::Bytes(8),
    fixed: &[(at(25..=31), 0x3e), (at(0..=8), SDWA)],
    suffix: &["_sdwa"],
    ..VOPC
};
const VCC_OUT: Field = dst("sdst", Bits::NONE, &Vcc, "bit of each lane, 0 where it does not run");
const SDWA_OUT: Field = dst("sdst", at(40..=47), &SdwaMask, "bit of each lane, 0 where it does not run");

/// The forms of one signature: sources of the short form, of the long form, of SDWA, and
/// what changes the result.
macro_rules! compare {
    (mask long $name:ident: $plain:expr, $second:expr, $signed0:expr, $signed1:expr, $sdwa0:expr, $sdwa1:expr,
     [$($field:expr),*], $tail:literal) => {
        mod $name {
            use super::*;
            compare!(@mask $plain, $second, $signed0, $signed1, [$($field),*], $tail);
        }
    };
    (mask short $name:ident: $plain:expr, $second:expr, $signed0:expr, $signed1:expr, $sdwa0:expr, $sdwa1:expr,
     [$($field:expr),*], $tail:literal) => {
        mod $name {
            use super::*;
            compare!(@mask $plain, $second, $signed0, $signed1, [$($field),*], $tail);
            layout!(SDWA = VOPC_SDWA, [SDWA_OUT, sdwa0($sdwa0), sdwa1($sdwa1), SEL0, SEL1],
                "{op} {sdst}, {src0}, {src1}{src0_sel}{src1_sel}");
        }
    };
    (lanes long $name:ident: $plain:expr, $second:expr, $signed0:expr, $signed1:expr, $sdwa0:expr, $sdwa1:expr,
     [$($field:expr),*], $tail:literal) => {
        mod $name {
            use super::*;
            compare!(@lanes $plain, $second, $signed0, $signed1, [$($field),*], $tail);
        }
    };
    (lanes short $name:ident: $plain:expr, $second:expr, $signed0:expr, $signed1:expr, $sdwa0:expr, $sdwa1:expr,
     [$($field:expr),*], $tail:literal) => {
        mod $name {
            use super::*;
            compare!(@lanes $plain, $second, $signed0, $signed1, [$($field),*], $tail);
            layout!(SDWA = VOPC_SDWA, [sdwa0($sdwa0), sdwa1($sdwa1), SEL0, SEL1],
                "{op} {src0}, {src1}{src0_sel}{src1_sel}");
        }
    };
    (@mask $plain:expr, $second:expr, $signed0:expr, $signed1:expr, [$($field:expr),*], $tail:literal) => {
        layout!(E32 = VOPC, [VCC_OUT, short0($plain), short1($second)], "{op} {sdst}, {src0}, {src1}");
        layout!(E64 = VOPC_LONG, [COMPARED, long0($signed0), long1($signed1), $($field),*],
            concat!("{op} {sdst}, {src0}, {src1}", $tail));
    };
    (@lanes $plain:expr, $second:expr, $signed0:expr, $signed1:expr, [$($field:expr),*], $tail:literal) => {
        layout!(E32 = VOPC, [short0($plain), short1($second)], "{op} {src0}, {src1}");
        layout!(E64 = VOPC_LANES, [long0($signed0), long1($signed1), $($field),*],
            concat!("{op} {src0}, {src1}", $tail));
    };
}
compare!(mask short mask_ff_c: &W, &Vgpr(1), &F, &F, &SDWA_FLOAT, &SDWA_FLOAT, [CLAMP], "{*clamp}");
compare!(lanes short lanes_ff_c: &W, &Vgpr(1), &F, &F, &SDWA_FLOAT, &SDWA_FLOAT, [CLAMP], "{*clamp}");
compare!(mask long mask_dd_c: &D0, &Vgpr(2), &D, &D, &SDWA_FLOAT, &SDWA_FLOAT, [CLAMP], "{*clamp}");
compare!(lanes long lanes_dd_c: &D0, &Vgpr(2), &D, &D, &SDWA_FLOAT, &SDWA_FLOAT, [CLAMP], "{*clamp}");
compare!(mask short mask_ww: &W, &Vgpr(1), &W, &W, &SDWA_INT, &SDWA_INT, [], "");
compare!(mask short mask_fw: &W, &Vgpr(1), &F, &W, &SDWA_FLOAT, &SDWA_INT, [], "");
compare!(mask short mask_ss: &S, &Vgpr(1), &S, &S, &SDWA_INT, &SDWA_INT, [], "");
compare!(mask short mask_hw: &H0, &Vgpr(1), &H, &W, &SDWA_FLOAT, &SDWA_INT, [], "");
compare!(lanes short lanes_ww: &W, &Vgpr(1), &W, &W, &SDWA_INT, &SDWA_INT, [], "");
compare!(lanes short lanes_fw: &W, &Vgpr(1), &F, &W, &SDWA_FLOAT, &SDWA_INT, [], "");
compare!(lanes short lanes_ss: &S, &Vgpr(1), &S, &S, &SDWA_INT, &SDWA_INT, [], "");
compare!(lanes short lanes_hw: &H0, &Vgpr(1), &H, &W, &SDWA_FLOAT, &SDWA_INT, [], "");
compare!(mask long mask_ll: &L, &Vgpr(2), &L, &L, &SDWA_INT, &SDWA_INT, [], "");
compare!(mask long mask_dw: &D0, &Vgpr(1), &D, &W, &SDWA_FLOAT, &SDWA_INT, [], "");
compare!(lanes long lanes_ll: &L, &Vgpr(2), &L, &L, &SDWA_INT, &SDWA_INT, [], "");
compare!(lanes long lanes_dw: &D0, &Vgpr(1), &D, &W, &SDWA_FLOAT, &SDWA_INT, [], "");
compare!(mask short mask_hh_c: &H0, &Vgpr(1), &H, &H, &SDWA_FLOAT, &SDWA_FLOAT, [CLAMP], "{*clamp}");
compare!(lanes short lanes_hh_c: &H0, &Vgpr(1), &H, &H, &SDWA_FLOAT, &SDWA_FLOAT, [CLAMP], "{*clamp}");
