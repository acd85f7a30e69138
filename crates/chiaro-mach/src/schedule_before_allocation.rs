//! List scheduling for latency within a limit of registers, before allocation.
//!
//! Before: SSA, nothing allocated.
//! After: the same instructions in every block, in an order that keeps all dependences.
//!
//! List scheduling from the top. While there is room below the limit, of what can issue at once
//! the one goes first from which the way to the end of the block is longest. Where an instruction
//! would exceed the limit, those that free registers go first, stalls or not; if there are none,
//! what takes least.

use std::cmp::Reverse;

use crate::alive::Alive;
use crate::code::{Block, Code};
use crate::deps::{Deps, deps};
use crate::file::RegFile;
use crate::liveness::{Liveness, liveness};
use crate::schedule_for_latency::State;
use crate::timing::Timing;

/// Instructions that are looked at for one place, the earliest first: keeps time linear.
const LOOK: usize = 64;

/// Schedules every block. `limits` are units of each file that are best not exceeded.
pub fn schedule_before_allocation(code: &mut Code, files: &[RegFile], timing: &dyn Timing, limits: &[u32]) {
    let live = liveness(code, files);
    for block in code.blocks() {
        let deps = deps(code, files, block, Some(timing));
        let order = Scan::new(code, &deps, block, &live, timing, limits).run();
        let range = deps.first..deps.first + deps.insts.len();
        code.block_mut(block).insts.splice(range, order.into_iter().map(|n| deps.insts[n]));
    }
}

struct Scan<'a> {
    code: &'a Code,
    deps: &'a Deps,
    timing: &'a dyn Timing,
    limits: &'a [u32],
    heights: Vec<u32>,
    alive: Alive<'a>,
    state: State,
}

impl<'a> Scan<'a> {
    fn new(
        code: &'a Code,
        deps: &'a Deps,
        block: Block,
        live: &Liveness,
        timing: &'a dyn Timing,
        limits: &'a [u32],
    ) -> Scan<'a> {
        let heights = deps.heights(|inst| timing.slots(code, inst));
        let alive = Alive::at_start(code, deps, block, live, limits.len());
        Scan { code, deps, timing, limits, heights, alive, state: State::new(deps) }
    }

    fn run(mut self) -> Vec<usize> {
        let count = self.deps.insts.len();
        let mut open: Vec<usize> = (0..count).filter(|&n| self.deps.waits[n] == 0).collect();
        let mut order = Vec::with_capacity(count);
        while let Some(at) = (0..open.len().min(LOOK)).min_by_key(|&at| self.key(open[at])) {
            let n = open.remove(at);
            let inst = self.deps.insts[n];
            self.state.issue(self.deps, n, u32::from(self.timing.slots(self.code, inst)));
            self.alive.issue(inst);
            order.push(n);
            for edge in self.deps.edges(n) {
                let to = edge.to as usize;
                if self.state.waits[to] == 0 {
                    open.insert(open.partition_point(|&other| other < to), to);
                }
            }
        }
        order
    }

    /// The least goes first.
    fn key(&self, n: usize) -> (i32, (u32, u32), Reverse<u32>, usize) {
        match self.excess(n) {
            0 => (0, self.state.late(n), Reverse(self.heights[n]), n),
            excess => (excess, (0, 0), Reverse(0), n),
        }
    }

    /// By how much an instruction grows a file beyond its limit: 0 where it does not.
    fn excess(&self, n: usize) -> i32 {
        let inst = self.deps.insts[n];
        let over = |file: usize| {
            let growth = self.alive.growth(inst, |other| other == file);
            let after = self.alive.now[file] as i32 + growth;
            if growth > 0 && after > self.limits[file] as i32 { growth } else { 0 }
        };
        (0..self.limits.len()).map(over).sum()
    }
}
