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
//! Files whose values are parked in another file are made to fit before all this ([`park`](crate::park())).
//! What a file spills to may spill on: a value that finds no slot in the lanes of lane registers
//! ([`Domain::LinearLane`](crate::Domain)) gets one in memory. Lanes are borrowed right behind what the lane file
//! needs. A file that occupancy depends on is first tried within the step that the pressure
//! asks for, and gets the next one where that would make values leave ([`room`]).

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
mod room;
mod slots;
mod step;
mod units;
mod usage;

use crate::code::{Code, Inst, Value};
use crate::copies::{Place, is_memory};
use crate::file::{File, RegFile};
use crate::op::Op;
use crate::operand::Operand;
use crate::park::{Known, park_within};
use crate::pressure::Pressure;
use crate::touch::Touches;

pub use error::AllocateError;
use facts::Facts;
use insert::{Home, Insert, Spare, Where, materialise};
use pass::Pass;
use room::{behind, hosts, next_limit};
use units::UnitSet;

/// What allocation did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// One past the highest unit in use, for each file.
    pub used: Vec<u16>,
    /// How many waves or threads run at once with that, where a file says so: the fewest of all.
    pub waves: Option<u16>,
    /// Values moved within a file to make room or to meet others.
    pub moves: u32,
    /// Values stored behind their definition.
    pub spills: u32,
    /// Loads of spilled values, those on edges not counted.
    pub reloads: u32,
    /// Values that are made again instead.
    pub remats: u32,
    /// Values that left a small file for another one.
    pub parked: u32,
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
    /// A value of a small file is not brought to its place in another file, or not back: the
    /// n-th time in the function.
    Parking(u32),
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
    let known = Known::of(code, files);
    refuse_hopeless(code, files, &known.pressure)?;
    let (parked, known) = park_within(code, files, known);
    let mut work = Work::new(code, files, known);
    (work.fault, work.totals.parked) = (fault, parked);
    for file in order(files) {
        work.file(code, files, file)?;
    }
    work.forget_by_fault();
    materialise(code, files, &mut work.inserts, &work.home);
    if let Some(Fault::Parking(n)) = fault {
        forget_parking(code, files, n);
    }
    let waves = files.iter().zip(&work.totals.used).filter_map(|(file, &used)| file.waves(used));
    work.totals.waves = waves.min();
    Ok(work.totals)
}

/// Refuses code of which so much is alive at once that no search for places would end well, or soon: twice as much as
/// there is behind the registers, since constants may be made again.
fn refuse_hopeless(code: &Code, files: &[RegFile], pressure: &Pressure) -> Result<(), AllocateError> {
    for file in (0..files.len() as u8).map(File) {
        let allowed = behind(files, file);
        let needed = pressure.most()[usize::from(file.0)].saturating_sub(code.capacity(files, file));
        if allowed > 0 && needed > 2 * allowed {
            return Err(AllocateError::SpillSpace { file, needed, allowed });
        }
    }
    Ok(())
}

struct Work {
    known: Known,
    fault: Option<Fault>,
    inserts: Vec<Insert>,
    home: Home,
    /// Units of each file that are slots or scratch of others.
    taken: Vec<UnitSet>,
    /// Units of each file that operands ask for by number.
    asked: Vec<UnitSet>,
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
        let phis = code.insts(block).iter().take_while(|&&inst| code.op(inst) == Op::Phi).count();
        let mut trivial = 0;
        for n in 0..phis {
            let inst = code.insts(block)[n];
            if code.uses(inst).len() == 1 {
                code.inst_mut(inst).op = Op::Pcopy;
                trivial += 1;
            }
        }
        // Copies stand behind the phis that remain. All that a trivial phi reads is defined
        // outside of the block, except along the edges of a loop of one block, where it has two uses.
        if trivial > 0 {
            let mut insts = std::mem::take(&mut code.block_mut(block).insts);
            insts[..phis].sort_by_key(|&inst| code.op(inst) != Op::Phi);
            code.block_mut(block).insts = insts;
        }
    }
}

