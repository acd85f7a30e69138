//! List scheduling for register pressure, before allocation.
//!
//! Before: SSA, nothing allocated.
//! After: the same instructions in every block. No block needs more of any file than before
//! or than the file has.
//!
//! List scheduling from the top. While there is room, the original order is kept but for what
//! ends live ranges; where a file is short, what frees most and takes least goes first. The
//! new order is taken only if it needs less of what is short.

use crate::alive::{Alive, Ledger, Ledgers};
use crate::code::Code;
use crate::deps::{Deps, Tracks};
use crate::file::{File, RegFile};
use crate::liveness::liveness;
use crate::pressure::Gauge;

/// Instructions that are looked at for one place, the earliest first: keeps time linear.
const LOOK: usize = 32;

/// Schedules every block that needs more of a file than there is; others stay as they are.
pub fn schedule_for_pressure(code: &mut Code, files: &[RegFile]) {
    let live = liveness(code, files);
    let limits: Vec<u32> = (0..files.len() as u8).map(|file| code.capacity(files, File(file))).collect();
    let mut gauge = Gauge::new(code, files.len());
    let (mut tracks, mut ledgers) = (Tracks::new(code, files, None), Ledgers::new(code, files.len()));
    for block in code.blocks() {
        let before = excess(gauge.most(code, block, &live), &limits);
        if before == 0 {
            continue;
        }
        let deps = tracks.deps(code, block);
        let order = Scan::new(&deps, &ledgers.of(code, &deps, block, &live), &limits).run();
        let range = deps.first..deps.first + deps.insts.len();
        code.block_mut(block).insts.splice(range.clone(), order.into_iter().map(|n| deps.insts[n]));
        if excess(gauge.most(code, block, &live), &limits) >= before {
            code.block_mut(block).insts.splice(range, deps.insts);
        }
    }
}

fn excess(needed: &[u32], limits: &[u32]) -> u32 {
    needed.iter().zip(limits).map(|(needed, limit)| needed.saturating_sub(*limit)).sum()
}

struct Scan<'a> {
    deps: &'a Deps,
    limits: &'a [u32],
    alive: Alive<'a>,
}

impl<'a> Scan<'a> {
    fn new(deps: &'a Deps, ledger: &'a Ledger, limits: &'a [u32]) -> Scan<'a> {
        Scan { deps, limits, alive: Alive::at_start(ledger) }
    }

    fn run(mut self) -> Vec<usize> {
        let mut waits = self.deps.waits.clone();
        let mut open: Vec<usize> = (0..waits.len()).filter(|&n| waits[n] == 0).collect();
        let mut order = Vec::with_capacity(waits.len());
        while let Some(at) = (0..open.len().min(LOOK)).min_by_key(|&at| (self.cost(open[at]), open[at])) {
            let n = open.remove(at);
            self.alive.issue(n);
            order.push(n);
            for edge in self.deps.edges(n) {
                let to = edge.to as usize;
                waits[to] -= 1;
                if waits[to] == 0 {
                    open.insert(open.partition_point(|&other| other < to), to);
                }
            }
        }
        order
    }

    /// What an instruction adds to the files that are short, less what it frees there.
    fn cost(&self, n: usize) -> i32 {
        let is_short = |&file: &usize| self.alive.now[file] * 4 >= self.limits[file] * 3;
        (0..self.limits.len()).filter(is_short).map(|file| self.alive.growth(n, file)).sum()
    }
}
