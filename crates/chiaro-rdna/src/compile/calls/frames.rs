//! Frames of functions: addresses behind them become numbers, and what a function has to leave as it finds it is saved
//! where it begins and put back where it ends (spec sections 18.7, 18.8).
//!
//! ```text
//! s_or_saveexec_b32 vcc_lo, -1                     lanes of these are written whether or not they run: all are saved
//! scratch_store_dword off, v40, s32 offset:16
//! s_mov_b32 exec_lo, vcc_lo
//! v_writelane_b32 v40, s34, 0                      scalars in lanes
//! scratch_store_dwordx4 off, v[36:39], s32 offset:20   lanes that sleep nobody writes
//! ```
//!
//! Before: registers are allocated, spills are instructions, order is settled. After: no instruction has
//! [`flag::FRAME`].

use chiaro_mach::{Code, Effects, Inst, Op as Mach, Operand};

use super::callee::{Callee, register};
use crate::abi::convention::{ReturnStack, SystemParameter};
use crate::abi::partition::{File as Pool, Files};
use crate::compile::allocate::{BYTES, MOST, REACH};
use crate::compile::code::{self, Modifiers, SCALAR, VECTOR, effects, flag, implied, machine, operation};
use crate::isa::Op;
use crate::isa::scratch::Scratch;
use crate::isa::sop1::Sop1;
use crate::isa::sop2::Sop2;
use crate::isa::vop3::Vop3;
use crate::regs::{SGPRS, VGPRS};

/// What a function turned out to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Bytes of a lane.
    pub bytes: u32,
    /// Registers that it writes and does not put back.
    pub written: Files<Vec<bool>>,
    /// One past the last vector register that scalars are saved in.
    pub saved: Option<u16>,
    /// Whether it calls others and comes back from them, so that it keeps where to return.
    pub nests: bool,
}

/// Why there is no room for what a function saves or hands over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoRoom {
    /// So many vector registers are wanted for scalars, and are not left.
    Holders(usize),
    /// So many bytes of registers that it saves are out of reach.
    Saves(u32),
    /// So many bytes from the stack pointer stand parameters of a call.
    Parameters(i32),
}

/// What a function turned out to need, and is compiled again with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// Vector registers for scalars that it saves.
    pub holders: usize,
    /// Bytes in front of its variables for registers that it saves: behind them they are out of reach.
    pub front: u32,
    /// Whether parameters of its calls on the stack are out of reach.
    pub far_parameters: bool,
}

impl Needs {
    /// With what had no room; nothing where that had been seen to.
    #[must_use]
    pub fn with(self, why: NoRoom) -> Option<Needs> {
        let more = match why {
            NoRoom::Holders(count) => Needs { holders: count.max(self.holders), ..self },
            NoRoom::Saves(bytes) => Needs { front: bytes.max(self.front), ..self },
            NoRoom::Parameters(_) => Needs { far_parameters: true, ..self },
        };
        (more != self).then_some(more)
    }
}

impl NoRoom {
    /// The same of a function of that name.
    #[must_use]
    pub fn message(self, name: &str) -> String {
        match self {
            NoRoom::Holders(count) => {
                format!("`{name}`: {count} vector registers to save scalars in are not left")
            }
            NoRoom::Saves(bytes) => {
                format!("`{name}`: {bytes} bytes of registers that it saves are out of reach of {REACH}")
            }
            NoRoom::Parameters(bytes) => format!(
                "`{name}`: parameters of a call stand {bytes} bytes from the stack pointer, {REACH} are in reach"
            ),
        }
    }
}

/// What allocation left to be saved.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// Vector registers whose lanes hold scalars.
    pub lanes: &'a [u16],
    /// Vector registers that have to outlive calls which destroy them.
    pub rescued: &'a [u16],
    /// Bytes of a lane that variables and spills take.
    pub bytes: u32,
    /// Those of them at the begin that are left to what is saved.
    pub front: u32,
    /// What frames are multiples of.
    pub alignment: u32,
}

/// Bytes of a frame in which registers are saved, one after the other.
struct Area {
    first: u32,
    next: u32,
    end: u32,
}

impl Area {
    /// In front of what a frame has besides where that was asked for, or else behind it.
    fn of(places: &Places<'_>) -> Area {
        match places.front {
            0 => Area { first: places.bytes, next: places.bytes, end: REACH },
            front => Area { first: 0, next: 0, end: front },
        }
    }

