//! How often a block counts: ACO weighs loops and branches by guesses (spec section 14.2).
//!
//! The compiler knows its loops and ifs; here they are read off the words. A branch back makes a
//! loop. A branch forward that only a wave takes makes a uniform if, with an else where the part
//! before its target ends in a branch. What narrows EXEC begins a divergent if; an inversion of EXEC
//! is its else, a new EXEC from a saved one its end.

use super::inst::{Inst, Kind, SCC};
use crate::check::tables::Steer;
use crate::regs::code;

/// Blocks and their weights, by number of an instruction.
pub(super) struct Shape {
    begins: Vec<bool>,
    weights: Vec<f64>,
    /// Where control may come from, for each first instruction of a block: last instructions.
    pub(super) from: Vec<Vec<usize>>,
}

/// How an instruction changes the lanes that run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    None,
    /// Fewer lanes.
    Narrow,
    /// The other ones of those that ran before.
    Invert,
    /// As many as ran at a depth.
    To(usize),
}

/// The code of -1 as a scalar source.
const MINUS_ONE: u16 = 193;

impl Shape {
    pub(super) fn of(all: &[Inst]) -> Shape {
        // A loop may be aligned: its first instruction stands behind the place that is gone to.
        let place = |word: u32| Some(all.partition_point(|inst| inst.word < word)).filter(|n| *n < all.len());
        let targets: Vec<Option<usize>> = all.iter().map(|inst| inst.target().and_then(place)).collect();
        let loops = loops(&targets);
        let lanes = divergent(all, &targets);
        let uniform = uniform(all, &targets, &loops);
        let weights: Vec<f64> =
            (0..all.len()).map(|n| weight(depth(&loops, n), lanes[n], uniform[n])).collect();
        let mut begins = vec![false; all.len()];
        for (n, target) in targets.iter().enumerate() {
            if let Some(target) = target {
                begins[*target] = true;
            }
            if let (true, Some(next)) = (all[n].is_branch(), begins.get_mut(n + 1)) {
                *next = true;
            }
        }
        for n in 1..all.len() {
            begins[n] |= weights[n] != weights[n - 1];
        }
        begins.iter_mut().take(1).for_each(|first| *first = true);
        let mut from = vec![Vec::new(); all.len()];
        for n in 0..all.len() {
            if let Some(target) = targets[n] {
                from[target].push(n);
            }
            if n + 1 < all.len() && !matches!(all[n].steer, Steer::Branch(_) | Steer::End) {
                from[n + 1].push(n);
            }
        }
        Shape { begins, weights, from }
    }

    /// Whether a block begins here.
    pub(super) fn begins(&self, n: usize) -> bool {
        self.begins[n]
    }

    /// How often an instruction counts.
    pub(super) fn weight(&self, n: usize) -> f64 {
        self.weights[n]
    }
}

fn weight(loops: usize, lanes: usize, uniform: usize) -> f64 {
    let rounds = match loops {
        0 => 1.0,
        1 => 8.0,
        n => 32.0 * 2_f64.powi(n as i32 - 2),
    };
    rounds * 0.75_f64.powi(lanes as i32) * 0.5_f64.powi(uniform as i32)
}

/// First and last instruction of each loop.
fn loops(targets: &[Option<usize>]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (n, target) in targets.iter().enumerate() {
        let Some(first) = target.filter(|first| *first <= n) else { continue };
        match found.iter_mut().find(|(known, _)| *known == first) {
            Some((_, last)) => *last = n,
            None => found.push((first, n)),
        }
    }
    found
}

fn depth(loops: &[(usize, usize)], n: usize) -> usize {
    loops.iter().filter(|(first, last)| (*first..=*last).contains(&n)).count()
}

/// Depth of ifs that waves take as a whole.
fn uniform(all: &[Inst], targets: &[Option<usize>], loops: &[(usize, usize)]) -> Vec<usize> {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    let inside = |from: usize, to: usize| depth(loops, from) <= depth(loops, to);
    for (n, inst) in all.iter().enumerate() {
        let by_waves = matches!(inst.steer, Steer::Maybe(_)) && !inst.name.contains("exec");
        let Some(end) = targets[n].filter(|end| by_waves && *end > n && inside(n, *end)) else { continue };
        // Branches go to the end of all that they stand in: the part around this if ends first.
        let around =
            parts.iter().filter(|(first, last)| (*first..*last).contains(&n)).map(|part| part.1).min();
        let around = around.unwrap_or(all.len());
        parts.push((n + 1, end.min(around)));
        let over = end > n + 1 && matches!(all[end - 1].steer, Steer::Branch(_));
        if let Some(other) = targets[end - 1].filter(|other| over && *other > end && inside(n, *other)) {
            parts.push((end, other.min(around)));
        }
    }
    (0..all.len())
        .map(|n| parts.iter().filter(|(first, last)| (*first..*last).contains(&n)).count())
        .collect()
}

