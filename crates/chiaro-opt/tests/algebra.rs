//! The laws of passes that know algebra: bit for bit where nothing is assumed of floats, within
//! the error that the source allows where all is.

use chiaro_ir::interp::compare::Comparison;
use chiaro_ir::interp::{Exact, Interpreter, Interval, NoImages, Precision};
use chiaro_ir::random::Rng;
use chiaro_ir::{FunctionRef, GlobalRef, Module, Op, Step, Value, Walk, print, verify};
use chiaro_opt::{ALGEBRA, Assumptions, Changed, Cx, Pass, optimize};

use crate::expressions::{self, WORDS};

/// Passes that change expressions.
const NAMES: &[&str] = &["simplify", "vectorize", "scalarize", "matrix_chains", "reassociate", "contract"];

fn passes() -> impl Iterator<Item = &'static Pass> {
    ALGEBRA.iter().filter(|pass| NAMES.contains(&pass.name))
}

fn apply(pass: &Pass, module: &mut Module, assumptions: Assumptions) -> Changed {
    let mut cx = Cx::default();
    cx.options.assumptions = assumptions;
    let changed = cx.run(pass, module, FunctionRef(0));
    let verdict = verify(module);
    assert!(verdict.is_ok(), "{} {verdict:?}\n{}", pass.name, print(module));
    changed
}

/// Numbers that are hard on rules.
fn hard(rng: &mut Rng) -> u32 {
    const SPECIAL: [f32; 10] =
        [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40, 3e38, 0.3];
    match rng.below(3) {
        0 => SPECIAL[rng.below(10)].to_bits(),
        1 => ((rng.below(2000) as f32 - 1000.0) / 64.0).to_bits(),
        _ => rng.draw() as u32,
    }
}

fn inputs(seed: u64, number: fn(&mut Rng) -> u32) -> [Vec<u8>; 2] {
    let mut rng = Rng(seed);
    let floats = (0..WORDS).flat_map(|_| number(&mut rng).to_le_bytes()).collect();
    let ints = (0..WORDS).flat_map(|_| (rng.draw() as i32 >> (rng.below(5) * 7)).to_le_bytes()).collect();
    [floats, ints]
}

/// Floats and integers that a module writes.
fn run(module: &Module, [floats, ints]: [Vec<u8>; 2]) -> [Vec<u32>; 2] {
    let mut interpreter = Interpreter::with(module, &module.entries[0], Exact);
    interpreter.set(GlobalRef(0), floats);
    interpreter.set(GlobalRef(1), ints);
    [2, 3].iter().for_each(|&out| interpreter.set(GlobalRef(out), vec![0; 4 * WORDS]));
    interpreter.dispatch([1; 3], &mut NoImages).unwrap();
    [2, 3].map(|out| {
        let bytes = interpreter.bytes(GlobalRef(out)).unwrap_or_default();
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    })
}

fn same(a: u32, b: u32) -> bool {
    a == b || f32::from_bits(a).is_nan() && f32::from_bits(b).is_nan()
}

#[test]
fn without_assumptions_every_bit_stays() {
    for pass in passes() {
        for seed in 0..3000 {
            let before = expressions::module(seed, 4 + seed as usize % 40);
            let mut after = before.clone();
            let _ = apply(pass, &mut after, Assumptions::STRICT);
            for input in 0..3 {
                let given = inputs(seed ^ input << 32, hard);
                let ([f, i], [g, j]) = (run(&before, given.clone()), run(&after, given));
                let floats = f.iter().zip(&g).position(|(&a, &b)| !same(a, b));
                let ints = i.iter().zip(&j).position(|(a, b)| a != b);
                if let (None, None) = (floats, ints) {
                    continue;
                }
                panic!(
                    "{}, seed {seed}: float {floats:?}, integer {ints:?}\n{}\n{}",
                    pass.name,
                    print(&before),
                    print(&after)
                );
            }
        }
    }
}

/// Numbers that are easy to compute with.
fn easy(rng: &mut Rng) -> u32 {
    let magnitude = 0.25 + rng.below(1000) as f32 / 256.0;
    (if rng.once_in(4) { -magnitude } else { magnitude }).to_bits()
}

#[test]
fn with_all_assumptions_results_stay_within_the_error_of_the_source() {
    for pass in passes() {
        let apply = |module: &mut Module| apply(pass, module, Assumptions::GRAPHICS);
        let changes = within(pass.name, 1500, &apply);
        assert!(changes > 100, "{} changed only {changes} modules", pass.name);
    }
}

