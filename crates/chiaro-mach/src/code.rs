//! `Code`: machine operations in blocks, over virtual or physical registers, before they are
//! words.
//!
//! Storage is arenas with `u32` handles; the operands of all instructions stand in one list,
//! the definitions of an instruction first, then its uses.

use std::ops::Range;

use chiaro_diag::Span;

use crate::file::{Domain, File, RegFile};
use crate::op::{Effects, Op};
use crate::operand::{Operand, What};

pub use crate::id::{Block, Inst, Value};

/// A set of registers that some instruction destroys.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Clobbers(pub u32);

/// A run of destroyed units.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Clobber {
    /// In this file,
    pub file: File,
    /// these units.
    pub units: Range<u16>,
}

/// One of the two graphs over the blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Graph {
    /// Where a lane goes.
    Logical,
    /// Where the program counter goes.
    Linear,
}

impl Graph {
    /// The graph along which values of a domain live.
    pub fn of(domain: Domain) -> Graph {
        if domain == Domain::Lane { Graph::Logical } else { Graph::Linear }
    }
}

/// Edges of a block in one graph.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Edges {
    /// Where control comes from; phis have one use for each, in this order.
    pub preds: Vec<Block>,
    /// Where control goes.
    pub succs: Vec<Block>,
}

/// A block.
#[derive(Clone, Debug, Default)]
pub struct BlockData {
    /// Its instructions in order: phis, others, then what has the effect of control.
    pub insts: Vec<Inst>,
    /// Edges that a lane takes.
    pub logical: Edges,
    /// Edges that the program counter takes.
    pub linear: Edges,
    /// How many loops it is in.
    pub depth: u8,
    /// The construct of the source that it belongs to; the selector numbers them.
    pub construct: u32,
}

impl BlockData {
    /// Its edges in one of the graphs.
    pub fn edges(&self, graph: Graph) -> &Edges {
        match graph {
            Graph::Logical => &self.logical,
            Graph::Linear => &self.linear,
        }
    }
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct InstData {
    /// What it does.
    pub op: Op,
    /// The target's own bits: a condition, a rounding, a descriptor.
    pub modifiers: u64,
    /// What it does to the state beside its operands.
    pub effects: Effects,
    /// Registers that it destroys besides its definitions.
    pub clobbers: Option<Clobbers>,
    /// Whether it may be done again, with the same result, wherever its operands can be read:
    /// constants, addresses, loads of uniforms.
    pub remat: bool,
    /// The source text that it comes from.
    pub span: Option<Span>,
    start: u32,
    defs: u16,
    uses: u16,
}

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueData {
    /// The file that it lives in.
    pub file: File,
    /// How many units it takes.
    pub size: u16,
    /// Its first unit is a multiple of this; a power of two.
    pub align: u8,
}

/// How much of a register file one function may have, besides what the file says itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Room {
    /// The file.
    pub file: File,
    /// One past the last unit that its values may have: what the size of the workgroup, the
    /// control flow or a contract leaves.
    pub limit: u16,
    /// Units that its values may not have.
    pub reserved: Vec<Range<u16>>,
}

/// Machine code of one function.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// Its name in listings.
    pub name: String,
    blocks: Vec<BlockData>,
    insts: Vec<InstData>,
    values: Vec<ValueData>,
    operands: Vec<Operand>,
    clobbers: Vec<Box<[Clobber]>>,
    rooms: Vec<Room>,
}

impl Code {
    /// No blocks yet.
    pub fn new(name: impl Into<String>) -> Code {
        Code { name: name.into(), ..Code::default() }
    }

    /// A further block without instructions and edges.
    pub fn block(&mut self, depth: u8) -> Block {
        self.blocks.push(BlockData { depth, ..BlockData::default() });
        Block(self.blocks.len() as u32 - 1)
    }

    /// An edge in both graphs.
    pub fn edge(&mut self, from: Block, to: Block) {
        self.edge_in(Graph::Logical, from, to);
        self.edge_in(Graph::Linear, from, to);
    }

    /// An edge in one graph.
    pub fn edge_in(&mut self, graph: Graph, from: Block, to: Block) {
        self.edges_mut(from, graph).succs.push(to);
        self.edges_mut(to, graph).preds.push(from);
    }

    pub(crate) fn edges_mut(&mut self, block: Block, graph: Graph) -> &mut Edges {
        let block = &mut self.blocks[block.0 as usize];
        match graph {
            Graph::Logical => &mut block.logical,
            Graph::Linear => &mut block.linear,
        }
    }

    /// Puts the blocks into another order, in which each has to occur once. Edges and labels follow.
    pub(crate) fn reorder(&mut self, order: &[Block]) {
        let mut numbers = vec![Block(0); order.len()];
        order.iter().zip(0..).for_each(|(old, new)| numbers[old.0 as usize] = Block(new));
        let mut blocks = Vec::with_capacity(order.len());
        for old in order {
            let mut data = std::mem::take(&mut self.blocks[old.0 as usize]);
            for edges in [&mut data.logical, &mut data.linear] {
                let all = edges.preds.iter_mut().chain(&mut edges.succs);
                all.for_each(|block| *block = numbers[block.0 as usize]);
            }
            blocks.push(data);
        }
        self.blocks = blocks;
        for operand in &mut self.operands {
            if let What::Label(block) = &mut operand.what
                && let Some(number) = numbers.get(block.0 as usize)
            {
                *block = *number;
            }
        }
    }

