//! How fast programs of usual sizes run, from and to arrays of vertices, on one
//! core. Items are vertices: 100 Mitem/s are 100 million vertices a second.
//!
//! Run with `cargo bench -p chiaro-pica200 --bench simulate`.

use std::sync::Arc;

use chiaro_pica200::machine::config::EngineChoice;
use chiaro_pica200::machine::{Config, Layout, Machine, Mode, Program};
use divan::Bencher;
use divan::counter::ItemsCount;

/// Programs as picasso assembles them, from `programs.tsv`: name, words,
/// descriptors, inputs, outputs.
const PROGRAMS: &str = include_str!("programs.tsv");
const NAMES: [&str; 3] = ["mvp_texture", "light_sixty", "skin_loop"];
/// Vertices per run: inputs and outputs stay in the second-level cache.
const VERTICES: usize = 1024;

fn main() {
    divan::main();
}

#[divan::bench(args = NAMES)]
fn batch(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, name, Mode::Emu32, EngineChoice::Batch);
}

#[divan::bench(args = NAMES)]
fn portable(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, name, Mode::Emu32, EngineChoice::Portable);
}

#[divan::bench(args = NAMES)]
fn scalar(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, name, Mode::Emu32, EngineChoice::Scalar);
}

#[divan::bench(args = NAMES)]
fn batch_hw24(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, name, Mode::Hw24, EngineChoice::Batch);
}

fn run(bencher: Bencher<'_, '_>, name: &str, mode: Mode, engine: EngineChoice) {
    let (mut machine, layout) = machine(name, mode, engine);
    let inputs = vertices(layout.inputs.len());
    let mut outputs = vec![[0.0; 4]; VERTICES * layout.outputs.len()];
    bencher.counter(ItemsCount::new(VERTICES)).bench_local(|| {
        machine.run(&layout, divan::black_box(&inputs), &mut outputs).expect("whole vertices")
    });
}

fn machine(name: &str, mode: Mode, engine: EngineChoice) -> (Machine, Layout) {
    let row = PROGRAMS.lines().map(|line| line.split('\t').collect::<Vec<_>>()).find(|row| row[0] == name);
    let row = row.expect("a known program");
    let hex = |text: &str| -> Vec<u32> {
        text.split(' ').map(|w| u32::from_str_radix(w, 16).expect("hexadecimal")).collect()
    };
    let numbers = |text: &str| text.split(' ').map(|n| n.parse().expect("a register")).collect();
    let descriptors: Vec<[u32; 2]> = hex(row[2]).into_iter().map(|d| [d, 0]).collect();
    let config = Config { mode, engine, ..Config::default() };
    let program = Program::load(&hex(row[1]), &descriptors, 0, &config).expect("a short program");
    let mut machine = Arc::new(program).machine();
    for n in 0..96 {
        let x = f32::from(n);
        machine.set_float(n, [0.5 + 0.01 * x, 0.25 - 0.02 * x, 0.125 * x, 1.0]);
    }
    // Constants of the programs: c95 holds 0, 1 and others.
    machine.set_float(95, [0.0, 1.0, 0.5, 16.0]);
    machine.set_float(94, [1.0, 0.0, 0.0, 0.0]);
    machine.set_int(3, [3, 0, 1, 0]);
    (machine, Layout { inputs: numbers(row[3]), outputs: numbers(row[4]) })
}

/// Ordinary positive values; the fifth row of a vertex holds bone indices.
fn vertices(rows: usize) -> Vec<[f32; 4]> {
    let row = |i: usize| {
        let (vertex, row) = (i / rows, i % rows);
        match row {
            4 => [0, 1, 2, 3].map(|k| ((vertex * 7 + k * 5) % 20 * 3) as f32),
            _ => [0, 1, 2, 3].map(|k| ((vertex * 37 + row * 11 + k * 3) % 100) as f32 * 0.01 + 0.1),
        }
    };
    (0..VERTICES * rows).map(row).collect()
}
