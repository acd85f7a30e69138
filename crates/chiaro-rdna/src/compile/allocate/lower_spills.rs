//! Spills and reloads become instructions: scalars live in the lanes of vector registers, vectors in scratch.
//!
//! ```text
//! l70 = spill s4     ->    v_writelane_b32 v2, s4, 6
//! s4 = reload l70          v_readlane_b32 s4, v2, 6
//! m3 = spill v4      ->    scratch_store_dword off, v4, off offset:76
//! v4 = reload m3           scratch_load_dword v4, off, off offset:76
//! ```
//!
//! Words of scratch stand behind those of variables. An offset of an instruction does not reach far; scalar
//! registers are kept for where it does not.
//!
//! Before: allocated, copies lowered, [`Spills::far`] kept free. After: no operand is in [`LANES`] or [`SCRATCH`].

use chiaro_mach::{Code, Effects, Inst, Op as Mach, Operand};

use crate::compile::code::{LANES, Modifiers, SCALAR, SCRATCH, VECTOR, effects, implied, machine};
use crate::isa::Op;
use crate::isa::scratch::Scratch;
use crate::isa::sop1::Sop1;
use crate::isa::sop2::Sop2;
use crate::isa::sopc::Sopc;
use crate::isa::vop3::Vop3;

/// Bytes that an instruction adds to an address at most.
pub const REACH: u32 = 2047;
/// Bytes of a register.
pub const BYTES: u32 = 4;
/// Registers that an instruction moves at most.
pub const MOST: u16 = 4;

/// Where values go that find no register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spills {
    /// Their first byte in scratch: of a kernel, or behind a function's stack pointer.
    pub first: u32,
    /// The scalar register with a function's stack pointer.
    pub stack_pointer: Option<u16>,
    /// Scalar registers for an address out of reach, and for SCC while that is computed.
    pub far: [u16; 2],
}

/// Lowers spills and reloads in waves of a size.
pub fn lower_spills(code: &mut Code, wave: u8, to: Spills) {
    for block in code.blocks() {
        let old = std::mem::take(&mut code.block_mut(block).insts);
        let mut new = Vec::with_capacity(old.len());
        for inst in old {
            let is_transfer = matches!(code.op(inst), Mach::Spill | Mach::Reload);
            let files = is_transfer.then(|| [code.defs(inst)[0], code.uses(inst)[0]].map(|end| end.file));
            match files {
                None => new.push(inst),
                Some(files) if files.contains(&LANES) => lanes(code, inst, wave, &mut new),
                Some(_) => memory(code, inst, to, wave, &mut new),
            }
        }
        code.block_mut(block).insts = new;
    }
}

/// Each scalar to a lane of its own, or back.
fn lanes(code: &mut Code, inst: Inst, wave: u8, new: &mut Vec<Inst>) {
    let [def, used] = [code.defs(inst)[0], code.uses(inst)[0]];
    let [to, from] = [def, used].map(|end| end.reg.unwrap_or(0));
    for n in 0..def.size {
        let place = |lane: u16| {
            let lane = lane + n;
            let (unit, lane) = (lane / u16::from(wave), lane % u16::from(wave));
            (Operand::reg(VECTOR, unit, 1), Operand::imm(lane.into()))
        };
        new.push(if def.file == LANES {
            let (vector, lane) = place(to);
            let scalar = Operand::reg(SCALAR, from + n, 1);
            // The other lanes stay, so that the register is read as well.
            make(code, inst, Op::Vop3(Vop3::WritelaneB32), &[vector], &[scalar, lane, vector], 0)
        } else {
            let (vector, lane) = place(from);
            let scalar = Operand::reg(SCALAR, to + n, 1);
            make(code, inst, Op::Vop3(Vop3::ReadlaneB32), &[scalar], &[vector, lane], 0)
        });
    }
}

/// Registers to scratch, or back, some at a time.
fn memory(code: &mut Code, inst: Inst, to: Spills, wave: u8, new: &mut Vec<Inst>) {
    let Spills { first, stack_pointer, far: [far, _] } = to;
    let [def, used] = [code.defs(inst)[0], code.uses(inst)[0]];
    let is_store = def.file == SCRATCH;
    let (place, register) = if is_store { (def, used) } else { (used, def) };
    let [place, unit] = [place, register].map(|end| end.reg.unwrap_or(0));
    for part in (0..register.size).step_by(usize::from(MOST)) {
        let size = MOST.min(register.size - part);
        let data = Operand::reg(VECTOR, unit + part, size);
        let offset = first + u32::from(place + part) * BYTES;
        let near = stack_pointer.map_or(Operand::imm(0), |unit| Operand::reg(SCALAR, unit, 1));
        let is_far = offset > REACH;
        if is_far {
            address(code, inst, (near, offset, to.far), wave, new);
        }
        let (base, offset) = if is_far { (Operand::reg(SCALAR, far, 1), 0) } else { (near, offset) };
        let op = if is_store { Scratch::store(32, size.into()) } else { Scratch::load(32, size.into()) };
        let op = Op::Scratch(op);
        let nowhere = Operand::imm(0);
        let made = match is_store {
            true => make(code, inst, op, &[], &[base, nowhere, data], offset),
            false => make(code, inst, op, &[data], &[base, nowhere], offset),
        };
        let effects = &mut code.inst_mut(made).effects;
        *effects = effects.and(if is_store {
            Effects::writes(Effects::SCRATCH)
        } else {
            Effects::reads(Effects::SCRATCH)
        });
        new.push(made);
    }
}

/// An address out of reach, in its register. A sum from a stack pointer leaves SCC as it was.
fn address(
    code: &mut Code,
    inst: Inst,
    (base, offset, far): (Operand, u32, [u16; 2]),
    wave: u8,
    new: &mut Vec<Inst>,
) {
    let [far, kept] = far.map(|n| Operand::reg(SCALAR, n, 1));
    let offset = Operand::imm(offset.into());
    if !base.in_file() {
        new.push(make(code, inst, Op::Sop1(Sop1::MovB32), &[far], &[offset], 0));
        return;
    }
    let [one, none] = [1, 0].map(Operand::imm);
    for (op, defs, uses) in [
        (Op::Sop2(Sop2::CselectB32), &[kept][..], [one, none]),
        (Op::Sop2(Sop2::AddU32), &[far], [base, offset]),
        (Op::Sopc(Sopc::CmpLgU32), &[], [kept, none]),
    ] {
        let [writes, reads] = implied(op, wave);
        let defs: Vec<Operand> = defs.iter().copied().chain(writes).collect();
        let uses: Vec<Operand> = uses.into_iter().chain(reads).collect();
        new.push(make(code, inst, op, &defs, &uses, 0));
    }
}

/// An instruction in place of another.
fn make(code: &mut Code, old: Inst, op: Op, defs: &[Operand], uses: &[Operand], offset: u32) -> Inst {
    let (made, span) = (code.make(machine(op), defs, uses), code.inst(old).span);
    let data = code.inst_mut(made);
    data.modifiers = Modifiers::number(offset as i32).pack();
    data.effects = effects(op, defs);
    data.span = span;
    made
}
