//! An instruction on its way to a word.

use chiaro_diag::Span;
use chiaro_mach::Operand;

use crate::compile::code::Modifiers;
use crate::isa::Op;
use crate::regs::mods;

/// An instruction on its way to a word.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) op: Op,
    pub(super) defs: Vec<Operand>,
    pub(super) uses: Vec<Operand>,
    pub(super) modifiers: Modifiers,
    /// The line that a branch leads to.
    pub(super) target: Option<usize>,
    pub(super) ss: bool,
    pub(super) sy: bool,
    pub(super) jp: bool,
    pub(super) ul: bool,
    pub(super) span: Option<Span>,
}

impl Line {
    pub(super) fn new(op: Op, defs: &[Operand], uses: &[Operand]) -> Line {
        let (defs, uses) = (defs.to_vec(), uses.to_vec());
        let modifiers = Modifiers::default();
        Line {
            op,
            defs,
            uses,
            modifiers,
            target: None,
            ss: false,
            sy: false,
            jp: false,
            ul: false,
            span: None,
        }
    }
}

/// Signs of an operand as the instruction set codes them.
pub(super) fn signs(operand: &Operand) -> u16 {
    operand.bits as u16 & (mods::NEG | mods::ABS)
}
