//! How fast single PICA200 instructions are decoded, printed and read.
//!
//! `cargo bench -p chiaro-pica200`; the figures are instructions a second on one core.

use chiaro_isa::{Cx, Inst, Out, Rng};
use chiaro_pica200::isa::PICA200;
use chiaro_pica200::operand::{PICASSO, PLAIN};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

/// Instructions in the program.
const COUNT: usize = 20_000;

/// What vertex shaders are made of.
const LINES: &[&str] = &[
    "dp4 o0.x, c90, v0",
    "dp4 o0.y, c91, v0",
    "dp4 r0.z, c92, v0",
    "mov r1, c12",
    "mul r2.xyz, c5.x, r1",
    "add r3, r2, r1",
    "mad r4, r2, c20, r3",
    "mad r4.xyz, r2, r1, c20.w",
    "mov o1, v1",
    "rcp r5.x, r4.w",
    "max r6, c1.x, r5",
    "min r7.x, c2, r6",
    "mul r0, c3[a0.x], v2",
    "mova a0.x, r0.x",
    "rsq r8.x, r1.x",
    "slt r9, r3, c10",
    "mov r1.w, -v3.z",
    "cmp c4, gt, ge, r2",
    "dp3 r0.x, r1, r1",
    "nop",
    "end",
];

fn main() {
    divan::main();
}

fn cx(dialect: u8) -> Cx<'static> {
    Cx { dialect, ..PICA200.cx() }
}

fn program() -> Vec<Inst> {
    let read = |line: &&str| PICA200.parse(line, &cx(PICASSO)).map(|parsed| parsed.inst);
    let pool: Vec<Inst> = LINES.iter().map(|line| read(line).expect("a valid line")).collect();
    let mut rng = Rng(1);
    (0..COUNT).map(|_| pool[rng.below(pool.len())]).collect()
}

#[divan::bench]
fn decode(bencher: Bencher<'_, '_>) {
    let words: Vec<_> = program().iter().map(|inst| inst.word).collect();
    bencher.counter(ItemsCount::new(COUNT)).bench_local(|| {
        words
            .iter()
            .fold(0, |forms, word| PICA200.decode_word(word, 8).map_or(forms, |inst| forms ^ inst.form))
    });
}

#[divan::bench]
fn values(bencher: Bencher<'_, '_>) {
    let program = program();
    bencher.counter(ItemsCount::new(COUNT)).bench_local(|| {
        for inst in &program {
            black_box(PICA200.values(inst, &cx(PLAIN)));
        }
    });
}

#[divan::bench(args = [PLAIN, PICASSO])]
fn text(bencher: Bencher<'_, '_>, dialect: u8) {
    let (program, cx, mut out) = (program(), cx(dialect), Out::default());
    bencher.counter(ItemsCount::new(COUNT)).bench_local(|| {
        out.clear();
        for inst in &program {
            PICA200.print(inst, &cx, &mut out);
            out.push('\n');
        }
        out.len()
    });
}

#[divan::bench(args = [PLAIN, PICASSO])]
fn parse(bencher: Bencher<'_, '_>, dialect: u8) {
    let cx = cx(dialect);
    let lines: Vec<String> = program().iter().filter_map(|inst| PICA200.text(inst, &cx)).collect();
    bencher.counter(ItemsCount::new(COUNT)).bench_local(|| {
        for line in &lines {
            black_box(PICA200.parse(line, &cx)).expect("what is printed is read");
        }
    });
}
