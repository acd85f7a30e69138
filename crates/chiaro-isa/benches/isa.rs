//! How fast the engine is on a set of 1,500 operations.
//!
//! `cargo bench -p chiaro-isa`; the figures are instructions a second on one core.

#[path = "../tests/toys/synthetic.rs"]
mod synthetic;

use chiaro_isa::{Cx, Inst, Isa, Out};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use std::sync::LazyLock;
use synthetic::{SET, ordinary};

/// Instructions in the program.
const COUNT: usize = 20_000;

static ISA: LazyLock<Isa> = LazyLock::new(|| Isa::new(&SET, 0));

fn main() {
    LazyLock::force(&ISA);
    divan::main();
}

fn program() -> (Vec<Inst>, Vec<u8>) {
    let program = ordinary(&ISA, COUNT);
    let bytes = program.iter().flat_map(|inst| inst.word.to_bytes()[..8].to_vec()).collect();
    (program, bytes)
}

#[divan::bench]
fn decode(bencher: Bencher<'_, '_>) {
    let (_, bytes) = program();
    bencher.counter(ItemsCount::new(COUNT)).bench_local(|| {
        let (mut at, mut forms) = (0, 0);
        while let Ok(inst) = ISA.decode(&bytes[at..]) {
            forms ^= inst.form;
            at += inst.length as usize;
            if at == bytes.len() {
                break;
            }
        }
        forms
    });
}

#[divan::bench]
fn values(bencher: Bencher<'_, '_>) {
    let (program, _) = program();
    let cx = Cx::default();
    bencher.counter(ItemsCount::new(COUNT)).bench_local(|| {
        for inst in &program {
            black_box(ISA.values(inst, &cx));
        }
    });
}

#[divan::bench]
fn text(bencher: Bencher<'_, '_>) {
    let (program, _) = program();
    let (cx, mut out) = (Cx::default(), Out::default());
    bencher.counter(ItemsCount::new(COUNT)).bench_local(|| {
        out.clear();
        for inst in &program {
            ISA.print(inst, &cx, &mut out);
            out.push('\n');
        }
        out.len()
    });
}

/// From bytes to text, as a disassembler runs.
#[divan::bench]
fn decode_and_text(bencher: Bencher<'_, '_>) {
    let (_, bytes) = program();
    let (cx, mut out) = (Cx::default(), Out::default());
    bencher.counter(ItemsCount::new(COUNT)).bench_local(|| {
        out.clear();
        for word in bytes.chunks_exact(8) {
            if let Ok(inst) = ISA.decode(word) {
                ISA.print(&inst, &cx, &mut out);
            }
            out.push('\n');
        }
        out.len()
    });
}

#[divan::bench]
fn parse(bencher: Bencher<'_, '_>) {
    let (program, _) = program();
    let cx = Cx::default();
    let lines: Vec<String> = program.iter().filter_map(|inst| ISA.text(inst, &cx)).collect();
    bencher.counter(ItemsCount::new(COUNT)).bench_local(|| {
        for line in &lines {
            black_box(ISA.parse(line, &cx)).expect("what is printed is read");
        }
    });
}

/// Tables for decoding and encoding.
#[divan::bench]
fn prepare() -> Isa {
    Isa::new(&SET, 0)
}

/// The same and the tables for text, which the first text in a dialect asks for.
#[divan::bench]
fn prepare_text(bencher: Bencher<'_, '_>) {
    let one = ordinary(&ISA, 1)[0];
    bencher.bench_local(|| {
        let isa = Isa::new(&SET, 0);
        isa.text(&one, &Cx::default()).map(|text| text.len())
    });
}
