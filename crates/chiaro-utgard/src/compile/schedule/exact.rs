//! Exact search: whether a block can be shorter than the shortest schedule that was found.
//!
//! Lengths from the lower bound on are tried one after the other. For each, every way to fill
//! the instructions is tried, from the last one back, until the block is complete (the length
//! may be possible) or nothing is left to try (it is impossible, and the bound is raised).
//!
//! What is proven holds for every schedule of the selected operations, each done once: the
//! search leaves out conditions of the machine, never schedules. It keeps which unit makes what
//! and when, the adders' common opcode, all steps of functions, the shortest distances, one vec4
//! on port 2 of each instruction, and a slot for the move of a scalar that is not on it. It
//! leaves out the longest distances, which moves and registers bridge, ports 0 and 1, the halves
//! of stores, and how many constants a vec4 holds. Another selection, or a value made twice, is
//! not covered. spec sections 14.1 to 14.5.
//!
//! | file | has |
//! |---|---|
//! | [`task`] | the block as tasks |
//! | [`state`] | filled instructions, and whether the rest may fit |
//! | [`search`] | all ways to go on |
//! | [`follow`] | words on the way |

mod follow;
mod search;
mod state;
mod task;

use std::cell::OnceCell;

use super::attempt::Scheduler;
use super::block::{Block, Quality, Scheduled};
use super::bound::{Limit, Windows};
use super::tactics::Tactics;
use crate::compile::graph::Op;
use follow::Follow;
use search::{Search, Verdict};
use task::Tasks;

/// How hard to search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact {
    /// Instructions of the longest block that is searched.
    pub(super) longest: u32,
    /// Decisions that proving takes at most.
    pub(super) decisions: u64,
    /// Searches for something shorter, and instructions that each fills at most.
    pub(super) searches: u32,
    pub(super) steps: u64,
}

/// Decisions that are as much work as filling an instruction [estimated].
const PER_FILLING: u64 = 8;

/// Decisions of a search for each instruction that it fills.
const DECISIONS: u64 = 40;

/// What is proven of a block and found in it.
pub(super) struct Proof<'a> {
    block: &'a Block<'a>,
    windows: &'a Windows,
    effort: &'a Exact,
    /// Made where they are wanted: `None` within if the block has too many.
    tasks: OnceCell<Option<Tasks>>,
    is_raised: bool,
}

impl<'a> Proof<'a> {
    pub(super) fn new(block: &'a Block<'a>, windows: &'a Windows, effort: &'a Exact) -> Proof<'a> {
        Proof { block, windows, effort, tasks: OnceCell::new(), is_raised: false }
    }

    /// The block as tasks, if it is one to search.
    fn tasks(&self, known: &Quality) -> Option<&Tasks> {
        let longest = self.effort.longest.min(state::LONGEST);
        let in_reach = known.length > known.bound && known.length <= longest;
        let tasks = in_reach.then(|| self.tasks.get_or_init(|| Tasks::of(self.block, self.windows)));
        tasks.and_then(Option::as_ref)
    }

    /// Raises a block's bound, once, up to the length that is known.
    pub(super) fn raise(&mut self, known: Quality) -> Quality {
        let mut quality = known;
        let Some(tasks) = self.tasks(&known).filter(|_| !self.is_raised) else { return quality };
        let (bound, decisions) = raise(tasks, known.bound, known.length, self.effort.decisions);
        if bound > known.bound {
            (quality.bound, quality.limit) = (bound, Limit::Search);
        }
        quality.nodes += decisions / PER_FILLING;
        debug_assert_eq!(raise(tasks, known.length, known.length + 1, 1000).0, known.length, "this exists");
        self.is_raised = true;
        quality
    }

    /// Looks for something shorter than what is known, until it meets the bound or the search is given
    /// up. The shortest schedule if it is new, and what is known then.
    pub(super) fn shorten(&self, known: Quality) -> (Option<Scheduled>, Quality) {
        let (mut best, mut quality) = (None, known);
        while let Some(tasks) = self.tasks(&quality) {
            let (found, decisions) = find(self.block, tasks, quality.length - 1, self.effort);
            quality.nodes += decisions / PER_FILLING;
            let Some(found) = found else { break };
            quality.length = found.words.len() as u32;
            best = Some(found);
        }
        (best, quality)
    }
}

/// Raises a lower bound up to a length that a schedule has: the bound, and the decisions that
/// were taken, which number at most `most`.
fn raise(tasks: &Tasks, bound: u32, length: u32, most: u64) -> (u32, u64) {
    let mut nodes = 0;
    for tried in bound..length {
        let mut search = Search::new(tasks, tried, most - nodes);
        let verdict = search.run();
        nodes += search.nodes.min(most - nodes);
        if verdict != Verdict::Impossible {
            return (tried, nodes);
        }
    }
    (length, nodes)
}

/// A schedule of at most some length, and the decisions that were taken. Each search has an
/// order of its own.
fn find(block: &Block<'_>, tasks: &Tasks, length: u32, effort: &Exact) -> (Option<Scheduled>, u64) {
    // An address register is set long before it is used, which a search does not know.
    let has_addresses = block.graph.nodes().iter().any(|data| matches!(data.op, Op::Address(_)));
    let mut nodes = 0;
    for attempt in 0..if has_addresses { 0 } else { effort.searches } {
        let start = Scheduler::new(block, Tactics::of_attempt(attempt), length);
        let search = Search::new(tasks, length, effort.steps * DECISIONS);
        let (found, decisions) = search.find(Follow::new(start, effort.steps));
        nodes += decisions;
        if found.is_some() {
            return (found, nodes);
        }
    }
    (None, nodes)
}
