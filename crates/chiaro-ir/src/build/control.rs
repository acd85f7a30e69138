//! Constructs and exits.
//!
//! With closures, each block is one; it gets the construct, for exits that name it, and a
//! loop's blocks get their parameters. A block that does not end by itself ends with the exit
//! that carries no values, where that is enough: `exit`, in a loop's body `continue`, in its
//! continuing block `repeat`. Front ends that read a stream of instructions use
//! [`begin`](Builder::begin), [`enter`](Builder::enter) and [`leave`](Builder::leave).

use super::{Builder, Open};
use crate::id::{Block, Inst, Value};
use crate::op::Op;
use crate::ty::Ty;

impl Builder<'_> {
    /// A construct at the end of the current block, with so many blocks, none of them entered.
    /// A loop's operands make the parameters of its body.
    pub fn begin(&mut self, op: Op, args: &[Value], results: &[Ty], blocks: usize) -> Inst {
        let inst = self.make(op, args, results);
        let f = self.function_mut();
        let blocks: Vec<Block> = (0..blocks).map(|_| f.new_block()).collect();
        if let (Op::Loop, Some(&body)) = (op, blocks.first()) {
            for &arg in args {
                f.add_param(body, f.ty(arg));
            }
        }
        f.set_blocks(inst, &blocks);
        self.check(inst);
        self.open.push(Open { inst, block: self.block.take(), reached: false });
        inst
    }

    /// Goes to the start of block `n` of the innermost open construct.
    pub fn enter(&mut self, n: usize) {
        let inst = self.open.last().map(|open| open.inst);
        let block = inst.and_then(|inst| self.function().blocks_of(inst).get(n).copied());
        if block.is_none() {
            self.fail(format!("there is no block {n} to enter"));
        }
        self.block = block;
    }

    /// Goes behind the innermost open construct; its results. If no exit names it, the block
    /// in which it stands ends there.
    pub fn leave(&mut self) -> Vec<Value> {
        let Some(Open { inst, block, reached }) = self.open.pop() else {
            self.fail("there is no construct to leave");
            return Vec::new();
        };
        self.block = block;
        if !reached && block.is_some() {
            self.unreachable();
        }
        self.function().results(inst).collect()
    }

    /// Ends a block that its closure has left open.
    fn close(&mut self, exit: Op) {
        if self.block.is_some() {
            self.push(exit, &[], &[]);
        }
    }

    /// A construct of one block, to be left from the middle; its results.
    pub fn block(&mut self, results: &[Ty], body: impl FnOnce(&mut Self, Inst)) -> Vec<Value> {
        let at = self.begin(Op::Block, &[], results, 1);
        self.enter(0);
        body(self, at);
        self.close(Op::Exit(at));
        self.leave()
    }

    /// Two blocks by a bool; the results.
    pub fn if_(
        &mut self,
        condition: Value,
        results: &[Ty],
        then: impl FnOnce(&mut Self, Inst),
        otherwise: impl FnOnce(&mut Self, Inst),
    ) -> Vec<Value> {
        let at = self.begin(Op::If, &[condition], results, 2);
        self.enter(0);
        then(self, at);
        self.close(Op::Exit(at));
        self.enter(1);
        otherwise(self, at);
        self.close(Op::Exit(at));
        self.leave()
    }

    /// As [`if_`](Self::if_), without results.
    pub fn if_else(
        &mut self,
        condition: Value,
        then: impl FnOnce(&mut Self, Inst),
        otherwise: impl FnOnce(&mut Self, Inst),
    ) {
        self.if_(condition, &[], then, otherwise);
    }

    /// As [`if_else`](Self::if_else), with nothing to do otherwise.
    pub fn when(&mut self, condition: Value, then: impl FnOnce(&mut Self, Inst)) {
        self.if_(condition, &[], then, |_, _| {});
    }

    /// One of two values, computed only where it is asked for.
    pub fn choose(
        &mut self,
        condition: Value,
        ty: Ty,
        yes: impl FnOnce(&mut Self) -> Value,
        no: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        let results = self.if_(
            condition,
            &[ty],
            |b, at| {
                let value = yes(b);
                b.exit(at, &[value]);
            },
            |b, at| {
                let value = no(b);
                b.exit(at, &[value]);
            },
        );
        results[0]
    }

    /// Blocks by an integer: `cases` are values with the number of their block each, the last
    /// of `blocks` is for everything else. `body` builds block number n.
    pub fn switch(
        &mut self,
        selector: Value,
        results: &[Ty],
        cases: &[(u64, u32)],
        blocks: usize,
        mut body: impl FnMut(&mut Self, Inst, usize),
    ) -> Vec<Value> {
        let at = self.begin_switch(selector, results, cases, blocks);
        for n in 0..blocks {
            self.enter(n);
            body(self, at, n);
            self.close(Op::Exit(at));
        }
        self.leave()
    }

    /// As [`begin`](Self::begin), a switch with its cases.
    pub fn begin_switch(
        &mut self,
        selector: Value,
        results: &[Ty],
        cases: &[(u64, u32)],
        blocks: usize,
    ) -> Inst {
        let at = self.begin(Op::Switch, &[selector], results, blocks);
        self.function_mut().set_cases(at, cases);
        self.check(at);
        at
    }

    /// A loop: `init` are the values at the start of its body's parameters, `carried` the types
    /// of its continuing block's parameters. Body and continuing block get their parameters.
    pub fn loop_(
        &mut self,
        init: &[Value],
        results: &[Ty],
        carried: &[Ty],
        body: impl FnOnce(&mut Self, Inst, &[Value]),
        continuing: impl FnOnce(&mut Self, Inst, &[Value]),
    ) -> Vec<Value> {
        let at = self.begin_loop(init, results, carried);
        let blocks = self.function().blocks_of(at).to_vec();
        let params = |b: &Self, n: usize| b.function().block(blocks[n]).params.clone();
        self.enter(0);
        body(self, at, &params(self, 0));
        self.close(Op::Continue(at));
        self.enter(1);
        continuing(self, at, &params(self, 1));
        self.close(Op::Repeat(at));
        self.leave()
    }

    /// As [`begin`](Self::begin), a loop with the parameters of both blocks.
    pub fn begin_loop(&mut self, init: &[Value], results: &[Ty], carried: &[Ty]) -> Inst {
        let at = self.begin(Op::Loop, init, results, 2);
        let continuing = self.function().blocks_of(at)[1];
        for &ty in carried {
            self.function_mut().add_param(continuing, ty);
        }
        at
    }

    /// Leaves a construct with its results.
    pub fn exit(&mut self, at: Inst, values: &[Value]) {
        self.push(Op::Exit(at), values, &[]);
    }

    /// Goes to a loop's continuing block.
    pub fn continue_(&mut self, at: Inst, values: &[Value]) {
        self.push(Op::Continue(at), values, &[]);
    }

    /// Goes from a loop's continuing block to its body.
    pub fn repeat(&mut self, at: Inst, values: &[Value]) {
        self.push(Op::Repeat(at), values, &[]);
    }

    /// Leaves the function without a result.
    pub fn return_(&mut self) {
        self.push(Op::Return, &[], &[]);
    }

    /// Leaves the function with its result.
    pub fn return_value(&mut self, value: Value) {
        self.push(Op::Return, &[value], &[]);
    }

    /// Ends the invocation.
    pub fn terminate(&mut self) {
        self.push(Op::Terminate, &[], &[]);
    }

    /// Is never reached.
    pub fn unreachable(&mut self) {
        self.push(Op::Unreachable, &[], &[]);
    }
}
