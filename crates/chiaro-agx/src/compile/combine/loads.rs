//! One load of what lies side by side: up to four elements of an address, each with a bit of the mask (spec 8.2).
//!
//! ```text
//! v1 = device_load i32, x, v0            v3 = device_load i32, xy, v0
//! v2 = device_load i32, y, v0     ->     v1, v2 = split v3
//! ```
//!
//! A load moves up to the first one, over stores that are known to go elsewhere: other elements of the same address.

use chiaro_mach::{Block, Code, Effects, Inst, Op as Mach, Operand, Value};

use super::made::Made;
use crate::compile::code::{GPR, Modifiers, modifiers, operation};
use crate::isa::Op;
use crate::isa::memory::Memory;

/// A load of a block.
struct Load {
    place: usize,
    uses: Vec<Operand>,
    modifiers: Modifiers,
    /// Its elements in the order of the mask, and the instruction that takes them apart.
    elements: Vec<Operand>,
    split: Option<Inst>,
}

/// Memory that accesses of ours are in.
const MEMORY: u16 = Effects::GLOBAL | Effects::BARRIER;

/// Merges loads.
pub fn loads(code: &mut Code) {
    for block in code.blocks() {
        while merge(code, block) {}
    }
}

/// Merges two loads of a block; whether there were two.
fn merge(code: &mut Code, block: Block) -> bool {
    let made = Made::of(code);
    let insts = code.insts(block).to_vec();
    let readers = splits(code, &insts);
    let mut open: Vec<Load> = Vec::new();
    for (place, &inst) in insts.iter().enumerate() {
        if let Some(load) = load(code, &made, &readers, (place, inst)) {
            if let Some(first) = open.iter().find(|first| fits(first, &load)) {
                join(code, block, first, &load);
                return true;
            }
            open.push(load);
        } else if code.inst(inst).effects.writes & MEMORY != 0 {
            open.retain(|load| is_elsewhere(code, inst, &load.uses, load.modifiers));
        }
    }
    false
}

/// By value what takes it apart, where that is the only one that reads it.
fn splits(code: &Code, insts: &[Inst]) -> Vec<(Value, Inst)> {
    let of = |&inst: &Inst| Some((code.uses(inst).first()?.value()?, inst));
    insts.iter().filter(|&&inst| code.op(inst) == Mach::Split).filter_map(of).collect()
}

fn load(code: &Code, made: &Made, splits: &[(Value, Inst)], (place, inst): (usize, Inst)) -> Option<Load> {
    if operation(code, inst) != Some(Op::Memory(Memory::DeviceLoad)) {
        return None;
    }
    let &[def] = code.defs(inst) else { return None };
    let modifiers = modifiers(code, inst);
    let (value, count) = (def.value().filter(|_| def.fixed.is_none())?, modifiers.mask.count_ones() as u16);
    let of = |(elements, split)| Load { place, uses: code.uses(inst).to_vec(), modifiers, elements, split };
    if count == 1 {
        return Some(of((vec![def], None)));
    }
    let split = splits.iter().find(|(other, _)| *other == value).map(|&(_, split)| split)?;
    let is_plain = made.count(value) == 1 && code.defs(split).len() == usize::from(count);
    is_plain.then(|| of((code.defs(split).to_vec(), Some(split))))
}

/// Whether two loads are of one address. Where both have an element, one of them is enough, but then nobody would
/// define the other's.
fn fits(first: &Load, second: &Load) -> bool {
    let alone = |load: &Load| Modifiers { mask: 0, ..load.modifiers };
    let is_same = first.uses == second.uses && alone(first) == alone(second);
    is_same && first.modifiers.mask & second.modifiers.mask == 0
}

/// Whether a write is a store to other elements of an address.
pub(super) fn is_elsewhere(code: &Code, inst: Inst, address: &[Operand], of: Modifiers) -> bool {
    let own = modifiers(code, inst);
    operation(code, inst) == Some(Op::Memory(Memory::DeviceStore))
        && code.uses(inst)[1..] == *address
        && Modifiers { mask: of.mask, ..own } == of
        && own.mask & of.mask == 0
}

fn join(code: &mut Code, block: Block, first: &Load, second: &Load) {
    let mut elements: Vec<(u8, Operand)> = Vec::new();
    for load in [first, second] {
        let bits = (0..4).filter(|bit| load.modifiers.mask >> bit & 1 == 1);
        elements.extend(bits.zip(load.elements.iter().copied()));
    }
    elements.sort_by_key(|(bit, _)| *bit);
    let defs: Vec<Operand> = elements.into_iter().map(|(_, def)| def).collect();
    let size: u16 = defs.iter().map(|def| def.size).sum();
    let value = code.value(GPR, size, if defs[0].size == 1 { 1 } else { 2 });
    let whole = code.operand(value);
    let mut insts = code.insts(block).to_vec();
    let load = insts[first.place];
    code.set_operands(load, &[whole], &first.uses);
    let mask = first.modifiers.mask | second.modifiers.mask;
    code.inst_mut(load).modifiers = Modifiers { mask, ..first.modifiers }.pack();
    let split = code.make(Mach::Split, &defs, &[whole]);
    code.inst_mut(split).span = code.inst(load).span;
    insts[second.place] = split;
    let gone = [first.split, second.split];
    let moved = insts.remove(second.place);
    insts.insert(first.place + 1, moved);
    insts.retain(|&inst| !gone.contains(&Some(inst)));
    code.block_mut(block).insts = insts;
}
