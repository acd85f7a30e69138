//! The law: the interpreter gives the same bits before and after every pass, on random modules.

use chiaro_diag::FileId;
use chiaro_ir::interp::{Interpreter, NoImages};
use chiaro_ir::random::{Features, Rng, module_with};
use chiaro_ir::{FunctionRef, GlobalRef, Module, Stage, parse, print, verify};
use chiaro_opt::{ALGEBRA, Changed, Cx, Event, Legal, PASSES, Pass, Settled, make_legal, optimize};

/// Seeds of each law.
const SEEDS: u64 = 2000;

fn modules() -> impl Iterator<Item = (u64, Module)> {
    (0..SEEDS).map(|seed| {
        let features = Features {
            variables: seed % 4 != 0,
            lively: seed % 8 != 1,
            subgroup: seed % 16 == 2,
            ..Features::default()
        };
        let mut module = module_with(seed, 20 + (seed % 40) as u32, features);
        // Lanes that race for a place may see each other's values or not.
        module.entries[0].workgroup = [1, 1, 1];
        (seed, module)
    })
}

/// The output buffer after a run; `None` for a run that does not come to its end.
fn run(module: &Module, input: u64, undef: u64) -> Option<Vec<u8>> {
    let mut interpreter = Interpreter::new(module, &module.entries[0]);
    interpreter.options.undef = undef;
    interpreter.options.fuel = 100_000;
    let mut rng = Rng(input);
    let mut words = || (0..8).flat_map(|_| (rng.draw() as i32 >> (rng.below(4) * 9)).to_le_bytes()).collect();
    interpreter.set(GlobalRef(0), words());
    interpreter.set(GlobalRef(1), words());
    interpreter.dispatch([1, 1, 1], &mut NoImages).ok()?;
    interpreter.bytes(GlobalRef(1)).map(<[u8]>::to_vec)
}

/// What a module gives, for each of several inputs, where that does not depend on `undef`.
fn outputs(module: &Module) -> Vec<Option<Vec<u8>>> {
    let defined = |input| {
        let one = run(module, input, 0)?;
        (run(module, input, 0xa5a5_a5a5_a5a5_a5a5)? == one).then_some(one)
    };
    (0..3).map(defined).collect()
}

fn same(seed: u64, what: &str, before: &Module, expected: &[Option<Vec<u8>>], after: &Module) {
    let verdict = verify(after);
    assert!(verdict.is_ok(), "{what}, seed {seed}: {verdict:?}\n{}\n{}", print(before), print(after));
    for (input, expected) in expected.iter().enumerate() {
        if expected.is_some() && *expected != run(after, input as u64, 0) {
            panic!("{what}, seed {seed}, input {input}: {}\n{}", print(before), print(after));
        }
    }
}

/// Runs a pass on every function. Whether it changed any.
fn run_pass(pass: &Pass, module: &mut Module) -> bool {
    let mut changed = false;
    for f in (0..module.functions.len() as u32).map(FunctionRef) {
        changed |= Cx::default().run(pass, module, f) == Changed::Yes;
    }
    changed
}

/// Rounds of all passes with a way to run them, until nothing changes; how many passes ran.
fn rounds(module: &mut Module, mut run: impl FnMut(&mut Cx<'_>, &[Pass], &mut Module) -> Changed) -> u32 {
    let mut cx = Cx::default();
    for _ in 0..6 {
        let changed = run(&mut cx, PASSES, module) == Changed::Yes;
        if run(&mut cx, ALGEBRA, module) == Changed::No && !changed {
            break;
        }
    }
    cx.number
}

#[test]
fn passes_that_are_left_out_would_have_changed_nothing() {
    let (mut ran, mut left_out) = (0, 0);
    for (seed, before) in modules().take(200) {
        let f = before.entries[0].function;
        let (mut all, mut fewer) = (before.clone(), before);
        let every = rounds(&mut all, |cx, passes, module| cx.run_all(passes, module, f));
        let mut settled = Settled::default();
        let some = rounds(&mut fewer, |cx, passes, module| cx.run_unsettled(&mut settled, passes, module, f));
        assert_eq!(print(&all), print(&fewer), "seed {seed}");
        (ran, left_out) = (ran + some, left_out + every - some);
    }
    assert!(left_out > ran / 8, "{left_out} were left out, {ran} ran");
}

/// From the optimiser to legal IR no pass is asked again of a function that nothing has changed in between.
#[test]
fn what_is_settled_stays_so_up_to_legal_ir() {
    let legal = Legal { about: "a test", stages: &[Stage::Compute], early: &[], passes: &[] };
    for (seed, mut module) in modules().take(200) {
        let mut quiet: Vec<&str> = Vec::new();
        let mut watch = |event: &Event<'_>| {
            if event.function != event.module.entries[0].function {
                return;
            }
            assert!(!quiet.contains(&event.pass), "seed {seed}: {} again", event.pass);
            match event.changed {
                Changed::Yes => quiet.clear(),
                Changed::No => quiet.push(event.pass),
            }
        };
        let mut cx = Cx { watch: Some(&mut watch), ..Cx::default() };
        let _ = make_legal(&mut module, "main", &legal, &mut cx);
        assert!(cx.number > 0, "seed {seed}");
    }
}

