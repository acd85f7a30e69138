//! Running: lanes that agree go together, the one furthest behind first.

use std::sync::Arc;

use chiaro_sim::{LANES, Lanes, Slot, State, scalar};

use crate::isa::selector::Unit;

use super::program::{BANK, Fault, FaultKind, Gather, Layout, Program, Step};

/// vec4 of uniform memory. [Mesa]
const UNIFORMS: usize = 304;
/// Faults that are kept.
const MOST_FAULTS: usize = 64;
/// From a register's store to its load. [Mesa]
const REGISTER_LATENCY: u64 = 3;
/// From a temporary's store, or setting an address register, to the load. [ISA notes]
const MEMORY_LATENCY: u64 = 4;

/// Lanes at the same place with the same past.
#[derive(Clone, Debug)]
struct Strand {
    pc: usize,
    lanes: u32,
    /// Time in instructions; taken branches cost more.
    clock: u64,
    /// Values that are on their way.
    pending: Vec<Pending>,
    /// Whether a branch led here.
    jumped: bool,
}

#[derive(Clone, Debug)]
struct Pending {
    to: To,
    value: Box<Lanes>,
    due: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum To {
    Slot(Slot),
    /// A component of the temporary whose address each lane had in addr0.
    Temporary(u8, [i32; LANES]),
}

/// An instruction as one lane ran it.
#[derive(Clone, PartialEq, Debug)]
pub struct Executed {
    /// The instruction.
    pub at: u32,
    /// When, in cycles.
    pub cycle: u64,
    /// Results of the busy units, as bits.
    pub results: Vec<(Unit, u32)>,
    /// Whether it branched.
    pub branched: bool,
}

/// A program with the state of one batch of vertices.
#[derive(Debug)]
pub struct Machine {
    program: Arc<Program>,
    state: State,
    uniforms: Vec<[u32; 4]>,
    /// Temporaries of each lane, over uniform memory: empty until the first store.
    temporaries: Vec<Option<[u32; 4]>>,
    waiting: Vec<Strand>,
    cycles: [u64; LANES],
    faults: Vec<Fault>,
    /// What lane 0 runs, if it is to be kept.
    record: Option<Vec<Executed>>,
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
            waiting: Vec::new(),
            cycles: [0; LANES],
            faults: Vec::new(),
            record: None,
            fuel: 1 << 20,
        }
    }

    /// Sets a vec4 of uniform memory; addresses beyond it are ignored.
    pub fn set_uniform(&mut self, index: usize, value: [f32; 4]) {
        let Some(row) = self.uniforms.get_mut(index) else { return };
        *row = value.map(f32::to_bits);
        if let Some((_, slot)) = self.program.uniforms.iter().find(|(known, _)| usize::from(*known) == index)
        {
            for (i, bits) in row.iter().enumerate() {
                *self.state.lanes_mut(slot.at(i as u16)) = Lanes::splat(*bits);
            }
        }
    }

    /// A vec4 of uniform memory; zeros beyond it.
    #[must_use]
    pub fn uniform(&self, index: usize) -> [f32; 4] {
        self.uniforms.get(index).map_or([0.0; 4], |row| row.map(f32::from_bits))
    }

    /// Sets an attribute (0 to 15) of a lane (0 to 31).
    pub fn set_attribute(&mut self, lane: usize, index: u32, value: [f32; 4]) {
        for (i, x) in value.into_iter().enumerate() {
            let slot = Layout::part(self.program.layout.attributes, index & 15, i as u32);
            self.state.lanes_mut(slot).0[lane % LANES] = x.to_bits();
        }
    }

    /// An output (0 to 15) of a lane.
    #[must_use]
    pub fn output(&self, lane: usize, index: u32) -> [f32; 4] {
        std::array::from_fn(|i| {
            let slot = Layout::part(self.program.layout.outputs, index & 15, i as u32);
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
        let program = Arc::clone(&self.program);
        for i in 0..64 {
            *self.state.lanes_mut(program.layout.outputs.at(i)) = Lanes::ZERO;
            *self.state.lanes_mut(program.layout.registers.at(i)) = Lanes::splat(program.config.poison);
        }
        let lanes = u32::MAX >> (LANES - lanes.clamp(1, LANES));
        self.waiting.push(Strand { pc: 0, lanes, clock: 0, pending: Vec::new(), jumped: false });
        while let Some(strand) = self.next() {
            self.advance(&program, strand);
        }
    }

    /// Runs the program on lane 0 and tells every instruction.
    pub fn trace(&mut self) -> Vec<Executed> {
        self.record = Some(Vec::new());
        self.run(1);
        self.record.take().unwrap_or_default()
    }

    fn keep_step(&mut self, step: &Step, strand: &Strand, branched: bool) {
        if let Some(record) = &mut self.record {
            let result = |&(unit, slot): &(Unit, Slot)| (unit, self.state.lanes(slot).0[0]);
            let results = step.busy.iter().map(result).collect();
            record.push(Executed { at: strand.pc as u32, cycle: strand.clock, results, branched });
        }
    }

    /// The strand at the lowest place, with all others that can join it.
    fn next(&mut self) -> Option<Strand> {
        let lowest = (0..self.waiting.len()).min_by_key(|&i| self.waiting[i].pc)?;
        let mut strand = self.waiting.swap_remove(lowest);
        self.waiting.retain(|other| {
            let joins = other.pc == strand.pc && other.pending.is_empty() && strand.pending.is_empty();
            if joins {
                strand.lanes |= other.lanes;
                strand.clock = strand.clock.max(other.clock);
                strand.jumped |= other.jumped;
            }
            !joins
        });
        Some(strand)
    }

    /// Runs a strand until it ends, parts, or may meet another one.
    fn advance(&mut self, program: &Program, mut strand: Strand) {
        while let Some(step) = program.steps.get(strand.pc) {
            if strand.clock >= self.fuel {
                self.fault(&strand, FaultKind::Endless);
                break;
            }
            self.step(program, step, &mut strand);
            let taken = step.branch.map_or(0, |(_, condition)| self.truth(condition) & strand.lanes);
            self.keep_step(step, &strand, taken != 0);
            strand.clock += 1;
            if taken == 0 {
                (strand.pc, strand.jumped) = (strand.pc + 1, false);
            } else {
                self.part(program, step, &mut strand, taken);
                if strand.lanes == 0 {
                    return;
                }
            }
            if !self.waiting.is_empty() {
                return self.waiting.push(strand);
            }
        }
        strand.pending.iter_mut().for_each(|p| p.due = 0);
        self.commit(&mut strand);
        self.each(strand.lanes, |machine, lane| machine.cycles[lane] = strand.clock);
    }

    /// Sends the lanes that take a branch on their way; the others go on.
    fn part(&mut self, program: &Program, step: &Step, strand: &mut Strand, taken: u32) {
        let Some((target, _)) = step.branch else { return };
        if target as usize > program.len() {
            self.fault(strand, FaultKind::Target(target));
        }
        let mut jumped = Strand { lanes: taken, jumped: true, ..strand.clone() };
        jumped.pc = target as usize;
        jumped.clock += u64::from(program.config.taken_branch);
        self.carry(program, strand.pc, jumped.pc, taken);
        self.waiting.push(jumped);
        strand.lanes &= !taken;
        (strand.pc, strand.jumped) = (strand.pc + 1, false);
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
                self.write(target.at(unit), &value, lanes);
            }
        }
    }

    fn step(&mut self, program: &Program, step: &Step, strand: &mut Strand) {
        self.commit(strand);
        self.state.active = strand.lanes;
        for kind in &step.faults {
            self.fault(strand, *kind);
        }
        if strand.jumped && step.reads_back {
            self.fault(strand, FaultKind::AcrossBranch);
        }
        for slot in &step.reads {
            self.check_register(program, strand, *slot);
        }
        if let Some(gather) = step.gather {
            self.gather(program, strand, gather);
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
        self.conditions(strand, step);
        self.stores(program, step, strand);
    }

    fn stores(&mut self, program: &Program, step: &Step, strand: &mut Strand) {
        for &(from, to) in &step.outputs {
            let value = *self.state.lanes(from);
            self.write(to, &value, strand.lanes);
        }
        let later = |strand: &mut Strand, to, value, latency| {
            strand.pending.push(Pending { to, value: Box::new(value), due: strand.clock + latency });
        };
        for &(from, to) in &step.registers {
            later(strand, To::Slot(to), *self.state.lanes(from), REGISTER_LATENCY);
        }
        if let Some((number, from)) = step.address {
            let value = *self.state.lanes(from);
            let to = program.layout.addresses.at(u16::from(number));
            // addr0 counts for the stores of its own instruction.
            match number {
                0 => self.write(to, &value, strand.lanes),
                _ => later(strand, To::Slot(to), value, MEMORY_LATENCY),
            }
        }
        for &(component, from) in &step.temporaries {
            let address = self.state.lanes(program.layout.addresses).0.map(|n| n as i32);
            later(strand, To::Temporary(component, address), *self.state.lanes(from), MEMORY_LATENCY);
        }
    }

    /// Values whose time has come arrive.
    fn commit(&mut self, strand: &mut Strand) {
        if strand.pending.is_empty() {
            return;
        }
        let (due, left): (Vec<Pending>, Vec<Pending>) =
            strand.pending.drain(..).partition(|pending| pending.due <= strand.clock);
        strand.pending = left;
        for pending in due {
            match pending.to {
                To::Slot(slot) => self.write(slot, &pending.value, strand.lanes),
                To::Temporary(component, addresses) => {
                    self.each(strand.lanes, |machine, lane| {
                        machine.store_temporary(lane, addresses[lane], component, pending.value.0[lane]);
                    });
                }
            }
        }
    }

    fn store_temporary(&mut self, lane: usize, address: i32, component: u8, value: u32) {
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
    fn gather(&mut self, program: &Program, strand: &Strand, gather: Gather) {
        let register = program.layout.addresses.at(u16::from(gather.offset));
        if gather.offset != 0 && strand.pending.iter().any(|p| p.to == To::Slot(register)) {
            self.fault(strand, FaultKind::AddressTooEarly(gather.offset));
        }
        self.each(strand.lanes, |machine, lane| {
            let offset = if gather.offset == 0 { 0 } else { machine.state.lanes(register).0[lane] as i32 };
            let address = i32::from(gather.address).saturating_add(offset);
            let index = usize::try_from(address).ok().filter(|&index| index < UNIFORMS);
            if index.is_none() {
                let fault = Fault {
                    instruction: strand.pc as u32,
                    lane: lane as u32,
                    kind: FaultKind::Address(address),
                };
                machine.keep(fault);
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

    fn check_register(&mut self, program: &Program, strand: &Strand, slot: Slot) {
        if strand.pending.iter().any(|p| p.to == To::Slot(slot)) {
            let number = slot.0 - program.layout.registers.0;
            let (index, component) = ((number / 4) as u8, (number % 4) as u8);
            self.fault(strand, FaultKind::RegisterTooEarly { index, component });
        }
    }

    fn conditions(&mut self, strand: &Strand, step: &Step) {
        for &slot in &step.conditions {
            let odd = |bits: u32| !matches!(f32::from_bits(bits), 0.0 | 1.0);
            let lanes = self.state.lanes(slot).0;
            if (0..LANES).any(|lane| strand.lanes >> lane & 1 == 1 && odd(lanes[lane])) {
                self.fault(strand, FaultKind::Condition);
            }
        }
    }

    /// Lanes whose value is not equal to zero.
    fn truth(&self, slot: Slot) -> u32 {
        let lanes = self.state.lanes(slot).0;
        let bit = |(lane, bits): (usize, &u32)| u32::from(f32::from_bits(*bits) != 0.0) << lane;
        lanes.iter().enumerate().map(bit).fold(0, |all, bit| all | bit)
    }

    fn write(&mut self, slot: Slot, value: &Lanes, lanes: u32) {
        let to = self.state.lanes_mut(slot);
        for lane in 0..LANES {
            if lanes >> lane & 1 == 1 {
                to.0[lane] = value.0[lane];
            }
        }
    }

    fn each(&mut self, lanes: u32, mut body: impl FnMut(&mut Machine, usize)) {
        (0..LANES).filter(|lane| lanes >> lane & 1 == 1).for_each(|lane| body(self, lane));
    }

    fn fault(&mut self, strand: &Strand, kind: FaultKind) {
        self.keep(Fault { instruction: strand.pc as u32, lane: strand.lanes.trailing_zeros(), kind });
    }

    /// Keeps the first fault of each kind and place.
    fn keep(&mut self, fault: Fault) {
        let known = |f: &Fault| f.instruction == fault.instruction && f.kind == fault.kind;
        if self.faults.len() < MOST_FAULTS && !self.faults.iter().any(known) {
            self.faults.push(fault);
        }
    }
}
