//! Induction variables: numbers of registers that step along with the counter of a loop.
//!
//! A counter that names vertices is multiplied by the registers of one. Where the counter goes on
//! by a constant, so does the product: both are components of one value, and one addition does for
//! both.
//!
//! ```text
//! loop (%i: f32 = 2.0) {                      loop (%v: vec2<f32> = (2.0, 2.0)) {
//!   ftos (%i - 1) * 2                           ftos %v.y
//!   ftos %i * 2                                 (ftos %v.y) + 2
//!   repeat %i + 1.0                             repeat %v + (1.0, 2.0)
//! ```
//!
//! The least of the numbers is the one that is counted: what is added to it is never below zero,
//! as the words have it. True before and after: IR is legal.

use std::collections::HashMap;

use chiaro_ir::{
    Block, ConstantKind, Def, Forward, Function, FunctionRef, Inst, Module, Op, Step, Type, Value, Walk,
};
use chiaro_opt::{Changed, Cx};

/// Gives counters of loops that name registers a second component.
pub(crate) fn indices(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let loops: Vec<Inst> = Walk::new(module.function(f))
        .filter_map(|step| match step {
            Step::Inst(inst) if module.function(f).op(inst) == Op::Loop => Some(inst),
            _ => None,
        })
        .collect();
    let mut changed = Changed::No;
    for inst in loops {
        let found = (0..module.function(f).args(inst).len())
            .find_map(|number| Counter::of(module, module.function(f), inst, number));
        if let Some(counter) = found {
            counter.widen(module, f);
            changed = Changed::Yes;
        }
    }
    changed
}

/// A counter and what is made of it: `factor * counter + term`, taken as an index.
struct Counter {
    looping: Inst,
    body: Block,
    continuing: Block,
    /// Its number among the parameters of the body, and of the continuing block.
    numbers: [usize; 2],
    start: f32,
    step: f32,
    factor: f32,
    /// The least term.
    least: f32,
    /// Conversions to integers with their terms.
    indices: Vec<(Inst, f32)>,
}

impl Counter {
    /// A parameter of a loop that goes on by a constant, if indices are multiples of it.
    fn of(module: &Module, f: &Function, looping: Inst, number: usize) -> Option<Counter> {
        let [body, continuing] = *f.blocks_of(looping) else { return None };
        let param = *f.block(body).params.get(number)?;
        let start = constant(module, f, *f.args(looping).get(number)?)?;
        let repeat = *f.block(continuing).insts.last()?;
        let next = *f.args(repeat).get(number).filter(|_| f.op(repeat) == Op::Repeat(looping))?;
        let Def::Result(add, 0) = f.def(next) else { return None };
        let (Op::FAdd, &[carried, by]) = (f.op(add), f.args(add)) else { return None };
        let step = constant(module, f, by)?;
        let passed = f.block(continuing).params.iter().position(|&p| p == carried)?;
        let goes_on =
            |inst: Inst| f.op(inst) != Op::Continue(looping) || f.args(inst).get(passed) == Some(&param);
        let insts: Vec<Inst> = Walk::insts(f).collect();
        if !insts.iter().all(|&inst| goes_on(inst)) {
            return None;
        }
        let all = products(module, f, &insts, param);
        let factor = all.first()?.1;
        let indices: Vec<(Inst, f32)> =
            all.iter().filter(|(_, by, _)| *by == factor).map(|&(inst, _, term)| (inst, term)).collect();
        let least = indices.iter().map(|(_, term)| *term).fold(f32::INFINITY, f32::min);
        // One index that is the counter itself needs nothing.
        let needless = factor == 1.0 && indices.iter().all(|(_, term)| *term == 0.0);
        (!needless).then_some(Counter {
            looping,
            body,
            continuing,
            numbers: [number, passed],
            start,
            step,
            factor,
            least,
            indices,
        })
    }

