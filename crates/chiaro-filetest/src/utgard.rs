//! Utgard GP: which file is checked by what.

mod compile;
mod container;
mod decode;
mod exec;
pub(crate) mod program;

use crate::suite::{Miss, Suite};

/// The files with checks.
pub const SUITES: [Suite; 13] = [
    Suite { file: "decode.jsonl", companion: None, check: decode::decode },
    Suite { file: "decode_acc.jsonl", companion: None, check: decode::decode },
    Suite { file: "decode_complex.jsonl", companion: None, check: decode::decode },
    Suite { file: "decode_fields.jsonl", companion: None, check: decode::decode },
    Suite { file: "decode_misc.jsonl", companion: None, check: decode::decode },
    Suite { file: "decode_mul.jsonl", companion: None, check: decode::decode },
    Suite { file: "decode_pass.jsonl", companion: None, check: decode::decode },
    Suite { file: "decode_random.jsonl", companion: None, check: decode::decode },
    Suite { file: "decode_store.jsonl", companion: None, check: decode::decode },
    Suite { file: "compiled.jsonl", companion: None, check: decode::compiled },
    Suite { file: "mbs.jsonl", companion: None, check: container::container },
    Suite { file: "compile.jsonl", companion: Some("shaders"), check: compile::compile },
    Suite { file: "exec.jsonl", companion: Some("shaders"), check: exec::exec },
];

/// A sentence as a failure, with the name of the row in front.
fn failed(name: &str) -> impl Fn(String) -> Miss + '_ {
    move |reason| Miss::Failed(format!("{name}: {reason}"))
}