/// Gives copies that the code had before a scratch unit.
fn equip_copies(code: &mut Code, file: File, touches: &Touches, unit: u16) {
    for block in code.blocks() {
        for copy in touches.of(block).iter().filter(|touch| touch.is_copy() && touch.is_def()) {
            let inst = code.insts(block)[copy.pos as usize];
            // The first definition speaks for all.
            if copy.number == 0 && code.operands(inst).len() > 2 {
                let uses = code.uses(inst).to_vec();
                let mut defs = code.defs(inst).to_vec();
                defs.push(Operand::reg(file, unit, 1));
                code.set_operands(inst, &defs, &uses);
            }
        }
    }
}

/// The fault that tests seed: the n-th transfer between two register files is forgotten.
fn forget_parking(code: &mut Code, files: &[RegFile], mut n: u32) {
    for block in code.blocks() {
        let is_parking = |&inst: &Inst| {
            let registers = code.operands(inst).iter().all(|o| !is_memory(files, o.file));
            matches!(code.op(inst), Op::Spill | Op::Reload) && registers
        };
        let here: Vec<usize> =
            (0..code.insts(block).len()).filter(|&pos| is_parking(&code.insts(block)[pos])).collect();
        match here.get(n as usize) {
            Some(&pos) => {
                code.block_mut(block).insts.remove(pos);
                return;
            }
            None => n -= here.len() as u32,
        }
    }
}

/// Takes back the places that a scan with too little room has given.
fn forget_places(code: &mut Code, file: File) {
    for block in code.blocks() {
        for pos in 0..code.insts(block).len() {
            let inst = code.insts(block)[pos];
            let defs = code.defs(inst).len();
            for number in 0..defs + code.uses(inst).len() {
                let operand = match number < defs {
                    true => &mut code.defs_mut(inst)[number],
                    false => &mut code.uses_mut(inst)[number - defs],
                };
                if operand.file == file && operand.value().is_some() {
                    operand.reg = None;
                }
            }
        }
    }
}

/// Units of those values.
fn units(code: &Code, set: &[bool]) -> u32 {
    let values = (0..set.len()).filter(|&v| set[v]);
    values.map(|v| u32::from(code.value_data(Value(v as u32)).size)).sum()
}

impl Work {
    fn new(code: &Code, files: &[RegFile], known: Known) -> Work {
        let home = Home {
            slots: vec![None; code.value_count()],
            remat: vec![None; code.value_count()],
            spare: vec![Spare::default(); files.len()],
        };
        let taken = vec![UnitSet::default(); files.len()];
        let totals = Totals { used: vec![0; files.len()], ..Totals::default() };
        let asked = room::asked(code, files, &known.touches);
        Work { known, fault: None, inserts: Vec::new(), home, taken, asked, totals }
    }

    fn file(&mut self, code: &mut Code, files: &[RegFile], file: File) -> Result<(), AllocateError> {
        if self.known.touches[usize::from(file.0)].all().is_empty() {
            return Ok(());
        }
        let first = self.inserts.len();
        let spilled = self.scan(code, files, file)?;
        if let Some(unit) = self.home.spare[usize::from(file.0)].register {
            equip_copies(code, file, &self.known.touches[usize::from(file.0)], unit);
            let is_wide = |insert: &Insert| insert.transfers.len() > 1;
            if self.inserts[first..].iter().any(is_wide) {
                let used = &mut self.totals.used[usize::from(file.0)];
                *used = (*used).max(unit + 1);
            }
        }
        if spilled.is_empty() {
            return Ok(());
        }
        let mut left = vec![false; code.value_count()];
        for (value, again) in spilled {
            left[value.0 as usize] = again.is_none();
            self.home.remat[value.0 as usize] = again;
        }
        self.give_slots(code, files, file, &mut left, first)
    }

