//! Loop-invariant code motion: moves what is the same in every iteration in front of the loop.
//!
//! ```text
//! loop {                          %1 = fmul %0, 2
//!   %1 = fmul %0, 2       ->      loop {
//!   ...                             ...
//! ```
//!
//! One walk: an instruction goes in front of the outermost loop that defines none of its operands,
//! and counts as defined there. What may not run where it was not asked for ([`is_movable`])
//! stays: convergent operations, accesses that may be out of bounds.

use crate::loops::has_loops;
use crate::motion::is_movable;
use crate::rewrite::lend;
use crate::{Changed, Cx};
use chiaro_ir::{Block, Draft, Function, FunctionRef, Inst, Module, Op, Step, Tour, Value};

/// Moves what does not change out of loops.
pub fn licm(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    if !has_loops(module.function(f)) {
        return Changed::No;
    }
    lend(module, f, |module, f| {
        let mut hoister = Hoister { levels: vec![0; f.value_count()], loops: Vec::new(), changed: false };
        hoister.run(module, f);
        hoister.changed
    })
    .into()
}

struct Hoister {
    /// By value: how many loops are around its definition.
    levels: Vec<u32>,
    /// What goes in front of each open loop, the innermost last.
    loops: Vec<Vec<Inst>>,
    changed: bool,
}

impl Hoister {
    fn run(&mut self, module: &Module, f: &mut Function) {
        let (mut tour, mut draft) = (Tour::new(), Draft::new());
        while let Some(step) = tour.step(f) {
            match step {
                Step::Open(_, _, block) => {
                    self.open(f, block);
                    draft.open(f, block);
                }
                Step::Close(_, _, block) => draft.close(f, block),
                Step::Inst(inst) => self.inst(module, f, &mut draft, inst),
                Step::Leave(inst) => self.leave(f, &mut draft, inst),
                _ => {}
            }
        }
    }

    fn open(&mut self, f: &Function, block: Block) {
        let level = self.loops.len() as u32;
        f.block(block).params.iter().for_each(|param| self.levels[param.0 as usize] = level);
    }

    fn inst(&mut self, module: &Module, f: &Function, draft: &mut Draft, inst: Inst) {
        let mut level = self.loops.len() as u32;
        if level > 0 && is_movable(module, f, inst) {
            level = f.args(inst).iter().map(|arg| self.levels[arg.0 as usize]).max().unwrap_or(0);
        }
        match self.loops.get_mut(level as usize) {
            Some(front) => {
                front.push(inst);
                self.changed = true;
            }
            None => draft.push(inst),
        }
        f.results(inst).for_each(|Value(v)| self.levels[v as usize] = level);
        if f.op(inst) == Op::Loop {
            self.loops.push(Vec::new());
        }
    }

    /// Behind a loop, which stands last in the draft, what was found goes in front of it.
    fn leave(&mut self, f: &Function, draft: &mut Draft, inst: Inst) {
        if f.op(inst) != Op::Loop {
            return;
        }
        let (front, list) = (self.loops.pop().unwrap_or_default(), draft.list());
        if let Some(list) = list {
            let at = list.len().saturating_sub(1);
            list.splice(at..at, front);
        }
    }
}
