//! One SIMD-group: registers, the place where it is, results on their way.

use std::sync::Arc;

use chiaro_isa::Reg;
use chiaro_sim::{Lanes, State};

use super::config::Config;
use super::defined::Defined;
use super::fault::{Fault, FaultKind};
use super::launch::Place;
use super::pending::{Call, Pending};
use super::pixels::Pixels;
use super::program::{Compiled, Program};
use super::trace::Trace;
use crate::regs::halves::Halves;
use crate::regs::{GPR_HALVES, LANES, UNIFORM_HALVES, file, size};

/// Faults that are kept of a SIMD-group: a wild loop must not fill the host's memory.
const MOST_FAULTS: usize = 64;

/// Where a SIMD-group is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Status {
    Running,
    /// Waits at a barrier.
    Barrier,
    Ended,
}

/// A SIMD-group with its registers.
#[derive(Clone, Debug)]
pub struct SimdGroup {
    pub(super) number: u32,
    pub(super) program: Arc<Program>,
    pub(super) compiled: Arc<Compiled>,
    pub(super) config: Config,
    pub(super) state: State,
    /// Lanes that there are: those of threads that were asked for.
    pub(super) launched: u32,
    /// Bytes from the start of the code to the next instruction.
    pub(super) pc: u32,
    pub(super) entry: u32,
    pub(super) status: Status,
    pub(super) pending: Vec<Pending>,
    pub(super) on_way: Halves,
    /// Lists of results that have come: room for others.
    pub(super) idle: Vec<Vec<Lanes>>,
    /// Whether something was written to r0l.
    pub(super) counted: bool,
    /// Lanes that do not wait for others in a call, and the calls.
    pub(super) awake: u32,
    pub(super) calls: Vec<Call>,
    pub(super) faults: Vec<Fault>,
    pub(super) issued: u64,
    pub(super) place: Place,
    /// Stacks of the lanes, one behind the other, and the bytes that each has taken.
    pub(super) stack: Vec<u8>,
    pub(super) stack_top: i64,
    /// Where each frame that is taken begins.
    pub(super) frames: Vec<u64>,
    pub(super) trace: Option<Trace>,
    /// Its fragments, if it has some.
    pub(super) pixels: Option<Box<Pixels>>,
    /// Words of vertices, with the lanes that wrote them.
    pub(super) outputs: Vec<(u32, Lanes)>,
    /// Registers that were written, where it matters.
    pub(super) defined: Option<Defined>,
}

impl SimdGroup {
    /// One at the start of a program, all of its lanes running.
    #[must_use]
    pub fn new(program: &Arc<Program>, config: &Config, number: u32) -> SimdGroup {
        let compiled = Arc::clone(&program.compiled);
        let mut state = State::new(compiled.uops.code.slot_count(), 1);
        for (slot, value) in &compiled.uops.constants {
            *state.lanes_mut(*slot) = Lanes::splat(*value);
        }
        let mut group = SimdGroup {
            number,
            program: Arc::clone(program),
            compiled,
            config: *config,
            state,
            launched: u32::MAX,
            pc: 0,
            entry: 0,
            status: Status::Running,
            pending: Vec::new(),
            on_way: Halves::default(),
            idle: Vec::new(),
            counted: false,
            awake: u32::MAX,
            calls: Vec::new(),
            faults: Vec::new(),
            issued: 0,
            place: Place::default(),
            stack: Vec::new(),
            stack_top: 0,
            frames: Vec::new(),
            trace: None,
            pixels: None,
            outputs: Vec::new(),
            defined: None,
        };
        (0..GPR_HALVES / 2).for_each(|n| group.set_word(n, Lanes::splat(config.poison)));
        group.reset();
        group
    }

    /// Back to the start: registers hold what they hold where nothing was written; uniforms stay.
    pub fn reset(&mut self) {
        let first = usize::from(self.compiled.uops.general.0);
        self.state.lanes[first..first + self.program.words].fill(Lanes::splat(self.config.poison));
        self.state.active = self.launched;
        (self.pc, self.status, self.issued) = (self.entry, Status::Running, 0);
        self.pending.clear();
        self.on_way = Halves::default();
        self.counted = false;
        self.awake = u32::MAX;
        self.calls.clear();
        self.faults.clear();
        (self.stack_top, self.place) = (0, Place::default());
        self.stack.clear();
        self.frames.clear();
        self.outputs.clear();
        self.defined = self.config.contracts.then(Defined::default);
    }

