//! How fast code is analysed, allocated, checked and scheduled. Throughput counts instructions.

use chiaro_mach::toy::{MACHINES, Shape, TIMING, generate};
use chiaro_mach::{
    Code, RegFile, allocate, check_allocation, liveness, lower_copies, schedule_for_latency,
    schedule_for_pressure,
};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

/// The machine with 64 wave and 256 lane units.
fn files() -> &'static [RegFile] {
    &MACHINES[2]
}

/// Structured code of about ten thousand instructions with so many values alive in each file.
fn code(alive: usize) -> (Code, ItemsCount) {
    let code = (0..)
        .map(|seed| generate(seed, Shape { insts: 10_000, depth: 3, alive }))
        .find(|code| code.inst_count() > 9_000)
        .unwrap_or_default();
    let count = ItemsCount::new(code.inst_count());
    (code, count)
}

#[divan::bench(args = [8, 24, 48])]
fn allocating(bencher: Bencher, alive: usize) {
    let (code, count) = code(alive);
    bencher.counter(count).with_inputs(|| code.clone()).bench_values(|mut code| allocate(&mut code, files()));
}

#[divan::bench]
fn finding_liveness(bencher: Bencher) {
    let (code, count) = code(24);
    bencher.counter(count).bench(|| liveness(&code, files()));
}

#[divan::bench]
fn checking(bencher: Bencher) {
    let (mut code, count) = code(24);
    let _ = allocate(&mut code, files());
    bencher.counter(count).bench(|| check_allocation(&code, files()));
}

#[divan::bench]
fn lowering_copies(bencher: Bencher) {
    let (mut code, count) = code(24);
    let _ = allocate(&mut code, files());
    bencher
        .counter(count)
        .with_inputs(|| code.clone())
        .bench_values(|mut code| lower_copies(&mut code, files()));
}

#[divan::bench]
fn scheduling_for_pressure(bencher: Bencher) {
    let (code, count) = code(48);
    bencher
        .counter(count)
        .with_inputs(|| code.clone())
        .bench_values(|mut code| schedule_for_pressure(&mut code, files()));
}

#[divan::bench]
fn scheduling_for_latency(bencher: Bencher) {
    let (mut code, count) = code(24);
    let _ = allocate(&mut code, files());
    bencher
        .counter(count)
        .with_inputs(|| code.clone())
        .bench_values(|mut code| schedule_for_latency(&mut code, files(), &TIMING));
}
