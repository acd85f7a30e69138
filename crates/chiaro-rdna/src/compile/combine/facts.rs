//! What made an operand.

use chiaro_mach::{Block, Code, Inst, Made, Operand, What};

use crate::compile::code::{Modifiers, operation};
use crate::isa::Op;

/// The instruction that makes all of an operand, if its operation is plain: no modifiers.
pub(super) fn maker(code: &Code, made: &Made, operand: &Operand) -> Option<(Block, Inst, Op)> {
    let (block, inst) = made.maker(operand.value()?)?;
    let is_plain = Modifiers::unpack(code.inst(inst).modifiers) == Modifiers::default();
    let is_whole = operand.offset == 0 && operand.size == 1 && code.defs(inst).len() == 1;
    Some((block, inst, operation(code, inst).filter(|_| is_plain && is_whole)?))
}

/// The number that an operand is.
pub(super) fn number(operand: &Operand) -> Option<u32> {
    match operand.what {
        What::Imm(bits) => Some(bits as u32),
        _ => None,
    }
}
