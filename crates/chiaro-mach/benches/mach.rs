//! How fast code is analysed, allocated, checked and scheduled. Throughput counts instructions.

use chiaro_mach::toy::{LATE, MACHINES, Shape, TIMING, generate};
use chiaro_mach::{
    Code, RegFile, Schedules, allocate, check_allocation, insert_waits, liveness, lower_copies,
    schedule_for_latency, schedule_for_pressure, split_critical_edges,
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
    long_code(10_000, alive)
}

/// Structured code of about so many instructions.
fn long_code(insts: usize, alive: usize) -> (Code, ItemsCount) {
    let code = (0..)
        .map(|seed| generate(seed, Shape { insts, depth: 3, alive }))
        .find(|code| code.inst_count() > insts * 9 / 10)
        .unwrap_or_default();
    let count = ItemsCount::new(code.inst_count());
    (code, count)
}

/// Every step of this crate on code of two lengths: the longer one may take twelve times as long.
#[divan::bench(args = [10_000, 100_000])]
fn all_steps(bencher: Bencher, insts: usize) {
    let (code, count) = long_code(insts, 8);
    bencher.counter(count).with_inputs(|| code.clone()).bench_values(|mut code| {
        let limits: Vec<u32> = files().iter().map(|file| file.count.into()).collect();
        Schedules::new(&code, files(), &TIMING).within(&mut code, &limits);
        schedule_for_pressure(&mut code, files());
        split_critical_edges(&mut code);
        let totals = allocate(&mut code, files());
        let lowered = lower_copies(&mut code, files());
        schedule_for_latency(&mut code, files(), &TIMING);
        (totals, lowered, insert_waits(&mut code, files(), &LATE))
    });
}

/// Allocation alone on code of two lengths.
#[divan::bench(args = [10_000, 100_000])]
fn allocating_long_code(bencher: Bencher, insts: usize) {
    let (code, count) = long_code(insts, 8);
    bencher.counter(count).with_inputs(|| code.clone()).bench_values(|mut code| allocate(&mut code, files()));
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
