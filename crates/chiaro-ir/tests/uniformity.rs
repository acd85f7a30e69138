//! What the analysis calls the same in all lanes is the same in runs of several lanes.

use chiaro_ir::{FunctionRef, PrintOptions, Variance, print_with, random, uniformity};
use std::collections::HashMap;

use crate::meaning;

#[test]
fn uniform_values_are_the_same_in_every_lane() {
    let mut compared = 0;
    for seed in 0..3000u64 {
        let module = random::module(seed, 20 + (seed % 120) as u32);
        let known = uniformity(&module);
        let calls = |f: FunctionRef| known[f.0 as usize].result == Variance::Lane;
        for (f, known) in (0..).map(FunctionRef).zip(&known) {
            let mut found = HashMap::new();
            for lane in 1..5 {
                let run = meaning::run(
                    &module,
                    f,
                    seed,
                    lane,
                    &|param| known.value(param) == Variance::Lane,
                    &calls,
                );
                for (value, rounds, number) in run.results {
                    if known.value(value) != Variance::Uniform {
                        continue;
                    }
                    let first = *found.entry((value, rounds)).or_insert(number);
                    compared += u32::from(lane > 1);
                    let text =
                        || print_with(&module, PrintOptions { handles: true, ..PrintOptions::default() });
                    assert_eq!(first, number, "seed {seed}, function {f:?}, value {value:?}\n{}", text());
                }
            }
        }
    }
    assert!(compared > 10_000, "only {compared} values were compared");
}
