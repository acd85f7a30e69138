//! Control flow: from blocks that jump to a tree of constructs.
//!
//! Every block is emitted once, where its dominator is emitted, so that nothing is copied:
//!
//! - A block with one way in follows the branch to it.
//! - A block with several, or one that a selection declares as its merge, gets a *label*:
//!   the construct at the end of its dominator, behind which it follows. Where the dominator
//!   needs several labels, `block`s nest, the first to be reached innermost. A case of a
//!   switch that falls through thus leaves a `block`.
//! - The header of a loop opens the `loop`; its merge block follows behind, its continue
//!   target starts the continuing block.
//!
//! A branch is an exit to the label of its target, whatever lies between. The work goes by a
//! list of tasks rather than by recursion, so that no input exhausts the stack.

use crate::body::Body;
use crate::cfg::{self, NONE};
use crate::error::{Fault, Res, fail};
use crate::ids::Id;
use crate::labels::{Loop, Way};
use crate::words::Inst as Word;
use chiaro_ir::{Block, Flags, Inst, Op, Ty, Value};
use spirv::Op as S;
use std::collections::HashMap;

/// What is still to be done, the next one last.
pub(crate) enum Task {
    /// A branch of a conditional, in a block of its own.
    Edge { from: u32, to: u32, at: Block },
    /// The continuing block of a loop.
    Continuing { number: u32 },
    /// What follows behind a construct; `to` may be [`NONE`].
    After { inst: Inst, to: u32, at: Block, number: Option<u32> },
}

/// A block to go on with, and the values of its phis.
type Next = Option<(u32, Vec<Value>)>;

/// Emits the whole function; a fault comes with its word.
pub(crate) fn run(body: &mut Body<'_, '_>) -> Result<(), (usize, Fault)> {
    let done = vec![false; body.cfg.nodes.len()];
    let mut flow = Flow { done, tasks: Vec::new(), long_phis: HashMap::new(), body };
    flow.all().map_err(|fault| (flow.body.at, fault))
}

struct Flow<'b, 'r, 'a> {
    body: &'b mut Body<'r, 'a>,
    /// Which blocks have been emitted.
    done: Vec<bool>,
    tasks: Vec<Task>,
    /// Operands of phis with many of them, by word and parent.
    long_phis: HashMap<usize, HashMap<u32, u32>>,
}

