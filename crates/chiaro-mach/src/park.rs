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

use crate::code::{Block, Code, Graph, Inst, Value};
use crate::file::{File, RegFile};
use crate::liveness::{Liveness, liveness_of};
use crate::next_use::look_ahead;
use crate::op::Op;
use crate::operand::{Operand, What};
use crate::pressure::{Pressure, pressure_of, weight};
use crate::touch::{ELSEWHERE, NEVER, Touch, Touches, touches};

/// Parks what does not fit, in all files that ask for it. How many values.
pub fn park(code: &mut Code, files: &[RegFile]) -> u32 {
    let known = Known::of(code, files);
    park_within(code, files, known).0
}

/// What analyses know of code.
pub(crate) struct Known {
    pub(crate) touches: Vec<Touches>,
    pub(crate) live: Liveness,
    pub(crate) pressure: Pressure,
}

impl Known {
    pub(crate) fn of(code: &Code, files: &[RegFile]) -> Known {
        let mut touches = touches(code, files.len());
        let live = liveness_of(code, files, &touches);
        look_ahead(code, &live, &mut touches);
        let pressure = pressure_of(code, &live, &touches);
        Known { touches, live, pressure }
    }

    /// Values of one file have been parked, which others have not noticed: instructions stand elsewhere.
    fn moved(&mut self, code: &Code, files: &[RegFile]) {
        self.touches = touches(code, files.len());
        look_ahead(code, &self.live, &mut self.touches);
    }
}

