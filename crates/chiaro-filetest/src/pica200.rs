//! PICA200: which file is checked by what.

mod assemble;
mod diagnostics;
mod exec;
mod nihcode;
mod numbers;
mod programs;
mod reference;
pub mod valid;
pub(crate) mod whole;

pub(crate) use reference::Case;

use crate::suite::Suite;

/// The files with checks.
pub const SUITES: [Suite; 10] = [
    Suite { file: "enc_single.tsv", companion: None, check: assemble::single },
    Suite { file: "opdesc_alloc.jsonl", companion: None, check: assemble::descriptors },
    Suite { file: "asm_diagnostics.jsonl", companion: None, check: diagnostics::diagnostics },
    Suite { file: "programs.jsonl", companion: Some("programs"), check: programs::program },
    Suite { file: "nihcode.jsonl", companion: None, check: nihcode::nihcode },
    Suite { file: "exec.jsonl", companion: None, check: exec::exec },
    Suite { file: "exec_litp.jsonl", companion: None, check: exec::exec },
    Suite { file: "compile_ref.jsonl", companion: Some("compile"), check: reference::reference },
    Suite { file: "float24_encode.tsv", companion: None, check: numbers::encode },
    Suite { file: "float_decode.tsv", companion: None, check: numbers::decode },
];

/// Files that are not checked here, and why.
pub const ELSEWHERE: [(&str, &str); 2] = [
    ("outmap.tsv", "the container's own tests check it"),
    (
        "compile_baseline.tsv",
        "words by hand and of other compilers: `bench` and the compiler's own tests compare",
    ),
];
