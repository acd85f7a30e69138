//! Lanes a second through micro-ops: plain binary32, and what machines do besides it, masks, halves and
//! flushing. `cargo bench -p chiaro-sim` prints all side by side; each counts a lane of every micro-op, running
//! or not.

use chiaro_sim::{Code, Engine, FloatEnv, LANES, Op, Prepared, State};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

/// Micro-ops in a run: as many as a long shader has.
const LENGTH: usize = 240;

/// Sums, products and both together over sixteen registers.
fn program(env: FloatEnv) -> Code {
    let mut code = Code::new(env);
    let first = code.slots(16);
    for n in 0..LENGTH as u16 / 3 {
        let slot = |k: u16| first.at((n * 5 + k) % 16);
        code.each(Op::Fmul, &[slot(0)], &[&[slot(1)], &[slot(2)]]);
        code.each(Op::Fadd, &[slot(3)], &[&[slot(0)], &[slot(4)]]);
        code.each(Op::Ffma, &[slot(6)], &[&[slot(3)], &[slot(5)], &[slot(7)]]);
    }
    code
}

fn bench(bencher: Bencher, env: FloatEnv, active: u32, one: u32) {
    let code = program(env);
    let prepared = Prepared::new(&code, Engine::best());
    let mut state = State::new(code.slot_count(), 0);
    // Numbers around 1 stay ordinary ones for as long as a run takes.
    state.lanes.iter_mut().flat_map(|slot| &mut slot.0).for_each(|lane| *lane = one);
    state.active = active;
    let count = ItemsCount::new(LENGTH * LANES);
    bencher.counter(count).with_inputs(|| state.clone()).bench_refs(|state| prepared.run(0..LENGTH, state));
}

/// Three quarters as binary32 and as binary16.
const SINGLE: u32 = 0x3f40_0000;
const HALF: u32 = 0x3a00;

#[divan::bench]
fn plain_binary32(bencher: Bencher) {
    bench(bencher, FloatEnv::IEEE, u32::MAX, SINGLE);
}

#[divan::bench]
fn binary32_of_every_other_lane(bencher: Bencher) {
    bench(bencher, FloatEnv::IEEE, 0x5555_5555, SINGLE);
}

#[divan::bench]
fn flushed_binary32(bencher: Bencher) {
    bench(bencher, FloatEnv::FLUSHING, u32::MAX, SINGLE);
}

#[divan::bench]
fn binary32_flushed_before_rounding(bencher: Bencher) {
    bench(bencher, FloatEnv::FLUSHING_BEFORE, u32::MAX, SINGLE);
}

#[divan::bench]
fn binary16(bencher: Bencher) {
    bench(bencher, FloatEnv::HALF, u32::MAX, HALF);
}
