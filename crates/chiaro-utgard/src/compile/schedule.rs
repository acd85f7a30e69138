//! List scheduling of a block, from its last instruction to its first.
//!
//! Bottom-up: the last instruction is filled first, so that a value is demanded before it is
//! made and lives no longer than it must. A value that is demanded one or two instructions
//! later is made now or later on that path, or moved along by an idle unit, or, when too much
//! is alive, stored to a register and loaded where it is used. The order in which nodes are
//! tried decides the length: several orders are tried, and the shortest result is kept.
//! spec sections 6, 12.6 and 14.
//!
//! | file | does |
//! |---|---|
//! | [`block`] | a block, and its schedule |
//! | [`around`] | what a block needs to know of the program |
//! | [`attempt`] | one attempt: its state, and how an instruction is filled |
//! | [`slot`] | one instruction being filled: units, ports, stores |
//! | [`place`] | puts a node into the current instruction |
//! | [`foresee`] | what surely does not fit, before it is tried |
//! | [`steps`] | which units an operation takes, and when |
//! | [`units`] | what an operation takes of an instruction |
//! | [`room`] | which units are free, and for what |
//! | [`work`] | what nodes take of the units together |
//! | [`load`] | operands: loaded at once, or demanded of earlier instructions |
//! | [`carry`] | moves, and the condition that they always fit |
//! | [`memory`] | what a block does with temporaries and address registers |
//! | [`vector`] | which vec4 port 2 loads |
//! | [`temporary`] | loads and stores of them |
//! | [`spill`] | values through registers |
//! | [`tactics`] | what differs between the attempts |
//! | [`order`] | which node is tried first |
//! | [`ranked`] | ready nodes with their scores |
//! | [`bound`] | how short a block can be at best |
//! | [`exact`] | whether it can be shorter: every way to fill its instructions |
//! | [`few`] | short lists |
//! | [`beam`] | many attempts side by side, of which the most promising go on |

mod around;
mod attempt;
mod beam;
mod block;
mod bound;
mod carry;
mod exact;
mod few;
mod foresee;
mod load;
mod memory;
mod order;
mod place;
mod ranked;
mod room;
mod slot;
mod spill;
mod steps;
mod tactics;
mod temporary;
mod units;
mod vector;
mod work;

use chiaro_diag::Budget;

use crate::compile::graph::Graph;
pub use around::Around;
use attempt::{MOST_INSTRUCTIONS, Scheduler};
use beam::Width;
use block::Block;
pub use block::{Quality, Scheduled};
use bound::Windows;
pub use bound::{Limit, quick_bound};
use exact::{Exact, Proof};
use memory::Memory;
use tactics::Tactics;

/// How hard to try, by effort.
const EFFORTS: [Effort; 4] = [
    Effort {
        alone: 1,
        beam: None,
        exact: Exact { longest: 0, decisions: 0, searches: 0, steps: 0 },
        refines: false,
    },
    Effort {
        alone: 4,
        beam: Some(Width { attempts: 4, branches: 2, rounds: 1, extra: 0, longest: 20 }),
        exact: Exact { longest: 12, decisions: 200, searches: 1, steps: 50 },
        refines: false,
    },
    Effort {
        alone: 8,
        beam: Some(Width { attempts: 16, branches: 3, rounds: 1, extra: 0, longest: u32::MAX }),
        exact: Exact { longest: 64, decisions: 20_000, searches: 3, steps: 200 },
        refines: false,
    },
    Effort {
        alone: 12,
        beam: Some(Width { attempts: 90, branches: 3, rounds: 8, extra: 40, longest: u32::MAX }),
        exact: Exact { longest: 64, decisions: 400_000, searches: 12, steps: 500 },
        refines: true,
    },
];

/// How hard to try.
struct Effort {
    /// Attempts one after the other: they are cheap, and bound what follows.
    alone: u32,
    /// Attempts side by side, where those fall short of the bound.
    beam: Option<Width>,
    /// The exact search where that falls short as well.
    exact: Exact,
    /// Whether bounds are made larger by what is before and behind each operation.
    refines: bool,
}

/// The share of the budget from which on blocks get the least effort.
const LITTLE: f64 = 0.5;

/// The share up to which there are no extra rounds: other blocks want some of it.
const PLENTY: f64 = 0.8;

/// Nodes that a block may have: far more than a program can hold.
const MOST_NODES: usize = 1 << 14;