    /// The first byte of room for so many registers.
    ///
    /// # Errors
    /// They are out of reach.
    fn take(&mut self, registers: usize) -> Result<u32, NoRoom> {
        let first = self.next;
        self.next += BYTES * registers as u32;
        match registers > 0 && self.next > self.end {
            true => Err(NoRoom::Saves(self.next - self.first)),
            false => Ok(first),
        }
    }
}

/// Settles the frame of a function, or of a kernel, which nobody calls.
///
/// # Errors
/// What does not fit.
pub fn settle(code: &mut Code, own: Option<&Callee>, wave: u8, places: Places<'_>) -> Result<Frame, NoRoom> {
    let Places { lanes, rescued, bytes, alignment, .. } = places;
    let mut area = Area::of(&places);
    let mut written = written(code);
    let saves = own.map(|own| Saves::of(code, own, wave, (lanes, &written))).transpose()?;
    let calls = code.blocks().flat_map(|block| code.insts(block)).any(|&inst| code.op(inst) == Mach::Call);
    let returns = own.filter(|_| calls).and_then(|own| Returns::of(own, wave));
    let holders = saves.as_ref().map_or(&[][..], |saves| &saves.holders);
    // Those that were kept for allocation may hold what is saved, too.
    let holds = |n: &u16| written.vgpr[usize::from(*n)] || holders.contains(n);
    let mut whole: Vec<u16> = rescued.iter().copied().filter(holds).collect();
    if !holders.is_empty() {
        let destroyed = destroyed(code);
        whole.extend(holders.iter().filter(|&&n| destroyed[usize::from(n)]));
    }
    rescue(code, base(own), wave, (whole, &mut area))?;
    let saved = holders.iter().map(|n| n + 1).max();
    if let Some(saves) = &saves {
        saves.emit(code, &mut area)?;
        saves.scalars.iter().for_each(|&n| written.sgpr[usize::from(n)] = false);
        saves.vectors.iter().chain(&saves.whole).for_each(|&n| written.vgpr[usize::from(n)] = false);
    }
    if let Some(returns) = &returns {
        returns.emit(code);
    }
    let saved = saved.max(returns.map(|returns| returns.stack.register + 2));
    let bytes = bytes.max(area.next).next_multiple_of(alignment);
    resolve(code, bytes)?;
    Ok(Frame { bytes, written, saved, nests: calls })
}

/// Registers that a function writes itself, or calls in it.
fn written(code: &Code) -> Files<Vec<bool>> {
    let mut written = Files { sgpr: vec![false; 128], vgpr: vec![false; usize::from(VGPRS)] };
    let insts = code.blocks().flat_map(|block| code.insts(block)).copied();
    for inst in insts.filter(|&inst| !matches!(code.op(inst), Mach::Start | Mach::Phi)) {
        for (n, def) in code.defs(inst).iter().enumerate() {
            let stays = code.op(inst) == Mach::Pcopy
                && code.uses(inst).get(n).is_some_and(|used| used.reg == def.reg && used.file == def.file);
            let Some(first) = def.reg.filter(|_| !stays).map(usize::from) else { continue };
            let range = first..first + usize::from(def.size);
            match def.file {
                SCALAR if def.reg < Some(SGPRS) => written.sgpr[range].fill(true),
                VECTOR => written.vgpr[range].fill(true),
                _ => {}
            }
        }
        for clobber in code.clobbered(inst) {
            let range = usize::from(clobber.units.start)..usize::from(clobber.units.end);
            match clobber.file {
                SCALAR => written.sgpr[range].fill(true),
                _ => written.vgpr[range].fill(true),
            }
        }
    }
    written
}

/// Saves registers with all their lanes in front of calls and takes them back behind.
fn rescue(
    code: &mut Code,
    base: Operand,
    wave: u8,
    (whole, area): (Vec<u16>, &mut Area),
) -> Result<(), NoRoom> {
    if whole.is_empty() {
        return Ok(());
    }
    let bytes = area.take(whole.len())?;
    let saves = Saves { wave, base, whole, ..Saves::default() };
    for block in code.blocks() {
        let old = std::mem::take(&mut code.block_mut(block).insts);
        let mut new = Vec::with_capacity(old.len());
        for inst in old {
            let is_call = code.op(inst) == Mach::Call;
            if is_call {
                saves.transfer(code, &mut new, (true, bytes));
            }
            new.push(inst);
            if is_call {
                saves.transfer(code, &mut new, (false, bytes));
            }
        }
        code.block_mut(block).insts = new;
    }
    Ok(())
}

