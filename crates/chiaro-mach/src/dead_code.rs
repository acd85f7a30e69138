//! Takes away instructions whose results nobody reads.
//!
//! Before: SSA, nothing allocated.
//! After: every instruction has an effect beside its results, or a result that another one reads.

use crate::code::{Code, Inst};
use crate::op::Op;
use crate::operand::{Operand, What};

/// Removes what is dead, values that only read themselves around a loop among it. Results of
/// `start` stay.
pub fn dead_code(code: &mut Code) {
    let mut makers: Vec<Option<Inst>> = vec![None; code.value_count()];
    let (mut live, mut open) = (vec![false; code.inst_count()], Vec::new());
    for block in code.blocks() {
        for &inst in code.insts(block) {
            for value in code.defs(inst).iter().filter_map(Operand::value) {
                makers[value.0 as usize] = Some(inst);
            }
            if is_root(code, inst) {
                live[inst.0 as usize] = true;
                open.push(inst);
            }
        }
    }
    while let Some(inst) = open.pop() {
        for value in code.uses(inst).iter().filter_map(Operand::value) {
            if let Some(maker) = makers[value.0 as usize]
                && !std::mem::replace(&mut live[maker.0 as usize], true)
            {
                open.push(maker);
            }
        }
    }
    for block in code.blocks() {
        code.block_mut(block).insts.retain(|inst| live[inst.0 as usize]);
    }
}

/// Whether an instruction stays whoever reads its results: it writes state, or registers by name.
fn is_root(code: &Code, inst: Inst) -> bool {
    let by_name = code.defs(inst).iter().any(|def| def.what == What::Reg);
    let kept = matches!(code.op(inst), Op::Start | Op::Call | Op::Return | Op::Spill);
    kept || by_name || code.inst(inst).effects.writes != 0
}
