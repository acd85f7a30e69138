//! Running a program on a batch: lanes that agree go together ([`chiaro_sim::groups`]), and
//! stores take effect when the hardware's do ([`chiaro_sim::commit`]).

use std::sync::Arc;

use chiaro_sim::commit::{Queue, Write};
use chiaro_sim::groups::{self, Diverge, Groups, lanes_of};
use chiaro_sim::{Change, Changes, LANES, Lanes, Slot, State, scalar};

use crate::regs::{ADDRESS_WAIT, BANK_MASK, REGISTER_WAIT, SCALARS, TEMPORARY_WAIT, UNIFORMS};

use super::executed::Executed;
use super::program::{BANK, Fault, FaultKind, Gather, Layout, Program, Step};

/// Faults that are kept.
const MOST_FAULTS: usize = 64;

/// What lanes at the same place have in common.
#[derive(Clone, Debug, Default)]
struct Past {
    /// Time in instructions; taken branches cost more. Of lanes that met, that of the slowest.
    clock: u64,
    /// How much of it each lane's own cycles have; lanes that wait have all.
    counted: u64,
    /// Stores that have not taken effect.
    pending: Queue<To>,
    /// Temporaries among them.
    temporaries: Vec<Stored>,
    /// Whether a branch led here.
    jumped: bool,
}

/// A store of a temporary that has not taken effect.
#[derive(Clone, Debug)]
struct Stored {
    due: u64,
    component: u8,
    /// By lane.
    addresses: Box<[i32; LANES]>,
}

type Group = groups::Group<Past>;

/// Where a store goes.
#[derive(Clone, PartialEq, Eq, Debug)]
enum To {
    Slot(Slot),
    /// A component of the temporary whose address each lane had in addr0.
    Temporary(u8, Box<[i32; LANES]>),
}

impl groups::Past for Past {
    fn meets(&self, other: &Past) -> bool {
        self.pending.is_empty() && other.pending.is_empty()
    }

    fn absorb(&mut self, other: Past) {
        self.clock = self.clock.max(other.clock);
        self.counted = self.clock;
        self.jumped |= other.jumped;
    }
}

/// A program with the state of one batch of vertices.
#[derive(Clone, Debug)]
pub struct Machine {
    program: Arc<Program>,
    pub(super) state: State,
    uniforms: Vec<[u32; 4]>,
    /// Temporaries of each lane, over uniform memory: empty until the first store.
    temporaries: Vec<Option<[u32; 4]>>,
    groups: Groups<Past>,
    cycles: [u64; LANES],
    /// Components of outputs that each lane has stored, a bit each, where a program may store twice.
    stored: [u64; LANES],
    faults: Vec<Fault>,
    /// What lane 0 runs, if it is to be kept, and how much of it.
    pub(super) record: Option<(Vec<Executed>, usize)>,
    /// What is set on the way, where that is kept.
    pub(super) changes: Changes,
    /// What was set before the present instruction.
    pub(super) set: Vec<(String, u32)>,
    /// Instructions that a lane may run.
    pub fuel: u64,
}

impl Machine {
    /// A machine with uniform memory all zero.
    #[must_use]
    pub fn new(program: Arc<Program>) -> Machine {
        let mut state = State::new(program.code.slot_count(), 0);
        for &(slot, value) in &program.constants {
            *state.lanes_mut(slot) = Lanes::splat(value);
        }
        Machine {
            program,
            state,
            uniforms: vec![[0; 4]; UNIFORMS],
            temporaries: Vec::new(),
            groups: Groups::default(),
            cycles: [0; LANES],
            stored: [0; LANES],
            faults: Vec::new(),
            record: None,
            changes: Changes::default(),
            set: Vec::new(),
            fuel: 1 << 20,
        }
    }

    /// Sets a vec4 of uniform memory; addresses beyond it are ignored.
    pub fn set_uniform(&mut self, index: usize, value: [f32; 4]) {
        let Some(row) = self.uniforms.get_mut(index) else { return };
        *row = value.map(f32::to_bits);
        if let Some(slot) = self.uniform_slot(index) {
            let row = self.uniforms[index];
            for (i, bits) in row.iter().enumerate() {
                *self.state.lanes_mut(slot.at(i as u16)) = Lanes::splat(*bits);
            }
        }
    }

    /// Sets the components of a vec4 of uniform memory from one on: those beside them may be another's.
    pub fn set_part(&mut self, index: usize, component: usize, values: &[f32]) {
        let mut whole = self.uniform(index);
        whole.iter_mut().skip(component).zip(values).for_each(|(to, &value)| *to = value);
        self.set_uniform(index, whole);
    }

