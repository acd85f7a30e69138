//! How fast SHBIN files are read, written and checked.
//!
//! `cargo bench -p chiaro-pica200 --bench container`; items are words of code.

use chiaro_pica200::check::check;
use chiaro_pica200::container::Shbin;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// Straight code, blocks and a loop, and the largest program.
const NAMES: [&str; 3] = ["light_sixty", "skin_loop", "size_4000"];

fn sample(name: &str) -> Vec<u8> {
    let rows = include_str!("../tests/vectors/shbin.tsv").lines();
    let row = rows.map(|row| row.split('\t').collect::<Vec<_>>()).find(|row| row[0] == name);
    let hex = row.expect("sample of this name")[2];
    let digit = |c: u8| (c as char).to_digit(16).expect("hex digit") as u8;
    hex.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

#[divan::bench(args = NAMES)]
fn read_and_write(bencher: Bencher, name: &str) {
    let bytes = sample(name);
    let words = Shbin::read(&bytes).expect("sound").program.code.len();
    bencher
        .counter(ItemsCount::new(words))
        .bench_local(|| Shbin::read(black_box(&bytes)).expect("sound").write());
}

#[divan::bench(args = NAMES)]
fn check_all(bencher: Bencher, name: &str) {
    let file = Shbin::read(&sample(name)).expect("sound");
    bencher.counter(ItemsCount::new(file.program.code.len())).bench_local(|| check(black_box(&file)));
}
