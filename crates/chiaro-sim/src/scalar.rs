//! The reference evaluator: micro-ops in order, each lane after another, in
//! arithmetic that follows the environment's description.

use crate::arith::{Any, Arith};
use crate::env::FloatEnv;
use crate::for_each_op;
use crate::op::{Args, Op, Row, Word, rows};
use crate::special;
use crate::state::{LANES, State};
use crate::uop::{EnvId, Scope, Slot, Uop};

/// Looks on while micro-ops run: for traces and breakpoints.
pub trait Watch {
    /// Called after micro-op number `at` of the run.
    fn after(&mut self, at: usize, uop: &Uop, state: &State);
}

/// Nobody looks on.
impl Watch for () {
    fn after(&mut self, _: usize, _: &Uop, _: &State) {}
}

/// Runs `uops` on the active lanes of `state`.
///
/// # Panics
/// If a micro-op names a slot, table or environment that does not exist: a bug
/// of the target's `exec.rs`, never a matter of its input.
pub fn run(uops: &[Uop], envs: &[FloatEnv], state: &mut State, watch: &mut impl Watch) {
    for (at, uop) in uops.iter().enumerate() {
        let env = if uop.env == EnvId::MODE { state.mode } else { envs[usize::from(uop.env.0)] };
        step(state, uop, &env);
        watch.after(at, uop, state);
    }
    state.stats.uops += uops.len() as u64;
}

macro_rules! dispatch {
    (
        exact { $( $(#[$xd:meta])* $X:ident $xt:literal ($($xa:ident: $xw:ident),*) -> $xr:ident = $xe:expr; )* }
        float { $( $(#[$fd:meta])* $F:ident $ft:literal ($e:ident; $($fa:ident: $fw:ident),*) -> $fr:ident = $fe:expr; )* }
        special { $($special:tt)* }
    ) => {
        /// One micro-op.
        fn step(state: &mut State, uop: &Uop, env: &FloatEnv) {
            match uop.op {
                $( Op::$X => each::<rows::$X>(state, uop, env), )*
                $( Op::$F => each::<rows::$F<Any>>(state, uop, env), )*
                _ => special::run::<Any>(state, uop, env),
            }
        }
    };
}
for_each_op!(dispatch);

fn each<R: Row>(state: &mut State, uop: &Uop, env: &FloatEnv) {
    for i in 0..usize::from(uop.count) {
        if uop.scope == Scope::Wave {
            once::<R>(state, uop, env, i);
            continue;
        }
        let written = if uop.scope == Scope::Whole { u32::MAX } else { state.active };
        for lane in (0..LANES).filter(|lane| written >> lane & 1 != 0) {
            let operands = R::In::collect(|k, half| state.lanes(place(uop, k, i, half)).0[lane]);
            let result = R::eval(env, operands).split();
            for (half, value) in result.into_iter().enumerate().take(R::Out::WIDTH) {
                state.lanes_mut(uop.d[i].at(half as u16)).0[lane] = value;
            }
        }
    }
}

/// The same on wave slots.
pub(crate) fn once<R: Row>(state: &mut State, uop: &Uop, env: &FloatEnv, i: usize) {
    let operands = R::In::collect(|k, half| state.waves[usize::from(place(uop, k, i, half).0)]);
    let result = R::eval(env, operands).split();
    for (half, value) in result.into_iter().enumerate().take(R::Out::WIDTH) {
        state.waves[usize::from(uop.d[i].0) + half] = value;
    }
}

/// The slot of operand `k`, repetition `i`, low or high half.
fn place(uop: &Uop, k: usize, i: usize, half: usize) -> Slot {
    uop.operand(k)[i].at(half as u16)
}

macro_rules! value {
    (
        exact { $( $(#[$xd:meta])* $X:ident $xt:literal ($($xa:ident: $xw:ident),*) -> $xr:ident = $xe:expr; )* }
        float { $( $(#[$fd:meta])* $F:ident $ft:literal ($e:ident; $($fa:ident: $fw:ident),*) -> $fr:ident = $fe:expr; )* }
        special { $($special:tt)* }
    ) => {
        /// What an operation on single words gives, without a state: for constants and for
        /// interpreters. `A` must be an arithmetic that can do `env`. `None` for the special
        /// operations and for those on pairs.
        #[must_use]
        pub fn value<A: Arith>(op: Op, env: &FloatEnv, operands: [u32; 3]) -> Option<u32> {
            match op {
                $( Op::$X => alone::<rows::$X>(env, operands), )*
                $( Op::$F => alone::<rows::$F<A>>(env, operands), )*
                _ => None,
            }
        }
    };
}
for_each_op!(value);

#[inline]
fn alone<R: Row>(env: &FloatEnv, operands: [u32; 3]) -> Option<u32> {
    let single = R::In::WIDTHS.iter().all(|&width| width < 2) && R::Out::WIDTH == 1;
    single.then(|| R::eval(env, R::In::collect(|k, _| operands[k])).split()[0])
}

/// Runs a single micro-op, for the batch engine's rare cases.
pub(crate) fn single(state: &mut State, uop: &Uop, env: &FloatEnv) {
    step(state, uop, env);
}