/// Depth of ifs that lanes take, read in the order of the code.
struct Lanes<'a> {
    all: &'a [Inst],
    /// The depth of the lanes that run behind each instruction.
    behind: Vec<usize>,
    /// The depth at places where lanes meet again.
    meets: Vec<Option<usize>>,
}

fn divergent(all: &[Inst], targets: &[Option<usize>]) -> Vec<usize> {
    let mut lanes = Lanes { all, behind: Vec::new(), meets: vec![None; all.len()] };
    let mut depths = Vec::with_capacity(all.len());
    // The depth of the block, which changes later than that of the lanes where a branch follows.
    let mut block = 0;
    for (n, inst) in all.iter().enumerate() {
        let before = lanes.meets[n].map_or(lanes.before(n), |depth| depth.min(lanes.before(n)));
        block = lanes.meets[n].map_or(block, |depth| depth.min(block));
        let (now, own) = match lanes.change(n, before) {
            Change::None => (before, block),
            Change::Narrow => (before + 1, block),
            // Where lanes met, the if has ended already.
            Change::Invert if lanes.meets[n].is_some() => (before + 1, before),
            Change::Invert => (before.max(1), before.max(1) - 1),
            Change::To(depth) => (depth, block.min(depth)),
        };
        depths.push(own);
        let skips = inst.name.starts_with("s_cbranch_exec");
        if let Some(end) = targets[n].filter(|end| skips && *end > n) {
            let depth = now.saturating_sub(1);
            lanes.meets[end] = Some(lanes.meets[end].map_or(depth, |known| known.min(depth)));
        }
        // A break of lanes ends where the wave leaves the loop if none is left.
        let breaks = inst.name == "s_cbranch_scc0" && n > 0 && lanes.takes_lanes_out(n);
        lanes.behind.push(if breaks { now.saturating_sub(1) } else { now });
        let waits = now > own && !skips && lanes.is_skipped(n + 1, targets);
        block = if waits { own } else { lanes.behind[n] };
    }
    depths
}

impl Lanes<'_> {
    fn before(&self, n: usize) -> usize {
        n.checked_sub(1).map_or(0, |n| self.behind[n])
    }

    /// Whether the next branch goes over what follows if no lane runs, so that the block ends there.
    fn is_skipped(&self, from: usize, targets: &[Option<usize>]) -> bool {
        let rest = self.all[from.min(self.all.len())..].iter().enumerate();
        let ends = |inst: &Inst| inst.is_branch() || inst.writes.contains(&code::EXEC_LO);
        let mut ends = rest.filter(|(_, inst)| ends(inst)).map(|(n, inst)| (from + n, inst));
        let Some((at, inst)) = ends.next() else { return false };
        let entered = (from..=at).any(|n| targets.contains(&Some(n)));
        inst.name.starts_with("s_cbranch_exec") && !entered
    }

    /// Whether the lanes that run are taken from a mask that the branch tests.
    fn takes_lanes_out(&self, n: usize) -> bool {
        let writer = self.all[..n].iter().rfind(|inst| inst.writes.contains(&SCC));
        writer.is_some_and(|inst| inst.name.starts_with("s_andn2_b") && inst.reads.contains(&code::EXEC_LO))
    }

    /// The depth of the lanes that a register holds; `None` if it holds a condition.
    fn depth_of(&self, register: u16, before: usize) -> Option<usize> {
        let at = self.all[..before].iter().rposition(|inst| inst.writes.contains(&register))?;
        let inst = &self.all[at];
        let of_lanes = inst.kind == Kind::Salu && inst.reads.contains(&code::EXEC_LO);
        if !of_lanes {
            return None;
        }
        match inst.name {
            name if name.contains("saveexec") || name.starts_with("s_mov_b") => Some(self.before(at)),
            _ if inst.reads.contains(&register) => self.depth_of(register, at),
            _ => None,
        }
    }

    fn change(&self, n: usize, before: usize) -> Change {
        let inst = &self.all[n];
        let operand = |at: u32| (inst.dword >> at & 0xff) as u16;
        let to = |register: u16| match self.depth_of(register, n) {
            Some(depth) if depth <= before => Change::To(depth),
            _ => Change::Narrow,
        };
        let is_exec = |at: u32| operand(at) == code::EXEC_LO;
        match inst.name {
            _ if !inst.writes.contains(&code::EXEC_LO) => Change::None,
            // All lanes for a while, as reductions have it: no if.
            name if name.starts_with("s_or_saveexec") => Change::None,
            name if name.starts_with("s_mov_b") && operand(0) == MINUS_ONE => Change::To(0),
            name if name.starts_with("s_mov_b") => to(operand(0)),
            name if name.starts_with("s_or_b") && is_exec(0) => to(operand(8)),
            name if name.starts_with("s_or_b") && is_exec(8) => to(operand(0)),
            name if name.starts_with("s_andn2_b") && is_exec(8) => Change::Invert,
            name if name.starts_with("s_xor_b") => Change::Invert,
            _ => Change::Narrow,
        }
    }
}
