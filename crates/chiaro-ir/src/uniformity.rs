//! Divergence analysis: which values may differ between lanes, and where lanes may diverge.
//!
//! ```text
//! fn @f(%0: bool) {               with %0 from an input: it differs from lane to lane
//!   %1: i32 = if %0 {             %1 too: lanes come here from different exits
//!     exit 1
//!   } else {
//!     exit 2
//!   }
//!   %2: i32 = loop (%3: i32 = 0) {    %3 is the same in all lanes of a round,
//!     %4: bool = slt %1, %3
//!     if %4 { exit @1 %3 } else { exit }    but lanes leave in different rounds:
//!     continue
//!   } continuing {                    %2 differs
//!     ...
//! ```
//!
//! True before: the module is sound. It is an analysis of the tree, not a flag of the IR: a
//! walk in the order of the text raises levels until nothing changes, over all functions
//! together; a function's parameters and the control at its start are those of its calls,
//! joined. Where that takes too long (a chain of values through many rounds of a loop) all
//! values count as different, which is always true enough.

mod seed;

use crate::constant::ConstantKind;
use crate::function::{Def, Function, Linkage};
use crate::id::{FunctionRef, Inst, Value};
use crate::module::Module;
use crate::op::Op;
use crate::walk::{Step, Walk};

/// Walks over one function before its values are given up.
const ROUNDS: u32 = 200;

/// How far lanes agree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Variance {
    /// The same in all lanes of the workgroup (of the draw, outside of compute) that run it.
    #[default]
    Uniform,
    /// The same in the lanes of a subgroup.
    Subgroup,
    /// May differ from lane to lane.
    Lane,
}

use Variance::{Lane, Subgroup, Uniform};

/// What is known of a function's values.
#[derive(Clone, Debug)]
pub struct Uniformity {
    values: Vec<Variance>,
    controls: Vec<Variance>,
    /// The result of the function.
    pub result: Variance,
}

impl Uniformity {
    /// How a value varies between the lanes that compute it.
    pub fn value(&self, value: Value) -> Variance {
        self.values[value.0 as usize]
    }

    /// How the decision whether to run an instruction varies: where it is `Uniform`, all lanes
    /// run it together or none does.
    pub fn control(&self, inst: Inst) -> Variance {
        self.controls[inst.0 as usize]
    }
}

/// What is known of each function of a module, by number.
pub fn uniformity(module: &Module) -> Vec<Uniformity> {
    let mut states: Vec<State> = module.functions.iter().map(State::new).collect();
    for c in 0..module.constants.len() as u32 {
        // Whoever calls through a value may do so with anything.
        if let ConstantKind::Function(f) = *module.constants.get(crate::Constant(c))
            && let Some(state) = states.get_mut(f.0 as usize)
        {
            state.opens(module.function(f));
        }
    }
    // Nor is anything known of calls from other parts, of what other parts do, and of lanes that come from different calls.
    let is_open = |f: &Function| f.linkage != Linkage::Own || f.dispatches;
    for (state, f) in states.iter_mut().zip(&module.functions).filter(|(_, f)| is_open(f)) {
        state.opens(f);
    }
    let mut waiting: Vec<usize> = (0..states.len()).rev().collect();
    let mut is_waiting = vec![true; states.len()];
    let callers = callers(module);
    while let Some(i) = waiting.pop() {
        is_waiting[i] = false;
        for changed in analyse(module, i, &mut states) {
            let touched = callers[changed].iter().copied().chain([changed]);
            for j in touched.filter(|&j| j != i || changed != i) {
                if !std::mem::replace(&mut is_waiting[j], true) {
                    waiting.push(j);
                }
            }
        }
    }
    states.into_iter().map(|s| s.known).collect()
}

/// Who calls each function.
fn callers(module: &Module) -> Vec<Vec<usize>> {
    let mut callers = vec![Vec::new(); module.functions.len()];
    for (i, f) in module.functions.iter().enumerate() {
        for inst in Walk::insts(f) {
            if let Op::Call(FunctionRef(callee)) = f.op(inst)
                && callers[callee as usize].last() != Some(&i)
            {
                callers[callee as usize].push(i);
            }
        }
    }
    callers
}

/// What is known of a function so far; levels only rise.
struct State {
    known: Uniformity,
    /// How the decision to call it varies.
    entry: Variance,
    /// How the decision varies to end the invocation within.
    ends: Variance,
    /// By construct: how the decision varies that leads to one of its exits, or past it.
    leaves: Vec<Variance>,
    rounds: u32,
}

impl State {
    fn new(f: &Function) -> State {
        let known = Uniformity {
            values: vec![Uniform; f.value_count()],
            controls: vec![Uniform; f.inst_count()],
            result: Uniform,
        };
        State { known, entry: Uniform, ends: Uniform, leaves: vec![Uniform; f.inst_count()], rounds: 0 }
    }

