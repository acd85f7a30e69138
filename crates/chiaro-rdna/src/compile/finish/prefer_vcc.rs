//! Masks in vcc: short forms of comparisons and choices name no other register.
//!
//! ```text
//! s4 = v_cmp_lt_f32 v0, 1.0          vcc = v_cmp_lt_f32 ..
//! v1 = v_cndmask_b32 v2, v3, s4      v1 = v_cndmask_b32 v2, v3, vcc
//! ```
//!
//! Before: registers are allocated; nothing is in vcc. A mask that is made by lanes and read in its own block alone
//! goes there, as long as no other one is. That nobody else reads a mask its register tells, the value does not: what
//! has one register on both sides of a phi or a copy needs no instruction there.

use std::collections::HashMap;

use chiaro_mach::{Block, Code, Inst, Op as Mach, Operand, Value};

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
    let leaving = leaving(code);
    for (block, leaving) in code.blocks().zip(leaving) {
        let mut free = 0;
        let behind = behind(code, block, leaving);
        for at in 0..code.insts(block).len() {
            let inst = code.insts(block)[at];
            let Some(value) = made(code, inst, size) else { continue };
            let is_local = |range: &&Range| range.is_local && range.first == at && range.block == block;
            let Some(range) = ranges.get(&value).filter(is_local) else { continue };
            // Who reads it last may put something else there.
            let last = code.insts(block)[range.last];
            let anew = if range.last > at { touched(code, last)[0] } else { 0 };
            let is_read = behind[range.last] & !anew & units(range.unit, size) != 0;
            // Calls leave anything in vcc.
            let mut between = code.insts(block)[range.first..=range.last].iter();
            if at < free || is_read || between.any(|&inst| code.op(inst) == Mach::Call) {
                continue;
            }
            free = range.last;
            (range.first..=range.last).for_each(|n| rename(code, block, n, value));
        }
    }
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
                let (Some(value), Some(unit)) = (operand.value(), operand.reg) else { continue };
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

/// Scalar registers by their codes.
fn units(first: u16, size: u16) -> u128 {
    (first..first + size).filter(|&unit| unit < 128).fold(0, |all, unit| all | 1 << unit)
}

/// Scalar registers among operands.
fn scalars(operands: &[Operand]) -> u128 {
    let all = operands.iter().filter(|operand| operand.file == SCALAR);
    all.filter_map(|operand| Some(units(operand.reg?, operand.size))).fold(0, |all, units| all | units)
}

/// Scalar registers that an instruction writes and reads. Behind a phi stands what the blocks before it left.
fn touched(code: &Code, inst: Inst) -> [u128; 2] {
    match code.op(inst) {
        Mach::Phi => [0, 0],
        _ => [scalars(code.defs(inst)), scalars(code.uses(inst))],
    }
}

/// By instruction of a block: scalar registers that are read behind it before anything is written to them.
fn behind(code: &Code, block: Block, leaving: u128) -> Vec<u128> {
    let insts = code.insts(block);
    let mut all = vec![leaving; insts.len()];
    let mut read = leaving;
    for (n, &inst) in insts.iter().enumerate().rev() {
        all[n] = read;
        let [defs, uses] = touched(code, inst);
        read = read & !defs | uses;
    }
    all
}

/// By block: scalar registers that are read behind it before anything is written to them.
fn leaving(code: &Code) -> Vec<u128> {
    let effect = |block: Block| {
        let insts = code.insts(block).iter().rev();
        insts.fold((0, 0), |(read, written), &inst| {
            let [defs, uses] = touched(code, inst);
            (read & !defs | uses, written | defs)
        })
    };
    let blocks: Vec<(Block, (u128, u128))> = code.blocks().map(|block| (block, effect(block))).collect();
    let mut leaving = vec![0; blocks.len()];
    let mut entering = vec![0; blocks.len()];
    let mut grows = true;
    while grows {
        grows = false;
        for &(block, (read, written)) in blocks.iter().rev() {
            let at = block.0 as usize;
            leaving[at] =
                code.block_data(block).linear.succs.iter().fold(0, |all, to| all | entering[to.0 as usize]);
            let before = read | leaving[at] & !written;
            grows |= before != entering[at];
            entering[at] = before;
        }
    }
    leaving
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
