//! One wave: registers, the place where it is, loads on their way.

use std::sync::Arc;

use chiaro_sim::{Lanes, State};

use super::config::Config;
use super::fault::{Fault, FaultKind};
use super::pending::Pending;
use super::program::{Compiled, Program};
use super::registers::Registers;
use super::timed::{Time, Timed};
use super::trace::Trace;
use crate::exec::{Mode, SCC};
use crate::regs::code;

/// Faults that are kept of a wave: a wild loop must not fill the host's memory.
const MOST_FAULTS: usize = 64;

/// Where a wave is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Status {
    Running,
    /// Waits at a barrier.
    Barrier,
    Ended,
}

/// A wave with its registers.
#[derive(Clone, Debug)]
pub struct Wave {
    pub(super) number: u32,
    pub(super) program: Arc<Program>,
    pub(super) config: Config,
    /// Lanes 0 to 31, and 32 to 63 if there are that many. The first one has the scalar
    /// registers, but while the second one runs.
    pub(super) halves: Vec<State>,
    /// Bytes from the start of the code to the next instruction.
    pub(super) pc: u32,
    pub(super) status: Status,
    /// Calls that have not come back: where they stand, and where they go on.
    pub(super) calls: Vec<[u32; 2]>,
    pub(super) pending: Vec<Pending>,
    /// How many accesses have been on their way so far.
    pub(super) brought: u64,
    /// Loads that have come, whose room is used again.
    pub(super) spare: Vec<Pending>,
    pub(super) on_way: Registers,
    pub(super) faults: Vec<Fault>,
    pub(super) issued: u64,
    /// Address of the code.
    pub(super) code_base: u64,
    /// Bytes from the start of the code to the first instruction.
    pub(super) entry: u32,
    pub(super) trace: Option<Trace>,
    /// The clock, where one is asked for.
    pub(super) timed: Option<Box<Timed>>,
    pub(super) flat_scratch: u64,
    pub(super) scratch: Vec<u8>,
    pub(super) mode: Mode,
    compiled: Vec<(Mode, Arc<Compiled>)>,
    pub(super) current: Arc<Compiled>,
}

impl Wave {
    /// Cycles so far; without a clock instructions stand for them.
    pub(super) fn now(&self) -> u64 {
        self.timed.as_ref().map_or(self.issued, |timed| timed.now())
    }

    /// Where the cycles went, if there is a clock.
    pub(super) fn time(&self) -> Option<Time> {
        self.timed.as_ref().map(|timed| timed.time())
    }

    /// A wave at the start of a program, all of its lanes running.
    #[must_use]
    pub fn new(program: &Arc<Program>, config: &Config, number: u32) -> Wave {
        let mode = Mode(config.mode);
        let current = program.compiled(mode, config);
        let halves = usize::from(program.wave() / 32);
        let mut wave = Wave {
            number,
            program: Arc::clone(program),
            config: *config,
            halves: (0..halves).map(|half| state(&current, half as u16)).collect(),
            pc: 0,
            status: Status::Running,
            calls: Vec::new(),
            pending: Vec::new(),
            brought: 0,
            spare: Vec::new(),
            on_way: Registers::default(),
            faults: Vec::new(),
            issued: 0,
            code_base: 0,
            entry: 0,
            trace: None,
            timed: config.timed.then(|| Box::new(Timed::new(program, config.latencies))),
            flat_scratch: 0,
            scratch: Vec::new(),
            mode,
            compiled: vec![(mode, Arc::clone(&current))],
            current,
        };
        (0..256).for_each(|n| wave.set_vector(n, &[Lanes::splat(config.poison); 2]));
        wave.reset();
        wave
    }

    /// Back to the start: registers hold what they hold where nothing was written.
    pub fn reset(&mut self) {
        let poison = self.config.poison;
        let first = usize::from(self.current.uops.vectors.0);
        let changed = first..first + usize::from(self.program.vectors);
        for half in &mut self.halves {
            half.lanes[changed.clone()].fill(Lanes::splat(poison));
        }
        (0..code::NULL).for_each(|n| self.set_scalar(n, poison));
        (0..2).for_each(|n| self.set_scalar(code::EXEC_LO + n, u32::MAX));
        self.set_scalar(code::M0, 0);
        self.halves[0].waves[usize::from(SCC.0)] = 0;
        (self.pc, self.status, self.issued) = (self.entry, Status::Running, 0);
        self.calls.clear();
        self.pending.clear();
        self.on_way = Registers::default();
        self.faults.clear();
        if let Some(timed) = &mut self.timed {
            timed.reset();
        }
        self.set_mode(Mode(self.config.mode));
    }

    /// Turns to another MODE.
    pub(super) fn set_mode(&mut self, mode: Mode) {
        if mode == self.mode {
            return;
        }
        let known = self.compiled.iter().find(|(known, _)| *known == mode).map(|(_, c)| Arc::clone(c));
        let current = known.unwrap_or_else(|| {
            let made = self.program.compiled(mode, &self.config);
            self.compiled.push((mode, Arc::clone(&made)));
            made
        });
        (self.mode, self.current) = (mode, current);
        for half in &mut self.halves {
            fill(half, &self.current);
        }
    }

