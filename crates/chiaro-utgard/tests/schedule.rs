//! Random blocks: scheduled, checked, run, and compared with what they mean.

use std::sync::Arc;

use chiaro_diag::Budget;
use chiaro_utgard::check::{Options, check};
use chiaro_utgard::compile::graph::{Graph, Op, Operand, Place, Source};
use chiaro_utgard::compile::schedule::{Around, Limit, Scheduled, schedule};
use chiaro_utgard::listing::mesa;
use chiaro_utgard::machine::{Config, Machine, Program};

use crate::common::random::Rng;

fn around() -> Around {
    Around::new(20, [0; 16])
}

fn random(rng: &mut Rng, size: usize) -> Graph {
    let mut graph = Graph::default();
    let mut values: Vec<Operand> = Vec::new();
    for i in 0..4 + rng.below(8) {
        values.push(match rng.below(4) {
            0 => graph.number([0.0, 1.0, 0.5, -2.0, 3.25][rng.below(5)]),
            1 => graph.load(Source::Attribute(rng.below(4) as u8, rng.below(4) as u8)),
            _ => graph.load(Source::Uniform(rng.below(16) as u16, (i % 4) as u8)),
        });
    }
    for _ in 0..size {
        let pick = |rng: &mut Rng| {
            let recent = values.len().min(12);
            let at = if rng.below(3) == 0 {
                rng.below(values.len())
            } else {
                values.len() - 1 - rng.below(recent)
            };
            let v = values[at];
            Operand { neg: v.neg != (rng.below(4) == 0), ..v }
        };
        let (a, b, c) = (pick(rng), pick(rng), pick(rng));
        let v = match rng.below(16) {
            0..=4 => graph.mul(a, b),
            5..=8 => graph.add(a, b),
            9 => graph.make(Op::Max, &[a, b]),
            10 => graph.make(Op::Min, &[a, b]),
            11 => graph.make(Op::Floor, &[a]),
            12 => {
                let test = graph.make(Op::Lt, &[a, b]);
                graph.select(test, b, c)
            }
            13 => {
                let op = [Op::Rcp, Op::Rsqrt, Op::Exp2, Op::Log2][rng.below(4)];
                let x = graph.make(Op::Max, &[a, a.negated()]);
                let half = graph.number(0.5);
                let x = graph.add(x, half);
                graph.function(op, x)
            }
            14 => {
                let x = graph.plain(a);
                graph.make(Op::Clamp((-1.0_f32).to_bits(), 2.0_f32.to_bits()), &[x])
            }
            _ => graph.make(Op::Ge, &[a, b]),
        };
        values.push(v);
    }
    for i in 0..1 + rng.below(12) {
        let v = values[values.len() - 1 - rng.below(values.len().min(20))];
        let v = graph.plain(v);
        graph.make(Op::Store(Place::Output((i / 4) as u8, (i % 4) as u8)), &[v]);
    }
    graph
}

fn attribute(i: u8, c: u8) -> f32 {
    0.37 + f32::from(i) * 1.7 - f32::from(c) * 0.61
}

fn uniform(i: u16, c: u8) -> f32 {
    f32::from(i) * 0.29 - 1.9 + f32::from(c) * 0.53
}

fn meaning(graph: &Graph) -> Vec<f32> {
    let mut values: Vec<f32> = Vec::new();
    for data in graph.nodes() {
        let arg = |i: usize| {
            let a = data.args()[i];
            let v = values[a.node.0 as usize];
            if a.neg { -v } else { v }
        };
        let truth = |b: bool| if b { 1.0 } else { 0.0 };
        values.push(match data.op {
            Op::Load(Source::Constant(bits)) => f32::from_bits(bits),
            Op::Load(Source::Attribute(i, c)) => attribute(i, c),
            Op::Load(Source::Uniform(i, c)) => uniform(i, c),
            Op::Load(_) => 0.0,
            Op::Mul(neg) => {
                if neg {
                    -(arg(0) * arg(1))
                } else {
                    arg(0) * arg(1)
                }
            }
            Op::Add => arg(0) + arg(1),
            Op::Neg => -arg(0),
            Op::Floor => arg(0).floor(),
            Op::Sign => arg(0).signum(),
            Op::Ge => truth(arg(0) >= arg(1)),
            Op::Lt => truth(arg(0) < arg(1)),
            Op::Min => arg(0).min(arg(1)),
            Op::Max => arg(0).max(arg(1)),
            Op::Select => {
                if arg(0) != 0.0 {
                    arg(1)
                } else {
                    arg(2)
                }
            }
            Op::Rcp => 1.0 / arg(0),
            Op::Rsqrt => (1.0 / f64::from(arg(0)).sqrt()) as f32,
            Op::Exp2 => f64::from(arg(0)).exp2() as f32,
            Op::Log2 => f64::from(arg(0)).log2() as f32,
            Op::Clamp(low, high) => arg(0).max(f32::from_bits(low)).min(f32::from_bits(high)),
            Op::Store(_) | Op::Address(_) | Op::Branch => arg(0),
        });
    }
    values
}

