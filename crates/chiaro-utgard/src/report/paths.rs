//! Cycles of a program along its shortest and its longest path, block by block.
//!
//! Every instruction takes a cycle; what a taken branch costs beside its own nobody has measured,
//! and how often loops go round only the application knows: both are named timing.

use crate::compile::Compiled;
use crate::regs;

/// What the documents and the program leave open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    /// Cycles of a taken branch beside its own: at least 2 in ARM's code. \[ARM]
    pub taken_branch: u32,
    /// Rounds of every loop, on the longest path.
    pub loop_rounds: u32,
}

impl Default for Timing {
    fn default() -> Timing {
        Timing { taken_branch: regs::TAKEN_BRANCH, loop_rounds: 8 }
    }
}

/// Cycles of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Paths {
    /// Along the shortest path.
    pub shortest: u64,
    /// Along the longest path.
    pub longest: u64,
    /// Whether a branch is there that can be taken.
    pub branches: bool,
    /// Whether there is a loop.
    pub loops: bool,
}

impl Compiled {
    /// The cycles of the program.
    #[must_use]
    pub fn paths(&self, timing: &Timing) -> Paths {
        let graph = Graph::new(self);
        Paths {
            shortest: graph.walk(timing, false),
            longest: graph.walk(timing, true),
            branches: self.jumps.iter().any(Option::is_some),
            loops: !graph.loops.is_empty(),
        }
    }
}

/// An edge that leads forward.
#[derive(Clone, Copy)]
struct Edge {
    from: usize,
    to: usize,
    taken: bool,
}

struct Graph {
    lengths: Vec<u64>,
    edges: Vec<Edge>,
    /// First and last block of each loop.
    loops: Vec<(usize, usize)>,
    /// From a loop's last block, after its last round.
    leaving: Vec<Edge>,
}

impl Graph {
    fn new(made: &Compiled) -> Graph {
        let lengths = made.blocks.iter().map(|block| u64::from(block.length)).collect();
        let mut graph = Graph { lengths, edges: Vec::new(), loops: Vec::new(), leaving: Vec::new() };
        for (from, jump) in made.jumps.iter().enumerate() {
            match jump {
                Some(jump) if jump.to > from => graph.edges.push(Edge { from, to: jump.to, taken: true }),
                Some(jump) => graph.loops.push((jump.to, from)),
                None => {}
            }
            if jump.is_none_or(|jump| !jump.always) {
                graph.edges.push(Edge { from, to: from + 1, taken: false });
            }
        }
        for &(first, last) in &graph.loops {
            let leaves = |edge: &&Edge| (first..=last).contains(&edge.from) && edge.to > last;
            let exits = graph.edges.iter().filter(leaves).map(|edge| Edge { from: last, ..*edge });
            graph.leaving.extend(exits);
        }
        graph
    }

    /// How often a block runs on the longest path.
    fn rounds(&self, block: usize, timing: &Timing) -> u64 {
        let mut headers: Vec<usize> = Vec::new();
        for &(first, last) in &self.loops {
            // A loop with several ways back is one loop.
            if (first..=last).contains(&block) && !headers.contains(&first) {
                headers.push(first);
            }
        }
        let rounds = u64::from(timing.loop_rounds.max(1));
        headers.iter().fold(1, |all: u64, _| all.saturating_mul(rounds))
    }

    /// The cycles up to the end of the last block: the least, or the most with all rounds.
    fn walk(&self, timing: &Timing, longest: bool) -> u64 {
        let taken = u64::from(timing.taken_branch);
        let times = |block| if longest { self.rounds(block, timing) } else { 1 };
        let mut best: Vec<Option<u64>> = vec![None; self.lengths.len() + 1];
        best[0] = Some(0);
        for from in 0..self.lengths.len() {
            let Some(start) = best[from] else { continue };
            let back = self.loops.iter().any(|&(_, last)| last == from && longest);
            let own = self.lengths[from] + if back { taken } else { 0 };
            let end = start.saturating_add(own.saturating_mul(times(from)));
            let leaving = self.leaving.iter().filter(|_| longest);
            for edge in self.edges.iter().chain(leaving).filter(|edge| edge.from == from) {
                let there =
                    end.saturating_add(if edge.taken { taken.saturating_mul(times(from)) } else { 0 });
                let known = &mut best[edge.to.min(self.lengths.len())];
                *known = Some(match *known {
                    Some(known) if longest => known.max(there),
                    Some(known) => known.min(there),
                    None => there,
                });
            }
        }
        best.last().copied().flatten().unwrap_or(0)
    }
}
