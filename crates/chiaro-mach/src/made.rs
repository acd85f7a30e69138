//! Who makes a value, and how often it is read.
//!
//! Before: SSA. What is known is of the moment: whoever rewrites asks anew, or lives with what was.

use crate::code::{Block, Code, Inst, Value};
use crate::operand::Operand;

/// Makers and readers of all values of a function, by value.
#[derive(Clone, Debug)]
pub struct Made {
    makers: Vec<Option<(Block, Inst)>>,
    reads: Vec<u32>,
}

impl Made {
    /// Those of a function, in one walk.
    #[must_use]
    pub fn of(code: &Code) -> Made {
        let count = code.value_count();
        let mut made = Made { makers: vec![None; count], reads: vec![0; count] };
        for block in code.blocks() {
            for &inst in code.insts(block) {
                for value in code.defs(inst).iter().filter_map(Operand::value) {
                    made.makers[value.0 as usize] = Some((block, inst));
                }
                for value in code.uses(inst).iter().filter_map(Operand::value) {
                    made.reads[value.0 as usize] += 1;
                }
            }
        }
        made
    }

    /// The instruction that makes a value, with its block; `None` if none does, or the value is younger than this.
    #[must_use]
    pub fn maker(&self, value: Value) -> Option<(Block, Inst)> {
        self.makers.get(value.0 as usize).copied().flatten()
    }

    /// How often a value is read.
    #[must_use]
    pub fn reads(&self, value: Value) -> u32 {
        self.reads.get(value.0 as usize).copied().unwrap_or(0)
    }

    /// Whether an operand is a value that nobody else reads.
    #[must_use]
    pub fn is_read_once(&self, operand: &Operand) -> bool {
        operand.value().is_some_and(|value| self.reads(value) == 1)
    }
}