    fn widen(&self, module: &mut Module, f: FunctionRef) {
        let float = module.types.intern(Type::Float(32));
        let (pair, int) = (module.types.intern(Type::Vector(float, 2)), module.types.intern(Type::Int(32)));
        let [start, step] =
            [[self.start, self.start * self.factor + self.least], [self.step, self.step * self.factor]].map(
                |numbers| {
                    let parts = numbers.map(|n| module.scalar(float, n.to_bits().into()));
                    module.constants.intern(pair, ConstantKind::Composite(parts.to_vec()))
                },
            );
        let more: Vec<u32> = self.indices.iter().map(|(_, term)| (term - self.least) as u32).collect();
        let added = self.additions(module, module.function(f));
        let numbers = |n: u32, module: &mut Module| module.scalar(int, n.into());
        let plain: Vec<_> = more.iter().map(|&n| numbers(n, module)).collect();
        let sums: Vec<_> =
            added.iter().map(|&(_, at, n)| numbers(more[at].wrapping_add(n), module)).collect();
        let f = module.function_mut(f);
        let [start, step] = [start, step].map(|c| f.constant(c, pair));
        let mut forward = Forward::new();
        let [outer, inner] =
            [(self.body, self.numbers[0]), (self.continuing, self.numbers[1])].map(|(block, k)| {
                let old = f.block(block).params[k];
                let new = f.add_param(block, pair);
                let first = f.block(block).insts[0];
                let single = f.insert_before(block, first, Op::Extract(0), &[new], &[float]);
                forward.set(old, f.result(single, 0).unwrap_or(new));
                (old, new)
            });
        // The index as an integer, at the head of the body.
        let at = f.block(self.body).insts[0];
        let count = f.insert_before(self.body, at, Op::Extract(1), &[outer.1], &[float]);
        let count = f.result(count, 0).unwrap_or(outer.0);
        let count = f.insert_before(self.body, at, Op::FToS, &[count], &[int]);
        let count = f.result(count, 0).unwrap_or(outer.0);
        for (&(inst, _, _), sum) in added.iter().zip(sums) {
            let sum = f.constant(sum, int);
            f.set_args(inst, &[count, sum]);
        }
        for (&(inst, term), plain) in self.indices.iter().zip(plain) {
            let Some(old) = f.result_of(inst) else { continue };
            if term == self.least {
                forward.set(old, count);
            } else {
                let plain = f.constant(plain, int);
                f.replace(inst, Op::IAdd, &[count, plain]);
            }
        }
        self.pass_on(f, outer.1, inner.1, start, step);
        let _ = forward.apply(f);
    }

    /// Sums of an index and a constant: the instruction, which index, and the constant.
    fn additions(&self, module: &Module, f: &Function) -> Vec<(Inst, usize, u32)> {
        let of = |inst: Inst| {
            let &[a, b] = f.args(inst) else { return None };
            let at = self.indices.iter().position(|(index, _)| f.result_of(*index) == Some(a))?;
            let Def::Constant(c) = f.def(b) else { return None };
            Some((inst, at, module.constants.bits(c)? as u32))
        };
        Walk::new(f)
            .filter_map(|step| match step {
                Step::Inst(inst) if f.op(inst) == Op::IAdd => of(inst),
                _ => None,
            })
            .collect()
    }

    /// Start, turns and steps carry the pair in place of the counter.
    fn pass_on(&self, f: &mut Function, outer: Value, inner: Value, start: Value, step: Value) {
        let [number, passed] = self.numbers;
        f.push_args(self.looping, &[start]);
        f.retain_args(self.looping, |i| i != number);
        f.retain_params(self.body, |i| i != number);
        f.retain_params(self.continuing, |i| i != passed);
        let going_on: Vec<Inst> = Walk::new(f)
            .filter_map(|at| match at {
                Step::Inst(inst) if f.op(inst) == Op::Continue(self.looping) => Some(inst),
                _ => None,
            })
            .collect();
        for inst in going_on {
            f.push_args(inst, &[outer]);
            f.retain_args(inst, |i| i != passed);
        }
        let Some(&repeat) = f.block(self.continuing).insts.last() else { return };
        let ty = f.ty(inner);
        let next = f.insert_before(self.continuing, repeat, Op::FAdd, &[inner, step], &[ty]);
        if let Some(next) = f.result(next, 0) {
            f.push_args(repeat, &[next]);
            f.retain_args(repeat, |i| i != number);
        }
    }
}

/// A finite number that is constant.
fn constant(module: &Module, f: &Function, value: Value) -> Option<f32> {
    let Def::Constant(c) = f.def(value) else { return None };
    if !module.types.is_float(f.ty(value)) || module.types.components(f.ty(value)) != 1 {
        return None;
    }
    let number = f32::from_bits(module.constants.bits(c)? as u32);
    (number.fract() == 0.0 && number.abs() < 1024.0).then_some(number)
}

/// Conversions of `factor * param + term` to integers, in the order of the text.
fn products(module: &Module, f: &Function, insts: &[Inst], param: Value) -> Vec<(Inst, f32, f32)> {
    let mut known: HashMap<Value, (f32, f32)> = HashMap::from([(param, (1.0, 0.0))]);
    let mut found = Vec::new();
    for &inst in insts {
        let Some(&first) = f.args(inst).first() else { continue };
        let Some(&(factor, term)) = known.get(&first) else { continue };
        let by = f.args(inst).get(1).and_then(|&by| constant(module, f, by));
        let new = match (f.op(inst), by) {
            (Op::FToS, _) => {
                found.push((inst, factor, term));
                continue;
            }
            (Op::FAdd, Some(by)) => (factor, term + by),
            (Op::FSub, Some(by)) => (factor, term - by),
            (Op::FMul, Some(by)) => (factor * by, term * by),
            _ => continue,
        };
        known.extend(f.result_of(inst).map(|v| (v, new)));
    }
    found
}
