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
use crate::code::{Code, Inst};
use crate::deps::{Deps, deps};
use crate::file::RegFile;
use crate::liveness::{Liveness, liveness};
use crate::operand::Operand;
use crate::pressure::weight;
use crate::schedule_for_latency::State;
use crate::timing::Timing;

/// Instructions that are looked at for one place, the earliest first: keeps time linear.
const LOOK: usize = 64;

/// What the schedules of some code have in common, whatever their limits are.
pub struct Schedules<'a> {
    timing: &'a dyn Timing,
    live: Liveness,
    files: usize,
    blocks: Vec<Prepared>,
}

/// A block.
struct Prepared {
    deps: Deps,
    /// How long the way is from each instruction to the end.
    heights: Vec<u32>,
    /// Units of each file that each instruction defines, one instruction after the other.
    defined: Vec<u32>,
}

impl<'a> Schedules<'a> {
    /// Looks at code that nothing has scheduled yet.
    pub fn new(code: &Code, files: &[RegFile], timing: &'a dyn Timing) -> Schedules<'a> {
        let prepare = |block| {
            let deps = deps(code, files, block, Some(timing));
            let heights = deps.heights(|inst| timing.slots(code, inst));
            let mut defined = vec![0; deps.insts.len() * files.len()];
            for (row, &inst) in defined.chunks_mut(files.len().max(1)).zip(&deps.insts) {
                for data in code.defs(inst).iter().filter_map(Operand::value).map(|v| code.value_data(v)) {
                    row[usize::from(data.file.0)] += weight(data);
                }
            }
            Prepared { deps, heights, defined }
        };
        let blocks = code.blocks().map(prepare).collect();
        Schedules { timing, live: liveness(code, files), files: files.len(), blocks }
    }

    /// Schedules every block of the same code, or of a copy of it. `limits` are units of each file that are best
    /// not exceeded. The most units that were in use where an instruction took some
    /// of a file: limits between these and the present ones give the same schedule.
    pub fn within(&self, code: &mut Code, limits: &[u32]) -> Vec<u32> {
        let mut peaks = vec![0; limits.len()];
        for (block, prepared) in code.blocks().zip(&self.blocks) {
            let deps = &prepared.deps;
            let alive = Alive::at_start(code, deps, block, &self.live, limits.len());
            let state = State::new(deps);
            let scan = Scan { code, prepared, timing: self.timing, files: self.files, limits, alive, state };
            let order = scan.run(&mut peaks);
            let range = deps.first..deps.first + deps.insts.len();
            code.block_mut(block).insts.splice(range, order.into_iter().map(|n| deps.insts[n]));
        }
        peaks
    }
}

struct Scan<'a> {
    code: &'a Code,
    prepared: &'a Prepared,
    timing: &'a dyn Timing,
    files: usize,
    limits: &'a [u32],
    alive: Alive<'a>,
    state: State,
}

impl Scan<'_> {
    fn run(mut self, peaks: &mut [u32]) -> Vec<usize> {
        let count = self.prepared.deps.insts.len();
        let mut open: Vec<usize> = (0..count).filter(|&n| self.prepared.deps.waits[n] == 0).collect();
        let mut order = Vec::with_capacity(count);
        while let Some(at) = (0..open.len().min(LOOK)).min_by_key(|&at| self.key(open[at])) {
            let n = open.remove(at);
            let inst = self.prepared.deps.insts[n];
            self.state.issue(&self.prepared.deps, n, u32::from(self.timing.slots(self.code, inst)));
            self.note(n, peaks);
            self.alive.issue(inst);
            order.push(n);
            for edge in self.prepared.deps.edges(n) {
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
            0 => (0, self.state.late(n), Reverse(self.prepared.heights[n]), n),
            excess => (excess, (0, 0), Reverse(0), n),
        }
    }

    /// Units in use once an instruction has taken its own.
    fn after(&self, inst: Inst, file: usize) -> (i32, u32) {
        let growth = self.alive.growth(inst, |other| other == file);
        (growth, self.alive.now[file].saturating_add_signed(growth))
    }

    fn note(&self, n: usize, peaks: &mut [u32]) {
        for (file, peak) in peaks.iter_mut().enumerate() {
            // Nothing grows what it defines nothing in.
            if self.defined(n, file) > 0
                && let (1.., after) = self.after(self.prepared.deps.insts[n], file)
            {
                *peak = after.max(*peak);
            }
        }
    }

    fn defined(&self, n: usize, file: usize) -> u32 {
        self.prepared.defined[n * self.files + file]
    }

    /// By how much an instruction grows a file beyond its limit: 0 where it does not.
    fn excess(&self, n: usize) -> i32 {
        let inst = self.prepared.deps.insts[n];
        let over = |(file, &limit): (usize, &u32)| {
            // Mostly there is room even if the instruction frees nothing.
            if self.defined(n, file) == 0 || self.alive.now[file] + self.defined(n, file) <= limit {
                return 0;
            }
            let (growth, after) = self.after(inst, file);
            if growth > 0 && after > limit { growth } else { 0 }
        };
        self.limits.iter().enumerate().map(over).sum()
    }
}
