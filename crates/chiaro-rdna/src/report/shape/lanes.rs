//! Which ifs lanes take: depths read off EXEC, in the order of the code.

use super::super::inst::{Inst, Kind, SCC, VECTORS};
use crate::check::tables::Steer;
use crate::regs::code;

/// How an instruction changes the lanes that run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    None,
    /// Fewer lanes.
    Narrow,
    /// The other ones of those that ran before.
    Invert,
    /// The lanes of a constant, whatever ran before.
    Fixed,
    /// As many as ran at a depth.
    To(usize),
    /// Those of an if at a depth that was over: another one has the same condition.
    Again(usize),
}

/// The code of -1 as a scalar source.
const MINUS_ONE: u16 = 193;
/// The codes of other numbers but 0.
const CONSTANTS: std::ops::RangeInclusive<u16> = 129..=208;

/// Whether the lanes that run were taken from the mask that SCC tells of, for each instruction.
pub(super) fn takes_lanes_out(all: &[Inst]) -> Vec<bool> {
    let tests = all.iter().scan(false, |takes, inst| {
        let before = *takes;
        if inst.writes.contains(&SCC) {
            *takes = inst.name.starts_with("s_andn2_b") && inst.reads.contains(&code::EXEC_LO);
        }
        Some(before)
    });
    tests.collect()
}

struct Lanes<'a> {
    all: &'a [Inst],
    targets: &'a [Option<usize>],
    /// Which instructions branches lead to.
    entered: Vec<bool>,
    /// Whether blocks are those of Mesa 22, which schedules no more behind the allocation of registers
    /// and drops no blocks.
    older: bool,
    /// The depth of each instruction's block.
    own: Vec<usize>,
    /// The depth of the lanes that run behind each instruction.
    behind: Vec<usize>,
    /// The depth at places where lanes meet again.
    meets: Vec<Option<usize>>,
    /// The depth of the lanes that each scalar register holds, and the instruction that put them
    /// there; `None` if it holds a condition.
    holds: Vec<Option<(usize, usize)>>,
}

/// Depth of ifs that lanes take, for each instruction.
pub(super) fn divergent(all: &[Inst], targets: &[Option<usize>], older: bool) -> Vec<usize> {
    let mut entered = vec![false; all.len()];
    targets.iter().flatten().for_each(|target| entered[*target] = true);
    let mut lanes = Lanes {
        all,
        targets,
        entered,
        older,
        own: Vec::new(),
        behind: Vec::new(),
        meets: vec![None; all.len()],
        holds: vec![None; usize::from(VECTORS)],
    };
    // The depth of the block, which changes later than that of the lanes where a branch follows.
    let mut block = 0;
    for (n, breaks) in takes_lanes_out(all).into_iter().enumerate() {
        block = lanes.meets[n].map_or(block, |depth| depth.min(block));
        block = lanes.step(n, block, breaks);
    }
    if !older {
        lanes.join_early();
    }
    lanes.own
}

