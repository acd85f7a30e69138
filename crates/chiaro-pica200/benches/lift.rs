//! Lifting: words in memory to a module of the IR. Items are words of the program.

use std::time::{Duration, Instant};

use chiaro_pica200::container::{Shbin, Stage};
use chiaro_pica200::lift::{Options, Source, lift};
use chiaro_pica200::machine::{Config, Mode};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

#[path = "../tests/samples/mod.rs"]
mod samples;

fn main() {
    divan::main();
    for mode in [Mode::Emu32, Mode::Hw24] {
        println!("{mode:?}: {:.1} microseconds a program of 100 words", hundred_words(mode));
    }
}

/// Of all samples together, the best of many times each: what an emulator waits for in the midst of a frame.
fn hundred_words(mode: Mode) -> f64 {
    let config = Config { mode, ..Config::default() };
    let (mut words, mut time) = (0, Duration::ZERO);
    for (_, file) in programs() {
        let source = Source::of(&file, 0).expect("an executable");
        let once = || {
            let start = Instant::now();
            black_box(lift(black_box(&source), &Options::default(), &config).expect("it is lifted"));
            start.elapsed()
        };
        time += (0..100).map(|_| once()).min().unwrap_or_default();
        words += source.words.len();
    }
    time.as_secs_f64() * 1e8 / words as f64
}

/// The samples that are vertex programs, longest first.
fn programs() -> Vec<(String, Shbin)> {
    let files =
        samples::samples().into_iter().map(|(name, _, bytes)| (name, Shbin::read(&bytes).expect("a file")));
    let mut files: Vec<_> = files
        .filter(|(_, file)| file.executables.first().is_some_and(|e| e.stage == Stage::Vertex))
        .collect();
    files.sort_by_key(|(_, file)| std::cmp::Reverse(file.program.code.len()));
    files
}

#[divan::bench(args = [0, 1, 2, 8, 16])]
fn emu32(bencher: Bencher<'_, '_>, n: usize) {
    run(bencher, n, Mode::Emu32);
}

#[divan::bench(args = [0, 1, 2])]
fn hw24(bencher: Bencher<'_, '_>, n: usize) {
    run(bencher, n, Mode::Hw24);
}

fn run(bencher: Bencher<'_, '_>, n: usize, mode: Mode) {
    let (name, file) = programs().swap_remove(n);
    let config = Config { mode, ..Config::default() };
    let source = Source::of(&file, 0).expect("an executable");
    println!("{name}: {} words", source.words.len());
    bencher
        .counter(ItemsCount::new(source.words.len()))
        .bench(|| lift(black_box(&source), &Options::default(), &config).expect("it is lifted"));
}
