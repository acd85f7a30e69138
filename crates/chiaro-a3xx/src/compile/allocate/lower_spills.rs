//! Spills and reloads become stores to and loads from private memory.
//!
//! ```text
//!                         mov r47.w, 64
//! m3 = spill r4     ->    stp p[r47.w + 12], r4, 1
//! r4 = reload m3          ldp r4, p[r47.w + 12], 1
//! ```
//!
//! A word of memory is kept for each register of either size; halves of a vector stand side by side in it, as
//! an instruction of 16 bits moves them. An address stands in a register: the last one is kept for it, and holds from the start on where the memory of
//! spills begins, behind that of variables.
//!
//! Before: allocated, copies lowered, [`SPILL_ADDRESS`] kept free. After: no operand is in [`MEMORY`].

use chiaro_mach::{Code, Inst, Op as Mach, Operand};

use crate::compile::code::{FULL, HALF, MEMORY, Modifiers, SPILL_ADDRESS, effects, types};
use crate::isa::Op;

/// Bytes of memory that are kept for a register.
const BYTES: u16 = 4;
/// Registers that an instruction moves at most.
const MOST: u16 = 4;

/// Lowers spills and reloads, into private memory from byte `first` on.
pub fn lower_spills(code: &mut Code, first: u32) {
    for block in code.blocks() {
        let old = std::mem::take(&mut code.block_mut(block).insts);
        let mut new = Vec::with_capacity(old.len());
        for inst in old {
            match code.op(inst) {
                Mach::Spill | Mach::Reload => transfer(code, inst, &mut new),
                _ => new.push(inst),
            }
        }
        code.block_mut(block).insts = new;
    }
    let Some(entry) = code.blocks().next() else { return };
    let begin = machine(code, Op::Mov, &[address()], &[Operand::imm(first.into())], (types::U32, 0));
    let heads = code.insts(entry).iter().take_while(|&&inst| code.op(inst) == Mach::Start).count();
    code.block_mut(entry).insts.insert(heads, begin);
}

fn address() -> Operand {
    Operand::reg(FULL, SPILL_ADDRESS, 1)
}

/// Makes the instructions that carry the registers of a spill or reload, some at a time.
fn transfer(code: &mut Code, inst: Inst, new: &mut Vec<Inst>) {
    let (def, used, span) = (code.defs(inst)[0], code.uses(inst)[0], code.inst(inst).span);
    let is_store = def.file == MEMORY;
    let (memory, register) = if is_store { (def, used) } else { (used, def) };
    let [place, unit] = [memory, register].map(|operand| operand.reg.unwrap_or(0));
    let (ty, width) = if register.file == HALF { (types::U16, BYTES / 2) } else { (types::U32, BYTES) };
    for part in (0..register.size).step_by(usize::from(MOST)) {
        let size = MOST.min(register.size - part);
        let data = Operand::reg(register.file, unit + part, size);
        let made = match is_store {
            true => machine(code, Op::Stp, &[], &[address(), data], (ty, place * BYTES + part * width)),
            false => machine(code, Op::Ldp, &[data], &[address()], (ty, place * BYTES + part * width)),
        };
        code.inst_mut(made).span = span;
        new.push(made);
    }
}

/// An instruction with the type of its data and an offset in bytes.
fn machine(code: &mut Code, op: Op, defs: &[Operand], uses: &[Operand], (ty, offset): (u8, u16)) -> Inst {
    let inst = code.make(Mach::Machine(op as u32), defs, uses);
    let data = code.inst_mut(inst);
    data.modifiers = Modifiers { types: (ty, ty), offset, ..Modifiers::default() }.pack();
    data.effects = effects(op);
    inst
}
