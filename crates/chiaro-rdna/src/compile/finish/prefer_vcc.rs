//! Masks in vcc: short forms of comparisons and choices name no other register.
//!
//! ```text
//! s4 = v_cmp_lt_f32 v0, 1.0          vcc = v_cmp_lt_f32 ..
//! v1 = v_cndmask_b32 v2, v3, s4      v1 = v_cndmask_b32 v2, v3, vcc
//! ```
//!
//! Before: registers are allocated; nothing is in vcc but what instructions that know no other mask read. One that is
//! made by lanes and read in its own block alone goes there, as long as no other one is.

use std::collections::HashMap;

use chiaro_mach::{Block, Code, Inst, Op as Mach, Operand, Value, What};

use crate::compile::code::{SCALAR, is_vector, operation};
use crate::isa::Op;
use crate::regs::code::VCC_LO;

/// Where a mask is made and read.
#[derive(Clone, Copy)]
struct Range {
    block: Block,
    first: usize,
    last: usize,
    /// Whether it has one place in one block.
    is_local: bool,
    /// The register that it has everywhere.
    unit: u16,
}

/// Moves masks to vcc.
pub(super) fn prefer_vcc(code: &mut Code, wave: u8) {
    let size = u16::from(wave / 32);
    let ranges = ranges(code, size);
    for block in code.blocks() {
        let mut free = 0;
        let taken = taken(code, block);
        for at in 0..code.insts(block).len() {
            let inst = code.insts(block)[at];
            let Some(value) = made(code, inst, size) else { continue };
            let is_local = |range: &&Range| range.is_local && range.first == at && range.block == block;
            let Some(range) = ranges.get(&value).filter(is_local) else { continue };
            // Calls leave anything in vcc.
            let mut between = code.insts(block)[range.first..=range.last].iter();
            let next = taken.partition_point(|[_, last]| *last < range.first);
            let is_taken = taken.get(next).is_some_and(|[first, _]| *first <= range.last);
            if at < free || is_taken || between.any(|&inst| code.op(inst) == Mach::Call) {
                continue;
            }
            free = range.last;
            (range.first..=range.last).for_each(|n| rename(code, block, n, value));
        }
    }
}

/// Where vcc has been named already: from each instruction that writes it to the last one that reads that, in order.
fn taken(code: &Code, block: Block) -> Vec<[usize; 2]> {
    let is_vcc = |operand: &Operand| {
        operand.what == What::Reg && (operand.file, operand.reg) == (SCALAR, Some(VCC_LO))
    };
    let mut found: Vec<[usize; 2]> = Vec::new();
    for (at, &inst) in code.insts(block).iter().enumerate() {
        if let Some(range) = found.last_mut().filter(|_| code.uses(inst).iter().any(is_vcc)) {
            range[1] = at;
        }
        if code.defs(inst).iter().any(is_vcc) {
            found.push([at, at]);
        }
    }
    found
}

/// The mask that lanes make.
fn made(code: &Code, inst: Inst, size: u16) -> Option<Value> {
    let op = operation(code, inst).filter(|&op| is_vector(op))?;
    let is_mask = |def: &&Operand| def.file == SCALAR && def.size == size && def.value().is_some();
    let is_read_lane = matches!(op, Op::Vop1(_))
        || code.defs(inst).iter().all(|def| def.file == SCALAR) && !matches!(op, Op::Vopc(_));
    code.defs(inst).iter().find(is_mask).filter(|_| !is_read_lane).and_then(Operand::value)
}

/// Where all values of the file are touched.
fn ranges(code: &Code, size: u16) -> HashMap<Value, Range> {
    let mut ranges: HashMap<Value, Range> = HashMap::new();
    for block in code.blocks() {
        for (at, &inst) in code.insts(block).iter().enumerate() {
            let is_machine = operation(code, inst).is_some();
            for operand in code.operands(inst).iter().filter(|o| o.file == SCALAR) {
                let Some(value) = operand.value() else { continue };
                // What a phi takes has no register there: it stands where the block before it ended.
                let unit = operand.reg.unwrap_or(u16::MAX);
                let fresh = Range { block, first: at, last: at, is_local: true, unit };
                let range = ranges.entry(value).or_insert(fresh);
                range.last = at;
                range.is_local &=
                    range.block == block && range.unit == unit && is_machine && operand.size == size;
            }
        }
    }
    ranges
}

fn rename(code: &mut Code, block: Block, at: usize, value: Value) {
    let inst = code.insts(block)[at];
    let put = |operand: &mut Operand| {
        if operand.value() == Some(value) {
            operand.reg = Some(VCC_LO);
        }
    };
    code.defs_mut(inst).iter_mut().for_each(put);
    code.uses_mut(inst).iter_mut().for_each(put);
}
