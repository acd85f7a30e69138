//! How often a block counts: ACO weighs loops and branches by guesses (spec section 14.2).
//!
//! The compiler knows its loops and ifs; here they are read off the words. A branch back makes a
//! loop. A branch forward that only a wave takes makes a uniform if, with an else where the part
//! before its target ends in a branch. What narrows EXEC begins a divergent if; an inversion of EXEC
//! is its else, a new EXEC from a saved one its end.

mod lanes;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::inst::Inst;
use crate::check::tables::Steer;
use lanes::{divergent, takes_lanes_out};

/// Blocks and their weights, by number of an instruction.
pub(super) struct Shape {
    begins: Vec<bool>,
    weights: Vec<f64>,
    /// Where control may come from, for each first instruction of a block: last instructions.
    pub(super) from: Vec<Vec<usize>>,
}

impl Shape {
    /// `older`: as Mesa 22 has it.
    pub(super) fn of(all: &[Inst], older: bool) -> Shape {
        // A loop may be aligned: its first instruction stands behind the place that is gone to.
        let place = |word: u32| Some(all.partition_point(|inst| inst.word < word)).filter(|n| *n < all.len());
        let targets: Vec<Option<usize>> = all.iter().map(|inst| inst.target().and_then(place)).collect();
        let mut loops = loops(&targets);
        let ends = last_breaks(all, &targets, &mut loops);
        let rounds = depths(&loops, all.len());
        let lanes = divergent(all, &targets, older);
        let uniform = uniform(all, &targets, &rounds, ends);
        let mut weights: Vec<f64> = (0..all.len()).map(|n| weight(rounds[n], lanes[n], uniform[n])).collect();
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
        if older {
            skips(all, &begins, &lanes, &mut from);
        }
        for n in 0..all.len() {
            if let Some(target) = targets[n] {
                from[target].push(n);
            }
            if n + 1 < all.len() && !matches!(all[n].steer, Steer::Branch(_) | Steer::End) {
                from[n + 1].push(n);
            }
        }
        rarely(all, &begins, &from, &mut weights);
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
    let mut known = vec![None; targets.len()];
    for (n, target) in targets.iter().enumerate() {
        let Some(first) = target.filter(|first| *first <= n) else { continue };
        let at = *known[first].get_or_insert(found.len());
        match found.get_mut(at) {
            Some((_, last)) => *last = n,
            None => found.push((first, n)),
        }
    }
    found
}

/// The parts of breaks that stand behind the last instruction of a loop, which goes back if the wave
/// does not break: other breaks go over them. They belong to the loops.
fn last_breaks(all: &[Inst], targets: &[Option<usize>], loops: &mut [(usize, usize)]) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    for (first, last) in loops {
        if !matches!(all[*last].steer, Steer::Maybe(_)) {
            continue;
        }
        let exits = targets[*first..*last].iter().flatten().filter(|target| **target > *last + 1);
        if let Some(end) = exits.min() {
            parts.push((*last + 1, *end - 1));
            *last = *end - 1;
        }
    }
    parts
}

/// What stands where lanes branch to if none of them takes a side, for scalars alone, counts a quarter.
fn rarely(all: &[Inst], begins: &[bool], from: &[Vec<usize>], weights: &mut [f64]) {
    for n in 1..all.len() {
        let [before] = from[n][..] else { continue };
        if begins[n] && before + 1 != n && all[before].name.starts_with("s_cbranch_exec") && before < n {
            let end = (n + 1..all.len()).find(|m| begins[*m]).unwrap_or(all.len());
            weights[n..end].iter_mut().for_each(|weight| *weight *= 0.25);
        }
    }
}

