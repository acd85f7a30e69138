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
