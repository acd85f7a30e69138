//! One store of what lies side by side: up to four elements of an address, each with a bit of the mask (spec 8.2).
//!
//! ```text
//! device_store i32, x, v1, v0            v3 = collect v1, v2
//! device_store i32, y, v2, v0     ->     device_store i32, xy, v3, v0
//! ```
//!
//! A store moves down to the next one, if nothing between them reads or writes memory, or kills samples.

use chiaro_mach::{Block, Code, Effects, Inst, Made, Op as Mach, Operand};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::neighbours::{MEMORY, Place, place, take, together};
use crate::compile::code::operation;
use crate::isa::Op;
use crate::isa::memory::Memory;

/// Stores come before a sample is killed that they are of (spec 10.4).
const KILLS: u16 = Effects::COVERAGE;

/// A store of a block.
struct Store {
    inst: Inst,
    at: Place,
    mask: u8,
    elements: Vec<Operand>,
}

/// Stores that become the last of them.
struct Run {
    mask: u8,
    stores: Vec<Store>,
}

/// Merges stores.
pub fn stores(code: &mut Code) -> bool {
    let (made, mut changed) = (Made::of(code), false);
    for block in code.blocks() {
        let runs = runs(code, &made, block);
        if !runs.is_empty() {
            merge(code, block, &runs);
            changed = true;
        }
    }
    changed
}

/// Several stores of one address with nothing between them that asks for memory or kills samples.
fn runs(code: &Code, made: &Made, block: Block) -> Vec<Run> {
    let (mut runs, mut is_open): (Vec<Run>, bool) = (Vec::new(), false);
    for &inst in code.insts(block) {
        let effects = code.inst(inst).effects;
        if (effects.reads | effects.writes) & (MEMORY | Effects::EXEC) == 0 && effects.writes & KILLS == 0 {
            continue;
        }
        let next = store(code, made, inst);
        let was_open = std::mem::replace(&mut is_open, next.is_some());
        let Some(store) = next else { continue };
        match runs.last_mut() {
            Some(run) if was_open && run.stores[0].at == store.at && run.mask & store.mask == 0 => {
                run.mask |= store.mask;
                run.stores.push(store);
            }
            _ => runs.push(Run { mask: store.mask, stores: vec![store] }),
        }
    }
    runs.retain(|run| run.stores.len() > 1);
    runs
}

/// A store whose elements are known one by one.
fn store(code: &Code, made: &Made, inst: Inst) -> Option<Store> {
    if operation(code, inst) != Some(Op::Memory(Memory::DeviceStore)) {
        return None;
    }
    let (at, mask) = place(code, inst)?;
    let (data, count) = (code.uses(inst)[0], mask.count_ones() as usize);
    let elements = match count {
        1 => vec![data],
        _ => {
            let collect = made
                .maker(data.value()?)
                .map(|(_, inst)| inst)
                .filter(|&inst| code.op(inst) == Mach::Collect)?;
            let is_plain = data.offset == 0 && made.is_read_once(&data) && code.uses(collect).len() == count;
            code.uses(collect).to_vec().into_iter().filter(|_| is_plain).collect()
        }
    };
    (elements.len() == count).then_some(Store { inst, at, mask, elements })
}

fn merge(code: &mut Code, block: Block, runs: &[Run]) {
    let (mut gone, mut before) = (HashSet::default(), HashMap::default());
    for Run { mask, stores } in runs {
        let Some((last, others)) = stores.split_last() else { continue };
        let (elements, whole) =
            together(code, stores.iter().map(|store| (store.mask, store.elements.as_slice())));
        let collect = code.make(Mach::Collect, &[whole], &elements);
        code.inst_mut(collect).span = code.inst(last.inst).span;
        let uses: Vec<Operand> = [whole].iter().chain(&last.at.0).copied().collect();
        code.set_operands(last.inst, &[], &uses);
        take(code, last.inst, *mask);
        before.insert(last.inst, collect);
        gone.extend(others.iter().map(|store| store.inst));
    }
    let left = code.insts(block).iter().filter(|inst| !gone.contains(inst));
    let insts = left.flat_map(|&inst| [before.get(&inst).copied(), Some(inst)]).flatten().collect();
    code.block_mut(block).insts = insts;
}
