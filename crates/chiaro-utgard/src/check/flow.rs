//! The control flow graph of a program's instructions.

use crate::isa::word::Word;

/// Edges between instructions. Every branch is conditional, so all fall through as well.
pub(super) struct Flow {
    /// For each instruction those that branch to it.
    sources: Vec<Vec<u32>>,
    targets: Vec<Option<u32>>,
}

/// A way from one instruction to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Way {
    /// Where it begins.
    pub(super) from: usize,
    /// Whether it leaves a block, be it by falling into the next one.
    pub(super) crosses: bool,
}

impl Flow {
    pub(super) fn new(program: &[Word]) -> Flow {
        let targets: Vec<_> = program.iter().map(|word| word.target()).collect();
        let mut sources = vec![Vec::new(); program.len()];
        for (from, to) in targets.iter().enumerate() {
            if let Some(list) = to.and_then(|to| sources.get_mut(to as usize)) {
                list.push(from as u32);
            }
        }
        Flow { sources, targets }
    }

    /// Whether a block begins here.
    pub(super) fn begins(&self, at: usize) -> bool {
        !self.sources[at].is_empty() || at > 0 && self.targets[at - 1].is_some()
    }

    /// The instructions that can run right before one.
    pub(super) fn before(&self, at: usize) -> impl Iterator<Item = Way> + '_ {
        let fallen = at.checked_sub(1).map(|from| Way { from, crosses: self.begins(at) });
        let jumped = self.sources[at].iter().map(|&from| Way { from: from as usize, crosses: true });
        fallen.into_iter().chain(jumped)
    }

    /// The instructions that can run `back` (1 or 2) steps before one.
    pub(super) fn back(&self, at: usize, back: u8) -> Vec<Way> {
        let once = self.before(at);
        if back == 1 {
            return once.collect();
        }
        let twice = |way: Way| {
            self.before(way.from).map(move |w| Way { from: w.from, crosses: w.crosses || way.crosses })
        };
        once.flat_map(twice).collect()
    }

    /// The instructions that can run right after one, and whether by a taken branch.
    pub(super) fn after(&self, at: usize) -> impl Iterator<Item = (usize, bool)> + '_ {
        let next = (at + 1 < self.targets.len()).then_some((at + 1, false));
        let to = self.targets[at].map(|to| to as usize).filter(|&to| to < self.targets.len());
        next.into_iter().chain(to.map(|to| (to, true)))
    }
}