    /// A vec4 of uniform memory; zeros beyond it.
    #[must_use]
    pub fn uniform(&self, index: usize) -> [f32; 4] {
        self.uniforms.get(index).map_or([0.0; 4], |row| row.map(f32::from_bits))
    }

    /// Sets an attribute (0 to 15) of a lane (0 to 31).
    pub fn set_attribute(&mut self, lane: usize, index: u32, value: [f32; 4]) {
        for (i, x) in value.into_iter().enumerate() {
            let slot = Layout::part(self.program.layout.attributes, index & u32::from(BANK_MASK), i as u32);
            self.state.lanes_mut(slot).0[lane % LANES] = x.to_bits();
        }
    }

    /// An output (0 to 15) of a lane.
    #[must_use]
    pub fn output(&self, lane: usize, index: u32) -> [f32; 4] {
        std::array::from_fn(|i| {
            let slot = Layout::part(self.program.layout.outputs, index & u32::from(BANK_MASK), i as u32);
            f32::from_bits(self.state.lanes(slot).0[lane % LANES])
        })
    }

    /// Cycles that a lane took, as far as the cost of branches is known.
    #[must_use]
    pub fn cycles(&self, lane: usize) -> u64 {
        self.cycles[lane % LANES]
    }

    /// What went wrong in the last run, the first of each place.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Runs the program on the first `lanes` (1 to 32) lanes.
    pub fn run(&mut self, lanes: usize) {
        self.faults.clear();
        self.temporaries.clear();
        (self.cycles, self.stored) = ([0; LANES], [0; LANES]);
        let program = Arc::clone(&self.program);
        for i in 0..SCALARS as u16 {
            *self.state.lanes_mut(program.layout.outputs.at(i)) = Lanes::ZERO;
            *self.state.lanes_mut(program.layout.registers.at(i)) = Lanes::splat(program.config.poison);
        }
        let lanes = u32::MAX >> (LANES - lanes.clamp(1, LANES));
        let mut groups = std::mem::take(&mut self.groups);
        let start = Group { pc: 0, lanes, past: Past::default() };
        groups.run(start, &mut Runner { machine: self, program: &program });
        self.groups = groups;
    }

    /// One instruction of a group. False if the group has ended.
    fn advance(&mut self, program: &Program, group: &mut Group, others: &mut Groups<Past>) -> bool {
        let Some(step) = program.steps.get(group.pc as usize) else { return self.end(group) };
        if group.past.clock >= self.fuel {
            self.fault(group, FaultKind::Endless);
            return self.end(group);
        }
        if !self.changes.is_empty() {
            self.change(group);
        }
        self.step(program, step, group);
        let taken = step.branch.map_or(0, |(_, condition)| self.truth(condition) & group.lanes);
        let (at, clock) = (group.pc, group.past.clock);
        self.keep_step(program, step, (at, clock), taken != 0);
        group.past.clock += 1;
        if let Some((target, _)) = step.branch.filter(|_| taken != 0) {
            let leaving = group.part(taken);
            others.wait(self.jump(program, leaving, target));
        }
        group.pc += 1;
        group.past.jumped = false;
        if !others.is_empty() {
            self.count(group);
        }
        group.lanes != 0
    }

    /// Sets what is to be set before this instruction; stores on their way to the same places are given up.
    fn change(&mut self, group: &mut Group) {
        for Change { register, value, .. } in self.changes.step() {
            let Some((bits, slot)) = self.set_register(&register, value) else { continue };
            if let Some(slot) = slot {
                group.past.pending.give_up(&To::Slot(slot));
            }
            self.set.push((register, bits));
        }
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.program.layout
    }

    /// The first slot of a vec4 of uniform memory that the program reads at a fixed address.
    pub(super) fn uniform_slot(&self, index: usize) -> Option<Slot> {
        self.program.uniforms.iter().find(|(known, _)| usize::from(*known) == index).map(|(_, slot)| *slot)
    }

    /// Gives lanes the cycles since they were counted last: before they wait, where they may meet slower
    /// or faster ones.
    fn count(&mut self, group: &mut Group) {
        let spent = group.past.clock - group.past.counted;
        group.past.counted = group.past.clock;
        lanes_of(group.lanes, &mut self.cycles).for_each(|(_, cycles)| *cycles += spent);
    }

    /// Nothing reads late stores behind the end: they take effect at once.
    fn end(&mut self, group: &mut Group) -> bool {
        self.commit(group, u64::MAX);
        self.count(group);
        false
    }

