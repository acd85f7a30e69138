//! Constructs, and what leaves them.
//!
//! Expected of the IR, as `lower_exits` leaves it: a block ends with the exit of its construct
//! (or `continue`, `repeat`, `return`), and a loop is also left from an `if` that stands in its
//! body itself.

use super::test::{GT, NE, Test};
use super::{Answer, Repr, Select};
use crate::compile::graph::{
    Base, Block, Cond, Count, Counter, Id, Index, Item, Lane, Lanes, lanes_of, splat,
};
use crate::compile::legalize::{Counted, Rounds, counted, place};
use crate::isa::Op as Machine;
use chiaro_ir::{Inst, Op, Value};

/// A construct that is open.
pub(super) struct Frame {
    inst: Inst,
    kind: Kind,
}

enum Kind {
    /// Variables for the results.
    If(Vec<Option<Id>>),
    /// What the only exit gave.
    Block(Vec<Repr>),
    Loop(LoopFrame),
}

/// A loop that is open.
pub(super) struct LoopFrame {
    /// Its place in the graph's list, if LOOP runs it.
    number: Option<u16>,
    /// What it stands in, if it may have no round: the condition of a round, the block with the
    /// loop, and an empty one.
    guard: Option<(Cond, [Block; 2])>,
    /// A variable for each parameter of its body; `None` for the counter.
    params: Vec<Option<Id>>,
    /// What its results are: the same at every exit, or a variable each.
    results: Vec<Repr>,
    counted: Option<Counted>,
    /// How many registers aL goes on for each unit of the counter.
    scale: Option<i32>,
    /// The counter as a number, if something asks for it.
    counter: Option<Id>,
    /// What `continue` gave.
    carried: Vec<Repr>,
}

