//! The machine itself: a batch of fibers, its registers, and what it does step by step.

use std::sync::Arc;

use chiaro_sim::{LANES, Lanes, State, scalar};

use super::clock::Timed;
use super::fault::{Fault, FaultKind};
use super::places::REGISTERS;
use super::program::{Action, Program};
use super::turn::{From, Gather, Scatter, Turn};
use super::wave::{Group, Wave};
use super::world::World;
use crate::check::effect::Place;

/// Why a run stands still.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// All fibers have ended.
    Ended,
    /// All fibers wait for those of other batches of their group.
    Barrier,
}

/// Most faults that are kept.
const MOST_FAULTS: usize = 256;

/// A processor with a program and up to 32 fibers; four in a row are a quad.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(super) program: Arc<Program>,
    pub(super) state: State,
    pub(super) wave: Wave,
    /// Private memory, fiber by fiber.
    pub(super) private: Vec<u8>,
    pub(super) timed: Timed,
    /// Lanes that have been killed.
    killed: u32,
    /// Lanes that have ended, killed or not.
    ended: u32,
    started: u32,
    faults: Vec<Fault>,
    fuel: u64,
    issued: u64,
    pc: u32,
}

impl Machine {
    /// A machine with a program.
    #[must_use]
    pub fn new(program: Arc<Program>) -> Machine {
        let mut state = State::new(program.uops.code.slot_count(), 0);
        for (slot, bits) in &program.uops.constants {
            *state.lanes_mut(*slot) = Lanes::splat(*bits);
        }
        let fuel = program.config.fuel;
        Machine {
            program,
            state,
            wave: Wave::default(),
            private: Vec::new(),
            timed: Timed::default(),
            killed: 0,
            ended: 0,
            started: 0,
            faults: Vec::new(),
            fuel,
            issued: 0,
            pc: 0,
        }
    }

    /// Takes the constants of a world, for all runs that follow.
    pub fn load_constants(&mut self, world: &World) {
        for (index, form, slot) in &self.program.constants {
            let bits = world.constants.get(usize::from(*index)).copied().unwrap_or(0);
            *self.state.lanes_mut(*slot) = Lanes::splat(form.of(bits));
        }
    }

    /// Fills all registers with what is read where nothing was written.
    pub fn clear(&mut self) {
        let poison = self.program.config.poison;
        let layout = self.program.layout;
        for n in 0..REGISTERS {
            *self.state.lanes_mut(layout.full.at(n)) = Lanes::splat(poison);
            *self.state.lanes_mut(layout.half.at(n)) = Lanes::splat(poison >> 16);
        }
        (0..4).for_each(|n| *self.state.lanes_mut(layout.predicates.at(n)) = Lanes::ZERO);
        *self.state.lanes_mut(layout.address) = Lanes::ZERO;
    }

    /// A full register by its number, `r1.x` being 4; one beyond the file for numbers out of it.
    #[must_use]
    pub fn full(&self, number: u16) -> &Lanes {
        self.state.lanes(self.program.layout.slot(Place::Full(number)))
    }

    /// The same, to write.
    pub fn full_mut(&mut self, number: u16) -> &mut Lanes {
        self.state.lanes_mut(self.program.layout.slot(Place::Full(number)))
    }

    /// A half register by its number: 16 bits, zeros above.
    #[must_use]
    pub fn half(&self, number: u16) -> &Lanes {
        self.state.lanes(self.program.layout.slot(Place::Half(number)))
    }

    /// The same, to write.
    pub fn half_mut(&mut self, number: u16) -> &mut Lanes {
        self.state.lanes_mut(self.program.layout.slot(Place::Half(number)))
    }

    /// A varying scalar by its location: its value at the first vertex and its differences to the
    /// others, as bits of binary32; a flat one differs nowhere, and any bits go. `None` if the program does not
    /// fetch it.
    pub fn varying_mut(&mut self, location: u16) -> Option<&mut [Lanes; 3]> {
        let (_, slot) = self.program.varyings.iter().find(|(l, _)| *l == location)?;
        let first = usize::from(slot.0);
        (&mut self.state.lanes[first..first + 3]).try_into().ok()
    }

    /// Starts the first `lanes` fibers at the beginning of the program.
    pub fn start(&mut self, lanes: usize) {
        let mask = u32::MAX.checked_shr(32 - lanes.min(LANES) as u32).unwrap_or(0);
        self.start_lanes(mask, 0);
    }

    /// Starts the fibers of a mask; those of `helpers` run for their neighbours alone.
    pub fn start_lanes(&mut self, lanes: u32, helpers: u32) {
        self.wave.start(lanes);
        (self.killed, self.ended, self.started) = (helpers, 0, lanes);
        self.faults.clear();
        self.timed.restart();
        (self.fuel, self.issued) = (self.program.config.fuel, 0);
    }

    /// Fibers that were killed, or were helpers from the start.
    #[must_use]
    pub fn killed(&self) -> u32 {
        self.killed
    }

