//! The operands of one instruction in the file that is allocated, and the numbers that stand for no register and
//! no value.

use crate::code::Value;
use crate::operand::Operand;

/// No register: the value is in its slot, or not alive.
pub(super) const NOWHERE: u16 = u16::MAX;
/// Occupant of a free unit.
pub(super) const NOBODY: u32 = u32::MAX;

/// An operand of the instruction that is a value of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mine {
    pub(super) operand: Operand,
    /// Its number among the definitions, or among the uses.
    pub(super) number: usize,
    pub(super) value: Value,
    /// Where the value is used after this instruction.
    pub(super) next: u32,
}

/// Operands of one instruction in the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Operands {
    pub(super) defs: Vec<Mine>,
    pub(super) uses: Vec<Mine>,
}

/// Lists that one instruction after the other is worked on with.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    /// What is read last here, with its places.
    pub(super) dying: Vec<(Value, u16)>,
    /// Places of results, as far as they are found.
    pub(super) places: Vec<Option<u16>>,
}
