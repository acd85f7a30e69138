//! Constructs that are open, and edges whose end is not made yet.

use chiaro_ir as ir;

use crate::code::{Block, Code, Inst};
use crate::operand::{Operand, What};

/// A way out of a block.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) from: Block,
    /// The instruction that takes it; `None` where control falls through.
    pub(super) exit: Option<Inst>,
    /// What it brings.
    pub(super) parts: Vec<Operand>,
}

impl Edge {
    /// Control falls through to the next block.
    pub(super) fn falling(from: Block, parts: Vec<Operand>) -> Edge {
        Edge { from, exit: None, parts }
    }

    /// An instruction takes it.
    pub(super) fn taken(from: Block, exit: Inst, parts: Vec<Operand>) -> Edge {
        Edge { from, exit: Some(exit), parts }
    }

    /// Whether every lane goes this way: the block has no other exit.
    pub(super) fn is_sure(&self, code: &Code) -> bool {
        let exits = code.insts(self.from).iter().filter(|&&inst| code.inst(inst).effects.is_control());
        exits.count() == usize::from(self.exit.is_some())
    }

    /// Makes it lead to a block.
    pub(super) fn lead(&self, code: &mut Code, to: Block) {
        code.edge(self.from, to);
        let uses = self.exit.map(|exit| code.uses_mut(exit));
        for used in uses.into_iter().flatten().filter(|used| matches!(used.what, What::Label(_))) {
            used.what = What::Label(to);
        }
    }
}

/// A construct that is open.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) inst: ir::Inst,
    /// Ways into each of its blocks.
    pub(super) arms: Vec<Vec<Edge>>,
    /// Ways out of it.
    pub(super) out: Vec<Edge>,
    /// Ways back to the head of a loop.
    pub(super) again: Vec<Edge>,
    /// The head of a loop.
    pub(super) head: Option<Block>,
    /// What stands there for the parts of the loop's parameters.
    pub(super) phis: Vec<Inst>,
}

impl Frame {
    pub(super) fn new(inst: ir::Inst, mut arms: Vec<Vec<Edge>>) -> Frame {
        // A loop's continuing block is entered from within.
        if arms.len() == 1 {
            arms.push(Vec::new());
        }
        Frame { inst, arms, out: Vec::new(), again: Vec::new(), head: None, phis: Vec::new() }
    }
}
