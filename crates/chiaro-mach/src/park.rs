//! Parks values of small register files, of flags and addresses, in values of another file.
//!
//! Before: SSA. After: no file whose `spill_to` is a register file, or which has none, needs more units
//! than it has, as far as its values can leave it.
//!
//! ```text
//! v1:flag = compare v0              v1:flag = compare v0
//!                                   v4:s = spill v1
//! v2:flag = compare v3              v2:flag = compare v3
//! select v2                         select v2
//!                                   v5:flag = reload v4
//! select v1                         select v5
//! ```
//!
//! What is parked is an ordinary value of the other file, so that it may move, be spilled and live
//! across calls there. An instruction that may be done again is done again instead, where no phi asks for
//! the value. A phi of parked values is a phi of that file.
//!
//! Values that cross the border of a block in which the file is short are parked throughout. Within a
//! block, what is used again last leaves first.

use std::collections::HashMap;

use crate::code::{Block, Code, Graph, Inst, Value};
use crate::file::{File, RegFile};
use crate::liveness::{Liveness, liveness_of};
use crate::op::Op;
use crate::operand::{Operand, What};
use crate::pressure::{Pressure, pressure_of, weight};
use crate::touch::{Touches, look_ahead, touches};

/// Parks what does not fit, in all files that ask for it. How many values.
pub fn park(code: &mut Code, files: &[RegFile]) -> u32 {
    park_within(code, files).0
}

/// What analyses know of code.
pub(crate) struct Known {
    pub(crate) touches: Vec<Touches>,
    pub(crate) live: Liveness,
    pub(crate) pressure: Pressure,
}

impl Known {
    fn of(code: &Code, files: &[RegFile]) -> Known {
        let mut touches = touches(code, files.len());
        let live = liveness_of(code, files, &touches);
        look_ahead(code, &live, &mut touches);
        let pressure = pressure_of(code, &live, &touches);
        Known { touches, live, pressure }
    }
}

/// As [`park`]; also what is known of the code afterwards.
pub(crate) fn park_within(code: &mut Code, files: &[RegFile]) -> (u32, Known) {
    let mut count = 0;
    let mut known = Known::of(code, files);
    // Files that instructions touch which were added since.
    let mut stale = vec![false; files.len()];
    for file in (0..files.len() as u8).map(File).filter(|&file| parks(files, file)) {
        if stale[usize::from(file.0)] {
            known = Known::of(code, files);
            stale.fill(false);
        }
        if fits(code, files, file, &known) {
            continue;
        }
        let first = code.inst_count();
        let mut parking = Parking::new(code, files, file, &known.live);
        parking.choose(code, &known.pressure);
        for block in code.blocks().filter(|&block| known.touches[usize::from(file.0)].is_touched(block)) {
            parking.block(code, block);
        }
        count += parking.parked.iter().filter(|&&parked| parked).count() as u32;
        for file in [Some(file), parking.host].into_iter().flatten() {
            stale[usize::from(file.0)] = true;
        }
        for operand in (first..code.inst_count()).flat_map(|inst| code.operands(Inst(inst as u32))) {
            stale.get_mut(usize::from(operand.file.0)).into_iter().for_each(|stale| *stale = true);
        }
    }
    if stale.contains(&true) {
        known = Known::of(code, files);
    }
    (count, known)
}

/// Whether values of a file leave it for another register file, or not at all.
fn parks(files: &[RegFile], file: File) -> bool {
    let facts = &files[usize::from(file.0)];
    let to = facts.spill_to.and_then(|to| files.get(usize::from(to.0)));
    !facts.memory && to.is_none_or(|to| !to.memory)
}

/// Whether all values of a file have room at all times.
fn fits(code: &Code, files: &[RegFile], file: File, known: &Known) -> bool {
    let number = usize::from(file.0);
    let most = known.pressure.most()[number];
    most == 0 || most <= code.capacity(files, file) && !known.touches[number].is_hard
}

/// A value in its register, under the name that it has there.
#[derive(Clone, Copy)]
struct Held {
    value: Value,
    name: Value,
}

struct Parking<'a> {
    live: &'a Liveness,
    file: File,
    /// Where values are parked.
    host: Option<File>,
    /// How many units values may have.
    room: u32,
    /// Values that are parked; those made here have numbers beyond it.
    parked: Vec<bool>,
    /// The value of the host that stands in for each.
    stand_in: HashMap<Value, Value>,
    /// What can be done again for each value.
    again: HashMap<Value, Inst>,
    /// What is in registers at this point of the scan.
    held: Vec<Held>,
    /// Where each value is used in the block, in falling order.
    uses: HashMap<Value, Vec<u32>>,
}

