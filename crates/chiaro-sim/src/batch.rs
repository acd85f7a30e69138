//! The batch engine: 32 lanes at once, in structure-of-arrays form.
//!
//! A program's micro-ops are bound to kernels (`kernel.rs`) once, when it is
//! prepared; running it is one call after another.
//!
//! With some lanes inactive other kernels run, which write the active ones alone. What has none
//! writes to spare slots, from which the active lanes are copied.

use crate::body::{Bound, Kernel};
use crate::code::{Code, RESERVED};
use crate::engine::Engine;
use crate::env::FloatEnv;
use crate::kernel::{exist, keep_active, kernel};
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
    /// Copies the active lanes of a slot to another.
    keep_active: Kernel,
}

#[derive(Clone, Debug)]
struct Step {
    bound: Bound,
    uop: Uop,
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
        Self { steps, envs: code.envs.clone(), slots, keep_active: keep_active(engine) }
    }

    /// Runs the micro-ops number `range` on the active lanes of `state`.
    ///
    /// # Panics
    /// As [`scalar::run`](crate::scalar::run), and if `range` is not within the code.
    pub fn run(&self, range: std::ops::Range<usize>, state: &mut State) {
        assert!(state.lanes.len() >= self.slots, "state made for other code");
        let steps = &self.steps[range];
        state.stats.uops += steps.len() as u64;
        if state.active == u32::MAX {
            state.stats.full_runs += 1;
            for step in steps {
                self.call(step.bound.whole, &step.uop, state);
            }
        } else {
            state.stats.partial_runs += 1;
            for step in steps {
                self.call_masked(step, state);
            }
        }
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
