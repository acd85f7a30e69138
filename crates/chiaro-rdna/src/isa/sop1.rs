//! SOP1: scalar operations of one source (spec 4, 5.3).

use super::layout::*;
use crate::operand::register::Sgpr;
use crate::operand::source::Source;
use chiaro_isa::{Field, Format, Length, at, dst, inout, operations, split, src};

operations! {
    /// Scalar operations of one source.
    pub enum Sop1 => ROWS {
        /// D = S0.
        MovB32 "s_mov_b32" [WORD 0x03] SCALAR_MOVE AMD;
        /// D = S0.
        MovB64 "s_mov_b64" [LONG 0x04] SCALAR_MOVE AMD;
        /// If SCC: D = S0.
        CmovB32 "s_cmov_b32" [KEPT 0x05] SCALAR_MOVE AMD { implicit: READS_SCC };
        /// If SCC: D = S0.
        CmovB64 "s_cmov_b64" [KEPT_LONG 0x06] SCALAR_MOVE AMD { implicit: READS_SCC };
        /// ~S0; SCC: whether the result is not zero.
        NotB32 "s_not_b32" [WORD 0x07] SALU AMD { implicit: SCC };
        /// ~S0; SCC: whether the result is not zero.
        NotB64 "s_not_b64" [LONG 0x08] SALU AMD { implicit: SCC };
        /// Each group of 4 bits becomes 1111 if any was set; SCC: whether the result is not zero.
        WqmB32 "s_wqm_b32" [WORD 0x09] SALU AMD { implicit: SCC };
        /// Each group of 4 bits becomes 1111 if any was set; SCC: whether the result is not zero.
        WqmB64 "s_wqm_b64" [LONG 0x0a] SALU AMD { implicit: SCC };
        /// Reverse bits.
        BrevB32 "s_brev_b32" [WORD 0x0b] SALU AMD;
        /// Reverse bits.
        BrevB64 "s_brev_b64" [LONG 0x0c] SALU AMD;
        /// Count zero bits; SCC: whether the result is not zero.
        Bcnt0I32B32 "s_bcnt0_i32_b32" [WORD 0x0d] SALU AMD { implicit: SCC };
        /// Count zero bits; SCC: whether the result is not zero.
        Bcnt0I32B64 "s_bcnt0_i32_b64" [WORD_OF_LONG 0x0e] SALU AMD { implicit: SCC };
        /// Count one bits; SCC: whether the result is not zero.
        Bcnt1I32B32 "s_bcnt1_i32_b32" [WORD 0x0f] SALU AMD { implicit: SCC };
        /// Count one bits; SCC: whether the result is not zero.
        Bcnt1I32B64 "s_bcnt1_i32_b64" [WORD_OF_LONG 0x10] SALU AMD { implicit: SCC };
        /// Index of lowest 0 bit.
        Ff0I32B32 "s_ff0_i32_b32" [WORD 0x11] SALU AMD;
        /// -1 if none.
        Ff0I32B64 "s_ff0_i32_b64" [WORD_OF_LONG 0x12] SALU AMD;
        /// Index of lowest 1 bit.
        Ff1I32B32 "s_ff1_i32_b32" [WORD 0x13] SALU AMD;
        /// -1 if none.
        Ff1I32B64 "s_ff1_i32_b64" [WORD_OF_LONG 0x14] SALU AMD;
        /// Number of zeros before the first 1 from the MSB.
        FlbitI32B32 "s_flbit_i32_b32" [WORD 0x15] SALU AMD;
        /// -1 if none.
        FlbitI32B64 "s_flbit_i32_b64" [WORD_OF_LONG 0x16] SALU AMD;
        /// Number of leading bits equal to the sign bit, i.e. index from MSB of the first differing bit.
        FlbitI32 "s_flbit_i32" [WORD 0x17] SALU AMD;
        /// -1 if all equal.
        FlbitI32I64 "s_flbit_i32_i64" [WORD_OF_LONG 0x18] SALU AMD;
        /// Sign-extend.
        SextI32I8 "s_sext_i32_i8" [WORD 0x19] SALU AMD;
        /// Sign-extend.
        SextI32I16 "s_sext_i32_i16" [WORD 0x1a] SALU AMD;
        /// Clear bit S0[4:0] / [5:0] of D.
        Bitset0B32 "s_bitset0_b32" [BIT 0x1b] SALU AMD;
        /// Clear bit S0[4:0] / [5:0] of D.
        Bitset0B64 "s_bitset0_b64" [BIT_OF_LONG 0x1c] SALU AMD;
        /// Set bit.
        Bitset1B32 "s_bitset1_b32" [BIT 0x1d] SALU AMD;
        /// Set bit.
        Bitset1B64 "s_bitset1_b64" [BIT_OF_LONG 0x1e] SALU AMD;
        /// D = address of next instruction.
        GetpcB64 "s_getpc_b64" [RESULT 0x1f] SALU AMD;
        /// PC = S0.
        SetpcB64 "s_setpc_b64" [JUMP 0x20] BRANCH AMD;
        /// D = address of next instruction; PC = S0 (D may equal S0: source is read first).
        SwappcB64 "s_swappc_b64" [CALL 0x21] BRANCH AMD;
        /// Return from trap: PRIV=0, PC=S0.
        RfeB64 "s_rfe_b64" [JUMP 0x22] BRANCH AMD;
        /// D=EXEC; SCC: whether EXEC is not zero.
        AndSaveexecB64 "s_and_saveexec_b64" [LONG 0x24] SALU AMD { implicit: EXEC_SCC };
        /// D=EXEC; SCC: whether EXEC is not zero.
        OrSaveexecB64 "s_or_saveexec_b64" [LONG 0x25] SALU AMD { implicit: EXEC_SCC };
        /// EXEC = S0 ^ EXEC; SCC: whether EXEC is not zero.
        XorSaveexecB64 "s_xor_saveexec_b64" [LONG 0x26] SALU AMD { implicit: EXEC_SCC };
        /// EXEC = S0 & ~EXEC(old); SCC: whether EXEC is not zero.
        Andn2SaveexecB64 "s_andn2_saveexec_b64" [LONG 0x27] SALU AMD { implicit: EXEC_SCC };
        /// EXEC = S0 or ~EXEC(old); SCC: whether EXEC is not zero.
        Orn2SaveexecB64 "s_orn2_saveexec_b64" [LONG 0x28] SALU AMD { implicit: EXEC_SCC };
        /// EXEC = ~(S0 & EXEC); SCC: whether EXEC is not zero.
        NandSaveexecB64 "s_nand_saveexec_b64" [LONG 0x29] SALU AMD { implicit: EXEC_SCC };
        /// EXEC = ~(S0 or EXEC); SCC: whether EXEC is not zero.
        NorSaveexecB64 "s_nor_saveexec_b64" [LONG 0x2a] SALU AMD { implicit: EXEC_SCC };
        /// EXEC = ~(S0 ^ EXEC); SCC: whether EXEC is not zero.
        XnorSaveexecB64 "s_xnor_saveexec_b64" [LONG 0x2b] SALU AMD { implicit: EXEC_SCC };
        /// Bit i = any of bits 4i..4i+3; SCC: whether the result is not zero.
        QuadmaskB32 "s_quadmask_b32" [WORD 0x2c] SALU AMD { implicit: SCC };
        /// Bit i = any of bits 4i..4i+3; SCC: whether the result is not zero.
        QuadmaskB64 "s_quadmask_b64" [LONG 0x2d] SALU AMD { implicit: SCC };
        /// D = SGPR[S0 number + M0].
        MovrelsB32 "s_movrels_b32" [FROM 0x2e] SCALAR_MOVE AMD { implicit: READS_M0 };
        /// D = SGPR[S0 number + M0].
        MovrelsB64 "s_movrels_b64" [FROM_LONG 0x2f] SCALAR_MOVE AMD { implicit: READS_M0 };
        /// SGPR[D number + M0] = S0.
        MovreldB32 "s_movreld_b32" [WORD 0x30] SCALAR_MOVE AMD { implicit: READS_M0 };
        /// SGPR[D number + M0] = S0.
        MovreldB64 "s_movreld_b64" [LONG 0x31] SCALAR_MOVE AMD { implicit: READS_M0 };
        /// Abs (0x80000000 stays); SCC: whether the result is not zero.
        AbsI32 "s_abs_i32" [WORD 0x34] SALU AMD { implicit: SCC };
        /// D=EXEC; SCC: whether EXEC is not zero.
        Andn1SaveexecB64 "s_andn1_saveexec_b64" [LONG 0x37] SALU AMD { implicit: EXEC_SCC };
        /// D=EXEC; SCC: whether EXEC is not zero.
        Orn1SaveexecB64 "s_orn1_saveexec_b64" [LONG 0x38] SALU AMD { implicit: EXEC_SCC };
        /// EXEC = ~S0 & EXEC; SCC: whether EXEC is not zero.
        Andn1WrexecB64 "s_andn1_wrexec_b64" [LONG 0x39] SALU AMD { implicit: EXEC_SCC };
        /// EXEC = S0 & ~EXEC; SCC: whether EXEC is not zero.
        Andn2WrexecB64 "s_andn2_wrexec_b64" [LONG 0x3a] SALU AMD { implicit: EXEC_SCC };
        /// Each bit of S0 doubled.
        BitreplicateB64B32 "s_bitreplicate_b64_b32" [LONG_OF_WORD 0x3b] SALU AMD;
        /// EXEC = S0 & EXEC; SCC: whether EXEC is not zero.
        AndSaveexecB32 "s_and_saveexec_b32" [WORD 0x3c] SALU AMD { implicit: EXEC_SCC };
        /// EXEC = S0 or EXEC; SCC: whether EXEC is not zero.
        OrSaveexecB32 "s_or_saveexec_b32" [WORD 0x3d] SALU AMD { implicit: EXEC_SCC };
        /// EXEC = S0 ^ EXEC; SCC: whether EXEC is not zero.
        XorSaveexecB32 "s_xor_saveexec_b32" [WORD 0x3e] SALU AMD { implicit: EXEC_SCC };
        /// EXEC = S0 & ~EXEC(old); SCC: whether EXEC is not zero.
        Andn2SaveexecB32 "s_andn2_saveexec_b32" [WORD 0x3f] SALU AMD { implicit: EXEC_SCC };
        /// EXEC = S0 or ~EXEC(old); SCC: whether EXEC is not zero.
        Orn2SaveexecB32 "s_orn2_saveexec_b32" [WORD 0x40] SALU AMD { implicit: EXEC_SCC };
        /// EXEC = ~(S0 & EXEC); SCC: whether EXEC is not zero.
        NandSaveexecB32 "s_nand_saveexec_b32" [WORD 0x41] SALU AMD { implicit: EXEC_SCC };
        /// EXEC = ~(S0 or EXEC); SCC: whether EXEC is not zero.
        NorSaveexecB32 "s_nor_saveexec_b32" [WORD 0x42] SALU AMD { implicit: EXEC_SCC };
        /// EXEC = ~(S0 ^ EXEC); SCC: whether EXEC is not zero.
        XnorSaveexecB32 "s_xnor_saveexec_b32" [WORD 0x43] SALU AMD { implicit: EXEC_SCC };
        /// EXEC = ~S0 & EXEC; SCC: whether EXEC is not zero.
        Andn1SaveexecB32 "s_andn1_saveexec_b32" [WORD 0x44] SALU AMD { implicit: EXEC_SCC };
        /// EXEC = ~S0 or EXEC; SCC: whether EXEC is not zero.
        Orn1SaveexecB32 "s_orn1_saveexec_b32" [WORD 0x45] SALU AMD { implicit: EXEC_SCC };
        /// D = new EXEC; SCC: whether EXEC is not zero.
        Andn1WrexecB32 "s_andn1_wrexec_b32" [WORD 0x46] SALU AMD { implicit: EXEC_SCC };
        /// D = new EXEC; SCC: whether EXEC is not zero.
        Andn2WrexecB32 "s_andn2_wrexec_b32" [WORD 0x47] SALU AMD { implicit: EXEC_SCC };
        /// SGPR[D + M0[25:16]] = SGPR[S0 + M0[9:0]].
        Movrelsd2B32 "s_movrelsd_2_b32" [WORD 0x49] SCALAR_MOVE AMD { implicit: READS_M0 };
    }
}

