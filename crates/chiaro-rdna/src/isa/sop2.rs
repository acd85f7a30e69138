//! SOP2: scalar operations of two sources (spec 4, 5.1).

use super::layout::*;
use crate::operand::register::Sgpr;
use chiaro_isa::{Field, Format, Length, at, dst, operations, split, src};

operations! {
    /// Scalar operations of two sources.
    pub enum Sop2 => ROWS {
        /// S0+S1; SCC: carry out.
        AddU32 "s_add_u32" [WORDS 0x00] SALU AMD { implicit: SCC };
        /// S0-S1; SCC: borrow (S1 >u S0).
        SubU32 "s_sub_u32" [WORDS 0x01] SALU AMD { implicit: SCC };
        /// S0+S1; SCC: signed overflow.
        AddI32 "s_add_i32" [WORDS 0x02] SALU AMD { implicit: SCC };
        /// S0-S1; SCC: signed overflow.
        SubI32 "s_sub_i32" [WORDS 0x03] SALU AMD { implicit: SCC };
        /// S0+S1+SCC; SCC: carry out.
        AddcU32 "s_addc_u32" [WORDS 0x04] SALU AMD { implicit: SCC_BOTH };
        /// S0-S1-SCC; SCC: borrow.
        SubbU32 "s_subb_u32" [WORDS 0x05] SALU AMD { implicit: SCC_BOTH };
        /// Min; SCC: 1 if S0 < S1 (S0 chosen).
        MinI32 "s_min_i32" [WORDS 0x06] SALU AMD { implicit: SCC };
        /// Min; SCC: 1 if S0 < S1 (S0 chosen).
        MinU32 "s_min_u32" [WORDS 0x07] SALU AMD { implicit: SCC };
        /// Max; SCC: 1 if S0 >= S1 (pseudo-code; older text says >).
        MaxI32 "s_max_i32" [WORDS 0x08] SALU AMD { implicit: SCC };
        /// Max; SCC: 1 if S0 >= S1 (pseudo-code; older text says >).
        MaxU32 "s_max_u32" [WORDS 0x09] SALU AMD { implicit: SCC };
        /// SCC ? S0 : S1.
        CselectB32 "s_cselect_b32" [WORDS 0x0a] SALU AMD { implicit: READS_SCC };
        /// SCC ? S0 : S1.
        CselectB64 "s_cselect_b64" [LONGS 0x0b] SALU AMD { implicit: READS_SCC };
        /// S0 & S1; SCC: whether the result is not zero.
        AndB32 "s_and_b32" [WORDS 0x0e] SALU AMD { implicit: SCC };
        /// S0 & S1; SCC: whether the result is not zero.
        AndB64 "s_and_b64" [LONGS 0x0f] SALU AMD { implicit: SCC };
        /// S0 or S1; SCC: whether the result is not zero.
        OrB32 "s_or_b32" [WORDS 0x10] SALU AMD { implicit: SCC };
        /// S0 or S1; SCC: whether the result is not zero.
        OrB64 "s_or_b64" [LONGS 0x11] SALU AMD { implicit: SCC };
        /// S0 ^ S1; SCC: whether the result is not zero.
        XorB32 "s_xor_b32" [WORDS 0x12] SALU AMD { implicit: SCC };
        /// S0 ^ S1; SCC: whether the result is not zero.
        XorB64 "s_xor_b64" [LONGS 0x13] SALU AMD { implicit: SCC };
        /// S0 & ~S1; SCC: whether the result is not zero.
        Andn2B32 "s_andn2_b32" [WORDS 0x14] SALU AMD { implicit: SCC };
        /// S0 & ~S1; SCC: whether the result is not zero.
        Andn2B64 "s_andn2_b64" [LONGS 0x15] SALU AMD { implicit: SCC };
        /// S0 or ~S1; SCC: whether the result is not zero.
        Orn2B32 "s_orn2_b32" [WORDS 0x16] SALU AMD { implicit: SCC };
        /// S0 or ~S1; SCC: whether the result is not zero.
        Orn2B64 "s_orn2_b64" [LONGS 0x17] SALU AMD { implicit: SCC };
        /// ~(S0 & S1); SCC: whether the result is not zero.
        NandB32 "s_nand_b32" [WORDS 0x18] SALU AMD { implicit: SCC };
        /// ~(S0 & S1); SCC: whether the result is not zero.
        NandB64 "s_nand_b64" [LONGS 0x19] SALU AMD { implicit: SCC };
        /// ~(S0 or S1); SCC: whether the result is not zero.
        NorB32 "s_nor_b32" [WORDS 0x1a] SALU AMD { implicit: SCC };
        /// ~(S0 or S1); SCC: whether the result is not zero.
        NorB64 "s_nor_b64" [LONGS 0x1b] SALU AMD { implicit: SCC };
        /// ~(S0 ^ S1); SCC: whether the result is not zero.
        XnorB32 "s_xnor_b32" [WORDS 0x1c] SALU AMD { implicit: SCC };
        /// ~(S0 ^ S1); SCC: whether the result is not zero.
        XnorB64 "s_xnor_b64" [LONGS 0x1d] SALU AMD { implicit: SCC };
        /// S0 << S1[4:0]; SCC: whether the result is not zero.
        LshlB32 "s_lshl_b32" [WORDS 0x1e] SALU AMD { implicit: SCC };
        /// S0 << S1[5:0], S1 a word; SCC: whether the result is not zero.
        LshlB64 "s_lshl_b64" [LONG_BY_WORD 0x1f] SALU AMD { implicit: SCC };
        /// S0 >> S1 logical; SCC: whether the result is not zero.
        LshrB32 "s_lshr_b32" [WORDS 0x20] SALU AMD { implicit: SCC };
        /// S0 >> S1 logical; SCC: whether the result is not zero.
        LshrB64 "s_lshr_b64" [LONG_BY_WORD 0x21] SALU AMD { implicit: SCC };
        /// S0 >> S1 arithmetic; SCC: whether the result is not zero.
        AshrI32 "s_ashr_i32" [WORDS 0x22] SALU AMD { implicit: SCC };
        /// S0 >> S1 arithmetic; SCC: whether the result is not zero.
        AshrI64 "s_ashr_i64" [LONG_BY_WORD 0x23] SALU AMD { implicit: SCC };
        /// ((1<<S0[4:0])-1) << S1[4:0].
        BfmB32 "s_bfm_b32" [WORDS 0x24] SALU AMD;
        /// ((1<<S0[5:0])-1) << S1[5:0], sources are words.
        BfmB64 "s_bfm_b64" [LONG_OF_WORDS 0x25] SALU AMD;
        /// Low 32 of product.
        MulI32 "s_mul_i32" [WORDS 0x26] SALU AMD;
        /// Offset=S1[4:0], width=S1[22:16]: field of S0, zero-extended; SCC: nz (manual omits it).
        BfeU32 "s_bfe_u32" [WORDS 0x27] SALU AMD { implicit: SCC };
        /// Offset=S1[4:0], width=S1[22:16]: field of S0, sign-extended, 0 at width 0; SCC: nz (manual omits it).
        BfeI32 "s_bfe_i32" [WORDS 0x28] SALU AMD { implicit: SCC };
        /// Offset=S1[5:0], width=S1[22:16]; SCC: whether the result is not zero.
        BfeU64 "s_bfe_u64" [LONG_BY_WORD 0x29] SALU AMD { implicit: SCC };
        /// S1 32-bit; SCC: whether the result is not zero.
        BfeI64 "s_bfe_i64" [LONG_BY_WORD 0x2a] SALU AMD { implicit: SCC };
        /// Abs(S0-S1) (wraps); SCC: whether the result is not zero.
        AbsdiffI32 "s_absdiff_i32" [WORDS 0x2c] SALU AMD { implicit: SCC };
        /// (S0<<n)+S1; SCC: the 64-bit exact sum >= 2^32.
        Lshl1AddU32 "s_lshl1_add_u32" [WORDS 0x2e] SALU AMD { implicit: SCC };
        /// (S0<<n)+S1; SCC: the 64-bit exact sum >= 2^32.
        Lshl2AddU32 "s_lshl2_add_u32" [WORDS 0x2f] SALU AMD { implicit: SCC };
        /// (S0<<n)+S1; SCC: the 64-bit exact sum >= 2^32.
        Lshl3AddU32 "s_lshl3_add_u32" [WORDS 0x30] SALU AMD { implicit: SCC };
        /// (S0<<n)+S1; SCC: the 64-bit exact sum >= 2^32.
        Lshl4AddU32 "s_lshl4_add_u32" [WORDS 0x31] SALU AMD { implicit: SCC };
        /// {S1[15:0],S0[15:0]}.
        PackLlB32B16 "s_pack_ll_b32_b16" [WORDS 0x32] SALU AMD;
        /// {S1[31:16],S0[15:0]}.
        PackLhB32B16 "s_pack_lh_b32_b16" [WORDS 0x33] SALU AMD;
        /// {S1[31:16],S0[31:16]}.
        PackHhB32B16 "s_pack_hh_b32_b16" [WORDS 0x34] SALU AMD;
        /// High 32 of product.
        MulHiU32 "s_mul_hi_u32" [WORDS 0x35] SALU AMD;
        /// High 32 of product.
        MulHiI32 "s_mul_hi_i32" [WORDS 0x36] SALU AMD;
    }
}