/// Where a frame begins: at the stack pointer, that of a kernel where the wave's scratch does.
fn base(own: Option<&Callee>) -> Operand {
    own.map_or(Operand::imm(0), |own| Operand::reg(SCALAR, own.system(SystemParameter::StackPointer), 1))
}

/// What a function saves.
#[derive(Default)]
struct Saves {
    wave: u8,
    base: Operand,
    /// Scalars, each in a lane.
    scalars: Vec<u16>,
    /// Vector registers of the lanes that run.
    vectors: Vec<u16>,
    /// Vector registers of all lanes.
    whole: Vec<u16>,
    /// Those of them that hold the scalars.
    holders: Vec<u16>,
}

impl Saves {
    fn of(
        code: &Code,
        own: &Callee,
        wave: u8,
        (lanes, written): (&[u16], &Files<Vec<bool>>),
    ) -> Result<Saves, NoRoom> {
        let kept = own.kept();
        let both = |kept: &[bool], written: &[bool]| -> Vec<u16> {
            let all = (0..).zip(kept.iter().zip(written));
            all.filter(|(_, (kept, written))| **kept && **written).map(|(n, _)| n).collect()
        };
        let scalars = both(&kept.sgpr, &written.sgpr);
        let vectors = both(&kept.vgpr, &written.vgpr).into_iter().filter(|n| !lanes.contains(n)).collect();
        let holders = holders(code, own, scalars.len().div_ceil(usize::from(wave)), (lanes, written))?;
        let whole = lanes.iter().chain(&holders).copied().collect();
        let base = base(Some(own));
        Ok(Saves { wave, base, scalars, vectors, whole, holders })
    }

    /// Puts saves where the function begins and ends.
    fn emit(&self, code: &mut Code, area: &mut Area) -> Result<(), NoRoom> {
        let bytes = area.take(self.vectors.len() + self.whole.len())?;
        let Some(first) = code.blocks().next() else { return Ok(()) };
        let begin = self.begin(code, bytes);
        let at = code.insts(first).iter().take_while(|&&inst| code.op(inst) == Mach::Start).count();
        code.block_mut(first).insts.splice(at..at, begin);
        for block in code.blocks() {
            let Some(&last) = code.insts(block).last() else { continue };
            if code.op(last) == Mach::Return {
                let end = self.end(code, bytes);
                let at = code.insts(block).len() - 1;
                code.block_mut(block).insts.splice(at..at, end);
            }
        }
        Ok(())
    }

    fn begin(&self, code: &mut Code, bytes: u32) -> Vec<Inst> {
        let mut made = Vec::new();
        self.transfer(code, &mut made, (true, bytes));
        for (n, &scalar) in self.scalars.iter().enumerate() {
            let (vector, lane) = self.place(n);
            let uses = [Operand::reg(SCALAR, scalar, 1), lane, vector];
            made.push(make(code, Op::Vop3(Vop3::WritelaneB32), &[vector], &uses, self.wave));
        }
        let first = bytes + BYTES * self.whole.len() as u32;
        self.accesses(code, &mut made, (true, &self.vectors, first));
        made
    }

    fn end(&self, code: &mut Code, bytes: u32) -> Vec<Inst> {
        let mut made = Vec::new();
        let first = bytes + BYTES * self.whole.len() as u32;
        self.accesses(code, &mut made, (false, &self.vectors, first));
        for (n, &scalar) in self.scalars.iter().enumerate() {
            let (vector, lane) = self.place(n);
            let def = Operand::reg(SCALAR, scalar, 1);
            made.push(make(code, Op::Vop3(Vop3::ReadlaneB32), &[def], &[vector, lane], self.wave));
        }
        self.transfer(code, &mut made, (false, bytes));
        made
    }

