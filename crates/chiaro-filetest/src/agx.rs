//! Apple AGX: which file is checked by what.

mod decode;
mod launch;
mod pack;

use crate::suite::Suite;

/// The files with checks.
pub const SUITES: [Suite; 15] = [
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
];

/// Files that are not checked yet, or that other files lead to.
pub const ELSEWHERE: [(&str, &str); 14] = [
    ("exec_alu.tsv", SIMULATOR),
    ("exec_load.tsv", SIMULATOR),
    ("exec_simd.tsv", SIMULATOR),
    ("exec_mask_stack.jsonl", SIMULATOR),
    ("exec_kernel.tsv", SIMULATOR),
    ("descriptors.tsv", "chiaro-agx has no descriptors yet"),
    ("link.jsonl", "chiaro-agx has no linker yet"),
    ("shaderdb.tsv", "chiaro-agx has no report yet"),
    ("compile.jsonl", COMPILER),
    ("corpus_src.jsonl", COMPILER),
    ("vs_prolog.jsonl", COMPILER),
    ("fs_prolog.jsonl", COMPILER),
    ("fs_epilog.jsonl", COMPILER),
    ("op_cost.jsonl", COMPILER),
];

const SIMULATOR: &str = "chiaro-agx has no simulator yet";
const COMPILER: &str = "chiaro-agx has no compiler yet";

/// Bytes of hexadecimal digits, in the order of memory.
fn bytes(hex: &str) -> Result<Vec<u8>, String> {
    let digits = |i: usize| hex.get(i..i + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    (0..hex.len()).step_by(2).map(|i| digits(i).ok_or_else(|| format!("`{hex}` is not bytes"))).collect()
}

/// Hexadecimal digits of bytes.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
