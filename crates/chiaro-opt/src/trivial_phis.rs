//! Removes trivial phis: construct results and loop parameters that are always the same value.
//!
//! ```text
//! %2: f32 = if %c { exit %0 } else { exit %0 }      ->    (what took %2 takes %0)
//! loop (%3 = %0) { ... continue %3 }                ->    (what took %3 takes %0)
//! continuing (%4) { repeat %4 }                           (and what took %4, too)
//! ```
//!
//! True before: nothing. True after: of every result of a construct, and every parameter of a
//! loop, there are two different values that it can have, or its only one is not known behind
//! the construct. Values that only pass each other on around a loop count as one. What is
//! replaced stays behind for `dce`.

use crate::{Changed, Cx};
use chiaro_ir::{Block, Forward, Function, FunctionRef, Inst, Module, Op, Step, Value, Walk};

/// Replaces results and parameters by their only values.
pub fn trivial_phis(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let f = module.function_mut(f);
    if f.is_straight() {
        return Changed::No;
    }
    let mut solver = Solver::new(f);
    solver.solve(f);
    let mut forward = Forward::new();
    for (i, state) in solver.states.iter().enumerate() {
        if let State::One(value) = *state
            && solver.carried[i]
            && value != Value(i as u32)
        {
            forward.set(Value(i as u32), value);
        }
    }
    forward.apply(f).into()
}

/// What a value can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Nothing has come yet.
    None,
    /// This value, known at the place of the other.
    One(Value),
}

struct Solver {
    /// By value.
    states: Vec<State>,
    /// By value: whether it is a result of a construct or a parameter of a loop's block.
    carried: Vec<bool>,
    /// By value: how many blocks are open where it is defined.
    depths: Vec<u32>,
    /// By construct: how many blocks are open around it.
    around: Vec<u32>,
    /// What passes values on: exits and loops, in the order of the text.
    carriers: Vec<Inst>,
}

impl Solver {
    fn new(f: &Function) -> Solver {
        let mut solver = Solver {
            states: (0..f.value_count() as u32).map(|i| State::One(Value(i))).collect(),
            carried: vec![false; f.value_count()],
            depths: vec![0; f.value_count()],
            around: vec![0; f.inst_count()],
            carriers: Vec::new(),
        };
        let mut walk = Walk::new(f);
        while let Some(step) = walk.next() {
            let depth = walk.depth() as u32;
            match step {
                Step::Open(Some(_), _, block) => {
                    f.block(block).params.iter().for_each(|&param| solver.carry(param, depth));
                }
                Step::Inst(inst) => {
                    solver.around[inst.0 as usize] = depth;
                    if matches!(f.op(inst), Op::Exit(_) | Op::Loop | Op::Repeat(_) | Op::Continue(_)) {
                        solver.carriers.push(inst);
                    }
                    let is_construct = f.op(inst).is_construct();
                    for result in f.results(inst) {
                        match is_construct {
                            true => solver.carry(result, depth),
                            false => solver.depths[result.0 as usize] = depth,
                        }
                    }
                }
                _ => {}
            }
        }
        solver
    }

    fn carry(&mut self, value: Value, depth: u32) {
        let i = value.0 as usize;
        (self.states[i], self.carried[i], self.depths[i]) = (State::None, true, depth);
    }

    /// Walks until nothing changes: each value falls from nothing to one value to itself, so
    /// that it takes few rounds but for long chains of loops; those are given up.
    fn solve(&mut self, f: &Function) {
        const ROUNDS: usize = 16;
        for _ in 0..ROUNDS {
            if !self.round(f) {
                return;
            }
        }
        for i in 0..self.states.len() {
            self.states[i] = State::One(Value(i as u32));
        }
    }

    fn round(&mut self, f: &Function) -> bool {
        let mut changed = false;
        for n in 0..self.carriers.len() {
            let inst = self.carriers[n];
            let op = f.op(inst);
            let construct = if op == Op::Loop { inst } else { op.target().unwrap_or(inst) };
            let params =
                |n: usize| f.blocks_of(construct).get(n).map_or(&[][..], |&b: &Block| &f.block(b).params);
            match op {
                Op::Exit(_) => {
                    for (to, i) in f.results(construct).zip(0..) {
                        changed |= self.join(f, construct, to, i, inst);
                    }
                }
                Op::Loop | Op::Repeat(_) => {
                    for (&to, i) in params(0).iter().zip(0..) {
                        changed |= self.join(f, construct, to, i, inst);
                    }
                }
                Op::Continue(_) => {
                    for (&to, i) in params(1).iter().zip(0..) {
                        changed |= self.join(f, construct, to, i, inst);
                    }
                }
                _ => {}
            }
        }
        changed
    }

    /// One more value comes from operand `i` of an instruction.
    fn join(&mut self, f: &Function, construct: Inst, to: Value, i: usize, from: Inst) -> bool {
        let Some(&arg) = f.args(from).get(i) else { return false };
        let State::One(mut value) = self.states[arg.0 as usize] else { return false };
        if self.depths[value.0 as usize] > self.around[construct.0 as usize] {
            value = to;
        }
        let n = to.0 as usize;
        let next = match self.states[n] {
            State::None => State::One(value),
            State::One(old) if old == value || old == to => return false,
            State::One(_) => State::One(to),
        };
        self.states[n] = next;
        true
    }
}
