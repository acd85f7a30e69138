//! Bools: comparisons, conditions, selects.
//!
//! A bool is kept as what it tests, and becomes flags where something branches on it, or a
//! number 0 or 1 where something computes with it. One CMP sets two flags, so a condition of
//! up to two comparisons is one instruction; of longer ones, all but the last test are numbers.

use super::state::{Answer, Repr, Select, Test, TestId};
use crate::compile::graph::{Base, Component, Components, Cond, Item, components_of, splat};
use crate::isa::Op as Machine;
use chiaro_ir::{Inst, Op};

/// Relations by their number in CMP (spec section 11).
pub(super) const EQ: u8 = 0;
pub(super) const NE: u8 = 1;
pub(super) const LT: u8 = 2;
pub(super) const LE: u8 = 3;
pub(super) const GT: u8 = 4;
const GE: u8 = 5;

/// Fields of a condition: the operator, and which flags are wanted set.
const OR: u8 = 0;
const AND: u8 = 1;
const X: u8 = 2;
const REF_Y: u8 = 4;
const REF_X: u8 = 8;

/// Two numbers, their relation, and whether it holds where the test does.
type Literal = (Component, Component, u8, bool);

/// A comparison in the direction in which its operands stand in the registers of another one's: `a < x && x < b` is
/// `x > a` beside `x < b`.
fn beside(first: Literal, second: Literal) -> Literal {
    let (a, b, relation, set) = second;
    let mirrored = match relation {
        LT => GT,
        LE => GE,
        GT => LT,
        GE => LE,
        either => either,
    };
    let is_apart = |a: Component, b: Component| match (a.base, b.base) {
        (Base::Node(_), Base::Node(_)) | (Base::Const(_), Base::Const(_)) => false,
        (x, y) => (x, a.neg) != (y, b.neg),
    };
    let apart = |a, b| u8::from(is_apart(first.0, a)) + u8::from(is_apart(first.1, b));
    if apart(b, a) < apart(a, b) { (b, a, mirrored, set) } else { second }
}

