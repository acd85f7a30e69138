//! Register allocation on SSA: blocks in order, instructions in order, each file by itself.
//!
//! Every value that is alive has a register or is in its slot. A result takes a free place; if
//! constraints or fragmentation stand in the way, what is alive is packed anew and moved by a
//! parallel copy ([`plan`]); if there is too little room, what costs least leaves for its slot
//! ([`pass`]). Where paths meet, copies on the edges agree ([`join`]). A spilled value is stored
//! once, behind its definition, which comes before every use: its slot is good wherever it is
//! alive, and values can be dropped from registers at any time.
//!
//! Needed before: code passes [`verify`](crate::verify()); blocks stand in an order in which
//! every one but the first has an earlier predecessor; no edge is critical
//! ([`split_critical_edges`](crate::split_critical_edges())); the exit of a block with one
//! successor reads no values; a definition covers its value.
//! True after: every operand that is a value names its register; copies are parallel copies,
//! which [`lower_copies`](crate::lower_copies()) takes apart.
//!
//! Registers of the wave can be spilled into lanes of lane registers ([`Domain::LinearLane`]):
//! that file has an [`Alias`](crate::Alias), and what spilling takes of it is taken from the
//! lane file for the whole function.

mod enter;
mod error;
mod facts;
mod hints;
mod insert;
mod join;
mod operands;
mod pass;
mod place;
mod plan;
mod slots;
mod step;
mod usage;

use crate::code::{Code, Inst, Value};
use crate::copies::is_memory;
use crate::file::{File, RegFile};
use crate::liveness::{Liveness, liveness};
use crate::op::Op;
use crate::operand::Operand;
use crate::pressure::{Pressure, pressure};

pub use error::AllocateError;
use facts::Facts;
use insert::{Insert, Spare, Where, materialise};
use pass::Pass;

/// What allocation did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// One past the highest unit in use, for each file.
    pub used: Vec<u16>,
    /// Values moved within a file to make room or to meet others.
    pub moves: u32,
    /// Values stored behind their definition.
    pub spills: u32,
    /// Loads of spilled values, those on edges not counted.
    pub reloads: u32,
}

/// A fault that tests put in, to see the checker find it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// One move in front of this instruction is forgotten.
    Move(Inst),
    /// A result of this instruction is put where another value lives.
    Interference(Inst),
    /// One transfer on an edge is forgotten: the n-th of the function.
    Edge(u32),
    /// One store is forgotten: the n-th of the function.
    Store(u32),
}

/// Gives every value of a function its registers.
pub fn allocate(code: &mut Code, files: &[RegFile]) -> Result<Totals, AllocateError> {
    allocate_with_fault(code, files, None)
}

/// As [`allocate`], with a mistake: tests of checkers need wrong code.
pub fn allocate_with_fault(
    code: &mut Code,
    files: &[RegFile],
    fault: Option<Fault>,
) -> Result<Totals, AllocateError> {
    copy_trivial_phis(code);
    let live = liveness(code, files);
    let pressure = pressure(code, files, &live);
    let mut work = Work {
        live,
        pressure,
        fault,
        inserts: Vec::new(),
        slots: vec![None; code.value_count()],
        spare: vec![Spare::default(); files.len()],
        totals: Totals { used: vec![0; files.len()], ..Totals::default() },
    };
    for file in order(files) {
        work.file(code, files, file)?;
    }
    work.forget_by_fault();
    materialise(code, files, &mut work.inserts, &work.slots, &work.spare);
    Ok(work.totals)
}

struct Work {
    live: Liveness,
    pressure: Pressure,
    fault: Option<Fault>,
    inserts: Vec<Insert>,
    slots: Vec<Option<u16>>,
    spare: Vec<Spare>,
    totals: Totals,
}

/// Files in the order in which they can be done: those that others are spilled to first, so
/// that slots come behind their own values; those that others lie in last.
fn order(files: &[RegFile]) -> Vec<File> {
    let mut order: Vec<File> = (0..files.len() as u8).map(File).collect();
    let is_host = |file: File| files.iter().any(|f| f.alias.is_some_and(|alias| alias.file == file));
    order.sort_by_key(|&file| (is_host(file), !is_memory(files, file)));
    order
}

/// A trivial phi, with a single use, is a copy.
fn copy_trivial_phis(code: &mut Code) {
    for block in code.blocks() {
        for pos in 0..code.insts(block).len() {
            let inst = code.insts(block)[pos];
            if code.op(inst) == Op::Phi && code.uses(inst).len() == 1 {
                code.inst_mut(inst).op = Op::Pcopy;
            }
        }
        // Copies stand behind the phis that remain. All that a trivial phi reads is defined
        // outside of the block, except along the edges of a loop of one block, where it has two uses.
        let mut insts = std::mem::take(&mut code.block_mut(block).insts);
        let phis = insts.iter().take_while(|&&inst| matches!(code.op(inst), Op::Phi | Op::Pcopy)).count();
        insts[..phis].sort_by_key(|&inst| code.op(inst) != Op::Phi);
        code.block_mut(block).insts = insts;
    }
}

