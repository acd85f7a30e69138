//! RDNA: which file is checked by what.

mod calls;
pub(crate) mod compiled;
pub(crate) mod driver;
mod exec;
pub(crate) mod seeded;
mod stats;

use crate::compute;
use crate::suite::Suite;

/// The files with checks.
pub const SUITES: [Suite; 19] = [
    Suite { file: "lavapipe_outputs.jsonl", companion: Some("shaders"), check: compute::on_interpreter },
    Suite { file: "lavapipe_outputs.jsonl", companion: None, check: compiled::wave32 },
    Suite { file: "lavapipe_outputs.jsonl", companion: None, check: compiled::wave64 },
    Suite { file: "lavapipe_outputs_more.jsonl", companion: None, check: compiled::wave32 },
    Suite { file: "lavapipe_outputs_more.jsonl", companion: None, check: compiled::wave64 },
    Suite { file: "exec_semantics.tsv", companion: None, check: exec::exec },
    Suite { file: "aco_words.jsonl", companion: None, check: driver::program },
    Suite { file: "aco_words.jsonl", companion: None, check: stats::statistics },
    Suite { file: "aco_words.jsonl", companion: None, check: compiled::images },
    Suite { file: "aco_words.jsonl", companion: None, check: compiled::every },
    Suite { file: "aco_words_mesa22.jsonl", companion: None, check: driver::program },
    Suite { file: "aco_words_mesa22.jsonl", companion: None, check: stats::older },
    Suite { file: "aco_waits.jsonl", companion: None, check: driver::waits },
    Suite { file: "abi_partition.jsonl", companion: None, check: calls::partition },
    Suite { file: "abi_params.jsonl", companion: None, check: calls::parameters },
    Suite { file: "divergent_dispatch.jsonl", companion: None, check: calls::dispatch },
    Suite { file: "stack_swizzle.jsonl", companion: None, check: calls::swizzle },
    Suite { file: "llvm_calls.jsonl", companion: None, check: calls::contract::functions },
    Suite { file: "code_objects.jsonl", companion: None, check: calls::contract::object },
];

/// Files that are checked by the tests of `chiaro-rdna`, or that other files lead to.
pub const ELSEWHERE: [(&str, &str); 12] = [
    ("enc_scalar.tsv", WORDS),
    ("enc_vop12c.tsv", WORDS),
    ("enc_vop3.tsv", WORDS),
    ("enc_dpp_sdwa.tsv", WORDS),
    ("enc_mem.tsv", WORDS),
    ("enc_mimg.tsv", WORDS),
    ("enc_unallocated.tsv", WORDS),
    ("opcodes_gfx1030.tsv", WORDS),
    ("programs.jsonl", CONTAINER),
    ("kernel_descriptor.jsonl", CONTAINER),
    ("metadata_note.jsonl", CONTAINER),
    ("aco_stats.tsv", "the same numbers are in the rows of aco_words.jsonl"),
];

const WORDS: &str = "chiaro-rdna: tests/vectors.rs";
const CONTAINER: &str = "chiaro-rdna: tests/container.rs, tests/asm.rs";
