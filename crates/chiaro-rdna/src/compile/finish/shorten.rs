//! Short forms, where registers happen to be those that they name.

use chiaro_mach::{Operand, What};

use super::line::Line;
use crate::compile::code::{Modifiers, VECTOR};
use crate::isa::Op;
use crate::isa::sop1::Sop1;
use crate::isa::sop2::Sop2;
use crate::isa::sopk::Sopk;
use crate::isa::vop2::Vop2;
use crate::isa::vop3::Vop3;
use crate::operand::constant::Number;

/// Takes the shortest form of a line.
pub(super) fn shorten(line: &mut Line) {
    match line.op {
        Op::Vop3(Vop3::FmaF32) => product_and_sum(line),
        Op::Sop1(Sop1::MovB32) => number(line),
        Op::Sop2(Sop2::AddI32) => in_place(line, Sopk::AddkI32),
        Op::Sop2(Sop2::MulI32) => in_place(line, Sopk::MulkI32),
        _ => {}
    }
}

fn is_plain_vector(operand: &Operand) -> bool {
    operand.file == VECTOR && operand.in_file() && operand.bits == 0
}

/// The number behind an instruction that an operand needs.
fn literal(operand: &Operand) -> Option<u32> {
    let What::Imm(bits) = operand.what else { return None };
    (operand.bits == 0 && Number::Word.code(i64::from(bits as u32)).is_none()).then_some(bits as u32)
}

/// A sum over its own addend, or with a number.
fn product_and_sum(line: &mut Line) {
    let &[a, b, c] = &line.uses[..] else { return };
    if line.modifiers != Modifiers::default() || [a, b, c].iter().any(|used| used.bits != 0) {
        return;
    }
    let [a, b] = if is_plain_vector(&b) { [a, b] } else { [b, a] };
    let is_same = is_plain_vector(&c) && c.reg == line.defs[0].reg;
    if is_same && is_plain_vector(&b) {
        (line.op, line.uses) = (Op::Vop2(Vop2::FmacF32), vec![a, b]);
    } else if let Some(k) = literal(&c).filter(|_| is_plain_vector(&b) && literal(&a).is_none()) {
        (line.op, line.uses) = (Op::Vop2(Vop2::FmaakF32), vec![a, b]);
        line.modifiers = Modifiers::number(k as i32);
    } else if let Some(k) = literal(&a).filter(|_| is_plain_vector(&c) && literal(&b).is_none()) {
        (line.op, line.uses) = (Op::Vop2(Vop2::FmamkF32), vec![b, c]);
        line.modifiers = Modifiers::number(k as i32);
    }
}

fn short(operand: &Operand) -> Option<i32> {
    let number = literal(operand)? as i32;
    i16::try_from(number).is_ok().then_some(number & 0xffff)
}

fn number(line: &mut Line) {
    if let Some(k) = short(&line.uses[0]) {
        (line.op, line.uses, line.modifiers) = (Op::Sopk(Sopk::MovkI32), Vec::new(), Modifiers::number(k));
    }
}

/// An operation with a number on the register that it goes to.
fn in_place(line: &mut Line, op: Sopk) {
    let &[a, b] = &line.uses[..] else { return };
    let [register, other] = if short(&a).is_some() { [b, a] } else { [a, b] };
    let is_same = register.in_file() && register.reg == line.defs[0].reg && register.size == 1;
    if let Some(k) = short(&other).filter(|_| is_same) {
        (line.op, line.uses, line.modifiers) = (Op::Sopk(op), Vec::new(), Modifiers::number(k));
    }
}
