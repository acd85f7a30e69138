//! SOPP: branches, waits and what else steers a wave (spec 4, 5.5).

use super::layout::*;
use crate::operand::immediate::{DependencyCounts, Hex16, Message, Small16, WaitCounts};
use crate::operand::place::Branch;
use chiaro_isa::{Format, Length, Tagged, UInt, at, modifier, operations, target};

operations! {
    /// What steers a wave.
    pub enum Sopp => ROWS {
        /// imm[3:0]+1 wait states.
        Nop "s_nop" [NUMBER 0x00] EMPTY_SLOT AMD;
        /// End of wave (implies all waits).
        Endpgm "s_endpgm" [END 0x01] STEER AMD;
        /// PC = PC+4+4*sext(imm).
        Branch "s_branch" [BRANCHES 0x02] BRANCH AMD;
        /// Wake sleeping waves of the workgroup.
        Wakeup "s_wakeup" [NOTHING 0x03] SALU AMD;
        /// Branch if SCC = 0 / 1.
        CbranchScc0 "s_cbranch_scc0" [BRANCHES 0x04] BRANCH AMD { implicit: READS_SCC };
        /// Branch if SCC = 0 / 1.
        CbranchScc1 "s_cbranch_scc1" [BRANCHES 0x05] BRANCH AMD { implicit: READS_SCC };
        /// Branch if VCC = 0 / != 0.
        CbranchVccz "s_cbranch_vccz" [BRANCHES 0x06] BRANCH AMD { implicit: READS_VCC };
        /// Branch if VCC = 0 / != 0.
        CbranchVccnz "s_cbranch_vccnz" [BRANCHES 0x07] BRANCH AMD { implicit: READS_VCC };
        /// Branch if EXEC = 0 / != 0.
        CbranchExecz "s_cbranch_execz" [BRANCHES 0x08] BRANCH AMD { implicit: READS_EXEC };
        /// Branch if EXEC = 0 / != 0.
        CbranchExecnz "s_cbranch_execnz" [BRANCHES 0x09] BRANCH AMD { implicit: READS_EXEC };
        /// Wait for all waves of the workgroup (no implicit memory wait; a single-wave workgroup treats it as a nop).
        Barrier "s_barrier" [NOTHING 0x0a] BARRIER AMD;
        /// STATUS.kill = imm[0].
        Setkill "s_setkill" [NUMBER 0x0b] SALU AMD;
        /// Section 10.
        Waitcnt "s_waitcnt" [WAIT_FOR 0x0c] WAIT AMD;
        /// HALT = imm[0].
        Sethalt "s_sethalt" [NUMBER 0x0d] SALU AMD;
        /// About 64*imm[6:0] clocks.
        Sleep "s_sleep" [NUMBER 0x0e] EMPTY_SLOT AMD;
        /// User priority imm[1:0].
        Setprio "s_setprio" [NUMBER 0x0f] EMPTY_SLOT AMD;
        /// Message imm.
        Sendmsg "s_sendmsg" [SEND 0x10] MESSAGE AMD { implicit: READS_M0 };
        /// Payload M0.
        Sendmsghalt "s_sendmsghalt" [SEND 0x11] MESSAGE AMD { implicit: READS_M0 };
        /// Trap id imm[7:0].
        Trap "s_trap" [NUMBER 0x12] BARRIER AMD;
        /// Invalidate instruction cache.
        IcacheInv "s_icache_inv" [NOTHING 0x13] SALU AMD;
        /// Performance counter control.
        Incperflevel "s_incperflevel" [NUMBER 0x14] SALU AMD;
        /// Performance counter control.
        Decperflevel "s_decperflevel" [NUMBER 0x15] SALU AMD;
        /// Thread trace (M0 / imm).
        Ttracedata "s_ttracedata" [NOTHING 0x16] SALU AMD;
        /// Debug branches.
        CbranchCdbgsys "s_cbranch_cdbgsys" [BRANCHES 0x17] BRANCH AMD;
        /// Debug branches.
        CbranchCdbguser "s_cbranch_cdbguser" [BRANCHES 0x18] BRANCH AMD;
        /// Debug branches.
        CbranchCdbgsysOrUser "s_cbranch_cdbgsys_or_user" [BRANCHES 0x19] BRANCH AMD;
        /// Debug branches.
        CbranchCdbgsysAndUser "s_cbranch_cdbgsys_and_user" [BRANCHES 0x1a] BRANCH AMD;
        /// End after context save / ordered done.
        EndpgmSaved "s_endpgm_saved" [NOTHING 0x1b] SALU AMD;
        /// End after context save / ordered done.
        EndpgmOrderedPsDone "s_endpgm_ordered_ps_done" [NOTHING 0x1e] SALU AMD;
        /// Padding, must not be executed.
        CodeEnd "s_code_end" [NOTHING 0x1f] EMPTY_SLOT AMD;
        /// Section 12.
        InstPrefetch "s_inst_prefetch" [HEXADECIMAL 0x20] EMPTY_SLOT AMD;
        /// Section 12.
        Clause "s_clause" [HEXADECIMAL 0x21] EMPTY_SLOT AMD;
        /// Wait for all counters and outstanding work.
        WaitIdle "s_wait_idle" [NOTHING 0x22] WAIT AMD;
        /// Section 10.5.
        WaitcntDepctr "s_waitcnt_depctr" [DEPENDENCIES 0x23] WAIT AMD;
        /// MODE[3:0] = imm[3:0].
        RoundMode "s_round_mode" [HEXADECIMAL 0x24] SALU AMD;
        /// MODE[7:4] = imm[3:0].
        DenormMode "s_denorm_mode" [NUMBER 0x25] SALU AMD;
        /// Thread trace (M0 / imm).
        TtracedataImm "s_ttracedata_imm" [HEXADECIMAL 0x28] SALU AMD;
    }
}

const SOPP: Format = Format {
    name: "SOPP",
    length: Length::Bytes(4),
    opcode: at(16..=22),
    fixed: &[(at(23..=31), 0x17f)],
    ..Format::EMPTY
};

layout!(NOTHING = SOPP, [], "{op}");
layout!(END = SOPP, [modifier("simm16", at(0..=15), &Tagged(" ", &UInt), "no effect")], "{op}[{simm16}]");
layout!(BRANCHES = SOPP, [target("simm16", at(0..=15), &Branch, "where to go on")], "{op} {simm16}");
layout!(NUMBER = SOPP, [modifier("simm16", at(0..=15), &Small16, "the number")], "{op} {simm16}");
layout!(HEXADECIMAL = SOPP, [modifier("simm16", at(0..=15), &Hex16, "the number")], "{op} {simm16}");
layout!(
    WAIT_FOR = SOPP,
    [modifier("simm16", at(0..=15), &WaitCounts, "how many may be left")],
    "{op} {simm16}"
);
layout!(
    DEPENDENCIES = SOPP,
    [modifier("simm16", at(0..=15), &DependencyCounts, "how many may be left")],
    "{op} {simm16}"
);
layout!(SEND = SOPP, [modifier("simm16", at(0..=15), &Message, "the message")], "{op} {simm16}");
