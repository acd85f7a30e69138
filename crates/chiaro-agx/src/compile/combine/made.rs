//! What made an operand.

use chiaro_mach::{Code, Inst, Made, Operand, What};

use crate::compile::code::{Modifiers, modifiers, operation};
use crate::isa::Op;

/// The machine operation that made all that an operand reads, as it is.
pub(super) fn operation_of(code: &Code, made: &Made, used: &Operand) -> Option<(Inst, Op, Modifiers)> {
    let value = used.value()?;
    let is_whole = used.offset == 0 && used.bits == 0 && code.value_data(value).size == used.size;
    let (_, inst) = made.maker(value).filter(|_| is_whole)?;
    Some((inst, operation(code, inst)?, modifiers(code, inst)))
}

/// Whether an operand is a number.
pub(super) fn is_number(used: &Operand, number: u64) -> bool {
    used.what == What::Imm(number)
}

/// Takes instructions out whose work another has taken over. Whether there are any.
pub(super) fn take_out(code: &mut Code, mut is_done: impl FnMut(&mut Code, Inst) -> bool) -> bool {
    let mut changed = false;
    for block in code.blocks() {
        let all = code.insts(block).to_vec();
        let kept: Vec<Inst> = all.iter().copied().filter(|&inst| !is_done(code, inst)).collect();
        changed |= kept.len() < all.len();
        code.block_mut(block).insts = kept;
    }
    changed
}

/// Has an instruction write another result than its own.
pub(super) fn redirect(code: &mut Code, maker: Inst, def: Operand) {
    let uses = code.uses(maker).to_vec();
    code.set_operands(maker, &[def], &uses);
}