    /// A further value that nothing defines yet.
    pub fn value(&mut self, file: File, size: u16, align: u8) -> Value {
        self.values.push(ValueData { file, size, align });
        Value(self.values.len() as u32 - 1)
    }

    /// The whole of a value as an operand.
    pub fn operand(&self, value: Value) -> Operand {
        let data = self.values[value.0 as usize];
        Operand { what: What::Value(value), file: data.file, size: data.size, ..Operand::default() }
    }

    /// An instruction that stands in no block yet.
    pub fn make(&mut self, op: Op, defs: &[Operand], uses: &[Operand]) -> Inst {
        let start = self.operands.len() as u32;
        self.operands.extend_from_slice(defs);
        self.operands.extend_from_slice(uses);
        let (defs, uses) = (defs.len() as u16, uses.len() as u16);
        let (modifiers, effects, clobbers, remat, span) = (0, Effects::default(), None, false, None);
        self.insts.push(InstData { op, modifiers, effects, clobbers, remat, span, start, defs, uses });
        Inst(self.insts.len() as u32 - 1)
    }

    /// The same instruction once more, in no block yet, with other definitions.
    pub fn repeat(&mut self, inst: Inst, defs: &[Operand]) -> Inst {
        let uses = self.uses(inst).to_vec();
        let old = self.insts[inst.0 as usize].clone();
        let made = self.make(old.op, defs, &uses);
        let data = &mut self.insts[made.0 as usize];
        (data.modifiers, data.effects, data.clobbers) = (old.modifiers, old.effects, old.clobbers);
        (data.remat, data.span) = (old.remat, old.span);
        made
    }

    /// How much of a file this function may have.
    pub fn room(&self, file: File) -> Option<&Room> {
        self.rooms.iter().find(|room| room.file == file)
    }

    /// All files of which this function has less than there is.
    pub fn rooms(&self) -> &[Room] {
        &self.rooms
    }

    /// Says how much of a file this function may have, instead of what was said before.
    pub fn set_room(&mut self, room: Room) {
        self.rooms.retain(|old| old.file != room.file);
        self.rooms.push(room);
    }

    /// How many units of a file values of this function may have at once.
    pub fn capacity(&self, files: &[RegFile], file: File) -> u32 {
        let Some(facts) = files.get(usize::from(file.0)) else { return 0 };
        let free = usize::from(self.free_units(files, file));
        (free - usize::from(facts.keeps_spare(free))) as u32
    }

    /// How many units of a file may be given to values of this function: what the ranges that may not leave of it.
    pub(crate) fn free_units(&self, files: &[RegFile], file: File) -> u16 {
        let Some(facts) = files.get(usize::from(file.0)) else { return 0 };
        let room = self.room(file);
        let end = room.map_or(facts.count, |room| room.limit.min(facts.count));
        let own = room.map_or(&[][..], |room| &room.reserved);
        let mut closed: Vec<Range<u16>> = facts.reserved.iter().chain(own).cloned().collect();
        closed.sort_unstable_by_key(|range| range.start);
        let (mut free, mut next) = (0, 0);
        for range in closed {
            free += range.start.min(end).saturating_sub(next);
            next = next.max(range.end);
        }
        free + end.saturating_sub(next)
    }

    /// Which units of a file may be given to values of this function: what is reserved for nobody, and within its room.
    pub(crate) fn open_units(&self, files: &[RegFile], file: File) -> Vec<bool> {
        let Some(facts) = files.get(usize::from(file.0)) else { return Vec::new() };
        let room = self.room(file);
        let mut open = vec![true; usize::from(facts.count)];
        let end = room.map_or(facts.count, |room| room.limit.min(facts.count));
        open[usize::from(end)..].fill(false);
        for closed in facts.reserved.iter().chain(room.map_or(&[][..], |room| &room.reserved)) {
            let end = usize::from(closed.end.min(facts.count));
            open[usize::from(closed.start).min(end)..end].fill(false);
        }
        open
    }

    /// Whether a unit may be given to a value of this function.
    pub fn is_free(&self, files: &[RegFile], file: File, unit: u16) -> bool {
        let free = files.get(usize::from(file.0)).is_some_and(|facts| facts.is_free(unit));
        let inside = |room: &Room| unit < room.limit && !room.reserved.iter().any(|r| r.contains(&unit));
        free && self.room(file).is_none_or(inside)
    }

    /// As [`make`](Self::make), at the end of a block.
    pub fn push(&mut self, block: Block, op: Op, defs: &[Operand], uses: &[Operand]) -> Inst {
        let inst = self.make(op, defs, uses);
        self.blocks[block.0 as usize].insts.push(inst);
        inst
    }

