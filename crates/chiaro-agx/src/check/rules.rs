//! The rules, and how breaches of them are reported.

use chiaro_isa::finding::{Finding, Rule, Severity};

use super::step::Step;

const fn error(id: &'static str, text: &'static str, advice: &'static str, source: &'static str) -> Rule {
    Rule { id, severity: Severity::Error, text, advice, source }
}

pub(super) static UNKNOWN: Rule = error(
    "unknown",
    "bytes that are reached are no instruction, or have an operand without a meaning",
    "",
    "spec 22",
);
pub(super) static TARGET: Rule =
    error("target", "a branch goes to no instruction of the same part", "", "spec 6.3, 15");
pub(super) static END: Rule =
    error("end", "execution runs off the end of a program", "end it with stop", "spec 15");
pub(super) static OPEN: Rule =
    error("open", "a part that others follow ends by itself", "leave the stop to the last part", "spec 15");
pub(super) static TRAPS: Rule =
    error("traps", "fewer than 8 traps stand behind a stop", "add traps", "spec 6.3");
pub(super) static REGISTERS: Rule = error(
    "registers",
    "a register beyond those that are declared is another SIMD-group's",
    "declare more halves",
    "spec 2.1",
);
pub(super) static ODD: Rule = error(
    "odd",
    "the half number of a 32-bit register is odd",
    "begin at the low half of a register",
    "spec 3.2, 3.3",
);
pub(super) static TABLE: Rule = error(
    "truth-table",
    "a truth table of the second source alone gives the first one",
    "exchange the sources: 0101 copies, 1010 complements the first",
    "spec 4, 13",
);
pub(super) static PREAMBLE: Rule = error(
    "preamble",
    "uniforms and states are stored by what is no preamble",
    "move the store to the preamble",
    "spec 8.5",
);
pub(super) static WAIT: Rule = error(
    "wait",
    "a register is touched before the result that is on its way to it has come",
    "wait for its slot before",
    "spec 10.1",
);
pub(super) static HELD: Rule = error(
    "write-after-read",
    "a register is written that a store may still read, if stores read when they are done",
    "wait for the store's slot before",
    "spec 21, store-sources=done",
);
pub(super) static OUTSTANDING: Rule = error(
    "outstanding",
    "more than 8 operations are on their way on a slot",
    "wait for the slot",
    "spec 10.1",
);
pub(super) static BARRIER: Rule = error(
    "barrier-wait",
    "a barrier is reached while operations are on their way",
    "wait for both slots before",
    "spec 10.1, 10.3",
);
pub(super) static LEFT: Rule = error(
    "part-wait",
    "a part ends while results are on their way, of which the next one does not know",
    "wait for both slots at the end",
    "spec 10.1, 15",
);
pub(super) static COUNTER: Rule = error(
    "counter",
    "the mask follows r0l, which is not known to count levels from 0 on some way",
    "write mov_imm r0l, 0 before the first such instruction",
    "spec 2.1, 13",
);
pub(super) static NESTING: Rule = error(
    "nesting",
    "levels of nesting differ between ways, or are left at the end",
    "undo each if and push with a pop",
    "spec 6.2",
);
pub(super) static FENCE: Rule = error(
    "fence",
    "pixels that overlap are not waited for on some way",
    "wait_pix 1 before a test, 8 before ld_tile, 12 before st_tile",
    "spec 10.2",
);
pub(super) static TESTED: Rule = error(
    "tested",
    "samples are tested or killed that have been tested before",
    "kill first, then test once",
    "spec 9.6",
);
pub(super) static UNTESTED: Rule = error(
    "untested",
    "a program that kills samples tests those that are left on no way, or not on all",
    "test with sample_mask 255, 255, or zs_emit",
    "spec 9.6",
);
pub(super) static ORDER: Rule = error(
    "coverage-order",
    "a sample mask comes behind a store to the tilebuffer",
    "move it before the first st_tile",
    "spec 9.6, 10.4",
);
pub(super) static VARYINGS: Rule = error(
    "varyings",
    "the last varying is not marked once on every way, or others follow it",
    "end the outputs with one st_var_final, or no_var where there are none",
    "spec 9.5",
);
pub(super) static STACK: Rule = error(
    "stack",
    "the stack is used before words of it are taken, or differs between ways, or is not given back",
    "begin with stack_adjust, and undo it in a part that runs for each sample",
    "spec 8.6",
);

pub(super) static SHUFFLE: Rule = error(
    "shuffle-index",
    "lanes that do not run may have something in the index of a shuffle, whose low bits a quad shares",
    "write 0 to it before lanes part, and again behind the shuffle",
    "spec 7.2",
);

pub(super) static LINK: Rule = error(
    "link-register",
    "r1 is read behind a call, which has written to it where it came from",
    "save r1 before the call, and write it behind",
    "spec 2.1, 6.3",
);

/// All of them.
pub static ALL: [&Rule; 24] = [
    &UNKNOWN,
    &TARGET,
    &END,
    &OPEN,
    &TRAPS,
    &REGISTERS,
    &ODD,
    &TABLE,
    &PREAMBLE,
    &WAIT,
    &HELD,
    &OUTSTANDING,
    &BARRIER,
    &LEFT,
    &COUNTER,
    &NESTING,
    &FENCE,
    &TESTED,
    &UNTESTED,
    &ORDER,
    &VARYINGS,
    &STACK,
    &SHUFFLE,
    &LINK,
];

/// A breach at an instruction.
pub(super) fn at(rule: &'static Rule, step: &Step, message: String) -> Finding {
    let place = Some(format!("byte {:#x}", step.offset));
    Finding { rule, at: Some(step.number), place, message }
}
