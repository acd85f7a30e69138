//! One load of what lies side by side: up to four elements of an address, each with a bit of the mask (spec 8.2).
//!
//! ```text
//! v1 = device_load i32, x, v0            v3 = device_load i32, xy, v0
//! v2 = device_load i32, y, v0     ->     v1, v2 = split v3
//! ```
//!
//! A load moves up to the first one, over stores that are known to go elsewhere: other elements of the same address.

use chiaro_mach::{Block, Code, Inst, Made, Op as Mach, Operand, Value};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::neighbours::{MEMORY, Place, place, take, together};
use crate::compile::code::operation;
use crate::isa::Op;
use crate::isa::memory::Memory;

/// A load of a block.
struct Load {
    inst: Inst,
    mask: u8,
    /// Its elements in the order of the mask, and the instruction that takes them apart.
    elements: Vec<Operand>,
    split: Option<Inst>,
}

/// Loads that become the first of them.
#[derive(Default)]
struct Group {
    mask: u8,
    loads: Vec<Load>,
}

impl Group {
    fn add(&mut self, load: Load) {
        self.mask |= load.mask;
        self.loads.push(load);
    }
}

/// Merges loads.
pub fn loads(code: &mut Code) -> bool {
    let (made, mut changed) = (Made::of(code), false);
    for block in code.blocks() {
        let groups = groups(code, &made, block);
        if !groups.is_empty() {
            merge(code, block, groups);
            changed = true;
        }
    }
    changed
}

/// The groups of a block that have several loads.
fn groups(code: &Code, made: &Made, block: Block) -> Vec<Group> {
    let splits = splits(code, block);
    let mut groups: Vec<Group> = Vec::new();
    // The last group of each address, as far as nothing has been written since.
    let mut open: HashMap<Place, usize> = HashMap::default();
    for &inst in code.insts(block) {
        if let Some((at, load)) = load(code, made, &splits, inst) {
            // Where both have an element, one of them is enough, but then nobody would define the other's.
            let known = open.get(&at).copied().filter(|&n| groups[n].mask & load.mask == 0);
            let n = known.unwrap_or(groups.len());
            if known.is_none() {
                groups.push(Group::default());
                open.insert(at, n);
            }
            groups[n].add(load);
        } else if code.inst(inst).effects.writes & MEMORY != 0 {
            let other = place(code, inst).and_then(|(at, mask)| {
                let n = *open.get(&at)?;
                (groups[n].mask & mask == 0).then_some((at, n))
            });
            open = other.into_iter().collect();
        }
    }
    groups.retain(|group| group.loads.len() > 1);
    groups
}

/// By value what takes it apart.
fn splits(code: &Code, block: Block) -> HashMap<Value, Inst> {
    let of = |&inst: &Inst| Some((code.uses(inst).first()?.value()?, inst));
    code.insts(block).iter().filter(|&&inst| code.op(inst) == Mach::Split).filter_map(of).collect()
}

/// A load whose elements are known one by one, and where it goes.
fn load(code: &Code, made: &Made, splits: &HashMap<Value, Inst>, inst: Inst) -> Option<(Place, Load)> {
    if operation(code, inst) != Some(Op::Memory(Memory::DeviceLoad)) {
        return None;
    }
    let &[def] = code.defs(inst) else { return None };
    let value = def.value().filter(|_| def.fixed.is_none())?;
    let (at, mask) = place(code, inst)?;
    if mask.count_ones() == 1 {
        return Some((at, Load { inst, mask, elements: vec![def], split: None }));
    }
    let split = *splits.get(&value)?;
    let elements = code.defs(split).to_vec();
    let is_plain = made.reads(value) == 1 && elements.len() == mask.count_ones() as usize;
    is_plain.then_some((at, Load { inst, mask, elements, split: Some(split) }))
}

fn merge(code: &mut Code, block: Block, groups: Vec<Group>) {
    let (mut gone, mut behind) = (HashSet::default(), HashMap::default());
    for Group { mask, loads } in groups {
        let (elements, whole) =
            together(code, loads.iter().map(|load| (load.mask, load.elements.as_slice())));
        let first = loads[0].inst;
        let uses = code.uses(first).to_vec();
        code.set_operands(first, &[whole], &uses);
        take(code, first, mask);
        let split = code.make(Mach::Split, &elements, &[whole]);
        code.inst_mut(split).span = code.inst(first).span;
        behind.insert(first, split);
        gone.extend(loads.iter().filter_map(|load| load.split));
        gone.extend(loads[1..].iter().map(|load| load.inst));
    }
    let left = code.insts(block).iter().filter(|inst| !gone.contains(inst));
    let insts = left.flat_map(|&inst| [Some(inst), behind.get(&inst).copied()]).flatten().collect();
    code.block_mut(block).insts = insts;
}
