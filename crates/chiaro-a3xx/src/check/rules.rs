//! The rules, one per fact of the machine. spec sections 13 to 18.

use chiaro_isa::finding::{Finding, Rule, Severity};

const fn rule(id: &'static str, text: &'static str, advice: &'static str, source: &'static str) -> Rule {
    Rule { id, severity: Severity::Error, text, advice, source }
}

/// No instruction of the generation has these bits.
pub static UNKNOWN: Rule = rule("unknown-word", "Every word up to the end is an instruction.", "", "isaspec");
/// Operands that no hardware runs, as the assembler refuses them.
pub static LEGALITY: Rule = rule("legality", "Operands are what the hardware can run.", "", "ir3");
/// An ALU result is read before its slots are over.
pub static DELAY: Rule = rule(
    "delay",
    "Between an ALU result and its reader lie 3 slots, 1 for the third source of mad, 6 for anything but the ALU.",
    "put other instructions or a nop between them",
    "ir3_delay",
);
/// A result of special functions or local memory is touched without `(ss)`.
pub static SS: Rule = rule(
    "ss",
    "Results of special functions and local memory are touched after (ss).",
    "set (ss), or put an (ss)nop before instructions that have no such bit",
    "ir3_legalize",
);
/// A result of textures or memory is touched without `(sy)`.
pub static SY: Rule =
    rule("sy", "Results of textures and memory are touched after (sy).", "set (sy)", "ir3_legalize");
/// A register is overwritten while something still reads it.
pub static WRITE_AFTER_READ: Rule = rule(
    "write-after-read",
    "Special functions, textures and memory read their sources late.",
    "set (ss) on the instruction that overwrites the source",
    "ir3_legalize",
);
/// The address register is read without a value or loaded before it is released.
pub static ADDRESS: Rule = rule(
    "address",
    "a0.x is loaded, read, and released by (ul) on its last reader before it is loaded again.",
    "load it with mova before its first reader, and set (ul) on the last one",
    "ir3_legalize_relative",
);
/// Lanes that part have no place to join.
pub static JOIN: Rule = rule(
    "join",
    "The later destination of a branch on which lanes part carries (jp), and so does what a jump over it goes to.",
    "set (jp) on the destination",
    "ir3_reconvergence",
);
/// The last fetch of a varying does not release their storage, or is not the last.
pub static LAST_INPUT: Rule = rule(
    "last-input",
    "(ei) stands on the last varying fetch, in the first block and before any kill.",
    "fetch all varyings first, and set (ei) on the last fetch alone",
    "ir3_legalize",
);
/// Nothing follows a barrier that waits for it.
pub static BARRIER: Rule =
    rule("barrier", "What follows a barrier waits for everything.", "set (ss)(sy)", "ir3_legalize");
/// Control leaves the program, or nothing ends it.
pub static END: Rule = rule(
    "end",
    "Every path ends at an end of the program.",
    "end every path with `end`, and branch to places of the program alone",
    "isaspec",
);
/// Too few empty words behind the program.
pub static PADDING: Rule = rule(
    "padding",
    "Four empty words stand behind the last instruction.",
    "append empty words: the fetch unit reads ahead",
    "fd3",
);

/// All of them.
pub static ALL: [&Rule; 12] = [
    &UNKNOWN,
    &LEGALITY,
    &DELAY,
    &SS,
    &SY,
    &WRITE_AFTER_READ,
    &ADDRESS,
    &JOIN,
    &LAST_INPUT,
    &BARRIER,
    &END,
    &PADDING,
];

/// A broken rule at an instruction.
pub(super) fn finding(rule: &'static Rule, index: usize, message: String) -> Finding {
    Finding { rule, at: Some(index as u32), place: None, message }
}
