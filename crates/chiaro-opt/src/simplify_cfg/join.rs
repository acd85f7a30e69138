//! Shortens exits: one that leads where the lanes behind a construct go anyway leads to its end.
//!
//! ```text
//! %1 = if %c { exit @2 %a } else { exit %b }      %1 = if %c { exit %a } else { exit %b }
//! exit @2 %1                                 ->   exit @2 %1
//! ```
//!
//! Where the lanes behind an `if` come from one of its blocks only, what they run moves into that
//! block first.

use super::Branches;
use chiaro_ir::{Block, Function, Inst, Op, Ty, Value};

/// Nothing is moved into constructs deeper than this: what walks over a function by recursion
/// must not meet deep trees that nobody wrote.
const DEEPEST: usize = 48;

/// Exits to be made others while a construct is open.
#[derive(Debug, Default)]
pub(super) struct Redirects {
    list: Vec<(Op, Op, Inst)>,
    /// Constructs that carry what the exit behind them carried.
    templates: Vec<Template>,
    /// By instruction: exits that carry what they should.
    done: Vec<bool>,
}

/// What an exit behind a construct carried: other values, or the construct's results as they
/// were.
#[derive(Debug)]
struct Template {
    construct: Inst,
    results: Vec<Value>,
    carried: Vec<Value>,
}

impl Redirects {
    /// While `owner` is open, an exit leads elsewhere.
    pub(super) fn add(&mut self, from: Op, to: Op, owner: Inst) {
        self.list.push((from, to, owner));
    }

    pub(super) fn leave(&mut self, owner: Inst) {
        self.list.retain(|(.., other)| *other != owner);
        if self.templates.last().is_some_and(|template| template.construct == owner) {
            self.templates.pop();
        }
    }

    /// An exit carries what it should.
    fn finish(&mut self, exit: Inst) {
        let n = exit.0 as usize;
        if self.done.len() <= n {
            self.done.resize(n + 1, false);
        }
        self.done[n] = true;
    }

    /// Where an exit leads now.
    fn target(&self, op: Op) -> Op {
        self.list.iter().fold(op, |op, &(from, to, _)| if op == from { to } else { op })
    }

    /// Gives an exit the operands that its construct asks for now.
    fn fill(&mut self, f: &mut Function, inst: Inst) {
        if self.done.get(inst.0 as usize) == Some(&true) {
            return;
        }
        let op = f.op(inst);
        let Some(template) = self.templates.iter().rfind(|template| op == Op::Exit(template.construct))
        else {
            return;
        };
        let old = f.args(inst);
        let of = |&value: &Value| {
            let n = template.results.iter().position(|&result| result == value);
            n.and_then(|n| old.get(n)).copied().unwrap_or(value)
        };
        let new: Vec<Value> = template.carried.iter().map(of).collect();
        f.set_args(inst, &new);
    }

    /// Makes an exit what it is to be. Whether that is another one.
    pub(super) fn apply(&mut self, f: &mut Function, inst: Inst) -> bool {
        self.fill(f, inst);
        let (old, new) = (f.op(inst), self.target(f.op(inst)));
        f.inst_mut(inst).op = new;
        old != new
    }
}

