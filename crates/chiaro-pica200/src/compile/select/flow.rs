//! Constructs, and what leaves them.
//!
//! Expected of the IR, as `lower_exits` leaves it: a block ends with the exit of its construct
//! (or `continue`, `repeat`, `return`), and a loop is also left from an `if` that stands in its
//! body itself. As simplified branches leave it: a loop's body ends with `continue`.

use super::state::{Answer, Frame, Kind, LoopFrame, Repr, Select, Test, TestId};
use super::test::NE;
use crate::compile::graph::{Base, Block, Component, Components, Id, Item, components_of, splat};
use crate::isa::Op as Machine;
use chiaro_diag::Diagnostic;
use chiaro_ir::{Inst, Op, Value};

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

    pub(super) fn args_of(&mut self, inst: Inst) -> Answer<Vec<Repr>> {
        self.f.args(inst).to_vec().into_iter().map(|v| self.repr(v)).collect()
    }

    /// Goes on in a block inside the one at hand.
    pub(super) fn enter(&mut self, block: Block) {
        self.block = block;
        self.around.push(block);
    }

    /// Goes back to the block around.
    pub(super) fn leave(&mut self, outside: Block) {
        self.around.pop();
        self.block = outside;
    }

    pub(super) fn plain_block(&mut self, inst: Inst) -> Answer<()> {
        self.open.push(Frame { inst, kind: Kind::Block(Vec::new()) });
        if let Some(&block) = self.f.blocks_of(inst).first() {
            self.block(block)?;
        }
        if let Some(Frame { kind: Kind::Block(results), .. }) = self.open.pop() {
            self.set_results(inst, results);
        }
        Ok(())
    }

    pub(super) fn set_results(&mut self, inst: Inst, results: Vec<Repr>) {
        for (value, repr) in self.f.results(inst).zip(results) {
            self.set(value, repr);
        }
    }

    /// A variable for a value, and how the value is read from it.
    pub(super) fn variable(&mut self, value: Value) -> Answer<(Id, Repr)> {
        let ty = self.f.ty(value);
        let n = self.module.types.components(ty);
        if n == 0 {
            return Err(self.error("an array or structure is carried by a branch or a loop"));
        }
        let id = self.graph.variable(n);
        let base = Base::Node(id);
        let components = if n == 1 { splat(Component::new(base, 0)) } else { components_of(base) };
        if self.module.types.is_bool(ty) {
            let zero = Component::constant(0.0);
            let tests = components.map(|component| self.test(Test::Compare(component, zero, NE)));
            return Ok((id, Repr::Tests(tests, n)));
        }
        Ok((id, Repr::Components(components, n)))
    }

    pub(super) fn assign(&mut self, variable: Id, from: Components) {
        let width = usize::from(self.graph.node(variable).width);
        let own = |i: usize| Component::new(Base::Node(variable), i as u8);
        let part = |i: usize| (i < width && from[i] != own(i)).then_some(from[i]);
        let parts: [Option<Component>; 4] = std::array::from_fn(part);
        if parts.iter().any(Option::is_some) {
            self.graph.items_mut(self.block).push(Item::Assign(variable, parts));
        }
    }

    pub(super) fn if_(&mut self, inst: Inst) -> Answer<()> {
        let is_head = self.loop_frame().and_then(|l| l.counted.as_ref()).is_some_and(|c| c.test == inst);
        // LOOP tests by itself.
        let test = if is_head { self.test(Test::Known(true)) } else { self.condition(inst)? };
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
    pub(super) fn break_arm(
        &self,
        then: chiaro_ir::Block,
        other: chiaro_ir::Block,
    ) -> Option<(chiaro_ir::Block, u8)> {
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
    pub(super) fn break_if(
        &mut self,
        inst: Inst,
        test: TestId,
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
            let shared = self.loop_frame().map(|l| l.shared.clone()).unwrap_or_default();
            let test = if bare && shared.is_empty() {
                self.block_values(before)?;
                test
            } else {
                self.before_leaving((test, when), &insts, &shared)?
            };
            if shared.is_empty() {
                let results = self.args_of(*last)?;
                self.loop_results(results);
            }
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

    /// What an exit of a loop does only where it is taken, and what it sets; the test that still says so behind that.
    fn before_leaving(
        &mut self,
        (test, when): (TestId, bool),
        way: &[Inst],
        shared: &[Option<Id>],
    ) -> Answer<TestId> {
        let Some((last, before)) = way.split_last() else { return Ok(test) };
        let cond = self.flags(test, when);
        let arms = [self.graph.block(), self.graph.block()];
        let outside = self.block;
        self.enter(arms[0]);
        self.block_values(before)?;
        let results = if shared.is_empty() { Vec::new() } else { self.args_of(*last)? };
        self.assign_all(shared, results)?;
        self.leave(outside);
        let set = self.graph.items(arms[0]).iter().filter_map(|item| match item {
            Item::Assign(variable, _) => Some(*variable),
            _ => None,
        });
        let set: Vec<Id> = set.collect();
        let test = self.kept(test, &set);
        if !self.graph.items(arms[0]).is_empty() {
            self.graph.items_mut(outside).push(Item::If(cond, arms[0], arms[1]));
        }
        Ok(test)
    }

    /// A test that says the same when variables are set: what it reads of them is copied.
    fn kept(&mut self, test: TestId, variables: &[Id]) -> TestId {
        let kept = match self.tests[test as usize] {
            Test::Known(_) | Test::Uniform(_) => return test,
            Test::Compare(a, b, relation) => {
                let [a, b] =
                    [a, b].map(|component| match component.node().or(self.graph.index_of(component)) {
                        Some(id) if variables.contains(&id) => {
                            let copy = self.node(Machine::Mov, 1, &[splat(component.plain())]);
                            Component { neg: component.neg, ..Component::new(Base::Node(copy), 0) }
                        }
                        _ => component,
                    });
                Test::Compare(a, b, relation)
            }
            Test::Not(inner) => Test::Not(self.kept(inner, variables)),
            Test::And(a, b) => Test::And(self.kept(a, variables), self.kept(b, variables)),
            Test::Or(a, b) => Test::Or(self.kept(a, variables), self.kept(b, variables)),
        };
        self.test(kept)
    }

    pub(super) fn block_values(&mut self, insts: &[Inst]) -> Answer<()> {
        for &inst in insts {
            self.inst(inst)?;
        }
        Ok(())
    }

    pub(super) fn loop_frame(&mut self) -> Option<&mut LoopFrame> {
        self.open.iter_mut().rev().find_map(|f| match &mut f.kind {
            Kind::Loop(l) => Some(l),
            _ => None,
        })
    }

    /// What an exit of the innermost loop gives: its results if it is the first one, else they
    /// go to the variables of the first one.
    pub(super) fn loop_results(&mut self, results: Vec<Repr>) {
        let known = self.loop_frame().map(|l| l.results.clone()).unwrap_or_default();
        if known.is_empty() {
            if let Some(l) = self.loop_frame() {
                l.results = results;
            }
            return;
        }
        for (to, from) in known.into_iter().zip(results) {
            if let (Ok((to, n)), Ok((from, _))) = (self.components_of(to), self.components_of(from))
                && to[..usize::from(n)] != from[..usize::from(n)]
                && let Some(variable) = to[0].node()
            {
                self.assign(variable, from);
            }
        }
    }

    pub(super) fn exit(&mut self, inst: Inst, target: Inst) -> Answer<()> {
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
            Kind::Loop(_) => {
                return Err(Diagnostic::mistake("a loop that never repeats has come to selection").into());
            }
        }
        Ok(())
    }

    pub(super) fn continue_(&mut self, inst: Inst) -> Answer<()> {
        let carried = self.args_of(inst)?;
        if let Some(l) = self.loop_frame() {
            l.carried = carried;
        }
        Ok(())
    }

    pub(super) fn repeat(&mut self, inst: Inst) -> Answer<()> {
        let next = self.args_of(inst)?;
        let params = self.loop_frame().map(|l| l.params.clone()).unwrap_or_default();
        self.assign_all(&params, next)
    }

    /// Sets variables at the same time: what one of them held goes out of the way first.
    pub(super) fn assign_all(&mut self, variables: &[Option<Id>], values: Vec<Repr>) -> Answer<()> {
        let mut components = Vec::new();
        for (variable, value) in variables.iter().zip(values) {
            let Some(variable) = variable else { continue };
            let (mut from, n) = self.components_of(value)?;
            // What a variable of these indexes is read before it changes, too.
            let addressed = |component: &Component| {
                self.graph.index_of(*component).is_some_and(|id| variables.contains(&Some(id)))
            };
            let other = |component: &Component| {
                component.node().is_some_and(|id| id != *variable && variables.contains(&Some(id)))
            };
            let moved = from[..usize::from(n)].iter().enumerate().any(|(i, component)| {
                other(component)
                    || addressed(component)
                    || component.node() == Some(*variable) && usize::from(component.part) != i
            });
            if moved {
                let id = self.node(Machine::Mov, n, &[from]);
                from = components_of(Base::Node(id));
            }
            components.push((*variable, from));
        }
        for (variable, from) in components {
            self.assign(variable, from);
        }
        Ok(())
    }
}
