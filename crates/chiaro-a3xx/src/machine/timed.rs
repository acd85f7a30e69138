//! Results on their way: what is read too early is what was there before.
//!
//! A result of the ALU is seen by another ALU operation after three slots, by the third source
//! of `mad` after one, by everything else after six. What flags wait for is not seen before its
//! flag. Every instruction takes an issue slot, and a flag waits as long as the slowest result
//! that it is for. spec sections 13 and 14

use chiaro_sim::Lanes;

use super::clock::{Clock, Executed, Issued, LateRead, Pending};
use super::fault::FaultKind;
use super::places::Register;
use super::program::{Program, Step};
use super::run::Machine;
use super::turn::Turn;
use crate::check::effect::{Arrival, Place};
use crate::regs::ALU_TO_OTHER;

/// Most instructions of a batch that are kept: a trace is read by people.
const MOST_TRACED: usize = 1 << 16;

impl Machine {
    /// Cycles since the start.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.timed.clock
    }

    /// Keeps every instruction from the next start on.
    pub fn keep_trace(&mut self) {
        self.timed.trace = Some(Vec::new());
    }

    /// Whether instructions are kept.
    #[must_use]
    pub fn is_traced(&self) -> bool {
        self.timed.trace.is_some()
    }

    /// Keeps no instruction any more.
    pub fn drop_trace(&mut self) {
        self.timed.trace = None;
    }

    /// What was executed, if it is kept.
    #[must_use]
    pub fn trace(&self) -> &[Executed] {
        self.timed.trace.as_deref().unwrap_or_default()
    }

    /// Issues an instruction: waits for what its flags ask for.
    pub(super) fn wait(&mut self, step: &Step, lanes: u32) {
        let set = if self.timed.planned.is_empty() { Vec::new() } else { self.change(lanes) };
        if step.flags.ss {
            self.timed.clock.ss += self.arrived(Arrival::Ss);
        }
        if step.flags.sy {
            self.timed.clock.sy += self.arrived(Arrival::Sy);
        }
        self.releases(step, lanes);
        let ready = self.timed.clock.cycles + u64::from(step.latency);
        self.timed.current = Some(Issued { arrival: step.arrival, late: step.late, ready });
        self.timed.is_kept = self.timed.trace.as_ref().is_some_and(|trace| trace.len() < MOST_TRACED);
        if let Some(trace) = self.timed.trace.as_mut().filter(|_| self.timed.is_kept) {
            let (at, cycle) = (self.state.pc, self.timed.clock.cycles);
            trace.push(Executed {
                at,
                cycle,
                lanes,
                set,
                reads: Vec::new(),
                writes: Vec::new(),
                memory: Vec::new(),
            });
        }
        // An instruction without operands passes its slots all the same.
        if step
            .issues
            .iter()
            .all(|turn| turn.uops.is_empty() && turn.writes.is_empty() && turn.reads.is_empty())
        {
            self.timed.clock.nops += u64::from(step.slots);
            self.pass(u64::from(step.slots) - step.issues.len() as u64);
        }
    }

    /// Everything of a kind is there: the cycles that this takes.
    fn arrived(&mut self, arrival: Arrival) -> u64 {
        let now = self.timed.clock.cycles;
        let (there, rest): (Vec<Pending>, Vec<Pending>) =
            std::mem::take(&mut self.timed.pending).into_iter().partition(|p| p.arrival == arrival);
        self.timed.pending = rest;
        let ready = there.iter().map(|p| p.ready).max().unwrap_or(now).max(now);
        for p in &there {
            let slot = self.program.layout.slot(p.place);
            self.state.write(slot, &p.value, p.lanes);
        }
        // (ss) waits for whatever reads late, (sy) for what its own results come from.
        self.timed.read.retain(|read| arrival == Arrival::Sy && read.by != Arrival::Sy);
        self.timed.clock.cycles = ready;
        ready - now
    }

    fn releases(&mut self, step: &Step, lanes: u32) {
        let lane = lanes.trailing_zeros() as usize;
        if step.flags.varying && self.timed.released.inputs {
            self.fault(lane, FaultKind::InputReleased);
        }
        if step.flags.address && self.timed.released.address {
            self.fault(lane, FaultKind::AddressReleased);
        }
        self.timed.released.inputs |= step.flags.ei;
        self.timed.released.address |= step.flags.ul;
    }

    /// Slots pass: what everybody may see by now goes into its register.
    fn pass(&mut self, slots: u64) {
        self.timed.slot += slots;
        self.timed.clock.cycles += slots;
        let old = |p: &Pending, now: u64| {
            p.arrival == Arrival::Slots && now - p.issued > u64::from(ALU_TO_OTHER) + 1
        };
        while let Some(at) = self.timed.pending.iter().position(|p| old(p, self.timed.slot)) {
            let p = self.timed.pending.remove(at);
            let slot = self.program.layout.slot(p.place);
            self.state.write(slot, &p.value, p.lanes);
        }
    }

    /// The end of the program: outputs need no distance before it.
    pub(super) fn settle(&mut self) {
        let pending = std::mem::take(&mut self.timed.pending);
        for p in pending.iter().filter(|p| p.arrival == Arrival::Slots) {
            let slot = self.program.layout.slot(p.place);
            self.state.write(slot, &p.value, p.lanes);
        }
        self.timed.pending = pending.into_iter().filter(|p| p.arrival != Arrival::Slots).collect();
    }

    /// Results that come with a flag are ordered behind older writes of the register [ir3_delay].
    fn settle_place(&mut self, place: Place) {
        let slot = self.program.layout.slot(place);
        let older = |p: &Pending| p.place == place && p.arrival == Arrival::Slots;
        for p in self.timed.pending.iter().filter(|p| older(p)) {
            self.state.write(slot, &p.value, p.lanes);
        }
        self.timed.pending.retain(|p| !older(p));
    }

    /// Fills the operand slots of an instruction with what its registers show.
    pub(super) fn fetch_operands(&mut self, program: &Program, turn: &Turn, lanes: u32) {
        let issued = self.timed.current;
        for read in &turn.reads {
            let mut value = *self.state.lanes(program.layout.slot(read.place));
            let pending = std::mem::take(&mut self.timed.pending);
            for p in pending.iter().filter(|p| p.place == read.place && p.lanes & lanes != 0) {
                match self.too_early(p, read.needed) {
                    Some(kind) => self.fault((p.lanes & lanes).trailing_zeros() as usize, kind),
                    None => merge(&mut value, &p.value, p.lanes),
                }
            }
            self.timed.pending = pending;
            *self.state.lanes_mut(read.to) = value;
            if let Some(issued) = issued.filter(|issued| issued.late) {
                self.timed.read.push(LateRead { place: read.place, by: issued.arrival, lanes });
            }
            if let Some(last) = self.timed.kept() {
                last.reads.push((Register(read.place), value));
            }
        }
    }

    /// Why a result is not to be seen yet.
    fn too_early(&self, p: &Pending, needed: u16) -> Option<FaultKind> {
        let register = Register(p.place);
        let slots = self.timed.slot - p.issued - 1;
        match p.arrival {
            Arrival::Ss => Some(FaultKind::BeforeFlag(register, "(ss)")),
            Arrival::Sy => Some(FaultKind::BeforeFlag(register, "(sy)")),
            Arrival::Slots if slots < u64::from(needed) => {
                Some(FaultKind::TooEarly { register, slots: slots as u8, needed: needed as u8 })
            }
            Arrival::Slots => None,
        }
    }

    /// Sends the results of a repetition on their way, and takes its slot.
    pub(super) fn queue_results(&mut self, turn: &Turn, lanes: u32) {
        let Some(issued) = self.timed.current else { return };
        let lane = lanes.trailing_zeros() as usize % 32;
        for (from, place) in &turn.writes {
            let read = |read: &LateRead| read.place == *place && read.lanes & lanes != 0;
            if self.timed.read.iter().any(read) && !issued.late {
                self.fault(lane, FaultKind::StillRead(Register(*place)));
            }
            let flag = self.timed.pending.iter().find_map(|p| match p.arrival {
                Arrival::Ss if p.place == *place && p.lanes & lanes != 0 => Some("(ss)"),
                Arrival::Sy if p.place == *place && p.lanes & lanes != 0 => Some("(sy)"),
                _ => None,
            });
            if let Some(flag) = flag {
                self.fault(lane, FaultKind::BeforeFlag(Register(*place), flag));
            }
            // A new value may be read again.
            self.timed.released.address &= *place != Place::Address;
            let value = *self.state.lanes(*from);
            if let Some(last) = self.timed.kept() {
                last.writes.push((Register(*place), value));
            }
            if issued.late {
                self.settle_place(*place);
            }
            let (arrival, ready, issued) = (issued.arrival, issued.ready, self.timed.slot);
            self.timed.pending.push(Pending { place: *place, value, lanes, arrival, issued, ready });
        }
        self.pass(1);
    }
}

fn merge(to: &mut Lanes, from: &Lanes, lanes: u32) {
    for (lane, (to, from)) in to.0.iter_mut().zip(from.0).enumerate() {
        if lanes >> lane & 1 == 1 {
            *to = from;
        }
    }
}