impl Lanes<'_> {
    /// An instruction in a block of a depth; answers the depth of the block behind it.
    fn step(&mut self, n: usize, block: usize, breaks: bool) -> usize {
        let inst = &self.all[n];
        let before = self.meets[n].map_or(self.before(n), |depth| depth.min(self.before(n)));
        let (now, own) = self.depths(n, before, block);
        self.own.push(own);
        self.remember(n);
        let skips = inst.name.starts_with("s_cbranch_exec");
        if let Some(end) = self.targets[n].filter(|end| skips && *end > n) {
            let depth = now.saturating_sub(1);
            self.meets[end] = Some(self.meets[end].map_or(depth, |known| known.min(depth)));
        }
        // A break of lanes ends where the wave leaves the loop if none is left.
        let left = breaks && inst.name == "s_cbranch_scc0";
        let behind = if left { now.saturating_sub(1) } else { now };
        self.behind.push(behind);
        let pending = now > own && !skips;
        if pending && (self.is_skipped(n + 1) || !self.older && self.is_for_all(n + 1)) {
            own
        } else {
            behind
        }
    }

    /// Depths of the lanes that run behind an instruction, and of its own block.
    fn depths(&self, n: usize, before: usize, block: usize) -> (usize, usize) {
        let met = self.meets[n].is_some();
        match self.change(n, before) {
            // Everything meets at the end.
            _ if self.all[n].steer == Steer::End => (before, 0),
            Change::None => (before, block),
            Change::Narrow => (before + 1, block),
            Change::Invert => {
                // Where lanes met, the if has ended already.
                let side = if met { before + 1 } else { before.max(1) };
                // Without a branch over a side, the side is one block with the inversion.
                let alone = self.older || self.entered[n] && self.is_skipped(n + 1);
                (side, if alone { side - 1 } else { side })
            }
            Change::Fixed => (1, 0),
            Change::To(depth) => (depth, block.min(depth)),
            Change::Again(depth) => (depth, depth - 1),
        }
    }

    /// What the registers that an instruction writes hold.
    fn remember(&mut self, n: usize) {
        let inst = &self.all[n];
        let saves = inst.name.contains("saveexec") || inst.name.starts_with("s_mov_b");
        let of_lanes = inst.kind == Kind::Salu && inst.reads.contains(&code::EXEC_LO);
        let held = |number: u16| self.holds.get(usize::from(number)).copied().flatten();
        let copied = inst.reads.first().filter(|_| inst.name.starts_with("s_mov_b"));
        let copied = copied.and_then(|source| held(*source));
        let before = self.before(n);
        for number in inst.writes.iter().filter(|number| **number < VECTORS) {
            self.holds[usize::from(*number)] = match of_lanes {
                false => copied,
                true if saves => Some((before, n)),
                true if inst.reads.contains(number) => continue,
                true => None,
            };
        }
    }

    /// Whether an instruction does the same whatever lanes run, so that a scheduler moves it over
    /// changes of EXEC.
    fn is_for_all(&self, n: usize) -> bool {
        let Some(inst) = self.all.get(n) else { return false };
        let scalar = matches!(inst.kind, Kind::Salu | Kind::Smem) || inst.name.starts_with("v_readlane");
        let touches = |n: &u16| [code::EXEC_LO, code::EXEC_HI].contains(n);
        let copies = inst.name.starts_with("s_mov_b") && !inst.writes.iter().any(touches);
        scalar && (copies || !inst.reads.iter().chain(&inst.writes).any(touches))
    }

    /// What stands before lanes come back and is for all of them belongs to the block behind: a
    /// scheduler has moved it there.
    fn join_early(&mut self) {
        for n in 1..self.own.len() {
            let behind = self.own[n];
            let joins = self.all[n].writes.contains(&code::EXEC_LO) && behind < self.own[n - 1];
            if joins && !self.entered[n] {
                let early = (0..n).rev().take_while(|n| self.is_for_all(*n)).count();
                self.own[n - early..n].fill(behind);
            }
        }
    }

    fn before(&self, n: usize) -> usize {
        n.checked_sub(1).map_or(0, |n| self.behind[n])
    }

    /// Whether the next branch goes over what follows if no lane runs, so that the block ends there.
    fn is_skipped(&self, from: usize) -> bool {
        let ends = |inst: &Inst| inst.is_branch() || inst.writes.contains(&code::EXEC_LO);
        let rest = (from..self.all.len()).take_while(|n| !self.entered[*n]);
        let end = rest.map(|n| &self.all[n]).find(|inst| ends(inst));
        end.is_some_and(|inst| inst.name.starts_with("s_cbranch_exec"))
    }

    fn change(&self, n: usize, before: usize) -> Change {
        let inst = &self.all[n];
        let operand = |at: u32| (inst.dword >> at & 0xff) as u16;
        let to = |register: u16| match self.holds[usize::from(register)] {
            Some((depth, at)) if depth <= before && self.own[at] < depth => Change::Again(depth),
            Some((depth, _)) if depth <= before => Change::To(depth),
            _ => Change::Narrow,
        };
        let is_exec = |at: u32| operand(at) == code::EXEC_LO;
        match inst.name {
            _ if !inst.writes.contains(&code::EXEC_LO) => Change::None,
            // All lanes for a while, as reductions have it: no if.
            name if name.starts_with("s_or_saveexec") => Change::None,
            name if name.starts_with("s_mov_b") && operand(0) == MINUS_ONE => Change::To(0),
            name if name.starts_with("s_mov_b") && CONSTANTS.contains(&operand(0)) => Change::Fixed,
            name if name.starts_with("s_bfm_b") => Change::Fixed,
            name if name.starts_with("s_mov_b") => to(operand(0)),
            name if name.starts_with("s_or_b") && is_exec(0) => to(operand(8)),
            name if name.starts_with("s_or_b") && is_exec(8) => to(operand(0)),
            name if name.starts_with("s_andn2_b") && is_exec(8) => Change::Invert,
            name if name.starts_with("s_xor_b") => Change::Invert,
            _ => Change::Narrow,
        }
    }
}
