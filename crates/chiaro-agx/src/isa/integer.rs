//! Integers, bits and moves (spec 4).

use super::layout::*;
use crate::operand::alu::{DEST_LONG, EXTENDED, EXTENDED_LONG, INTEGER, WORD};
use crate::operand::flow::SELECT_INTEGER;
use crate::operand::modifier::{BitMask, CONVERSIONS, DECIMAL, ROUNDS, Special, TABLE, binary};
use chiaro_isa::{Bits, Field, Format, Length, at, bit, operations, split, src};

operations! {
    /// Integers, bits and moves.
    pub enum Integer => ROWS {
        /// D is the number.
        MovImm "mov_imm" [IMM16 0x62, IMM32 0xe2] MOVE APPLEGPU;
        /// D is the special register.
        GetSr "get_sr" [SPECIAL 0x72] SCIB2 APPLEGPU;
        /// Reads a special register in an unknown way.
        SrThing "sr_thing" [SPECIAL 0xf2] UNTIMED APPLEGPU { aliases: unexplained!("sr_thing") };
        /// A + (B << s).
        Iadd "iadd" [SUM 0] SCIB APPLEGPU;
        /// A + (-B << s).
        Isub "isub" [SUM 1] SCIB APPLEGPU;
        /// A * B + (C << s), exact before it is cut to the size of D.
        Imadd "imadd" [PRODUCT 0] IC APPLEGPU;
        /// A * B + (-C << s).
        Imsub "imsub" [PRODUCT 1] IC APPLEGPU;
        /// n = C & 127: (A & ~(mask << n)) + ((B & mask) << n): shift left where A is 0 and there is no mask.
        Bfi "bfi" [FIELD 0b0_00] IC APPLEGPU;
        /// (A & ~mask) + ((B >> n) & mask): logical shift right where A is 0 and there is no mask.
        Bfeil "bfeil" [FIELD 0b1_00] IC APPLEGPU;
        /// (((B << 32) + A) >> n) & mask: rotate right where A is B.
        Extr "extr" [FIELD 0b0_01] IC APPLEGPU;
        /// The high half of B << n, inserted into A.
        Shlhi "shlhi" [FIELD 0b0_10] UNTIMED APPLEGPU;
        /// The low half of (B << 32) >> n, inserted into A.
        Shrhi "shrhi" [FIELD 0b1_10] UNTIMED APPLEGPU;
        /// A >> (B & 127), with the sign of A in its size.
        Asr "asr" [SHIFT 0b1_01] IC APPLEGPU;
        /// (A << 32) >> (B & 127), with the sign of A in its size.
        Asrh "asrh" [SHIFT 0b1_11] UNTIMED APPLEGPU;
        /// The truth table, bit by bit: its first digit where both bits are 0, then A alone, B alone, both. Tables 0011 and 1100 give A.
        Bitop "bitop" [TABLES 0x7e] SCIB APPLEGPU;
        /// A & B.
        And "and" [TABLE_OF_TWO 0b0001] SCIB APPLEGPU;
        /// A or B.
        Or "or" [TABLE_OF_TWO 0b0111] SCIB APPLEGPU;
        /// A ^ B.
        Xor "xor" [TABLE_OF_TWO 0b0110] SCIB APPLEGPU;
        /// ~(A & B).
        Nand "nand" [TABLE_OF_TWO 0b1110] SCIB APPLEGPU;
        /// ~(A or B).
        Nor "nor" [TABLE_OF_TWO 0b1000] SCIB APPLEGPU;
        /// ~(A ^ B).
        Xnor "xnor" [TABLE_OF_TWO 0b1001] SCIB APPLEGPU;
        /// ~A.
        Not "not" [TABLE_OF_ONE 0b1010] SCIB APPLEGPU;
        /// A.
        Mov "mov" [TABLE_OF_ONE 0b0101] MOVE APPLEGPU;
        /// Between integers and floats (spec 4.2).
        Convert "convert" [CONVERT 0x3e] UNTIMED APPLEGPU;
        /// The low 16 bits of A and B by turns, A's first.
        Intl "intl" [INTERLEAVE 0x3e] UNTIMED APPLEGPU;
        /// The 32 bits of A in reverse.
        Bitrev "bitrev" [UNARY 1] UNTIMED APPLEGPU;
        /// How many bits of A are set.
        Popcount "popcount" [UNARY 2] UNTIMED APPLEGPU;
        /// Place of the highest set bit of A, or all ones if there is none: in spite of its name.
        Ffs "ffs" [UNARY 3] UNTIMED APPLEGPU;
        /// Unknown operation of one source.
        Iunop "iunop" [UNARY_OTHER 1, UNARY_OTHER 2, UNARY_OTHER 3] UNTIMED APPLEGPU;
        /// A cc B ? X : Y, bit for bit.
        Icmpsel "icmpsel" [SELECT 0x12] SCIB APPLEGPU;
    }
}

