//! The referee: random small blocks, solved again by trying every program.
//!
//! `values` knows what values are, `search` tries every program of a length. Neither knows anything of
//! the compiler: a block for which a program shorter than its bound exists has a wrong bound.
//! `CHIARO_BLOCKS` blocks from seed `CHIARO_SEED` on; of the first `CHIARO_SELECTIONS` of them it says as
//! well whether other operations would be shorter, which takes longer than all else.

mod search;
mod values;

use chiaro_diag::Budget;
use chiaro_utgard::compile::combine::combine;
use chiaro_utgard::compile::combine::extremes::extremes;
use chiaro_utgard::compile::combine::signs::signs;
use chiaro_utgard::compile::graph::{Graph, Op, Operand, Place, Source};
use chiaro_utgard::compile::schedule::{Around, Quality, Scheduled, prove, schedule};
use chiaro_utgard::listing::mesa;

use search::Search;
use values::{Freedom, Values};

use crate::common::random::Rng;

/// Decisions that a search takes at most.
const BUDGET: u32 = 20_000;
/// Instructions of the longest block that is searched.
const LONGEST: u32 = 6;

/// A number that the caller may set, for longer runs than the usual one.
fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// A block of up to six operations.
fn random(seed: u64) -> Graph {
    let mut rng = Rng::new(seed);
    rng.below(1);
    let mut graph = Graph::default();
    let mut values: Vec<Operand> = Vec::new();
    for i in 0..2 + rng.below(4) {
        values.push(match rng.below(5) {
            0 => graph.number([0.0, 1.0, 0.5, -2.0][rng.below(4)]),
            1 | 2 => graph.load(Source::Attribute(rng.below(3) as u8, rng.below(4) as u8)),
            _ => graph.load(Source::Uniform(rng.below(3) as u16, (i % 4) as u8)),
        });
    }
    for _ in 0..1 + rng.below(6) {
        let mut pick = || {
            let v = values[rng.below(values.len())];
            Operand { neg: v.neg != (rng.below(4) == 0), ..v }
        };
        let (a, b, c) = (pick(), pick(), pick());
        let made = match rng.below(12) {
            0..=3 => graph.mul(a, b),
            4..=7 => graph.add(a, b),
            8 => graph.make(Op::Max, &[a, b]),
            9 => graph.make(Op::Min, &[a, b]),
            10 => {
                let test = graph.make(Op::Lt, &[a, b]);
                graph.select(test, b, c)
            }
            _ => graph.function(Op::Rcp, a),
        };
        values.push(made);
    }
    for i in 0..1 + rng.below(4) {
        let v = values[values.len() - 1 - rng.below(values.len().min(3))];
        let v = graph.plain(v);
        graph.make(Op::Store(Place::Output(rng.below(2) as u8, i as u8)), &[v]);
    }
    graph
}

/// The same with its operations combined, as the compiler does before it schedules.
fn combined(seed: u64) -> Graph {
    let graph = random(seed);
    let graph = signs(&graph).unwrap_or(graph);
    let graph = combine(&graph).unwrap_or(graph);
    extremes(&graph).unwrap_or(graph)
}

/// The block as the compiler schedules it.
fn made(graph: &Graph) -> Scheduled {
    schedule(graph, &Around::new(20, [0; 16]), 3, &Budget::default()).expect("small blocks fit")
}

/// What is known of a block, without a search for something shorter.
fn known(graph: &Graph) -> Quality {
    prove(graph, &Around::new(20, [0; 16])).expect("small blocks fit")
}

/// What the referee says of the blocks.
#[derive(Default, Debug)]
struct Tally {
    blocks: u32,
    /// Blocks of which every program shorter than the bound was tried.
    refereed: u32,
    /// Blocks whose bound is met.
    proven: u32,
    /// Of those, blocks that the referee finds a program of the same length for.
    confirmed: u32,
    /// Proven for their operations, though others would be shorter.
    selections: u32,
}

