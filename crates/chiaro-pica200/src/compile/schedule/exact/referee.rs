//! Random small blocks against their bounds: no program that gathering finds, whatever decisions are turned round, may
//! be shorter than what is claimed to be the least.
//!
//! `CHIARO_BLOCKS=N cargo test -p chiaro-pica200 --lib referee` tries so many.

use super::raise;
use crate::compile::combine::dce::dce;
use crate::compile::graph::parse::parse;
use crate::compile::graph::{Base, Component, Components, Graph, Index, Item, operands};
use crate::compile::schedule::bound::least_words;
use crate::compile::schedule::gather::gather;
use crate::compile::schedule::operands::legalize_operands;
use crate::compile::schedule::schedule;
use crate::compile::tactic::Tactic;
use crate::compile::tactic::decisions::{Decisions, Refused};
use crate::isa::Op;
use chiaro_isa::Rng;

/// Blocks that the test tries by default.
const BLOCKS: u64 = 300;

/// The words of a block, and how many decisions were taken for them.
fn words(graph: &Graph, refused: Refused) -> (usize, u32) {
    let mut graph = Graph { decisions: Decisions::new(refused), ..graph.clone() };
    let (mut homes, mut blocks) = gather(&mut graph, Tactic::default());
    legalize_operands(&mut graph, &mut homes, &mut blocks);
    let steps = schedule(&graph, &homes, &blocks).expect("an order");
    (steps.len(), graph.decisions.count())
}

/// The words of a program that is shorter than a bound, if one is found.
fn refuted(graph: &Graph, bound: usize) -> Option<usize> {
    let (first, decisions) = words(graph, Refused::default());
    let one = |a: u32| words(graph, Refused::default().turned(a)).0;
    let two = |a: u32, b: u32| words(graph, Refused::default().turned(a).turned(b)).0;
    let turned = (0..decisions).flat_map(|a| (0..a).map(move |b| two(a, b)).chain([one(a)]));
    turned.chain([first]).find(|words| *words < bound)
}

fn component(rng: &mut Rng, known: &[Component]) -> Component {
    let part = rng.below(3) as u8;
    let base = match rng.below(8) {
        0 | 1 => Base::Input(rng.below(2) as u8),
        2 => Base::Uniform(rng.below(2) as u8, Index::None),
        3 => return Component::constant([0.0, 1.0, 2.0, -1.0][rng.below(4)]),
        _ if known.is_empty() => Base::Input(0),
        _ => return known[rng.below(known.len())],
    };
    Component { neg: rng.below(6) == 0, ..Component::new(base, part) }
}

/// A block of a few operations.
fn block(seed: u64) -> Graph {
    const OPS: [Op; 7] = [Op::Add, Op::Mul, Op::Mul, Op::Mad, Op::Max, Op::Dp3, Op::Rsq];
    let (mut rng, mut graph, mut known) = (Rng(seed), Graph::default(), Vec::new());
    let block = graph.block();
    for _ in 0..2 + rng.below(3) {
        let op = OPS[rng.below(OPS.len())];
        let width = if matches!(op, Op::Dp3 | Op::Rsq) { 1 } else { 1 + rng.below(3) as u8 };
        let args: Vec<Components> =
            (0..operands(op)).map(|_| std::array::from_fn(|_| component(&mut rng, &known))).collect();
        let id = graph.add(op, width, &args, None);
        graph.items_mut(block).push(Item::Node(id));
        known.extend((0..width).map(|part| Component::new(Base::Node(id), part)));
    }
    for register in 0..1 + rng.below(2) as u8 {
        let parts = std::array::from_fn(|i| (i < 2).then(|| component(&mut rng, &known)));
        graph.items_mut(block).push(Item::Output(register, parts));
    }
    dce(&mut graph);
    graph
}

#[test]
fn no_program_is_shorter_than_its_bound() {
    let count = std::env::var("CHIARO_BLOCKS").ok().and_then(|n| n.parse().ok()).unwrap_or(BLOCKS);
    let (mut proven, mut raised) = (0, 0);
    for seed in 0..count {
        let graph = block(seed);
        let (least, (length, _)) = (least_words(&graph), words(&graph, Refused::default()));
        let bound = raise(&graph, least, length);
        assert!(least <= bound && bound <= length, "seed {seed}: {least}, {bound}, {length} words");
        assert_eq!(refuted(&graph, bound), None, "seed {seed}: a program is shorter than {bound} words");
        proven += usize::from(bound == length);
        raised += usize::from(bound > least);
    }
    println!("{count} blocks, {proven} proven, {raised} bounds raised");
    assert!(proven * 10 > count as usize * 5 && raised > 0, "{proven} of {count} proven, {raised} raised");
}

/// A bound that is too high is noticed.
#[test]
fn a_wrong_bound_is_refuted() {
    let planted = |seed: &u64| {
        let graph = block(*seed);
        let length = words(&graph, Refused::default()).0;
        raise(&graph, least_words(&graph), length) == length && refuted(&graph, length + 1) == Some(length)
    };
    assert!((0..20).filter(planted).count() > 10);
}

/// Two products with different uniforms are two instructions, which the first bound does not see.
#[test]
fn the_search_sees_what_operands_name() {
    let text = "b0:\n  n0.x = mul v0.x, c0.x\n  n1.x = mul v0.y, c1.y\n  o0 = {n0.x n1.x . .}";
    let graph = parse(text).expect("a graph");
    assert_eq!(least_words(&graph), 1);
    assert_eq!(raise(&graph, 1, 2), 2);
    // A copy serves both sums; without it there is none.
    let text = "b0:\n  n0.x = add c0.x, c1.x\n  n1.x = add c0.y, c1.y\n  o0 = {n0.x n1.x . .}";
    let graph = parse(text).expect("a graph");
    assert_eq!(raise(&graph, 1, 3), 2);
}

/// One instruction does the same on four lanes: as many products beside each other take one, not four.
#[test]
fn lanes_of_one_operation_share_an_instruction() {
    let product = |part| format!("  n{part}.x = mul v0.{0}, c0.{0}\n", ["x", "y", "z", "w"][part]);
    let products: String = (0..4).map(product).collect();
    let graph = parse(&format!("b0:\n{products}  o0 = {{n0.x n1.x n2.x n3.x}}")).expect("a graph");
    assert_eq!(raise(&graph, 1, 4), 1);
}
