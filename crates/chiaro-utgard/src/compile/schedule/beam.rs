//! Many attempts side by side: after every instruction those that promise most go on, each with
//! several settings.
//!
//! What an attempt promises is the length that it seems to need still: its longest path or what
//! its operations take of the units, whichever is more, and a little for every value that is
//! alive.

use super::attempt::{MOST_INSTRUCTIONS, Scheduler};
use super::block::{Block, Scheduled};
use super::tactics::Tactics;

/// How wide to search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Width {
    /// Attempts at any time.
    pub(super) attempts: usize,
    /// Settings that each is continued with.
    pub(super) branches: u32,
    /// Searches one after the other, each for something shorter than what is known.
    pub(super) rounds: u32,
    /// Searches beyond those, which choose what instructions load.
    pub(super) extra: u32,
    /// The largest bound of the blocks that are searched: on longer ones it costs more than it finds.
    pub(super) longest: u32,
}

/// One of the searches.
#[derive(Clone, Copy)]
struct Way {
    width: Width,
    round: u32,
    /// Whether attempts differ in the vec4 that they load as well.
    chooses: bool,
}

/// Blocks of this length get the stated width; shorter ones, which cost less, get more, and
/// those from the other lengths on, where every step costs more, less.
const USUAL: u32 = 40;
const MEDIUM: u32 = 32;
const LONG: u32 = 81;

impl Width {
    /// The width for a block that needs at least some number of instructions.
    pub(super) fn for_block(self, bound: u32) -> Width {
        // In quarters of the stated width.
        let share = match bound {
            LONG.. => 2,
            MEDIUM.. => 3,
            _ => 4 * (USUAL / bound.max(1)).clamp(1, 3) as usize,
        };
        Width { attempts: (self.attempts * share / 4).max(1), ..self }
    }
}

/// What a value that is alive counts in an attempt's promise, round by round: no weight is best for
/// both long chains and wide sums [measured].
const THRIFT: [u32; 8] = [4, 2, 6, 8, 3, 5, 1, 10];

/// Instructions filled, times nodes of the block, after which no round begins: a program of full length
/// stays within what compiling may cost. The same with extra rounds, and attempts of the narrowest
/// of those.
const MOST_FILLED: u64 = 20_000_000;
const MOST_WITH_EXTRA: u64 = 50_000_000;
const FEWEST: usize = 8;

/// Choices of a vec4: none, or one of those that are wanted most.
const CHOICES: u32 = 4;

/// What an attempt promises: less is better.
type Promise = (u32, u32, u32);