    /// Takes everything that callers decide for different in each lane, and what they see.
    fn opens(&mut self, f: &Function) {
        f.params.iter().for_each(|param| self.known.values[param.0 as usize] = Lane);
        (self.known.result, self.entry, self.ends) = (Lane, Lane, Lane);
    }

    /// Takes everything but constants for different in each lane.
    fn give_up(&mut self, f: &Function) {
        for (i, level) in self.known.values.iter_mut().enumerate() {
            if !matches!(f.def(Value(i as u32)), Def::Constant(_)) {
                *level = Lane;
            }
        }
        self.known.controls.fill(Lane);
        self.leaves.fill(Lane);
        (self.known.result, self.entry, self.ends) = (Lane, Lane, Lane);
    }
}

/// Walks over one function until nothing changes; the functions of which it has changed what
/// others see: itself, its callees.
fn analyse(module: &Module, number: usize, states: &mut [State]) -> Vec<usize> {
    let f = &module.functions[number];
    let mut touched = Vec::new();
    loop {
        states[number].rounds += 1;
        if states[number].rounds == ROUNDS {
            let calls = (0..f.inst_count() as u32).filter_map(|i| match f.op(Inst(i)) {
                Op::Call(callee) => Some(callee),
                _ => None,
            });
            for callee in calls {
                states[callee.0 as usize].give_up(module.function(callee));
                touched.push(callee.0 as usize);
            }
            states[number].give_up(f);
            touched.push(number);
            return touched;
        }
        let positions = vec![0; f.inst_count()];
        let mut pass =
            Pass { module, f, number, states, frames: Vec::new(), positions, changed: false, touched };
        pass.run();
        let changed = pass.changed;
        touched = pass.touched;
        if !changed {
            touched.sort_unstable();
            touched.dedup();
            return touched;
        }
    }
}

/// A construct that is open; the first stands for the function.
#[derive(Clone, Copy)]
struct Frame {
    inst: Option<Inst>,
    /// The innermost frame, this one included, that decides by a value of at least this level:
    /// subgroup, lane. `None` if there is none.
    deciders: [Option<usize>; 2],
    /// The outermost frame that an exit within has named, where its choice varies by subgroup
    /// or by lane.
    targets: [usize; 2],
    /// How the decision to come here varies.
    control: Variance,
}

struct Pass<'a> {
    module: &'a Module,
    f: &'a Function,
    number: usize,
    states: &'a mut [State],
    frames: Vec<Frame>,
    /// Where each open construct is among the frames.
    positions: Vec<usize>,
    changed: bool,
    touched: Vec<usize>,
}