/// Six bytes without a choice.
const SIX: Format = Format { length: Length::Bytes(6), ..Format::EMPTY };
/// Eight bytes without a choice.
const EIGHT: Format = Format { length: Length::Bytes(8), ..Format::EMPTY };

layout!(
    /// The size of D tells the sizes of the number apart.
    IMM16 = Format::EMPTY,
    [result(44), modify("imm16", at(16..=31), &DECIMAL, "the number")],
    " {D}, {imm16}",
    name: "move of 16 bits", length: by_15(4, 6), opcode: split([8..=8, 0..=6]),
);
layout!(
    IMM32 = Format::EMPTY,
    [
        result(60),
        modify("imm32", at(16..=47), &DECIMAL, "the number"),
        modify("kill", bit(62), &binary(1), "by its name: helper lanes end here [unknown]"),
    ],
    " {D}, {imm32}, {kill}",
    name: "move of 32 bits", length: by_15(6, 8), opcode: split([8..=8, 0..=6]),
);
layout!(
    SPECIAL = Format::EMPTY,
    [result(28), modify("SR", split([26..=27, 16..=21]), &Special, "which special register")],
    " {D}, {SR}",
    name: "special register", length: Length::Bytes(4), opcode: split([15..=15, 0..=6]),
);

const NEGATED: Field =
    modify("N", bit(27), &DECIMAL, "whether the last source is negated, before it is shifted").view();
const LSL: Field =
    modify("s", split([52..=53, 39..=39]), &DECIMAL, "left shift of the last source; above 4 it is 0");

layout!(
    SUM = EIGHT,
    [
        NEGATED, SATURATE, result_of(44, &DEST_LONG),
        extended("A", 16, 42, &EXTENDED_LONG), extended("B", 28, 40, &EXTENDED_LONG), LSL,
    ],
    "{S} {D}, {A}, {B}[, lsl {s}]",
    name: "integer sum", opcode: bit(27), fixed: &[(at(0..=5), 0x0e), (bit(15), 0)],
);
layout!(
    PRODUCT = EIGHT,
    [
        NEGATED, SATURATE, result_of(60, &DEST_LONG),
        extended("A", 16, 58, &EXTENDED), extended("B", 28, 56, &EXTENDED),
        extended("C", 40, 54, &EXTENDED_LONG), LSL,
    ],
    "{S} {D}, {A}, {B}, {C}[, lsl {s}]",
    name: "integer product and sum", opcode: bit(27), fixed: &[(at(0..=5), 0x1e), (bit(15), 0)],
);
layout!(
    FIELD = EIGHT,
    [
        result(60), integer("A", 16, 58), integer("B", 28, 56), integer("C", 40, 54),
        modify("m", split([63..=63, 50..=51, 38..=39]), &BitMask, "width of the mask; 0 is all 32 bits"),
    ],
    " {D}, {A}, {B}, {C}[, {m}]",
    name: "bit field", opcode: split([15..=15, 26..=27]), fixed: &[(at(0..=6), 0x2e)],
);
layout!(
    SHIFT = EIGHT,
    [result(60), integer("A", 16, 58), integer("B", 28, 56)],
    " {D}, {A}, {B}",
    name: "arithmetic shift", opcode: split([15..=15, 26..=27]), fixed: &[(at(0..=6), 0x2e)],
);

