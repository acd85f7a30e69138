//! How fast SHBIN files are read, written and checked.
//!
//! `cargo bench -p chiaro-pica200 --bench container`; items are words of code.

use chiaro_pica200::check::check;
use chiaro_pica200::container::Shbin;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

#[path = "../tests/samples/mod.rs"]
mod samples;

use samples::sample;

fn main() {
    divan::main();
}

/// Straight code, blocks and a loop, and the largest vertex program.
const NAMES: [&str; 3] = ["light_sixty", "skin_loop", "size_512"];

#[divan::bench(args = NAMES)]
fn read_and_write(bencher: Bencher, name: &str) {
    let (bytes, file) = sample(name);
    let words = file.program.code.len();
    bencher
        .counter(ItemsCount::new(words))
        .bench_local(|| Shbin::read(black_box(&bytes)).expect("sound").write());
}

#[divan::bench(args = NAMES)]
fn check_all(bencher: Bencher, name: &str) {
    let (_, file) = sample(name);
    bencher.counter(ItemsCount::new(file.program.code.len())).bench_local(|| check(black_box(&file)));
}
