//! The longest way through a program.

use std::collections::HashMap;

use crate::anatomy::Anatomy;

/// Steps that a way has at most: people look at it.
pub(super) const MOST_STEPS: usize = 1 << 14;

/// Calls inside of calls that are followed.
pub(super) const MOST_CALLS: usize = 64;

/// A way from the first instruction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Way {
    /// Instructions by number, in the order in which they run.
    pub instructions: Vec<usize>,
    /// Whether it comes to the end of the program.
    pub is_whole: bool,
}

/// The longest way by the cycles of its instructions, each loop with so many rounds. What conditions have to
/// do with one another is not looked at.
#[must_use]
pub fn longest(anatomy: &Anatomy, rounds: u32) -> Way {
    let weights = weights(anatomy);
    let mut walk = Walk {
        anatomy,
        weights,
        rounds: rounds.max(1),
        done: HashMap::new(),
        leaving: None,
        calls: Vec::new(),
    };
    let mut way = Way::default();
    let mut at = (!anatomy.instructions.is_empty()).then_some(0);
    while let Some(n) = at {
        if way.instructions.len() == MOST_STEPS {
            return way;
        }
        way.instructions.push(n);
        at = walk.next(n);
    }
    way.is_whole = walk.leaving.is_none();
    way
}

/// Cycles from each instruction to the end, ways back left out.
fn weights(anatomy: &Anatomy) -> Vec<u64> {
    let all = &anatomy.instructions;
    let loops = anatomy.loops();
    let mut weights = vec![0u64; all.len()];
    for n in (0..all.len()).rev() {
        let forward = all[n].next.iter().map(|to| *to as usize).filter(|to| *to > n && *to < all.len());
        let longest = forward.map(|to| weights[to]).max();
        // Behind a loop's last instruction that leads back alone comes what the loop is left to.
        let behind = || {
            let over = loops.iter().find(|(_, last)| *last == n)?;
            let inside = all[over.0..=over.1].iter().flat_map(|one| &one.next);
            inside.map(|to| *to as usize).filter(|to| *to > n && *to < all.len()).map(|to| weights[to]).max()
        };
        let rest = longest.or_else(behind).unwrap_or(0);
        weights[n] = rest + u64::from(all[n].slots * all[n].passes.max(1));
    }
    weights
}

struct Walk<'a> {
    anatomy: &'a Anatomy,
    weights: Vec<u64>,
    rounds: u32,
    /// Rounds of each way back.
    done: HashMap<usize, u32>,
    /// The last instruction of the loop that is to be left.
    leaving: Option<usize>,
    /// Open calls: where they end, and where they return to.
    calls: Vec<(usize, usize)>,
}

impl Walk<'_> {
    fn next(&mut self, n: usize) -> Option<usize> {
        let one = &self.anatomy.instructions[n];
        if let Some((first, end)) = one.calls.filter(|_| self.calls.len() < MOST_CALLS) {
            self.calls.push((end as usize, n + 1));
            return Some(first as usize);
        }
        let to = self.chosen(n)?;
        match self.calls.last() {
            Some(&(end, back)) if to == end => {
                self.calls.pop();
                Some(back).filter(|back| *back < self.anatomy.instructions.len())
            }
            _ => Some(to),
        }
    }

    fn chosen(&mut self, n: usize) -> Option<usize> {
        let next = || self.anatomy.instructions[n].next.iter().map(|to| *to as usize);
        let best = |wanted: &dyn Fn(usize) -> bool| {
            next().filter(|to| wanted(*to)).max_by_key(|to| (self.weights.get(*to), std::cmp::Reverse(*to)))
        };
        if let Some(last) = self.leaving {
            if let Some(out) = best(&|to| to > last) {
                self.leaving = None;
                return Some(out);
            }
            // The loop has no way out here: there is none.
            return if n == last { None } else { best(&|to| to > n) };
        }
        let on = best(&|to| to > n);
        let Some(back) = next().find(|to| *to <= n) else { return on };
        let done = self.done.entry(n).or_insert(1);
        if *done < self.rounds {
            *done += 1;
            self.done.retain(|inner, _| *inner == n || !(back..n).contains(inner));
            return Some(back);
        }
        if on.is_none() {
            self.leaving = Some(n);
            return Some(back);
        }
        on
    }
}
