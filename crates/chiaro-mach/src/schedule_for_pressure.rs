//! List scheduling for register pressure, before allocation.
//!
//! Before: SSA, nothing allocated.
//! After: the same instructions in every block. No block needs more of any file than before
//! or than the file has.
//!
//! List scheduling from the top. While there is room, the original order is kept but for what
//! ends live ranges; where a file is short, what frees most and takes least goes first. The
//! new order is taken only if it needs less of what is short.

use crate::code::{Block, Code, Value};
use crate::deps::{Deps, deps};
use crate::file::{File, RegFile};
use crate::liveness::{Liveness, liveness};
use crate::operand::Operand;
use crate::pressure::{block_pressure, weight};

/// Instructions that are looked at for one place, the earliest first: keeps time linear.
const LOOK: usize = 32;

/// Schedules every block that needs more of a file than there is; others stay as they are.
pub fn schedule_for_pressure(code: &mut Code, files: &[RegFile]) {
    let live = liveness(code, files);
    let limits: Vec<u32> = (0..files.len() as u8).map(|file| code.capacity(files, File(file))).collect();
    for block in code.blocks() {
        let before = excess(&block_pressure(code, files.len(), block, &live), &limits);
        if before == 0 {
            continue;
        }
        let deps = deps(code, files, block, None);
        let order = Scan::new(code, &deps, block, &live, &limits).run();
        let range = deps.first..deps.first + deps.insts.len();
        code.block_mut(block).insts.splice(range.clone(), order.into_iter().map(|n| deps.insts[n]));
        if excess(&block_pressure(code, files.len(), block, &live), &limits) >= before {
            code.block_mut(block).insts.splice(range, deps.insts);
        }
    }
}

fn excess(needed: &[u32], limits: &[u32]) -> u32 {
    needed.iter().zip(limits).map(|(needed, limit)| needed.saturating_sub(*limit)).sum()
}

struct Scan<'a> {
    code: &'a Code,
    deps: &'a Deps,
    limits: &'a [u32],
    /// Units in use, for each file.
    now: Vec<u32>,
    /// Uses of each value that are still to come in the block.
    left: Vec<u32>,
    /// Whether a value is needed behind the block.
    out: Vec<bool>,
}

impl<'a> Scan<'a> {
    fn new(code: &'a Code, deps: &'a Deps, block: Block, live: &Liveness, limits: &'a [u32]) -> Scan<'a> {
        let mut scan = Scan {
            code,
            deps,
            limits,
            now: vec![0; limits.len()],
            left: vec![0; code.value_count()],
            out: vec![false; code.value_count()],
        };
        live.out(block).for_each(|value| scan.out[value.0 as usize] = true);
        for &inst in &code.insts(block)[deps.first..] {
            for value in code.uses(inst).iter().filter_map(Operand::value) {
                scan.left[value.0 as usize] += 1;
            }
        }
        let heads = code.insts(block)[..deps.first].iter().flat_map(|&inst| code.defs(inst));
        let defined: Vec<Value> = heads.filter_map(Operand::value).collect();
        for value in live.into(block).chain(defined) {
            scan.add(value, 1);
        }
        scan
    }

    fn add(&mut self, value: Value, sign: i32) {
        let data = self.code.value_data(value);
        if let Some(now) = self.now.get_mut(usize::from(data.file.0)) {
            *now = now.saturating_add_signed(sign * weight(data) as i32);
        }
    }

    fn run(mut self) -> Vec<usize> {
        let mut waits = self.deps.waits.clone();
        let mut open: Vec<usize> = (0..waits.len()).filter(|&n| waits[n] == 0).collect();
        let mut order = Vec::with_capacity(waits.len());
        while let Some(at) = (0..open.len().min(LOOK)).min_by_key(|&at| (self.cost(open[at]), open[at])) {
            let n = open.remove(at);
            self.issue(n);
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
        let inst = self.deps.insts[n];
        let units = |operand: &Operand| {
            let Some(value) = operand.value() else { return 0 };
            let data = self.code.value_data(value);
            let file = usize::from(data.file.0);
            let short = self
                .now
                .get(file)
                .zip(self.limits.get(file))
                .is_some_and(|(now, limit)| now * 4 >= limit * 3);
            if short { weight(data) as i32 } else { 0 }
        };
        let uses = self.code.uses(inst);
        let ends = |&(i, used): &(usize, &Operand)| {
            let Some(value) = used.value() else { return false };
            let here = uses.iter().filter(|u| u.value() == Some(value)).count() as u32;
            let again = uses[..i].iter().any(|u| u.value() == Some(value));
            !again && !self.out[value.0 as usize] && self.left[value.0 as usize] == here
        };
        let freed: i32 = uses.iter().enumerate().filter(ends).map(|(_, used)| units(used)).sum();
        self.code.defs(inst).iter().map(units).sum::<i32>() - freed
    }

    fn issue(&mut self, n: usize) {
        let (code, inst) = (self.code, self.deps.insts[n]);
        for value in code.uses(inst).iter().filter_map(Operand::value) {
            let left = &mut self.left[value.0 as usize];
            *left = left.saturating_sub(1);
            if *left == 0 && !self.out[value.0 as usize] {
                self.add(value, -1);
            }
        }
        for value in code.defs(inst).iter().filter_map(Operand::value) {
            if self.left[value.0 as usize] > 0 || self.out[value.0 as usize] {
                self.add(value, 1);
            }
        }
    }
}