    /// What went wrong, in the order of time.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Instructions done since the start, of each fiber, repetitions counted.
    #[must_use]
    pub fn issued(&self) -> u64 {
        self.issued
    }

    /// Runs until all fibers have ended, or all wait at a barrier.
    pub fn run(&mut self, world: &mut World) -> Status {
        let program = Arc::clone(&self.program);
        while let Some(mut group) = self.wave.next() {
            self.arrive(&program, &group);
            while self.advance(&program, &mut group, world) {
                if self.wave.waits_at(group.pc) || self.wave.waits_before(group.pc) {
                    self.park(group);
                    break;
                }
            }
            if self.timed.at_barrier {
                self.timed.at_barrier = false;
                return Status::Barrier;
            }
        }
        Status::Ended
    }

    /// Lanes that waited go on: the instruction says that they join.
    fn arrive(&mut self, program: &Program, group: &Group) {
        let joins = program.steps.get(group.pc as usize).is_none_or(|step| step.flags.jp);
        self.pc = group.pc;
        // At the start, and behind a barrier, everybody goes on alone.
        let alone = group.pc == 0 || group.lanes == self.started & !self.ended;
        if !joins && !alone {
            self.fault(group.lanes.trailing_zeros() as usize, FaultKind::NotJoined);
        }
    }

    fn park(&mut self, group: Group) {
        let lane = group.lanes.trailing_zeros() as usize;
        if !self.wave.park(group) {
            self.fault(lane, FaultKind::StackFull);
        }
    }

    /// Runs a group up to an instruction at which it can part from or meet others. False if it
    /// has ended.
    fn advance(&mut self, program: &Program, group: &mut Group, world: &mut World) -> bool {
        let lanes = u64::from(group.lanes.count_ones());
        let at = group.pc as usize;
        self.pc = group.pc;
        let Some(step) = program.steps.get(at) else {
            return self.stop(group, FaultKind::Target(i64::from(group.pc)));
        };
        (self.state.active, self.state.pc) = (group.lanes, group.pc);
        let end = program.straight[at] as usize;
        if end > at && !program.is_timed() {
            let issued = program.issued[end] - program.issued[at];
            self.issued += issued * lanes;
            let (first, last) = (&step.issues[0], program.steps[end - 1].issues.last());
            let uops = first.uops.start..last.map_or(first.uops.end, |turn| turn.uops.end);
            self.compute(program, uops);
            group.pc = end as u32;
            return self.burn(group, issued);
        }
        self.issued += u64::from(step.slots) * lanes;
        if program.is_timed() {
            self.wait(step, group.lanes);
        }
        for turn in &step.issues {
            self.turn(program, turn, &step.action, group.lanes, world);
        }
        self.burn(group, u64::from(step.slots)) && self.follow(&step.action, group)
    }

    /// Takes the fuel of some instructions; stops a group that has none left.
    fn burn(&mut self, group: &mut Group, instructions: u64) -> bool {
        match self.fuel.checked_sub(instructions) {
            Some(left) => {
                self.fuel = left;
                true
            }
            None => self.stop(group, FaultKind::Endless),
        }
    }

    /// One repetition of an instruction.
    fn turn(&mut self, program: &Program, turn: &Turn, action: &Action, lanes: u32, world: &mut World) {
        if program.is_timed() {
            self.fetch_operands(program, turn, lanes);
        }
        for gather in &turn.gathers {
            self.gather(program, gather, lanes, world);
        }
        self.compute(program, turn.uops.clone());
        match action {
            Action::Texture(lookup) => self.look_up(lookup, lanes, world),
            Action::Memory(access) => self.access(access, lanes, world),
            _ => {}
        }
        if let Some(scatter) = &turn.scatter {
            self.scatter(program, scatter, lanes);
        }
        if program.is_timed() {
            self.queue_results(turn, lanes);
        }
    }

    fn compute(&mut self, program: &Program, uops: std::ops::Range<usize>) {
        if uops.is_empty() {
            return;
        }
        match &program.prepared {
            Some(prepared) => prepared.run(uops, &mut self.state),
            None => {
                let code = &program.uops.code;
                scalar::run(&code.uops[uops], &code.envs, &mut self.state, &mut ());
            }
        }
    }

    /// Where a group goes after an instruction. False if it has ended.
    fn follow(&mut self, action: &Action, group: &mut Group) -> bool {
        let next = i64::from(group.pc) + 1;
        match *action {
            Action::Branch { target, test, inverted } => {
                let truth = self.state.truth(test) ^ if inverted { u32::MAX } else { 0 };
                return self.branch(group, truth & group.lanes, target);
            }
            Action::Jump(target) => return self.go(group, target),
            Action::Call(target) => {
                group.returns.push(next as u32);
                if group.returns.len() > crate::regs::BRANCH_STACK as usize {
                    return self.stop(group, FaultKind::StackFull);
                }
                return self.go(group, target);
            }
            Action::Return => match group.returns.pop() {
                Some(back) => return self.go(group, i64::from(back)),
                None => return self.stop(group, FaultKind::NoCall),
            },
            Action::Kill { test, inverted } => {
                let truth = self.state.truth(test) ^ if inverted { u32::MAX } else { 0 };
                self.killed |= truth & group.lanes;
            }
            Action::End => {
                self.ended |= group.lanes;
                self.settle();
                return false;
            }
            Action::Barrier => return self.barrier(group),
            Action::Unknown(kind) => return self.stop(group, kind),
            Action::Next | Action::Texture(_) | Action::Memory(_) => {}
        }
        self.go(group, next)
    }

