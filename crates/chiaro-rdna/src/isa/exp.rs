//! EXP: exports (spec 4, 8.7).

use super::layout::*;
use crate::operand::attribute::Target;
use crate::operand::memory::Exported;
use chiaro_isa::{Bits, Field, Flag, Format, Length, at, bit, modifier, operations, split, src};

operations! {
    /// Exports.
    pub enum Exp => ROWS {
        /// Hands registers to the next stage or to the color and depth units.
        Exp "exp" [PLAIN 0, COMPRESSED 0] EXPORT LLVM;
    }
}

const EXP: Format = Format {
    name: "EXP",
    length: Length::Bytes(8),
    opcode: Bits::NONE,
    fixed: &[(at(26..=31), 0x3e), (bit(10), 0)],
    ..Format::EMPTY
};
/// Two halves to a register, two registers.
const EXP_COMPRESSED: Format = Format { fixed: &[(at(26..=31), 0x3e), (bit(10), 1)], ..EXP };

const TARGET: Field = modifier("tgt", at(4..=9), &Target, "where it goes");
const DONE: Field = modifier("done", bit(11), &Flag(" done"), "the last export");
const VM: Field = modifier("vm", bit(12), &Flag(" vm"), "exec says which pixels there are");

/// One exported register: whether it is, and which.
macro_rules! exported {
    ($name:literal, $enabled:literal, $bits:expr, $shared:literal) => {
        src($name, split([$enabled..=$enabled, $bits]), &Exported { shared: $shared }, "exported, or off")
    };
}

layout!(
    PLAIN = EXP,
    [
        TARGET,
        exported!("vsrc0", 0, 32..=39, false),
        exported!("vsrc1", 1, 40..=47, false),
        exported!("vsrc2", 2, 48..=55, false),
        exported!("vsrc3", 3, 56..=63, false),
        DONE,
        VM,
    ],
    "{op} {tgt} {vsrc0}, {vsrc1}, {vsrc2}, {vsrc3}{*done vm}"
);
layout!(
    COMPRESSED = EXP_COMPRESSED,
    [
        TARGET,
        exported!("vsrc0", 0, 32..=39, true),
        exported!("vsrc1", 1, 32..=39, true),
        exported!("vsrc2", 2, 40..=47, true),
        exported!("vsrc3", 3, 40..=47, true),
        DONE,
        VM,
    ],
    "{op} {tgt} {vsrc0}, {vsrc1}, {vsrc2}, {vsrc3}{*done} compr{*vm}"
);