#[test]
fn every_pass_keeps_the_meaning() {
    let mut defined = 0;
    for (seed, before) in modules() {
        let expected = outputs(&before);
        defined += expected.iter().flatten().count();
        for pass in PASSES.iter().chain(ALGEBRA) {
            let mut after = before.clone();
            if run_pass(pass, &mut after) {
                same(seed, pass.name, &before, &expected, &after);
            }
        }
    }
    assert!(defined > SEEDS as usize, "only {defined} runs are defined");
}

/// In the order of the pipeline each pass meets what the others leave; the pass at fault is
/// found by stopping earlier.
#[test]
fn all_passes_together_keep_the_meaning() {
    for (seed, before) in modules() {
        let expected = outputs(&before);
        let mut after = before.clone();
        let mut cx = Cx { verify: true, ..Cx::default() };
        let _ = optimize(&mut after, "main", &mut cx);
        assert!(cx.breach.is_none(), "seed {seed}: {:?}\n{}", cx.breach, print(&before));
        if expected.iter().enumerate().all(|(i, e)| e.is_none() || *e == run(&after, i as u64, 0)) {
            continue;
        }
        let (mut last, mut number) = (String::new(), 0);
        loop {
            number += 1;
            let mut after = before.clone();
            let mut name = "";
            let mut watch = |event: &chiaro_opt::Event<'_>| name = event.pass;
            let mut cx = Cx { stop_after: Some(number), watch: Some(&mut watch), ..Cx::default() };
            let _ = optimize(&mut after, "main", &mut cx);
            drop(cx);
            for (input, expected) in expected.iter().enumerate() {
                let found = run(&after, input as u64, 0);
                let text = print(&after);
                assert!(
                    expected.is_none() || *expected == found,
                    "{name}, run {number}, seed {seed}, input {input}: {last}\n-->\n{text}"
                );
                last = text;
            }
        }
    }
}

/// Copies of arrays of so many scalars each, from one buffer to another, and what is told of them on the way to legal IR.
fn copied(size: u32, count: u32) -> Result<(), String> {
    let (one, stride) = (format!("array<i32, {size}, stride 4>"), 4 * size);
    let copy = |n: u32| {
        let [from, to, value] = [0, 1, 2].map(|k| 3 * n + k);
        format!(
            "  %{from}: ptr<storage, {one}> = access @a, 0, {n}
  %{to}: ptr<storage, {one}> = access @b, 0, {n}
  %{value}: {one} = load %{from}\n  store %{to}, %{value}\n"
        )
    };
    let text = format!(
        "struct Many {{ all: array<{one}, {count}, stride {stride}> at 0 }}
global @a: storage Many set(0) binding(0)
global @b: storage Many set(0) binding(1)
entry compute \"main\" = @main workgroup(1, 1, 1) interface(@a, @b)
fn @main() {{\n{}  return\n}}\n",
        (0..count).map(copy).collect::<String>()
    );
    let mut module = parse(&text, FileId(0)).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let legal = Legal { about: "a test", stages: &[Stage::Compute], early: &[], passes: &[] };
    let made = make_legal(&mut module, "main", &legal, &mut Cx::default());
    made.map(drop).map_err(|errors| format!("{}: {:?}", errors[0].message, errors[0].notes))
}

/// Each scalar of a large value takes memory of the compilation, which has enough for 65,536 of them; small values take
/// none, however many they are.
#[test]
fn large_values_are_memory() {
    let refused = |size: u32, count: u32| copied(size, count).is_err_and(|error| error.contains("as values"));
    assert_eq!(copied(65_536, 1), Ok(()));
    assert!(refused(65_537, 1));
    assert_eq!(copied(1024, 65), Ok(()));
    assert!(refused(1025, 65));
    assert_eq!(copied(1025, 63), Ok(()));
}
