//! CFG simplification: folds constant conditions, removes constructs without exits into them, and
//! shortens exits.
//!
//! ```text
//! if true { a exit } else { b exit }          ->    a
//! block { a exit }                            ->    a
//! if %c { exit } else { exit }                ->    nothing
//! switch %s { case 3 { a } default { b } }    ->    if (ieq %s, 3) { a } else { b }
//! loop { a exit } continuing { repeat }       ->    block { a exit }
//!
//! block @1 {                                        %1 = if %c {
//!   if %c { exit @1 2 } else { exit }                 exit 2
//!   b                                         ->    } else {
//!   exit 3                                            b
//! }                                                   exit 3
//!                                                   }
//! ```
//!
//! True before: nothing. True after: no condition is constant; no `block` is left from its end
//! only; no loop is without `repeat`; nothing follows an instruction behind which nobody comes;
//! where a construct is followed by an exit, or by what only the lanes of one of its blocks run,
//! no exit within it leads where that exit leads. All lanes run what they ran, together with the
//! same other lanes.

mod facts;
mod join;

use crate::rewrite::{is_number, lend};
use crate::{Changed, Cx};
use chiaro_ir::{Block, Draft, Forward, Function, FunctionRef, Inst, Module, Op, Step, Tour, Value};
use facts::Facts;
use join::Redirects;

/// Simplifies branches.
pub fn simplify_cfg(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    if ends_once(module.function(f)) {
        return Changed::No;
    }
    lend(module, f, |module, f| {
        let facts = Facts::find(f);
        let mut pass = Branches {
            module,
            facts,
            f,
            redirects: Redirects::default(),
            frames: Vec::new(),
            ended: Vec::new(),
            spliced: Vec::new(),
            forward: Forward::new(),
            draft: Draft::new(),
            changed: false,
        };
        pass.run();
        pass.changed.into()
    })
}

/// Whether all is one block with nothing behind its exit, as in most shaders.
fn ends_once(f: &Function) -> bool {
    let insts = &f.block(f.body).insts;
    f.is_straight() && insts.iter().rev().skip(1).all(|&inst| !f.op(inst).is_exit())
}

struct Branches<'a> {
    module: &'a mut Module,
    f: &'a mut Function,
    /// What is known of the constructs as they were.
    facts: Facts,
    redirects: Redirects,
    /// The blocks that are read, and how many instructions of each have been.
    frames: Vec<(Option<Inst>, Block, usize)>,
    /// Of each list that is written: whether it has its exit.
    ended: Vec<bool>,
    /// Constructs whose block goes into the one around it.
    spliced: Vec<Inst>,
    forward: Forward,
    draft: Draft,
    changed: bool,
}

