//! Editing functions: replacing uses, rewriting blocks.
//!
//! All of it is linear: replacements are collected in a table and carried out in one walk, and
//! a block's list of instructions is written once, however much goes in and out.

use crate::function::Function;
use crate::id::{Block, Inst, Value};
use crate::walk::{Step, Walk};

/// Values to be replaced by others.
///
/// ```text
/// set(%1, %2), set(%2, %3)        %1 and %2 become %3
/// ```
///
/// A replacement may itself be replaced, before or after; a value that would in the end replace
/// itself stays.
#[derive(Clone, Debug, Default)]
pub struct Forward {
    /// By value: what stands for it, itself if nothing else does. What lies beyond is itself.
    to: Vec<Value>,
    any: bool,
}

impl Forward {
    /// No replacement.
    pub fn new() -> Forward {
        Forward::default()
    }

    /// Whether there is no replacement.
    pub fn is_empty(&self) -> bool {
        !self.any
    }

    /// Has a value replaced wherever it is an operand. The new one must be known wherever the
    /// old one is used.
    pub fn set(&mut self, old: Value, new: Value) {
        let (old, new) = (self.get(old), self.get(new));
        if old == new {
            return;
        }
        let n = old.0 as usize;
        if self.to.len() <= n {
            let known = self.to.len() as u32;
            self.to.extend((known..=old.0).map(Value));
        }
        self.to[n] = new;
        self.any = true;
    }

    /// What stands for a value in the end.
    #[inline]
    pub fn get(&mut self, value: Value) -> Value {
        let mut at = value;
        loop {
            let next = self.peek(at);
            let after = self.peek(next);
            if after == next {
                return next;
            }
            // Halving the way keeps chains short.
            self.to[at.0 as usize] = after;
            at = after;
        }
    }

    #[inline]
    fn peek(&self, value: Value) -> Value {
        self.to.get(value.0 as usize).copied().unwrap_or(value)
    }

    /// Replaces the operands of one instruction. Whether any was replaced.
    pub fn apply_to(&mut self, f: &mut Function, inst: Inst) -> bool {
        let mut changed = false;
        if self.any {
            for arg in f.args_mut(inst) {
                let new = self.get(*arg);
                changed |= new != *arg;
                *arg = new;
            }
        }
        changed
    }

    /// Replaces the operands of all instructions that are reached. Whether any was replaced.
    pub fn apply(&mut self, f: &mut Function) -> bool {
        if !self.any {
            return false;
        }
        let mut changed = false;
        for (_, block) in f.tree() {
            for i in 0..f.block(block).insts.len() {
                let inst = f.block(block).insts[i];
                changed |= self.apply_to(f, inst);
            }
        }
        changed
    }
}

/// The lists of the blocks that are open, written anew while a [`Tour`](crate::Tour) reads the
/// old ones.
///
/// ```text
/// Step::Open(_, _, block)   draft.open(f, block)
/// Step::Inst(inst)          draft.push(..) what comes before, draft.push(inst), or nothing
/// Step::Close(_, _, block)  draft.close(f, block)
/// ```
///
/// Who opens no list for a block and writes none back moves what is in it into the block around.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    lists: Vec<Vec<Inst>>,
    spare: Vec<Vec<Inst>>,
}

impl Draft {
    /// No block is open.
    pub fn new() -> Draft {
        Draft::default()
    }

    /// Begins a list for a block, with room for what that has.
    pub fn open(&mut self, f: &Function, block: Block) {
        let mut list = self.spare.pop().unwrap_or_default();
        list.reserve(f.block(block).insts.len());
        self.lists.push(list);
    }

    /// Adds to the innermost list.
    #[inline]
    pub fn push(&mut self, inst: Inst) {
        if let Some(list) = self.lists.last_mut() {
            list.push(inst);
        }
    }

    /// Adds a new instruction to the innermost list.
    pub fn make(&mut self, f: &mut Function, op: crate::Op, args: &[Value], results: &[crate::Ty]) -> Inst {
        let inst = f.make(op, args, results);
        self.push(inst);
        inst
    }

