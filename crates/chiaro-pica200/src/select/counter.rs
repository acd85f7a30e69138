//! Which loops LOOP can run: a counter that starts at a constant, goes on by a constant, and is
//! compared with a constant at the head of the body.

use super::{Answer, Repr, Select};
use chiaro_ir::{Block, Def, Inst, Op, Value};

/// Iterations that LOOP can make.
const MOST: u32 = 256;

/// A loop whose number of iterations is known.
pub(super) struct Counted {
    /// Which parameter of the body counts.
    pub(super) param: usize,
    /// The `if` that leaves the loop by the counter.
    pub(super) head: Inst,
    /// Iterations, 1 to 256.
    pub(super) count: u32,
    pub(super) start: i64,
    pub(super) step: i64,
}

impl Select<'_> {
    /// The counter of a loop, if it has one.
    pub(super) fn counted(&self, inst: Inst, body: Block, continuing: Block) -> Option<Counted> {
        let head = self.head(inst, body)?;
        let (cond, stays) = self.head_condition(inst, head)?;
        let (relation, a, b) = self.comparison_of(cond)?;
        let params = &self.f.block(body).params;
        let counter = |v: Value| params.iter().position(|p| *p == v);
        let (param, limit, flipped) = match (counter(a), counter(b)) {
            (Some(p), None) => (p, self.integer(b)?, false),
            (None, Some(p)) => (p, self.integer(a)?, true),
            _ => return None,
        };
        let start = self.integer(*self.f.args(inst).get(param)?)?;
        let step = self.step_of(body, continuing, param)?;
        let goes_on = |i: i64| {
            let (x, y) = if flipped { (limit, i) } else { (i, limit) };
            let holds = match relation {
                Op::SLt | Op::ULt => x < y,
                Op::SLe | Op::ULe => x <= y,
                Op::IEq => x == y,
                _ => x != y,
            };
            holds == stays
        };
        let count = (0..=MOST).take_while(|k| goes_on(start + i64::from(*k) * step)).count() as u32;
        (1..=MOST).contains(&count).then_some(Counted { param, head, count, start, step })
    }

    /// The first construct of the body, if everything before it is pure.
    fn head(&self, inst: Inst, body: Block) -> Option<Inst> {
        let insts = &self.f.block(body).insts;
        let first = insts.iter().copied().find(|&i| !self.f.op(i).is_removable())?;
        let leaves = |&block: &Block| {
            let last = self.f.block(block).insts.last();
            last.is_some_and(|&last| self.f.op(last) == Op::Exit(inst))
        };
        (self.f.op(first) == Op::If && self.f.blocks_of(first).iter().any(leaves)).then_some(first)
    }

    /// The condition of the head, and what it is where the loop goes on.
    fn head_condition(&self, inst: Inst, head: Inst) -> Option<(Value, bool)> {
        let then = *self.f.blocks_of(head).first()?;
        let leaves = self.f.block(then).insts.last().is_some_and(|&l| self.f.op(l) == Op::Exit(inst));
        let (mut cond, mut stays) = (*self.f.args(head).first()?, !leaves);
        while let Def::Result(i, 0) = self.f.def(cond)
            && self.f.op(i) == Op::Not
        {
            (cond, stays) = (*self.f.args(i).first()?, !stays);
        }
        Some((cond, stays))
    }

    fn comparison_of(&self, cond: Value) -> Option<(Op, Value, Value)> {
        let Def::Result(i, 0) = self.f.def(cond) else { return None };
        let op = self.f.op(i);
        let [a, b] = self.f.args(i)[..] else { return None };
        matches!(op, Op::SLt | Op::SLe | Op::ULt | Op::ULe | Op::IEq | Op::INe).then_some((op, a, b))
    }

    /// A constant integer, with its sign.
    fn integer(&self, value: Value) -> Option<i64> {
        let Def::Constant(c) = self.f.def(value) else { return None };
        let ty = self.f.ty(value);
        let bits = self.module.constants.bits(c)?;
        let width = u32::from(self.module.types.bits(ty)?);
        self.module.types.is_int(ty).then(|| (bits << (64 - width)) as i64 >> (64 - width))
    }

    /// By how much a parameter grows each time.
    fn step_of(&self, body: Block, continuing: Block, param: usize) -> Option<i64> {
        let counter = *self.f.block(body).params.get(param)?;
        let repeat = *self.f.block(continuing).insts.last()?;
        let next = self.carried(body, continuing, *self.f.args(repeat).get(param)?)?;
        let Def::Result(add, 0) = self.f.def(next) else { return None };
        let [a, b] = self.f.args(add)[..] else { return None };
        let (a, b) = (self.carried(body, continuing, a)?, self.carried(body, continuing, b)?);
        match self.f.op(add) {
            Op::IAdd if a == counter => self.integer(b),
            Op::IAdd if b == counter => self.integer(a),
            Op::ISub if a == counter => self.integer(b).map(|n| -n),
            _ => None,
        }
    }

    /// What a value of the continuing block is in the body, if the body continues once.
    fn carried(&self, body: Block, continuing: Block, value: Value) -> Option<Value> {
        let Some(n) = self.f.block(continuing).params.iter().position(|p| *p == value) else {
            return Some(value);
        };
        let last = *self.f.block(body).insts.last()?;
        match self.f.op(last) {
            Op::Continue(_) => self.f.args(last).get(n).copied(),
            _ => None,
        }
    }

    /// Arithmetic that keeps a counter a counter.
    pub(super) fn counter_arithmetic(&mut self, inst: Inst) -> Answer<Option<Repr>> {
        let op = self.f.op(inst);
        if !matches!(op, Op::IAdd | Op::ISub | Op::IMul) {
            return Ok(None);
        }
        let [a, b] = self.f.args(inst)[..] else { return Ok(None) };
        let (a, b, swapped) = match (self.integer(a), self.integer(b)) {
            (None, Some(n)) => (a, n, false),
            (Some(n), None) => (b, n, true),
            _ => return Ok(None),
        };
        let Repr::Counter(l, factor, term) = self.repr(a)? else { return Ok(None) };
        let Ok(n) = i32::try_from(b) else { return Ok(None) };
        let (factor, term) = match op {
            Op::IAdd => (Some(factor), term.checked_add(n)),
            Op::ISub if !swapped => (Some(factor), term.checked_sub(n)),
            Op::IMul => (factor.checked_mul(n), term.checked_mul(n)),
            _ => return Ok(None),
        };
        Ok(factor.zip(term).map(|(factor, term)| Repr::Counter(l, factor, term)))
    }
}