    /// Stores or loads what is saved as a whole, with all lanes running.
    fn transfer(&self, code: &mut Code, made: &mut Vec<Inst>, (stores, bytes): (bool, u32)) {
        if self.whole.is_empty() {
            return;
        }
        let is_long = self.wave == 64;
        let (save, back) = match is_long {
            true => (Sop1::OrSaveexecB64, Sop1::MovB64),
            false => (Sop1::OrSaveexecB32, Sop1::MovB32),
        };
        let (vcc, exec) = (code::vcc(self.wave), code::exec(self.wave));
        let all = Operand::imm(u64::MAX >> (64 - u32::from(self.wave)));
        made.push(make(code, Op::Sop1(save), &[vcc], &[all], self.wave));
        self.accesses(code, made, (stores, &self.whole, bytes));
        made.push(make(code, Op::Sop1(back), &[exec], &[vcc], self.wave));
    }

    /// The lane that holds scalar number `n`.
    fn place(&self, n: usize) -> (Operand, Operand) {
        let wave = usize::from(self.wave);
        (Operand::reg(VECTOR, self.holders[n / wave], 1), Operand::imm((n % wave) as u64))
    }

    /// Stores or loads registers from a byte of the frame on, those that stand side by side together.
    fn accesses(
        &self,
        code: &mut Code,
        made: &mut Vec<Inst>,
        (stores, registers, mut offset): (bool, &[u16], u32),
    ) {
        for (first, count) in runs(registers) {
            let (data, nowhere) = (Operand::reg(VECTOR, first, count), Operand::imm(0));
            let inst = match stores {
                true => {
                    let op = Op::Scratch(Scratch::store(32, count.into()));
                    make(code, op, &[], &[self.base, nowhere, data], self.wave)
                }
                false => {
                    let op = Op::Scratch(Scratch::load(32, count.into()));
                    make(code, op, &[data], &[self.base, nowhere], self.wave)
                }
            };
            code.inst_mut(inst).modifiers = Modifiers::number(offset as i32).pack();
            made.push(inst);
            offset += BYTES * u32::from(count);
        }
    }
}

/// A function's return address on a stack in lanes, while it calls others.
struct Returns {
    wave: u8,
    stack: ReturnStack,
    /// The first of the two scalars that it comes in and goes back by.
    back: u16,
}

impl Returns {
    fn of(own: &Callee, wave: u8) -> Option<Returns> {
        let back = own.system(SystemParameter::ReturnAddress);
        Some(Returns { wave, stack: own.convention.return_stack()?, back })
    }

    /// Puts it there where the function begins, and takes it back where it ends.
    fn emit(&self, code: &mut Code) {
        let Some(first) = code.blocks().next() else { return };
        let begin = self.begin(code);
        let at = code.insts(first).iter().take_while(|&&inst| code.op(inst) == Mach::Start).count();
        code.block_mut(first).insts.splice(at..at, begin);
        for block in code.blocks() {
            let last = code.insts(block).last().copied();
            if last.is_some_and(|last| code.op(last) == Mach::Return) {
                let end = self.end(code);
                let at = code.insts(block).len() - 1;
                code.block_mut(block).insts.splice(at..at, end);
            }
        }
    }

    fn begin(&self, code: &mut Code) -> Vec<Inst> {
        let counter = Operand::reg(SCALAR, self.stack.counter, 1);
        let mut made: Vec<Inst> = self
            .halves()
            .map(|(vector, scalar)| {
                let op = Op::Vop3(Vop3::WritelaneB32);
                make(code, op, &[vector], &[scalar, counter, vector], self.wave)
            })
            .collect();
        made.push(self.count(code, Sop2::AddU32));
        made
    }

    fn end(&self, code: &mut Code) -> Vec<Inst> {
        let counter = Operand::reg(SCALAR, self.stack.counter, 1);
        let mut made = vec![self.count(code, Sop2::SubU32)];
        made.extend(self.halves().map(|(vector, scalar)| {
            make(code, Op::Vop3(Vop3::ReadlaneB32), &[scalar], &[vector, counter], self.wave)
        }));
        made
    }

    /// The counter one up or down.
    fn count(&self, code: &mut Code, op: Sop2) -> Inst {
        let counter = Operand::reg(SCALAR, self.stack.counter, 1);
        make(code, Op::Sop2(op), &[counter], &[counter, Operand::imm(1)], self.wave)
    }

    fn halves(&self) -> impl Iterator<Item = (Operand, Operand)> + use<> {
        let (vector, back) = (self.stack.register, self.back);
        (0..2).map(move |half| (Operand::reg(VECTOR, vector + half, 1), Operand::reg(SCALAR, back + half, 1)))
    }
}