    /// The result of a new instruction, which has one, in the innermost list.
    pub fn value(
        &mut self,
        f: &mut Function,
        (op, args): (crate::Op, &[Value]),
        ty: crate::Ty,
        span: Option<chiaro_diag::Span>,
    ) -> Value {
        let inst = self.make(f, op, args, &[ty]);
        f.inst_mut(inst).span = span;
        f.inst(inst).first
    }

    /// What the innermost list has so far.
    pub fn list(&mut self) -> Option<&mut Vec<Inst>> {
        self.lists.last_mut()
    }

    /// Ends the innermost list and makes it that of a block.
    pub fn close(&mut self, f: &mut Function, block: Block) {
        if let Some(list) = self.lists.pop() {
            let mut old = std::mem::replace(&mut f.block_mut(block).insts, list);
            old.clear();
            self.spare.push(old);
        }
    }
}

/// Takes instructions out of their blocks, by number; constructs with all that is in them.
pub fn remove_marked(f: &mut Function, marked: &[bool]) {
    let keep = |inst: &Inst| !marked.get(inst.0 as usize).copied().unwrap_or(false);
    let blocks: Vec<Block> = Walk::new(f)
        .filter_map(|step| match step {
            Step::Open(_, _, block) => Some(block),
            _ => None,
        })
        .collect();
    for block in blocks {
        f.block_mut(block).insts.retain(keep);
    }
}

impl Function {
    /// Makes an instruction another one with the same results; what was a switch loses its cases.
    pub fn replace(&mut self, inst: Inst, op: crate::Op, args: &[Value]) {
        if self.op(inst) == crate::Op::Switch && op != crate::Op::Switch {
            self.set_cases(inst, &[]);
        }
        self.inst_mut(inst).op = op;
        self.set_args(inst, args);
    }

    /// A new instruction in front of another one of the same block, with its span. Where there
    /// are many to insert, [`Draft`] takes less time.
    pub fn insert_before(
        &mut self,
        block: Block,
        before: Inst,
        op: crate::Op,
        args: &[Value],
        results: &[crate::Ty],
    ) -> Inst {
        let inst = self.make(op, args, results);
        self.inst_mut(inst).span = self.inst(before).span;
        let list = &mut self.block_mut(block).insts;
        let at = list.iter().position(|&other| other == before).unwrap_or(list.len());
        list.insert(at, inst);
        inst
    }

    /// Takes an instruction out of its block.
    pub fn remove(&mut self, block: Block, inst: Inst) {
        self.block_mut(block).insts.retain(|&other| other != inst);
    }

    /// Takes away the parameters of a block whose numbers are not to be kept. The operands that
    /// go with them are the caller's to remove.
    pub fn retain_params(&mut self, block: Block, keep: impl Fn(usize) -> bool) {
        let params = std::mem::take(&mut self.block_mut(block).params);
        let kept = params.into_iter().enumerate().filter(|&(i, _)| keep(i)).map(|(_, value)| value);
        self.set_params(block, kept.collect());
    }

    /// Takes away the operands of an instruction whose numbers are not to be kept.
    pub fn retain_args(&mut self, inst: Inst, keep: impl Fn(usize) -> bool) {
        let kept: Vec<Value> =
            self.args(inst).iter().enumerate().filter(|&(i, _)| keep(i)).map(|(_, &arg)| arg).collect();
        self.set_args(inst, &kept);
    }

    /// More operands behind those that an instruction has.
    pub fn push_args(&mut self, inst: Inst, more: &[Value]) {
        let all: Vec<Value> = self.args(inst).iter().chain(more).copied().collect();
        self.set_args(inst, &all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_of_replacements_end_at_the_last() {
        let mut forward = Forward::new();
        assert!(forward.is_empty());
        for i in 0..10 {
            forward.set(Value(i), Value(i + 1));
        }
        forward.set(Value(10), Value(3));
        assert!((0..=10).all(|i| forward.get(Value(i)) == Value(10)));
        assert_eq!(forward.get(Value(99)), Value(99));
    }
}
