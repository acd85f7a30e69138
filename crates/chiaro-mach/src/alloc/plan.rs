//! Live-range splitting around one instruction: everything that is alive or touched becomes a slab in
//! time and space, all slabs are packed anew, and what is not where it has to be is moved or
//! loaded in front of the instruction. Live ranges are split here, so fragmentation never
//! makes allocation fail; if there is too little room, values leave for their slots.

use crate::code::{Block, Inst, Value};
use crate::touch::{ELSEWHERE, NEVER};

use super::Fault;
use super::error::AllocateError;
use super::insert::{Rank, Transfer, Where};
use super::operands::{Mine, Operands};
use super::pass::Pass;
use super::place::{ACROSS, AFTER, BEFORE, Floor, Slab, THROUGH, settle};

/// A slab with its meaning.
#[derive(Clone, Debug)]
struct Need {
    slab: Slab,
    /// The value that has to be there before, and from which unit of it.
    value: Option<(Value, u16)>,
    /// Numbers of the uses that read it there.
    reads: Vec<usize>,
    /// The number of the definition, and its value, that is there afterwards.
    def: Option<(usize, Value)>,
    /// Whether the value lives on in this place.
    keeps: bool,
}

impl Need {
    fn new(size: u16, align: u16, times: u8) -> Need {
        let slab = Slab { size, align: align.max(1), times, fixed: None, wish: None, at: 0 };
        Need { slab, value: None, reads: Vec::new(), def: None, keeps: false }
    }
}

