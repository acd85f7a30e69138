//! How fast modules are verified, printed and parsed. Throughput counts instructions.

use chiaro_diag::FileId;
use chiaro_ir::{Module, parse, print, random, verify};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

/// A module of about a hundred thousand instructions.
fn large() -> (Module, ItemsCount) {
    let module = (0..)
        .map(|seed| random::module(seed, 100_000))
        .find(|module| count(module) > 50_000)
        .unwrap_or_default();
    let n = count(&module);
    (module, ItemsCount::new(n))
}

fn count(module: &Module) -> usize {
    module.functions.iter().map(chiaro_ir::Function::inst_count).sum()
}

#[divan::bench]
fn verifying(bencher: Bencher) {
    let (module, n) = large();
    bencher.counter(n).bench(|| verify(&module));
}

#[divan::bench]
fn printing(bencher: Bencher) {
    let (module, n) = large();
    bencher.counter(n).bench(|| print(&module));
}

#[divan::bench]
fn parsing(bencher: Bencher) {
    let (module, n) = large();
    let text = print(&module);
    bencher.counter(n).bench(|| parse(&text, FileId(0)));
}
