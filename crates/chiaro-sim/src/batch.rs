//! The batch engine: 32 lanes at once, in structure-of-arrays form.
//!
//! A program's micro-ops are bound to kernels (`kernel.rs`) once, when it is
//! prepared; running it is one call after another.
//!
//! With some lanes inactive other kernels run, which write the active ones alone. What has none
//! writes to spare slots, from which the active lanes are copied.

use std::ops::Range;

use crate::body::{Bound, Kernel};
use crate::code::{Code, RESERVED};
use crate::engine::Engine;
use crate::env::FloatEnv;
use crate::fuse::{Matrix, Piece, fuse};
use crate::kernel::{exist, keep_active, kernel, matrix};
use crate::op::Op;
use crate::scalar;
use crate::state::State;
use crate::uop::{EnvId, Scope, Slot, Uop};

/// Micro-ops bound to kernels.
#[derive(Clone, Debug)]
pub struct Prepared {
    steps: Vec<Step>,
    envs: Vec<FloatEnv>,
    slots: usize,
    engine: Engine,
    /// Straight runs in fewer steps, by ascending numbers of their micro-ops.
    fused: Vec<Fused>,
    /// Copies the active lanes of a slot to another.
    keep_active: Kernel,
}

#[derive(Clone, Debug)]
struct Step {
    bound: Bound,
    uop: Uop,
}

/// A straight run for when all lanes are active.
#[derive(Clone, Debug)]
struct Fused {
    range: Range<usize>,
    steps: Vec<Step>,
}

impl Prepared {
    /// Binds all of `code` to the kernels of `engine`, or to portable ones if
    /// this processor cannot run those.
    #[must_use]
    pub fn new(code: &Code, engine: Engine) -> Self {
        let (engine, slots) = (engine.available(), code.slot_count());
        let bind = |uop: &Uop| {
            let env = code.envs.get(usize::from(uop.env.0)).copied();
            let run_time = uop.env == EnvId::MODE;
            let bound = match exist(uop, slots) {
                true => kernel(uop, if run_time { None } else { env }, engine),
                // The reference says what is wrong with it when it runs.
                false => Bound::minding(scalar::single),
            };
            Step { bound, uop: *uop }
        };
        let steps = code.uops.iter().map(bind).collect();
        let (envs, keep_active) = (code.envs.clone(), keep_active(engine));
        Self { steps, envs, slots, engine, fused: Vec::new(), keep_active }
    }

    /// Makes runs of micro-ops that are often run as a whole faster; they come in ascending order.
    pub fn fuse(&mut self, runs: impl IntoIterator<Item = Range<usize>>) {
        for range in runs {
            let steps = self.fused(range.clone());
            if steps.len() < range.len() {
                self.fused.push(Fused { range, steps });
            }
        }
    }

    fn fused(&self, range: Range<usize>) -> Vec<Step> {
        let steps = &self.steps[range];
        let uops: Vec<Uop> = steps.iter().map(|step| step.uop).collect();
        let mut fused = Vec::with_capacity(uops.len());
        for piece in fuse(&uops) {
            match piece {
                Piece::One(number) => fused.push(steps[number].clone()),
                Piece::Matrix(found) => match self.matrix(&found, &uops) {
                    Some(step) => fused.push(step),
                    None => fused.extend(found.numbers.iter().map(|number| steps[*number].clone())),
                },
            }
        }
        fused
    }

    /// The products of a matrix as one step, unless there is a single one or no kernel for them.
    fn matrix(&self, found: &Matrix, uops: &[Uop]) -> Option<Step> {
        let several = found.numbers.len() > 1 && found.numbers.iter().all(|n| exist(&uops[*n], self.slots));
        let env = self.envs.get(usize::from(found.uop.env.0)).copied();
        let whole = matrix(&found.uop, env, self.engine).filter(|_| several)?;
        Some(Step { bound: Bound { whole, masked: None }, uop: found.uop })
    }

    /// Runs the micro-ops number `range` on the active lanes of `state`.
    ///
    /// # Panics
    /// As [`scalar::run`](crate::scalar::run), and if `range` is not within the code.
    pub fn run(&self, range: Range<usize>, state: &mut State) {
        assert!(state.lanes.len() >= self.slots, "state made for other code");
        let steps = &self.steps[range.clone()];
        state.stats.uops += steps.len() as u64;
        if state.active == u32::MAX {
            state.stats.full_runs += 1;
            for step in self.whole(&range).unwrap_or(steps) {
                self.call(step.bound.whole, &step.uop, state);
            }
        } else {
            state.stats.partial_runs += 1;
            for step in steps {
                self.call_masked(step, state);
            }
        }
    }

    /// The steps of a run that was fused.
    fn whole(&self, range: &Range<usize>) -> Option<&[Step]> {
        let found = self.fused.binary_search_by_key(&range.start, |fused| fused.range.start).ok()?;
        Some(self.fused[found].steps.as_slice()).filter(|_| self.fused[found].range == *range)
    }

    #[inline(always)]
    fn call(&self, kernel: Kernel, uop: &Uop, state: &mut State) {
        let mode;
        let env = match self.envs.get(usize::from(uop.env.0)) {
            Some(env) => env,
            None => {
                mode = state.mode;
                &mode
            }
        };
        // Measured: AVX2 doubles the vertices a second on PICA200 programs, and only
        // a run-time choice gives it to users of one binary for all processors.
        // SAFETY: `new` takes only kernels that the processor can run, and those that do
        // not check slots only where all of them are among `slots`, which `run` compares
        // with the state; `call_masked` exchanges some for reserved ones.
        unsafe { kernel(state, uop, env) }
    }

    /// The step, of whose results only the active lanes count.
    fn call_masked(&self, step: &Step, state: &mut State) {
        let Bound { whole, masked } = step.bound;
        if step.uop.scope == Scope::Whole {
            return self.call(whole, &step.uop, state);
        }
        if let Some(kernel) = masked {
            return self.call(kernel, &step.uop, state);
        }
        let width = u16::from(step.uop.op.shape().result.min(2));
        let mut uop = step.uop;
        let (per_result, results) = match uop.op {
            Op::Row => (1, 4),
            Op::Dot => (1, 1),
            _ => (width, u16::from(uop.count)),
        };
        for i in 0..results {
            uop.d[usize::from(i)] = SCRATCH.at(i * per_result);
        }
        self.call(whole, &uop, state);
        for i in 0..results {
            for half in 0..per_result {
                let (to, from) = (step.uop.d[usize::from(i)].at(half), SCRATCH.at(i * per_result + half));
                let keep = Uop { d: [to; 4], a: [from; 4], ..Uop::new(Op::Mov) };
                // SAFETY: it is compiled for this processor, as the steps are, and checks its slots.
                unsafe { (self.keep_active)(state, &keep, &FloatEnv::IEEE) }
            }
        }
    }
}

/// Spare slots for results of which some lanes do not count: 8, four pairs.
const SCRATCH: Slot = Slot(0);
const _: () = assert!(RESERVED >= 16);
