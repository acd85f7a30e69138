//! Apple AGX: which file is checked by what.

mod checked;
pub(crate) mod compiled;
mod decode;
mod descriptor;
pub(crate) mod driver;
mod exec;
pub(crate) mod golden;
mod launch;
mod linked;
pub(crate) mod named;
mod pack;
pub(crate) mod parts;
pub(crate) mod seeded;
mod shader_io;
mod statistics;

use crate::suite::{Miss, Suite};

/// The files with checks.
pub const SUITES: [Suite; 33] = [
    Suite { file: "decode_alu_int.tsv", companion: None, check: decode::row },
    Suite { file: "decode_alu_float.tsv", companion: None, check: decode::row },
    Suite { file: "decode_control.tsv", companion: None, check: decode::row },
    Suite { file: "decode_memory.tsv", companion: None, check: decode::row },
    Suite { file: "decode_simd.tsv", companion: None, check: decode::row },
    Suite { file: "decode_graphics.tsv", companion: None, check: decode::row },
    Suite { file: "decode_texture.tsv", companion: None, check: decode::row },
    Suite { file: "mesa_pack.tsv", companion: None, check: pack::row },
    Suite { file: "minifloat.tsv", companion: None, check: decode::minifloat },
    Suite { file: "abi_uniform_layout.tsv", companion: None, check: launch::uniforms },
    Suite { file: "tilebuffer.tsv", companion: None, check: launch::tilebuffer },
    Suite { file: "usc_words.tsv", companion: None, check: launch::word },
    Suite { file: "sample_loop.tsv", companion: None, check: launch::sample_loop },
    Suite { file: "scratch_bucket.tsv", companion: None, check: launch::scratch },
    Suite { file: "occupancy.tsv", companion: None, check: launch::occupancy },
    Suite { file: "exec_alu.tsv", companion: None, check: exec::alu },
    Suite { file: "exec_load.tsv", companion: None, check: exec::load },
    Suite { file: "exec_simd.tsv", companion: None, check: exec::simd },
    Suite { file: "exec_mask_stack.jsonl", companion: None, check: exec::mask_stack },
    Suite { file: "exec_kernel.tsv", companion: None, check: exec::kernel },
    Suite { file: "descriptors.tsv", companion: None, check: descriptor::row },
    Suite { file: "link.jsonl", companion: None, check: linked::row },
    Suite { file: "link.jsonl", companion: None, check: checked::linked },
    Suite { file: "compile.jsonl", companion: None, check: checked::unit },
    Suite { file: "compile.jsonl", companion: None, check: driver::unit },
    Suite { file: "vs_prolog.jsonl", companion: None, check: parts::vertex_prolog },
    Suite { file: "fs_prolog.jsonl", companion: None, check: parts::fragment_prolog },
    Suite { file: "fs_epilog.jsonl", companion: None, check: parts::epilog },
    Suite { file: "shaderdb.tsv", companion: None, check: statistics::row },
    Suite { file: "corpus_src.jsonl", companion: None, check: compiled::corpus },
    Suite { file: "lavapipe_corpus.jsonl", companion: None, check: golden::row },
    Suite { file: "../rdna/lavapipe_outputs.jsonl", companion: None, check: compiled::dispatch },
    Suite { file: "../a3xx/shader_io.jsonl", companion: None, check: shader_io::on_simulator },
];

/// Files that are not checked yet, or that other files lead to.
pub const ELSEWHERE: [(&str, &str); 1] =
    [("op_cost.jsonl", "what operations cost is a matter of the benchmark")];

/// Bytes of hexadecimal digits, in the order of memory.
fn bytes(hex: &str) -> Result<Vec<u8>, String> {
    let digits = |i: usize| hex.get(i..i + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    (0..hex.len()).step_by(2).map(|i| digits(i).ok_or_else(|| format!("`{hex}` is not bytes"))).collect()
}

/// Hexadecimal digits of bytes.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A result that is not the row's.
fn same(what: &str, found: &str, want: &str) -> Result<(), Miss> {
    if found == want { Ok(()) } else { Err(format!("{what} is {found}, not {want}").into()) }
}
