//! The rules, and how breaches of them are reported.

use super::Found;
use chiaro_isa::finding::{Finding, Rule, Severity};

const fn error(id: &'static str, text: &'static str, advice: &'static str, source: &'static str) -> Rule {
    Rule { id, severity: Severity::Error, text, advice, source }
}

const fn warning(id: &'static str, text: &'static str, advice: &'static str, source: &'static str) -> Rule {
    Rule { id, severity: Severity::Warning, text, advice, source }
}

pub(super) static WAIT: Rule = error(
    "wait",
    "a register is touched before what is loaded into it has come",
    "wait for the counter before",
    "spec 10.3, measured on ACO's words",
);
pub(super) static BARRIER: Rule = error(
    "barrier-wait",
    "LDS is written and a barrier reached without a wait between",
    "wait with lgkmcnt(0) before s_barrier",
    "spec 10.3",
);
pub(super) static CALL: Rule = warning(
    "call-wait",
    "a counter is not zero where another function begins",
    "wait for all counters before, or know that the callee does",
    "spec 10.3",
);
pub(super) static CONSTANT_BUS: Rule = error(
    "constant-bus",
    "a vector instruction reads more different scalars than it can",
    "copy one of them to a vector register",
    "spec 3.3",
);
pub(super) static DLC: Rule = error("dlc", "dlc is set on a store or an atomic", "clear dlc", "spec 9.2, 11");
pub(super) static CLAUSE: Rule =
    warning("clause", "a clause holds an instruction of another kind", "shorten the clause", "spec 12.1");
pub(super) static TARGET: Rule = error("target", "a branch goes to no instruction", "", "spec 12.3");
pub(super) static END: Rule =
    error("end", "execution runs off the end of the code", "end the program with s_endpgm", "spec 12.5");
pub(super) static UNKNOWN: Rule =
    error("unknown", "a word that is reached is no instruction", "", "spec 5, LLVM");

pub(super) static OPERAND: Rule = error(
    "operand",
    "an operand has a code that stands for none, or a tuple begins where none may",
    "begin pairs of scalars at even numbers, larger tuples at multiples of four",
    "spec 3.1, 3.3",
);
pub(super) static FLAT_OFFSET: Rule =
    error("flat-offset", "a flat address has an offset", "add it to the address", "spec 8.4, 11");
pub(super) static HALVES: Rule = error(
    "two-halves",
    "in waves of 64 the first half overwrites a scalar that the second one reads",
    "write to another pair",
    "spec 3.3",
);
pub(super) static NO_LANES: Rule = warning(
    "no-lanes",
    "an export is come to right behind lanes going to sleep, maybe without any",
    "branch over it with s_cbranch_execz",
    "spec 11, 12.4",
);
pub(super) static CODE_END: Rule =
    error("code-end", "padding is executed", "end the program with s_endpgm", "spec 12.5");
pub(super) static NEEDLESS: Rule = Rule {
    id: "needless-wait",
    severity: Severity::Note,
    text: "waits bring nothing on any path",
    advice: "",
    source: "spec 10.3",
};
pub(super) static DESCRIPTOR: Rule = error(
    "descriptor",
    "a kernel uses more than its descriptor has",
    "raise the field of the descriptor",
    "spec 13, 19.3",
);

pub(super) static CONTRACT: Rule = error(
    "contract",
    "a function breaks the convention that it is called by, or calls by",
    "keep what the convention says, or change it on both sides",
    "spec 18, 19.6",
);
pub(crate) static UNPROVED: Rule = error(
    "unproved",
    "nobody can tell from the words whether a function keeps its convention",
    "",
    "spec 18, 19.6",
);

/// No breach, so it is none of [`ALL`]: what a proof rests on.
pub(crate) static ASSUMED: Rule = Rule {
    id: "assumed",
    severity: Severity::Note,
    text: "a pointer that no words show to be the address of a function is taken to be one",
    advice: "",
    source: "spec 18, 19.6",
};

/// All of them.
pub static ALL: [&Rule; 18] = [
    &CONTRACT,
    &UNPROVED,
    &WAIT,
    &BARRIER,
    &CALL,
    &CONSTANT_BUS,
    &DLC,
    &CLAUSE,
    &TARGET,
    &END,
    &UNKNOWN,
    &OPERAND,
    &FLAT_OFFSET,
    &HALVES,
    &NO_LANES,
    &CODE_END,
    &NEEDLESS,
    &DESCRIPTOR,
];

/// A breach at a word.
pub(super) fn found(rule: &'static Rule, word: u32, message: String) -> Found {
    let place = Some(format!("word {word}"));
    let finding = Finding { rule, at: Some(word), place, message };
    Found { finding, word, register: None, load: None }
}