impl Pass<'_> {
    /// Places everything at an instruction, moving and spilling as needed.
    pub(super) fn step_by_plan(
        &mut self,
        block: Block,
        pos: u32,
        inst: Inst,
        ops: &Operands,
    ) -> Result<(), AllocateError> {
        let floor = self.floor_at(inst);
        let mut evicted = Vec::new();
        loop {
            let mut needs = self.needs(inst, ops, &evicted);
            let mut slabs: Vec<Slab> = needs.iter().map(|need| need.slab).collect();
            if settle(&floor, &mut slabs) {
                needs.iter_mut().zip(slabs).for_each(|(need, slab)| need.slab = slab);
                self.carry_out(block, pos, inst, &needs, &evicted);
                return Ok(());
            }
            let victim =
                self.victim(pos, ops, &evicted).ok_or_else(|| self.full(block, Some(inst), &slabs))?;
            evicted.push(victim);
        }
    }

    /// Units that are taken at an instruction whatever is alive.
    fn floor_at(&self, inst: Inst) -> Floor {
        let mut floor = self.floor.clone();
        for clobber in self.code.clobbered(inst).iter().filter(|c| c.file == self.file) {
            let end = usize::from(clobber.units.end).min(floor.busy.len());
            for busy in &mut floor.busy[usize::from(clobber.units.start).min(end)..end] {
                *busy |= ACROSS;
            }
        }
        floor
    }

    pub(super) fn full(&self, block: Block, inst: Option<Inst>, slabs: &[Slab]) -> AllocateError {
        let at =
            |time: u8| slabs.iter().filter(|s| s.times & time != 0).map(|s| u32::from(s.size)).sum::<u32>();
        let allowed = self.floor.busy.iter().filter(|&&busy| busy == 0).count() as u32;
        AllocateError::Full { block, inst, file: self.file, needed: at(BEFORE).max(at(AFTER)), allowed }
    }

    /// What is to leave its registers next: what is not touched here before what is, and what
    /// costs least, counted by its uses and by how soon it is needed again.
    pub(super) fn victim(&self, pos: u32, ops: &Operands, evicted: &[Value]) -> Option<Value> {
        if !self.spills() {
            return None;
        }
        let is_used = |value: Value| ops.uses.iter().any(|u| u.value == value);
        let bystanders = self.occupants().into_iter().filter(|&v| !is_used(v) && !evicted.contains(&v));
        let best = bystanders.min_by(|&a, &b| self.cost(a, pos).total_cmp(&self.cost(b, pos)));
        best.or_else(|| {
            let lives_on = |u: &&Mine| u.next != NEVER && !evicted.contains(&u.value);
            ops.uses.iter().find(lives_on).map(|u| u.value)
        })
    }

    /// What it costs to have a value out of registers.
    pub(super) fn cost(&self, value: Value, pos: u32) -> f32 {
        let distance = match self.next[value.0 as usize] {
            NEVER | ELSEWHERE => 100.0,
            next => next.saturating_sub(pos).min(100) as f32 + 1.0,
        };
        let store = match self.spilled[value.0 as usize] {
            _ if self.remat(value).is_some() => 0.25,
            true => 0.5,
            false => 1.0,
        };
        store * self.usage().weight(value) / distance
    }

    fn needs(&mut self, inst: Inst, ops: &Operands, evicted: &[Value]) -> Vec<Need> {
        let mut needs = Vec::with_capacity(self.floor.busy.len() / 2);
        for value in self.occupants() {
            if !ops.uses.iter().any(|u| u.value == value) && !evicted.contains(&value) {
                needs.push(self.resident(value));
            }
        }
        for (i, used) in ops.uses.iter().enumerate() {
            if !ops.uses[..i].iter().any(|u| u.value == used.value) {
                self.used_needs(inst, used.value, ops, evicted.contains(&used.value), &mut needs);
            }
        }
        for def in &ops.defs {
            if !needs.iter().any(|need| need.def == Some((def.number, def.value))) {
                let mut need = self.result(def);
                need.slab.wish = self.wish(def.value, need.slab.align);
                needs.push(need);
            }
        }
        needs
    }

    /// What is only alive.
    fn resident(&self, value: Value) -> Need {
        let data = self.data(value);
        let mut need = Need::new(data.size, u16::from(data.align), THROUGH);
        (need.slab.wish, need.value, need.keeps) = (self.location(value), Some((value, 0)), true);
        need
    }

    fn result(&self, def: &Mine) -> Need {
        let early = if def.operand.early_clobber { BEFORE } else { 0 };
        let mut need = Need::new(self.data(def.value).size, self.align_of(def), AFTER | early);
        (need.slab.fixed, need.def) = (def.operand.fixed, Some((def.number, def.value)));
        need
    }

    /// A value that is read: its own place if it lives on or anything reads it where it is,
    /// and a place for each use that wants a copy elsewhere.
    fn used_needs(&self, inst: Inst, value: Value, ops: &Operands, evicted: bool, needs: &mut Vec<Need>) {
        let mut uses: Vec<&Mine> = ops.uses.iter().filter(|u| u.value == value).collect();
        // The tied one first: where it takes the value to decides for the others.
        uses.sort_by_key(|u| u.operand.tied.is_none());
        let keeps = uses[0].next != NEVER && !evicted;
        let late = uses.iter().any(|u| u.operand.late_kill);
        let mut main = self.resident(value);
        main.keeps = keeps;
        main.slab.times = if keeps || late { THROUGH } else { BEFORE };
        let mut wanted = keeps;
        for used in uses {
            let tied = used.operand.tied.and_then(|n| ops.defs.iter().find(|d| d.number == usize::from(n)));
            if let Some(def) = tied {
                if !late && self.can_become(used, def, &main) {
                    let result = self.result(def);
                    main.slab.times |= BEFORE | AFTER;
                    main.slab.fixed = used.operand.fixed.or(result.slab.fixed);
                    main.slab.align = main.slab.align.max(result.slab.align);
                    main.def = result.def;
                    main.reads.push(used.number);
                    wanted = true;
                } else {
                    needs.push(self.copy_for_tied(used, def));
                }
            } else if self.reads_in_place(inst, used, &mut main, ops) {
                main.reads.push(used.number);
                wanted = true;
            } else {
                push_copy(needs, used);
            }
        }
        if wanted {
            needs.push(main);
        }
    }

    /// Whether a tied use that ends its value can hand its own place over.
    fn can_become(&self, used: &Mine, def: &Mine, main: &Need) -> bool {
        let whole = used.operand.offset == 0 && used.operand.size == self.data(used.value).size;
        let fixed = used.operand.fixed.or(def.operand.fixed);
        let aligned = fixed.is_none_or(|at| at.is_multiple_of(main.slab.align));
        let free = main.def.is_none() && main.slab.fixed.is_none();
        whole && aligned && free && !main.keeps && !def.operand.early_clobber
    }

    fn copy_for_tied(&self, used: &Mine, def: &Mine) -> Need {
        let mut need = self.result(def);
        need.slab.times |= BEFORE;
        need.slab.fixed = used.operand.fixed.or(need.slab.fixed);
        need.slab.align = need.slab.align.max(u16::from(used.operand.align));
        need.value = Some((used.value, used.operand.offset));
        need.reads.push(used.number);
        need
    }

    /// Whether a use can read the value in its main place, which it may fix or align for that.
    fn reads_in_place(&self, inst: Inst, used: &Mine, main: &mut Need, ops: &Operands) -> bool {
        let o = &used.operand;
        let Some(unit) = o.fixed else {
            let align = u16::from(o.align);
            let stays = main.slab.fixed.is_none_or(|at| at.is_multiple_of(align));
            let aligned = stays && o.offset.is_multiple_of(align);
            if aligned {
                main.slab.align = main.slab.align.max(u16::from(o.align));
            }
            return aligned;
        };
        if main.slab.fixed.is_some_and(|at| at + o.offset == unit) {
            return true;
        }
        let Some(at) = self.location(used.value).filter(|&at| at + o.offset == unit) else { return false };
        let stays = main.slab.fixed.is_none_or(|fixed| fixed == at) && at.is_multiple_of(main.slab.align);
        let disturbed = main.slab.times & AFTER != 0 && self.is_overwritten(inst, at, main.slab.size, ops);
        if stays && !disturbed {
            main.slab.fixed = Some(at);
        }
        stays && !disturbed
    }

    /// Whether an instruction destroys one of these units or has a fixed result there.
    fn is_overwritten(&self, inst: Inst, at: u16, size: u16, ops: &Operands) -> bool {
        let meets = |start: u16, end: u16| start < at + size && at < end;
        let clobbers = self.code.clobbered(inst).iter().filter(|c| c.file == self.file);
        let by_clobber = clobbers.into_iter().any(|c| meets(c.units.start, c.units.end));
        let end = |d: &Mine, unit: u16| unit + self.data(d.value).size;
        by_clobber || ops.defs.iter().any(|d| d.operand.fixed.is_some_and(|unit| meets(unit, end(d, unit))))
    }

    fn carry_out(&mut self, block: Block, pos: u32, inst: Inst, needs: &[Need], evicted: &[Value]) {
        evicted.iter().for_each(|&value| self.spill(value));
        let (mut moves, mut loads) = (Vec::new(), Vec::new());
        for need in needs {
            let Some((value, offset)) = need.value else { continue };
            let (size, place) = (need.slab.size, Where::Register(need.slab.at));
            let of = |source| Transfer { to: value, place, from: value, source, offset, size };
            match self.location(value) {
                Some(unit) if unit + offset != need.slab.at => moves.push(of(Where::Register(unit + offset))),
                Some(_) => {}
                None => loads.push(of(Where::Slot)),
            }
        }
        self.totals.moves += moves.len() as u32;
        let again = loads.iter().filter(|t| self.remat(t.from).is_some()).count();
        self.totals.reloads += (loads.len() - again) as u32;
        self.drop_one_by_fault(inst, &mut moves);
        if !moves.is_empty() {
            self.insert(block, pos, Rank::Shuffle, moves);
        }
        if !loads.is_empty() {
            self.insert(block, pos, Rank::Reload, loads);
        }
        self.settle_state(inst, needs);
    }

    fn settle_state(&mut self, inst: Inst, needs: &[Need]) {
        self.occupants().into_iter().for_each(|value| self.vacate(value));
        debug_assert!(self.units.are_empty());
        for need in needs {
            let (at, size) = (need.slab.at, need.slab.size);
            for &number in &need.reads {
                let skip = need.value.map_or(0, |(_, offset)| offset);
                let used = &mut self.code.uses_mut(inst)[number];
                used.reg = Some(at + used.offset - skip);
            }
            if let Some((number, value)) = need.def {
                self.code.defs_mut(inst)[number].reg = Some(at);
                self.occupy(value, at);
            } else if let Some((value, _)) = need.value.filter(|_| need.keeps) {
                self.occupy(value, at);
            }
            let used = &mut self.totals.used[usize::from(self.file.0)];
            *used = (*used).max(at + size);
        }
    }

    /// The fault that tests seed: one move is forgotten.
    fn drop_one_by_fault(&self, inst: Inst, moves: &mut Vec<Transfer>) {
        if self.fault == Some(Fault::Move(inst)) {
            moves.pop();
        }
    }
}

/// A place for a use that needs a copy, shared by uses that want the same one.
fn push_copy(needs: &mut Vec<Need>, used: &Mine) {
    let o = &used.operand;
    let value = Some((used.value, o.offset));
    let times = if o.late_kill { THROUGH } else { BEFORE };
    let same = |need: &&mut Need| {
        need.value == value
            && need.slab.size == o.size
            && need.slab.fixed == o.fixed
            && o.fixed.is_some()
            && need.def.is_none()
            && !need.keeps
    };
    if let Some(need) = needs.iter_mut().find(same) {
        need.slab.times |= times;
        return need.reads.push(used.number);
    }
    let mut need = Need::new(o.size, u16::from(o.align), times);
    (need.slab.fixed, need.value) = (o.fixed, value);
    need.reads.push(used.number);
    needs.push(need);
}
