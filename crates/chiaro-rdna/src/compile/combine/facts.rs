//! Who makes a value, and how many read it.

use chiaro_mach::{Block, Code, Inst, Operand, What};

use crate::compile::code::{Modifiers, operation};
use crate::isa::Op;

/// Makers and readers of values, in SSA.
pub(super) struct Facts {
    makers: Vec<Option<(Block, Inst)>>,
    readers: Vec<u32>,
}

impl Facts {
    pub(super) fn of(code: &Code) -> Facts {
        let count = code.value_count();
        let mut facts = Facts { makers: vec![None; count], readers: vec![0; count] };
        for block in code.blocks() {
            for &inst in code.insts(block) {
                for value in code.defs(inst).iter().filter_map(Operand::value) {
                    facts.makers[value.0 as usize] = Some((block, inst));
                }
                for value in code.uses(inst).iter().filter_map(Operand::value) {
                    facts.readers[value.0 as usize] += 1;
                }
            }
        }
        facts
    }

    /// The instruction that makes all of an operand, if its operation is plain: no modifiers.
    pub(super) fn maker(&self, code: &Code, operand: &Operand) -> Option<(Block, Inst, Op)> {
        let (block, inst) = (*self.makers.get(operand.value()?.0 as usize)?)?;
        let is_plain = Modifiers::unpack(code.inst(inst).modifiers) == Modifiers::default();
        let is_whole = operand.offset == 0 && operand.size == 1 && code.defs(inst).len() == 1;
        Some((block, inst, operation(code, inst).filter(|_| is_plain && is_whole)?))
    }

    /// Whether nothing else reads a value.
    pub(super) fn is_read_once(&self, operand: &Operand) -> bool {
        operand.value().is_some_and(|value| self.readers.get(value.0 as usize) == Some(&1))
    }
}

/// The number that an operand is.
pub(super) fn number(operand: &Operand) -> Option<u32> {
    match operand.what {
        What::Imm(bits) => Some(bits as u32),
        _ => None,
    }
}
