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
use crate::fuse::{Joined, Matrix, Piece, fuse};
use crate::kernel::{exist, keep_active, kernel, look_up, matrix, within};
use crate::op::Op;
use crate::scalar;
use crate::state::State;
#[cfg(target_arch = "x86_64")]
use crate::transform::Transform;
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
    steps: Vec<Fewer>,
}

/// What stands for one step or several.
#[derive(Clone, Debug)]
enum Fewer {
    One(Step),
    /// Products of looked up rows, and the steps for them if one is NaN.
    #[cfg(target_arch = "x86_64")]
    Transform(Transform, Vec<Step>),
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

    /// Makes runs of micro-ops that are often run as a whole faster; they come in ascending order. Slots that are not
    /// `live` are read by nobody behind a run.
    pub fn fuse(&mut self, runs: impl IntoIterator<Item = Range<usize>>, is_live: impl Fn(Slot) -> bool) {
        for range in runs {
            let steps = self.fused(range.clone(), &is_live);
            if steps.len() < range.len() {
                self.fused.push(Fused { range, steps });
            }
        }
    }

    fn fused(&self, range: Range<usize>, is_live: &impl Fn(Slot) -> bool) -> Vec<Fewer> {
        let uops: Vec<Uop> = self.steps[range.clone()].iter().map(|step| step.uop).collect();
        let mut fused = Vec::with_capacity(uops.len());
        for piece in fuse(&uops) {
            let steps = self.steps_of(&piece, &self.steps[range.clone()]);
            match piece {
                #[cfg(target_arch = "x86_64")]
                Piece::Transform(rows, products) if self.transforms(&rows, &products, &uops) => {
                    let matrices = products.iter().flat_map(|matrix| &matrix.numbers);
                    let own: Vec<usize> = rows.numbers.iter().chain(matrices).copied().collect();
                    let slots =
                        rows.uop.d[..rows.numbers.len()].iter().flat_map(|first| first.quad()).collect();
                    let stores_rows = are_read(slots, &uops, &own, is_live);
                    let products = products.iter().map(|matrix| matrix.uop).collect();
                    fused.push(Fewer::Transform(Transform { rows: rows.uop, products, stores_rows }, steps));
                }
                _ => fused.extend(steps.into_iter().map(Fewer::One)),
            }
        }
        fused
    }

    /// A piece of a run as steps by kernels.
    fn steps_of(&self, piece: &Piece, steps: &[Step]) -> Vec<Step> {
        let each = |numbers: &[usize]| numbers.iter().map(|n| steps[*n].clone()).collect();
        let exist = |numbers: &[usize]| numbers.iter().all(|n| exist(&steps[*n].uop, self.slots));
        let looked_up = |rows: &Joined| vec![Step { bound: look_up(self.engine), uop: rows.uop }];
        let products = |found: &Matrix| match self.matrix(found) {
            Some(step) if exist(&found.numbers) => vec![step],
            _ => each(&found.numbers),
        };
        match piece {
            Piece::One(number) => each(&[*number]),
            Piece::Matrix(found) => products(found),
            Piece::Rows(rows) => looked_up(rows),
            Piece::Transform(rows, matrices) => {
                let mut steps = looked_up(rows);
                steps.extend(matrices.iter().flat_map(products));
                steps
            }
            Piece::Within(found) if exist(&found.numbers) => {
                vec![Step { bound: within(self.engine), uop: found.uop }]
            }
            Piece::Within(found) => each(&found.numbers),
        }
    }

    /// Whether there is a step for products of looked up rows.
    #[cfg(target_arch = "x86_64")]
    fn transforms(&self, rows: &Joined, products: &[Matrix], uops: &[Uop]) -> bool {
        let mut numbers = rows.numbers.iter().chain(products.iter().flat_map(|matrix| &matrix.numbers));
        self.engine == Engine::Avx512
            && numbers.all(|n| exist(&uops[*n], self.slots))
            && products.iter().all(|found| self.matrix_kernel(found).is_some())
    }

    /// The products of a matrix as one step, unless there is a single one or no kernel for them.
    fn matrix(&self, found: &Matrix) -> Option<Step> {
        let whole = self.matrix_kernel(found).filter(|_| found.numbers.len() > 1)?;
        Some(Step { bound: Bound { whole, masked: None }, uop: found.uop })
    }

    fn matrix_kernel(&self, found: &Matrix) -> Option<Kernel> {
        let env = self.envs.get(usize::from(found.uop.env.0)).copied();
        matrix(&found.uop, env, self.engine)
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
            match self.whole(&range) {
                Some(fewer) => fewer.iter().for_each(|step| self.call_fewer(step, state)),
                None => steps.iter().for_each(|step| self.call(step.bound.whole, &step.uop, state)),
            }
        } else {
            state.stats.partial_runs += 1;
            for step in steps {
                self.call_masked(step, state);
            }
        }
    }

    /// The steps of a run that was fused.
    fn whole(&self, range: &Range<usize>) -> Option<&[Fewer]> {
        let found = self.fused.binary_search_by_key(&range.start, |fused| fused.range.start).ok()?;
        Some(self.fused[found].steps.as_slice()).filter(|_| self.fused[found].range == *range)
    }

    #[inline(always)]
    fn call_fewer(&self, step: &Fewer, state: &mut State) {
        match step {
            Fewer::One(step) => self.call(step.bound.whole, &step.uop, state),
            #[cfg(target_arch = "x86_64")]
            Fewer::Transform(transform, steps) => {
                // SAFETY: `transforms` says that the processor can run it and that the slots exist, whose number
                // `run` compares with the state.
                if unsafe { transform.run(state) } {
                    steps.iter().for_each(|step| self.call(step.bound.whole, &step.uop, state));
                }
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

/// Whether slots that the first of its `own` micro-ops writes are read by others of a run, or behind it.
#[cfg(target_arch = "x86_64")]
fn are_read(mut slots: Vec<Slot>, uops: &[Uop], own: &[usize], is_live: impl Fn(Slot) -> bool) -> bool {
    for (_, uop) in uops.iter().enumerate().skip(own[0]).filter(|(number, _)| !own.contains(number)) {
        if uop.reads().any(|slot| slots.contains(&slot)) {
            return true;
        }
        slots.retain(|slot| !uop.writes().contains(slot));
    }
    slots.into_iter().any(is_live)
}

/// Spare slots for results of which some lanes do not count: 8, four pairs.
const SCRATCH: Slot = Slot(0);
const _: () = assert!(RESERVED >= 16);
