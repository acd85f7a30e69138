//! The SHBIN files and the random numbers that several tests share.

#![allow(dead_code, reason = "benchmarks have it as well, and use a part")]

pub(crate) mod random;

use chiaro_pica200::container::Shbin;

/// The SHBIN files of the vectors by name, with the tool that wrote them and their bytes:
/// picasso's in `tests/vectors/programs`, nihstro's in the rows of `nihcode.jsonl`.
pub(crate) fn samples() -> Vec<(String, String, Vec<u8>)> {
    let mut samples: Vec<_> = programs().chain(nihcode()).collect();
    // The order must not depend on the file system: a seed means the same everywhere.
    samples.sort();
    samples
}

fn programs() -> impl Iterator<Item = (String, String, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/programs");
    let files = std::fs::read_dir(folder).expect("the folder is there").map(|file| file.expect("a file"));
    files.filter_map(|file| {
        let name = file.file_name().into_string().ok()?.strip_suffix(".shbin.hex")?.to_owned();
        let hex = std::fs::read_to_string(file.path()).expect("a text");
        Some((name, "picasso".to_owned(), bytes(&hex)))
    })
}

fn nihcode() -> impl Iterator<Item = (String, String, Vec<u8>)> {
    let rows = include_str!("../vectors/nihcode.jsonl").lines();
    rows.filter_map(|row| {
        let text = |key: &str| row.split_once(&format!("\"{key}\": \""))?.1.split('"').next();
        Some((format!("nihcode_{}", text("name")?), "nihstro".to_owned(), bytes(text("shbin")?)))
    })
}

/// Bytes written in hexadecimal, with line ends anywhere.
fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.chars().filter_map(|c| Some(c.to_digit(16)? as u8)).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// One of them by name, read.
pub(crate) fn sample(name: &str) -> (Vec<u8>, Shbin) {
    let (_, _, bytes) = samples().into_iter().find(|(n, ..)| n == name).expect("sample of this name");
    let shbin = Shbin::read(&bytes).expect("sample is sound");
    (bytes, shbin)
}

/// A small linear congruential generator, so that a failure can be repeated.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as usize % limit
    }
}
