//! `lower_exits` keeps the meaning of random functions, whatever is kept.

use chiaro_ir::{Exits, FunctionRef, lower_exits, print, random, verify};

use crate::meaning;

#[test]
fn lowered_functions_mean_the_same() {
    let mut changed = 0;
    for seed in 0..4000u64 {
        let before = random::module(seed, 20 + (seed % 150) as u32);
        let bits = random::Rng(seed).draw();
        let keeps = |bit: u32| seed % 3 != 0 && bits >> bit & 1 == 1;
        let keep = Exits {
            blocks: keeps(0),
            breaks: keeps(1),
            continues: keeps(2),
            returns: keeps(3),
            across_loops: keeps(4),
        };
        let mut after = before.clone();
        for f in (0..before.functions.len() as u32).map(FunctionRef) {
            changed += u32::from(lower_exits(&mut after, f, keep));
            let verdict = verify(&after);
            assert!(verdict.is_ok(), "seed {seed}: {verdict:?}\n{}\n{}", print(&before), print(&after));
            for run in 0..4 {
                let (one, two) = (
                    meaning::run(&before, f, run, 0, &|_| true, &|_| true),
                    meaning::run(&after, f, run, 0, &|_| true, &|_| true),
                );
                assert_eq!(
                    (one.trace, one.fuel),
                    (two.trace, two.fuel),
                    "seed {seed}\n{}\n{}",
                    print(&before),
                    print(&after)
                );
            }
            assert!(!lower_exits(&mut after, f, keep), "seed {seed}: more to lower\n{}", print(&after));
        }
    }
    assert!(changed > 2000, "only {changed} functions had something to lower");
}
