//! Structured control as nesting of the mask stack (spec 6.2).
//!
//! The program counter goes straight through the text, but for loops; lanes run where their counter r0l is 0.
//! Blocks come in the order of the text. What changes the mask stands at the end of a block, so that whatever is
//! brought over an edge is brought by the lanes that take it:
//!
//! ```text
//! a: if_icmp c, 1       lanes without c are at 1
//! then: ...
//!    else_exec 1        they change places
//! else: ...
//!    pop_exec 1         both go on
//! join:
//! ```
//!
//! An exit over several levels sets the counter to their number: the lane runs again where so many have been
//! popped. Values live along the ways of lanes (logical edges), waits along that of the program counter (linear).

use chiaro_ir as ir;
use chiaro_ir::{Op as Ir, Stage};
use chiaro_mach::{Block, Effects, Graph, Inst, Op as Mach, Operand, Outcome, What};

use super::Select;
use super::fragment::ALL;
use super::part::alignment;
use super::part::{From, Part};
use super::shape::Shape;
use super::test::Test;
use crate::compile::code::condition::INVERT;
use crate::compile::code::{GPR, Modifiers, operation};
use crate::isa::Op;
use crate::isa::control::Control;
use crate::isa::graphics::Graphics;
use crate::isa::integer::Integer;

/// A way out of a block, and the scalars that it brings.
#[derive(Clone, Debug)]
struct Edge {
    from: Block,
    parts: Vec<Part>,
}

/// A construct that is open.
#[derive(Debug)]
struct Frame {
    inst: ir::Inst,
    /// Levels around it.
    base: u16,
    /// Where its parts begin.
    at: Block,
    /// Ways out of it, to what continues, and back to the head.
    out: Vec<Edge>,
    on: Vec<Edge>,
    again: Vec<Edge>,
    /// The head of a loop, and what stands there for its parameters.
    head: Option<Block>,
    phis: Vec<(Inst, u16)>,
}

/// What is still to be done, the next one last.
enum Task {
    /// Instructions of a block from a number on.
    Insts(ir::Block, usize),
    /// A block of the construct on top.
    Arm(u32),
    /// The end of the construct on top.
    Close,
}

/// The walk.
struct Lower<'s, 'a> {
    s: &'s mut Select<'a>,
    shape: Shape,
    frames: Vec<Frame>,
    tasks: Vec<Task>,
    /// The block that instructions go to; `None` behind an exit.
    at: Option<Block>,
    /// Levels of the mask stack.
    depth: u16,
    loops: u8,
    ends: Vec<Block>,
    /// Where lanes end that leave nothing behind.
    lost: Vec<Block>,
    /// Blocks that were there before.
    before: u32,
}

/// Whether the function can end.
pub(super) type Ends = bool;

impl Select<'_> {
    /// Makes blocks of the function, from `entry` on; whether it can end.
    pub(super) fn lower(&mut self, entry: Block) -> Outcome<Ends> {
        let (shape, body) = (Shape::of(self.f), self.f.body);
        let (depth, before) = (u16::from(shape.returns), self.code.block_count() as u32);
        let mut lower = Lower {
            s: self,
            shape,
            frames: Vec::new(),
            tasks: vec![Task::Insts(body, 0)],
            at: Some(entry),
            depth,
            loops: 0,
            ends: Vec::new(),
            lost: Vec::new(),
            before,
        };
        while let Some(task) = lower.tasks.pop() {
            match task {
                Task::Insts(block, from) => lower.insts(block, from)?,
                Task::Arm(n) => lower.arm(n),
                Task::Close => lower.close(),
            }
        }
        Ok(lower.finish())
    }
}

impl Lower<'_, '_> {
    fn insts(&mut self, block: ir::Block, from: usize) -> Outcome {
        let insts = self.s.f.block(block).insts.clone();
        for (n, &inst) in insts.iter().enumerate().skip(from) {
            let Some(at) = self.at else { return Ok(()) };
            let op = self.s.f.op(inst);
            if let Some(holds) = self.kills(inst) {
                self.s.kill(at, Some((self.s.f.args(inst)[0], holds)));
                continue;
            }
            if op.is_construct() {
                self.tasks.push(Task::Insts(block, n + 1));
                self.open(at, inst, op);
                return Ok(());
            }
            match op.is_exit() {
                true => self.exit(at, inst, op)?,
                false => self.s.instruction(at, inst)?,
            }
        }
        Ok(())
    }

