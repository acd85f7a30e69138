//! An instruction on its way to a word.

use std::borrow::Cow;

use chiaro_diag::Span;
use chiaro_mach::Operand;

use crate::compile::code::Modifiers;
use crate::isa::Op;
use crate::regs::mods;

/// An instruction on its way to a word.
#[derive(Clone, Debug)]
pub(super) struct Line<'a> {
    pub(super) op: Op,
    pub(super) defs: Cow<'a, [Operand]>,
    pub(super) uses: Cow<'a, [Operand]>,
    pub(super) modifiers: Modifiers,
    /// The line that a branch leads to.
    pub(super) target: Option<usize>,
    pub(super) ss: bool,
    pub(super) sy: bool,
    pub(super) jp: bool,
    pub(super) ul: bool,
    pub(super) span: Option<Span>,
}

impl<'a> Line<'a> {
    /// Without modifiers and flags.
    pub(super) fn new(
        op: Op,
        defs: impl Into<Cow<'a, [Operand]>>,
        uses: impl Into<Cow<'a, [Operand]>>,
    ) -> Line<'a> {
        Line {
            op,
            defs: defs.into(),
            uses: uses.into(),
            modifiers: Modifiers::default(),
            target: None,
            ss: false,
            sy: false,
            jp: false,
            ul: false,
            span: None,
        }
    }
}

/// Signs of an operand as the instruction set codes them, and whether it advances with repetitions.
pub(super) fn signs(operand: &Operand) -> u16 {
    operand.bits as u16 & (mods::NEG | mods::ABS | mods::STEP)
}