    /// Lanes of `taken` go to the target, the others on; those that go further wait.
    fn branch(&mut self, group: &mut Group, taken: u32, target: i64) -> bool {
        if taken == 0 {
            return self.go(group, i64::from(group.pc) + 1);
        }
        if taken == group.lanes {
            return self.go(group, target);
        }
        let mut leaving = Group { lanes: taken, ..group.clone() };
        group.lanes &= !taken;
        if self.go(&mut leaving, target) {
            self.park(leaving);
        }
        self.go(group, i64::from(group.pc) + 1)
    }

    fn go(&mut self, group: &mut Group, to: i64) -> bool {
        match u32::try_from(to).ok().filter(|to| (*to as usize) < self.program.steps.len()) {
            Some(to) => {
                group.pc = to;
                true
            }
            None => self.stop(group, FaultKind::Target(to)),
        }
    }

    fn barrier(&mut self, group: &mut Group) -> bool {
        if !self.wave.is_empty() || group.lanes != self.started & !self.ended {
            return self.stop(group, FaultKind::PartedAtBarrier);
        }
        group.pc += 1;
        self.timed.at_barrier = true;
        let all = std::mem::take(group);
        self.park(all);
        false
    }

    fn stop(&mut self, group: &mut Group, kind: FaultKind) -> bool {
        self.fault(group.lanes.trailing_zeros() as usize, kind);
        self.ended |= group.lanes;
        false
    }

    /// Keeps the first fault of each kind and place.
    pub(super) fn fault(&mut self, lane: usize, kind: FaultKind) {
        let fault = Fault { instruction: self.pc, lane: lane as u32, kind };
        let known = |f: &Fault| f.instruction == fault.instruction && f.kind == fault.kind;
        if self.faults.len() < MOST_FAULTS && !self.faults.iter().any(known) {
            self.faults.push(fault);
        }
    }

    /// Fetches operands at each lane's own place.
    fn gather(&mut self, program: &Program, gather: &Gather, lanes: u32, world: &World) {
        for lane in (0..LANES).filter(|lane| lanes >> lane & 1 == 1) {
            let index = (self.state.lanes(gather.index).0[lane] as i32).wrapping_add(gather.offset);
            let found = self.operand_at(program, gather.from, index, lane, world);
            if found.is_none() {
                self.fault(lane, FaultKind::OutOfFile(index));
            }
            let values = found.unwrap_or([program.config.poison; 3]);
            let count = if gather.from == From::Varyings { 3 } else { 1 };
            for (n, bits) in (0..count).zip(values) {
                self.state.lanes_mut(gather.to.at(n)).0[lane] = bits;
            }
        }
    }

    fn operand_at(
        &self,
        program: &Program,
        from: From,
        index: i32,
        lane: usize,
        world: &World,
    ) -> Option<[u32; 3]> {
        let number = u16::try_from(index).ok()?;
        match from {
            From::Constants(form) => {
                let most = crate::regs::CONSTANTS * 4;
                let bits = world.constants.get(usize::from(number)).copied().unwrap_or(0);
                (number < most).then_some([form.of(bits), 0, 0])
            }
            From::Registers { half } => {
                let place = super::places::Register::general(half, number);
                let slot = program.layout.slot(place);
                (number < REGISTERS).then(|| [self.state.lanes(slot).0[lane], 0, 0])
            }
            From::Varyings => {
                let (_, slot) = program.varyings.iter().find(|(location, _)| *location == number)?;
                Some([0, 1, 2].map(|n| self.state.lanes(slot.at(n)).0[lane]))
            }
        }
    }

    fn scatter(&mut self, program: &Program, scatter: &Scatter, lanes: u32) {
        for lane in (0..LANES).filter(|lane| lanes >> lane & 1 == 1) {
            let index = (self.state.lanes(scatter.index).0[lane] as i32).wrapping_add(scatter.offset);
            let number = u16::try_from(index).ok().filter(|n| *n < REGISTERS);
            let Some(number) = number else {
                self.fault(lane, FaultKind::OutOfFile(index));
                continue;
            };
            let bits = self.state.lanes(scatter.from).0[lane];
            let place = super::places::Register::general(scatter.half, number);
            self.state.lanes_mut(program.layout.slot(place)).0[lane] = bits;
        }
    }
}
