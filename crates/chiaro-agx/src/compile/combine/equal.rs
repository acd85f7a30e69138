//! One of what is computed twice.
//!
//! ```text
//! v2 = iadd v0, v1                 v2 = iadd v0, v1
//! v3 = iadd v0, v1          ->     device_store v2, ...
//! device_store v3, ...
//! ```
//!
//! An instruction is replaced by an equal one that all lanes have come by: it stands before in the same block, or in
//! one that dominates it. Numbers and copies are made where they are wanted: they would only hold registers.

use std::hash::BuildHasher;

use chiaro_mach::{Block, Code, Effects, Graph, Inst, Op as Mach, Operand, Value, What};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::compile::code::table::COPY;
use crate::compile::code::{modifiers, operation};
use crate::isa::Op;
use crate::isa::integer::Integer;
use crate::isa::memory::Memory;
use crate::regs::COVERAGE;

/// What makes two instructions equal: operation, modifiers, size of the result, operands.
type Key<'a> = (Mach, u64, u16, &'a [Operand]);

/// What was computed so far.
#[derive(Default)]
struct Known {
    /// By hash of their keys: the last instruction.
    last: FxHashMap<u64, usize>,
    list: Vec<Entry>,
}

struct Entry {
    block: Block,
    inst: Inst,
    /// The one before of the same hash.
    before: Option<usize>,
}

impl Known {
    /// An instruction that computes the same in a block that another one is behind of; that one is known from here on
    /// where there is none.
    fn find(
        &mut self,
        code: &Code,
        (block, inst): (Block, Inst),
        dominators: &[Option<Block>],
    ) -> Option<Inst> {
        let hash = FxBuildHasher.hash_one(key(code, inst));
        let last = self.last.get(&hash).copied();
        let mut at = last;
        while let Some(entry) = at.map(|n| &self.list[n]) {
            if key(code, entry.inst) == key(code, inst) && dominates(dominators, entry.block, block) {
                return Some(entry.inst);
            }
            at = entry.before;
        }
        self.last.insert(hash, self.list.len());
        self.list.push(Entry { block, inst, before: last });
        None
    }
}

/// Computes once what is computed twice.
pub fn equal(code: &mut Code) -> bool {
    let mut known = Known::default();
    let mut instead: Vec<Option<Value>> = vec![None; code.value_count()];
    let mut dominators: Vec<Option<Block>> = vec![None; code.block_count()];
    let loads = !writes(code);
    for block in code.blocks() {
        dominators[block.0 as usize] = dominator(code, block, &dominators);
        for inst in code.insts(block).to_vec() {
            rename(code, inst, &instead);
            let Some(value) = computed(code, inst, loads) else { continue };
            if let Some(other) = known.find(code, (block, inst), &dominators) {
                instead[value.0 as usize] = code.defs(other).first().and_then(Operand::value);
            }
        }
    }
    let changed = instead.iter().any(Option::is_some);
    for block in code.blocks().filter(|_| changed) {
        for inst in code.insts(block).to_vec() {
            rename(code, inst, &instead);
        }
    }
    changed
}

fn rename(code: &mut Code, inst: Inst, instead: &[Option<Value>]) {
    for used in code.uses_mut(inst) {
        if let Some(other) = used.value().and_then(|value| instead[value.0 as usize]) {
            used.what = What::Value(other);
        }
    }
}

/// Whether code writes memory, or waits for others that do.
fn writes(code: &Code) -> bool {
    let mut insts = code.blocks().flat_map(|block| code.insts(block));
    insts.any(|&inst| code.inst(inst).effects.writes & (Effects::GLOBAL | Effects::BARRIER) != 0)
}

fn key(code: &Code, inst: Inst) -> Key<'_> {
    let size = code.defs(inst).first().map_or(0, |def| def.size);
    (code.op(inst), code.inst(inst).modifiers, size, code.uses(inst))
}

/// The result of an instruction that only computes, or that `loads` what stays the same.
fn computed(code: &Code, inst: Inst, loads: bool) -> Option<Value> {
    let effects = code.inst(inst).effects;
    let &[def] = code.defs(inst) else { return None };
    let value = def.value().filter(|_| def.fixed.is_none())?;
    let is_pure = effects.reads & !Effects::GLOBAL == 0 && effects.writes == 0;
    let computes = match operation(code, inst)? {
        Op::Memory(Memory::DeviceLoad) => loads,
        Op::Integer(Integer::GetSr) => !COVERAGE.contains(&modifiers(code, inst).number),
        op => matches!(op, Op::Integer(_) | Op::Float(_)),
    };
    (is_pure && computes && !is_cheap(code, inst)).then_some(value)
}

/// Numbers and copies.
fn is_cheap(code: &Code, inst: Inst) -> bool {
    match operation(code, inst) {
        Some(Op::Integer(Integer::MovImm)) => true,
        Some(Op::Integer(Integer::Bitop)) => modifiers(code, inst).table == COPY,
        _ => false,
    }
}

/// The block behind all ways to another one, as far as they are known: ways back come later.
fn dominator(code: &Code, block: Block, known: &[Option<Block>]) -> Option<Block> {
    let preds = &code.block_data(block).edges(Graph::Logical).preds;
    let mut before = preds.iter().copied().filter(|pred| pred.0 < block.0);
    let first = before.next()?;
    before.try_fold(first, |a, b| common(known, a, b))
}

fn common(known: &[Option<Block>], mut a: Block, mut b: Block) -> Option<Block> {
    while a != b {
        let later = if a.0 > b.0 { &mut a } else { &mut b };
        *later = known[later.0 as usize]?;
    }
    Some(a)
}

fn dominates(known: &[Option<Block>], above: Block, mut block: Block) -> bool {
    while block.0 > above.0 {
        match known[block.0 as usize] {
            Some(next) => block = next,
            None => return false,
        }
    }
    block == above
}
