//! The shortest way through a program.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::way::{MOST_CALLS, MOST_STEPS, Way};
use crate::anatomy::{Anatomy, Instruction};

/// The way with the fewest cycles of its instructions: each loop is left as soon as it can be. What conditions have
/// to do with one another is not looked at.
#[must_use]
pub fn shortest(anatomy: &Anatomy) -> Way {
    let mut search = Search { all: &anatomy.instructions, known: HashMap::new(), depth: 0 };
    let whole = (0, anatomy.instructions.len());
    search.find(whole);
    let mut instructions = Vec::new();
    let is_whole = search.follow(whole, MOST_CALLS, &mut instructions);
    Way { instructions, is_whole }
}

/// Instructions from the first to before the second.
type Part = (usize, usize);

struct Search<'a> {
    all: &'a [Instruction],
    /// The shortest way through parts of the program, those that are called, with its cycles.
    known: HashMap<Part, (u64, Vec<usize>)>,
    /// Calls inside of calls that are looked at.
    depth: usize,
}

impl Search<'_> {
    /// Cycles of the shortest way through a part. One that calls itself costs nothing there: it would have no end.
    fn find(&mut self, part: Part) -> u64 {
        if let Some((cycles, _)) = self.known.get(&part) {
            return *cycles;
        }
        if self.depth > MOST_CALLS || part.0 >= part.1.min(self.all.len()) {
            return 0;
        }
        self.known.insert(part, Default::default());
        self.depth += 1;
        let found = self.between(part).unwrap_or_default();
        self.depth -= 1;
        let cycles = found.0;
        self.known.insert(part, found);
        cycles
    }

    /// Dijkstra's, to the end of the part or of execution.
    fn between(&mut self, (first, end): Part) -> Option<(u64, Vec<usize>)> {
        let all = self.all;
        let mut came: Vec<Option<usize>> = vec![None; all.len()];
        let mut open = BinaryHeap::from([Reverse((0, first, first))]);
        while let Some(Reverse((cycles, n, from))) = open.pop() {
            let Some(one) = all.get(n).filter(|_| n != end) else {
                return Some((cycles, back(&came, from, first)));
            };
            if came[n].is_some() {
                continue;
            }
            came[n] = Some(from);
            let called = one.calls.map_or(0, |(first, end)| self.find((first as usize, end as usize)));
            let cycles = cycles + u64::from(one.slots * one.passes.max(1)) + called;
            let ends = one.next.is_empty().then_some(all.len());
            let next = one.next.iter().map(|to| *to as usize).chain(ends);
            open.extend(next.map(|to| Reverse((cycles, to, n))));
        }
        None
    }

    /// Puts a way behind another, with what its calls enter; whether there was room for all of it.
    fn follow(&self, part: Part, calls: usize, made: &mut Vec<usize>) -> bool {
        let Some((_, way)) = self.known.get(&part) else { return false };
        for &n in way {
            if made.len() == MOST_STEPS {
                return false;
            }
            made.push(n);
            let Some((first, end)) = self.all[n].calls else { continue };
            if calls == 0 || !self.follow((first as usize, end as usize), calls - 1, made) {
                return false;
            }
        }
        !way.is_empty()
    }
}

/// The way that led to an instruction.
fn back(came: &[Option<usize>], last: usize, first: usize) -> Vec<usize> {
    let mut way = vec![last];
    let mut at = last;
    while let Some(from) = came.get(at).copied().flatten().filter(|_| at != first) {
        way.push(from);
        at = from;
    }
    way.reverse();
    way
}