impl Pass<'_> {
    fn run(&mut self) {
        let control = self.states[self.number].entry;
        self.frames.push(Frame { inst: None, deciders: [None; 2], targets: [usize::MAX; 2], control });
        for step in Walk::new(self.f) {
            match step {
                Step::Open(Some(owner), 0, _) => self.open(owner),
                Step::Open(Some(owner), ..) => self.next_block(owner),
                Step::Inst(inst) => self.inst(inst),
                Step::Leave(_) => self.leave(),
                _ => {}
            }
        }
    }

    fn state(&mut self) -> &mut State {
        &mut self.states[self.number]
    }

    fn level(&self, value: Value) -> Variance {
        self.states[self.number].known.value(value)
    }

    fn control(&self) -> Variance {
        self.frames.last().map_or(Uniform, |frame| frame.control)
    }

    fn raise(&mut self, value: Value, level: Variance) {
        let slot = &mut self.states[self.number].known.values[value.0 as usize];
        self.changed |= level > *slot;
        *slot = level.max(*slot);
    }

    /// How the choice between the ways through a construct varies.
    fn decision(&self, inst: Inst) -> Variance {
        match self.f.op(inst) {
            Op::If | Op::Switch => self.f.args(inst).first().map_or(Uniform, |&value| self.level(value)),
            Op::Loop => self.states[self.number].leaves[inst.0 as usize],
            _ => Uniform,
        }
    }

    fn open(&mut self, inst: Inst) {
        let parent = *self.frames.last().expect("the function's own frame stays");
        let decision = self.decision(inst);
        let here = Some(self.frames.len());
        self.positions[inst.0 as usize] = self.frames.len();
        let mut deciders = parent.deciders;
        for (slot, level) in deciders.iter_mut().zip([Subgroup, Lane]) {
            *slot = if decision >= level { here } else { *slot };
        }
        let control = parent.control.max(decision);
        self.frames.push(Frame { inst: Some(inst), deciders, targets: [usize::MAX; 2], control });
    }

    /// Lanes are together again at the start of each block of a construct.
    fn next_block(&mut self, inst: Inst) {
        let before = self.frames[self.frames.len() - 2].control;
        let decision = self.decision(inst);
        if let Some(frame) = self.frames.last_mut() {
            frame.control = before.max(decision);
        }
    }

    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        let at = self.frames.len();
        let Some(parent) = self.frames.last_mut() else { return };
        let mut past = Uniform;
        for (i, level) in [Subgroup, Lane].into_iter().enumerate() {
            parent.targets[i] = parent.targets[i].min(frame.targets[i]);
            if frame.targets[i] < at {
                past = level;
            }
        }
        // Lanes that have gone further out are missing in what follows.
        parent.control = parent.control.max(past);
        let Some(inst) = frame.inst else { return };
        let left = if frame.targets[1] <= at {
            Lane
        } else if frame.targets[0] <= at {
            Subgroup
        } else {
            Uniform
        };
        let state = self.state();
        let slot = &mut state.leaves[inst.0 as usize];
        let rises = left > *slot;
        *slot = left.max(*slot);
        self.changed |= rises && self.f.op(inst) == Op::Loop;
    }

    fn inst(&mut self, inst: Inst) {
        let control = self.control();
        let slot = &mut self.state().known.controls[inst.0 as usize];
        *slot = control.max(*slot);
        let op = self.f.op(inst);
        if op.is_exit() {
            return self.exit(inst, op);
        }
        if let Op::Call(callee) = op {
            return self.call(inst, callee);
        }
        if op == Op::Loop {
            return self.carry(inst, inst, 0, Uniform);
        }
        if op.is_construct() {
            return;
        }
        let level = self.seed(inst, op);
        self.f.results(inst).for_each(|value| self.raise(value, level));
    }

    /// Raises the parameters of a loop's block by the values that are carried there.
    fn carry(&mut self, inst: Inst, target: Inst, block: usize, choice: Variance) {
        let f = self.f;
        let Some(&block) = f.blocks_of(target).get(block) else { return };
        for (&param, &arg) in f.block(block).params.iter().zip(f.args(inst)) {
            self.raise(param, self.level(arg).max(choice));
        }
    }

    fn exit(&mut self, inst: Inst, op: Op) {
        let f = self.f;
        if op == Op::Unreachable {
            return;
        }
        let at = op.target().map_or(0, |target| self.positions[target.0 as usize]);
        let choice = self.choice(at);
        match op {
            Op::Exit(target) => {
                for (result, &arg) in f.results(target).zip(f.args(inst)) {
                    self.raise(result, self.level(arg).max(choice));
                }
            }
            Op::Continue(target) => self.carry(inst, target, 1, choice),
            Op::Repeat(target) => self.carry(inst, target, 0, choice),
            Op::Return => {
                let level = f.args(inst).first().map_or(Uniform, |&arg| self.level(arg).max(choice));
                if level > self.state().known.result {
                    self.state().known.result = level;
                    self.touched.push(self.number);
                }
            }
            // The lanes are missing in the callers, too.
            _ => {
                let level = choice.max(self.states[self.number].entry);
                if level > self.state().ends {
                    self.state().ends = level;
                    self.touched.push(self.number);
                }
            }
        }
        // A loop's own continue and repeat do not leave it, but what is within.
        let at = if matches!(op, Op::Continue(_) | Op::Repeat(_)) { at + 1 } else { at };
        self.goes_to(at, choice);
    }

    /// Notes on the innermost frame that lanes go to the end of frame `at`, by such a choice.
    fn goes_to(&mut self, at: usize, choice: Variance) {
        let Some(frame) = self.frames.last_mut() else { return };
        for (slot, level) in frame.targets.iter_mut().zip([Subgroup, Lane]) {
            if choice >= level {
                *slot = at.min(*slot);
            }
        }
    }

    /// How the decision varies to be here, of the lanes that entered frame `at`.
    fn choice(&self, at: usize) -> Variance {
        let Some(frame) = self.frames.last() else { return Uniform };
        match frame.deciders {
            [_, Some(lane)] if lane >= at => Lane,
            [Some(subgroup), _] if subgroup >= at => Subgroup,
            _ => Uniform,
        }
    }

    fn call(&mut self, inst: Inst, callee: FunctionRef) {
        let (control, n) = (self.control(), callee.0 as usize);
        let callee = self.module.function(callee);
        let args = self.f.args(inst);
        let mut rises = control > self.states[n].entry;
        self.states[n].entry = control.max(self.states[n].entry);
        for (&param, &arg) in callee.params.iter().zip(args) {
            let level = self.level(arg);
            let slot = &mut self.states[n].known.values[param.0 as usize];
            rises |= level > *slot;
            *slot = level.max(*slot);
        }
        if rises {
            self.touched.push(n);
        }
        let (result, ends) = (self.states[n].known.result, self.states[n].ends);
        self.f.results(inst).for_each(|value| self.raise(value, result));
        if let Some(frame) = self.frames.last_mut() {
            frame.control = frame.control.max(ends);
        }
        self.goes_to(0, ends);
    }
}