    /// Whether an `if` does nothing but kill: for what its condition is then.
    fn kills(&self, inst: ir::Inst) -> Option<bool> {
        let f = self.s.f;
        if f.op(inst) != Ir::If || f.results(inst).len() > 0 {
            return None;
        }
        let ops = |n: usize| -> Vec<Ir> {
            f.block(f.blocks_of(inst)[n]).insts.iter().map(|&inner| f.op(inner)).collect()
        };
        let leaves = Ir::Exit(inst);
        match (ops(0).as_slice(), ops(1).as_slice()) {
            ([Ir::Demote, a], [b]) if *a == leaves && *b == leaves => Some(true),
            ([a], [Ir::Demote, b]) if *a == leaves && *b == leaves => Some(false),
            _ => None,
        }
    }

    fn open(&mut self, at: Block, inst: ir::Inst, op: Ir) {
        let arms = self.s.f.blocks_of(inst).len() as u32;
        let (base, none) = (self.depth, Vec::new);
        let frame =
            Frame { inst, base, at, out: none(), on: none(), again: none(), head: None, phis: Vec::new() };
        self.frames.push(frame);
        self.tasks.push(Task::Close);
        match op {
            Ir::If if self.shape.guard(inst) == Some(1) => self.tasks.extend([Task::Arm(0), Task::Arm(1)]),
            Ir::Loop => {
                self.tasks.extend([Task::Arm(1), Task::Arm(0)]);
                self.open_loop(at, inst);
            }
            _ => self.tasks.extend((0..arms).rev().map(Task::Arm)),
        }
        if op == Ir::Block && self.shape.ends_by_counter(inst) {
            self.push_level(1);
        }
    }

    /// What changes the mask, at the end of the last block.
    fn nest(&mut self, op: Control, uses: &[Operand], modifiers: Modifiers) {
        let last = self.last();
        self.s.push(last, Op::Control(op), &[], uses, modifiers);
    }

    fn last(&self) -> Block {
        Block(self.s.code.block_count() as u32 - 1)
    }

    /// Levels around what follows. While all lanes run, there is nobody to push.
    fn push_level(&mut self, levels: u8) {
        if self.depth > 0 {
            self.nest(Control::PushExec, &[], Modifiers { levels, ..Modifiers::default() });
            if let Some(from) = self.at {
                self.at = Some(self.join(vec![Edge { from, parts: Vec::new() }]));
            }
        }
        self.depth += u16::from(levels);
    }

    fn pop(&mut self, levels: u8) {
        if levels > 0 {
            self.nest(Control::PopExec, &[], Modifiers { levels, ..Modifiers::default() });
        }
    }

    /// Lanes whose counter is below so many levels run again.
    fn gather(&mut self, levels: u8) {
        let always = Operand { size: 1, ..Operand::imm(0) };
        self.nest(Control::WhileIcmp, &[always, always], Modifiers { levels, ..Modifiers::default() });
    }

    fn branch(&mut self, test: &Test, levels: u8) {
        let op = if test.is_float { Control::IfFcmp } else { Control::IfIcmp };
        self.nest(
            op,
            &[test.a, test.b],
            Modifiers { condition: test.condition, levels, ..Modifiers::default() },
        );
    }

    /// A new block to which edges lead.
    fn join(&mut self, edges: Vec<Edge>) -> Block {
        let block = self.s.code.block(self.loops);
        for edge in edges {
            self.s.code.edge_in(Graph::Logical, edge.from, block);
        }
        block
    }

    fn arm(&mut self, n: u32) {
        let Some(frame) = self.frames.last() else { return };
        let (inst, at, base) = (frame.inst, frame.at, frame.base);
        let block = self.s.f.blocks_of(inst)[n as usize];
        match self.s.f.op(inst) {
            Ir::If => self.arm_of_if(inst, at, base, n),
            Ir::Switch => self.arm_of_switch(inst, at, base, n),
            Ir::Loop if n == 1 => self.arm_of_continue(block),
            _ => {}
        }
        self.tasks.push(Task::Insts(block, 0));
    }

    fn arm_of_if(&mut self, inst: ir::Inst, at: Block, base: u16, n: u32) {
        let condition = self.s.f.args(inst)[0];
        let edge = vec![Edge { from: at, parts: Vec::new() }];
        let levels = 1 + u8::from(self.shape.ends_by_counter(inst));
        match self.shape.guard(inst) {
            // The side that leaves comes first; the other one goes on behind it, without a level.
            Some(leaving) if leaving == n => {
                let test = self.s.test(at, condition);
                self.branch(&if n == 0 { test } else { test.inverse() }, 1);
                self.depth = base + 1;
            }
            Some(_) => {
                self.pop(1);
                self.depth = base;
            }
            None if n == 0 => {
                let test = self.s.test(at, condition);
                self.branch(&test, levels);
                self.depth = base + u16::from(levels);
            }
            None => self.nest(Control::ElseExec, &[], Modifiers { levels: 1, ..Modifiers::default() }),
        }
        self.at = Some(self.join(edge));
    }