    /// The wave's block of scratch memory.
    #[must_use]
    pub fn scratch(&self) -> &[u8] {
        &self.scratch
    }

    /// A scalar register by its code.
    #[must_use]
    pub fn scalar(&self, register: u16) -> u32 {
        if register == code::NULL { 0 } else { self.halves[0].waves[usize::from(register)] }
    }

    /// The same, to write; what goes to null is gone.
    pub fn set_scalar(&mut self, register: u16, value: u32) {
        if register != code::NULL {
            self.halves[0].waves[usize::from(register)] = value;
        }
    }

    /// Two scalar registers as a number.
    pub(super) fn scalar_pair(&self, register: u16) -> u64 {
        u64::from(self.scalar(register)) | u64::from(self.scalar(register + 1)) << 32
    }

    /// Which wave of its group it is.
    #[must_use]
    pub fn index(&self) -> u32 {
        self.number
    }

    /// Sets the lanes that run.
    pub fn set_exec(&mut self, lanes: u64) {
        self.set_scalar(code::EXEC_LO, lanes as u32);
        self.set_scalar(code::EXEC_HI, (lanes >> 32) as u32);
    }

    /// Lanes, 32 or 64.
    #[must_use]
    pub fn lanes(&self) -> u8 {
        self.program.wave()
    }

    /// SCC.
    #[must_use]
    pub fn scc(&self) -> bool {
        self.halves[0].waves[usize::from(SCC.0)] != 0
    }

    /// Sets SCC.
    pub fn set_scc(&mut self, value: bool) {
        self.halves[0].waves[usize::from(SCC.0)] = value.into();
    }

    /// The lanes that run, in each half.
    #[must_use]
    pub fn exec(&self) -> [u32; 2] {
        let upper = if self.halves.len() == 2 { self.scalar(code::EXEC_HI) } else { 0 };
        [self.scalar(code::EXEC_LO), upper]
    }

    /// A vector register in a lane of the wave.
    #[inline]
    #[must_use]
    pub fn vector(&self, register: u16, lane: usize) -> u32 {
        // One half or two.
        let half = &self.halves[lane / 32 & (self.halves.len() - 1)];
        half.lanes(self.current.uops.vectors.at(register & 255)).0[lane % 32]
    }

    /// A vector register in both halves, to be read lane by lane; zeros where there is one half only.
    #[inline]
    pub(super) fn both(&self, register: u16) -> [Lanes; 2] {
        let upper = if self.halves.len() == 2 { *self.half(register, 1) } else { Lanes::ZERO };
        [*self.half(register, 0), upper]
    }

    /// A vector register in half of the wave.
    #[inline]
    pub(super) fn half(&self, register: u16, half: usize) -> &Lanes {
        self.halves[half].lanes(self.current.uops.vectors.at(register & 255))
    }

    /// Writes a vector register in all lanes.
    pub fn set_vector(&mut self, register: u16, values: &[Lanes; 2]) {
        for (half, values) in values.iter().enumerate().take(self.halves.len()) {
            self.merge_vector(half, register, values, u32::MAX, u32::MAX);
        }
    }

    /// Writes some bits of a vector register in some lanes of a half.
    pub(super) fn merge_vector(&mut self, half: usize, register: u16, values: &Lanes, lanes: u32, mask: u32) {
        let slot = self.current.uops.vectors.at(register & 255);
        let to = self.halves[half].lanes_mut(slot);
        if lanes & mask == u32::MAX {
            *to = *values;
            return;
        }
        for (lane, (to, from)) in to.0.iter_mut().zip(values.0).enumerate() {
            let mask = (lanes >> lane & 1).wrapping_neg() & mask;
            *to = *to & !mask | from & mask;
        }
    }

    /// What went wrong, in the order of time.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Instructions executed.
    #[must_use]
    pub fn issued(&self) -> u64 {
        self.issued
    }

    /// Keeps the first fault of each kind and place.
    pub(super) fn fault(&mut self, lane: usize, kind: FaultKind) {
        let fault = Fault { wave: self.number, lane: lane as u32, offset: self.pc, kind };
        let alike = |a: &FaultKind, b: &FaultKind| std::mem::discriminant(a) == std::mem::discriminant(b);
        let known = |f: &Fault| f.offset == fault.offset && alike(&f.kind, &fault.kind);
        if self.faults.len() < MOST_FAULTS && !self.faults.iter().any(known) {
            self.faults.push(fault);
        }
    }
}

fn state(compiled: &Compiled, half: u16) -> State {
    let mut state = State::new(compiled.uops.code.slot_count(), compiled.uops.wave_slots());
    state.half = half;
    fill(&mut state, compiled);
    state
}

/// Puts the constants of a program's micro-ops into their slots.
fn fill(state: &mut State, compiled: &Compiled) {
    let uops = &compiled.uops;
    let slots = uops.code.slot_count().max(state.lanes.len());
    state.lanes.resize(slots, Lanes::ZERO);
    state.waves.resize(uops.wave_slots().max(state.waves.len()), 0);
    for (slot, lanes) in &uops.lane_constants {
        *state.lanes_mut(*slot) = *lanes;
    }
    for (slot, value) in &uops.wave_constants {
        state.waves[usize::from(slot.0)] = *value;
    }
}
