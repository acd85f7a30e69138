//! Cloning instructions and whole blocks, within a function or from another one.

use crate::function::{Def, Function};
use crate::id::{Block, Inst, Value};
use crate::op::Op;
use crate::ty::Ty;

/// What has become of the instructions and values that were copied.
///
/// ```text
/// copies.set(%param, %arg)                     operands that are given
/// copies.redirect(Op::Return, Op::Exit(@1))    exits that lead elsewhere
/// copies.block(f, Some(callee), body, block)   the rest
/// ```
///
/// Within one function, what was not copied stays the same: operands from outside of the region,
/// and exits to constructs around it. One table serves any number of copies of a region, since
/// each writes all that is defined in it.
#[derive(Clone, Debug)]
pub struct Copies {
    values: Vec<Value>,
    insts: Vec<Inst>,
    exits: Vec<(Op, Op)>,
    /// The types of one instruction's results: one list serves all of them.
    types: Vec<Ty>,
}

/// A value that has no copy.
const NONE: Value = Value(u32::MAX);

impl Copies {
    /// For copies out of a function as it is now.
    pub fn new(source: &Function) -> Copies {
        let values = vec![NONE; source.value_count()];
        let insts = (0..source.inst_count() as u32).map(Inst).collect();
        Copies { values, insts, exits: Vec::new(), types: Vec::new() }
    }

    /// Has a value of the source stand for another one.
    pub fn set(&mut self, old: Value, new: Value) {
        if let Some(to) = self.values.get_mut(old.0 as usize) {
            *to = new;
        }
    }

    /// Has exits lead elsewhere, with the same operands. A later redirection of the same exit
    /// takes the place of the earlier one.
    pub fn redirect(&mut self, from: Op, to: Op) {
        self.exits.retain(|(old, _)| *old != from);
        self.exits.push((from, to));
    }

    /// What a value of the source is in the target.
    pub fn value(&self, f: &mut Function, source: Option<&Function>, value: Value) -> Value {
        match self.values.get(value.0 as usize) {
            Some(&known) if known != NONE => known,
            _ => match source.map(|source| (source.def(value), source.ty(value))) {
                Some((Def::Constant(c), ty)) => f.constant(c, ty),
                _ => value,
            },
        }
    }

    /// What an instruction of the source became.
    pub fn inst(&self, inst: Inst) -> Inst {
        self.insts.get(inst.0 as usize).copied().unwrap_or(inst)
    }

    /// Copies everything in a block, its exit too, to the end of another one of `f`. `source` is
    /// the function that the block is of, `None` for `f` itself. The block's own parameters are
    /// not made: they are [`set`](Self::set).
    pub fn block(&mut self, f: &mut Function, source: Option<&Function>, from: Block, to: Block) {
        let mut open = vec![(from, 0, to)];
        let mut args = Vec::new();
        while let Some((from, at, to)) = open.last_mut() {
            let (block, target) = (*from, *to);
            let Some(&inst) = source.unwrap_or(f).block(block).insts.get(*at) else {
                open.pop();
                continue;
            };
            *at += 1;
            let copy = self.shallow(f, source, inst, &mut args);
            f.block_mut(target).insts.push(copy);
            let count = source.unwrap_or(f).blocks_of(inst).len();
            if count == 0 {
                continue;
            }
            let blocks: Vec<Block> = (0..count).map(|_| f.new_block()).collect();
            f.set_blocks(copy, &blocks);
            for (n, &new) in blocks.iter().enumerate().rev() {
                let old = source.unwrap_or(f).blocks_of(inst)[n];
                self.params(f, source, old, new);
                open.push((old, 0, new));
            }
        }
    }

    /// The same parameters for the copy of a block.
    pub fn params(&mut self, f: &mut Function, source: Option<&Function>, from: Block, to: Block) {
        for i in 0..source.unwrap_or(f).block(from).params.len() {
            let origin = source.unwrap_or(f);
            let old = origin.block(from).params[i];
            let ty = origin.ty(old);
            let new = f.add_param(to, ty);
            self.set(old, new);
        }
    }

    /// A copy of an instruction that stands in no block, without the blocks that it owns.
    pub fn shallow(
        &mut self,
        f: &mut Function,
        source: Option<&Function>,
        inst: Inst,
        args: &mut Vec<Value>,
    ) -> Inst {
        let origin = source.unwrap_or(f);
        args.clear();
        args.extend_from_slice(origin.args(inst));
        let old = origin.results(inst);
        self.types.clear();
        self.types.extend(old.clone().map(|value| origin.ty(value)));
        let (op, flags, span) = (self.exit(origin.op(inst)), origin.inst(inst).flags, origin.inst(inst).span);
        let cases: Vec<_> = if op == Op::Switch { origin.cases(inst).collect() } else { Vec::new() };
        for arg in args.iter_mut() {
            *arg = self.value(f, source, *arg);
        }
        let copy = f.make(op, args, &self.types);
        let data = f.inst_mut(copy);
        (data.flags, data.span) = (flags, span);
        if op == Op::Switch {
            f.set_cases(copy, &cases);
        }
        if let Some(to) = self.insts.get_mut(inst.0 as usize) {
            *to = copy;
        }
        old.zip(f.results(copy)).for_each(|(old, new)| self.set(old, new));
        copy
    }

    /// Where an exit leads in the copy; any other operation is itself.
    fn exit(&self, op: Op) -> Op {
        if !op.is_exit() {
            return op;
        }
        if let Some(&(_, to)) = self.exits.iter().find(|(from, _)| *from == op) {
            return to;
        }
        match op {
            Op::Exit(at) => Op::Exit(self.inst(at)),
            Op::Continue(at) => Op::Continue(self.inst(at)),
            Op::Repeat(at) => Op::Repeat(self.inst(at)),
            _ => op,
        }
    }
}
