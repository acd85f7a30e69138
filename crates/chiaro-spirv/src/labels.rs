//! Where branches lead: the labels in force, and the loops that are being made.

use chiaro_ir::{Block, Inst, Value};

/// How a branch gets to a block that has a label.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// Out of a construct.
    Exit(Inst),
    /// To the continuing block of a loop, by its number.
    Continue(u32),
    /// From there to the body again.
    Repeat(Inst),
}

/// The labels in force, innermost last.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    /// For each block of SPIR-V its innermost label's number plus one, or 0.
    at: Vec<u32>,
    list: Vec<(u32, Way, u32)>,
}

impl Labels {
    /// For so many blocks of SPIR-V.
    pub(crate) fn new(blocks: usize) -> Labels {
        Labels { at: vec![0; blocks], list: Vec::new() }
    }

    pub(crate) fn push(&mut self, target: u32, way: Way) {
        let slot = &mut self.at[target as usize];
        self.list.push((target, way, *slot));
        *slot = self.list.len() as u32;
    }

    pub(crate) fn pop(&mut self) {
        if let Some((target, _, shadowed)) = self.list.pop() {
            self.at[target as usize] = shadowed;
        }
    }

    pub(crate) fn get(&self, target: u32) -> Option<Way> {
        let number = self.at[target as usize].checked_sub(1)?;
        Some(self.list[number as usize].1)
    }
}

/// A loop that is being made.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) inst: Inst,
    pub(crate) header: u32,
    pub(crate) next: u32,
    pub(crate) continuing: Block,
    /// Every `continue`, and its block.
    pub(crate) sites: Vec<(Inst, Block)>,
    /// Values of the body that the continuing block gets, and the parameters that hold them.
    pub(crate) extra: Vec<(Value, Value)>,
}
