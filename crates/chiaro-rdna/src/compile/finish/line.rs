//! An instruction on its way to words.

use chiaro_diag::Span;
use chiaro_mach::Operand;

use crate::compile::code::{Modifiers, SCALAR, SCC, implied};
use crate::isa::Op;
use crate::isa::sop1::Sop1;
use crate::isa::sopp::Sopp;
use crate::regs::code::EXEC_LO;

/// SCC among the codes of scalar registers: behind them.
pub(super) const SCC_UNIT: u16 = 128;

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

    /// Both ends of a move of the wave.
    pub(super) fn moved(&self) -> Option<(Operand, Operand)> {
        let is_move = matches!(self.op, Op::Sop1(Sop1::MovB32 | Sop1::MovB64));
        is_move.then(|| Some((*self.defs.first()?, *self.uses.first()?)))?
    }

    /// Whether other lanes may run behind it.
    pub(super) fn writes_exec(&self, wave: u8) -> bool {
        let [written, _] = implied(self.op, wave);
        self.defs.iter().chain(&written).any(is_exec)
    }

    /// Without modifiers.
    pub(super) fn new(op: Op, defs: Vec<Operand>, uses: Vec<Operand>) -> Line {
        let modifiers = Modifiers::default();
        Line { op, defs, uses, modifiers, target: None, callee: None, distance: None, span: None }
    }
}

/// The codes of the scalar registers of an operand; none if it is in another file.
pub(super) fn numbers(operand: &Operand) -> impl Iterator<Item = u16> + use<> {
    let (first, count) = match (operand.file, operand.reg) {
        (SCC, Some(_)) => (SCC_UNIT, 1),
        (SCALAR, Some(unit)) if operand.in_file() => (unit, operand.size),
        _ => (0, 0),
    };
    first..(first + count).min(SCC_UNIT + 1)
}

pub(super) fn is_exec(operand: &Operand) -> bool {
    operand.file == SCALAR && operand.reg == Some(EXEC_LO) && operand.in_file()
}
