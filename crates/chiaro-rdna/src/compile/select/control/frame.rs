//! Constructs that are open, and edges whose end is not made yet.

use chiaro_ir as ir;
use chiaro_mach::{Block, Code, Graph, Inst, Operand, What};

use super::facts::Fact;

/// A way out of a block.
#[derive(Clone, Debug)]
pub(in crate::compile::select) struct Way {
    pub(super) from: Block,
    /// The instruction that takes it; `None` where control falls through.
    pub(super) exit: Option<Inst>,
    /// What it brings.
    pub(super) parts: Vec<Operand>,
}

impl Way {
    pub(in crate::compile::select) fn new(from: Block, exit: Option<Inst>, parts: Vec<Operand>) -> Way {
        Way { from, exit, parts }
    }

    /// Makes it lead to a block in some of the graphs.
    pub(in crate::compile::select) fn lead(&self, code: &mut Code, graphs: &[Graph], to: Block) {
        graphs.iter().for_each(|&graph| code.edge_in(graph, self.from, to));
        let uses = self.exit.filter(|_| graphs.contains(&Graph::Linear)).map(|exit| code.uses_mut(exit));
        for used in uses.into_iter().flatten().filter(|used| matches!(used.what, What::Label(_))) {
            used.what = What::Label(to);
        }
    }
}

/// A construct that is open; the first stands for the function.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) inst: Option<ir::Inst>,
    pub(super) fact: Fact,
    /// Which of its blocks is open.
    pub(super) block: u32,
    /// Whether it is a loop.
    pub(super) is_loop: bool,
    /// Ways of lanes and of the program counter into each of its blocks.
    pub(super) arms: Vec<Vec<Way>>,
    /// Ways out of it: of lanes, and where nobody waits of the program counter.
    pub(super) out: Vec<Way>,
    /// Ways back to the head of a loop.
    pub(super) again: Vec<Way>,
    /// Ways of the program counter to the next place where lanes wait.
    pub(super) next: Vec<Way>,
    /// The same, to the end of an iteration.
    pub(super) next_iteration: Vec<Way>,
    /// The head of a loop, and what stands there for its parameters.
    pub(super) head: Option<Block>,
    pub(super) phis: Vec<Inst>,
    /// The block in front of it.
    pub(super) entry: Block,
    /// The lanes that came to it.
    pub(super) saved: Option<Operand>,
    /// Those of them for which the condition holds.
    pub(super) condition: Option<Operand>,
    /// Whether it holds for one of them at least.
    pub(super) is_for_some: bool,
    /// Whether lanes of the first side may be switched off before its end.
    pub(super) strays: bool,
    /// Those of the first side that came to its end.
    pub(super) first: Option<Operand>,
    /// Lanes that wait at the end; those that wait for the next iteration.
    pub(super) waiting: Option<Operand>,
    pub(super) continued: Option<Operand>,
}

impl Frame {
    pub(super) fn new(inst: Option<ir::Inst>, fact: Fact, entry: Block, arms: Vec<Vec<Way>>) -> Frame {
        Frame {
            inst,
            fact,
            block: 0,
            is_loop: false,
            arms,
            out: Vec::new(),
            again: Vec::new(),
            next: Vec::new(),
            next_iteration: Vec::new(),
            head: None,
            phis: Vec::new(),
            entry,
            saved: None,
            condition: None,
            is_for_some: false,
            strays: false,
            first: None,
            waiting: None,
            continued: None,
        }
    }

    /// Where lanes wait while this is open, if they do: for the next iteration, or elsewhere.
    pub(super) fn waits(&self) -> Option<Place> {
        if self.is_loop && self.fact.continues && self.block == 0 {
            return Some(Place::Iteration);
        }
        (self.fact.parts || self.fact.leaves || self.inst.is_none()).then_some(Place::Next)
    }

    /// Whether the first of two sides is open, with the lanes that have not come to its end yet.
    pub(super) fn is_first_side(&self) -> bool {
        self.fact.parts && self.block == 0
    }

    /// Whether lanes come to its end at different times.
    pub(super) fn joins_lanes(&self) -> bool {
        self.fact.parts || self.fact.leaves
    }
}

/// Where lanes wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// At the other side of a condition, or at the end.
    Next,
    /// At the end of the iteration.
    Iteration,
}
