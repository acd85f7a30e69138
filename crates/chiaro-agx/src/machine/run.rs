//! The steps of a SIMD-group.

use std::ops::Range;
use std::sync::Arc;

use chiaro_sim::scalar;

use super::fault::FaultKind;
use super::group::Shared;
use super::pixels::Pixels;
use super::program::Program;
use super::simdgroup::{SimdGroup, Status};
use crate::exec::Doer;

impl SimdGroup {
    /// Runs until the end, a barrier, or a wait for something that is on its way.
    pub(super) fn turn(&mut self, shared: &mut Shared<'_>) {
        let program = Arc::clone(&self.program);
        let is_watched = self.trace.is_some() || self.defined.is_some();
        while self.status == Status::Running {
            let Some(n) = program.step_at(self.pc) else {
                return self.stop(FaultKind::Target(self.pc.into()));
            };
            if !is_watched && self.straight(&program, n) {
                continue;
            }
            let step = &program.steps[n];
            if self.issued >= self.config.fuel {
                return self.stop(FaultKind::Endless);
            }
            self.issued += 1;
            if !self.pending.is_empty() && self.on_way.meets(&step.touches) {
                self.check_arrival(step);
            }
            let active = self.active();
            if self.defined.is_some() {
                self.check_defined(step);
            }
            let over = match self.trace {
                None => self.step(&program, n, shared),
                Some(_) => self.traced(&program, step, |group| group.step(&program, n, shared)),
            };
            if self.defined.is_some() {
                self.define(step, active);
            }
            if over && shared.groups > 1 {
                return;
            }
        }
    }

    /// Runs steps that only compute, from `n` on, in one go. False where somebody has to look at each.
    fn straight(&mut self, program: &Program, n: usize) -> bool {
        let run = &program.straight[n];
        let meets = || !self.pending.is_empty() && self.on_way.meets(&run.touches);
        if run.steps < 2 || self.issued + u64::from(run.steps) > self.config.fuel || meets() {
            return false;
        }
        let ranges = &self.compiled.ranges;
        self.uops(ranges[n].start..ranges[n + run.steps as usize - 1].end);
        self.issued += u64::from(run.steps);
        self.counted |= run.counted;
        self.pc += run.length;
        true
    }

    /// Instruction number `n`. True if the turn is over.
    fn step(&mut self, program: &Program, n: usize, shared: &mut Shared<'_>) -> bool {
        let step = &program.steps[n];
        match step.doer {
            Doer::Lanes => self.compute(n),
            Doer::Mask => {
                if !self.counted {
                    self.fault(0, FaultKind::Counter);
                }
                self.compute(n);
                self.follow_counter();
            }
            Doer::Flow => return self.flow(step),
            Doer::Special => self.special(step),
            Doer::Cross => self.cross(step),
            Doer::Memory => self.access(step, shared),
            Doer::Graphic => self.graphic(step),
            Doer::Texture => self.texture(step, shared),
            Doer::Nothing => {}
            Doer::Missing => self.refuse(FaultKind::Missing(program.text(step))),
            Doer::Unknown => self.refuse(FaultKind::Unknown(program.text(step))),
        }
        if step.ends_helpers {
            self.end_helpers();
        }
        self.counted |= step.writes.has(0);
        self.pc += step.length;
        false
    }

    /// The micro-ops of an instruction.
    fn compute(&mut self, n: usize) {
        self.uops(self.compiled.ranges[n].clone());
    }

    fn uops(&mut self, range: Range<usize>) {
        match &self.compiled.prepared {
            Some(prepared) => prepared.run(range, &mut self.state),
            None => {
                let code = &self.compiled.uops.code;
                scalar::run(&code.uops[range], &code.envs, &mut self.state, &mut ());
            }
        }
    }

    /// Lanes run where r0l is 0 (spec 6.2).
    fn follow_counter(&mut self) {
        let counters = self.word(0).0;
        let zero = |lane: usize| u32::from(counters[lane] & 0xffff == 0) << lane;
        self.state.active = (0..32).fold(0, |mask, lane| mask | zero(lane)) & self.launched & self.awake;
    }

    /// Lanes whose fragments have no sample left run no more.
    fn end_helpers(&mut self) {
        let helpers = self.pixels.as_deref().map_or(0, Pixels::helpers);
        self.awake &= !helpers;
        self.state.active &= !helpers;
        self.calls.iter_mut().for_each(|call| call.leave(helpers));
    }

    /// A fault that ends the SIMD-group.
    pub(super) fn stop(&mut self, kind: FaultKind) {
        self.refuse(kind);
    }

    fn refuse(&mut self, kind: FaultKind) {
        self.fault(self.active().trailing_zeros() as usize % 32, kind);
        self.status = Status::Ended;
    }
}