impl Flow<'_, '_, '_> {
    fn all(&mut self) -> Res<()> {
        if !self.body.cfg.phis(0).is_empty() {
            return fail("the first block has a phi");
        }
        self.region(Some((0, Vec::new())))?;
        while let Some(task) = self.tasks.pop() {
            self.body.ended = false;
            self.body.flags = Flags::default();
            let next = match task {
                Task::Edge { from, to, at } => {
                    self.body.block = at;
                    self.go(from, to)?
                }
                Task::Continuing { number } => self.continuing(number)?,
                Task::After { inst, to, at, number } => self.after(inst, to, at, number)?,
            };
            self.region(next)?;
        }
        Ok(())
    }

    /// Blocks that follow each other in the present block of the IR.
    fn region(&mut self, mut next: Next) -> Res<()> {
        while let Some((block, values)) = next {
            next = self.block(block, &values)?;
        }
        Ok(())
    }

    fn block(&mut self, i: u32, values: &[Value]) -> Res<Next> {
        if std::mem::replace(&mut self.done[i as usize], true) {
            return fail(format!("block %{} is reached by two ways that meet nowhere", self.label(i)));
        }
        self.body.ended = false;
        self.body.r.lines.no_line();
        if self.body.cfg.nodes[i as usize].is_loop() {
            self.place_loop(i)?;
            self.open_loop(i, values)?;
            self.body.r.lines.no_line();
        } else {
            self.name_phis(i, values)?;
        }
        self.instructions(i)?;
        if self.body.ended { Ok(None) } else { self.end(i) }
    }

    fn label(&self, i: u32) -> u32 {
        self.body.cfg.nodes[i as usize].label
    }

    /// Everything between the phis and the end.
    fn instructions(&mut self, i: u32) -> Res<()> {
        let (start, end) = (self.body.cfg.nodes[i as usize].start, self.body.cfg.nodes[i as usize].end);
        let words = self.body.r.words;
        let mut instructions = words.from(start);
        while instructions.at() < end && !self.body.ended {
            self.body.at = instructions.at();
            let Some(inst) = instructions.step()? else { break };
            match inst.opcode() {
                Some(S::Phi | S::SelectionMerge | S::LoopMerge) => {}
                Some(op) => self.body.instruction(&inst, op)?,
                None => return fail(format!("opcode {} is unknown", inst.op)),
            }
        }
        self.body.at = end;
        self.body.flags = Flags::default();
        self.body.check_growth()
    }

    /// The phis of a block as values.
    fn name_phis(&mut self, i: u32, values: &[Value]) -> Res<()> {
        for (n, &value) in values.iter().enumerate() {
            let phi = self.body.cfg.phis(i)[n];
            let ty = self.body.r.type_of_id(phi.ty)?;
            self.body.define(phi.id, Id::Value(value, ty, false))?;
        }
        Ok(())
    }

    /// Types of a block's phis; none for no block or one that nothing reaches.
    fn phi_types(&self, i: u32) -> Res<Vec<Ty>> {
        match self.body.cfg.nodes.get(i as usize) {
            Some(node) if node.reached => {
                let phis = self.body.cfg.phis(i).iter();
                phis.map(|phi| Ok(self.body.r.value_ty(self.body.r.type_of_id(phi.ty)?))).collect()
            }
            _ => Ok(Vec::new()),
        }
    }

    /// What the phis of a block are when it is entered from another one.
    fn phi_values(&mut self, from: u32, to: u32) -> Res<Vec<Value>> {
        let parent = self.label(from);
        let mut values = Vec::new();
        for n in 0..self.body.cfg.phis(to).len() {
            let phi = self.body.cfg.phis(to)[n];
            let words = self.body.r.words;
            let Some(inst) = words.from(phi.at).step()? else { break };
            let Some(value) = self.phi_operand(phi.at, inst.rest(2), parent) else {
                return fail(format!("the phi %{} has no value for a branch from %{parent}", phi.id));
            };
            values.push(self.body.value(value)?);
        }
        Ok(values)
    }

    /// What a phi is for a branch from a block. Long ones are looked up in a table, or a merge
    /// of thousands of branches would take the square of their number.
    fn phi_operand(&mut self, at: usize, operands: &[u32], parent: u32) -> Option<u32> {
        let mut pairs = operands.chunks_exact(2);
        if operands.len() < 64 {
            return pairs.find(|pair| pair[1] == parent).map(|pair| pair[0]);
        }
        let table =
            self.long_phis.entry(at).or_insert_with(|| pairs.map(|pair| (pair[1], pair[0])).collect());
        table.get(&parent).copied()
    }

    /// A branch: an exit to the target's label, or the target itself comes next.
    fn go(&mut self, from: u32, to: u32) -> Res<Next> {
        let values = self.phi_values(from, to)?;
        self.go_with(to, values)
    }

    fn go_with(&mut self, to: u32, values: Vec<Value>) -> Res<Next> {
        match self.body.labels.get(to) {
            None => return Ok(Some((to, values))),
            Some(Way::Exit(inst)) => {
                self.body.push(Op::Exit(inst), &values, &[]);
            }
            Some(Way::Repeat(inst)) => {
                self.body.push(Op::Repeat(inst), &values, &[]);
            }
            Some(Way::Continue(number)) => {
                let of = self.body.loops[number as usize].inst;
                let site = self.body.push(Op::Continue(of), &values, &[]);
                let block = self.body.block;
                self.body.loops[number as usize].sites.push((site, block));
            }
        }
        Ok(None)
    }

    /// A loop stands where its `OpLoopMerge` does, before which nothing of it is read yet.
    fn place_loop(&mut self, header: u32) -> Res<()> {
        let node = &self.body.cfg.nodes[header as usize];
        let (mut instructions, end) = (self.body.r.words.from(node.start), node.end);
        while instructions.at() <= end {
            let Some(inst) = instructions.step()? else { break };
            match inst.opcode() {
                Some(S::Line) => self.body.r.lines.line(inst.word(0)?, inst.word(1)?, inst.word(2)?),
                Some(S::NoLine) => self.body.r.lines.no_line(),
                Some(S::LoopMerge) => {
                    self.body.r.lines.at(inst.at);
                    break;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn open_loop(&mut self, header: u32, values: &[Value]) -> Res<()> {
        let node = &self.body.cfg.nodes[header as usize];
        let (merge, next) = (node.merge, node.next);
        let (results, params) = (self.phi_types(merge)?, self.phi_types(header)?);
        let at = self.body.block;
        let inst = self.body.push(Op::Loop, values, &results);
        let number = self.body.loops.len() as u32;
        let (body, continuing) = (self.body.inner(None)?, self.body.inner(Some(number))?);
        self.body.f.set_blocks(inst, &[body, continuing]);
        let phis: Vec<Value> = params.iter().map(|&ty| self.body.f.add_param(body, ty)).collect();
        for ty in self.phi_types(next)? {
            self.body.f.add_param(continuing, ty);
        }
        self.body.loops.push(Loop { inst, header, next, continuing, sites: Vec::new(), extra: Vec::new() });
        self.body.labels.push(merge, Way::Exit(inst));
        self.body.labels.push(next, Way::Continue(number));
        self.tasks.push(Task::After { inst, to: merge, at, number: Some(number) });
        self.tasks.push(Task::Continuing { number });
        self.body.block = body;
        self.name_phis(header, &phis)
    }

    fn continuing(&mut self, number: u32) -> Res<Next> {
        let Loop { inst, header, next, continuing, .. } = self.body.loops[number as usize];
        self.body.labels.pop();
        self.body.labels.push(header, Way::Repeat(inst));
        self.body.block = continuing;
        let params = self.body.f.block(continuing).params.clone();
        if next == header {
            return self.go_with(header, params);
        }
        if self.body.cfg.nodes[next as usize].reached {
            return Ok(Some((next, params)));
        }
        self.body.push(Op::Unreachable, &[], &[]);
        Ok(None)
    }

    /// Behind a construct: its label is out of force, its results are the target's phis.
    fn after(&mut self, inst: Inst, to: u32, at: Block, number: Option<u32>) -> Res<Next> {
        self.body.labels.pop();
        if let Some(number) = number {
            self.body.labels.pop();
            self.hand_over_extra(number);
        }
        self.body.block = at;
        if self.body.cfg.nodes.get(to as usize).is_some_and(|node| node.reached) {
            let values = self.body.f.results(inst).collect();
            return self.go_with(to, values);
        }
        self.body.push(Op::Unreachable, &[], &[]);
        Ok(None)
    }

    /// Gives every `continue` of a loop the values that the continuing block asked for.
    fn hand_over_extra(&mut self, number: u32) {
        let Loop { sites, extra, .. } = self.body.loops[number as usize].clone();
        for (site, _) in sites {
            let own = self.body.f.args(site).iter().copied();
            let args: Vec<Value> = own.chain(extra.iter().map(|e| e.0)).collect();
            self.body.f.set_args(site, &args);
        }
    }

    /// The instruction that ends a block.
    fn end(&mut self, i: u32) -> Res<Next> {
        let words = self.body.r.words;
        let Some(inst) = words.from(self.body.at).step()? else { return fail("an instruction is missing") };
        let joins: Vec<u32> = self.body.cfg.joins(i).collect();
        self.body.r.lines.at(inst.at);
        match inst.opcode() {
            Some(S::Branch) => {
                joins.iter().rev().try_for_each(|&join| self.open_block(join))?;
                let to = self.body.cfg.index(self.body.r, inst.word(0)?)?;
                self.go(i, to)
            }
            Some(S::BranchConditional) => self.branch(i, &inst, &joins),
            Some(S::Switch) => self.switch(i, &inst, &joins),
            Some(op) => {
                self.leave(&inst, op)?;
                Ok(None)
            }
            None => fail("an instruction is missing"),
        }
    }

    fn leave(&mut self, inst: &Word<'_>, op: S) -> Res<()> {
        let value = if op == S::ReturnValue { vec![self.body.operand(inst, 0)?] } else { Vec::new() };
        let exit = match op {
            S::Return | S::ReturnValue => Op::Return,
            S::Kill | S::TerminateInvocation => Op::Terminate,
            S::IgnoreIntersectionKHR => Op::EndHit(false),
            S::TerminateRayKHR => Op::EndHit(true),
            S::Unreachable => Op::Unreachable,
            _ => return fail(format!("Op{op:?} is not supported")),
        };
        self.body.push(exit, &value, &[]);
        Ok(())
    }

    /// A `block` that is the label of a join; emission goes on inside.
    fn open_block(&mut self, join: u32) -> Res<()> {
        let inst = self.construct(Op::Block, &[], Some(join))?;
        let inner = self.body.inner(None)?;
        self.body.f.set_blocks(inst, &[inner]);
        self.body.block = inner;
        Ok(())
    }

    /// A construct that may be the label of a join.
    fn construct(&mut self, op: Op, args: &[Value], join: Option<u32>) -> Res<Inst> {
        let results = self.phi_types(join.unwrap_or(NONE))?;
        let inst = self.body.push(op, args, &results);
        if let Some(to) = join {
            self.body.labels.push(to, Way::Exit(inst));
            self.tasks.push(Task::After { inst, to, at: self.body.block, number: None });
        }
        Ok(inst)
    }

    /// The joins but the first get blocks; the first one is for the construct at hand.
    fn open_joins(&mut self, joins: &[u32]) -> Res<Option<u32>> {
        let Some((&first, rest)) = joins.split_first() else { return Ok(None) };
        rest.iter().rev().try_for_each(|&join| self.open_block(join))?;
        Ok(Some(first))
    }

    fn branch(&mut self, i: u32, inst: &Word<'_>, joins: &[u32]) -> Res<Next> {
        let (yes, no) = (
            self.body.cfg.index(self.body.r, inst.word(1)?)?,
            self.body.cfg.index(self.body.r, inst.word(2)?)?,
        );
        let join = self.open_joins(joins)?;
        if yes == no {
            if let Some(join) = join {
                self.open_block(join)?;
            }
            return self.go(i, yes);
        }
        let condition = self.body.operand(inst, 0)?;
        let construct = self.construct(Op::If, &[condition], join)?;
        let (then, other) = (self.body.inner(None)?, self.body.inner(None)?);
        self.body.f.set_blocks(construct, &[then, other]);
        let known = |to| self.body.labels.get(to);
        match (join, known(yes), known(no)) {
            (None, Some(Way::Repeat(_)) | None, Some(_)) => {
                self.leave_by(construct, i, (other, no), (then, yes))
            }
            (None, Some(_), _) => self.leave_by(construct, i, (then, yes), (other, no)),
            _ => {
                if join.is_none() {
                    self.body.push(Op::Unreachable, &[], &[]);
                }
                self.tasks.push(Task::Edge { from: i, to: no, at: other });
                self.tasks.push(Task::Edge { from: i, to: yes, at: then });
                Ok(None)
            }
        }
    }

    /// One branch leaves what is around; the other one goes on behind the `if`.
    fn leave_by(&mut self, inst: Inst, from: u32, out: (Block, u32), on: (Block, u32)) -> Res<Next> {
        let at = self.body.block;
        self.body.block = out.0;
        self.go(from, out.1)?;
        self.body.block = on.0;
        self.body.push(Op::Exit(inst), &[], &[]);
        self.body.block = at;
        self.go(from, on.1)
    }

    fn switch(&mut self, i: u32, inst: &Word<'_>, joins: &[u32]) -> Res<Next> {
        let join = self.open_joins(joins)?;
        let (labels, values) = cfg::switch_labels(self.body.r, inst)?;
        let default = self.body.cfg.index(self.body.r, inst.word(1)?)?;
        let mut targets: Vec<u32> = Vec::new();
        let mut number_of = HashMap::new();
        let mut cases = Vec::new();
        for (label, value) in labels.into_iter().zip(values) {
            let to = self.body.cfg.index(self.body.r, label)?;
            let number = *number_of.entry(to).or_insert(targets.len() as u32);
            if to != default && number == targets.len() as u32 {
                targets.push(to);
            }
            cases.push((value, to, number));
        }
        targets.push(default);
        let (selector, mask) = self.selector(inst)?;
        let own = cases.into_iter().filter(|c| c.1 != default);
        let cases: Vec<(u64, u32)> = own.map(|(value, _, number)| (value & mask, number)).collect();
        let construct = self.construct(Op::Switch, &[selector], join)?;
        let blocks = targets.iter().map(|_| self.body.inner(None)).collect::<Res<Vec<Block>>>()?;
        self.body.f.set_blocks(construct, &blocks);
        self.body.f.set_cases(construct, &cases);
        if join.is_none() {
            self.body.push(Op::Unreachable, &[], &[]);
        }
        for (&to, &at) in targets.iter().zip(&blocks).rev() {
            self.tasks.push(Task::Edge { from: i, to, at });
        }
        Ok(None)
    }

    /// The value that a switch goes by, and the bits of it that count.
    fn selector(&mut self, inst: &Word<'_>) -> Res<(Value, u64)> {
        let v = self.body.operand(inst, 0)?;
        match self.body.r.module.types.bits(self.body.f.ty(v)) {
            // Bytes are for memory only.
            Some(8) => {
                let int = self.body.int_ty();
                Ok((self.body.op(Op::ZExt, &[v], int), 0xff))
            }
            Some(16) => Ok((v, 0xffff)),
            _ => Ok((v, u64::MAX)),
        }
    }
}
