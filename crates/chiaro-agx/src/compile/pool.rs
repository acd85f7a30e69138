//! Numbers that instructions cannot hold themselves: in uniforms that are filled once, as far as there are some.
//!
//! ```text
//! r1 = iadd r0, number 7           r1 = iadd r0, u12        (u12 has the number 7, one that is read often)
//! r2 = xor  r1, number 8     ->    r3 = mov_imm 0x428a2f98
//!                                  r2 = xor r1, r3          (no uniform was left)
//! ```

use std::cmp::Reverse;

use chiaro_diag::Diagnostic;
use chiaro_mach::{Code, Inst, Op as Mach, Operand, What};

use super::code::{GPR, POOL, UNIFORM};
use super::select::{Selected, too_many};
use crate::isa::Op;
use crate::isa::integer::Integer;
use crate::regs::UNIFORM_HALVES;

/// Gives the numbers of the pool their uniforms, those that are read most often first, and makes the others where they
/// are read; what uniforms hold from a half on.
///
/// # Errors
/// What stands in uniforms for other reasons is more than there is.
pub(super) fn fill_pool(selected: &mut Selected) -> Result<Vec<(u16, Vec<u8>)>, Vec<Diagnostic>> {
    if selected.first_free > UNIFORM_HALVES {
        return Err(vec![too_many(selected.first_free, UNIFORM_HALVES)]);
    }
    let first = selected.first_free.next_multiple_of(2);
    let mut all = [Some(&mut selected.code), selected.preamble.as_mut()];
    let (places, bytes) = layout(&selected.pool, &reads(&all, selected.pool.len()), first);
    for code in all.iter_mut().flatten() {
        let number = |slot: u32| selected.pool[(slot - POOL) as usize].0;
        make_others(code, &places, number);
    }
    Ok(if bytes.is_empty() { Vec::new() } else { vec![(first, bytes)] })
}

/// How often each number is read.
fn reads(all: &[Option<&mut Code>], count: usize) -> Vec<u32> {
    let mut reads = vec![0; count];
    for code in all.iter().flatten() {
        let insts = code.blocks().flat_map(|block| code.insts(block));
        let numbers = insts.flat_map(|inst| code.uses(*inst)).filter_map(pooled);
        numbers.for_each(|number| reads[(number - POOL) as usize] += 1);
    }
    reads
}

/// The number that an operand is.
fn pooled(operand: &Operand) -> Option<u32> {
    match operand.what {
        What::Slot(slot @ POOL..) if operand.file == UNIFORM => Some(slot),
        _ => None,
    }
}

/// The halves of those numbers that have some, words before halves, and the bytes that stand there.
fn layout(pool: &[(u64, u16)], reads: &[u32], first: u16) -> (Vec<Option<u16>>, Vec<u8>) {
    let mut order: Vec<usize> = (0..pool.len()).filter(|&n| reads[n] > 0).collect();
    let room = UNIFORM_HALVES.saturating_sub(first);
    if order.iter().map(|&n| u32::from(pool[n].1)).sum::<u32>() > room.into() {
        order.sort_by_key(|&n| Reverse(reads[n]));
        let sums = order.iter().scan(0, |sum, &n| {
            *sum += u32::from(pool[n].1);
            Some(*sum)
        });
        let fitting = sums.take_while(|&sum| sum <= room.into()).count();
        order.truncate(fitting);
        order.sort_unstable();
    }
    order.sort_by_key(|&n| Reverse(pool[n].1));
    let (mut places, mut next, mut bytes) = (vec![None; pool.len()], first, Vec::new());
    for n in order {
        let (bits, size) = pool[n];
        places[n] = Some(next);
        next += size;
        bytes.extend_from_slice(&bits.to_le_bytes()[..2 * usize::from(size)]);
    }
    (places, bytes)
}

/// Writes the places of numbers into code; before an instruction that reads one without a place stands a move.
fn make_others(code: &mut Code, places: &[Option<u16>], number: impl Fn(u32) -> u64) {
    for block in code.blocks() {
        let mut insts = Vec::with_capacity(code.insts(block).len());
        for inst in code.insts(block).to_vec() {
            for n in 0..code.uses(inst).len() {
                let Some(slot) = pooled(&code.uses(inst)[n]) else { continue };
                match places[(slot - POOL) as usize] {
                    Some(half) => code.uses_mut(inst)[n].what = What::Slot(half.into()),
                    None => insts.push(made(code, inst, n, number(slot))),
                }
            }
            insts.push(inst);
        }
        code.block_mut(block).insts = insts;
    }
}

/// The move of a number into a register that an instruction reads instead.
fn made(code: &mut Code, reader: Inst, n: usize, bits: u64) -> Inst {
    let size = code.uses(reader)[n].size;
    let value = code.value(GPR, size, size as u8);
    let def = code.operand(value);
    let used = &mut code.uses_mut(reader)[n];
    (used.what, used.file) = (What::Value(value), GPR);
    let inst =
        code.make(Mach::Machine(Op::Integer(Integer::MovImm).row().into()), &[def], &[Operand::imm(bits)]);
    let span = code.inst(reader).span;
    let data = code.inst_mut(inst);
    (data.remat, data.span) = (true, span);
    inst
}