/// Registers side by side, as many as one access takes: the first of them, and their number.
fn runs(registers: &[u16]) -> Vec<(u16, u16)> {
    let mut runs: Vec<(u16, u16)> = Vec::new();
    for &register in registers {
        match runs.last_mut() {
            Some((first, count)) if *first + *count == register && *count < MOST => *count += 1,
            _ => runs.push((register, 1)),
        }
    }
    runs
}

/// Vector registers in whose lanes scalars are saved: such that nobody touches as long as the function runs.
fn holders(
    code: &Code,
    own: &Callee,
    count: usize,
    (lanes, written): (&[u16], &Files<Vec<bool>>),
) -> Result<Vec<u16>, NoRoom> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let mut touched = vec![false; written.vgpr.len()];
    if let Some(stack) = own.convention.return_stack() {
        touched[usize::from(stack.register)..usize::from(stack.register) + 2].fill(true);
    }
    lanes.iter().for_each(|&n| touched[usize::from(n)] = true);
    let insts = || code.blocks().flat_map(|block| code.insts(block)).copied();
    for operand in insts().flat_map(|inst| code.operands(inst)).filter(|o| o.file == VECTOR && o.in_file()) {
        if let Some(first) = operand.reg.map(usize::from) {
            touched[first..first + usize::from(operand.size)].fill(true);
        }
    }
    for placed in &own.placement.parameters {
        if let Some((Pool::Vgpr, first)) = register(placed) {
            touched[usize::from(first)..usize::from(first + placed.size)].fill(true);
        }
    }
    let limit = usize::from(own.convention.limit.vgpr);
    let mut found: Vec<u16> =
        (0..).zip(&touched[..limit]).filter(|(_, touched)| !**touched).map(|(n, _)| n).collect();
    // Those first that no call destroys.
    let destroyed = destroyed(code);
    found.sort_by_key(|&n| destroyed[usize::from(n)]);
    found.truncate(count);
    if found.len() < count {
        return Err(NoRoom::Holders(count));
    }
    Ok(found)
}

/// Vector registers in which some call leaves anything.
fn destroyed(code: &Code) -> Vec<bool> {
    let mut all = vec![false; usize::from(VGPRS)];
    let insts = code.blocks().flat_map(|block| code.insts(block)).copied();
    for clobber in insts.flat_map(|inst| code.clobbered(inst)).filter(|clobber| clobber.file == VECTOR) {
        all[usize::from(clobber.units.start)..usize::from(clobber.units.end)].fill(true);
    }
    all
}

fn make(code: &mut Code, op: Op, defs: &[Operand], uses: &[Operand], wave: u8) -> Inst {
    let [writes, reads] = implied(op, wave);
    let defs: Vec<Operand> = defs.iter().copied().chain(writes).collect();
    let uses: Vec<Operand> = uses.iter().copied().chain(reads).collect();
    let made = code.make(machine(op), &defs, &uses);
    code.inst_mut(made).effects = effects(op, &defs);
    if let Op::Scratch(_) = op {
        let memory = if defs.is_empty() {
            Effects::writes(Effects::SCRATCH)
        } else {
            Effects::reads(Effects::SCRATCH)
        };
        let effects = &mut code.inst_mut(made).effects;
        *effects = effects.and(memory);
    }
    made
}

/// Bytes behind the frame become bytes from its begin: those of accesses, and the frame's end where that is computed.
fn resolve(code: &mut Code, bytes: u32) -> Result<(), NoRoom> {
    let all: Vec<Inst> = code.blocks().flat_map(|block| code.insts(block)).copied().collect();
    for inst in all {
        let modifiers = Modifiers::unpack(code.inst(inst).modifiers);
        if operation(code, inst).is_none() || !modifiers.has(flag::FRAME) {
            continue;
        }
        let number = match operation(code, inst) {
            Some(Op::Scratch(_)) => modifiers.number + bytes as i32,
            _ => {
                let end = code.uses_mut(inst).iter_mut().find(|used| **used == Operand::imm(0));
                end.into_iter().for_each(|end| *end = Operand::imm(bytes.into()));
                modifiers.number
            }
        };
        if number > REACH as i32 {
            return Err(NoRoom::Parameters(number));
        }
        let flags = modifiers.flags & !flag::FRAME;
        code.inst_mut(inst).modifiers = Modifiers { number, flags, ..modifiers }.pack();
    }
    Ok(())
}
