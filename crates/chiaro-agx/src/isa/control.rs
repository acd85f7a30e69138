//! The execution mask, branches, calls (spec 6.2, 6.3).

use super::integer::code_register;
use super::layout::*;
use crate::operand::flow::{self, Jump, jump};
use crate::operand::modifier::DECIMAL;
use chiaro_isa::{Bits, Field, Flag, Format, Implicit, Length, Role, at, bit, operations, split, target};

/// The nesting counter, and the mask that follows from it.
const MASK: &[Implicit] =
    &[Implicit { name: "r0l", role: Role::DefUse }, Implicit { name: "exec_mask", role: Role::DefUse }];
const READS_MASK: &[Implicit] = &[Implicit { name: "exec_mask", role: Role::Use }];
const LINK: &[Implicit] = &[Implicit { name: "r1", role: Role::Def }];

operations! {
    /// The execution mask, branches, calls.
    pub enum Control => ROWS {
        /// Lanes in which A cc B does not hold, and those of outer levels, go n levels down.
        IfIcmp "if_icmp" [INTEGERS 0] MASK_STACK APPLEGPU { implicit: MASK };
        /// As if_icmp, of floats.
        IfFcmp "if_fcmp" [FLOATS 0] MASK_STACK APPLEGPU { implicit: MASK };
        /// Active lanes go n levels down; those of this level become active where A cc B holds.
        ElseIcmp "else_icmp" [INTEGERS 1] MASK_STACK APPLEGPU { implicit: MASK };
        /// As else_icmp, of floats.
        ElseFcmp "else_fcmp" [FLOATS 1] MASK_STACK APPLEGPU { implicit: MASK };
        /// Lanes up to n levels down become active where A cc B holds, and go n levels down elsewhere.
        WhileIcmp "while_icmp" [INTEGERS 2] MASK_STACK APPLEGPU { implicit: MASK };
        /// As while_icmp, of floats.
        WhileFcmp "while_fcmp" [FLOATS 2] MASK_STACK APPLEGPU { implicit: MASK };
        /// All lanes come n levels up.
        PopExec "pop_exec" [POP 3] MASK_STACK APPLEGPU { implicit: MASK };
        /// Unknown relative of pop_exec.
        PopExec2 "pop_exec2" [POP2 3] UNTIMED APPLEGPU { implicit: MASK, aliases: unexplained!("pop_exec2") };
        /// Inactive lanes go n levels further down: an if_fcmp whose condition always holds.
        PushExec "push_exec" [ALWAYS 0] MASK_STACK APPLEGPU { implicit: MASK };
        /// The mask follows r0l again: a push_exec of no level.
        UpdateExec "update_exec" [NO_LEVEL 0] MASK_STACK APPLEGPU { implicit: MASK };
        /// Active lanes and those of this level change places: an else_fcmp whose condition always holds.
        ElseExec "else_exec" [ALWAYS 1] MASK_STACK APPLEGPU { implicit: MASK };
        /// Jumps if a lane is active.
        JmpExecAny "jmp_exec_any" [FAR 0xc000] CONTROL APPLEGPU { implicit: READS_MASK };
        /// Jumps if no lane is active.
        JmpExecNone "jmp_exec_none" [FAR 0xc020] CONTROL APPLEGPU { implicit: READS_MASK };
        /// Calls: r1 is the place behind.
        Call "call" [BY_REGISTER 0x04, FAR 0xc010] CONTROL APPLEGPU { implicit: LINK };
        /// Returns to the address in a register.
        Ret "ret" [BY_REGISTER 0x14] CONTROL APPLEGPU;
        /// Jumps under an unknown condition: what zeroes decode to.
        JmpIncomplete "jmp_incomplete" [NEAR 0x0000] CONTROL APPLEGPU;
        /// Jumps unless the helper program is to be signalled.
        JmpIfSkippingDoorbell "jmp_if_skipping_doorbell" [NEAR 0x0020] CONTROL APPLEGPU;
        /// Signals the helper program's firmware.
        Doorbell "doorbell" [SIGNAL 0x28] CONTROL APPLEGPU;
        /// Ends the program.
        Stop "stop" [NOTHING 0x88] CONTROL APPLEGPU;
        /// Faults; eight of them stand behind a stop.
        Trap "trap" [NOTHING 0x08] CONTROL APPLEGPU;
        /// Unknown, seen in Apple's binaries.
        Unk30c0 "unk30C0" [NUMBER 0xc030] UNTIMED APPLEGPU { aliases: unexplained!("unk30C0") };
        /// Unknown, seen in Apple's binaries.
        Unk40c0 "unk40C0" [NOTHING6 0xc040] UNTIMED APPLEGPU { aliases: unexplained!("unk40C0") };
        /// Unknown, seen in Apple's binaries.
        UnkC0000000 "unkC0000000" [NOTHING4 0xc0] UNTIMED APPLEGPU { aliases: unexplained!("unkC0000000") };
        /// Unknown, seen in Apple's binaries.
        UnkE800 "unkE800" [NOTHING 0xe8] UNTIMED APPLEGPU { aliases: unexplained!("unkE800") };
        /// Unknown, seen in Apple's binaries.
        Unk0c00 "unk0C00" [NOTHING 0x0c] UNTIMED APPLEGPU { aliases: unexplained!("unk0C00") };
    }
}

