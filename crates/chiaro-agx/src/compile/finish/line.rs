//! An instruction on its way to bytes.

use chiaro_diag::Span;
use chiaro_mach::Operand;

use crate::compile::code::Modifiers;
use crate::isa::Op;

/// An instruction on its way to bytes.
#[derive(Clone, Debug)]
pub(in crate::compile::finish) struct Line {
    pub(in crate::compile::finish) op: Op,
    pub(in crate::compile::finish) defs: Vec<Operand>,
    pub(in crate::compile::finish) uses: Vec<Operand>,
    pub(in crate::compile::finish) modifiers: Modifiers,
    /// The line that a branch leads to; the block, as long as lines are not counted.
    pub(in crate::compile::finish) target: Option<usize>,
    pub(in crate::compile::finish) span: Option<Span>,
}

impl Line {
    pub(in crate::compile::finish) fn new(
        op: Op,
        defs: &[Operand],
        uses: &[Operand],
        modifiers: Modifiers,
    ) -> Line {
        Line { op, defs: defs.to_vec(), uses: uses.to_vec(), modifiers, target: None, span: None }
    }
}