    /// An instruction at the end of a block with one result, which is a new value.
    pub fn define(&mut self, block: Block, op: Op, file: File, size: u16, uses: &[Operand]) -> Value {
        let value = self.value(file, size, 1);
        let def = self.operand(value);
        self.push(block, op, &[def], uses);
        value
    }

    /// Gives an instruction other operands.
    pub fn set_operands(&mut self, inst: Inst, defs: &[Operand], uses: &[Operand]) {
        let data = &mut self.insts[inst.0 as usize];
        let fits = defs.len() + uses.len() <= usize::from(data.defs) + usize::from(data.uses);
        if !fits {
            data.start = self.operands.len() as u32;
            self.operands.resize(self.operands.len() + defs.len() + uses.len(), Operand::default());
        }
        (data.defs, data.uses) = (defs.len() as u16, uses.len() as u16);
        let start = data.start as usize;
        self.operands[start..start + defs.len()].copy_from_slice(defs);
        self.operands[start + defs.len()..start + defs.len() + uses.len()].copy_from_slice(uses);
    }

    /// A set of destroyed registers, for [`InstData::clobbers`].
    pub fn clobbers(&mut self, set: &[Clobber]) -> Clobbers {
        let found = self.clobbers.iter().position(|old| **old == *set);
        Clobbers(found.unwrap_or_else(|| {
            self.clobbers.push(set.into());
            self.clobbers.len() - 1
        }) as u32)
    }

    /// The registers that an instruction destroys besides its definitions.
    #[inline]
    pub fn clobbered(&self, inst: Inst) -> &[Clobber] {
        let set = self.insts[inst.0 as usize].clobbers;
        set.and_then(|set| self.clobbers.get(set.0 as usize)).map_or(&[], |set| set)
    }

    /// Everything that some instruction may destroy, each set once.
    pub fn all_clobbers(&self) -> impl Iterator<Item = &Clobber> {
        self.clobbers.iter().flatten()
    }

    /// The blocks in order.
    #[inline]
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = Block> + ExactSizeIterator + use<> {
        (0..self.blocks.len() as u32).map(Block)
    }

    /// A block.
    #[inline]
    pub fn block_data(&self, block: Block) -> &BlockData {
        &self.blocks[block.0 as usize]
    }

    /// A block, to be changed.
    #[inline]
    pub fn block_mut(&mut self, block: Block) -> &mut BlockData {
        &mut self.blocks[block.0 as usize]
    }

    /// The instructions of a block in order.
    #[inline]
    pub fn insts(&self, block: Block) -> &[Inst] {
        &self.blocks[block.0 as usize].insts
    }

    /// An instruction.
    #[inline]
    pub fn inst(&self, inst: Inst) -> &InstData {
        &self.insts[inst.0 as usize]
    }

    /// An instruction, to be changed.
    #[inline]
    pub fn inst_mut(&mut self, inst: Inst) -> &mut InstData {
        &mut self.insts[inst.0 as usize]
    }

    /// What an instruction does.
    #[inline]
    pub fn op(&self, inst: Inst) -> Op {
        self.insts[inst.0 as usize].op
    }

    /// What an instruction writes.
    #[inline]
    pub fn defs(&self, inst: Inst) -> &[Operand] {
        let data = &self.insts[inst.0 as usize];
        &self.operands[data.start as usize..][..usize::from(data.defs)]
    }

    /// What an instruction writes, to be changed.
    #[inline]
    pub fn defs_mut(&mut self, inst: Inst) -> &mut [Operand] {
        let data = &self.insts[inst.0 as usize];
        &mut self.operands[data.start as usize..][..usize::from(data.defs)]
    }

    /// What an instruction reads.
    #[inline]
    pub fn uses(&self, inst: Inst) -> &[Operand] {
        let data = &self.insts[inst.0 as usize];
        &self.operands[data.start as usize + usize::from(data.defs)..][..usize::from(data.uses)]
    }

    /// What an instruction reads, to be changed.
    #[inline]
    pub fn uses_mut(&mut self, inst: Inst) -> &mut [Operand] {
        let data = &self.insts[inst.0 as usize];
        &mut self.operands[data.start as usize + usize::from(data.defs)..][..usize::from(data.uses)]
    }

    /// What an instruction writes, then what it reads.
    #[inline]
    pub fn operands(&self, inst: Inst) -> &[Operand] {
        let data = &self.insts[inst.0 as usize];
        &self.operands[data.start as usize..][..usize::from(data.defs) + usize::from(data.uses)]
    }

    /// What is known of a value.
    #[inline]
    pub fn value_data(&self, value: Value) -> ValueData {
        self.values[value.0 as usize]
    }

    /// How many values there are; handles are below it.
    #[inline]
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// How many instructions there are, those in no block included; handles are below it.
    #[inline]
    pub fn inst_count(&self) -> usize {
        self.insts.len()
    }

    /// How many blocks there are; handles are below it.
    #[inline]
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }
}