const SOP1: Format = Format {
    name: "SOP1",
    length: Length::Literal { asked: &[(at(0..=7), 255)], short: 4, long: 8 },
    opcode: at(8..=15),
    fixed: &[(at(23..=31), 0x17d)],
    ..Format::EMPTY
};
/// Without a literal.
const SHORT: Format = Format { length: Length::Bytes(4), ..SOP1 };

const fn result(kind: &'static Sgpr) -> Field {
    dst("sdst", at(16..=22), kind, "result")
}
const fn kept(kind: &'static Sgpr) -> Field {
    inout("sdst", at(16..=22), kind, "result, the rest of which is kept")
}
const fn source(kind: &'static Source) -> Field {
    src("ssrc0", split([32..=63, 0..=7]), kind, "source")
}
const fn register(kind: &'static Source) -> Field {
    src("ssrc0", at(0..=7), kind, "source")
}
const SYNTAX: &str = "{op} {sdst}, {ssrc0}";

layout!(WORD = SOP1, [result(&Sgpr(1)), source(&SW)], SYNTAX);
layout!(LONG = SOP1, [result(&Sgpr(2)), source(&SL)], SYNTAX);
layout!(WORD_OF_LONG = SOP1, [result(&Sgpr(1)), source(&SL)], SYNTAX);
layout!(LONG_OF_WORD = SOP1, [result(&Sgpr(2)), source(&SW)], SYNTAX);
layout!(BIT = SOP1, [kept(&Sgpr(1)), source(&SW)], SYNTAX);
layout!(BIT_OF_LONG = SOP1, [kept(&Sgpr(2)), source(&SW)], SYNTAX);
layout!(KEPT = SOP1, [kept(&Sgpr(1)), source(&SW)], SYNTAX);
layout!(KEPT_LONG = SOP1, [kept(&Sgpr(2)), source(&SL)], SYNTAX);
layout!(FROM = SHORT, [result(&Sgpr(1)), register(&ONE)], SYNTAX);
layout!(FROM_LONG = SHORT, [result(&Sgpr(2)), register(&PAIR)], SYNTAX);
layout!(RESULT = SHORT, [result(&Sgpr(2))], "{op} {sdst}");
layout!(JUMP = SOP1, [source(&SL)], "{op} {ssrc0}");
layout!(CALL = SOP1, [result(&Sgpr(2)), source(&SL)], SYNTAX);