/// A number that the caller may set, for longer runs than the usual one.
fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// `CHIARO_BLOCKS` blocks from seed `CHIARO_SEED` on, small ones and large ones, at all efforts.
#[test]
fn random_blocks_compute_what_they_mean() {
    let (first, count) = (setting("CHIARO_SEED", 1), setting("CHIARO_BLOCKS", 400));
    let mut spread = [(0, 0, 0); 4];
    for seed in first..first + count {
        let mut rng = Rng::new(seed);
        rng.below(1);
        let is_large = seed % 8 == 0;
        let size = 3 + rng.below(if is_large { 150 } else { 30 });
        let graph = random(&mut rng, size);
        let effort = (seed / 8 % if is_large { 2 } else { 4 }) as u32;
        let made = schedule(&graph, &around(), effort, &Budget::default())
            .unwrap_or_else(|| panic!("seed {seed}: no schedule"));
        check_quality(seed, &made);
        check_words(seed, &graph, &made);
        let (blocks, instructions, optimal) = &mut spread[effort as usize];
        *blocks += 1;
        *instructions += made.words.len();
        *optimal += usize::from(made.quality.optimal);
    }
    println!("blocks, instructions and optimal blocks by effort: {spread:?}");
}

/// What is reported of a schedule agrees with itself.
fn check_quality(seed: u64, made: &Scheduled) {
    let quality = made.quality;
    assert_eq!(quality.length as usize, made.words.len(), "seed {seed}");
    assert!(quality.bound <= quality.length, "seed {seed}: {quality:?}");
    assert_eq!(quality.optimal, quality.bound == quality.length, "seed {seed}: {quality:?}");
}

/// The words keep the rules, and compute on the simulator what the block means.
fn check_words(seed: u64, graph: &Graph, made: &Scheduled) {
    let found = check(&made.words, &Options::default());
    assert!(found.is_empty(), "seed {seed}: {:?}\n{}", found[0], mesa::print(&made.words));
    let m = run(made);
    assert!(m.faults().is_empty(), "seed {seed}: {:?}", m.faults());
    let values = meaning(graph);
    for (i, data) in graph.nodes().iter().enumerate() {
        let Op::Store(Place::Output(o, c)) = data.op else { continue };
        let (got, want) = (m.output(0, u32::from(o))[usize::from(c)], values[i]);
        let close = (got - want).abs() <= 1e-5 * want.abs().max(1e-3) || got == want;
        let is_right = close || got.is_nan() || want.is_nan();
        assert!(is_right, "seed {seed} v{o}.{c}: {got} not {want}\n{}", mesa::print(&made.words));
    }
}

/// The words on the simulator, with the uniforms, constants and attributes of these tests.
fn run(made: &Scheduled) -> Machine {
    let mut m = Machine::new(Arc::new(Program::new(&made.words, &Config::default())));
    for i in 0..16u16 {
        m.set_uniform(usize::from(i), std::array::from_fn(|c| uniform(i, c as u8)));
    }
    for (i, row) in made.constants.iter().enumerate() {
        m.set_uniform(20 + i, row.map(|bits| f32::from_bits(bits.unwrap_or(0))));
    }
    for i in 0..4u8 {
        m.set_attribute(0, u32::from(i), std::array::from_fn(|c| attribute(i, c as u8)));
    }
    m.run(1);
    m
}

/// More effort never gives more instructions than a proof of less effort allows.
#[test]
fn nothing_is_shorter_than_what_is_proven() {
    for seed in 1..60u64 {
        let mut rng = Rng::new(seed);
        let size = 4 + rng.below(24);
        let graph = random(&mut rng, size);
        let made: Vec<Scheduled> =
            (0..4).filter_map(|effort| schedule(&graph, &around(), effort, &Budget::default())).collect();
        let bound = made.iter().map(|made| made.quality.bound).max();
        let least = made.iter().map(|made| made.quality.length).min();
        assert!(bound <= least, "seed {seed}: {bound:?} proven, {least:?} found");
    }
}

