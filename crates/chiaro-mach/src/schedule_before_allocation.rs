//! List scheduling for latency within a limit of registers, before allocation.
//!
//! Before: SSA, nothing allocated.
//! After: the same instructions in every block, in an order that keeps all dependences.
//!
//! List scheduling from the top. While there is room below the limit, of what can issue at once
//! the one goes first that is of one group with the instruction before, then that from which the way to the end of the
//! block is longest. Where an instruction
//! would exceed the limit, those that free registers go first, stalls or not; if there are none,
//! what takes least.

use std::cmp::Reverse;

use crate::alive::{Alive, Ledger, Ledgers};
use crate::code::Code;
use crate::deps::{Deps, Tracks};
use crate::file::RegFile;
use crate::liveness::liveness;
use crate::schedule_for_latency::{Groups, State};
use crate::timing::Timing;

/// Instructions that are looked at for one place, the earliest first: keeps time linear.
const LOOK: usize = 64;

/// What the schedules of some code have in common, whatever their limits are.
pub struct Schedules {
    blocks: Vec<Prepared>,
}

/// A block.
struct Prepared {
    deps: Deps,
    ledger: Ledger,
    /// How many slots each instruction takes.
    slots: Vec<u16>,
    /// How long the way is from each instruction to the end.
    heights: Vec<u32>,
    /// What is best issued side by side, by instruction.
    groups: Vec<Option<u64>>,
}

impl Schedules {
    /// Looks at code that nothing has scheduled yet.
    pub fn new(code: &Code, files: &[RegFile], timing: &dyn Timing) -> Schedules {
        let live = liveness(code, files);
        let (mut tracks, mut ledgers) =
            (Tracks::new(code, files, Some(timing)), Ledgers::new(code, files.len()));
        let prepare = |block| {
            let deps = tracks.deps(code, block);
            let slots: Vec<u16> = deps.insts.iter().map(|&inst| timing.slots(code, inst)).collect();
            let heights = deps.heights(|n| slots[n]);
            let groups = deps.insts.iter().map(|&inst| timing.group(code, inst)).collect();
            Prepared { ledger: ledgers.of(code, &deps, block, &live), deps, slots, heights, groups }
        };
        Schedules { blocks: code.blocks().map(prepare).collect() }
    }

    /// Schedules every block of the same code, or of a copy of it. `limits` are units of each file that are best
    /// not exceeded. The most units that were in use where an instruction took some
    /// of a file: limits between these and the present ones give the same schedule.
    pub fn within(&self, code: &mut Code, limits: &[u32]) -> Vec<u32> {
        let mut peaks = vec![0; limits.len()];
        for (block, prepared) in code.blocks().zip(&self.blocks) {
            let deps = &prepared.deps;
            let order = Scan::new(prepared, limits).run(&mut peaks);
            let range = deps.first..deps.first + deps.insts.len();
            code.block_mut(block).insts.splice(range, order.into_iter().map(|n| deps.insts[n]));
        }
        peaks
    }
}

/// How late an instruction would be, whether it is of another group than that before, how long the way from it is, its
/// number: the least goes first.
type Urgency = ((u32, u32), bool, Reverse<u32>, usize);

struct Scan<'a> {
    prepared: &'a Prepared,
    limits: &'a [u32],
    alive: Alive<'a>,
    state: State,
    groups: Groups,
}

impl<'a> Scan<'a> {
    fn new(prepared: &'a Prepared, limits: &'a [u32]) -> Scan<'a> {
        let (alive, state) = (Alive::at_start(&prepared.ledger), State::new(&prepared.deps));
        let groups = Groups::new(prepared.groups.iter().copied());
        Scan { prepared, limits, alive, state, groups }
    }

    fn run(mut self, peaks: &mut [u32]) -> Vec<usize> {
        let deps = &self.prepared.deps;
        let mut open: Vec<usize> = (0..deps.insts.len()).filter(|&n| deps.waits[n] == 0).collect();
        let mut order = Vec::with_capacity(deps.insts.len());
        while let Some(at) = self.choose(&open[..open.len().min(LOOK)]) {
            let n = open.remove(at);
            self.state.issue(deps, n, self.prepared.slots[n].into());
            self.note(n, peaks);
            self.alive.issue(n);
            self.groups.issue(n);
            order.push(n);
            for edge in deps.edges(n) {
                let to = edge.to as usize;
                if self.state.is_free(to) {
                    open.insert(open.partition_point(|&other| other < to), to);
                }
            }
        }
        order
    }

    /// The place of what comes next: what exceeds limits least; of what does not, what is urgent most.
    ///
    /// Most candidates are not the most urgent ones, so that nobody has to know what they take.
    fn choose(&self, open: &[usize]) -> Option<usize> {
        let has_room = self.alive.has_room(self.limits);
        let excess = |n| if has_room { 0 } else { self.excess(n) };
        let mut best: Option<(usize, i32, Urgency)> = None;
        for (at, &n) in open.iter().enumerate() {
            let urgency = self.urgency(n);
            let is_behind = |&(_, least, first): &(usize, i32, Urgency)| least == 0 && first <= urgency;
            if best.as_ref().is_some_and(is_behind) {
                continue;
            }
            let own = excess(n);
            // Of those that exceed limits alike the earliest in the text goes first, and that is the one before.
            if best.as_ref().is_none_or(|&(_, least, _)| own < least || own == 0) {
                best = Some((at, own, urgency));
            }
        }
        best.map(|(at, ..)| at)
    }

    fn urgency(&self, n: usize) -> Urgency {
        (self.state.late(n), !self.groups.joins(n), Reverse(self.prepared.heights[n]), n)
    }

    /// What an instruction adds to a file, and the units in use once it has taken its own.
    fn after(&self, n: usize, file: usize) -> (i32, u32) {
        let growth = self.alive.growth(n, file);
        (growth, self.alive.now[file].saturating_add_signed(growth))
    }

    fn note(&self, n: usize, peaks: &mut [u32]) {
        let defined = self.prepared.ledger.defined(n);
        for (file, (peak, &defined)) in peaks.iter_mut().zip(defined).enumerate() {
            // Nothing grows what it defines nothing in.
            if defined > 0
                && let (1.., after) = self.after(n, file)
            {
                *peak = after.max(*peak);
            }
        }
    }

    /// By how much an instruction grows a file beyond its limit: 0 where it does not.
    fn excess(&self, n: usize) -> i32 {
        let files = self.limits.iter().zip(&self.alive.now).zip(self.prepared.ledger.defined(n));
        let over = |(file, ((&limit, &now), &defined)): (usize, ((&u32, &u32), &u32))| {
            // Mostly there is room even if the instruction frees nothing.
            if defined == 0 || now + defined <= limit {
                return 0;
            }
            let (growth, after) = self.after(n, file);
            if growth > 0 && after > limit { growth } else { 0 }
        };
        files.enumerate().map(over).sum()
    }
}
