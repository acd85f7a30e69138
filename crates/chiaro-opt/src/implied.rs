//! Conditions that the `if`s around them have decided.
//!
//! ```text
//! if %0 {                                    if %0 {
//!   %1 = and %0, %2                            %1 = and true, %2
//!   if %0 { a exit } else { b exit }    ->     if true { a exit } else { b exit }
//!   exit                                       exit
//! } else { exit @3 }                         } else { exit @3 }
//! if %0 { c exit } else { d exit }           if true { c exit } else { d exit }
//! ```
//!
//! True before: nothing. True after: no `if`, `select` or operation on bools asks for one that is known there,
//! from a block around it or from an `if` before it of which only one block goes on. What is left to fold
//! is [`const_fold`](crate::const_fold)'s and [`simplify_cfg`](crate::simplify_cfg)'s.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::rewrite::lend;
use crate::{Changed, Cx};
use chiaro_ir::{Block, ConstantKind, Def, Function, FunctionRef, Inst, Module, Op, Step, Tour, Type, Value};

/// Replaces conditions that are known by constants.
pub fn implied(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    if module.function(f).is_straight() {
        return Changed::No;
    }
    lend(module, f, |module, f| {
        Look { module, known: HashMap::new(), noted: Vec::new(), open: Vec::new() }.run(f)
    })
    .into()
}

struct Look<'m> {
    module: &'m mut Module,
    known: HashMap<Value, bool>,
    /// What is known, in the order in which it became known.
    noted: Vec<Value>,
    /// By open block: how much was known outside of it.
    open: Vec<usize>,
}

impl Look<'_> {
    fn run(&mut self, f: &mut Function) -> bool {
        let (mut tour, mut changed) = (Tour::new(), false);
        while let Some(step) = tour.step(f) {
            match step {
                Step::Open(owner, index, _) => {
                    self.open.push(self.noted.len());
                    if let Some(&condition) = owner.and_then(|inst| condition(f, inst)) {
                        self.note(f, condition, index == 0);
                    }
                }
                Step::Inst(inst) => changed |= self.decide(f, inst),
                Step::Close(..) => self.forget(),
                Step::Leave(inst) => self.behind(f, inst),
                _ => {}
            }
        }
        changed
    }

    fn forget(&mut self) {
        for value in self.noted.drain(self.open.pop().unwrap_or_default()..) {
            self.known.remove(&value);
        }
    }

    /// A condition holds from here on, or does not; and what follows from that. Where it contradicts what is known
    /// nobody comes by: what is known stays, for it is also what is known outside.
    fn note(&mut self, f: &Function, value: Value, holds: bool) {
        let mut open = vec![(value, holds)];
        while let Some((value, holds)) = open.pop() {
            let Def::Result(inst, _) = f.def(value) else { continue };
            let Entry::Vacant(unknown) = self.known.entry(value) else { continue };
            unknown.insert(holds);
            self.noted.push(value);
            let args = f.args(inst).iter();
            match f.op(inst) {
                Op::Not => open.extend(args.map(|&arg| (arg, !holds))),
                Op::And if holds => open.extend(args.map(|&arg| (arg, true))),
                Op::Or if !holds => open.extend(args.map(|&arg| (arg, false))),
                _ => {}
            }
        }
    }

    /// Behind an `if` of which one block is nothing but a way elsewhere, the other one was taken.
    fn behind(&mut self, f: &Function, inst: Inst) {
        let (Some(&condition), &[yes, no]) = (condition(f, inst), f.blocks_of(inst)) else { return };
        let leaves = |block: Block| match *f.block(block).insts {
            [exit] => f.op(exit) != Op::Exit(inst),
            _ => false,
        };
        match (leaves(yes), leaves(no)) {
            (true, false) => self.note(f, condition, false),
            (false, true) => self.note(f, condition, true),
            _ => {}
        }
    }

    /// Puts constants in the place of operands. Whether there were any.
    fn decide(&mut self, f: &mut Function, inst: Inst) -> bool {
        if !matches!(f.op(inst), Op::If | Op::Select | Op::And | Op::Or | Op::Not) {
            return false;
        }
        let mut changed = false;
        for n in 0..f.args(inst).len() {
            let Some(&holds) = self.known.get(&f.args(inst)[n]) else { continue };
            let bool = self.module.types.intern(Type::Bool);
            let constant = self.module.constants.intern(bool, ConstantKind::Scalar(holds.into()));
            f.args_mut(inst)[n] = f.constant(constant, bool);
            changed = true;
        }
        changed
    }
}

/// What an `if` asks.
fn condition(f: &Function, inst: Inst) -> Option<&Value> {
    (f.op(inst) == Op::If).then(|| f.args(inst).first()).flatten()
}
