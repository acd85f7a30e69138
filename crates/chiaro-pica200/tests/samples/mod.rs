//! The SHBIN files and the random numbers that several tests share.
#![allow(dead_code)] // each test uses a part

use chiaro_pica200::container::Shbin;

/// The SHBIN files of the vectors: `tests/vectors/shbin.tsv` has one a line, name, tool, hex.
pub(crate) fn samples() -> Vec<(String, String, Vec<u8>)> {
    let rows = include_str!("../vectors/shbin.tsv").lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let [name, tool, hex] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("row {row}") };
        (name.to_string(), tool.to_string(), bytes(hex))
    })
    .collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |c: u8| (c as char).to_digit(16).expect("hex digit") as u8;
    hex.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
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