/// Six products are summed, and the sum is a factor of six more: what is before it and what is behind
/// it stand one after the other. The longest path knows of neither six.
#[test]
fn a_bound_counts_what_is_before_and_behind_a_value() {
    let mut graph = Graph::default();
    let [x, y, z, w] = [0, 1, 2, 3].map(|c| graph.load(Source::Attribute(0, c)));
    let factors = [(x, y), (x, z), (x, w), (y, z), (y, w), (z, w)];
    let [a, b, c, d, e, f] = factors.map(|(a, b)| graph.mul(a, b));
    let pairs = [(a, b), (c, d), (e, f)].map(|(a, b)| graph.add(a, b));
    let half = graph.add(pairs[0], pairs[1]);
    let sum = graph.add(half, pairs[2]);
    for (i, factor) in (0u8..).zip([x, y, z, w, a, b]) {
        let product = graph.mul(sum, factor);
        graph.make(Op::Store(Place::Output(i / 4, i % 4)), &[product]);
    }
    let made = |effort| schedule(&graph, &around(), effort, &Budget::default()).expect("it fits").quality;
    let (path, full) = (made(0), made(3));
    assert_eq!((path.bound, full.bound), (7, 8), "{full:?}");
    assert_ne!(full.limit, Limit::Search);
}

/// Blocks that no order of the usual kind fits, reduced from random shaders: every effort finds a
/// way, and the words keep the rules.
fn is_scheduled(graph: &Graph, around: &Around) {
    for effort in 0..4 {
        let made = schedule(graph, around, effort, &Budget::default()).expect("there is a way");
        let found = check(&made.words, &Options::default());
        let found: Vec<_> = found
            .iter()
            .filter(|found| !["branch-target", "register-undefined"].contains(&found.rule.id))
            .collect();
        assert!(found.is_empty(), "effort {effort}: {:?}\n{}", found[0], mesa::print(&made.words));
    }
}

fn register(graph: &mut Graph, component: u8) -> Operand {
    graph.load(Source::Register(component / 4, component % 4))
}

fn keep(graph: &mut Graph, component: u8, value: Operand) {
    graph.make(Op::Store(Place::Register(component / 4, component % 4)), &[value]);
}

fn branch(graph: &mut Graph) {
    let always = graph.number(1.0);
    graph.make(Op::Branch, &[always]);
}

/// The pass unit of the last instruction is the branch's, whatever else wants it.
#[test]
fn a_branch_finds_its_place() {
    let mut graph = Graph::default();
    let (y, x) = (graph.load(Source::Uniform(5, 1)), register(&mut graph, 4));
    let difference = graph.sub(x, y);
    let clamped = graph.make(Op::Clamp((-16.0_f32).to_bits(), 16.0_f32.to_bits()), &[difference]);
    let (a, b, two) = (register(&mut graph, 5), register(&mut graph, 6), graph.number(2.0));
    for (i, value) in [a, clamped, b, two].into_iter().enumerate() {
        graph.make(Op::Store(Place::Output(1, i as u8)), &[value]);
    }
    for i in 0..2 {
        let value = register(&mut graph, 7 + i);
        graph.make(Op::Store(Place::Output(2, i)), &[value]);
    }
    for i in 0..4 {
        let value = register(&mut graph, i);
        keep(&mut graph, 9 + i, value);
    }
    branch(&mut graph);
    is_scheduled(&graph, &Around::new(20, [15, 15, 15, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
}

/// What a register held before is loaded before it is stored, though a move carries it on.
#[test]
fn an_old_value_is_loaded_before_the_new_one_is_stored() {
    let mut graph = Graph::default();
    let (count, one) = (register(&mut graph, 0), graph.number(1.0));
    let next = graph.add(count, one);
    keep(&mut graph, 0, next);
    keep(&mut graph, 1, count);
    branch(&mut graph);
    is_scheduled(&graph, &Around::new(20, [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
}

/// A clamp's limits and the address of the temporary that gets its result lie in two vec4.
#[test]
fn limits_and_addresses_stand_apart() {
    let mut graph = Graph::default();
    let address = graph.number(29.0);
    for c in 0..2 {
        let old = graph.load(Source::Temporary(23, c));
        let clamped = graph.make(Op::Clamp((-16.0_f32).to_bits(), 16.0_f32.to_bits()), &[old]);
        graph.make(Op::Store(Place::Temporary(c)), &[clamped, address]);
    }
    branch(&mut graph);
    let mut around = around();
    around.constants = vec![[29.0, 1.0, 2.0, 3.0].map(|x: f32| Some(x.to_bits()))];
    is_scheduled(&graph, &around);
}