impl Branches<'_> {
    fn run(&mut self) {
        let mut tour = Tour::new();
        while let Some(step) = tour.step(self.f) {
            match step {
                Step::Open(owner, _, block) => {
                    self.frames.push((owner, block, 0));
                    if !self.is_spliced(owner) {
                        self.draft.open(self.f, block);
                        self.ended.push(false);
                    }
                }
                Step::Inst(inst) => {
                    if let Some((_, _, at)) = self.frames.last_mut() {
                        *at += 1;
                    }
                    self.inst(inst, &mut tour);
                }
                Step::Close(owner, _, block) => {
                    self.frames.pop();
                    if !self.is_spliced(owner) {
                        self.ended.pop();
                        self.draft.close(self.f, block);
                    }
                }
                Step::Leave(inst) => {
                    self.redirects.leave(inst);
                    if self.spliced.last() == Some(&inst) {
                        self.spliced.pop();
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether a construct is the innermost of those whose block goes into the one around it.
    fn is_spliced(&self, owner: Option<Inst>) -> bool {
        owner.is_some() && self.spliced.last().copied() == owner
    }

    fn inst(&mut self, inst: Inst, tour: &mut Tour) {
        if self.ended.last() == Some(&true) {
            tour.skip();
            self.changed = true;
            return;
        }
        self.forward.apply_to(self.f, inst);
        let op = self.f.op(inst);
        if op.is_exit() {
            return self.exit(inst);
        }
        if !op.is_construct() {
            return self.draft.push(inst);
        }
        if self.construct(inst, tour.depth()) {
            self.draft.push(inst);
        } else if !self.is_spliced(Some(inst)) {
            tour.skip();
        }
    }

    fn exit(&mut self, inst: Inst) {
        let op = self.f.op(inst);
        if let Op::Exit(at) = op
            && self.is_spliced(Some(at))
        {
            let args = self.f.args(inst).to_vec();
            for (result, arg) in self.f.results(at).zip(args) {
                self.forward.set(result, arg);
            }
            return;
        }
        self.changed |= self.redirects.apply(self.f, inst);
        self.push_exit(inst);
    }

    fn push_exit(&mut self, inst: Inst) {
        self.draft.push(inst);
        if let Some(ended) = self.ended.last_mut() {
            *ended = true;
        }
    }

    /// Simplifies a construct before its blocks are entered. Whether it stays one.
    fn construct(&mut self, inst: Inst, depth: usize) -> bool {
        match self.f.op(inst) {
            Op::If => self.decide_if(inst),
            Op::Switch => self.decide_switch(inst),
            Op::Loop => self.unroll_once(inst),
            _ => {}
        }
        if self.is_empty(inst) {
            return false;
        }
        if self.f.op(inst) == Op::Block && self.facts.is_left_at_end(self.f, inst) {
            self.spliced.push(inst);
            self.changed = true;
            return false;
        }
        self.join(inst, depth);
        true
    }

    fn become_block(&mut self, inst: Inst, block: Block) {
        self.f.replace(inst, Op::Block, &[]);
        self.f.set_blocks(inst, &[block]);
        self.changed = true;
    }

    /// An `if` that is decided, or one of whose blocks is never reached.
    fn decide_if(&mut self, inst: Inst) {
        let &[yes, no] = self.f.blocks_of(inst) else { return };
        let never = |block: Block| {
            self.f.block(block).insts.first().is_some_and(|&i| self.f.op(i) == Op::Unreachable)
        };
        let known = match self.module.value_bits(self.f, self.f.args(inst)[0]) {
            Some(bits) => Some(bits & 1 == 1),
            None if never(yes) => Some(false),
            None if never(no) => Some(true),
            None => None,
        };
        if let Some(taken) = known {
            self.become_block(inst, if taken { yes } else { no });
        }
    }

    fn decide_switch(&mut self, inst: Inst) {
        let blocks = self.f.blocks_of(inst).to_vec();
        let Some((&default, others)) = blocks.split_last() else { return };
        let last = others.len() as u32;
        let cases: Vec<(u64, u32)> = self.f.cases(inst).filter(|&(_, block)| block != last).collect();
        if let Some(bits) = self.module.value_bits(self.f, self.f.args(inst)[0]) {
            let case = cases.iter().find(|(value, _)| *value == bits);
            return self.become_block(inst, case.map_or(default, |&(_, block)| blocks[block as usize]));
        }
        match cases.as_slice() {
            [] => self.become_block(inst, default),
            &[(value, block)] => self.become_if(inst, value, blocks[block as usize], default),
            _ => {}
        }
    }

    /// A switch with one case is an `if`.
    fn become_if(&mut self, inst: Inst, value: u64, case: Block, default: Block) {
        let selector = self.f.args(inst)[0];
        let equal = is_number(self.module, self.f, &mut self.draft, (selector, value), inst);
        self.f.replace(inst, Op::If, &[equal]);
        self.f.set_blocks(inst, &[case, default]);
        self.changed = true;
    }

    /// A loop that never repeats is a block; what follows its `continue`s stands behind an inner
    /// one.
    fn unroll_once(&mut self, inst: Inst) {
        let &[body, continuing] = self.f.blocks_of(inst) else { return };
        if self.facts.repeats(inst) > 0 && self.facts.continues(inst) > 0 {
            return;
        }
        let args = self.f.args(inst).to_vec();
        for (&param, arg) in self.f.block(body).params.iter().zip(args) {
            self.forward.set(param, arg);
        }
        self.f.set_params(body, Vec::new());
        if self.facts.continues(inst) == 0 {
            return self.become_block(inst, body);
        }
        let params = self.f.block(continuing).params.clone();
        let types: Vec<_> = params.iter().map(|&param| self.f.ty(param)).collect();
        let outer = self.f.new_block();
        let inner = self.f.push(outer, Op::Block, &[], &types);
        self.f.inst_mut(inner).span = self.f.inst(inst).span;
        self.f.set_blocks(inner, &[body]);
        for (&param, result) in params.iter().zip(self.f.results(inner)) {
            self.forward.set(param, result);
        }
        self.f.set_params(continuing, Vec::new());
        let rest = std::mem::take(&mut self.f.block_mut(continuing).insts);
        self.f.block_mut(outer).insts.extend(rest);
        self.redirects.add(Op::Continue(inst), Op::Exit(inner), inner);
        self.become_block(inst, outer);
    }

    /// An `if` or switch all blocks of which are the same exit: that exit takes its place.
    fn is_empty(&mut self, inst: Inst) -> bool {
        if !matches!(self.f.op(inst), Op::If | Op::Switch) {
            return false;
        }
        let (f, forward) = (&*self.f, &mut self.forward);
        let mut exits = f.blocks_of(inst).iter().map(|&block| match *f.block(block).insts {
            [exit] => Some(exit),
            _ => None,
        });
        let Some(Some(first)) = exits.next() else { return false };
        let wanted: Vec<Value> = f.args(first).iter().map(|&arg| forward.get(arg)).collect();
        let mut same = |exit: Inst| {
            f.op(exit) == f.op(first) && f.args(exit).iter().zip(&wanted).all(|(&a, &b)| forward.get(a) == b)
        };
        if !exits.all(|exit| exit.is_some_and(&mut same)) {
            return false;
        }
        self.changed = true;
        if self.f.op(first) == Op::Exit(inst) {
            for (result, arg) in self.f.results(inst).zip(wanted) {
                self.forward.set(result, arg);
            }
        } else {
            self.forward.apply_to(self.f, first);
            self.exit(first);
        }
        true
    }
}
