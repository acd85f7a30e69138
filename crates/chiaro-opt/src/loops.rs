//! Loop analysis: which exits lead where, and which loops count.

use chiaro_ir::{Constants, Def, Function, Inst, Op, Value, Walk};
use rustc_hash::FxHashMap;

/// Whether a function ever had a loop: mostly the look is shorter than a walk.
pub(crate) fn has_loops(f: &Function) -> bool {
    !f.is_straight() && (0..f.inst_count() as u32).any(|n| f.op(Inst(n)) == Op::Loop)
}

/// The exits that name a construct, in the order of the text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edges {
    pub(crate) exits: Vec<Inst>,
    pub(crate) continues: Vec<Inst>,
    pub(crate) repeats: Vec<Inst>,
}

/// The exits of every construct that has some.
pub(crate) fn edges(f: &Function) -> FxHashMap<Inst, Edges> {
    let mut all: FxHashMap<Inst, Edges> = FxHashMap::default();
    for inst in Walk::insts(f) {
        let Some(target) = f.op(inst).target() else { continue };
        let edges = all.entry(target).or_default();
        match f.op(inst) {
            Op::Exit(_) => edges.exits.push(inst),
            Op::Continue(_) => edges.continues.push(inst),
            _ => edges.repeats.push(inst),
        }
    }
    all
}

/// A parameter of a loop's body that goes up from a constant by a constant until it meets another
/// one: it lies within these numbers, both included, wherever the body sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Counter {
    pub(crate) param: Value,
    pub(crate) low: i64,
    pub(crate) high: i64,
}

/// The counters of a function's loops.
pub(crate) fn counters(f: &Function, constants: &Constants) -> Vec<Counter> {
    let mut found = Vec::new();
    if !has_loops(f) {
        return found;
    }
    for (inst, edges) in edges(f) {
        let (Op::Loop, &[body, _]) = (f.op(inst), f.blocks_of(inst)) else { continue };
        for (i, &param) in f.block(body).params.iter().enumerate() {
            found.extend(Look { f, constants, inst, edges: &edges }.counter(i, param));
        }
    }
    found
}

struct Look<'a> {
    f: &'a Function,
    constants: &'a Constants,
    inst: Inst,
    edges: &'a Edges,
}

impl Look<'_> {
    fn counter(&self, i: usize, param: Value) -> Option<Counter> {
        let low = self.int(*self.f.args(self.inst).get(i)?)?;
        let step = self.step(i, param)?;
        let body = *self.f.blocks_of(self.inst).first()?;
        let bound = self.f.block(body).insts.iter().find_map(|&inst| self.bound(inst, param))?;
        // The last round that goes on had one below the bound; none wraps.
        let high = low.max(bound.checked_sub(1)?.checked_add(step)?);
        (high <= i64::from(i32::MAX)).then_some(Counter { param, low, high })
    }

    /// A 32-bit constant as a signed number.
    fn int(&self, v: Value) -> Option<i64> {
        let Def::Constant(c) = self.f.def(v) else { return None };
        Some(i64::from(self.constants.bits(c).and_then(|bits| u32::try_from(bits).ok())? as i32))
    }

    /// By what every round raises a parameter.
    fn step(&self, i: usize, param: Value) -> Option<i64> {
        let repeat = one(self.edges.repeats.iter().map(|&inst| self.f.args(inst).get(i).copied()))??;
        let (x, step) = self.sum(self.origin(repeat))?;
        let x = self.origin(x);
        (x == param && step > 0).then_some(step)
    }

    /// A sum with a constant.
    fn sum(&self, v: Value) -> Option<(Value, i64)> {
        let Def::Result(inst, _) = self.f.def(v) else { return None };
        let (Op::IAdd, &[a, b]) = (self.f.op(inst), self.f.args(inst)) else { return None };
        self.int(b).map(|n| (a, n)).or_else(|| self.int(a).map(|n| (b, n)))
    }

    /// What a parameter of the continuing block stands for, if all roads bring the same.
    fn origin(&self, v: Value) -> Value {
        let Def::BlockParam(block, i) = self.f.def(v) else { return v };
        if self.f.blocks_of(self.inst).get(1) != Some(&block) {
            return v;
        }
        let brought = self.edges.continues.iter().map(|&inst| self.f.args(inst).get(i as usize).copied());
        one(brought).flatten().unwrap_or(v)
    }

    /// What the parameter is below wherever the body goes on behind an `if`.
    fn bound(&self, inst: Inst, param: Value) -> Option<i64> {
        let (Op::If, &[then, otherwise]) = (self.f.op(inst), self.f.blocks_of(inst)) else { return None };
        let Def::Result(test, _) = self.f.def(*self.f.args(inst).first()?) else { return None };
        let &[a, b] = self.f.args(test) else { return None };
        let leaves = |block| {
            let first = self.f.block(block).insts.first();
            first.is_some_and(|&first| self.f.op(first) == Op::Exit(self.inst))
        };
        match (self.f.op(test), leaves(then), leaves(otherwise)) {
            (Op::SLt, _, true) if a == param => self.int(b),
            (Op::SLe, _, true) if a == param => self.int(b)?.checked_add(1),
            (Op::SLe, true, _) if b == param => self.int(a),
            (Op::SLt, true, _) if b == param => self.int(a)?.checked_add(1),
            _ => None,
        }
    }
}

/// The item that all of some are.
fn one<T: PartialEq>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.all(|item| item == first).then_some(first)
}
