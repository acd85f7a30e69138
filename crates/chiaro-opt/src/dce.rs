//! Dead code elimination: removes what no effect depends on.
//!
//! ```text
//! %2: f32, %3: f32 = if %c {         %2: f32 = if %c {
//!   %4 = fsin %0                       exit %0
//!   exit %0, %4                 ->   } else {
//! } else { exit %1, %1 }               exit %1
//! return %2                          }
//!                                    return %2
//! ```
//!
//! True before: nothing. True after: every instruction has an effect or leads to one; results of
//! constructs and parameters of loops that nothing uses are gone, also where they use each other
//! only; so are constructs without effects, exits out of them or results, and variables that are
//! stored to but never loaded from. A loop goes only if it is known to end ([`ends`]), or assumed to
//! ([`Assumptions::progress`](crate::Assumptions)).

mod ends;
mod mark;
mod once;

use crate::{Changed, Cx};
use chiaro_ir::{Block, Draft, Forward, Function, FunctionRef, Inst, Module, Op, Step, Tour, Ty, Value};

/// Removes dead instructions, results, parameters and constructs.
pub fn dce(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    if once::suits(module.function(f)) {
        return once::once(module.function_mut(f)).into();
    }
    marked(module, f, cx)
}

/// The same of any function: what is needed is marked first.
fn marked(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    let live = mark::mark(module, module.function(f), cx.options.assumptions.progress);
    let mut sweeper = Sweeper {
        live,
        f: module.function_mut(f),
        forward: Forward::new(),
        draft: Draft::new(),
        changed: false,
    };
    sweeper.run();
    sweeper.changed.into()
}

struct Sweeper<'a> {
    live: mark::Live,
    f: &'a mut Function,
    forward: Forward,
    draft: Draft,
    changed: bool,
}

impl Sweeper<'_> {
    fn run(&mut self) {
        let mut tour = Tour::new();
        while let Some(step) = tour.step(self.f) {
            match step {
                Step::Open(_, _, block) => {
                    self.draft.open(self.f, block);
                    self.params(block);
                }
                Step::Inst(inst) if self.live.is_live(inst) => self.keep(inst),
                Step::Inst(_) => {
                    tour.skip();
                    self.changed = true;
                }
                Step::Close(_, _, block) => self.draft.close(self.f, block),
                _ => {}
            }
        }
    }

    fn params(&mut self, block: Block) {
        let params = &self.f.block(block).params;
        if params.iter().all(|&param| self.live.is_needed(param)) {
            return;
        }
        let kept = params.iter().copied().filter(|&param| self.live.is_needed(param)).collect();
        self.f.set_params(block, kept);
        self.changed = true;
    }

    fn keep(&mut self, inst: Inst) {
        self.forward.apply_to(self.f, inst);
        if self.f.op(inst).is_construct() {
            self.live.note_shape(self.f, inst);
            self.results(inst);
        }
        if let Some(taken) = self.live.taken(self.f, inst) {
            self.f.retain_args(inst, |i| taken.get(i).copied().unwrap_or(true));
        }
        self.draft.push(inst);
    }

    /// Takes away the results of a construct that nothing uses.
    fn results(&mut self, inst: Inst) {
        let old = self.f.results(inst);
        if old.clone().all(|value| self.live.is_needed(value)) {
            return;
        }
        let kept: Vec<Value> = old.filter(|&value| self.live.is_needed(value)).collect();
        let types: Vec<Ty> = kept.iter().map(|&value| self.f.ty(value)).collect();
        self.f.set_results(inst, &types);
        for (old, new) in kept.into_iter().zip(self.f.results(inst)) {
            self.forward.set(old, new);
        }
        self.changed = true;
    }
}

/// Whether an operation is kept only for its results.
fn is_removable(op: Op) -> bool {
    op.is_removable() || matches!(op.effect(), chiaro_ir::Effect::Convergent) || matches!(op, Op::Var(_))
}
