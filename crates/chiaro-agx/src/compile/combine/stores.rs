//! One store of what lies side by side: up to four elements of an address, each with a bit of the mask (spec 8.2).
//!
//! ```text
//! device_store i32, x, v1, v0            v3 = collect v1, v2
//! device_store i32, y, v2, v0     ->     device_store i32, xy, v3, v0
//! ```
//!
//! A store moves down to the next one, if nothing between them reads or writes memory.

use chiaro_mach::{Block, Code, Effects, Inst, Op as Mach, Operand};

use super::made::Made;
use crate::compile::code::{GPR, Modifiers, modifiers, operation};
use crate::isa::Op;
use crate::isa::memory::Memory;

/// Memory that accesses of ours are in.
const MEMORY: u16 = Effects::GLOBAL | Effects::BARRIER;

/// A store of a block.
struct Store {
    place: usize,
    address: Vec<Operand>,
    modifiers: Modifiers,
    elements: Vec<Operand>,
}

/// Merges stores.
pub fn stores(code: &mut Code) {
    for block in code.blocks() {
        while merge(code, block) {}
    }
}

fn merge(code: &mut Code, block: Block) -> bool {
    let made = Made::of(code);
    let mut open: Option<Store> = None;
    for (place, &inst) in code.insts(block).to_vec().iter().enumerate() {
        let effects = code.inst(inst).effects;
        if (effects.reads | effects.writes) & (MEMORY | Effects::EXEC) == 0 {
            continue;
        }
        let next = store(code, &made, (place, inst));
        if let (Some(first), Some(second)) = (&open, &next)
            && fits(first, second)
        {
            join(code, block, first, second);
            return true;
        }
        open = next;
    }
    false
}

fn store(code: &Code, made: &Made, (place, inst): (usize, Inst)) -> Option<Store> {
    if operation(code, inst) != Some(Op::Memory(Memory::DeviceStore)) {
        return None;
    }
    let (data, address) = code.uses(inst).split_first()?;
    let modifiers = modifiers(code, inst);
    let count = modifiers.mask.count_ones() as usize;
    let elements = match count {
        1 => vec![*data],
        _ => {
            let collect = made.maker(data.value()?).filter(|&inst| code.op(inst) == Mach::Collect)?;
            let is_plain = data.offset == 0 && made.is_alone(data) && code.uses(collect).len() == count;
            code.uses(collect).to_vec().into_iter().filter(|_| is_plain).collect()
        }
    };
    let address = address.to_vec();
    (elements.len() == count).then_some(Store { place, address, modifiers, elements })
}

fn fits(first: &Store, second: &Store) -> bool {
    let alone = |store: &Store| Modifiers { mask: 0, ..store.modifiers };
    let is_same = first.address == second.address && alone(first) == alone(second);
    is_same && first.modifiers.mask & second.modifiers.mask == 0
}

fn join(code: &mut Code, block: Block, first: &Store, second: &Store) {
    let mut elements: Vec<(u8, Operand)> = Vec::new();
    for store in [first, second] {
        let bits = (0..4).filter(|bit| store.modifiers.mask >> bit & 1 == 1);
        elements.extend(bits.zip(store.elements.iter().copied()));
    }
    elements.sort_by_key(|(bit, _)| *bit);
    let uses: Vec<Operand> = elements.into_iter().map(|(_, used)| used).collect();
    let size: u16 = uses.iter().map(|used| used.size).sum();
    let value = code.value(GPR, size, if uses[0].size == 1 { 1 } else { 2 });
    let whole = code.operand(value);
    let collect = code.make(Mach::Collect, &[whole], &uses);
    let mut insts = code.insts(block).to_vec();
    let store = insts[second.place];
    code.inst_mut(collect).span = code.inst(store).span;
    let all: Vec<Operand> = [whole].into_iter().chain(second.address.iter().copied()).collect();
    code.set_operands(store, &[], &all);
    let mask = first.modifiers.mask | second.modifiers.mask;
    code.inst_mut(store).modifiers = Modifiers { mask, ..second.modifiers }.pack();
    insts.insert(second.place, collect);
    insts.remove(first.place);
    code.block_mut(block).insts = insts;
}