const TRUTH: Bits = split([26..=26, 27..=27, 38..=38, 39..=39]);

layout!(
    TABLES = SIX,
    [modify("tt", TRUTH, &TABLE, "truth table"), result(44), integer("A", 16, 42), integer("B", 28, 40)],
    " {tt}, {D}, {A}, {B}",
    name: "truth table", opcode: at(0..=6), fixed: &[(bit(15), 0)],
);
layout!(
    TABLE_OF_TWO = SIX,
    [modify("tt", TRUTH, &TABLE, "truth table").view(), result(44), integer("A", 16, 42), integer("B", 28, 40)],
    " {D}, {A}, {B}",
    name: "named truth table", opcode: TRUTH, fixed: &[(at(0..=6), 0x7e), (bit(15), 0)],
);
layout!(
    TABLE_OF_ONE = SIX,
    [
        modify("tt", TRUTH, &TABLE, "truth table").view(), result(44), integer("A", 16, 42),
        src("B", place(28, 40, 4, 0), &INTEGER, "zero").view(),
    ],
    " {D}, {A}",
    name: "named truth table of one source", opcode: TRUTH,
    fixed: &[(at(0..=6), 0x7e), (bit(15), 0), (place(28, 40, 4, 0), 0)],
);
layout!(
    CONVERT = SIX,
    [
        modify("mode", at(16..=21), &CONVERSIONS, "from what to what"), result(44),
        src("src", place(28, 40, 4, 0), &INTEGER, "source"),
        modify("round", at(26..=27), &ROUNDS, "rounding"),
    ],
    " {mode}, {D}, {src}, {round}",
    name: "conversion", opcode: at(0..=6),
    fixed: &[(bit(15), 1), (at(22..=25), 0), (at(38..=39), 0), (at(42..=43), 0)],
);
layout!(
    INTERLEAVE = SIX,
    [result(44), integer("A", 16, 42), integer("B", 28, 40)],
    " {D}, {A}, {B}",
    name: "interleave", opcode: at(0..=6), fixed: &[(bit(15), 0), (at(26..=27), 0), (at(38..=39), 0)],
);
layout!(
    UNARY = SIX,
    [result(44), integer("A", 16, 42)],
    " {D}, {A}",
    name: "integer of one source", opcode: at(26..=27),
    fixed: &[(at(0..=6), 0x3e), (bit(15), 0), (at(28..=37), 0), (at(38..=39), 0)],
);
layout!(
    UNARY_OTHER = SIX,
    [
        result(44), integer("A", 16, 42),
        mystery("op1", at(38..=39), &binary(2)), mystery("op2", at(26..=27), &binary(2)),
    ],
    " {D}, {A}, {op1}, {op2}",
    name: "unknown integer of one source", opcode: at(38..=39),
    fixed: &[(at(0..=6), 0x3e), (bit(15), 0), (at(28..=37), 0)],
);
layout!(
    SELECT = Format::EMPTY,
    [
        modify("cc", at(61..=63), &SELECT_INTEGER, "condition"), result(76),
        integer("A", 16, 74), integer("B", 28, 72), selected("X", 40, 70), selected("Y", 52, 68),
    ],
    " {cc}, {D}, {A}, {B}, {X}, {Y}",
    name: "integer select", length: by_15(8, 10), opcode: at(0..=6),
);

/// A source of a select has the size of the result, which bit 8 says.
pub(super) const fn selected(name: &'static str, low: u8, high: u8) -> Field {
    let bits = split([8..=8, high..=high + 1, low..=low + 5, low + 6..=low + 8]);
    src(name, bits, &crate::operand::alu::Selected, "what D becomes")
}

/// A 32-bit register that holds an address of code.
pub(super) const fn code_register() -> Field {
    src("reg32", at(9..=15), &WORD, "address")
}