    /// A case is an `if` behind those before it, whose lanes wait for the end at a level of their own.
    fn arm_of_switch(&mut self, inst: ir::Inst, at: Block, base: u16, n: u32) {
        let count = self.s.f.blocks_of(inst).len() as u32;
        let edge = |from| vec![Edge { from, parts: Vec::new() }];
        if count == 1 {
            if self.shape.ends_by_counter(inst) {
                self.push_level(1);
            }
            return;
        }
        let mut test_at = at;
        if n > 0 {
            self.pop(1);
            test_at = self.join(edge(at));
            if let Some(frame) = self.frames.last_mut() {
                frame.at = test_at;
            }
        }
        if n + 1 == count {
            (self.at, self.depth) = (Some(test_at), base + 1);
            return;
        }
        let values: Vec<u64> =
            self.s.f.cases(inst).filter(|(_, number)| *number == n).map(|(value, _)| value).collect();
        let test = self.s.among(test_at, self.s.f.args(inst)[0], &values);
        self.branch(&test, if n == 0 { 2 } else { 1 });
        self.depth = base + 2;
        self.at = Some(self.join(edge(test_at)));
    }

    fn arm_of_continue(&mut self, block: ir::Block) {
        let Some(frame) = self.frames.last_mut() else { return };
        let (inst, edges) = (frame.inst, std::mem::take(&mut frame.on));
        if self.shape.continues_by_counter(inst) {
            self.gather(2);
        }
        self.at = self.meet(edges, &self.s.f.block(block).params.clone());
    }

    /// The block to which edges lead, with what they bring as values; none if nobody comes.
    fn meet(&mut self, edges: Vec<Edge>, values: &[ir::Value]) -> Option<Block> {
        edges.first()?;
        // Where one block goes on and nothing stands between, it is the same block.
        let block = match edges.as_slice() {
            [only] if only.from == self.last() && !self.is_closed(only.from) => only.from,
            _ => self.join(edges.clone()),
        };
        let mut at = 0;
        for &value in values {
            let sizes = self.s.sizes(self.s.f.ty(value));
            let parts: Vec<Part> =
                sizes.iter().enumerate().map(|(i, &size)| self.part(block, &edges, at + i, size)).collect();
            at += parts.len();
            self.s.values[value.0 as usize] = Some(parts);
        }
        Some(block)
    }

    /// Whether nothing can follow in a block.
    fn is_closed(&self, block: Block) -> bool {
        let code = &self.s.code;
        code.insts(block).last().is_some_and(|&inst| code.inst(inst).effects.is_tail())
    }

    /// What edges bring as part number `n`.
    fn part(&mut self, block: Block, edges: &[Edge], n: usize, size: u16) -> Part {
        let brought: Vec<Part> =
            edges.iter().map(|edge| edge.parts.get(n).copied().unwrap_or(Part::undef(size))).collect();
        if brought.iter().all(|part| *part == brought[0]) {
            return brought[0];
        }
        self.phi(block, &brought, size).1
    }

    fn phi(&mut self, block: Block, parts: &[Part], size: u16) -> (Inst, Part) {
        let uses: Vec<Operand> = parts.iter().map(|part| operand(*part)).collect();
        let value = self.s.code.value(GPR, size, alignment(size));
        let def = self.s.code.operand(value);
        // Values that are not made anew stand before; phis are first in their block.
        let inst = self.s.code.make(Mach::Phi, &[def], &uses);
        let insts = &self.s.code.block_data(block).insts;
        let place = insts.iter().take_while(|&&inst| self.s.code.op(inst) == Mach::Phi).count();
        self.s.code.block_mut(block).insts.insert(place, inst);
        (inst, Part::new(From::Value(value, 0), size))
    }

