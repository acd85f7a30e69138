//! Random blocks: scheduled, checked, run, and compared with what they mean.

use std::sync::Arc;

use chiaro_utgard::check::{Options, check};
use chiaro_utgard::dag::{Dag, Op, Operand, Place, Source};
use chiaro_utgard::listing::mesa;
use chiaro_utgard::machine::{Config, Machine, Program};
use chiaro_utgard::schedule::{Around, schedule};

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }
}

fn around() -> Around {
    Around::new(20, [0; 16])
}

fn random(rng: &mut Rng, size: usize) -> Dag {
    let mut dag = Dag::default();
    let mut values: Vec<Operand> = Vec::new();
    for i in 0..4 + rng.below(8) {
        values.push(match rng.below(4) {
            0 => dag.number([0.0, 1.0, 0.5, -2.0, 3.25][rng.below(5)]),
            1 => dag.load(Source::Attribute(rng.below(4) as u8, rng.below(4) as u8)),
            _ => dag.load(Source::Uniform(rng.below(16) as u16, (i % 4) as u8)),
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
            0..=4 => dag.mul(a, b),
            5..=8 => dag.add(a, b),
            9 => dag.make(Op::Max, &[a, b]),
            10 => dag.make(Op::Min, &[a, b]),
            11 => dag.make(Op::Floor, &[a]),
            12 => {
                let test = dag.make(Op::Lt, &[a, b]);
                dag.select(test, b, c)
            }
            13 => {
                let op = [Op::Rcp, Op::Rsqrt, Op::Exp2, Op::Log2][rng.below(4)];
                let x = dag.make(Op::Max, &[a, a.negated()]);
                let half = dag.number(0.5);
                let x = dag.add(x, half);
                dag.function(op, x)
            }
            14 => {
                let x = dag.plain(a);
                dag.make(Op::Clamp((-1.0_f32).to_bits(), 2.0_f32.to_bits()), &[x])
            }
            _ => dag.make(Op::Ge, &[a, b]),
        };
        values.push(v);
    }
    for i in 0..1 + rng.below(12) {
        let v = values[values.len() - 1 - rng.below(values.len().min(20))];
        let v = dag.plain(v);
        dag.make(Op::Store(Place::Output((i / 4) as u8, (i % 4) as u8)), &[v]);
    }
    dag
}

fn attribute(i: u8, c: u8) -> f32 {
    0.37 + f32::from(i) * 1.7 - f32::from(c) * 0.61
}

fn uniform(i: u16, c: u8) -> f32 {
    f32::from(i) * 0.29 - 1.9 + f32::from(c) * 0.53
}

fn meaning(dag: &Dag) -> Vec<f32> {
    let mut values: Vec<f32> = Vec::new();
    for data in dag.nodes() {
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

#[test]
fn random_blocks_compute_what_they_mean() {
    let mut rng = Rng(0x1234_5678_9abc_def1);
    let (mut total, mut failed, mut spills) = (0, 0, 0);
    for round in 0..400u32 {
        let size = 3 + rng.below(if round % 8 == 0 { 150 } else { 30 });
        let dag = random(&mut rng, size);
        let Some(made) = schedule(&dag, &around(), round % 3) else {
            failed += 1;
            continue;
        };
        total += made.words.len();
        let quality = made.quality;
        assert_eq!(quality.length as usize, made.words.len());
        assert!(quality.bound <= quality.length, "round {round}: {quality:?}");
        spills += made.spills;
        let found = check(&made.words, &Options::default());
        assert!(found.is_empty(), "round {round}: {:?}\n{}", found[0], mesa::print(&made.words));
        let program = Arc::new(Program::new(&made.words, &Config::default()));
        let mut m = Machine::new(program);
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
        assert!(m.faults().is_empty(), "round {round}: {:?}", m.faults());
        let values = meaning(&dag);
        for (i, data) in dag.nodes().iter().enumerate() {
            if let Op::Store(Place::Output(o, c)) = data.op {
                let (got, want) = (m.output(0, u32::from(o))[usize::from(c)], values[i]);
                let close = (got - want).abs() <= 1e-5 * want.abs().max(1e-3) || got == want;
                assert!(
                    close || got.is_nan() || want.is_nan(),
                    "round {round} v{o}.{c}: {got} not {want}\n{}",
                    mesa::print(&made.words)
                );
            }
        }
    }
    println!("instructions {total}, failed {failed}, spills {spills}");
    assert_eq!(failed, 0);
}

/// Blocks that no order of the usual kind fits, reduced from random shaders: every effort finds a
/// way, and the words keep the rules.
fn is_scheduled(dag: &Dag, around: &Around) {
    for effort in 0..4 {
        let made = schedule(dag, around, effort).expect("there is a way");
        let found = check(&made.words, &Options::default());
        let found: Vec<_> = found
            .iter()
            .filter(|found| !["branch-target", "register-undefined"].contains(&found.rule.id))
            .collect();
        assert!(found.is_empty(), "effort {effort}: {:?}\n{}", found[0], mesa::print(&made.words));
    }
}

fn register(dag: &mut Dag, component: u8) -> Operand {
    dag.load(Source::Register(component / 4, component % 4))
}

fn keep(dag: &mut Dag, component: u8, value: Operand) {
    dag.make(Op::Store(Place::Register(component / 4, component % 4)), &[value]);
}

fn branch(dag: &mut Dag) {
    let always = dag.number(1.0);
    dag.make(Op::Branch, &[always]);
}

/// The pass unit of the last instruction is the branch's, whatever else wants it.
#[test]
fn a_branch_finds_its_place() {
    let mut dag = Dag::default();
    let (y, x) = (dag.load(Source::Uniform(5, 1)), register(&mut dag, 4));
    let difference = dag.sub(x, y);
    let clamped = dag.make(Op::Clamp((-16.0_f32).to_bits(), 16.0_f32.to_bits()), &[difference]);
    let (a, b, two) = (register(&mut dag, 5), register(&mut dag, 6), dag.number(2.0));
    for (i, value) in [a, clamped, b, two].into_iter().enumerate() {
        dag.make(Op::Store(Place::Output(1, i as u8)), &[value]);
    }
    for i in 0..2 {
        let value = register(&mut dag, 7 + i);
        dag.make(Op::Store(Place::Output(2, i)), &[value]);
    }
    for i in 0..4 {
        let value = register(&mut dag, i);
        keep(&mut dag, 9 + i, value);
    }
    branch(&mut dag);
    is_scheduled(&dag, &Around::new(20, [15, 15, 15, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
}

/// What a register held before is loaded before it is stored, though a move carries it on.
#[test]
fn an_old_value_is_loaded_before_the_new_one_is_stored() {
    let mut dag = Dag::default();
    let (count, one) = (register(&mut dag, 0), dag.number(1.0));
    let next = dag.add(count, one);
    keep(&mut dag, 0, next);
    keep(&mut dag, 1, count);
    branch(&mut dag);
    is_scheduled(&dag, &Around::new(20, [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
}

/// A clamp's limits and the address of the temporary that gets its result lie in two vec4.
#[test]
fn limits_and_addresses_stand_apart() {
    let mut dag = Dag::default();
    let address = dag.number(29.0);
    for c in 0..2 {
        let old = dag.load(Source::Temporary(23, c));
        let clamped = dag.make(Op::Clamp((-16.0_f32).to_bits(), 16.0_f32.to_bits()), &[old]);
        dag.make(Op::Store(Place::Temporary(c)), &[clamped, address]);
    }
    branch(&mut dag);
    let mut around = around();
    around.constants = vec![[29.0, 1.0, 2.0, 3.0].map(|x: f32| Some(x.to_bits()))];
    is_scheduled(&dag, &around);
}