/// What filling an instruction costs in steps of the budget, whatever the block, and how many nodes
/// cost one more [estimated: only that long blocks stop in time has been measured].
const FILLING: (usize, usize) = (4, 16);

/// Schedules a block with an effort from 0 to 3, less where little of the budget is left; `None` if
/// no attempt finds a way.
#[must_use]
pub fn schedule(graph: &Graph, around: &Around, effort: u32, budget: &Budget) -> Option<Scheduled> {
    if graph.nodes().len() > MOST_NODES {
        return None;
    }
    let effort = effort.min(if budget.left() < LITTLE { 0 } else { 3 });
    let scheduled = search(graph, around, &EFFORTS[effort as usize], budget.left() > PLENTY);
    let filled = scheduled.as_ref().map_or(MOST_INSTRUCTIONS as usize, |made| made.quality.nodes as usize);
    let steps = filled.saturating_mul(FILLING.0 + graph.nodes().len() / FILLING.1);
    budget.work("schedule", steps).ok().and(scheduled)
}

/// What the largest effort knows of a block before it searches for something shorter: the bound, in a
/// fraction of the time, and a length that may be more than that of the shortest schedule.
#[must_use]
pub fn prove(graph: &Graph, around: &Around) -> Option<Quality> {
    let [.., most] = EFFORTS;
    let effort = Effort { beam: None, exact: Exact { searches: 0, ..most.exact }, ..most };
    search(graph, around, &effort, false).map(|made| made.quality)
}

fn search(graph: &Graph, around: &Around, effort: &Effort, has_plenty: bool) -> Option<Scheduled> {
    let depths = graph.depths();
    let mut windows = Windows::new(graph, &depths, around);
    if effort.refines {
        bound::refine(graph, &mut windows, around);
    }
    let (bound, limit) = bound::lower_bound(graph, &windows, around);
    let facts = block::facts(graph, &depths);
    let block = Block { graph, around, facts: &facts, memory: &Memory::of(graph) };
    let (mut best, nodes) = alone(&block, effort.alone, bound);
    let (bound, limit) = match effort.refines {
        true => bound::deny(graph, (&windows, around), (bound, limit), length_of(best.as_ref())),
        false => (bound, limit),
    };
    // What is proven before the wide search spares it.
    let mut proof = Proof::new(&block, &windows, &effort.exact);
    let length = length_of(best.as_ref());
    let mut known = proof.raise(Quality { length, bound, limit, optimal: false, nodes });
    // A large block that no attempt alone gets through is split sooner than searched.
    let is_hopeless = best.is_none() && block.is_large();
    let is_open = known.length > known.bound && !is_hopeless;
    if let Some(width) = effort.beam.filter(|width| is_open && known.bound <= width.longest) {
        let extra = if has_plenty { width.extra } else { 0 };
        let width = Width { extra, ..width.for_block(bound) };
        let (better, steps) = beam::search(&block, width, best.as_ref(), known.bound);
        best = better.or(best);
        (known.length, known.nodes) = (length_of(best.as_ref()), known.nodes + steps);
        known = proof.raise(known);
    }
    let (better, quality) = proof.shorten(known);
    let mut best = better.or(best)?;
    best.quality = Quality { optimal: quality.length <= quality.bound, ..quality };
    Some(best)
}

fn length_of(best: Option<&Scheduled>) -> u32 {
    best.map_or(u32::MAX, |best| best.words.len() as u32)
}

/// The shortest of some attempts, and how many instructions they filled. Where none of them
/// finds a way, the other settings are tried.
fn alone(block: &Block<'_>, attempts: u32, bound: u32) -> (Option<Scheduled>, u64) {
    let (mut best, mut nodes) = (None::<Scheduled>, 0);
    let most_attempts = if block.is_large() { attempts.max(2) } else { tactics::SETTLED };
    let fresh = Scheduler::new(block, Tactics::of_attempt(0), MOST_INSTRUCTIONS);
    let mut scheduler = fresh.clone();
    for attempt in 0..most_attempts {
        let most = match best.as_ref().map(|best| best.words.len() as u32) {
            Some(length) if length <= bound || attempt >= attempts => break,
            Some(length) => length - 1,
            None => MOST_INSTRUCTIONS,
        };
        if attempt > 0 {
            scheduler.clone_from(&fresh);
        }
        (scheduler.tactics, scheduler.limit) = (Tactics::of_attempt(attempt), most);
        best = scheduler.run().or(best);
        nodes += u64::from(scheduler.now);
    }
    (best, nodes)
}