    /// Sends lanes that take a branch on their way.
    fn jump(&mut self, program: &Program, mut group: Group, target: u32) -> Group {
        if target as usize > program.len() {
            self.fault(&group, FaultKind::Target(target));
        }
        self.carry(program, group.pc as usize, target as usize, group.lanes);
        group.pc = target;
        group.past.clock += u64::from(program.config.taken_branch);
        group.past.jumped = true;
        self.count(&mut group);
        group
    }

    /// Moves results to the banks where the target looks for them.
    fn carry(&mut self, program: &Program, from: usize, to: usize, lanes: u32) {
        let near = program.steps.get(to..(to + 2).min(program.len())).unwrap_or_default();
        if !near.iter().any(|step| step.reads_back) {
            return;
        }
        let bank = |at: usize| program.layout.results.at((at % 3) as u16 * BANK);
        let old: Vec<Lanes> =
            (0..3 * BANK).map(|i| *self.state.lanes(program.layout.results.at(i))).collect();
        for back in 0..2 {
            let (source, target) = (bank(from + 3 - back), bank(to + 2 - back));
            for unit in 0..BANK {
                let offset = usize::from(source.0 + unit - program.layout.results.0);
                let value = old[offset];
                self.state.write(target.at(unit), &value, lanes);
            }
        }
    }

    fn step(&mut self, program: &Program, step: &Step, group: &mut Group) {
        self.commit(group, group.past.clock);
        self.state.active = group.lanes;
        for kind in &step.faults {
            self.fault(group, *kind);
        }
        if group.past.jumped && step.reads_back {
            self.fault(group, FaultKind::AcrossBranch);
        }
        for slot in &step.reads {
            self.check_register(program, group, *slot);
        }
        if let Some(gather) = step.gather {
            self.gather(program, group, gather);
        }
        match &program.prepared {
            Some(prepared) => prepared.run(step.uops.clone(), &mut self.state),
            None => {
                scalar::run(
                    &program.code.uops[step.uops.clone()],
                    &program.code.envs,
                    &mut self.state,
                    &mut (),
                );
            }
        }
        self.conditions(group, step);
        self.stores(program, step, group);
    }

    fn stores(&mut self, program: &Program, step: &Step, group: &mut Group) {
        for &(from, to) in &step.outputs {
            let value = *self.state.lanes(from);
            self.state.write(to, &value, group.lanes);
        }
        if program.may_repeat {
            step.outputs.iter().for_each(|&(_, to)| self.check_output(program, group, to));
        }
        let clock = group.past.clock;
        let mut later = |to, value, wait: u16| {
            group.past.pending.push(Write { due: clock + u64::from(wait), to, value });
        };
        for &(from, to) in &step.registers {
            later(To::Slot(to), *self.state.lanes(from), REGISTER_WAIT);
        }
        if let Some((number, from)) = step.address {
            let value = *self.state.lanes(from);
            let to = program.layout.addresses.at(u16::from(number));
            // addr0 counts for the stores of its own instruction.
            match number {
                0 => self.state.write(to, &value, group.lanes),
                _ => later(To::Slot(to), value, ADDRESS_WAIT),
            }
        }
        for &(component, from) in &step.temporaries {
            let address = self.state.lanes(program.layout.addresses).0.map(|n| n as i32);
            let due = clock + u64::from(TEMPORARY_WAIT);
            group.past.temporaries.push(Stored { due, component, addresses: Box::new(address) });
            later(To::Temporary(component, Box::new(address)), *self.state.lanes(from), TEMPORARY_WAIT);
        }
    }

    /// Stores whose time has come take effect.
    fn commit(&mut self, group: &mut Group, now: u64) {
        group.past.temporaries.retain(|stored| stored.due > now);
        for write in group.past.pending.due(now) {
            match write.to {
                To::Slot(slot) => self.state.write(slot, &write.value, group.lanes),
                To::Temporary(component, addresses) => {
                    for lane in (0..LANES).filter(|lane| group.lanes >> lane & 1 == 1) {
                        self.store_temporary(lane, addresses[lane], component, write.value.0[lane]);
                    }
                }
            }
        }
    }

    pub(super) fn store_temporary(&mut self, lane: usize, address: i32, component: u8, value: u32) {
        let Some(index) = usize::try_from(address).ok().filter(|&index| index < UNIFORMS) else {
            return;
        };
        if self.temporaries.is_empty() {
            self.temporaries = vec![None; UNIFORMS * LANES];
        }
        let start = self.uniforms[index];
        let row = self.temporaries[index * LANES + lane].get_or_insert(start);
        row[usize::from(component & 3)] = value;
    }

