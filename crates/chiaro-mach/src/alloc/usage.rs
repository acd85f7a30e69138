//! Spill weights: what keeping a value out of registers would cost.

use crate::code::{Block, Code, Value};
use crate::file::File;
use crate::operand::Operand;

/// Uses of the values of one file.
#[derive(Clone, Debug)]
pub(super) struct Usage {
    /// Definitions and uses, those in loops many times.
    weights: Vec<f32>,
    /// Value and block of every use, sorted.
    uses: Vec<(Value, Block)>,
}

/// Counts uses.
pub(super) fn usage(code: &Code, file: File) -> Usage {
    let mut weights = vec![0.0; code.value_count()];
    let mut uses = Vec::new();
    for block in code.blocks() {
        let weight = 8f32.powi(i32::from(code.block_data(block).depth.min(5)));
        for &inst in code.insts(block) {
            let mine = code.operands(inst).iter().filter(|o| o.file == file);
            for value in mine.filter_map(Operand::value) {
                weights[value.0 as usize] += weight;
            }
            let mine = code.uses(inst).iter().filter(|o| o.file == file);
            uses.extend(mine.filter_map(Operand::value).map(|value| (value, block)));
        }
    }
    uses.sort_unstable();
    Usage { weights, uses }
}

impl Usage {
    /// What a value is worth in a register.
    pub(super) fn weight(&self, value: Value) -> f32 {
        self.weights[value.0 as usize]
    }

    /// Whether a value is used in one of these blocks.
    pub(super) fn is_used_in(&self, value: Value, first: Block, last: Block) -> bool {
        let at = self.uses.partition_point(|&entry| entry < (value, first));
        self.uses.get(at).is_some_and(|&(v, block)| v == value && block <= last)
    }
}