/// As [`park`], of code that is known; also what is known of it afterwards.
pub(crate) fn park_within(code: &mut Code, files: &[RegFile], mut known: Known) -> (u32, Known) {
    let mut count = 0;
    // Files that have been parked, or are touched by instructions which were added for that.
    let mut stale = vec![false; files.len()];
    for file in (0..files.len() as u8).map(File).filter(|&file| parks(files, file)) {
        if stale[usize::from(file.0)] {
            known = Known::of(code, files);
            stale.fill(false);
        }
        if fits(code, files, file, &known) {
            continue;
        }
        if stale.contains(&true) {
            known.moved(code, files);
        }
        let first = code.inst_count();
        let mut parking = Parking::new(code, files, file, &known);
        parking.choose(code, &known.pressure);
        for block in code.blocks().filter(|&block| known.touches[usize::from(file.0)].is_touched(block)) {
            parking.block(code, block);
        }
        count += parking.parked.iter().filter(|&&parked| parked).count() as u32;
        let added = (first..code.inst_count()).flat_map(|inst| code.operands(Inst(inst as u32)));
        for file in added.map(|operand| operand.file).chain([file]).chain(parking.host) {
            stale[usize::from(file.0)] = true;
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

/// What a block consists of from now on.
struct Made {
    insts: Vec<Inst>,
    /// Values, each with how many instructions stand up to its definition.
    born: Vec<(usize, Value)>,
}

/// A value in its register, under the name that it has there.
#[derive(Clone, Copy)]
struct Held {
    value: Value,
    name: Value,
}

struct Parking<'a> {
    live: &'a Liveness,
    touches: &'a Touches,
    file: File,
    /// Where values are parked.
    host: Option<File>,
    /// How many units values may have.
    room: u32,
    /// Values that are parked; those made here have numbers beyond it.
    parked: Vec<bool>,
    /// The value of the host that stands in for each.
    stand_in: Vec<Option<Value>>,
    /// What can be done again for each value.
    again: Vec<Option<Inst>>,
    /// What is in registers at this point of the scan.
    held: Vec<Held>,
    /// Where in its block each value is used next, for those beyond the list never.
    next: Vec<u32>,
}

impl<'a> Parking<'a> {
    fn new(code: &Code, files: &[RegFile], file: File, known: &'a Known) -> Parking<'a> {
        let facts = &files[usize::from(file.0)];
        let lives_alike = |to: &File| {
            let to = files.get(usize::from(to.0));
            to.is_some_and(|to| {
                Graph::of(to.domain) == Graph::of(facts.domain) && to.unit_bits >= facts.unit_bits
            })
        };
        let (touches, values) = (&known.touches[usize::from(file.0)], code.value_count());
        Parking {
            live: &known.live,
            touches,
            file,
            host: facts.spill_to.filter(lives_alike),
            room: code.capacity(files, file),
            parked: vec![false; values],
            stand_in: vec![None; values],
            again: again(code, file, touches),
            held: Vec::new(),
            next: vec![NEVER; values],
        }
    }

    fn can_park(&self, value: Value) -> bool {
        self.host.is_some() || self.again(value).is_some()
    }

    /// What can be done again for a value.
    fn again(&self, value: Value) -> Option<Inst> {
        self.again.get(value.0 as usize).copied().flatten()
    }

    /// Parks what crosses borders of blocks in which the file is short, and whatever meets that in phis.
    fn choose(&mut self, code: &Code, pressure: &Pressure) {
        let mut waiting = Vec::new();
        let mut destroyers = self.touches.destroyers.iter().map(|&(block, ..)| block).peekable();
        for block in code.blocks() {
            let mut short = pressure.of(block)[usize::from(self.file.0)] > self.room;
            while destroyers.next_if_eq(&block).is_some() {
                short = true;
            }
            if short {
                let phis = self.touches.of(block).iter().take_while(|touch| touch.is_phi());
                waiting.extend(phis.filter(|touch| touch.is_def()).map(|touch| touch.value));
                let (into, out) = (self.live.entering(block, self.file), self.live.leaving(block, self.file));
                waiting.extend(into.chain(out));
            }
        }
        let mut meets = phi_neighbours(code, self.touches);
        while let Some(value) = waiting.pop() {
            if self.can_park(value) && !std::mem::replace(&mut self.parked[value.0 as usize], true) {
                let first = meets.partition_point(|&(one, _)| one < value);
                let others = meets[first..].iter().take_while(|&&(one, _)| one == value);
                waiting.extend(others.map(|&(_, other)| other));
            }
        }
        // A phi reads registers of the host: what it joins has to be there and not only to be made again.
        meets.dedup_by_key(|(one, _)| *one);
        meets.iter().for_each(|(one, _)| self.again[one.0 as usize] = None);
    }

    fn is_parked(&self, value: Value) -> bool {
        self.parked.get(value.0 as usize).copied().unwrap_or(false)
    }

    fn stand_in(&mut self, code: &mut Code, value: Value) -> Option<Value> {
        let host = self.host?;
        let size = code.value_data(value).size;
        Some(*self.stand_in[value.0 as usize].get_or_insert_with(|| code.value(host, size, 1)))
    }

    /// A block in which something happens to the file.
    fn block(&mut self, code: &mut Code, block: Block) {
        self.look_ahead(block);
        let (touches, all) = (self.touches.of(block), &self.touches.destroyers);
        let first = all.partition_point(|&(at, ..)| at < block);
        let here = all[first..].iter().take_while(|&&(at, ..)| at == block);
        let mut destroyers = here.map(|&(_, pos, _)| pos).peekable();
        let mut groups = touches.chunk_by(|a, b| a.pos == b.pos).peekable();
        let old = std::mem::take(&mut code.block_mut(block).insts);
        let mut made = Made { insts: Vec::with_capacity(old.len()), born: Vec::new() };
        let mut done = 0;
        loop {
            let touched = groups.peek().map(|group| group[0].pos);
            let Some(pos) = touched.into_iter().chain(destroyers.peek().copied()).min() else { break };
            let group = groups.next_if(|group| group[0].pos == pos).unwrap_or_default();
            let destroys = destroyers.next_if_eq(&pos).is_some();
            made.insts.extend_from_slice(&old[done..pos as usize]);
            done = pos as usize + 1;
            match group.first().is_some_and(|touch| touch.is_phi()) {
                true => self.phi(code, old[pos as usize], &mut made),
                false => self.inst(code, block, (old[pos as usize], destroys), group, &mut made),
            }
        }
        made.insts.extend_from_slice(&old[done..]);
        code.block_mut(block).insts = self.with_stores(code, made);
    }

    /// Adds the stores of what has been parked since it was defined.
    fn with_stores(&mut self, code: &mut Code, made: Made) -> Vec<Inst> {
        let Made { insts, born } = made;
        let mut all = Vec::with_capacity(insts.len() + born.len());
        let mut rest = 0;
        for (at, value) in born {
            all.extend_from_slice(&insts[rest..at]);
            rest = at;
            all.extend(self.store(code, value));
        }
        all.extend_from_slice(&insts[rest..]);
        all
    }

    /// What is in registers at the head of a block, and where values are used in it.
    fn look_ahead(&mut self, block: Block) {
        self.held.clear();
        for value in self.live.entering(block, self.file) {
            if !self.is_parked(value) {
                self.held.push(Held { value, name: value });
            }
        }
        let touches = self.touches.of(block);
        touches.iter().for_each(|touch| self.next[touch.value.0 as usize] = NEVER);
        for used in touches.iter().rev().filter(|touch| !touch.is_def() && !touch.is_phi()) {
            self.next[used.value.0 as usize] = used.pos;
        }
    }

    fn phi(&mut self, code: &mut Code, inst: Inst, made: &mut Made) {
        made.insts.push(inst);
        let Some(value) = code.defs(inst).first().and_then(Operand::value) else { return };
        if !self.is_parked(value) {
            self.held.push(Held { value, name: value });
            return;
        }
        let mut uses = code.uses(inst).to_vec();
        for used in &mut uses {
            let whole = used.value().and_then(|value| self.stand_in(code, value));
            used.file = self.host.unwrap_or(used.file);
            used.what = whole.map_or(What::Undef, What::Value);
        }
        let Some(whole) = self.stand_in(code, value) else { return };
        let def = code.operand(whole);
        code.set_operands(inst, &[def], &uses);
    }

    /// Behind the definition of a value that is parked.
    fn store(&mut self, code: &mut Code, value: Value) -> Option<Inst> {
        if !self.is_parked(value) || self.again(value).is_some() {
            return None;
        }
        let whole = self.stand_in(code, value)?;
        let (def, used) = (code.operand(whole), code.operand(value));
        Some(code.make(Op::Spill, &[def], &[used]))
    }

    /// An instruction that destroys registers or touches values of the file.
    fn inst(
        &mut self,
        code: &mut Code,
        block: Block,
        (inst, destroys): (Inst, bool),
        group: &[Touch],
        made: &mut Made,
    ) {
        let (defs, uses) = group.split_at(group.partition_point(|touch| touch.is_def()));
        let overlaps =
            code.operands(inst).iter().any(|o| o.file == self.file && (o.late_kill || o.early_clobber));
        let after = uses.iter().map(|used| (used.value, used.next));
        let [defs, uses] = [defs, uses].map(values);
        // While it reads: what it uses, and what is needed later.
        let read = total(code, &uses);
        self.make_room(code, block, &uses, self.room.saturating_sub(read));
        for &value in &uses {
            let name = self.load(code, value, inst, &mut made.insts);
            for used in code.uses_mut(inst).iter_mut().filter(|used| used.value() == Some(value)) {
                used.what = What::Value(name);
            }
        }
        for (value, next) in after {
            self.next[value.0 as usize] = if next == ELSEWHERE { NEVER } else { next };
        }
        // Once it has written: its results, and what is needed later.
        let written = total(code, &defs) + if overlaps { read } else { 0 };
        let left = if destroys { 0 } else { self.room.saturating_sub(written) };
        let held = std::mem::take(&mut self.held);
        let is_wanted = |h: &Held| self.next[h.value.0 as usize] != NEVER || self.stays(block, h.value);
        self.held = held.into_iter().filter(is_wanted).collect();
        self.make_room(code, block, &[], left);
        made.insts.push(inst);
        for value in defs {
            self.held.push(Held { value, name: value });
            made.born.push((made.insts.len(), value));
        }
    }

    /// Whether a value is wanted in its register at the end of the block.
    fn stays(&self, block: Block, value: Value) -> bool {
        !self.is_parked(value) && self.live.is_out(block, value)
    }

    /// Lets values leave until the others, `but` those, take no more than so many units.
    fn make_room(&mut self, code: &Code, block: Block, but: &[Value], room: u32) {
        let others = self.held.iter().filter(|held| !but.contains(&held.value));
        let mut taken: u32 = others.map(|held| weight(code.value_data(held.value))).sum();
        while taken > room {
            let others = self.held.iter().filter(|held| !but.contains(&held.value));
            let can_leave = others.filter(|held| self.can_park(held.value) && !self.stays(block, held.value));
            let last = can_leave.max_by_key(|held| self.next[held.value.0 as usize]);
            let Some(&Held { value, .. }) = last else { return };
            self.held.retain(|held| held.value != value);
            taken -= weight(code.value_data(value));
            // What nothing reads any more simply ends.
            self.parked[value.0 as usize] |= self.next[value.0 as usize] != NEVER;
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
        let made = match self.again(value) {
            Some(again) => code.repeat(again, &[def]),
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

/// The values of touches, each once, in the order of their numbers.
fn values(list: &[Touch]) -> Vec<Value> {
    let mut found: Vec<Value> = list.iter().map(|touch| touch.value).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn total(code: &Code, values: &[Value]) -> u32 {
    values.iter().map(|&value| weight(code.value_data(value))).sum()
}

/// What can be done again for values of a file. It may not read the file itself.
fn again(code: &Code, file: File, touches: &Touches) -> Vec<Option<Inst>> {
    let mut again = vec![None; code.value_count()];
    for block in code.blocks() {
        for touch in touches.of(block).iter().filter(|touch| touch.is_def()) {
            let inst = code.insts(block)[touch.pos as usize];
            if let ([def], true) = (code.defs(inst), code.inst(inst).remat)
                && def.comps.is_empty()
                && code.uses(inst).iter().all(|used| !used.in_file() || used.file != file)
            {
                again[touch.value.0 as usize] = Some(inst);
            }
        }
    }
    again
}

/// Values of a file that phis join with others, with those others; sorted by the first ones.
fn phi_neighbours(code: &Code, touches: &Touches) -> Vec<(Value, Value)> {
    let mut meets = Vec::new();
    for block in code.blocks() {
        let phis = touches.of(block).iter().take_while(|touch| touch.is_phi());
        for phi in phis.filter(|touch| touch.is_def()) {
            let inst = code.insts(block)[phi.pos as usize];
            for used in code.uses(inst).iter().filter_map(Operand::value) {
                meets.extend([(phi.value, used), (used, phi.value)]);
            }
        }
    }
    meets.sort_unstable();
    meets
}
