//! Accesses of one address that differ in the elements they take: what loads and stores are merged by.

use chiaro_mach::{Code, Effects, Inst, Operand};

use crate::compile::code::{GPR, Modifiers, modifiers, operation};
use crate::isa::Op;
use crate::isa::memory::Memory;

/// Memory that accesses of ours are in.
pub(super) const MEMORY: u16 = Effects::GLOBAL | Effects::BARRIER;

/// An address, and everything else but the elements that an access takes there.
pub(super) type Place = (Vec<Operand>, u64);

/// Where a load or a store goes, and the bits of its elements; the value of a store is no part of that.
pub(super) fn place(code: &Code, inst: Inst) -> Option<(Place, u8)> {
    let value = match operation(code, inst)? {
        Op::Memory(Memory::DeviceLoad) => 0,
        Op::Memory(Memory::DeviceStore) => 1,
        _ => return None,
    };
    let own = modifiers(code, inst);
    let others = Modifiers { mask: 0, ..own };
    Some(((code.uses(inst).get(value..)?.to_vec(), others.pack()), own.mask))
}

/// The elements of several accesses in the order of their bits, and a value of all of them.
pub(super) fn together<'a>(
    code: &mut Code,
    accesses: impl Iterator<Item = (u8, &'a [Operand])>,
) -> (Vec<Operand>, Operand) {
    let bits = |mask: u8| (0..u8::BITS).filter(move |bit| mask >> bit & 1 == 1);
    let mut elements: Vec<(u32, Operand)> =
        accesses.flat_map(|(mask, elements)| bits(mask).zip(elements.iter().copied())).collect();
    elements.sort_by_key(|(bit, _)| *bit);
    let elements: Vec<Operand> = elements.into_iter().map(|(_, element)| element).collect();
    let size = elements.iter().map(|element| element.size).sum();
    let value = code.value(GPR, size, if elements[0].size == 1 { 1 } else { 2 });
    (elements, code.operand(value))
}

/// Gives an instruction the elements of a mask.
pub(super) fn take(code: &mut Code, inst: Inst, mask: u8) {
    let own = modifiers(code, inst);
    code.inst_mut(inst).modifiers = Modifiers { mask, ..own }.pack();
}