#[test]
fn all_passes_together_stay_within_it() {
    within("all passes", 1500, &|module| {
        let mut cx = Cx::default();
        cx.options.assumptions = Assumptions::GRAPHICS;
        cx.verify = true;
        let changed = optimize(module, "main", &mut cx);
        let contract = ALGEBRA.iter().find(|pass| pass.name == "contract").unwrap();
        let _ = cx.run(contract, module, FunctionRef(0));
        assert!(cx.breach.is_none(), "{:?}\n{}", cx.breach, print(module));
        changed
    });
}

/// Random expressions before and after; how many changed.
fn within(what: &str, seeds: u64, apply: &dyn Fn(&mut Module) -> Changed) -> u32 {
    let (mut total, mut changes) = (Comparison::default(), 0);
    for seed in 0..seeds {
        let before = expressions::module(seed, 3 + seed as usize % 12);
        let mut after = before.clone();
        changes += u32::from(apply(&mut after) == Changed::Yes);
        for input in 0..2 {
            let given = inputs(seed ^ input << 32, easy);
            let (exact, found) = (run(&before, given.clone()), run(&after, given.clone()));
            let comparison = fuzzy(&before, given, &exact[0], &found[0]);
            assert!(
                comparison.differences.is_empty(),
                "{what}, seed {seed}: {comparison}\n{}\n{}",
                print(&before),
                print(&after)
            );
            total.equal += comparison.equal;
            total.inconclusive += comparison.inconclusive;
        }
    }
    assert!(total.equal > 2 * total.inconclusive, "{what}: {total}");
    changes
}

/// Compares floats with what the source may give; a NaN or infinity in it allows anything.
fn fuzzy(before: &Module, [floats, ints]: [Vec<u8>; 2], exact: &[u32], found: &[u32]) -> Comparison {
    // Regrouped sums and powers as products are off by a few more units than single operations.
    let precision = Precision { basic: 8.0, quotient: 16.0, function: 64.0, ..Precision::VULKAN };
    let mut interpreter = Interpreter::with(before, &before.entries[0], Interval { precision });
    interpreter.set(GlobalRef(0), floats);
    interpreter.set(GlobalRef(1), ints);
    [2, 3].iter().for_each(|&out| interpreter.set(GlobalRef(out), vec![0; 4 * WORDS]));
    let report = interpreter.dispatch([1; 3], &mut NoImages).unwrap();
    let conclusive = report.notes.iter().all(|note| note.0.is_none());
    let any_special = exact.iter().any(|&bits| !f32::from_bits(bits).is_finite());
    let mut comparison = Comparison::default();
    for (i, (&e, &found)) in exact.iter().zip(found).enumerate() {
        if same(e, found) {
            comparison.equal += 1;
            continue;
        }
        let (value, error, sound) = interpreter.float_at(GlobalRef(2), 4 * i, 32).unwrap();
        let sound = sound && conclusive && !any_special;
        comparison.interval(i, value, error, f64::from(f32::from_bits(found)), sound);
    }
    comparison
}

/// Every number that is stored lies where its range says.
#[test]
fn ranges_hold() {
    let mut told = 0;
    for seed in 0..4000 {
        let module = expressions::module(seed, 4 + seed as usize % 40);
        let f = module.function(FunctionRef(0));
        let ranges = chiaro_opt::ranges(&module, f);
        let stores = Walk::new(f).filter_map(|step| match step {
            Step::Inst(inst) if f.op(inst) == Op::Store => f.args(inst).get(1).copied(),
            _ => None,
        });
        let (floats, ints): (Vec<Value>, Vec<Value>) = stores.partition(|&v| module.types.is_float(f.ty(v)));
        for input in 0..3 {
            let [found, whole] = run(&module, inputs(seed ^ input << 32, hard));
            for (&v, &bits) in floats.iter().zip(&found) {
                let (range, x) = (ranges.float(v), f64::from(f32::from_bits(bits)));
                let within = if x.is_nan() { range.nan } else { range.low <= x && x <= range.high };
                let zero = range.negative_zero || x != 0.0 || x.is_sign_positive();
                let rounded = !range.whole || x.is_nan() || x == x.trunc();
                assert!(within && zero && rounded, "seed {seed}: {x} {range:?} {v:?}\n{}", print(&module));
                told += u32::from(range.low > f64::NEG_INFINITY);
            }
            for (&v, &bits) in ints.iter().zip(&whole) {
                let (range, x) = (ranges.int(v, 32), i64::from(bits as i32));
                assert!(
                    (range.low..=range.high).contains(&x),
                    "seed {seed}: {x} {range:?}\n{}",
                    print(&module)
                );
            }
        }
    }
    assert!(told > 10_000, "only {told} floats have a lower bound");
}