impl Select<'_> {
    pub(super) fn flow(&mut self, inst: Inst) -> Answer<()> {
        self.last_select = None;
        let done = match self.f.op(inst) {
            Op::If => self.if_(inst),
            Op::Block => self.plain_block(inst),
            Op::Loop => self.loop_(inst),
            Op::Exit(target) => self.exit(inst, target),
            Op::Continue(_) => self.continue_(inst),
            Op::Repeat(_) => self.repeat(inst),
            Op::Return | Op::Terminate | Op::Unreachable => Ok(()),
            _ => Err(self.unsupported(inst)),
        };
        self.last_select = None;
        done
    }

    fn args_of(&mut self, inst: Inst) -> Answer<Vec<Repr>> {
        self.f.args(inst).to_vec().into_iter().map(|v| self.repr(v)).collect()
    }

    /// Goes on in a block inside the one at hand.
    fn enter(&mut self, block: Block) {
        self.block = block;
        self.around.push(block);
    }

    /// Goes back to the block around.
    fn leave(&mut self, outside: Block) {
        self.around.pop();
        self.block = outside;
    }

    fn plain_block(&mut self, inst: Inst) -> Answer<()> {
        self.open.push(Frame { inst, kind: Kind::Block(Vec::new()) });
        if let Some(&block) = self.f.blocks_of(inst).first() {
            self.block(block)?;
        }
        if let Some(Frame { kind: Kind::Block(results), .. }) = self.open.pop() {
            self.set_results(inst, results);
        }
        Ok(())
    }

    fn set_results(&mut self, inst: Inst, results: Vec<Repr>) {
        for (value, repr) in self.f.results(inst).zip(results) {
            self.set(value, repr);
        }
    }

    /// A variable for a value, and how the value is read from it.
    fn variable(&mut self, value: Value) -> Answer<(Id, Repr)> {
        let ty = self.f.ty(value);
        let n = self.module.types.components(ty);
        if n == 0 {
            return Err(self.error("an array or structure is carried by a branch or a loop"));
        }
        let id = self.graph.variable(n);
        let base = Base::Node(id);
        let lanes = if n == 1 { splat(Lane::new(base, 0)) } else { lanes_of(base) };
        if self.module.types.is_bool(ty) {
            let zero = Lane::constant(0.0);
            let tests = lanes.map(|lane| self.test(Test::Compare(lane, zero, NE)));
            return Ok((id, Repr::Tests(tests, n)));
        }
        Ok((id, Repr::Lanes(lanes, n)))
    }

    fn assign(&mut self, variable: Id, from: Lanes) {
        let width = usize::from(self.graph.node(variable).width);
        let own = |i: usize| Lane::new(Base::Node(variable), i as u8);
        let part = |i: usize| (i < width && from[i] != own(i)).then_some(from[i]);
        let parts: [Option<Lane>; 4] = std::array::from_fn(part);
        if parts.iter().any(Option::is_some) {
            self.graph.items_mut(self.block).push(Item::Assign(variable, parts));
        }
    }

    fn if_(&mut self, inst: Inst) -> Answer<()> {
        let test = self.condition(inst)?;
        let blocks = self.f.blocks_of(inst).to_vec();
        let [then, other] = blocks[..] else { return Err(self.unsupported(inst)) };
        if let Some((way, stays)) = self.break_arm(then, other) {
            return self.break_if(inst, test, way, [then, other][usize::from(stays)], stays == 1);
        }
        let mut variables = Vec::new();
        for value in self.f.results(inst) {
            let (id, repr) = self.variable(value)?;
            self.set(value, repr);
            variables.push(Some(id));
        }
        let cond = self.flags(test, true);
        let arms = [self.graph.block(), self.graph.block()];
        let outside = self.block;
        self.open.push(Frame { inst, kind: Kind::If(variables) });
        for (arm, block) in arms.into_iter().zip([then, other]) {
            self.enter(arm);
            self.block(block)?;
            self.leave(outside);
        }
        self.open.pop();
        self.graph.items_mut(outside).push(Item::If(cond, arms[0], arms[1]));
        Ok(())
    }

    /// Which block of an `if` leaves the innermost loop, and the number of the other one.
    fn break_arm(&self, then: chiaro_ir::Block, other: chiaro_ir::Block) -> Option<(chiaro_ir::Block, u8)> {
        let innermost = self.open.iter().rev().find(|f| !matches!(f.kind, Kind::Block(_)));
        let innermost = innermost.filter(|f| matches!(f.kind, Kind::Loop(_)))?.inst;
        let leaves = |block: chiaro_ir::Block| {
            let last = self.f.block(block).insts.last();
            last.is_some_and(|&last| self.f.op(last) == Op::Exit(innermost))
        };
        match (leaves(then), leaves(other)) {
            (true, _) => Some((then, 1)),
            (false, true) => Some((other, 0)),
            _ => None,
        }
    }

    /// An `if` of which one arm leaves the loop: the other one is what follows.
    fn break_if(
        &mut self,
        inst: Inst,
        test: super::TestId,
        way: chiaro_ir::Block,
        stay: chiaro_ir::Block,
        when: bool,
    ) -> Answer<()> {
        let head = self.loop_frame().and_then(|l| l.counted.as_ref()).is_some_and(|c| c.test == inst);
        let insts = self.f.block(way).insts.clone();
        let (last, before) = insts.split_last().ok_or_else(|| self.unsupported(inst))?;
        let bare = before.iter().all(|&i| self.f.op(i).is_removable());
        if head {
            self.block_values(before)?;
            let results = self.args_of(*last)?;
            self.loop_results(results);
        } else {
            if bare {
                self.block_values(before)?;
            } else {
                let cond = self.flags(test, when);
                let arms = [self.graph.block(), self.graph.block()];
                let outside = self.block;
                self.enter(arms[0]);
                self.block_values(before)?;
                self.leave(outside);
                self.graph.items_mut(outside).push(Item::If(cond, arms[0], arms[1]));
            }
            let results = self.args_of(*last)?;
            self.loop_results(results);
            let by_loop = self.loop_frame().is_some_and(|l| l.counted.is_some());
            let cond = if by_loop { self.compared_flags(test, when) } else { self.flags(test, when) };
            self.graph.items_mut(self.block).push(Item::Break(cond));
        }
        self.open.push(Frame { inst, kind: Kind::Block(Vec::new()) });
        self.block(stay)?;
        if let Some(Frame { kind: Kind::Block(results), .. }) = self.open.pop() {
            self.set_results(inst, results);
        }
        Ok(())
    }

    fn block_values(&mut self, insts: &[Inst]) -> Answer<()> {
        for &inst in insts {
            self.inst(inst)?;
        }
        Ok(())
    }

    fn loop_frame(&mut self) -> Option<&mut LoopFrame> {
        self.open.iter_mut().rev().find_map(|f| match &mut f.kind {
            Kind::Loop(l) => Some(l),
            _ => None,
        })
    }

    /// What an exit of the innermost loop gives: its results if it is the first one, else they
    /// go to the variables of the first one.
    fn loop_results(&mut self, results: Vec<Repr>) {
        let known = self.loop_frame().map(|l| l.results.clone()).unwrap_or_default();
        if known.is_empty() {
            if let Some(l) = self.loop_frame() {
                l.results = results;
            }
            return;
        }
        for (to, from) in known.into_iter().zip(results) {
            if let (Ok((to, n)), Ok((from, _))) = (self.lanes_of(to), self.lanes_of(from))
                && to[..usize::from(n)] != from[..usize::from(n)]
                && let Some(variable) = to[0].node()
            {
                self.assign(variable, from);
            }
        }
    }

    fn exit(&mut self, inst: Inst, target: Inst) -> Answer<()> {
        let results = self.args_of(inst)?;
        let Some(at) = self.open.iter().rposition(|f| f.inst == target) else {
            return Err(self.error("an exit of a construct that is not open"));
        };
        match &mut self.open[at].kind {
            Kind::Block(known) => *known = results,
            Kind::If(variables) => {
                let variables = variables.clone();
                self.assign_all(&variables, results)?;
            }
            Kind::Loop(_) => self.loop_results(results),
        }
        Ok(())
    }

    fn continue_(&mut self, inst: Inst) -> Answer<()> {
        let carried = self.args_of(inst)?;
        if let Some(l) = self.loop_frame() {
            l.carried = carried;
        }
        Ok(())
    }

    fn repeat(&mut self, inst: Inst) -> Answer<()> {
        let next = self.args_of(inst)?;
        let params = self.loop_frame().map(|l| l.params.clone()).unwrap_or_default();
        self.assign_all(&params, next)
    }

    /// Sets variables at the same time: what one of them held goes out of the way first.
    fn assign_all(&mut self, variables: &[Option<Id>], values: Vec<Repr>) -> Answer<()> {
        let mut lanes = Vec::new();
        for (variable, value) in variables.iter().zip(values) {
            let Some(variable) = variable else { continue };
            let (mut from, n) = self.lanes_of(value)?;
            // What a variable of these indexes is read before it changes, too.
            let addressed = |lane: &Lane| match lane.base {
                Base::Uniform(_, Index::Address(k)) => {
                    let address = self.graph.addresses.get(usize::from(k)).and_then(|lane| lane.node());
                    address.is_some_and(|id| variables.contains(&Some(id)))
                }
                _ => false,
            };
            let other =
                |lane: &Lane| lane.node().is_some_and(|id| id != *variable && variables.contains(&Some(id)));
            let moved = from[..usize::from(n)].iter().enumerate().any(|(i, lane)| {
                other(lane)
                    || addressed(lane)
                    || lane.node() == Some(*variable) && usize::from(lane.part) != i
            });
            if moved {
                let id = self.node(Machine::Mov, n, &[from]);
                from = lanes_of(Base::Node(id));
            }
            lanes.push((*variable, from));
        }
        for (variable, from) in lanes {
            self.assign(variable, from);
        }
        Ok(())
    }

    fn loop_(&mut self, inst: Inst) -> Answer<()> {
        let [body, continuing] = self.f.blocks_of(inst)[..] else { return Err(self.unsupported(inst)) };
        let starts = self.args_of(inst)?;
        let counted = counted(self.module, self.f, inst);
        let counted = counted.filter(|c| self.loops.serve(c) && self.loop_exits(inst, c.test));
        let params = self.f.block(body).params.clone();
        let (mut ids, mut firsts) = (Vec::new(), Vec::new());
        let number = counted.as_ref().map(|_| {
            self.graph.loops.push(Counter { constant: None, register: 0, jumps: false });
            self.graph.loops.len() as u16 - 1
        });
        for (i, &param) in params.iter().enumerate() {
            if counted.as_ref().is_some_and(|c| c.param == i) {
                self.set(param, Repr::Counter(number.unwrap_or(0), 1, 0));
                ids.push(None);
                continue;
            }
            let (id, repr) = self.variable(param)?;
            self.set(param, repr);
            ids.push(Some(id));
            firsts.push((id, starts.get(i).cloned().unwrap_or_default()));
        }
        for (id, start) in firsts {
            let (from, _) = self.lanes_of(start)?;
            self.assign(id, from);
        }
        let outside = self.block;
        let guard = match counted.as_ref().map(|c| (c.rounds, c.start)) {
            Some((Rounds::Uniform(load, with_end), start)) => Some(self.guard(load, with_end, start)?),
            _ => None,
        };
        let inside = self.graph.block();
        self.enter(inside);
        let frame = LoopFrame {
            guard,
            number,
            params: ids,
            results: self.several_exits(inst)?,
            counted,
            scale: None,
            counter: None,
            carried: Vec::new(),
        };
        self.open.push(Frame { inst, kind: Kind::Loop(frame) });
        self.block(body)?;
        let carried = self.loop_frame().map(|l| std::mem::take(&mut l.carried)).unwrap_or_default();
        for (&param, repr) in self.f.block(continuing).params.iter().zip(carried) {
            self.set(param, repr);
        }
        self.block(continuing)?;
        let Some(Frame { kind: Kind::Loop(frame), .. }) = self.open.pop() else { return Ok(()) };
        self.close_loop(inst, frame, outside, inside)
    }

    /// The condition of a loop that counts to a uniform to have a round at all, since LOOP runs at
    /// least one, and blocks for the `if`.
    fn guard(&mut self, load: Inst, with_end: bool, start: u8) -> Answer<(Cond, [Block; 2])> {
        let value = self.f.result_of(load).ok_or_else(|| self.unsupported(load))?;
        let count = self.lanes(value)?.0[0];
        let least = f32::from(start) - f32::from(u8::from(with_end));
        let test = self.test(Test::Compare(count, Lane::constant(least), GT));
        let cond = self.flags(test, true);
        Ok((cond, [self.graph.block(), self.graph.block()]))
    }

    /// Variables for the results of a loop with several exits that disagree; else there is none,
    /// and the results are what the first one gives.
    fn several_exits(&mut self, inst: Inst) -> Answer<Vec<Repr>> {
        if self.exits_agree(&self.exits_of(inst)) {
            return Ok(Vec::new());
        }
        let mut results = Vec::new();
        for value in self.f.results(inst) {
            results.push(self.variable(value)?.1);
        }
        Ok(results)
    }

    /// Whether all exits give the same values.
    fn exits_agree(&self, exits: &[Inst]) -> bool {
        exits.windows(2).all(|pair| self.f.args(pair[0]) == self.f.args(pair[1]))
    }

    /// Every exit of a construct.
    fn exits_of(&self, inst: Inst) -> Vec<Inst> {
        let mut open: Vec<_> = self.f.blocks_of(inst).to_vec();
        let mut found = Vec::new();
        while let Some(block) = open.pop() {
            for &i in &self.f.block(block).insts {
                open.extend(self.f.blocks_of(i));
                if self.f.op(i) == Op::Exit(inst) {
                    found.push(i);
                }
            }
        }
        found
    }

    /// Whether LOOP can leave the loop by itself: all that the exit at its head gives is held by
    /// variables of the loop or known outside.
    fn loop_exits(&self, inst: Inst, head: Inst) -> bool {
        let exits = self.exits_of(inst);
        let [body, _] = self.f.blocks_of(inst)[..] else { return false };
        let params = &self.f.block(body).params;
        let inner: Vec<_> = self.f.block(body).insts.iter().flat_map(|&i| self.f.results(i)).collect();
        let gives_known =
            |exit: &Inst| self.f.args(*exit).iter().all(|v| params.contains(v) || !inner.contains(v));
        match exits[..] {
            [first, ..] if self.exits_agree(&exits) => gives_known(&first),
            _ => self.f.results(head).len() == 0 && self.f.results(inst).len() == 0,
        }
    }

    fn close_loop(&mut self, inst: Inst, frame: LoopFrame, outside: Block, inside: Block) -> Answer<()> {
        // The counter as a number goes along with the LOOP.
        if let (Some(id), Some(counted)) = (frame.counter, &frame.counted) {
            let own = splat(Lane::new(Base::Node(id), 0));
            let step = splat(Lane::constant(f32::from(counted.step)));
            let next = self.node(Machine::Add, 1, &[own, step]);
            self.assign(id, splat(Lane::new(Base::Node(next), 0)));
            let start = [Some(Lane::constant(f32::from(counted.start))), None, None, None];
            self.graph.items_mut(outside).push(Item::Assign(id, start));
        }
        let number = match (frame.number, &frame.counted) {
            (Some(number), Some(counted)) => {
                self.count(number, counted, frame.scale.unwrap_or(0));
                number
            }
            _ => {
                self.graph.loops.push(Counter { constant: None, register: 0, jumps: true });
                self.graph.loops.len() as u16 - 1
            }
        };
        self.leave(outside);
        // It comes behind what its counter starts from.
        let around = match frame.guard {
            Some((cond, [inner, none])) => {
                self.graph.items_mut(outside).push(Item::If(cond, inner, none));
                inner
            }
            None => outside,
        };
        self.graph.items_mut(around).push(Item::Loop(number, inside));
        self.set_results(inst, frame.results);
        Ok(())
    }

    /// Settles the integer register of a LOOP.
    fn count(&mut self, number: u16, counted: &Counted, scale: i32) {
        let byte = |n: i64| u8::try_from(n).unwrap_or(0);
        let scaled = |n: u8| byte(i64::from(n) * i64::from(scale));
        let (start, step) = (scaled(counted.start), scaled(counted.step));
        let counter = &mut self.graph.loops[usize::from(number)];
        let (load, with_end) = match counted.rounds {
            Rounds::Known(rounds) => {
                counter.constant = Some([byte(i64::from(rounds) - 1), start, step, 0]);
                return;
            }
            Rounds::Uniform(load, with_end) => (load, with_end),
        };
        let pointer = self.f.args(load).first().copied();
        let Some((variable, path)) = pointer.and_then(|p| place(self.module, self.f, p)) else { return };
        let more = i16::from(with_end) - 1 - i16::from(counted.start);
        let count = Count { variable, path, more, start, step };
        let known = self.graph.counts.iter().position(|known| *known == count);
        let register = known.unwrap_or_else(|| {
            self.graph.counts.push(count);
            self.graph.counts.len() - 1
        });
        self.graph.loops[usize::from(number)].register = byte(register as i64);
    }

    /// What aL gives for a counter times a factor, if it can.
    pub(super) fn scaled_counter(
        &mut self,
        number: u16,
        factor: i32,
    ) -> Option<crate::compile::graph::Index> {
        let l = self.loop_frame()?;
        let counted = l.counted.as_ref()?;
        let (start, step) = (i64::from(counted.start), i64::from(counted.step));
        let last = match counted.rounds {
            Rounds::Known(rounds) => start + step * (i64::from(rounds) - 1),
            // An index that counts further than the registers go is out of bounds anyway.
            Rounds::Uniform(..) => start,
        };
        let fits = |n: i64| (0..=127).contains(&(n * i64::from(factor)));
        let steps = (0..=255).contains(&(step * i64::from(factor)));
        let ok = l.number == Some(number)
            && l.scale.is_none_or(|known| known == factor)
            && steps
            && fits(start)
            && fits(last);
        if ok {
            l.scale = Some(factor);
        }
        ok.then_some(crate::compile::graph::Index::Loop(number))
    }

    /// A counter times a factor plus a term, as a number.
    pub(super) fn counter_number(&mut self, number: u16, factor: i32, term: i32) -> Answer<(Lanes, u8)> {
        let known = self.open.iter().find_map(|f| match &f.kind {
            Kind::Loop(l) if l.number == Some(number) => Some(l.counter),
            _ => None,
        });
        let Some(known) = known else {
            return Err(self.error("the counter of a loop is used behind it"));
        };
        let id = known.unwrap_or_else(|| self.graph.variable(1));
        for frame in &mut self.open {
            if let Kind::Loop(l) = &mut frame.kind
                && l.number == Some(number)
            {
                l.counter = Some(id);
            }
        }
        let mut lane = Lane::new(Base::Node(id), 0);
        for (op, by, neutral) in [(Machine::Mul, factor, 1), (Machine::Add, term, 0)] {
            if by != neutral {
                let by = splat(Lane::constant(by as f32));
                lane = Lane::new(Base::Node(self.node(op, 1, &[splat(lane), by])), 0);
            }
        }
        Ok((splat(lane), 1))
    }
}
