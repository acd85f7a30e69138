//! SOPC: scalar comparisons (spec 4, 5.4).

use super::layout::*;
use crate::operand::source::Source;
use chiaro_isa::{Field, Format, Length, at, operations, split, src};

operations! {
    /// Scalar comparisons.
    pub enum Sopc => ROWS {
        /// Signed compare.
        CmpEqI32 "s_cmp_eq_i32" [WORDS 0x00] SALU AMD { implicit: SCC };
        /// Signed compare.
        CmpLgI32 "s_cmp_lg_i32" [WORDS 0x01] SALU AMD { implicit: SCC };
        /// Signed compare.
        CmpGtI32 "s_cmp_gt_i32" [WORDS 0x02] SALU AMD { implicit: SCC };
        /// Signed compare.
        CmpGeI32 "s_cmp_ge_i32" [WORDS 0x03] SALU AMD { implicit: SCC };
        /// Signed compare.
        CmpLtI32 "s_cmp_lt_i32" [WORDS 0x04] SALU AMD { implicit: SCC };
        /// Signed compare.
        CmpLeI32 "s_cmp_le_i32" [WORDS 0x05] SALU AMD { implicit: SCC };
        /// Unsigned compare.
        CmpEqU32 "s_cmp_eq_u32" [WORDS 0x06] SALU AMD { implicit: SCC };
        /// Unsigned compare.
        CmpLgU32 "s_cmp_lg_u32" [WORDS 0x07] SALU AMD { implicit: SCC };
        /// Unsigned compare.
        CmpGtU32 "s_cmp_gt_u32" [WORDS 0x08] SALU AMD { implicit: SCC };
        /// Unsigned compare.
        CmpGeU32 "s_cmp_ge_u32" [WORDS 0x09] SALU AMD { implicit: SCC };
        /// Unsigned compare.
        CmpLtU32 "s_cmp_lt_u32" [WORDS 0x0a] SALU AMD { implicit: SCC };
        /// Unsigned compare.
        CmpLeU32 "s_cmp_le_u32" [WORDS 0x0b] SALU AMD { implicit: SCC };
        /// Bit S1[4:0] of S0 equals 0 / 1.
        Bitcmp0B32 "s_bitcmp0_b32" [WORDS 0x0c] SALU AMD { implicit: SCC };
        /// Bit S1[4:0] of S0 equals 0 / 1.
        Bitcmp1B32 "s_bitcmp1_b32" [WORDS 0x0d] SALU AMD { implicit: SCC };
        /// Bit S1[5:0].
        Bitcmp0B64 "s_bitcmp0_b64" [LONG_BIT 0x0e] SALU AMD { implicit: SCC };
        /// Bit S1[5:0].
        Bitcmp1B64 "s_bitcmp1_b64" [LONG_BIT 0x0f] SALU AMD { implicit: SCC };
        /// 64-bit (in)equality.
        CmpEqU64 "s_cmp_eq_u64" [LONGS 0x12] SALU AMD { implicit: SCC };
        /// 64-bit (in)equality.
        CmpLgU64 "s_cmp_lg_u64" [LONGS 0x13] SALU AMD { implicit: SCC };
    }
}

const SOPC: Format = Format {
    name: "SOPC",
    length: Length::Literal { asked: &[(at(0..=7), 255), (at(8..=15), 255)], short: 4, long: 8 },
    opcode: at(16..=22),
    fixed: &[(at(23..=31), 0x17e)],
    ..Format::EMPTY
};

const fn first(kind: &'static Source) -> Field {
    src("ssrc0", split([32..=63, 0..=7]), kind, "first source")
}
const fn second(kind: &'static Source) -> Field {
    src("ssrc1", split([32..=63, 8..=15]), kind, "second source")
}

layout!(WORDS = SOPC, [first(&SW), second(&SW)], "{op} {ssrc0}, {ssrc1}");
layout!(LONGS = SOPC, [first(&SL), second(&SL)], "{op} {ssrc0}, {ssrc1}");
layout!(LONG_BIT = SOPC, [first(&SL), second(&SW)], "{op} {ssrc0}, {ssrc1}");
