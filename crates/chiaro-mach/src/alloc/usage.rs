//! Spill weights: what keeping a value out of registers would cost.

use crate::code::{Block, Code, Value};
use crate::touch::Touches;

/// Uses of the values of one file.
#[derive(Clone, Debug)]
pub(super) struct Usage {
    /// Definitions and uses, those in loops many times.
    weights: Vec<f32>,
    /// Where the uses of each value begin; one entry more for the end.
    starts: Vec<u32>,
    /// The block of every use, value by value, in rising order.
    blocks: Vec<Block>,
}

/// Counts uses.
pub(super) fn usage(code: &Code, touches: &Touches) -> Usage {
    let values = code.value_count();
    let mut usage = Usage { weights: vec![0.0; values], starts: vec![0; values + 1], blocks: Vec::new() };
    let uses = |block: Block| touches.of(block).iter().filter(|touch| !touch.is_def());
    for block in code.blocks() {
        let weight = 8f32.powi(i32::from(code.block_data(block).depth.min(5)));
        for touch in touches.of(block) {
            usage.weights[touch.value.0 as usize] += weight;
        }
        uses(block).for_each(|touch| usage.starts[touch.value.0 as usize] += 1);
    }
    let mut sum = 0;
    for start in &mut usage.starts {
        sum += *start;
        *start = sum;
    }
    // From behind, so that the end of each list becomes its start.
    usage.blocks.resize(sum as usize, Block(0));
    for block in code.blocks().rev() {
        for touch in uses(block) {
            let at = &mut usage.starts[touch.value.0 as usize];
            *at -= 1;
            usage.blocks[*at as usize] = block;
        }
    }
    usage
}

impl Usage {
    /// What a value is worth in a register.
    pub(super) fn weight(&self, value: Value) -> f32 {
        self.weights[value.0 as usize]
    }

    /// Whether a value is used in one of these blocks.
    pub(super) fn is_used_in(&self, value: Value, first: Block, last: Block) -> bool {
        let [start, end] = [value.0, value.0 + 1].map(|at| self.starts[at as usize] as usize);
        let uses = &self.blocks[start..end];
        uses.get(uses.partition_point(|&block| block < first)).is_some_and(|&block| block <= last)
    }
}