    /// Goes over the file, with more of it as long as less costs more than it saves. What left its
    /// registers, and what can be made again.
    fn scan(
        &mut self,
        code: &mut Code,
        files: &[RegFile],
        file: File,
    ) -> Result<Vec<(Value, Option<Inst>)>, AllocateError> {
        let (first, before) = (self.inserts.len(), self.totals.clone());
        let mut limit = self.first_limit(code, files, file);
        loop {
            let allowed = self.allowed(code, files, file, limit)?;
            let facts = Facts { files, file, known: &self.known };
            let (inserts, totals) = (&mut self.inserts, &mut self.totals);
            let mut pass = Pass::new(code, facts, &allowed, inserts, totals);
            pass.fault = self.fault;
            let done = pass.run();
            let spilled = pass.into_spilled();
            let next = next_limit(files, file, limit);
            if next == limit || done.is_ok() && spilled.is_empty() {
                return done.map(|()| spilled);
            }
            limit = next;
            self.inserts.truncate(first);
            self.totals = before.clone();
            forget_places(code, file);
        }
    }

    /// Gives what is left slots in the files that it is spilled to, the nearest first.
    fn give_slots(
        &mut self,
        code: &Code,
        files: &[RegFile],
        file: File,
        left: &mut [bool],
        first: usize,
    ) -> Result<(), AllocateError> {
        let mine = left.to_vec();
        let all = || hosts(files, file).map(|to| (to, false)).chain(hosts(files, file).map(|to| (to, true)));
        for (to, squeeze) in all() {
            if !left.contains(&true) {
                break;
            }
            let closed = self.closed(code, files, to, squeeze);
            let facts = Facts { files, file, known: &self.known };
            slots::slots(code, facts, to, &closed, left, &mut self.home.slots);
            let slots = self.home.slots.iter().enumerate().filter(|&(v, _)| mine[v]);
            for (v, place) in
                slots.filter_map(|(v, place)| Some((v, place.filter(|place| place.file == to)?)))
            {
                let start = usize::from(place.unit);
                let size = usize::from(code.value_data(Value(v as u32)).size);
                self.taken[usize::from(to.0)].add(start..start + size);
            }
        }
        // Edges may have to turn cycles that go through slots, or to move slot to slot.
        let on_edge = |insert: &Insert| {
            insert.rank == insert::Rank::Edge && insert.transfers.iter().any(|t| t.place == Where::Slot)
        };
        let mut needed = units(code, left);
        if self.inserts[first..].iter().any(on_edge) {
            let memory = all().find_map(|(to, squeeze)| self.scratch(code, files, to, squeeze));
            self.home.spare[usize::from(file.0)].memory = memory;
            needed += if memory.is_none() { 2 } else { 0 };
        }
        self.count_taken(files);
        if needed == 0 {
            return Ok(());
        }
        let allowed = behind(files, file);
        let needed =
            needed + hosts(files, file).map(|to| u32::from(self.totals.used[usize::from(to.0)])).sum::<u32>();
        Err(AllocateError::SpillSpace { file, needed, allowed })
    }

    /// Two units of a spill file behind one another, from now on taken.
    fn scratch(&mut self, code: &Code, files: &[RegFile], to: File, squeeze: bool) -> Option<Place> {
        let closed = self.closed(code, files, to, squeeze);
        let at = closed.windows(2).position(|two| two == [false, false])? as u16;
        self.taken[usize::from(to.0)].add(usize::from(at)..usize::from(at) + 2);
        Some(Place { file: to, unit: at })
    }

    /// Slots count as used, in their own file and where that lies in another.
    fn count_taken(&mut self, files: &[RegFile]) {
        for (file, (facts, taken)) in files.iter().zip(&self.taken).enumerate() {
            let Some(last) = taken.end().checked_sub(1) else { continue };
            let under = facts.alias.map(|alias| (usize::from(alias.file.0), alias.unit(last as u16)));
            for (file, last) in [Some((file, last as u16)), under].into_iter().flatten() {
                self.totals.used[file] = self.totals.used[file].max(last + 1);
            }
        }
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
