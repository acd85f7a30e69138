//! How fast modules are verified, printed, parsed, analysed and lowered. Throughput counts instructions.

use chiaro_diag::FileId;
use chiaro_ir::{Exits, FunctionRef, Module, lower_exits, parse, print, random, uniformity, verify};
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
fn lowering_exits(bencher: Bencher) {
    let (module, n) = large();
    let main = FunctionRef(module.functions.len() as u32 - 1);
    bencher
        .counter(n)
        .with_inputs(|| module.clone())
        .bench_values(|mut module| lower_exits(&mut module, main, Exits::default()));
}

#[divan::bench]
fn finding_uniformity(bencher: Bencher) {
    let (module, n) = large();
    bencher.counter(n).bench(|| uniformity(&module));
}

#[divan::bench]
fn parsing(bencher: Bencher) {
    let (module, n) = large();
    let text = print(&module);
    bencher.counter(n).bench(|| parse(&text, FileId(0)));
}