impl<'a> Parking<'a> {
    fn new(code: &Code, files: &[RegFile], file: File, live: &'a Liveness) -> Parking<'a> {
        let facts = &files[usize::from(file.0)];
        let lives_alike = |to: &File| {
            let to = files.get(usize::from(to.0));
            to.is_some_and(|to| {
                Graph::of(to.domain) == Graph::of(facts.domain) && to.unit_bits >= facts.unit_bits
            })
        };
        Parking {
            live,
            file,
            host: facts.spill_to.filter(lives_alike),
            room: code.capacity(files, file),
            parked: vec![false; code.value_count()],
            stand_in: HashMap::new(),
            again: again(code, file),
            held: Vec::new(),
            uses: HashMap::new(),
        }
    }

    fn can_park(&self, value: Value) -> bool {
        self.host.is_some() || self.again.contains_key(&value)
    }

    /// Parks what crosses borders of blocks in which the file is short, and whatever meets that in phis.
    fn choose(&mut self, code: &Code, pressure: &Pressure) {
        let mut waiting = Vec::new();
        for block in code.blocks() {
            let destroys = |&inst: &Inst| code.clobbered(inst).iter().any(|c| c.file == self.file);
            let short = pressure.of(block)[usize::from(self.file.0)] > self.room;
            if short || code.insts(block).iter().any(destroys) {
                let phis = code.insts(block).iter().take_while(|&&inst| code.op(inst) == Op::Phi);
                waiting.extend(phis.flat_map(|&inst| code.defs(inst)).filter_map(Operand::value));
                waiting.extend(self.live.into(block).chain(self.live.out(block)));
            }
        }
        let meets = phi_neighbours(code, self.file);
        while let Some(value) = waiting.pop() {
            let mine = code.value_data(value).file == self.file && self.can_park(value);
            if mine && !std::mem::replace(&mut self.parked[value.0 as usize], true) {
                waiting.extend(meets.get(&value).into_iter().flatten());
            }
        }
        // A phi reads registers of the host: what it joins has to be there and not only to be made again.
        self.again.retain(|value, _| !meets.contains_key(value));
    }

    fn is_parked(&self, value: Value) -> bool {
        self.parked.get(value.0 as usize).copied().unwrap_or(false)
    }

    fn stand_in(&mut self, code: &mut Code, value: Value) -> Option<Value> {
        let host = self.host?;
        let size = code.value_data(value).size;
        Some(*self.stand_in.entry(value).or_insert_with(|| code.value(host, size, 1)))
    }

    fn mine(&self, code: &Code, operands: &[Operand]) -> Vec<Value> {
        let mut found: Vec<Value> = operands.iter().filter_map(Operand::value).collect();
        found.retain(|&value| code.value_data(value).file == self.file);
        found.sort_unstable();
        found.dedup();
        found
    }

    fn block(&mut self, code: &mut Code, block: Block) {
        self.look_ahead(code, block);
        let old = std::mem::take(&mut code.block_mut(block).insts);
        let mut new = Vec::with_capacity(old.len());
        // Where values are defined: behind so many instructions of the new ones.
        let mut born: Vec<(usize, Value)> = Vec::new();
        let mut heads = Vec::new();
        for (pos, &inst) in (0..).zip(&old) {
            if code.op(inst) == Op::Phi {
                self.phi(code, inst, &mut heads);
                continue;
            }
            self.inst(code, block, pos, inst, &mut new);
            let defs = self.mine(code, code.defs(inst));
            born.extend(defs.into_iter().map(|value| (new.len(), value)));
        }
        let mut made = heads;
        let mut rest = 0;
        for (at, value) in born {
            made.extend_from_slice(&new[rest..at]);
            rest = at;
            made.extend(self.store(code, value));
        }
        made.extend_from_slice(&new[rest..]);
        code.block_mut(block).insts = made;
    }

    /// What is in registers at the head of a block, and where values are used in it.
    fn look_ahead(&mut self, code: &Code, block: Block) {
        self.held.clear();
        self.uses.clear();
        for value in self.live.into(block) {
            if code.value_data(value).file == self.file && !self.is_parked(value) {
                self.held.push(Held { value, name: value });
            }
        }
        for (pos, &inst) in code.insts(block).iter().enumerate().rev() {
            if code.op(inst) != Op::Phi {
                for value in self.mine(code, code.uses(inst)) {
                    self.uses.entry(value).or_default().push(pos as u32);
                }
            }
        }
    }

    fn phi(&mut self, code: &mut Code, inst: Inst, heads: &mut Vec<Inst>) {
        let value = code.defs(inst).first().and_then(Operand::value);
        let Some(value) = value.filter(|&value| code.value_data(value).file == self.file) else {
            return heads.push(inst);
        };
        if !self.is_parked(value) {
            self.held.push(Held { value, name: value });
            return heads.push(inst);
        }
        let mut uses = code.uses(inst).to_vec();
        for used in &mut uses {
            let whole = used.value().and_then(|value| self.stand_in(code, value));
            used.file = self.host.unwrap_or(used.file);
            used.what = whole.map_or(What::Undef, What::Value);
        }
        let Some(whole) = self.stand_in(code, value) else { return heads.push(inst) };
        let def = code.operand(whole);
        code.set_operands(inst, &[def], &uses);
        heads.push(inst);
    }

    /// Behind the definition of a value that is parked.
    fn store(&mut self, code: &mut Code, value: Value) -> Option<Inst> {
        if !self.is_parked(value) || self.again.contains_key(&value) {
            return None;
        }
        let whole = self.stand_in(code, value)?;
        let (def, used) = (code.operand(whole), code.operand(value));
        Some(code.make(Op::Spill, &[def], &[used]))
    }

    fn inst(&mut self, code: &mut Code, block: Block, pos: u32, inst: Inst, new: &mut Vec<Inst>) {
        let uses = self.mine(code, code.uses(inst));
        let defs = self.mine(code, code.defs(inst));
        let destroys = code.clobbered(inst).iter().any(|c| c.file == self.file);
        let overlaps =
            code.operands(inst).iter().any(|o| o.file == self.file && (o.late_kill || o.early_clobber));
        // While it reads: what it uses, and what is needed later.
        let read = total(code, &uses);
        self.make_room(code, block, pos, &uses, self.room.saturating_sub(read));
        for &value in &uses {
            let name = self.load(code, value, inst, new);
            for used in code.uses_mut(inst).iter_mut().filter(|used| used.value() == Some(value)) {
                used.what = What::Value(name);
            }
        }
        // Once it has written: its results, and what is needed later.
        let written = total(code, &defs) + if overlaps { read } else { 0 };
        let left = if destroys { 0 } else { self.room.saturating_sub(written) };
        let held = std::mem::take(&mut self.held);
        let is_wanted = |h: &Held| next(&self.uses, h.value, pos).is_some() || self.stays(block, h.value);
        self.held = held.into_iter().filter(is_wanted).collect();
        self.make_room(code, block, pos, &[], left);
        self.held.extend(defs.into_iter().map(|value| Held { value, name: value }));
        new.push(inst);
    }

    /// Whether a value is wanted in its register at the end of the block.
    fn stays(&self, block: Block, value: Value) -> bool {
        !self.is_parked(value) && self.live.is_out(block, value)
    }

    /// Lets values leave until the others, `but` those, take no more than so many units.
    fn make_room(&mut self, code: &Code, block: Block, pos: u32, but: &[Value], room: u32) {
        loop {
            let others = self.held.iter().filter(|held| !but.contains(&held.value));
            let taken: u32 = others.clone().map(|held| weight(code.value_data(held.value))).sum();
            let can_leave = others.filter(|held| self.can_park(held.value) && !self.stays(block, held.value));
            let last = can_leave.max_by_key(|held| next(&self.uses, held.value, pos).unwrap_or(u32::MAX));
            let Some(&Held { value, .. }) = last.filter(|_| taken > room) else { return };
            self.held.retain(|held| held.value != value);
            // What nothing reads any more simply ends.
            if next(&self.uses, value, pos).is_some()
                && let Some(parked) = self.parked.get_mut(value.0 as usize)
            {
                *parked = true;
            }
        }
    }

    /// The name under which a value is in its register, loaded if it is not.
    fn load(&mut self, code: &mut Code, value: Value, user: Inst, new: &mut Vec<Inst>) -> Value {
        if let Some(held) = self.held.iter().find(|held| held.value == value) {
            return held.name;
        }
        let data = code.value_data(value);
        let name = code.value(data.file, data.size, data.align);
        let def = code.operand(name);
        let made = match self.again.get(&value) {
            Some(&again) => code.repeat(again, &[def]),
            None => {
                let Some(whole) = self.stand_in(code, value) else { return value };
                let used = code.operand(whole);
                code.make(Op::Reload, &[def], &[used])
            }
        };
        code.inst_mut(made).span = code.inst(user).span;
        new.push(made);
        self.held.push(Held { value, name });
        name
    }
}

/// The next use of a value behind a place in the block.
fn next(uses: &HashMap<Value, Vec<u32>>, value: Value, pos: u32) -> Option<u32> {
    uses.get(&value)?.iter().rev().copied().find(|&at| at > pos)
}

fn total(code: &Code, values: &[Value]) -> u32 {
    values.iter().map(|&value| weight(code.value_data(value))).sum()
}

/// What can be done again for values of a file. It may not read the file itself.
fn again(code: &Code, file: File) -> HashMap<Value, Inst> {
    let insts = code.blocks().flat_map(|block| code.insts(block)).copied();
    let value = |inst: Inst| {
        let [def] = code.defs(inst) else { return None };
        let alone = code.inst(inst).remat && code.uses(inst).iter().all(|u| !u.in_file() || u.file != file);
        Some((def.value().filter(|_| alone && def.file == file && def.comps.is_empty())?, inst))
    };
    insts.filter_map(value).collect()
}

/// For each value of a file that phis join with others: the others.
fn phi_neighbours(code: &Code, file: File) -> HashMap<Value, Vec<Value>> {
    let mut meets: HashMap<Value, Vec<Value>> = HashMap::new();
    let insts = code.blocks().flat_map(|block| code.insts(block)).copied();
    for inst in insts.filter(|&inst| code.op(inst) == Op::Phi) {
        let Some(phi) = code.defs(inst).first().filter(|def| def.file == file).and_then(Operand::value)
        else {
            continue;
        };
        meets.entry(phi).or_default();
        for used in code.uses(inst).iter().filter_map(Operand::value) {
            meets.entry(phi).or_default().push(used);
            meets.entry(used).or_default().push(phi);
        }
    }
    meets
}