impl Tally {
    fn add(&mut self, seed: u64, graph: &Graph, asks_selections: bool) {
        let Some(values) = Values::of(graph, Freedom::Schedules) else { return };
        let quality = known(graph);
        self.blocks += 1;
        if quality.bound == 0 || quality.bound > LONGEST {
            return;
        }
        let shorter = Search::new(&values, BUDGET).exists(quality.bound - 1);
        assert_ne!(shorter, Some(true), "seed {seed}: {quality:?} is not the least\n{}", text(graph));
        self.refereed += u32::from(shorter.is_some());
        if !quality.optimal {
            return;
        }
        self.proven += 1;
        self.confirmed += u32::from(Search::new(&values, BUDGET).exists(quality.length) == Some(true));
        if asks_selections {
            self.select(seed, graph, quality.length);
        }
    }

    /// Whether other operations would be shorter.
    fn select(&mut self, seed: u64, graph: &Graph, length: u32) {
        let others = Values::of(graph, Freedom::Selections);
        let found = others.and_then(|values| Search::new(&values, BUDGET).exists(length - 1));
        if found == Some(true) {
            self.selections += 1;
            if setting("CHIARO_SHOW", 0) != 0 {
                println!("seed {seed}: other operations are shorter\n{}", text(graph));
            }
        }
    }
}

/// A block and its words.
fn text(graph: &Graph) -> String {
    format!("{graph}{}", mesa::print(&made(graph).words))
}

#[test]
fn no_program_is_shorter_than_a_bound() {
    let (first, count) = (setting("CHIARO_SEED", 1), setting("CHIARO_BLOCKS", 300));
    let selections = setting("CHIARO_SELECTIONS", 300);
    let mut tally = Tally::default();
    for seed in first..first + count {
        tally.add(seed, &combined(seed), seed - first < selections);
    }
    println!("{tally:?}");
    assert!(tally.refereed * 10 >= tally.blocks * 8, "{tally:?}");
    // A bound that is one too large is noticed: the referee finds the program that meets it.
    assert!(tally.confirmed * 10 >= tally.proven * 8, "{tally:?}");
}

/// What is refereed is the bound that the largest effort reports.
#[test]
fn a_search_proves_nothing_that_is_not_known_before() {
    for seed in 1..40 {
        let graph = combined(seed);
        let (known, searched) = (known(&graph), made(&graph).quality);
        assert_eq!((known.bound, known.limit), (searched.bound, searched.limit), "seed {seed}");
    }
}

/// `x * rcp(x)` is no constant 1 that port 2 could load: a block that has it is left alone.
#[test]
fn a_product_with_its_own_reciprocal_is_no_constant() {
    assert!(Values::of(&combined(1056), Freedom::Schedules).is_none());
}

/// Bounds that were made one too large, by what a bound counts: paths, units, ports, stores.
#[test]
fn a_wrong_bound_is_noticed() {
    let blocks = [
        ("path", "%0 = a0.x\n%1 = t[0].x\n%2 = mul %0 %1\n%3 = add %2 %1\nstore v1.x %3"),
        (
            "multipliers",
            "%0 = a0.x\n%1 = a0.y\n%2 = mul %0 %0\n%3 = mul %0 %1\n%4 = mul %1 %1\n\
            store v1.x %2\nstore v1.y %3\nstore v1.z %4",
        ),
        ("adders", "%0 = a0.x\n%1 = a0.y\n%2 = add %0 %1\n%3 = max %0 %1\nstore v1.x %2\nstore v1.y %3"),
        ("complex unit", "%0 = a0.x\n%1 = a0.y\n%2 = rcp %0\n%3 = rcp %1\nstore v1.x %2\nstore v1.y %3"),
        ("uniform port", "%0 = t[0].x\n%1 = t[1].x\nstore v1.x %0\nstore v1.y %1"),
        ("stores", "%0 = a0.x\nstore v1.x %0\nstore v2.x %0\nstore v3.y %0"),
    ];
    for (name, text) in blocks {
        let graph = Graph::parse(text).expect(name);
        let bound = made(&graph).quality.bound;
        let values = Values::of(&graph, Freedom::Schedules).expect(name);
        let shorter = |wrong: u32| Search::new(&values, BUDGET).exists(wrong - 1);
        assert_eq!((shorter(bound), shorter(bound + 1)), (Some(false), Some(true)), "{name}: {bound}");
    }
}
