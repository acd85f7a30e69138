//! How many instructions the simulator runs: an item is one instruction of one fiber.
//!
//! The goal is 250 million a second in batch mode on one core.

use std::fmt::Write as _;
use std::sync::Arc;

use chiaro_a3xx::asm::{self, Options};
use chiaro_a3xx::machine::{Config, Machine, Mode, Program, World};
use chiaro_diag::FileId;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

/// A vertex program: a transformed position, and the light of four lamps.
fn lights() -> String {
    let mut text = String::new();
    let component = ["x", "y", "z", "w"];
    for (row, c) in component.iter().enumerate() {
        let _ = writeln!(text, "mul.f r4.{c}, c{row}.x, r0.x");
        for (column, k) in component.iter().enumerate().skip(1) {
            let _ = writeln!(text, "(rpt1)nop\nmad.f32 r4.{c}, c{row}.{k}, r0.{k}, r4.{c}");
            let _ = column;
        }
    }
    text += "mul.f r2.x, r1.x, r1.x\n(rpt1)nop\nmad.f32 r2.x, r1.y, r1.y, r2.x\n(rpt1)nop\n\
             mad.f32 r2.x, r1.z, r1.z, r2.x\n(rpt5)nop\nrsq r2.x, r2.x\n\
             (ss)(rpt2)mul.f r1.x, (r)r1.x, r2.x\n(rpt2)mov.f32f32 r5.x, (r)c4.x\n(rpt2)nop\n";
    for lamp in 0..4 {
        let (towards, colour) = (8 + 2 * lamp, 9 + 2 * lamp);
        let _ = write!(
            text,
            "mul.f r2.y, c{towards}.x, r1.x\n(rpt1)nop\nmad.f32 r2.y, c{towards}.y, r1.y, r2.y\n(rpt1)nop\n\
             mad.f32 r2.y, c{towards}.z, r1.z, r2.y\n(rpt2)nop\nmax.f r2.y, r2.y, (0.0)\n(rpt2)nop\n\
             (rpt2)mad.f32 r5.x, (r)c{colour}.x, r2.y, (r)r5.x\n",
        );
    }
    text + "end\n"
}

/// A fragment program on halves: a colour blended eight times.
fn halves() -> String {
    let mut text = "bary.f hr0.x, 0, r0.x\nbary.f (ei)hr0.y, 1, r0.x\n(rpt2)nop\n".to_owned();
    for _ in 0..8 {
        text += "mul.f hr1.x, hr0.x, hr0.y\nadd.f hr1.y, hr0.x, (neg)hr0.y\n(rpt2)nop\n\
                 mad.f16 hr0.x, hr1.x, hr1.y, hr0.x\nmax.f hr0.y, hr1.x, h(0.0)\n(rpt2)nop\n";
    }
    text + "end\n"
}

/// A loop that half of the fibers leave early.
const DIVERGENT: &str = "mov.u32u32 r1.x, 0\nand.b r1.y, r0.x, 15\n(rpt2)nop\n\
    add.u r1.x, r1.x, 1\nmul.f r2.x, r2.x, c0.x\n(rpt1)nop\ncmps.u.lt p0.x, r1.x, r1.y\n(rpt5)nop\n\
    br p0.x, #-5\n(jp)nop\nend\n";

fn machine(text: &str, mode: Mode) -> Machine {
    let options = Options { compat: true, ..Options::default() };
    let (program, _) = asm::assemble(FileId(0), text, options).expect("the program assembles");
    let config = Config { mode, ..Config::default() };
    let mut machine = Machine::new(Arc::new(Program::new(&program.words, &config)));
    let mut world = World::default();
    world.set_constants(0, &(0..128).map(|n| (n as f32 / 64.0).to_bits()).collect::<Vec<_>>());
    machine.load_constants(&world);
    for n in 0..16 {
        let values: [u32; 32] = std::array::from_fn(|lane| ((lane + n) as f32 / 7.0).to_bits());
        machine.full_mut(n as u16).0 = values;
    }
    machine
}

fn rate(bencher: divan::Bencher<'_, '_>, text: &str, mode: Mode, lanes: usize) {
    let mut machine = machine(text, mode);
    let mut world = World::default();
    machine.full_mut(0).0 = std::array::from_fn(|lane| lane as u32);
    machine.start(lanes);
    machine.run(&mut world);
    let items = machine.issued();
    bencher.counter(ItemsCount::new(items)).bench_local(|| {
        machine.start(lanes);
        machine.run(&mut world);
        machine.issued()
    });
}

#[divan::bench]
fn vertices(bencher: divan::Bencher<'_, '_>) {
    rate(bencher, &lights(), Mode::Functional, 32);
}

#[divan::bench]
fn fragments_on_halves(bencher: divan::Bencher<'_, '_>) {
    rate(bencher, &halves(), Mode::Functional, 32);
}

#[divan::bench]
fn divergent_loop(bencher: divan::Bencher<'_, '_>) {
    rate(bencher, DIVERGENT, Mode::Functional, 32);
}

#[divan::bench]
fn vertices_timed(bencher: divan::Bencher<'_, '_>) {
    rate(bencher, &lights(), Mode::Timed, 8);
}