/// Lanes that skip a side are not seen where the branch over it is left out; the older driver's blocks
/// know of them still.
fn skips(all: &[Inst], begins: &[bool], lanes: &[usize], from: &mut [Vec<usize>]) {
    for n in 0..all.len().saturating_sub(1) {
        let narrows = begins[n + 1] && lanes[n + 1] > lanes[n] && all[n].target().is_none();
        let meets = (n + 2..all.len()).find(|m| begins[*m] && lanes[*m] <= lanes[n]);
        if let Some(meets) = meets.filter(|_| narrows) {
            from[meets].push(n);
        }
    }
}

/// How many parts each instruction stands in; a part is its first and last one.
fn depths(parts: &[(usize, usize)], count: usize) -> Vec<usize> {
    let mut changes = vec![0_isize; count + 1];
    for (first, last) in parts {
        changes[*first] += 1;
        changes[*last + 1] -= 1;
    }
    let sums = changes.iter().scan(0, |depth, change| {
        *depth += change;
        Some(*depth as usize)
    });
    sums.take(count).collect()
}

/// Depth of ifs that waves take as a whole; `parts` are such already.
fn uniform(
    all: &[Inst],
    targets: &[Option<usize>],
    rounds: &[usize],
    parts: Vec<(usize, usize)>,
) -> Vec<usize> {
    let inside = |from: usize, to: usize| rounds[from] <= rounds[to];
    let by_lanes = takes_lanes_out(all);
    let mut parts = Parts::of(parts);
    for (n, inst) in all.iter().enumerate() {
        let by_waves = matches!(inst.steer, Steer::Maybe(_)) && !inst.name.contains("exec") && !by_lanes[n];
        let Some(end) = targets[n].filter(|end| by_waves && *end > n && inside(n, *end)) else { continue };
        // Branches go to the end of all that they stand in: the part around this if ends first.
        let around = parts.end_around(n).unwrap_or(all.len());
        parts.add((n + 1, end.min(around) - 1));
        let over = end > n + 1 && matches!(all[end - 1].steer, Steer::Branch(_));
        if let Some(other) = targets[end - 1].filter(|other| over && *other > end && inside(n, *other)) {
            parts.add((end, other.min(around) - 1));
        }
    }
    parts.all.retain(|(first, last)| first <= last);
    depths(&parts.all, all.len())
}

/// Parts of a program, asked from its start to its end which of them stands around a place; each costs the
/// logarithm of how many there are.
struct Parts {
    all: Vec<(usize, usize)>,
    /// Those that may begin later, the first to begin on top.
    later: BinaryHeap<Reverse<(usize, usize)>>,
    /// Last instructions of those that have begun, the first to end on top.
    begun: BinaryHeap<Reverse<usize>>,
}

impl Parts {
    fn of(all: Vec<(usize, usize)>) -> Parts {
        Parts { later: all.iter().copied().map(Reverse).collect(), all, begun: BinaryHeap::new() }
    }

    fn add(&mut self, part: (usize, usize)) {
        self.all.push(part);
        self.later.push(Reverse(part));
    }

    /// Behind the end of the part around an instruction that ends first. Numbers must not fall from call to call.
    fn end_around(&mut self, n: usize) -> Option<usize> {
        while let Some(&Reverse((_, last))) = self.later.peek().filter(|Reverse((first, _))| *first <= n) {
            self.later.pop();
            self.begun.push(Reverse(last));
        }
        while self.begun.peek().is_some_and(|Reverse(last)| *last < n) {
            self.begun.pop();
        }
        self.begun.peek().map(|Reverse(last)| last + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Parts;

    #[test]
    fn the_part_that_ends_first_is_around() {
        let mut parts = Parts::of(vec![(2, 9), (0, 20)]);
        assert_eq!([0, 2].map(|n| parts.end_around(n)), [Some(21), Some(10)]);
        parts.add((4, 6));
        parts.add((7, 6));
        assert_eq!(
            [3, 4, 7, 10, 21].map(|n| parts.end_around(n)),
            [10, 7, 10, 21, 0].map(|n| (n > 0).then_some(n))
        );
    }
}
