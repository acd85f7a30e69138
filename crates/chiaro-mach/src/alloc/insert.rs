//! What the allocator adds to the code, kept aside until slots are known.

use crate::code::{Block, Code, Inst, Value};
use crate::copies::{Place, is_memory};
use crate::file::{File, RegFile};
use crate::op::Op;
use crate::operand::{Operand, What};

/// Where a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Where {
    /// From this unit of its file.
    Register(u16),
    /// In its slot.
    Slot,
}

/// Units of a value and where they come from and go to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    /// Whose slot it goes to: its own, or that of the phi that it becomes.
    pub(super) to: Value,
    /// Where it arrives. A register is that of the part's first unit.
    pub(super) place: Where,
    /// What is carried.
    pub(super) from: Value,
    /// Where it is.
    pub(super) source: Where,
    /// The first unit of the value that is carried.
    pub(super) offset: u16,
    /// How many.
    pub(super) size: u16,
}

/// Whereabouts in a gap between instructions. Things happen in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Rank {
    /// On the only edge into the block.
    Spill,
    /// Moves to make room.
    Shuffle,
    /// What the next instruction reads.
    Reload,
    /// On the only edge out of the block.
    Edge,
}

/// Transfers that happen at once, before an instruction.
#[derive(Clone, Debug)]
pub(super) struct Insert {
    /// The block.
    pub(super) block: Block,
    /// Before this instruction of it; its length for the end.
    pub(super) pos: u32,
    /// Where in that gap.
    pub(super) rank: Rank,
    /// What is moved.
    pub(super) transfers: Vec<Transfer>,
}

/// Scratch places of a file for sequences of copies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spare {
    pub(super) register: Option<u16>,
    /// The first of two units.
    pub(super) memory: Option<Place>,
}

/// Where values are that have left their registers.
#[derive(Clone, Debug, Default)]
pub(super) struct Home {
    /// The first unit of every spilled value.
    pub(super) slots: Vec<Option<Place>>,
    /// The instruction that makes a value again in place of loading it.
    pub(super) remat: Vec<Option<Inst>>,
    /// Scratch places of each file.
    pub(super) spare: Vec<Spare>,
}

/// Makes instructions of what was kept aside, once every slot is known.
pub(super) fn materialise(code: &mut Code, files: &[RegFile], inserts: &mut [Insert], home: &Home) {
    inserts.sort_by_key(|i| (i.block, i.pos, i.rank));
    let mut rest = &*inserts;
    while let Some(first) = rest.first() {
        let block = first.block;
        let (here, later) = rest.split_at(rest.partition_point(|i| i.block == block));
        rest = later;
        let old = std::mem::take(&mut code.block_mut(block).insts);
        let mut new = Vec::with_capacity(old.len() + here.len());
        let mut next = 0;
        for insert in here {
            let upto = (insert.pos as usize).min(old.len());
            new.extend_from_slice(&old[next..upto]);
            next = upto;
            let span = old.get(upto).and_then(|&inst| code.inst(inst).span);
            let made = new.len();
            make(code, files, insert, home, &mut new);
            new[made..].iter().for_each(|&inst| code.inst_mut(inst).span = span);
        }
        new.extend_from_slice(&old[next..]);
        code.block_mut(block).insts = new;
    }
}

fn make(code: &mut Code, files: &[RegFile], insert: &Insert, home: &Home, new: &mut Vec<Inst>) {
    let is_again = |t: &&Transfer| t.source == Where::Slot && home.remat[t.from.0 as usize].is_some();
    let carried = insert.transfers.iter().filter(|t| !is_again(t));
    let ends: Vec<(Operand, Operand)> =
        carried.map(|t| (end(code, t, t.to, t.place, home), end(code, t, t.from, t.source, home))).collect();
    // Reloads and spills of one instruction do not read what the others write.
    if matches!(insert.rank, Rank::Spill | Rank::Reload) {
        for (def, used) in ends {
            let op = if is_memory(files, def.file) { Op::Spill } else { Op::Reload };
            new.push(code.make(op, &[def], &[used]));
        }
    } else if !ends.is_empty() {
        let file = insert.transfers.first().map_or(File(0), |t| code.value_data(t.from).file);
        new.push(make_copy(code, ends, home, file));
    }
    // What is made again reads no register, and may stand behind what still reads its place.
    for t in insert.transfers.iter().filter(is_again) {
        let def = end(code, t, t.to, t.place, home);
        if let Some(inst) = home.remat[t.from.0 as usize] {
            new.push(code.repeat(inst, &[def]));
        }
    }
}

fn make_copy(code: &mut Code, ends: Vec<(Operand, Operand)>, home: &Home, file: File) -> Inst {
    let (mut defs, uses): (Vec<Operand>, Vec<Operand>) = ends.into_iter().unzip();
    let Spare { register, memory } = home.spare.get(usize::from(file.0)).copied().unwrap_or_default();
    defs.extend(register.map(|unit| Operand::reg(file, unit, 1)));
    defs.extend(memory.map(|place| Operand::reg(place.file, place.unit, 2)));
    code.make(Op::Pcopy, &defs, &uses)
}

fn end(code: &Code, t: &Transfer, owner: Value, place: Where, home: &Home) -> Operand {
    let file = code.value_data(owner).file;
    // A phi is equal to its use on the edge: what is carried keeps its own name.
    let whole = Operand { what: What::Value(t.from), offset: t.offset, size: t.size, ..Operand::default() };
    match place {
        Where::Register(unit) => Operand { file, reg: Some(unit), ..whole },
        Where::Slot => {
            let slot = home.slots.get(owner.0 as usize).copied().flatten();
            let file = slot.map_or(file, |slot| slot.file);
            Operand { file, reg: slot.map(|slot| slot.unit + t.offset), ..whole }
        }
    }
}
