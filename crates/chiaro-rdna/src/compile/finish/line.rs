//! An instruction on its way to words.

use chiaro_diag::Span;
use chiaro_mach::Operand;

use crate::compile::code::Modifiers;
use crate::isa::Op;
use crate::isa::sop1::Sop1;
use crate::isa::sopp::Sopp;

/// An instruction on its way to words.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) op: Op,
    pub(super) defs: Vec<Operand>,
    pub(super) uses: Vec<Operand>,
    pub(super) modifiers: Modifiers,
    /// The block that a branch leads to; later the line.
    pub(super) target: Option<usize>,
    /// The function that a call goes to, by its number in the module.
    pub(super) callee: Option<u32>,
    /// The function whose distance from here is added, by its number in the module.
    pub(super) distance: Option<u32>,
    pub(super) span: Option<Span>,
}

impl Line {
    /// Whether nothing behind a line is reached but by jumps.
    pub(super) fn leaves(&self) -> bool {
        matches!(self.op, Op::Sopp(Sopp::Branch | Sopp::Endpgm) | Op::Sop1(Sop1::SetpcB64))
    }

    /// Without modifiers.
    pub(super) fn new(op: Op, defs: Vec<Operand>, uses: Vec<Operand>) -> Line {
        let modifiers = Modifiers::default();
        Line { op, defs, uses, modifiers, target: None, callee: None, distance: None, span: None }
    }
}
