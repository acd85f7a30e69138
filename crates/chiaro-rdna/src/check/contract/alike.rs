//! Masks that all lanes hold alike, each lane the whole mask: so they stand on the stack.
//!
//! ```text
//! scratch_load_dword v1, off, s32 offset:-8
//! v_readfirstlane_b32 s5, v1                  a mask that the function is given
//! ...
//! v_mov_b32 v1, s5                            what it gives back, with the bits of lanes that wait
//! scratch_store_dword off, v1, s32 offset:-8
//! ```
//!
//! A register or a slot holds one where all lanes that came have written it; who writes it while some of them do not run
//! takes it away.

use super::super::step::Step;
use super::code::{Cell, Move, Op, Operand, Origin, Source, bits, is_short};
use crate::regs::file;

/// What all lanes hold in vector registers begins here.
const REGISTERS: Cell = 19_000;
/// The same of slots of the frame.
const SLOTS: Cell = 19_300;
/// One behind the last of those.
const END: Cell = 19_900;

/// The mask in a vector register.
fn of_register(register: u16) -> Cell {
    REGISTERS + register
}

/// The mask in a slot of the frame by its number.
pub(super) fn of_slot(slot: usize) -> Cell {
    SLOTS + slot as u16
}

/// The vector register that a cell is of.
pub(super) fn register_of(cell: Cell) -> Option<u16> {
    (REGISTERS..SLOTS).contains(&cell).then(|| cell - REGISTERS)
}

/// The number of the slot that a cell is of.
pub(super) fn slot_of(cell: Cell) -> Option<usize> {
    (SLOTS..END).contains(&cell).then(|| usize::from(cell - SLOTS))
}

/// What an instruction does to such masks, where all lanes that came run or only some of them.
pub(super) fn written(step: &Step, all_run: bool) -> Vec<Op> {
    let set = |cell, from| Op::Set(cell, Origin::Copy(from));
    let source = |raw: u32| match Source::of(raw, 0) {
        Source::Register(n) => Operand::Cell(n),
        _ => raw.checked_sub(256).map_or(Operand::Anything, |n| Operand::Cell(of_register(n as u16))),
    };
    let from = match step.name {
        "v_mov_b32" if is_short(step) && all_run => source(bits(step, 0, 9)),
        "v_readfirstlane_b32" if all_run => {
            let to = step.writes.iter().find(|(in_file, _)| *in_file == file::SGPR);
            return to.map(|(_, to)| set(*to, source(bits(step, 0, 9)))).into_iter().collect();
        }
        _ => Operand::Anything,
    };
    let registers = step.writes.iter().filter(|(in_file, _)| *in_file == file::VGPR);
    registers.map(|(_, register)| set(of_register(*register), from)).collect()
}

/// A register that goes to a slot, or comes from there; the slot has a number if it is followed.
pub(super) fn moved(one: &Move, slot: Option<usize>, all_run: bool) -> Option<Op> {
    let [slot, register] = [slot.map(of_slot), one.register.map(of_register)];
    let [to, from] = if one.loads { [register, slot] } else { [slot, register] };
    let from = from.filter(|_| all_run).map_or(Operand::Anything, Operand::Cell);
    Some(Op::Set(to?, Origin::Copy(from)))
}
