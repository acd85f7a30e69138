//! Listings: bytes of code a second, of what compilers wrote.

use chiaro_utgard::isa::word::{BYTES, Word};
use chiaro_utgard::listing;
use serde_json::Value;

fn main() {
    divan::main();
}

/// The code of all programs of the vectors, about this many bytes.
const LEAST: usize = 1 << 16;

fn code() -> Vec<u8> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/compiled.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().filter(|line| line.starts_with('{'));
    let mut code = Vec::new();
    for row in rows {
        let row: Value = serde_json::from_str(row).unwrap();
        for word in row["words"].as_array().unwrap() {
            let part = |i: usize| u32::from_str_radix(word[i].as_str().unwrap(), 16).unwrap();
            code.extend(Word::of([part(0), part(1), part(2), part(3)]).to_bytes());
        }
    }
    code.repeat(LEAST.div_ceil(code.len()))
}

#[divan::bench(sample_count = 200)]
fn own(bencher: divan::Bencher<'_, '_>) {
    let code = code();
    let bench = bencher.counter(divan::counter::BytesCount::new(code.len()));
    bench.bench(|| listing::exact::print_raw(&code).len());
}

#[divan::bench(sample_count = 200)]
fn mesa(bencher: divan::Bencher<'_, '_>) {
    let code = code();
    let words: Vec<Word> = code.as_chunks::<BYTES>().0.iter().map(|&word| Word::load(word)).collect();
    let bench = bencher.counter(divan::counter::BytesCount::new(code.len()));
    bench.bench(|| listing::mesa::print(&words).len());
}