/// Gives copies that the code had before a scratch unit.
fn equip_copies(code: &mut Code, file: File, unit: u16) {
    for block in code.blocks() {
        for pos in 0..code.insts(block).len() {
            let inst = code.insts(block)[pos];
            let is_copy = matches!(code.op(inst), Op::Pcopy | Op::Collect | Op::Split);
            let mine = code.defs(inst).first().is_some_and(|def| def.file == file);
            if is_copy && mine && code.operands(inst).len() > 2 {
                let uses = code.uses(inst).to_vec();
                let mut defs = code.defs(inst).to_vec();
                defs.push(Operand::reg(file, unit, 1));
                code.set_operands(inst, &defs, &uses);
            }
        }
    }
}

fn has_values(code: &Code, file: File) -> bool {
    (0..code.value_count()).any(|value| code.value_data(Value(value as u32)).file == file)
}

impl Work {
    fn file(&mut self, code: &mut Code, files: &[RegFile], file: File) -> Result<(), AllocateError> {
        if !has_values(code, file) {
            return Ok(());
        }
        let allowed = self.allowed(files, file)?;
        let first = self.inserts.len();
        let facts = Facts { files, file, live: &self.live, pressure: &self.pressure };
        let (inserts, totals) = (&mut self.inserts, &mut self.totals);
        let mut pass = Pass::new(code, facts, &allowed, inserts, totals);
        pass.fault = self.fault;
        pass.run()?;
        let spilled = pass.spilled;
        if let Some(unit) = self.spare[usize::from(file.0)].register {
            equip_copies(code, file, unit);
        }
        self.give_slots(code, files, file, &spilled, first)
    }

    /// Which units of a file values may have.
    fn allowed(&mut self, files: &[RegFile], file: File) -> Result<Vec<bool>, AllocateError> {
        let facts = &files[usize::from(file.0)];
        if let Some(to) = facts.spill_to.and_then(|to| files.get(usize::from(to.0)))
            && to.unit_bits != facts.unit_bits
        {
            return Err(AllocateError::Unfit { file, rule: "spills to units of another size" });
        }
        let mut allowed: Vec<bool> = (0..facts.count).map(|unit| facts.is_free(unit)).collect();
        for (guest, used) in files.iter().zip(&self.totals.used) {
            let Some(alias) = guest.alias.filter(|alias| alias.file == file) else { continue };
            for unit in 0..*used {
                if let Some(free) = allowed.get_mut(usize::from(alias.unit(unit))) {
                    *free = false;
                }
            }
        }
        if facts.swaps.is_empty() && !is_memory(files, file) {
            let last = allowed.iter().rposition(|&free| free);
            let last = last.ok_or(AllocateError::Unfit { file, rule: "has no units" })?;
            allowed[last] = false;
            self.spare[usize::from(file.0)].register = Some(last as u16);
        }
        Ok(allowed)
    }

    fn give_slots(
        &mut self,
        code: &Code,
        files: &[RegFile],
        file: File,
        spilled: &[bool],
        first: usize,
    ) -> Result<(), AllocateError> {
        let Some(to) = files[usize::from(file.0)].spill_to.filter(|_| spilled.contains(&true)) else {
            return Ok(());
        };
        let closed = self.closed(code, files, to);
        let facts = Facts { files, file, live: &self.live, pressure: &self.pressure };
        let used = slots::slots(code, facts, spilled, &closed, &mut self.slots);
        let mut needed = used.max(u32::from(self.totals.used[usize::from(to.0)]));
        // Edges may have to turn cycles that go through slots, or to move slot to slot.
        let on_edge = |insert: &Insert| {
            insert.rank == insert::Rank::Edge && insert.transfers.iter().any(|t| t.place == Where::Slot)
        };
        if self.inserts[first..].iter().any(on_edge) {
            let open = |at: u32| closed.get(at as usize).is_some_and(|closed| !closed);
            while (needed as usize) < closed.len() && !(open(needed) && open(needed + 1)) {
                needed += 1;
            }
            self.spare[usize::from(file.0)].memory = u16::try_from(needed).ok();
            needed += 2;
        }
        let allowed = closed.len() as u32;
        if needed > allowed {
            return Err(AllocateError::SpillSpace { file, needed, allowed });
        }
        self.totals.used[usize::from(to.0)] = needed as u16;
        Ok(())
    }

    /// Units of a spill file that slots may not have: reserved ones, those with values of
    /// their own, those of files spilled before, and what any instruction destroys.
    fn closed(&self, code: &Code, files: &[RegFile], to: File) -> Vec<bool> {
        let facts = &files[usize::from(to.0)];
        let own = self.totals.used[usize::from(to.0)];
        let mut closed: Vec<bool> = (0..facts.count).map(|u| u < own || !facts.is_free(u)).collect();
        for clobber in code.all_clobbers() {
            for unit in 0..facts.count {
                let under = facts.alias.filter(|a| a.file == clobber.file).map(|a| a.unit(unit));
                let hit = clobber.file == to && clobber.units.contains(&unit);
                closed[usize::from(unit)] |= hit || under.is_some_and(|u| clobber.units.contains(&u));
            }
        }
        closed
    }

    /// The faults that tests seed into what was kept aside.
    fn forget_by_fault(&mut self) {
        let (rank, mut n) = match self.fault {
            Some(Fault::Edge(n)) => (insert::Rank::Edge, n),
            Some(Fault::Store(n)) => (insert::Rank::Spill, n),
            _ => return,
        };
        for insert in self.inserts.iter_mut().filter(|insert| insert.rank == rank) {
            let count = insert.transfers.len() as u32;
            if n < count {
                insert.transfers.remove(n as usize);
                break;
            }
            n -= count;
        }
        self.inserts.retain(|insert| !insert.transfers.is_empty());
    }
}
