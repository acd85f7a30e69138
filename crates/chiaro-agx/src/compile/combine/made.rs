//! Who makes a value, and how often it is read.

use chiaro_mach::{Code, Inst, Operand, Value, What};

use crate::compile::code::{self, Modifiers, modifiers, operation};
use crate::isa::Op;

/// What is known of the values of a function.
pub(super) struct Made {
    makers: Vec<Option<Inst>>,
    uses: Vec<u32>,
}

impl Made {
    pub(super) fn of(code: &Code) -> Made {
        let mut makers = vec![None; code.value_count()];
        for block in code.blocks() {
            for &inst in code.insts(block) {
                for value in code.defs(inst).iter().filter_map(Operand::value) {
                    makers[value.0 as usize] = Some(inst);
                }
            }
        }
        Made { makers, uses: code::uses(code) }
    }

    /// The instruction that makes a value.
    pub(super) fn maker(&self, value: Value) -> Option<Inst> {
        self.makers.get(value.0 as usize).copied().flatten()
    }

    /// The machine operation that made all that an operand reads, as it is.
    pub(super) fn of_use(&self, code: &Code, used: &Operand) -> Option<(Inst, Op, Modifiers)> {
        let value = used.value()?;
        let is_whole = used.offset == 0 && used.bits == 0 && code.value_data(value).size == used.size;
        let inst = self.maker(value).filter(|_| is_whole)?;
        Some((inst, operation(code, inst)?, modifiers(code, inst)))
    }

    /// Whether nobody else reads it.
    pub(super) fn is_alone(&self, used: &Operand) -> bool {
        used.value().is_some_and(|value| self.uses[value.0 as usize] == 1)
    }

    /// How often a value is read.
    pub(super) fn count(&self, value: Value) -> u32 {
        self.uses.get(value.0 as usize).copied().unwrap_or(0)
    }
}

/// Whether an operand is a number.
pub(super) fn is_number(used: &Operand, number: u64) -> bool {
    used.what == What::Imm(number)
}