    /// The parts of values that go over an edge, in registers.
    fn carried(&mut self, at: Block, values: &[ir::Value]) -> Vec<Part> {
        let parts: Vec<Part> = values.iter().flat_map(|&value| self.s.value(value)).collect();
        let is_missed = self.s.is_linked() && !self.has_killed(at);
        let one = |s: &mut Select<'_>, part: Part| match part.from {
            // Between parts everything that is read has been written: nobody's number is one all the same.
            From::Undef if is_missed => s.in_register(at, part),
            From::Undef => part,
            // Phis take whole values: what lies within one is copied out of it.
            From::Value(_, 1..) => s.fresh(at, part),
            From::Value(..) => s.in_register(at, part),
            // Numbers are made where the phi wants them.
            _ => s.fresh(at, part),
        };
        parts.into_iter().map(|part| one(self.s, part)).collect()
    }

    /// Whether all samples are killed in a block: nobody misses what their lanes have not written.
    fn has_killed(&self, block: Block) -> bool {
        let code = &self.s.code;
        let kills_all = |&inst: &Inst| {
            let is_all = |used: &Operand| matches!(used.what, What::Imm(bits) if bits == ALL);
            operation(code, inst) == Some(Op::Graphics(Graphics::SampleMask))
                && code.uses(inst).first().is_some_and(is_all)
        };
        code.insts(block).iter().any(kills_all)
    }

    fn open_loop(&mut self, at: Block, inst: ir::Inst) {
        let args = self.s.f.args(inst).to_vec();
        let parts = self.carried(at, &args);
        let levels = self.loop_levels(inst);
        self.push_level(levels);
        self.loops = self.loops.saturating_add(1);
        let head = self.s.code.block(self.loops);
        self.s.code.edge_in(Graph::Logical, self.at.unwrap_or(at), head);
        let body = self.s.f.blocks_of(inst)[0];
        let (mut given, mut phis) = (parts.into_iter(), Vec::new());
        for param in self.s.f.block(body).params.clone() {
            let sizes = self.s.sizes(self.s.f.ty(param));
            let mut defined = Vec::new();
            for (&size, part) in sizes.iter().zip(&mut given) {
                let (phi, def) = self.phi(head, &[part, part], size);
                phis.push((phi, size));
                defined.push(def);
            }
            self.s.values[param.0 as usize] = Some(defined);
        }
        if let Some(frame) = self.frames.last_mut() {
            (frame.head, frame.phis) = (Some(head), phis);
        }
        self.at = Some(head);
    }

    /// One level for those that have left, one for those that wait for the next round.
    fn loop_levels(&self, inst: ir::Inst) -> u8 {
        1 + u8::from(self.shape.continues_by_counter(inst) || self.shape.repeats_by_counter(inst))
    }

    fn exit(&mut self, at: Block, inst: ir::Inst, op: Ir) -> Outcome {
        self.at = None;
        let parts = self.carried(at, self.s.f.args(inst));
        let edge = Edge { from: at, parts };
        let Some(target) = op.target() else {
            match op {
                Ir::Return => self.ends.push(at),
                _ => {
                    // Nobody asks what outputs such lanes have.
                    self.lost.push(at);
                    if op == Ir::Terminate && self.s.stage == Stage::Fragment {
                        self.s.kill(at, None);
                    }
                }
            }
            let is_last = self.depth == u16::from(self.shape.returns);
            self.leave(if is_last { 0 } else { self.depth });
            return Ok(());
        };
        let Some(frame) = self.frames.iter_mut().rev().find(|frame| frame.inst == target) else {
            return Ok(());
        };
        let base = frame.base;
        let is_loop = self.s.f.op(target) == Ir::Loop;
        let levels = match op {
            Ir::Exit(_) => {
                frame.out.push(edge);
                self.depth - base
            }
            Ir::Continue(_) => {
                frame.on.push(edge);
                self.depth.saturating_sub(base + 1)
            }
            _ => {
                frame.again.push(edge);
                self.depth.saturating_sub(base + 1)
            }
        };
        let is_shallow = match op {
            Ir::Exit(_) => !is_loop && self.is_at_end(target),
            _ => self.depth == base + u16::from(self.loop_levels(target)),
        };
        if !is_shallow {
            self.leave(levels);
        }
        Ok(())
    }

    /// Whether lanes that come to the end of what is being made are where the construct ends, for its mask.
    fn is_at_end(&self, target: ir::Inst) -> bool {
        let Some(frame) = self.frames.iter().rev().find(|frame| frame.inst == target) else { return false };
        match self.s.f.op(target) {
            Ir::If if self.shape.guard(target).is_some() => self.depth == frame.base,
            Ir::If => self.depth == frame.base + 1 + u16::from(self.shape.ends_by_counter(target)),
            Ir::Block => self.depth == frame.base + u16::from(self.shape.ends_by_counter(target)),
            // The last block of a switch; cases before it wait at their level.
            _ => {
                let single = self.s.f.blocks_of(target).len() == 1;
                let levels = if single { u16::from(self.shape.ends_by_counter(target)) } else { 1 };
                self.depth == frame.base + levels
            }
        }
    }

    /// Lanes that run here stop, for so many levels.
    fn leave(&mut self, levels: u16) {
        if levels == 0 {
            return;
        }
        let last = self.last();
        let counter = Operand::reg(GPR, 0, 1);
        let number = Operand::imm(levels.into());
        let op = Op::Integer(Integer::MovImm);
        let inst = self.s.push(last, op, &[counter], &[number], Modifiers::default());
        self.s.code.inst_mut(inst).effects = Effects::writes(Effects::EXEC);
    }

    fn close(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        let inst = frame.inst;
        match self.s.f.op(inst) {
            Ir::Loop => self.close_loop(&frame),
            Ir::If if self.shape.guard(inst).is_some() => {}
            Ir::If => self.pop(1 + u8::from(self.shape.ends_by_counter(inst))),
            Ir::Switch if self.s.f.blocks_of(inst).len() > 1 => self.pop(1),
            _ if self.shape.ends_by_counter(inst) => self.pop(1),
            _ => {}
        }
        self.depth = frame.base;
        let results: Vec<ir::Value> = self.s.f.results(inst).collect();
        self.at = self.meet(frame.out, &results);
    }

    /// Back to the head while some lane wants to, then those that have left run again.
    fn close_loop(&mut self, frame: &Frame) {
        let levels = self.loop_levels(frame.inst);
        if self.shape.repeats_by_counter(frame.inst) {
            self.gather(2);
        }
        let Some(head) = frame.head else { return };
        match self.meet(frame.again.clone(), &[]) {
            None => self.without_repeat(frame),
            Some(last) => {
                for (n, &(phi, size)) in frame.phis.iter().enumerate() {
                    let part = self.part(last, &frame.again, n, size);
                    self.s.code.uses_mut(phi)[1] = operand(part);
                }
                let label = Operand::label(head);
                self.s.push(last, Op::Control(Control::JmpExecAny), &[], &[label], Modifiers::default());
                self.s.code.edge_in(Graph::Logical, last, head);
                self.s.code.edge_in(Graph::Linear, last, head);
            }
        }
        self.loops -= 1;
        self.pop(levels);
        let last = self.last();
        if let Some(&pop) = self.s.code.insts(last).last() {
            // It stands behind the jump.
            self.s.code.inst_mut(pop).effects = Effects::writes(Effects::EXEC | Effects::CONTROL);
        }
    }

    /// No path goes back: the phis have one use.
    fn without_repeat(&mut self, frame: &Frame) {
        for &(phi, _) in &frame.phis {
            let code = &mut self.s.code;
            let (defs, uses) = (code.defs(phi).to_vec(), code.uses(phi)[..1].to_vec());
            code.set_operands(phi, &defs, &uses);
        }
    }

    fn finish(mut self) -> Ends {
        if self.ends.is_empty() {
            self.ends = std::mem::take(&mut self.lost);
        }
        if self.ends.is_empty() {
            return false;
        }
        let by_counter = self.shape.returns;
        if by_counter {
            self.pop(1);
        }
        let edges: Vec<Edge> = self.ends.iter().map(|&from| Edge { from, parts: Vec::new() }).collect();
        let Some(block) = self.meet(edges, &[]) else { return false };
        self.s.end(block);
        let code = &mut self.s.code;
        for n in self.before.max(1)..code.block_count() as u32 {
            code.edge_in(Graph::Linear, Block(n - 1), Block(n));
        }
        true
    }
}

/// A part that is in registers, or nowhere, as the use of a phi.
fn operand(part: Part) -> Operand {
    match part.from {
        From::Value(value, offset) => {
            Operand { what: What::Value(value), file: GPR, size: part.size, offset, ..Operand::default() }
        }
        _ => Operand { file: GPR, size: part.size, ..Operand::default() },
    }
}

impl Select<'_> {
    /// Whether a selector is one of these.
    fn among(&mut self, at: Block, selector: ir::Value, values: &[u64]) -> Test {
        let selector = self.scalar(selector);
        let equal = |s: &mut Self, value: u64| s.is_number(at, selector, value as u32);
        match *values {
            [] => Test { is_float: false, condition: INVERT, a: Operand::imm(0), b: Operand::imm(0) },
            [value] => equal(self, value),
            _ => {
                let mut any = Part::bool(false);
                for &value in values {
                    let test = equal(self, value);
                    any = self.select(at, &test, Part::bool(true), any);
                }
                self.holds(at, any)
            }
        }
    }
}
