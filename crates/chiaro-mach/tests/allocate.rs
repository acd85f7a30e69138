//! Random code for the toy machine: it computes the same before and after allocation, and the
//! checker accepts it; with a seeded fault the checker refuses it.

use chiaro_mach::toy::{MACHINES, Shape, Trace, evaluate, generate, ops};
use chiaro_mach::*;

const FUEL: u32 = 20_000;

fn names(files: &[RegFile]) -> Names<'_> {
    let op: &dyn Fn(u32) -> String =
        &|op| ops::NAMES.get(op as usize).map_or("?".to_owned(), |&n| n.to_owned());
    Names { files, op }
}

fn text(code: &Code, files: &[RegFile]) -> String {
    print(code, names(files))
}

fn expect_equal(code: &Code, files: &[RegFile], trace: &Trace, seed: u64, step: &str) {
    let breaches = verify(code, files).and_then(|()| check_allocation(code, files)).err().unwrap_or_default();
    let breaches: Vec<String> = breaches.iter().take(5).map(ToString::to_string).collect();
    assert!(breaches.is_empty(), "seed {seed}, {step}: {breaches:#?}\n{}", text(code, files));
    let after = evaluate(code, files, true, FUEL);
    assert!(
        after.as_ref() == Some(trace),
        "seed {seed}, {step}: computes something else\n{}",
        text(code, files)
    );
}

fn run(seed: u64, shape: Shape, files: &[RegFile]) -> Option<Totals> {
    let mut code = generate(seed, shape);
    if let Err(breaches) = verify(&code, files) {
        panic!("seed {seed}: {:?}\n{}", breaches, text(&code, files));
    }
    let trace = evaluate(&code, files, false, FUEL)?;
    let before = text(&code, files);
    let totals = match allocate(&mut code, files) {
        Ok(totals) => totals,
        Err(error) => panic!("seed {seed}: {error}\n{before}"),
    };
    expect_equal(&code, files, &trace, seed, "allocate");
    lower_copies(&mut code, files).unwrap_or_else(|stuck| panic!("seed {seed}: {stuck:?}"));
    expect_equal(&code, files, &trace, seed, "lower_copies");
    Some(totals)
}

#[test]
fn straight_code_keeps_its_meaning() {
    for seed in 0..400 {
        run(seed, Shape { insts: 30, depth: 0, alive: 12 }, &MACHINES[seed as usize % 3]);
    }
}

#[test]
fn structured_code_keeps_its_meaning() {
    let (mut ran, mut sum) = (0, Totals::default());
    for seed in 0..1500 {
        let shape = Shape { insts: 40 + seed as usize % 60, depth: 3, alive: 4 + seed as usize % 20 };
        if let Some(totals) = run(seed, shape, &MACHINES[seed as usize % 3]) {
            ran += 1;
            sum.spills += totals.spills;
            sum.reloads += totals.reloads;
            sum.moves += totals.moves;
        }
    }
    // Nearly all of it ends within the fuel, and every way of the allocator is taken.
    assert!(ran > 1400, "{ran} ran");
    assert!(sum.spills > 1000 && sum.reloads > 1000 && sum.moves > 1000, "{sum:?}");
}
