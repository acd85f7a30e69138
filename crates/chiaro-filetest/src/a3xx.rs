//! A3xx: which file is checked by what.

mod assemble;
pub(crate) mod compiled;
mod driver;
mod encoding;
mod listing;
mod quirks;
mod shader_io;
mod shaders;

use crate::stages;
use crate::suite::{Miss, Suite};

/// The files with checks.
pub const SUITES: [Suite; 18] = [
    stages::A3XX_SUITE,
    Suite { file: "shader_io.jsonl", companion: Some("shaders"), check: shader_io::on_simulator },
    Suite { file: "shader_io.jsonl", companion: Some("shaders"), check: compiled::on_simulator },
    Suite { file: "enc_cat0.tsv", companion: None, check: encoding::row },
    Suite { file: "enc_cat1.tsv", companion: None, check: encoding::row },
    Suite { file: "enc_cat2.tsv", companion: None, check: encoding::row },
    Suite { file: "enc_cat3.tsv", companion: None, check: encoding::row },
    Suite { file: "enc_cat4.tsv", companion: None, check: encoding::row },
    Suite { file: "enc_cat5.tsv", companion: None, check: encoding::row },
    Suite { file: "enc_cat6.tsv", companion: None, check: encoding::row },
    Suite { file: "enc_cat7.tsv", companion: None, check: encoding::row },
    Suite { file: "enc_fuzz.tsv", companion: None, check: encoding::row },
    Suite { file: "enc_generations.tsv", companion: None, check: encoding::generations },
    Suite { file: "asm_syntax.tsv", companion: None, check: assemble::syntax },
    Suite { file: "asm_old_lines.tsv", companion: None, check: assemble::old },
    Suite { file: "asm_programs.jsonl", companion: None, check: assemble::program },
    Suite { file: "pgmdump_listings.jsonl", companion: None, check: listing::pgmdump },
    Suite { file: "shaders_gpu320_1.jsonl", companion: None, check: shaders::binary },
];

/// High and low dword with `_` between them.
fn word(text: &str) -> Result<u64, Miss> {
    let parts = text.split_once('_');
    let read = parts.and_then(|(high, low)| {
        Some(
            u64::from(u32::from_str_radix(high, 16).ok()?) << 32
                | u64::from(u32::from_str_radix(low, 16).ok()?),
        )
    });
    read.ok_or_else(|| Miss::Failed(format!("`{text}` is not a word")))
}

/// The strings of an array.
fn strings(value: &serde_json::Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(serde_json::Value::as_str).collect()
}

/// The words of a row's array.
pub(crate) fn words(value: &serde_json::Value) -> Result<Vec<u64>, Miss> {
    strings(value).into_iter().map(word).collect()
}

/// A row that only says what the file is.
fn is_comment(row: &serde_json::Value) -> bool {
    row.get("_comment").is_some()
}
