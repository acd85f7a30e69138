//! Waits for what was issued on the two slots (spec 10.1).

use chiaro_mach::{
    Code, Graph, Holds, Inst, Left, Op as Mach, Operand, Pending, Queue, Queues, insert_waits,
};

use super::slots::{self, is_late};
use super::standing::End;
use crate::compile::code::{FILES, Modifiers, modifiers, operation};
use crate::isa::Op;
use crate::isa::memory::Memory;
use crate::isa::texture::Texture;

/// Operations that may be under way on a slot (spec 10.1).
const MOST: u8 = 8;

/// The asynchronous side of the machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slots {
    /// What stands behind the code.
    pub(super) end: End,
}

static QUEUES: [Queue; 2] = [Queue { name: "slot 0", limit: 0 }, Queue { name: "slot 1", limit: 0 }];
static ON_0: [Pending; 1] = [Pending { queue: 0, kind: None, holds: Holds::Results }];
static ON_1: [Pending; 1] = [Pending { queue: 1, kind: None, holds: Holds::Results }];

/// Whether it can be given a slot; writes of images have none of their own.
fn slot(code: &Code, inst: Inst) -> Option<usize> {
    let op = operation(code, inst).filter(|&op| is_late(op))?;
    (op != Op::Texture(Texture::ImageWrite)).then(|| usize::from(modifiers(code, inst).slot))
}

impl Queues for Slots {
    fn queues(&self) -> &[Queue] {
        &QUEUES
    }

    fn pending(&self, code: &Code, inst: Inst) -> &[Pending] {
        match slot(code, inst) {
            Some(0) => &ON_0,
            Some(_) => &ON_1,
            None => &[],
        }
    }

    fn drains(&self, code: &Code, inst: Inst) -> u32 {
        let is_barrier = matches!(
            operation(code, inst),
            Some(Op::Memory(Memory::ThreadgroupBarrier | Memory::MemoryBarrier))
        );
        let is_border = self.end == End::Open && code.op(inst) == Mach::Return;
        if is_barrier || is_border { 0b11 } else { 0 }
    }

    fn waits(&self, code: &Code, inst: Inst) -> Vec<Left> {
        let mask = match operation(code, inst) {
            Some(Op::Memory(Memory::Wait)) => modifiers(code, inst).mask,
            _ => 0,
        };
        (0..2).map(|n| (mask >> n & 1 == 1).then_some(0)).collect()
    }

    fn set_waits(&self, code: &mut Code, _: Inst, left: &[Left]) -> Option<Inst> {
        let mask = left.iter().zip(0..).map(|(left, n)| u8::from(left.is_some()) << n).sum();
        Some(wait(code, mask))
    }
}

fn wait(code: &mut Code, mask: u8) -> Inst {
    let inst = code.make(Mach::Machine(Op::Memory(Memory::Wait).row().into()), &[], &[]);
    code.inst_mut(inst).modifiers = Modifiers { mask, ..Modifiers::default() }.pack();
    inst
}

/// Chooses slots, and puts waits where the code needs them. Loads share the slots if that takes no wait more than one slot
/// for all of them.
pub(super) fn waits(code: &mut Code, end: End) {
    drop_idle(code);
    slots::by_kind(code);
    let needed = slots::by_need(code);
    if needed.is_empty() {
        waiting(code, end);
        return;
    }
    let mut other = code.clone();
    needed.into_iter().for_each(|(inst, second)| slots::set(&mut other, inst, second));
    if waiting(&mut other, end) <= waiting(code, end) {
        *code = other;
    }
}

/// Puts waits where the code needs them, and says how many they are.
fn waiting(code: &mut Code, end: End) -> u32 {
    let _ = insert_waits(code, &FILES, &Slots { end });
    limit(code);
    let is_wait = |inst: &Inst| matches!(operation(code, *inst), Some(Op::Memory(Memory::Wait)));
    let insts = code.blocks().flat_map(|block| code.insts(block).iter().copied());
    insts.filter(is_wait).map(|inst| modifiers(code, inst).mask.count_ones()).sum()
}

/// Copies from a register to itself would wait for what is on its way there.
fn drop_idle(code: &mut Code) {
    for block in code.blocks() {
        let is_idle = |inst: Inst| {
            let (defs, uses) = (code.defs(inst), code.uses(inst));
            let stays = |(def, used): (&Operand, &Operand)| def.reg == used.reg && def.file == used.file;
            code.op(inst) == Mach::Pcopy && defs.iter().zip(uses).all(stays)
        };
        let kept: Vec<Inst> = code.insts(block).iter().copied().filter(|&inst| !is_idle(inst)).collect();
        code.block_mut(block).insts = kept;
    }
}

/// Operations under way on both slots.
type Counts = [u8; 2];

/// Waits where more would be under way on a slot than it counts.
fn limit(code: &mut Code) {
    let mut entries: Vec<Counts> = vec![[0; 2]; code.block_count()];
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for block in code.blocks() {
            let after = code
                .insts(block)
                .iter()
                .fold(entries[block.0 as usize], |counts, &inst| step(code, counts, inst).0);
            for succ in &code.block_data(block).edges(Graph::Linear).succs {
                let entry = &mut entries[succ.0 as usize];
                let most = [0, 1].map(|n| after[n].max(entry[n]));
                changed |= most != *entry;
                *entry = most;
            }
        }
    }
    for block in code.blocks() {
        let (mut counts, mut insts) = (entries[block.0 as usize], Vec::new());
        for inst in code.insts(block).to_vec() {
            let (next, full) = step(code, counts, inst);
            insts.extend(full.map(|slot| wait(code, 1 << slot)));
            insts.push(inst);
            counts = next;
        }
        code.block_mut(block).insts = insts;
    }
}

/// The counts behind an instruction, and the slot that it has to wait for because it is full.
fn step(code: &Code, mut counts: Counts, inst: Inst) -> (Counts, Option<usize>) {
    if let Some(Op::Memory(Memory::Wait)) = operation(code, inst) {
        let mask = modifiers(code, inst).mask;
        return ([0, 1].map(|n| if mask >> n & 1 == 1 { 0 } else { counts[n] }), None);
    }
    let Some(slot) = slot(code, inst) else { return (counts, None) };
    let full = counts[slot] >= MOST;
    counts[slot] = if full { 1 } else { counts[slot] + 1 };
    (counts, full.then_some(slot))
}
