//! Waits for results that come back late: enough on every path, none too many, and faults are seen.

use chiaro_mach::toy::{LATE, MACHINES, Shape, generate, walk};
use chiaro_mach::{
    Code, RegFile, allocate, check_waits, insert_waits, lower_copies, schedule_for_latency, toy,
};

/// The random function of a seed with registers, in its last order; `None` if it cannot be allocated.
fn function(seed: u64) -> Option<(Code, &'static [RegFile])> {
    let shape =
        Shape { insts: 20 + seed as usize % 80, depth: seed as u8 % 4, alive: 4 + seed as usize % 20 };
    let files = &MACHINES[seed as usize % MACHINES.len()];
    let mut code = generate(seed, shape);
    allocate(&mut code, files).ok()?;
    lower_copies(&mut code, files).ok()?;
    schedule_for_latency(&mut code, files, &toy::TIMING);
    Some((code, files))
}

/// The walks of some seeds: what goes wrong on the first that does.
fn walks(code: &Code, files: &[RegFile], count: u64) -> Result<(), String> {
    (0..count).try_for_each(|seed| walk(code, files, seed, 60))
}

fn text(code: &Code, files: &[RegFile]) -> String {
    toy::text(code, files)
}

#[test]
fn waits_are_enough_on_every_path() {
    let (mut waiting, mut without) = (0, 0);
    for seed in 0..600 {
        let Some((mut code, files)) = function(seed) else { continue };
        without += usize::from(walks(&code, files, 8).is_err());
        waiting += insert_waits(&mut code, files, &LATE);
        check_waits(&code, files, &LATE)
            .unwrap_or_else(|found| panic!("seed {seed}: {}\n{}", found[0], text(&code, files)));
        walks(&code, files, 8).unwrap_or_else(|found| panic!("seed {seed}: {found}\n{}", text(&code, files)));
        assert_eq!(
            insert_waits(&mut code, files, &LATE),
            0,
            "seed {seed}: waits twice\n{}",
            text(&code, files)
        );
    }
    assert!(without > 500 && waiting > 5000, "{without} need waits, {waiting} wait");
}

/// No wait can be weaker: the checker refuses each that is, and so every wait is needed.
/// What a walk refuses the checker refuses too.
#[test]
fn weaker_waits_are_refused() {
    let (mut faults, mut spare, mut seen) = (0, 0, 0);
    for seed in 0..240 {
        let Some((mut code, files)) = function(seed) else { continue };
        insert_waits(&mut code, files, &LATE);
        for place in toy::waits(&code) {
            let mut weaker = code.clone();
            toy::weaken_wait(&mut weaker, place);
            let refused = check_waits(&weaker, files, &LATE).is_err();
            let walked = walks(&weaker, files, 4);
            assert!(refused || walked.is_ok(), "seed {seed}: {walked:?}\n{}", text(&weaker, files));
            (faults, spare, seen) =
                (faults + 1, spare + usize::from(!refused), seen + usize::from(walked.is_err()));
        }
    }
    assert!(faults > 2000 && seen * 3 > faults, "{faults} faults, {seen} seen on walks");
    assert!(spare * 100 <= faults, "{spare} of {faults} waits could be weaker");
}

/// A weaker wait leaves one more under way, up to what the queue can be asked for; one that leaves that many is none.
#[test]
fn a_wait_is_made_weaker_by_one() {
    let files = &MACHINES[0];
    for (wait, weaker) in [("3", "4"), ("6", "7"), ("7", "undef:s"), ("undef:s", "undef:s")] {
        let of = |left: &str| {
            format!(
                "function weaker\nb0:\n    wait {left}, undef:s, undef:s, undef:s\n    return writes control\n"
            )
        };
        let mut code = toy::read(&of(wait), files).unwrap();
        toy::weaken_wait(&mut code, (chiaro_mach::Inst(0), 0));
        assert_eq!(text(&code, files), of(weaker));
    }
}
