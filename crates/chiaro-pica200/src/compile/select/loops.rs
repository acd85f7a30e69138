//! Loops: those that LOOP runs, and those that jump.

use super::state::{Answer, Frame, Kind, LoopFrame, Repr, Select, Test};
use super::test::GT;
use crate::abi::{Bytes, Count};
use crate::compile::graph::{Base, Block, Component, Components, Cond, Counter, Id, Index, Item, splat};
use crate::compile::legalize::{Counted, Rounds, counted, part, place};
use crate::isa::Op as Machine;
use chiaro_ir::{Inst, Op};

impl Select<'_> {
    pub(super) fn loop_(&mut self, inst: Inst) -> Answer<()> {
        let [body, continuing] = self.f.blocks_of(inst)[..] else { return Err(self.unsupported(inst)) };
        let starts = self.args_of(inst)?;
        let counted = self.served(inst);
        let before = if counted.is_some() { self.keep_outer(inst)? } else { None };
        let counted = counted.filter(|_| before.is_some());
        let places = counted.as_ref().map_or(Vec::new(), |(_, places)| places.clone());
        let counted = counted.map(|(counted, _)| counted);
        let number = counted.as_ref().map(|_| {
            self.graph.loops.push(Counter { constant: None, register: 0, jumps: false });
            self.graph.loops.len() as u16 - 1
        });
        let params = self.parameters(body, starts, counted.zip(number))?;
        let shared: Vec<_> = places.iter().map(|&n| params[n]).collect();
        let results = match places[..] {
            [] => self.several_exits(inst)?,
            _ => places.iter().map(|&n| self.repr(self.f.block(body).params[n])).collect::<Answer<_>>()?,
        };
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
            params,
            results,
            shared,
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
        self.set_all(before.unwrap_or_default());
        self.close_loop(inst, frame, outside, inside)
    }

    /// How LOOP counts a loop, if it serves it, and the parameters that are its results where exits disagree.
    fn served(&self, inst: Inst) -> Option<(Counted, Vec<usize>)> {
        let counted = counted(self.module, self.f, inst).filter(|counted| self.loops.serve(counted))?;
        match self.loop_exits(inst, counted.test) {
            true => Some((counted, Vec::new())),
            false => self.shared(inst, &counted).map(|places| (counted, places)),
        }
    }

    /// By result the parameter that the test at a loop's head gives, if each gives another one that is a variable:
    /// other exits set that.
    fn shared(&self, inst: Inst, counted: &Counted) -> Option<Vec<usize>> {
        let &[body, _] = self.f.blocks_of(inst) else { return None };
        let params = &self.f.block(body).params;
        let ends = self.f.blocks_of(counted.test).iter().filter_map(|&b| self.f.block(b).insts.last());
        let exit = ends.copied().find(|&last| self.f.op(last) == Op::Exit(inst))?;
        let place = |value| params.iter().position(|param| param == value);
        let places: Vec<usize> = self.f.args(exit).iter().map(place).collect::<Option<_>>()?;
        let is_variable = |n: usize| n != counted.param && Some(n) != counted.index;
        let is_own = |(i, &n): (usize, &usize)| is_variable(n) && !places[..i].contains(&n);
        (!places.is_empty() && places.iter().enumerate().all(is_own)).then_some(places)
    }

    /// Variables for the parameters of a loop's body, set to what they start from; the counter needs none.
    fn parameters(
        &mut self,
        body: chiaro_ir::Block,
        starts: Vec<Repr>,
        counted: Option<(Counted, u16)>,
    ) -> Answer<Vec<Option<Id>>> {
        let params = self.f.block(body).params.clone();
        let (mut ids, mut firsts) = (Vec::new(), Vec::new());
        for (i, &param) in params.iter().enumerate() {
            if let Some((counted, number)) = counted {
                if counted.index == Some(i) {
                    self.set(param, Repr::Counter(number, 1, 0));
                }
                // Of rounds that nobody else counts.
                if counted.index == Some(i) || counted.param == i {
                    ids.push(None);
                    continue;
                }
            }
            let (id, repr) = self.variable(param)?;
            self.set(param, repr);
            ids.push(Some(id));
            firsts.push((id, starts.get(i).cloned().unwrap_or_default()));
        }
        for (id, start) in firsts {
            let (from, _) = self.components_of(start)?;
            self.assign(id, from);
        }
        Ok(ids)
    }

    /// The condition of a loop that counts to a uniform to have a round at all, since LOOP runs at
    /// least one, and blocks for the `if`.
    pub(super) fn guard(&mut self, load: Inst, with_end: bool, start: u8) -> Answer<(Cond, [Block; 2])> {
        let value = self.f.result_of(load).ok_or_else(|| self.unsupported(load))?;
        let count = self.components(value)?.0[0];
        let least = f32::from(start) - f32::from(u8::from(with_end));
        let test = self.test(Test::Compare(count, Component::constant(least), GT));
        let cond = self.flags(test, true);
        Ok((cond, [self.graph.block(), self.graph.block()]))
    }

    /// Variables for the results of a loop with several exits that disagree; else there is none,
    /// and the results are what the first one gives.
    pub(super) fn several_exits(&mut self, inst: Inst) -> Answer<Vec<Repr>> {
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
    pub(super) fn exits_agree(&self, exits: &[Inst]) -> bool {
        exits.windows(2).all(|pair| self.f.args(pair[0]) == self.f.args(pair[1]))
    }

    /// Every exit of a construct.
    pub(super) fn exits_of(&self, inst: Inst) -> Vec<Inst> {
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
    pub(super) fn loop_exits(&self, inst: Inst, head: Inst) -> bool {
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

    pub(super) fn close_loop(
        &mut self,
        inst: Inst,
        frame: LoopFrame,
        outside: Block,
        inside: Block,
    ) -> Answer<()> {
        // The counter as a number goes along with the LOOP.
        if let (Some(id), Some(counted)) = (frame.counter, &frame.counted) {
            let own = splat(Component::new(Base::Node(id), 0));
            let step = splat(Component::constant(f32::from(counted.step)));
            let next = self.node(Machine::Add, 1, &[own, step]);
            self.assign(id, splat(Component::new(Base::Node(next), 0)));
            let start = [Some(Component::constant(f32::from(counted.start))), None, None, None];
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
    pub(super) fn count(&mut self, number: u16, counted: &Counted, scale: i32) {
        let byte = |n: i64| u8::try_from(n).unwrap_or(0);
        let scaled = |n: u8| byte(i64::from(n) * i64::from(scale));
        let (start, step) = (scaled(counted.start), scaled(counted.step));
        let counter = &mut self.graph.loops[usize::from(number)];
        let (place, bytes) = match counted.rounds {
            Rounds::Known(rounds) => {
                counter.constant = Some([byte(i64::from(rounds) - 1), start, step, 0]);
                return;
            }
            Rounds::Uniform(load, with_end) => {
                let more = i16::from(with_end) - 1 - i16::from(counted.start);
                let pointer = self.f.args(load).first().copied();
                let place = pointer.and_then(|p| place(self.module, self.f, p));
                (place, Bytes::Number { more, start, step })
            }
            Rounds::Register(x) => (part(self.module, self.f, x).map(|(place, _)| place), Bytes::Components),
        };
        let Some((variable, path)) = place else { return };
        let count = Count { variable, path, bytes };
        let known = self.graph.counts.iter().position(|known| *known == count);
        let register = known.unwrap_or_else(|| {
            self.graph.counts.push(count);
            self.graph.counts.len() - 1
        });
        self.graph.loops[usize::from(number)].register = byte(register as i64);
    }

    /// What aL gives for a counter times a factor, if it can.
    pub(super) fn scaled_counter(&mut self, number: u16, factor: i32) -> Option<Index> {
        let l = self.loop_frame()?;
        let counted = l.counted.as_ref()?;
        if matches!(counted.rounds, Rounds::Register(..)) {
            let is_own = l.number == Some(number) && factor == 1;
            return is_own.then_some(Index::Loop(number));
        }
        let (start, step) = (i64::from(counted.start), i64::from(counted.step));
        let last = match counted.rounds {
            Rounds::Known(rounds) => start + step * (i64::from(rounds) - 1),
            // An index that counts further than the registers go is out of bounds anyway.
            Rounds::Uniform(..) | Rounds::Register(..) => start,
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
        ok.then_some(Index::Loop(number))
    }

    /// A counter times a factor plus a term, as a number.
    pub(super) fn counter_number(&mut self, number: u16, factor: i32, term: i32) -> Answer<(Components, u8)> {
        let is_number =
            |l: &LoopFrame| !l.counted.as_ref().is_some_and(|c| matches!(c.rounds, Rounds::Register(..)));
        let known = self.open.iter().find_map(|f| match &f.kind {
            Kind::Loop(l) if l.number == Some(number) && is_number(l) => Some(l.counter),
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
        let mut component = Component::new(Base::Node(id), 0);
        for (op, by, neutral) in [(Machine::Mul, factor, 1), (Machine::Add, term, 0)] {
            if by != neutral {
                let by = splat(Component::constant(by as f32));
                component = Component::new(Base::Node(self.node(op, 1, &[splat(component), by])), 0);
            }
        }
        Ok((splat(component), 1))
    }
}