const SOP2: Format = Format {
    name: "SOP2",
    length: Length::Literal { asked: &[(at(0..=7), 255), (at(8..=15), 255)], short: 4, long: 8 },
    opcode: at(23..=29),
    fixed: &[(at(30..=31), 2)],
    ..Format::EMPTY
};

const fn result(kind: &'static Sgpr) -> Field {
    dst("sdst", at(16..=22), kind, "result")
}
const fn first(kind: &'static crate::operand::source::Source) -> Field {
    src("ssrc0", split([32..=63, 0..=7]), kind, "first source")
}
const fn second(kind: &'static crate::operand::source::Source) -> Field {
    src("ssrc1", split([32..=63, 8..=15]), kind, "second source")
}
const SYNTAX: &str = "{op} {sdst}, {ssrc0}, {ssrc1}";

layout!(WORDS = SOP2, [result(&Sgpr(1)), first(&SW), second(&SW)], SYNTAX);
layout!(LONGS = SOP2, [result(&Sgpr(2)), first(&SL), second(&SL)], SYNTAX);
layout!(LONG_BY_WORD = SOP2, [result(&Sgpr(2)), first(&SL), second(&SW)], SYNTAX);
layout!(LONG_OF_WORDS = SOP2, [result(&Sgpr(2)), first(&SW), second(&SW)], SYNTAX);
