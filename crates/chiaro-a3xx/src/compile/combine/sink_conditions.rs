//! Conditions stand before the selections that read them.
//!
//! ```text
//! v2 = cmps.f.lt 1, v1        ...
//! ...                    ->   v2 = cmps.f.lt 1, v1
//! v4 = sel.b32 v1, v2, v3     v4 = sel.b32 v1, v2, v3
//! ```
//!
//! What a comparison reads is alive until the selection anyway, so it costs a register to make it earlier. The
//! scheduler falls back to this order where registers are short.

use std::collections::{HashMap, HashSet};

use chiaro_mach::{Block, Code, Inst, Made, Operand, Value};

use crate::compile::code::operation;
use crate::isa::{Op, is_comparison};

/// Moves comparisons down to the only selection that reads them.
pub(super) fn sink_conditions(code: &mut Code) {
    for block in code.blocks() {
        let moved = conditions(code, block);
        let sunk: HashSet<Inst> = moved.values().copied().collect();
        let insts = std::mem::take(&mut code.block_mut(block).insts);
        let rest = insts.into_iter().filter(|inst| !sunk.contains(inst));
        code.block_mut(block).insts =
            rest.flat_map(|inst| moved.get(&inst).copied().into_iter().chain([inst])).collect();
    }
}

/// For each selection of a block the comparison that belongs before it.
fn conditions(code: &Code, block: Block) -> HashMap<Inst, Inst> {
    let made = Made::of(code);
    let mut compared: HashMap<Value, Inst> = HashMap::new();
    let mut found = HashMap::new();
    for &inst in code.insts(block) {
        let reads = |value: Value| code.uses(inst).iter().any(|used| used.value() == Some(value));
        match operation(code, inst) {
            Some(op) if is_comparison(op) => {
                let value = code.defs(inst)[0].value().filter(|&value| made.reads(value) == 1);
                compared.extend(value.map(|value| (value, inst)));
            }
            Some(Op::SelB32) => {
                let test = code.uses(inst)[1].value().and_then(|value| compared.get(&value));
                let keeps = |test: Inst| code.uses(test).iter().filter_map(Operand::value).all(reads);
                found.extend(test.filter(|&&test| keeps(test)).map(|&test| (inst, test)));
            }
            _ => {}
        }
    }
    found
}