    /// Sets the lanes that there are.
    pub fn launch(&mut self, lanes: u32) {
        (self.launched, self.state.active) = (lanes, lanes);
    }

    /// The lanes that run.
    #[must_use]
    pub fn active(&self) -> u32 {
        self.state.active
    }

    /// Sets the lanes that run until the mask changes.
    pub fn set_active(&mut self, lanes: u32) {
        self.state.active = lanes;
    }

    /// Gives it fragments. Where the program has no say in them, samples are tested now.
    pub fn shade(&mut self, mut pixels: Pixels) {
        pixels.reset();
        if !self.program.decides() {
            pixels.early();
        }
        self.pixels = Some(Box::new(pixels));
    }

    /// What it runs.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Its fragments, as they are.
    #[must_use]
    pub fn pixels(&self) -> Option<&Pixels> {
        self.pixels.as_deref()
    }

    /// The same to change it.
    pub fn pixels_mut(&mut self) -> Option<&mut Pixels> {
        self.pixels.as_deref_mut()
    }

    /// The words of vertices by number: lanes that wrote them, and what.
    #[must_use]
    pub fn outputs(&self) -> &[(u32, Lanes)] {
        &self.outputs
    }

    /// A 32-bit register in every lane.
    #[must_use]
    pub fn word(&self, register: u16) -> &Lanes {
        self.state.lanes(self.compiled.uops.slot(general(register)))
    }

    /// The same, to write.
    pub fn set_word(&mut self, register: u16, value: Lanes) {
        self.counted |= register == 0;
        if let Some(defined) = &mut self.defined {
            (0..2).for_each(|half| defined.write(2 * (register & 127) + half, u32::MAX));
        }
        *self.state.lanes_mut(self.compiled.uops.slot(general(register))) = value;
    }

    /// A half of a uniform.
    #[must_use]
    pub fn uniform(&self, half: u16) -> u16 {
        let word = self.state.lanes(self.compiled.uops.slot(uniform(half))).0[0];
        (word >> (16 * (half & 1))) as u16
    }

    /// The same, to write; halves that there are not are gone.
    pub fn set_uniform(&mut self, half: u16, value: u16) {
        if half < UNIFORM_HALVES {
            let slot = self.compiled.uops.slot(uniform(half));
            let shift = 16 * u32::from(half & 1);
            let old = self.state.lanes(slot).0[0];
            *self.state.lanes_mut(slot) = Lanes::splat(old & !(0xffff << shift) | u32::from(value) << shift);
        }
    }

    /// The bits of a register in a lane, zeros above; of a pair all 64.
    pub(super) fn read(&self, r: Reg, lane: usize) -> u64 {
        let slot = self.compiled.uops.slot(r);
        let word = self.state.lanes(slot).0[lane];
        match (r.size, r.index & 1) {
            (size::HALF, high) => (word >> (16 * high) & 0xffff).into(),
            (size::LONG, _) => u64::from(word) | u64::from(self.state.lanes(slot.at(1)).0[lane]) << 32,
            _ => word.into(),
        }
    }

    /// The lanes that run, in ascending order: that is the order in which lanes at one place see each
    /// other.
    pub(super) fn running(&self) -> impl Iterator<Item = usize> + use<> {
        let active = self.active();
        (0..LANES as usize).filter(move |lane| active >> lane & 1 == 1)
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

    /// Which SIMD-group of its threadgroup it is.
    #[must_use]
    pub fn index(&self) -> u32 {
        self.number
    }

    /// Keeps the first fault of each kind and place.
    pub(super) fn fault(&mut self, lane: usize, kind: FaultKind) {
        let fault = Fault { simdgroup: self.number, lane: lane as u32, offset: self.pc, kind };
        let alike = |a: &FaultKind, b: &FaultKind| std::mem::discriminant(a) == std::mem::discriminant(b);
        let known = |f: &Fault| f.offset == fault.offset && alike(&f.kind, &fault.kind);
        if self.faults.len() < MOST_FAULTS && !self.faults.iter().any(known) {
            self.faults.push(fault);
        }
    }
}

/// A general register of 32 bits.
pub(super) fn general(register: u16) -> Reg {
    Reg { file: file::GPR, size: size::WORD, index: 2 * (register & 127), ..Reg::default() }
}

fn uniform(half: u16) -> Reg {
    Reg { file: file::UNIFORM, size: size::WORD, index: half & !1, ..Reg::default() }
}
