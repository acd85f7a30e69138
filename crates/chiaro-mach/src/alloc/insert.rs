//! What the allocator adds to the code, kept aside until slots are known.

use crate::code::{Block, Code, Inst, Value};
use crate::copies::is_memory;
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
    pub(super) memory: Option<u16>,
}

/// Makes instructions of what was kept aside. `slots` has the first unit of every spilled
/// value; what every later index means has been settled before.
pub(super) fn materialise(
    code: &mut Code,
    files: &[RegFile],
    inserts: &mut [Insert],
    slots: &[Option<u16>],
    spare: &[Spare],
) {
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
            make(code, files, insert, slots, spare, &mut new);
            new[made..].iter().for_each(|&inst| code.inst_mut(inst).span = span);
        }
        new.extend_from_slice(&old[next..]);
        code.block_mut(block).insts = new;
    }
}

fn make(
    code: &mut Code,
    files: &[RegFile],
    insert: &Insert,
    slots: &[Option<u16>],
    spare: &[Spare],
    new: &mut Vec<Inst>,
) {
    let ends: Vec<(Operand, Operand)> = insert
        .transfers
        .iter()
        .map(|t| (end(code, files, t, t.to, t.place, slots), end(code, files, t, t.from, t.source, slots)))
        .collect();
    // Reloads and spills of one instruction do not read what the others write.
    if matches!(insert.rank, Rank::Spill | Rank::Reload) {
        for (def, used) in ends {
            let op = if is_memory(files, def.file) { Op::Spill } else { Op::Reload };
            new.push(code.make(op, &[def], &[used]));
        }
        return;
    }
    let (mut defs, uses): (Vec<Operand>, Vec<Operand>) = ends.into_iter().unzip();
    let home = insert.transfers.first().map_or(File(0), |t| code.value_data(t.from).file);
    let Spare { register, memory } = spare.get(usize::from(home.0)).copied().unwrap_or_default();
    let spill_to = files.get(usize::from(home.0)).and_then(|f| f.spill_to);
    defs.extend(register.map(|unit| Operand::reg(home, unit, 1)));
    if let (Some(file), Some(unit)) = (spill_to, memory) {
        defs.push(Operand::reg(file, unit, 2));
    }
    new.push(code.make(Op::Pcopy, &defs, &uses));
}

fn end(
    code: &Code,
    files: &[RegFile],
    t: &Transfer,
    owner: Value,
    place: Where,
    slots: &[Option<u16>],
) -> Operand {
    let home = code.value_data(owner).file;
    // A phi is equal to its use on the edge: what is carried keeps its own name.
    let whole = Operand { what: What::Value(t.from), offset: t.offset, size: t.size, ..Operand::default() };
    match place {
        Where::Register(unit) => Operand { file: home, reg: Some(unit), ..whole },
        Where::Slot => {
            let file = files.get(usize::from(home.0)).and_then(|f| f.spill_to).unwrap_or(home);
            let slot = slots.get(owner.0 as usize).copied().flatten();
            Operand { file, reg: slot.map(|slot| slot + t.offset), ..whole }
        }
    }
}