/// Attempts side by side.
#[allow(clippy::vec_box, reason = "attempts are large and change lists at every instruction")]
struct Beam<'a> {
    way: Way,
    open: Vec<(Promise, Box<Scheduler<'a>>)>,
    next: Vec<(Promise, Box<Scheduler<'a>>)>,
    /// Attempts that were given up: new ones are written over them.
    spare: Vec<Box<Scheduler<'a>>>,
    steps: u64,
}

/// The shortest schedule found, only if it is shorter than the best known, and how many
/// instructions were filled on the way. Rounds end where the bound is reached.
pub(super) fn search(
    block: &Block<'_>,
    width: Width,
    known: Option<&Scheduled>,
    bound: u32,
) -> (Option<Scheduled>, u64) {
    let (mut best, mut steps, mut attempts, mut extra) = (None, 0, 0, width.extra);
    for round in 0..width.rounds + width.extra {
        let shortest = best.as_ref().or(known).map(|best: &Scheduled| best.words.len() as u32);
        if shortest.is_some_and(|length| length <= bound) {
            break;
        }
        let filled = steps * block.graph.nodes().len() as u64;
        let mut way = Way { width, round, chooses: round >= width.rounds || filled > MOST_FILLED };
        if way.chooses {
            // As many attempts as there is work left for.
            let fitting = MOST_WITH_EXTRA.saturating_sub(filled) * attempts / filled.max(1);
            way.width.attempts = width.attempts.min(fitting as usize);
            if extra == 0 || way.width.attempts < FEWEST {
                break;
            }
            extra -= 1;
        }
        let limit = shortest.map_or(MOST_INSTRUCTIONS, |length| length.saturating_sub(1));
        let (found, filled) = search_round(block, way, limit);
        (best, steps, attempts) = (found.or(best), steps + filled, attempts + way.width.attempts as u64);
    }
    (best, steps)
}

fn search_round(block: &Block<'_>, way: Way, limit: u32) -> (Option<Scheduled>, u64) {
    let first = Scheduler::new(block, Tactics::of_attempt(0), limit);
    let start = |n| {
        let mut attempt = Box::new(first.clone());
        attempt.tactics = Tactics::of_way(n, way.round);
        (Promise::default(), attempt)
    };
    let open = (0..way.width.attempts as u32).map(start).collect();
    let mut beam = Beam { way, open, next: Vec::new(), spare: Vec::new(), steps: 0 };
    while !beam.open.is_empty() {
        if let Some((_, done)) = beam.open.iter().find(|(_, attempt)| attempt.is_done()) {
            return (done.finished(), beam.steps);
        }
        beam.advance();
    }
    (None, beam.steps)
}

impl<'a> Beam<'a> {
    /// One instruction more in every way; the most promising remain, no two alike.
    fn advance(&mut self) {
        let mut open = std::mem::take(&mut self.open);
        for (i, (_, parent)) in open.drain(..).enumerate() {
            for branch in 1..self.way.width.branches {
                let mut child = self.copy(&parent);
                let number = i as u32 * 3 + branch + 7 * parent.now + 5 * self.way.round;
                child.tactics = Tactics::of_way(number, self.way.round);
                child.choice = self.choice(i as u32 + 2 * branch + 3 * parent.now);
                self.step(child);
            }
            self.step(parent);
        }
        self.open = open;
        let mut next = std::mem::take(&mut self.next);
        next.sort_by_key(|(promise, _)| *promise);
        for (promise, attempt) in next.drain(..) {
            let is_alike = |(known, other): &(Promise, Box<Scheduler<'a>>)| {
                *known == promise && other.ready == attempt.ready
            };
            if self.open.len() < self.way.width.attempts && !self.open.iter().any(is_alike) {
                self.open.push((promise, attempt));
            } else {
                self.spare.push(attempt);
            }
        }
        self.next = next;
    }

    fn step(&mut self, mut attempt: Box<Scheduler<'a>>) {
        self.steps += 1;
        match attempt.step() {
            Some(()) => self.next.push((attempt.promise(self.thrift()), attempt)),
            None => self.spare.push(attempt),
        }
    }

    /// Which vec4 the next instruction of a way on loads, by the number of the way: mostly that is
    /// chosen, sometimes left to what is placed first.
    fn choice(&self, number: u32) -> Option<u32> {
        ((number + self.way.round) % CHOICES).checked_sub(1).filter(|_| self.way.chooses)
    }

    fn thrift(&self) -> u32 {
        THRIFT[self.way.round as usize % THRIFT.len()]
    }

    fn copy(&mut self, of: &Scheduler<'a>) -> Box<Scheduler<'a>> {
        match self.spare.pop() {
            Some(mut over) => {
                (*over).clone_from(of);
                over
            }
            None => Box::new(of.clone()),
        }
    }
}

impl Scheduler<'_> {
    /// What seems to be left, in fractions of an instruction.
    fn promise(&self, thrift: u32) -> Promise {
        let kept = self.kept.len() as u32;
        let (path, work) = (self.path_ahead * 8, self.work.instructions() * 8 + (self.left + kept) * 2);
        (path.max(work) * 4 + path.min(work) + self.alive * thrift, self.left, self.alive)
    }
}