    /// Loads a vec4 at each lane's own address.
    fn gather(&mut self, program: &Program, group: &Group, gather: Gather) {
        let register = program.layout.addresses.at(u16::from(gather.offset));
        if gather.offset != 0 && group.past.pending.is_pending(&To::Slot(register)) {
            self.fault(group, FaultKind::AddressTooEarly(gather.offset));
        }
        self.each(group.lanes, |machine, lane| {
            let offset = if gather.offset == 0 { 0 } else { machine.state.lanes(register).0[lane] as i32 };
            let address = i32::from(gather.address).saturating_add(offset);
            let index = usize::try_from(address).ok().filter(|&index| index < UNIFORMS);
            if index.is_none() {
                let fault =
                    Fault { instruction: group.pc, lane: lane as u32, kind: FaultKind::Address(address) };
                machine.keep(fault);
            }
            let is_late = |stored: &Stored| {
                stored.addresses[lane] == address && gather.components >> (stored.component & 3) & 1 != 0
            };
            if group.past.temporaries.iter().any(is_late) {
                let kind = FaultKind::TemporaryTooEarly(address);
                machine.keep(Fault { instruction: group.pc, lane: lane as u32, kind });
            }
            let row = index.map_or([program.config.poison; 4], |index| {
                let written = machine.temporaries.get(index * LANES + lane).copied().flatten();
                written.unwrap_or(machine.uniforms[index])
            });
            for (i, bits) in row.into_iter().enumerate() {
                machine.state.lanes_mut(program.layout.loaded.at(i as u16)).0[lane] = bits;
            }
        });
    }

    fn check_register(&mut self, program: &Program, group: &Group, slot: Slot) {
        if group.past.pending.is_pending(&To::Slot(slot)) {
            let number = slot.0 - program.layout.registers.0;
            let (index, component) = ((number / 4) as u8, (number % 4) as u8);
            self.fault(group, FaultKind::RegisterTooEarly { index, component });
        }
    }

    /// Tells of an output's component that a lane has stored before.
    fn check_output(&mut self, program: &Program, group: &Group, slot: Slot) {
        let number = slot.0 - program.layout.outputs.0;
        let bit = 1 << number;
        let again = lanes_of(group.lanes, &mut self.stored).find(|(_, stored)| **stored & bit != 0);
        if let Some((lane, _)) = again {
            let kind = FaultKind::OutputAgain { index: (number / 4) as u8, component: (number % 4) as u8 };
            self.keep(Fault { instruction: group.pc, lane: lane as u32, kind });
        }
        lanes_of(group.lanes, &mut self.stored).for_each(|(_, stored)| *stored |= bit);
    }

    fn conditions(&mut self, group: &Group, step: &Step) {
        for &slot in &step.conditions {
            let odd = |bits: u32| !matches!(f32::from_bits(bits), 0.0 | 1.0);
            let lanes = self.state.lanes(slot).0;
            if (0..LANES).any(|lane| group.lanes >> lane & 1 == 1 && odd(lanes[lane])) {
                self.fault(group, FaultKind::Condition);
            }
        }
    }

    /// Lanes whose value is not equal to zero.
    fn truth(&self, slot: Slot) -> u32 {
        let lanes = self.state.lanes(slot).0;
        let bit = |(lane, bits): (usize, &u32)| u32::from(f32::from_bits(*bits) != 0.0) << lane;
        lanes.iter().enumerate().map(bit).fold(0, |all, bit| all | bit)
    }

    fn each(&mut self, lanes: u32, mut body: impl FnMut(&mut Machine, usize)) {
        (0..LANES).filter(|lane| lanes >> lane & 1 == 1).for_each(|lane| body(self, lane));
    }

    fn fault(&mut self, group: &Group, kind: FaultKind) {
        self.keep(Fault { instruction: group.pc, lane: group.lanes.trailing_zeros(), kind });
    }

    /// Keeps the first fault of each kind and place.
    fn keep(&mut self, fault: Fault) {
        let known = |f: &Fault| f.instruction == fault.instruction && f.kind == fault.kind;
        if self.faults.len() < MOST_FAULTS && !self.faults.iter().any(known) {
            self.faults.push(fault);
        }
    }
}

/// A machine while it runs its program.
struct Runner<'a> {
    machine: &'a mut Machine,
    program: &'a Program,
}

impl Diverge for Runner<'_> {
    type Past = Past;

    fn advance(&mut self, group: &mut Group, others: &mut Groups<Past>) -> bool {
        self.machine.advance(self.program, group, others)
    }
}
