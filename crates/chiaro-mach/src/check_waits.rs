//! The wait checker: proves that nothing touches a register that something under way still holds,
//! on every path, whoever inserted the waits.
//!
//! It follows instructions, not registers: which may be under way at a place, and how many of
//! their queue were issued behind each at least. The waits that stand in the code are taken as they are, so the
//! least fixpoint is exact: what it refuses happens on some path of the linear graph.

use std::collections::BTreeMap;

use crate::code::{Code, Inst};
use crate::file::RegFile;
use crate::op::Op;
use crate::queues::{Holds, Pending, Queues, Touched, touched};
use crate::verify::Breach;

/// Checks the waits of a function.
pub fn check_waits(code: &Code, files: &[RegFile], machine: &dyn Queues) -> Result<(), Vec<Breach>> {
    let mut touches: Vec<Option<Touched>> = (0..code.inst_count()).map(|_| None).collect();
    for &inst in code.blocks().flat_map(|block| code.insts(block)) {
        touches[inst.0 as usize] = Some(touched(code, files, inst));
    }
    let mut check = Check { code, files, machine, touches, entries: vec![Flight::new(); code.block_count()] };
    check.spread();
    let found: Vec<Breach> = check.report();
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// What may be under way: where it was issued and in which queue, and how many were issued behind it at least.
type Flight = BTreeMap<(u8, Inst), u16>;

struct Check<'a> {
    code: &'a Code,
    files: &'a [RegFile],
    machine: &'a dyn Queues,
    /// What each instruction in a block touches.
    touches: Vec<Option<Touched>>,
    entries: Vec<Flight>,
}

impl Check<'_> {
    fn spread(&mut self) {
        let mut stale = vec![true; self.entries.len()];
        while let Some(b) = stale.iter().position(|&stale| stale) {
            stale[b] = false;
            let mut flight = self.entries[b].clone();
            let block = crate::Block(b as u32);
            for &inst in self.code.insts(block) {
                self.pass(&mut flight, inst);
            }
            for succ in &self.code.block_data(block).linear.succs {
                let entry = &mut self.entries[succ.0 as usize];
                for (&event, &behind) in &flight {
                    let old = entry.entry(event).or_insert(u16::MAX);
                    stale[succ.0 as usize] |= behind < *old;
                    *old = behind.min(*old);
                }
            }
        }
    }

    /// What is under way behind an instruction that was before it.
    fn pass(&self, flight: &mut Flight, inst: Inst) {
        self.arrive(flight, inst);
        let pending = self.pending(inst);
        for queue in 0..self.machine.queues().len() as u8 {
            if pending.iter().any(|pending| pending.queue == queue) {
                let older = flight.iter_mut().filter(|((other, _), _)| *other == queue);
                older.for_each(|(_, behind)| *behind = behind.saturating_add(1).min(u16::MAX - 1));
                flight.insert((queue, inst), 0);
            }
        }
    }

    /// What the instruction's own waits let arrive.
    fn arrive(&self, flight: &mut Flight, inst: Inst) {
        for (queue, left) in (0..).zip(self.machine.waits(self.code, inst)) {
            let Some(left) = left else { continue };
            let mut kinds = flight
                .keys()
                .filter(|(other, _)| *other == queue)
                .flat_map(|&(_, event)| self.kinds(event, queue));
            let first = kinds.next().flatten();
            let ordered = first.is_some() && kinds.all(|kind| kind == first);
            if left == 0 || ordered {
                flight.retain(|(other, _), behind| *other != queue || *behind < left);
            }
        }
    }

    fn kinds(&self, event: Inst, queue: u8) -> impl Iterator<Item = Option<u8>> {
        self.pending(event).iter().filter(move |pending| pending.queue == queue).map(|pending| pending.kind)
    }

    fn pending(&self, inst: Inst) -> &[Pending] {
        match self.code.op(inst) {
            Op::Phi | Op::Start => &[],
            _ => self.machine.pending(self.code, inst),
        }
    }

    fn report(&self) -> Vec<Breach> {
        let mut found = Vec::new();
        for block in self.code.blocks() {
            let mut flight = self.entries[block.0 as usize].clone();
            for &inst in self.code.insts(block) {
                let mut arrived = flight.clone();
                self.arrive(&mut arrived, inst);
                let wrong = arrived.iter().find_map(|(&(queue, event), _)| self.wrong(inst, event, queue));
                found.extend(wrong.map(|message| Breach { block, inst: Some(inst), message }));
                self.pass(&mut flight, inst);
            }
        }
        found
    }

    /// What is wrong with issuing an instruction while an event is under way.
    fn wrong(&self, inst: Inst, event: Inst, queue: u8) -> Option<String> {
        if matches!(self.code.op(inst), Op::Phi | Op::Start) {
            return None;
        }
        let name = self.machine.queues()[usize::from(queue)].name;
        if self.machine.drains(self.code, inst) >> queue & 1 != 0 {
            return Some(format!("i{} is under way in `{name}`, which has to be empty here", event.0));
        }
        let touches = |inst: Inst| self.touches.get(inst.0 as usize)?.as_ref();
        let (now, then) = (touches(inst)?, touches(event)?);
        let of_queue = self.pending(event).iter().filter(|pending| pending.queue == queue);
        of_queue.into_iter().find_map(|pending| self.clash(inst, now, then, pending)).map(|(file, unit)| {
            let register = self.files.get(usize::from(file.0)).map_or("?", |file| file.name);
            format!("{register}{unit} is held by i{}, which is under way in `{name}`", event.0)
        })
    }

    /// A place that an instruction touches though it is held.
    fn clash(
        &self,
        inst: Inst,
        now: &Touched,
        then: &Touched,
        pending: &Pending,
    ) -> Option<crate::queues::Place> {
        let behind = |own: &Pending| pending.kind.is_some() && own == pending && own.holds == Holds::Results;
        let overtaken = !self.pending(inst).iter().any(behind);
        match pending.holds {
            Holds::Results => then
                .written
                .iter()
                .find(|place| now.read.contains(place) || overtaken && now.written.contains(place)),
            Holds::Sources => then.read.iter().find(|place| now.written.contains(place)),
        }
        .copied()
    }
}
