//! How fast programs of usual sizes run, from and to arrays of vertices, on one
//! core. Items are vertices: 100 Mitem/s are 100 million vertices a second.
//!
//! Run with `cargo bench -p chiaro-pica200 --bench simulate`.

use chiaro_pica200::machine::config::EngineChoice;
use chiaro_pica200::machine::{Config, Mode};
use divan::Bencher;
use divan::counter::ItemsCount;

mod setup;

use setup::VERTICES;

const NAMES: [&str; 3] = ["mvp_texture", "light_sixty", "skin_loop"];

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
    let sample = setup::programs().into_iter().find(|sample| sample.name == name).expect("a known program");
    let config = Config { mode, engine, ..Config::default() };
    let mut machine = sample.machine(&config).expect("a short program");
    let (inputs, mut outputs) = (sample.vertices(), sample.outputs());
    bencher.counter(ItemsCount::new(VERTICES)).bench_local(|| {
        machine.run(&sample.layout, divan::black_box(&inputs), &mut outputs).expect("whole vertices")
    });
}