const STACK: Format = Format { length: Length::Bytes(6), opcode: at(9..=10), ..Format::EMPTY };
/// The hint of the nesting counter.
const HINT: Field = modify("Dt", bit(7), &Flag(".cache"), "keep r0l in the register cache");
const LEVELS: Field = modify("n", at(11..=12), &DECIMAL, "levels");
const CONDITION: Bits = split([8..=8, 13..=15]);

layout!(
    INTEGERS = STACK,
    [
        HINT, modify("cc", CONDITION, &flow::INTEGER, "condition"), integer("A", 16, 42), integer("B", 28, 40), LEVELS,
    ],
    " r0l{Dt}, {cc}, {A}, {B}, {n}",
    name: "mask by integers",
    fixed: &[(at(0..=6), 0x52), (at(26..=27), 0), (at(38..=39), 0), (at(44..=45), 0)],
);
layout!(
    FLOATS = STACK,
    [HINT, modify("cc", CONDITION, &flow::FLOAT, "condition"), float("A", 16, 42), float("B", 28, 40), LEVELS],
    " r0l{Dt}, {cc}, {A}, {B}, {n}",
    name: "mask by floats", fixed: &[(at(0..=6), 0x42), (at(44..=45), 0)],
);
layout!(
    POP = STACK,
    [HINT, LEVELS],
    " r0l{Dt}, {n}",
    name: "mask", fixed: &[(at(0..=6), 0x52), (at(13..=47), 0)],
);
layout!(
    POP2 = STACK,
    [HINT, LEVELS],
    " r0l{Dt}, {n}",
    name: "unknown mask", fixed: &[(at(0..=6), 0x52), (at(13..=22), 0), (bit(23), 1)],
);
layout!(
    /// 0.0 == 0.0.
    ALWAYS = STACK,
    [HINT, LEVELS],
    " r0l{Dt}, {n}",
    name: "mask by 0.0 == 0.0", fixed: &[(at(0..=6), 0x42), (CONDITION, 0), (at(16..=45), 0)],
);
layout!(
    NO_LEVEL = STACK,
    [HINT],
    " r0l{Dt}",
    name: "mask by 0.0 == 0.0, no level",
    fixed: &[(at(0..=6), 0x42), (CONDITION, 0), (at(11..=12), 0), (at(16..=45), 0)],
);

static FAR_JUMP: Jump = jump(32);
static NEAR_JUMP: Jump = jump(8);

layout!(
    FAR = Format::EMPTY,
    [target("off", at(16..=47), &FAR_JUMP, "distance from the start of the instruction")],
    " {off}",
    name: "jump", length: Length::Bytes(6), opcode: at(0..=15),
);
layout!(
    NEAR = Format::EMPTY,
    [target("off", at(16..=23), &NEAR_JUMP, "distance from the start of the instruction")],
    " {off}",
    name: "short jump", length: Length::Bytes(4), opcode: at(0..=15), fixed: &[(at(24..=31), 0)],
);
layout!(
    BY_REGISTER = Format::EMPTY,
    [code_register()],
    " {reg32}",
    name: "jump to a register", length: Length::Bytes(2), opcode: at(0..=6),
);
layout!(
    SIGNAL = Format::EMPTY,
    [modify("imm", at(8..=15), &DECIMAL, "which signal")],
    " {imm}",
    name: "doorbell", length: Length::Bytes(2), opcode: at(0..=7),
);
layout!(
    NUMBER = Format::EMPTY,
    [mystery("imm", at(16..=47), &DECIMAL)],
    " {imm}",
    name: "unknown with a number", length: Length::Bytes(6), opcode: at(0..=15),
);
layout!(NOTHING = Format::EMPTY, [], "", name: "no operands, 2 bytes", length: Length::Bytes(2), opcode: at(0..=15));
layout!(NOTHING4 = Format::EMPTY, [], "", name: "no operands, 4 bytes", length: Length::Bytes(4), opcode: at(0..=31));
layout!(NOTHING6 = Format::EMPTY, [], "", name: "no operands, 6 bytes", length: Length::Bytes(6), opcode: at(0..=47));
