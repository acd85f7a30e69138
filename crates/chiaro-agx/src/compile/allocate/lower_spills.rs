//! Spills and reloads become stores to and loads from the thread's own memory (spec 8.6).
//!
//! ```text
//!                      stack_adjust 16
//! m4 = spill r8   ->   stack_store r4, 8
//! r8 = reload m4       stack_load r4, 8
//! ```
//!
//! Before: allocated, copies lowered. After: no operand is in memory, and the words that variables and spills take
//! are taken at the start, and given back at the end of what runs for each sample.

use chiaro_mach::{Code, Inst, Op as Mach, Operand};

use crate::compile::code::{GPR, Modifiers, STACK, effects, format};
use crate::isa::Op;
use crate::isa::memory::Memory;

/// Elements that an instruction moves at most.
const MOST: u16 = 4;
/// Words that the machine wants beyond what is used (spec 8.6).
const EXTRA_WORDS: u32 = 10;

/// Words of the stack for so many bytes.
#[must_use]
pub fn stack_words(bytes: u32) -> u32 {
    if bytes == 0 { 0 } else { (bytes.div_ceil(4) + EXTRA_WORDS).next_multiple_of(4) }
}

/// Lowers spills and reloads, which lie from byte `first` on; `bytes` are taken in all. What runs again, as for the next
/// sample, gives back what it has taken (spec 14.3).
pub fn lower_spills(code: &mut Code, first: u32, bytes: u32, runs_again: bool) {
    for block in code.blocks() {
        let old = std::mem::take(&mut code.block_mut(block).insts);
        let mut new = Vec::with_capacity(old.len());
        for inst in old {
            match code.op(inst) {
                Mach::Spill | Mach::Reload => transfer(code, inst, first, &mut new),
                _ => new.push(inst),
            }
        }
        code.block_mut(block).insts = new;
    }
    let Some(entry) = code.blocks().next().filter(|_| bytes > 0) else { return };
    let words = u64::from(stack_words(bytes));
    let begin = adjust(code, words);
    let heads = code.insts(entry).iter().take_while(|&&inst| code.op(inst) == Mach::Start).count();
    code.block_mut(entry).insts.insert(heads, begin);
    if runs_again {
        give_back(code, words);
    }
}

/// Gives words back before each end.
fn give_back(code: &mut Code, words: u64) {
    for block in code.blocks() {
        if let Some(at) = code.insts(block).iter().position(|&inst| code.op(inst) == Mach::Return) {
            let end = adjust(code, words.wrapping_neg());
            code.block_mut(block).insts.insert(at, end);
        }
    }
}

/// Takes words of the stack; gives them back where they are negative.
fn adjust(code: &mut Code, words: u64) -> Inst {
    machine(code, Memory::StackAdjust, &[], &[Operand::imm(words)], Modifiers::default())
}

/// Makes the instructions that carry the registers of a spill or reload, some at a time: as words where all begin at
/// even halves.
fn transfer(code: &mut Code, inst: Inst, first: u32, new: &mut Vec<Inst>) {
    let (def, used, span) = (code.defs(inst)[0], code.uses(inst)[0], code.inst(inst).span);
    let is_store = def.file == STACK;
    let (memory, register) = if is_store { (def, used) } else { (used, def) };
    let [place, unit] = [memory, register].map(|operand| operand.reg.unwrap_or(0));
    let is_even = [place, unit, register.size].iter().all(|n| n.is_multiple_of(2));
    let (element, kind) = if is_even { (2, format::I32) } else { (1, format::I16) };
    for part in (0..register.size).step_by(usize::from(MOST * element)) {
        let size = (MOST * element).min(register.size - part);
        let data = Operand::reg(GPR, unit + part, size).bits(u32::from(element));
        let offset = Operand::imm(u64::from(first + 2 * u32::from(place + part)));
        let modifiers =
            Modifiers { format: kind, mask: ((1 << (size / element)) - 1) as u8, ..Modifiers::default() };
        let made = match is_store {
            true => machine(code, Memory::StackStore, &[], &[data, offset], modifiers),
            false => machine(code, Memory::StackLoad, &[data], &[offset], modifiers),
        };
        code.inst_mut(made).span = span;
        new.push(made);
    }
}

fn machine(code: &mut Code, op: Memory, defs: &[Operand], uses: &[Operand], modifiers: Modifiers) -> Inst {
    let op = Op::Memory(op);
    let inst = code.make(Mach::Machine(op.row().into()), defs, uses);
    let data = code.inst_mut(inst);
    (data.modifiers, data.effects) = (modifiers.pack(), effects(op));
    inst
}