impl Branches<'_> {
    /// Has exits within a construct lead to its end, if what is behind it leads there.
    pub(super) fn join(&mut self, inst: Inst, depth: usize) {
        let Some(&(_, block, at)) = self.frames.last() else { return };
        let Some(exits) = self.facts.exits(inst) else { return };
        let rest = self.f.block(block).insts.len() - at;
        if exits == 0 {
            return self.end(inst, block, at);
        }
        let Some(&last) = self.f.block(block).insts.last() else { return };
        let to = self.redirects.target(self.f.op(last));
        if !leads_on(to) || !self.leads(inst, to) {
            return;
        }
        if rest == 1 {
            self.gather(inst, last);
        } else if exits == 1 && depth < DEEPEST && matches!(self.f.op(inst), Op::If | Op::Switch) {
            self.sink(inst, block, at);
        }
    }

    /// Whether some exit within a construct leads there.
    fn leads(&self, inst: Inst, to: Op) -> bool {
        self.facts.outward(inst).iter().any(|&op| self.redirects.target(op) == to)
    }

    /// The exit behind a construct carries results of it; whoever leaves it towards the same
    /// place leaves it to its end.
    fn gather(&mut self, inst: Inst, last: Inst) {
        self.forward.apply_to(self.f, last);
        self.redirects.fill(self.f, last);
        let carried = self.f.args(last).to_vec();
        let results: Vec<Value> = self.f.results(inst).collect();
        let types: Vec<Ty> = carried.iter().map(|&value| self.f.ty(value)).collect();
        let to = self.redirects.target(self.f.op(last));
        self.f.set_results(inst, &types);
        let new: Vec<Value> = self.f.results(inst).collect();
        self.f.set_args(last, &new);
        self.redirects.templates.push(Template { construct: inst, results, carried });
        self.redirects.add(to, Op::Exit(inst), inst);
        self.redirects.finish(last);
        self.changed = true;
    }

    /// What is behind a construct moves into the only block of it whose lanes come there.
    fn sink(&mut self, inst: Inst, block: Block, at: usize) {
        let ends = |&arm: &Block| {
            let last = self.f.block(arm).insts.last().copied();
            last.filter(|&last| self.f.op(last) == Op::Exit(inst)).map(|last| (arm, last))
        };
        let Some((arm, exit)) = self.f.blocks_of(inst).iter().find_map(ends) else { return };
        for (result, &arg) in self.f.results(inst).zip(self.f.args(exit)) {
            self.forward.set(result, arg);
        }
        let rest = self.f.block_mut(block).insts.split_off(at);
        let Some(&last) = rest.last() else { return };
        self.f.block_mut(arm).insts.pop();
        self.f.block_mut(arm).insts.extend(rest);
        // The exit itself goes along, and is one of those that lead to the construct's end; who
        // comes there leaves as it did.
        let op = self.redirects.target(self.f.op(last));
        let types = self.carried(op);
        self.lead_to_end(inst, block, op, &types);
    }

    /// Nobody comes behind a construct: what is there goes, and if the lanes that leave it can
    /// do so through its end, they do.
    fn end(&mut self, inst: Inst, block: Block, at: usize) {
        let owner = self.frames.last().and_then(|frame| frame.0);
        let own = |op: &Op| match owner {
            Some(owner) => op.target() == Some(owner),
            None => *op == Op::Return,
        };
        let to = self.facts.outward(inst).iter().copied().find(own).map(|op| self.redirects.target(op));
        let behind = self.f.block(block).insts[at..].to_vec();
        if to.is_none() && matches!(*behind, [last] if self.f.op(last) == Op::Unreachable) {
            return;
        }
        self.f.block_mut(block).insts.truncate(at);
        self.changed = true;
        match to {
            Some(to) => {
                let types = self.carried(to);
                self.lead_to_end(inst, block, to, &types);
            }
            None => {
                let last = self.f.push(block, Op::Unreachable, &[], &[]);
                self.f.inst_mut(last).span = self.f.inst(inst).span;
            }
        }
    }

    /// Has all exits of a kind within a construct that had none to its end lead there, and its
    /// block end with that exit.
    fn lead_to_end(&mut self, inst: Inst, block: Block, op: Op, types: &[Ty]) {
        self.f.set_results(inst, types);
        let values: Vec<Value> = self.f.results(inst).collect();
        let last = self.f.push(block, op, &values, &[]);
        self.f.inst_mut(last).span = self.f.inst(inst).span;
        self.redirects.add(op, Op::Exit(inst), inst);
        self.redirects.finish(last);
        self.changed = true;
    }

    /// The types of what an exit carries.
    fn carried(&self, op: Op) -> Vec<Ty> {
        let params = |at: Inst, n: usize| match self.f.blocks_of(at).get(n) {
            Some(&block) => self.f.block(block).params.iter().map(|&param| self.f.ty(param)).collect(),
            None => Vec::new(),
        };
        match op {
            Op::Exit(at) => self.f.results(at).map(|result| self.f.ty(result)).collect(),
            Op::Continue(at) => params(at, 1),
            Op::Repeat(at) => params(at, 0),
            _ if *self.module.types.get(self.f.result) == chiaro_ir::Type::Void => Vec::new(),
            _ => vec![self.f.result],
        }
    }
}

/// Whether it is an exit that can stand behind a construct for those within.
fn leads_on(op: Op) -> bool {
    op.target().is_some() || op == Op::Return
}
