//! What several tests read: rows of JSON, and words in them.

pub(crate) mod random;
pub(crate) mod source;

use std::path::Path;

use chiaro_utgard::isa::word::Word;
use serde_json::Value;

/// The rows of a text; lines that begin otherwise are comments.
pub(crate) fn rows(text: &str) -> Vec<Value> {
    text.lines().filter(|l| l.starts_with('{')).map(|l| serde_json::from_str(l).expect("JSON")).collect()
}

/// The rows of a file.
pub(crate) fn rows_of(path: &Path) -> Vec<Value> {
    rows(&std::fs::read_to_string(path).expect("file"))
}

/// The instructions of a row.
pub(crate) fn program(row: &Value) -> Vec<Word> {
    row["words"].as_array().expect("words").iter().map(word).collect()
}

fn word(words: &Value) -> Word {
    let hex = |i: usize| u32::from_str_radix(words[i].as_str().expect("hex"), 16).expect("hex");
    Word::of([hex(0), hex(1), hex(2), hex(3)])
}

/// The bytes of hexadecimal digits.
pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    let byte = |i: usize| u8::from_str_radix(&hex[i..i + 2], 16).expect("hex");
    (0..hex.len()).step_by(2).map(byte).collect()
}
