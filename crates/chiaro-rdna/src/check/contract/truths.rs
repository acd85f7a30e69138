//! Truth values that travel in vector registers: 0, or something else, in each lane.
//!
//! A mask that a function is given may go through a register on its way, with those of the lanes that wait:
//!
//! ```text
//! v_cndmask_b32 v0, 0, 1, s[22:23]       all lanes
//! ...                                    lanes that run write v0, those that wait keep it
//! v_cmp_ne_u32 s[22:23], 0, v0           all lanes again
//! ```
//!
//! So the lanes in which a register is not 0 are a mask of their own, and those of the slots that it is stored in.

use super::super::step::Step;
use super::code::{Cell, How, Move, Op, Operand, Origin, bits, is_plain, is_short, sources};
use crate::regs::{code, file};

/// Lanes in which vector registers are not 0 begin here, by halves.
pub(super) const TRUTHS: Cell = 17_000;
/// The same of slots of the frame.
pub(super) const OF_SLOTS: Cell = 18_000;
/// One behind these.
const END: Cell = 19_000;
/// What a step computes on the way, two of each half.
const ON_THE_WAY: Cell = 19_990;

/// The code of the number 0 as a source, and behind the last whole number (spec section 3.1).
const ZERO: u32 = 128;
const NUMBERS: std::ops::Range<u32> = 129..209;

/// What an instruction leaves in a register: not 0 where the other mask is 1, and else where the first one is.
#[derive(Clone, Copy)]
struct Chosen {
    no: Operand,
    yes: Operand,
    mask: Operand,
}

/// The lanes of a half in which a vector register is not 0.
fn of_register(register: u16, half: u16) -> Cell {
    TRUTHS + register * 2 + half
}

/// The same of a slot of the frame by its number.
fn of_slot(slot: usize, half: u16) -> Cell {
    OF_SLOTS + slot as u16 * 2 + half
}

/// Whether a cell is one of a register or a slot.
pub(super) fn is_of_lanes(cell: Cell) -> bool {
    (TRUTHS..END).contains(&cell)
}

/// The vector register that a cell is about.
pub(super) fn register_of(cell: Cell) -> Option<u16> {
    (TRUTHS..OF_SLOTS).contains(&cell).then(|| (cell - TRUTHS) / 2)
}

/// The number of the slot that a cell is about.
pub(super) fn slot_of(cell: Cell) -> Option<usize> {
    (OF_SLOTS..END).contains(&cell).then(|| usize::from(cell - OF_SLOTS) / 2)
}

/// The lanes in which a source is not 0.
fn source(raw: u32, half: u16) -> Operand {
    match raw {
        ZERO => Operand::None,
        raw if NUMBERS.contains(&raw) => Operand::All,
        256.. => Operand::Cell(of_register(raw as u16 - 256, half)),
        _ => Operand::Anything,
    }
}

/// The same where nothing is chosen.
fn copied(from: Operand) -> Chosen {
    Chosen { no: from, yes: from, mask: Operand::None }
}

/// What an instruction does to truth values in the registers that it writes.
pub(super) fn written(step: &Step, half: u16) -> Vec<Op> {
    let to = bits(step, if is_short(step) { 17 } else { 0 }, 8) as u16;
    match step.name {
        "v_mov_b32" if is_short(step) => {
            change(of_register(to, half), copied(source(bits(step, 0, 9), half)), half)
        }
        "v_swap_b32" => swapped([to, bits(step, 0, 9) as u16 & 255], half),
        "v_cndmask_b32" if is_plain(step) => change(of_register(to, half), chosen(step, half), half),
        _ => {
            let all = step.writes.iter().filter(|(in_file, _)| *in_file == file::VGPR);
            let anything = copied(Operand::Anything);
            all.flat_map(|(_, register)| change(of_register(*register, half), anything, half)).collect()
        }
    }
}

/// Two registers that change places.
fn swapped(both: [u16; 2], half: u16) -> Vec<Op> {
    let ([a, b], kept) = (both.map(|register| of_register(register, half)), ON_THE_WAY + half + 2);
    let mut ops = vec![Op::Set(kept, Origin::Copy(Operand::Cell(a)))];
    ops.extend(change(a, copied(Operand::Cell(b)), half));
    ops.extend(change(b, copied(Operand::Cell(kept)), half));
    ops
}

/// What `v_cndmask_b32` chooses.
fn chosen(step: &Step, half: u16) -> Chosen {
    let [no, yes] = sources(step);
    let mask = if is_short(step) { code::VCC_LO.into() } else { bits(step, 50, 9) };
    let mask = if mask < 128 { Operand::Cell(mask as u16 + half) } else { Operand::Anything };
    Chosen { no: source(no, half), yes: source(yes, half), mask }
}

/// A comparison with 0: the scalars that it writes are the lanes in which a register is not 0, or is.
pub(super) fn tested(step: &Step, half: u16) -> Option<Op> {
    let how = match step.name {
        "v_cmp_ne_u32" | "v_cmp_ne_i32" => How::And,
        "v_cmp_eq_u32" | "v_cmp_eq_i32" => How::AndNot,
        _ => return None,
    };
    let [a, b] = sources(step);
    let other = if a == ZERO { b } else { (b == ZERO).then_some(a)? };
    let mut scalars = step.writes.iter().filter(|(in_file, _)| *in_file == file::SGPR);
    let (_, to) = scalars.nth(half.into())?;
    let exec = Operand::Cell(code::EXEC_LO + half);
    Some(Op::Set(*to, Origin::Of(how, exec, source(other, half))))
}

/// A register that goes to a slot, or comes from there; the slot has a number if it is followed.
pub(super) fn moved(one: &Move, slot: Option<usize>, half: u16) -> Vec<Op> {
    let [slot, register] =
        [slot.map(|slot| of_slot(slot, half)), one.register.map(|register| of_register(register, half))];
    let [to, from] = if one.loads { [register, slot] } else { [slot, register] };
    let from = copied(from.map_or(Operand::Anything, Operand::Cell));
    to.map_or_else(Vec::new, |to| change(to, from, half))
}

/// Lanes that run have something new, the others what they had.
fn change(to: Cell, Chosen { no, yes, mask }: Chosen, half: u16) -> Vec<Op> {
    let [first, second] = [half, half + 2].map(|n| ON_THE_WAY + n);
    let set = |cell, how, a, b| Op::Set(cell, Origin::Of(how, a, b));
    let exec = Operand::Cell(code::EXEC_LO + half);
    let [new, other] = [first, second].map(Operand::Cell);
    let mut ops = match mask {
        Operand::None => vec![Op::Set(first, Origin::Copy(no))],
        mask => vec![
            set(first, How::And, yes, mask),
            set(second, How::AndNot, no, mask),
            set(first, How::Or, new, other),
        ],
    };
    ops.extend([
        set(first, How::And, new, exec),
        set(to, How::AndNot, Operand::Cell(to), exec),
        set(to, How::Or, Operand::Cell(to), new),
    ]);
    ops
}
