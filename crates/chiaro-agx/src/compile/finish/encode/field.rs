//! Operands as values of fields.

use chiaro_isa::{Reg, Value};
use chiaro_mach::{Operand, What};

use crate::regs::{file, mods, size};

/// Fields by name.
pub(super) type Fields = Vec<(&'static str, Value)>;

pub(super) fn int(n: impl Into<i64>) -> Value {
    Value::Int(n.into())
}

/// A register, uniform or immediate.
pub(super) fn place(operand: &Operand) -> Value {
    let sized = match operand.size {
        1 => size::HALF,
        2 => size::WORD,
        _ => size::LONG,
    };
    let mods = operand.bits as u16 & (mods::EXTEND | mods::ABS | mods::NEG);
    Value::Reg(match operand.what {
        What::Imm(bits) => Reg { file: file::IMMEDIATE, index: bits as u16, ..Reg::default() },
        What::Slot(half) => {
            Reg { file: file::UNIFORM, size: sized, index: half as u16, mods, ..Reg::default() }
        }
        What::Undef => Reg { file: file::IMMEDIATE, ..Reg::default() },
        _ => Reg { file: file::GPR, size: sized, index: operand.reg.unwrap_or(0), mods, ..Reg::default() },
    })
}

/// Registers one behind the other, as many as a mask has elements.
pub(super) fn run(operand: &Operand, count: u8) -> Value {
    let count = count.max(1);
    let each = operand.size / u16::from(count);
    let sized = if each == 1 { size::HALF } else { size::WORD };
    Value::Reg(Reg {
        file: file::GPR,
        size: sized,
        more: count - 1,
        index: operand.reg.unwrap_or(0),
        ..Reg::default()
    })
}
