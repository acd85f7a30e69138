//! Random code for the toy machine: it computes the same before and after allocation, and the
//! checker accepts it; with a seeded fault the checker refuses it.

use chiaro_mach::toy::{Found, Shape, trial, trial_with_fault};
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

/// A fault does harm, and then the checker refuses it; or it does none, because nobody reads
/// what is wrong on any path. What the checker accepts computes what it should.
#[test]
fn seeded_faults_are_found() {
    let fault = |seed: u64, n: u32| match seed % 5 {
        0 => Fault::Move(Inst(n)),
        1 => Fault::Interference(Inst(n)),
        2 => Fault::Edge(n),
        3 => Fault::Store(n),
        _ => Fault::Parking(n / 3),
    };
    for kind in 0..5 {
        let mut refused = 0;
        for seed in (kind..200).step_by(5) {
            for n in (0..60).step_by(3) {
                match trial_with_fault(seed, shape(seed), seed as usize, fault(kind, n)) {
                    Found::Missed => panic!("seed {seed}: {:?} was missed", fault(kind, n)),
                    Found::Refused => refused += 1,
                    Found::Nothing | Found::Harmless => {}
                }
            }
        }
        assert!(refused > 20, "faults of kind {kind}: {refused} refused");
    }
}

/// A number that the environment says, for long runs.
fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// The long form of the above: `cargo test --release -p chiaro-mach --test allocate many -- --ignored --nocapture`;
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
