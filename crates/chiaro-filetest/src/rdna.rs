//! RDNA: which file is checked by what.

mod exec;

use crate::compute;
use crate::suite::Suite;

/// The files with checks.
pub const SUITES: [Suite; 2] = [
    Suite { file: "lavapipe_outputs.jsonl", companion: Some("shaders"), check: compute::on_interpreter },
    Suite { file: "exec_semantics.tsv", companion: None, check: exec::exec },
];
