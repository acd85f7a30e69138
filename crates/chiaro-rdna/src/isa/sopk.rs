//! SOPK: scalar operations with a number of 16 bits (spec 4, 5.2).

use super::layout::*;
use crate::operand::immediate::{HardwareRegister, Hex16, Version};
use crate::operand::place::Branch;
use crate::operand::register::Sgpr;
use chiaro_isa::{Field, Format, Hex, Length, at, dst, inout, modifier, operations, src, target};

operations! {
    /// Scalar operations with a number of 16 bits.
    pub enum Sopk => ROWS {
        /// D = sext(imm).
        MovkI32 "s_movk_i32" [MOVE 0x00] SCALAR_MOVE AMD;
        /// No operation (tool marker).
        Version "s_version" [VERSION 0x01] SALU AMD;
        /// If SCC: D = sext(imm).
        CmovkI32 "s_cmovk_i32" [KEPT 0x02] SCALAR_MOVE AMD { implicit: READS_SCC };
        /// SCC = sdst OP sext(imm), signed.
        CmpkEqI32 "s_cmpk_eq_i32" [COMPARE 0x03] SALU AMD { implicit: SCC };
        /// SCC = sdst OP sext(imm), signed.
        CmpkLgI32 "s_cmpk_lg_i32" [COMPARE 0x04] SALU AMD { implicit: SCC };
        /// SCC = sdst OP sext(imm), signed.
        CmpkGtI32 "s_cmpk_gt_i32" [COMPARE 0x05] SALU AMD { implicit: SCC };
        /// SCC = sdst OP sext(imm), signed.
        CmpkGeI32 "s_cmpk_ge_i32" [COMPARE 0x06] SALU AMD { implicit: SCC };
        /// SCC = sdst OP sext(imm), signed.
        CmpkLtI32 "s_cmpk_lt_i32" [COMPARE 0x07] SALU AMD { implicit: SCC };
        /// SCC = sdst OP sext(imm), signed.
        CmpkLeI32 "s_cmpk_le_i32" [COMPARE 0x08] SALU AMD { implicit: SCC };
        /// SCC = sdst OP zext(imm), unsigned.
        CmpkEqU32 "s_cmpk_eq_u32" [COMPARE 0x09] SALU AMD { implicit: SCC };
        /// SCC = sdst OP zext(imm), unsigned.
        CmpkLgU32 "s_cmpk_lg_u32" [COMPARE 0x0a] SALU AMD { implicit: SCC };
        /// SCC = sdst OP zext(imm), unsigned.
        CmpkGtU32 "s_cmpk_gt_u32" [COMPARE 0x0b] SALU AMD { implicit: SCC };
        /// SCC = sdst OP zext(imm), unsigned.
        CmpkGeU32 "s_cmpk_ge_u32" [COMPARE 0x0c] SALU AMD { implicit: SCC };
        /// SCC = sdst OP zext(imm), unsigned.
        CmpkLtU32 "s_cmpk_lt_u32" [COMPARE 0x0d] SALU AMD { implicit: SCC };
        /// SCC = sdst OP zext(imm), unsigned.
        CmpkLeU32 "s_cmpk_le_u32" [COMPARE 0x0e] SALU AMD { implicit: SCC };
        /// D += sext(imm); SCC = signed overflow.
        AddkI32 "s_addk_i32" [KEPT 0x0f] SALU AMD { implicit: SCC };
        /// D *= sext(imm).
        MulkI32 "s_mulk_i32" [KEPT 0x10] SALU AMD;
        /// D = hwreg field (simm16: section 2).
        GetregB32 "s_getreg_b32" [GET 0x12] SALU AMD;
        /// Hwreg field = sdst register (source sits in the sdst field).
        SetregB32 "s_setreg_b32" [SET 0x13] SALU AMD;
        /// Hwreg field = following 32-bit literal; sdst field 0.
        SetregImm32B32 "s_setreg_imm32_b32" [SET_TO 0x15] SALU AMD;
        /// D = PC+4 (address of next instruction); PC = PC+4+4*sext(imm).
        CallB64 "s_call_b64" [CALL 0x16] BRANCH AMD;
        /// Wait until counter <= sdst value + imm; sdst normally null.
        WaitcntVscnt "s_waitcnt_vscnt" [WAIT_FOR 0x17] WAIT AMD;
        /// Wait until counter <= sdst value + imm; sdst normally null.
        WaitcntVmcnt "s_waitcnt_vmcnt" [WAIT_FOR 0x18] WAIT AMD;
        /// Wait until counter <= sdst value + imm; sdst normally null.
        WaitcntExpcnt "s_waitcnt_expcnt" [WAIT_FOR 0x19] WAIT AMD;
        /// Wait until counter <= sdst value + imm; sdst normally null.
        WaitcntLgkmcnt "s_waitcnt_lgkmcnt" [WAIT_FOR 0x1a] WAIT AMD;
        /// Wave64 half-wave loop helpers.
        SubvectorLoopBegin "s_subvector_loop_begin" [LOOP 0x1b] BRANCH AMD;
        /// Branch targets like SOPP.
        SubvectorLoopEnd "s_subvector_loop_end" [LOOP 0x1c] BRANCH AMD;
    }
}

const SOPK: Format = Format {
    name: "SOPK",
    length: Length::Bytes(4),
    opcode: at(23..=27),
    fixed: &[(at(28..=31), 0xb)],
    ..Format::EMPTY
};

const NUMBER: Field = modifier("simm16", at(0..=15), &Hex16, "the number");
const HWREG: Field =
    modifier("simm16", at(0..=15), &HardwareRegister, "hardware register, first bit and width");
const PLACE: Field = target("simm16", at(0..=15), &Branch, "where to go on");

layout!(MOVE = SOPK, [dst("sdst", at(16..=22), &Sgpr(1), "result"), NUMBER], "{op} {sdst}, {simm16}");
layout!(
    KEPT = SOPK,
    [inout("sdst", at(16..=22), &Sgpr(1), "source and result"), NUMBER],
    "{op} {sdst}, {simm16}"
);
layout!(
    COMPARE = SOPK,
    [src("sdst", at(16..=22), &Sgpr(1), "what is compared"), NUMBER],
    "{op} {sdst}, {simm16}"
);
layout!(
    WAIT_FOR = SOPK,
    [src("sdst", at(16..=22), &Sgpr(1), "added to the number, mostly null"), NUMBER],
    "{op} {sdst}, {simm16}"
);
layout!(
    VERSION = SOPK,
    [modifier("simm16", at(0..=15), &Version, "version of what made the program")],
    "{op} {simm16}"
);
layout!(GET = SOPK, [dst("sdst", at(16..=22), &Sgpr(1), "result"), HWREG], "{op} {sdst}, {simm16}");
layout!(SET = SOPK, [HWREG, src("sdst", at(16..=22), &Sgpr(1), "source")], "{op} {simm16}, {sdst}");
layout!(
    SET_TO = SOPK,
    [HWREG, modifier("imm32", at(32..=63), &Hex, "what is written")],
    "{op} {simm16}, {imm32}",
    length: Length::Bytes(8),
);
layout!(
    CALL = SOPK,
    [dst("sdst", at(16..=22), &Sgpr(2), "address of the next instruction"), PLACE],
    "{op} {sdst}, {simm16}"
);
layout!(
    LOOP = SOPK,
    [inout("sdst", at(16..=22), &Sgpr(1), "saved half of exec"), PLACE],
    "{op} {sdst}, {simm16}"
);