impl Select<'_> {
    pub(super) fn test(&mut self, test: Test) -> TestId {
        // Equal tests are one, so that selects by the same condition can share a branch.
        let recent = self.tests.len().saturating_sub(32);
        if let Some(known) = self.tests[recent..].iter().position(|t| *t == test) {
            return (recent + known) as TestId;
        }
        self.tests.push(test);
        self.tests.len() as TestId - 1
    }

    /// The tests of a bool value, one a component.
    fn tests_of(&mut self, inst: Inst, n: usize) -> Answer<([TestId; 4], u8)> {
        let value = self.f.args(inst).get(n).copied().ok_or_else(|| self.unsupported(inst))?;
        match self.repr(value)? {
            Repr::Tests(tests, n) => Ok((tests, n)),
            Repr::Components(components, n) => {
                let zero = Component::constant(0.0);
                Ok((components.map(|component| self.test(Test::Compare(component, zero, NE))), n))
            }
            _ => Err(self.unsupported(inst)),
        }
    }

    /// An operation whose result is a bool, or a vector of them.
    pub(super) fn logic(&mut self, inst: Inst) -> Answer<Repr> {
        let relation = match self.f.op(inst) {
            Op::FEq => EQ,
            Op::FNe => NE,
            Op::FLt | Op::SLt | Op::ULt => LT,
            Op::FLe | Op::SLe | Op::ULe => LE,
            Op::IEq | Op::INe => return self.equality(inst),
            Op::IsNan | Op::IsInf => return self.special(inst),
            _ => return self.connective(inst),
        };
        self.comparison(inst, relation)
    }

    fn comparison(&mut self, inst: Inst, relation: u8) -> Answer<Repr> {
        let (a, n) = self.arg(inst, 0)?;
        let (b, _) = self.arg(inst, 1)?;
        let mut tests = [0; 4];
        for i in 0..usize::from(n) {
            tests[i] = self.test(Test::Compare(a[i], b[i], relation));
        }
        Ok(Repr::Tests(if n == 1 { [tests[0]; 4] } else { tests }, n))
    }

    /// NaN differs from itself; infinity is the largest absolute value.
    fn special(&mut self, inst: Inst) -> Answer<Repr> {
        let (a, n) = self.arg(inst, 0)?;
        let mut tests = [0; 4];
        for i in 0..usize::from(n) {
            tests[i] = if self.f.op(inst) == Op::IsNan {
                self.test(Test::Compare(a[i], a[i], NE))
            } else {
                let size = self.node(Machine::Max, 1, &[splat(a[i]), splat(a[i].negated())]);
                let component = Component::new(Base::Node(size), 0);
                self.test(Test::Compare(component, Component::constant(f32::INFINITY), EQ))
            };
        }
        Ok(Repr::Tests(if n == 1 { [tests[0]; 4] } else { tests }, n))
    }

    fn equality(&mut self, inst: Inst) -> Answer<Repr> {
        let equal = self.f.op(inst) == Op::IEq;
        let bools = self.f.args(inst).first().is_some_and(|&a| self.module.types.is_bool(self.f.ty(a)));
        if !bools {
            return self.comparison(inst, if equal { EQ } else { NE });
        }
        let (a, n) = self.tests_of(inst, 0)?;
        let (b, _) = self.tests_of(inst, 1)?;
        let mut tests = [0; 4];
        for i in 0..4 {
            let (no_a, no_b) = (self.test(Test::Not(a[i])), self.test(Test::Not(b[i])));
            let (x, y) = if equal { (b[i], no_b) } else { (no_b, b[i]) };
            let (both, neither) = (self.test(Test::And(a[i], x)), self.test(Test::And(no_a, y)));
            tests[i] = self.test(Test::Or(both, neither));
        }
        Ok(Repr::Tests(tests, n))
    }

    fn connective(&mut self, inst: Inst) -> Answer<Repr> {
        let op = self.f.op(inst);
        let (a, n) = self.tests_of(inst, 0)?;
        match op {
            Op::Not => Ok(Repr::Tests(a.map(|t| self.test(Test::Not(t))), n)),
            Op::And | Op::Or => {
                let (b, _) = self.tests_of(inst, 1)?;
                let tests = std::array::from_fn(|i| match op {
                    Op::And => self.test(Test::And(a[i], b[i])),
                    _ => self.test(Test::Or(a[i], b[i])),
                });
                Ok(Repr::Tests(tests, n))
            }
            Op::All | Op::Any => {
                let mut all = a[0];
                for &next in &a[1..usize::from(n)] {
                    all = self.test(if op == Op::All { Test::And(all, next) } else { Test::Or(all, next) });
                }
                Ok(Repr::Tests([all; 4], 1))
            }
            _ => Err(self.unsupported(inst)),
        }
    }

    /// Bools as numbers 0 and 1.
    pub(super) fn numbers(&mut self, tests: [TestId; 4], n: u8) -> Components {
        let n = usize::from(n);
        if n > 1
            && let Some(components) = self.compared(&tests[..n])
        {
            return components;
        }
        let mut components = [Component::UNDEF; 4];
        for i in 0..n {
            components[i] = match tests[..i].iter().position(|t| *t == tests[i]) {
                Some(known) => components[known],
                None => self.number(tests[i]),
            };
        }
        if n == 1 { splat(components[0]) } else { components }
    }

    /// Comparisons by one relation, as one instruction where there is one.
    fn compared(&mut self, tests: &[TestId]) -> Option<Components> {
        let (mut a, mut b, mut relation) = ([Component::UNDEF; 4], [Component::UNDEF; 4], None);
        for (i, &test) in tests.iter().enumerate() {
            let Test::Compare(x, y, r) = self.tests[test as usize] else { return None };
            if relation.is_some_and(|known| known != r) {
                return None;
            }
            (a[i], b[i], relation) = (x, y, Some(r));
        }
        let n = tests.len() as u8;
        let id = match relation? {
            LT => self.node(Machine::Slt, n, &[a, b]),
            LE => self.node(Machine::Sge, n, &[b, a]),
            GT => self.node(Machine::Slt, n, &[b, a]),
            GE => self.node(Machine::Sge, n, &[a, b]),
            r => {
                let up = self.node(Machine::Sge, n, &[a, b]);
                let down = self.node(Machine::Sge, n, &[b, a]);
                let of = |id| components_of(Base::Node(id));
                let both = self.node(Machine::Mul, n, &[of(up), of(down)]);
                if r == EQ {
                    both
                } else {
                    let one = splat(Component::constant(1.0));
                    self.node(Machine::Add, n, &[one, of(both).map(Component::negated)])
                }
            }
        };
        let components = components_of(Base::Node(id));
        Some(if n == 1 { splat(components[0]) } else { components })
    }

    fn number(&mut self, test: TestId) -> Component {
        let one = Component::constant(1.0);
        match self.tests[test as usize] {
            Test::Known(set) => Component::constant(if set { 1.0 } else { 0.0 }),
            Test::Compare(..) => self.compared(&[test]).map_or(Component::UNDEF, |components| components[0]),
            Test::Uniform(b) => {
                let variable = self.graph.variable(1);
                let blocks = [1.0, 0.0].map(|value| {
                    let block = self.graph.block();
                    let parts = [Some(Component::constant(value)), None, None, None];
                    self.graph.items_mut(block).push(Item::Assign(variable, parts));
                    block
                });
                let item = Item::If(Cond::Bool(b, false), blocks[0], blocks[1]);
                self.graph.items_mut(self.block).push(item);
                Component::new(Base::Node(variable), 0)
            }
            Test::Not(t) => {
                let a = self.number(t);
                Component::new(Base::Node(self.node(Machine::Add, 1, &[splat(one), splat(a.negated())])), 0)
            }
            Test::And(a, b) => self.joined(Machine::Mul, a, b),
            Test::Or(a, b) => self.joined(Machine::Max, a, b),
        }
    }

    fn joined(&mut self, op: Machine, a: TestId, b: TestId) -> Component {
        let (a, b) = (self.number(a), self.number(b));
        Component::new(Base::Node(self.node(op, 1, &[splat(a), splat(b)])), 0)
    }

    /// What a bool value tests.
    pub(super) fn condition(&mut self, inst: Inst) -> Answer<TestId> {
        Ok(self.tests_of(inst, 0)?.0[0])
    }

    /// The flags for a test that is wanted to be `want`, or the uniform that is it.
    pub(super) fn flags(&mut self, mut test: TestId, mut want: bool) -> Cond {
        while let Test::Not(inner) = self.tests[test as usize] {
            (test, want) = (inner, !want);
        }
        match self.tests[test as usize] {
            Test::Uniform(b) => Cond::Bool(b, !want),
            _ => self.compared_flags(test, want),
        }
    }

    /// The flags for a test, also where it is a boolean uniform: BREAKC knows flags alone, and
    /// BREAK must not stand in an IFU (spec section 12).
    pub(super) fn compared_flags(&mut self, mut test: TestId, mut want: bool) -> Cond {
        while let Test::Not(inner) = self.tests[test as usize] {
            (test, want) = (inner, !want);
        }
        let (pair, either) = match self.tests[test as usize] {
            Test::And(a, b) => ([a, b], !want),
            Test::Or(a, b) => ([a, b], want),
            _ => {
                let (a, b, relation, set) = self.literal(test);
                // CMP reads y whether or not it is asked for; it had better have been written.
                let twice = |l: Component| [l, if l.node().is_some() { l } else { Component::UNDEF }];
                let id = self.compare(twice(a), twice(b), [relation, relation]);
                let x = if set == want { REF_X } else { 0 };
                return Cond::Flags(id, X | REF_Y | x);
            }
        };
        let [x, y] = pair.map(|t| self.literal(t));
        let y = beside(x, y);
        let id = self.compare([x.0, y.0], [x.1, y.1], [x.2, y.2]);
        // Not both is either not.
        let wanted = |set: bool, flag| if set == want { flag } else { 0 };
        let operator = if either { OR } else { AND };
        Cond::Flags(id, operator | wanted(x.3, REF_X) | wanted(y.3, REF_Y))
    }

    /// A comparison that says what a test says, or the opposite.
    fn literal(&mut self, mut test: TestId) -> Literal {
        let mut set = true;
        while let Test::Not(inner) = self.tests[test as usize] {
            (test, set) = (inner, !set);
        }
        match self.tests[test as usize] {
            Test::Compare(a, b, relation) => (a, b, relation, set),
            _ => (self.number(test), Component::constant(0.0), NE, set),
        }
    }

    /// A CMP; it belongs to the construct that tests its flags and stands in no block itself.
    fn compare(
        &mut self,
        a: [Component; 2],
        b: [Component; 2],
        relations: [u8; 2],
    ) -> crate::compile::graph::Id {
        let wide = |[x, y]: [Component; 2]| [x, y, Component::UNDEF, Component::UNDEF];
        let id = self.graph.add(Machine::Cmp, 2, &[wide(a), wide(b)], self.span);
        self.graph.node_mut(id).relations = relations;
        id
    }

    /// One of two values by a bool.
    ///
    /// A branch is exact, and takes as many words as arithmetic where an operand can be computed
    /// inside (two, and none for the move); several selects by one condition share it.
    pub(super) fn select(&mut self, inst: Inst) -> Answer<Repr> {
        let (tests, count) = self.tests_of(inst, 0)?;
        let args = self.f.args(inst).to_vec();
        let (a, b) = (self.repr(args[1])?, self.repr(args[2])?);
        if let (Repr::Tests(a, n), Repr::Tests(b, _)) = (&a, &b) {
            return Ok(self.select_bools(tests, *a, *b, *n));
        }
        let ((a, n), (b, _)) = (self.components_of(a)?, self.components_of(b)?);
        let one_condition = tests[..usize::from(count)].iter().all(|t| *t == tests[0]);
        if let Some(known) = self.masked(tests, count, a, b, n) {
            return Ok(known);
        }
        if one_condition { Ok(self.branch(tests[0], a, b, n)) } else { Ok(self.blend(tests, a, b, n)) }
    }

    fn select_bools(&mut self, tests: [TestId; 4], a: [TestId; 4], b: [TestId; 4], n: u8) -> Repr {
        let pick = |s: &mut Self, i: usize| {
            let not = s.test(Test::Not(tests[i]));
            let (x, y) = (s.test(Test::And(tests[i], a[i])), s.test(Test::And(not, b[i])));
            s.test(Test::Or(x, y))
        };
        Repr::Tests(std::array::from_fn(|i| pick(self, i)), n)
    }

    /// Zeros and ones are the test itself; a zero on the right is a product.
    fn masked(&mut self, tests: [TestId; 4], count: u8, a: Components, b: Components, n: u8) -> Option<Repr> {
        let all = |components: &Components, value: f32| {
            components[..usize::from(n)].iter().all(|l| l.value() == Some(value))
        };
        let finite = |components: &Components| {
            components[..usize::from(n)].iter().all(|l| l.value().is_some_and(f32::is_finite))
        };
        let (tests, kept) = if all(&b, 0.0) {
            (tests, a)
        } else if all(&a, 0.0) {
            (tests.map(|t| self.inverse(t)), b)
        } else {
            return None;
        };
        if !finite(&kept) {
            return None;
        }
        let count = if n > 1 && count == 1 { 1 } else { n };
        let mask = self.numbers(tests, count);
        if all(&kept, 1.0) {
            return Some(Repr::Components(mask, n));
        }
        Some(self.each(Machine::Mul, n, &[mask, kept]))
    }

    /// The opposite test; a comparison that knows no NaN by its own relation stays a `Not`.
    fn inverse(&mut self, test: TestId) -> TestId {
        match self.tests[test as usize] {
            Test::Not(inner) => inner,
            _ => self.test(Test::Not(test)),
        }
    }

    /// A branch that sets a variable.
    fn branch(&mut self, test: TestId, a: Components, b: Components, n: u8) -> Repr {
        let variable = self.graph.variable(n);
        let blocks = self.select_blocks(test, &[a, b]);
        for (block, from) in blocks.into_iter().zip([a, b]) {
            let mut parts = from.map(Some);
            parts[usize::from(n)..].fill(None);
            self.graph.items_mut(block).push(Item::Assign(variable, parts));
        }
        let base = Base::Node(variable);
        Repr::Components(if n == 1 { splat(Component::new(base, 0)) } else { components_of(base) }, n)
    }

    /// The blocks of a branch by a test: those of the last select if that had the same test and
    /// came after everything that this one reads.
    fn select_blocks(&mut self, test: TestId, read: &[Components]) -> [crate::compile::graph::Block; 2] {
        if let Some((known, blocks, before)) = self.last_select
            && known == test
            && read.iter().flatten().all(|component| component.node().is_none_or(|id| id < before))
        {
            return blocks;
        }
        let before = self.graph.nodes.len() as u32;
        let cond = self.flags(test, true);
        let blocks = [self.graph.block(), self.graph.block()];
        self.graph.items_mut(self.block).push(Item::If(cond, blocks[0], blocks[1]));
        self.last_select = Some((test, blocks, before));
        blocks
    }

    /// A choice component by component: a mask, its opposite, and a sum of products.
    fn blend(&mut self, tests: [TestId; 4], a: Components, b: Components, n: u8) -> Repr {
        let mask = self.numbers(tests, n);
        let one = splat(Component::constant(1.0));
        let Repr::Components(rest, _) = self.each(Machine::Add, n, &[one, mask.map(Component::negated)])
        else {
            return Repr::None;
        };
        let Repr::Components(first, _) = self.each(Machine::Mul, n, &[mask, a]) else { return Repr::None };
        self.each(Machine::Mad, n, &[rest, b, first])
    }
}
