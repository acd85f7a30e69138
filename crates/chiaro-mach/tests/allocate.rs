//! Random code for the toy machine: it computes the same before and after allocation, and the
//! checker accepts it; with a seeded fault the checker refuses it.

use chiaro_mach::toy::{Found, Planted, Shape, trial, trial_with_fault};
use chiaro_mach::{Fault, Inst, Totals};

fn shape(seed: u64) -> Shape {
    Shape { insts: 40 + seed as usize % 60, depth: 3, alive: 4 + seed as usize % 20 }
}

#[test]
fn straight_code_keeps_its_meaning() {
    for seed in 0..400 {
        let shape = Shape { insts: 30, depth: 0, alive: 12 };
        trial(seed, shape, seed as usize).unwrap_or_else(|message| panic!("seed {seed}: {message}"));
    }
}

#[test]
fn structured_code_keeps_its_meaning() {
    let (mut ran, mut sum) = (0, Totals::default());
    for seed in 0..1000 {
        let totals = trial(seed, shape(seed), seed as usize);
        let Some(totals) = totals.unwrap_or_else(|message| panic!("seed {seed}: {message}")) else {
            continue;
        };
        ran += 1;
        sum.spills += totals.spills;
        sum.reloads += totals.reloads;
        sum.moves += totals.moves;
    }
    // Nearly all of it ends within the fuel, and every way of the allocator is taken.
    assert!(ran > 900, "{ran} ran");
    assert!(sum.spills > 1000 && sum.reloads > 1000 && sum.moves > 1000, "{sum:?}");
}

/// A constant that is made again is made whole, also for who reads a part of it elsewhere.
#[test]
fn parts_of_what_is_made_again_are_whole() {
    let shape = Shape { insts: 5 + 13_045 % 61, depth: (13_045 % 256 % 4) as u8, alive: 3 + 13_045 % 25 };
    trial(13_045, shape, 13_045 / 7).unwrap_or_else(|message| panic!("{message}"));
}

/// A mistake at its n-th place in a function.
type Plant = fn(usize) -> Planted;

/// The kinds of mistakes.
const PLANTED: [(&str, Plant); 7] = [
    ("a move is forgotten", |n| Planted::Allocation(Fault::Move(Inst(n as u32)))),
    ("two values in one register", |n| Planted::Allocation(Fault::Interference(Inst(n as u32)))),
    ("a copy on an edge is forgotten", |n| Planted::Allocation(Fault::Edge(n as u32))),
    ("a save is forgotten", |n| Planted::Allocation(Fault::Store(n as u32))),
    ("a value is not parked", |n| Planted::Allocation(Fault::Parking(n as u32))),
    ("a wait is too weak", Planted::Wait),
    ("a mask is spoiled", Planted::Mask),
];

/// A fault does harm, and then the checker refuses it; or it does none, because nobody reads
/// what is wrong on any path. What the checker accepts computes what it should. What masks mean no
/// checker knows: there a run has to tell.
///
/// So many are found of each kind; `TOY_FAULTS=1000` with `--release` is the long form.
#[test]
fn seeded_faults_are_found() {
    let wanted = setting("TOY_FAULTS", 60) as usize;
    for (kind, planted) in PLANTED {
        let (mut refused, mut differ, mut harmless) = (0, 0, 0);
        for seed in 0_u64.. {
            if refused + differ >= wanted {
                break;
            }
            for n in (seed as usize % 3..60).step_by(3) {
                match trial_with_fault(seed, shape(seed), seed as usize, planted(n)) {
                    Found::Differs if kind.contains("mask") => differ += 1,
                    Found::Differs => panic!("seed {seed}: {:?} was missed", planted(n)),
                    Found::Refused => refused += 1,
                    Found::Harmless => harmless += 1,
                    Found::Nothing => {}
                }
            }
            assert!(seed < 100 + 10 * wanted as u64, "{kind}: {refused} refused in {seed} functions");
        }
        println!("{kind}: {refused} refused, {differ} told by a run, {harmless} change nothing");
        assert!(refused + differ > harmless, "{kind}: {refused} refused, {harmless} change nothing");
    }
}

/// A number that the environment says, for long runs.
fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// The long form of the above: `cargo test --release -p chiaro-mach --test all allocate::many -- --ignored --nocapture`;
/// `TOY_COUNT` says how many, `TOY_SEED` from which on.
#[test]
#[ignore = "takes an hour"]
fn many_functions_keep_their_meaning() {
    let (first, count) = (setting("TOY_SEED", 1_000), setting("TOY_COUNT", 1_000_000));
    let (mut ran, mut sum) = (0_u64, Totals::default());
    for seed in first..first + count {
        let shape =
            Shape { insts: 5 + seed as usize % 61, depth: seed as u8 % 4, alive: 3 + seed as usize % 25 };
        let totals = trial(seed, shape, (seed / 7) as usize);
        if let Some(totals) = totals.unwrap_or_else(|message| panic!("seed {seed}: {message}")) {
            ran += 1;
            sum.spills += totals.spills;
            sum.remats += totals.remats;
            sum.parked += totals.parked;
        }
        if (seed + 1 - first).is_multiple_of(10_000) {
            println!("{} functions, {ran} ran, {sum:?}", seed + 1 - first);
        }
    }
}
