//! Loops counted by a float get an integer counter, which LOOP can serve.
//!
//! `for (float i = 0.0; i < 4.0; i += 1.0)` is how shaders of the first ES count. Where start, step and end
//! are whole numbers of a byte, float24 counts exactly as an integer does:
//!
//! ```text
//! loop(0.0) [%p] {                         loop(0.0, 0) [%p, %i] {
//!   if (flt %p, 4.0) { exit @if } ...        if (slt %i, 4) { exit @if } ...
//!   access @u, (ftos %p)                     access @u, %i
//! } continuing [%q] {                      } continuing [%q, %j] {
//!   repeat (fadd %q, 1.0)                    repeat (fadd %q, 1.0), (iadd %j, 1)
//! ```
//!
//! The float stays for what computes with it; dead code elimination takes it away where nothing does.
//! Must run before [`counters()`](super::counters()).

use chiaro_ir::{Block, Def, Forward, Function, FunctionRef, Inst, Module, Op, Step, Type, Value, Walk};
use chiaro_opt::lower::number;
use chiaro_opt::{Changed, Cx};

use super::counters::{Bound, Relation, continues, extend, first_construct, left_by, loops, stepped};

/// Gives loops that count in floats an integer counter.
pub fn float_counters(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let mut changed = false;
    for inst in loops(module.function(f)) {
        if let Some(counter) = FloatCounter::of(module, module.function(f), inst) {
            counter.count_in_integers(module, f);
            changed = true;
        }
    }
    changed.into()
}

/// A float that counts a loop.
struct FloatCounter {
    inst: Inst,
    body: Block,
    continuing: Block,
    /// Its places among the parameters of both.
    param: usize,
    carried: usize,
    start: u8,
    step: u8,
    test: Inst,
    relation: Relation,
    bound: u8,
}

impl FloatCounter {
    fn of(module: &Module, f: &Function, inst: Inst) -> Option<FloatCounter> {
        let &[body, continuing] = f.blocks_of(inst) else { return None };
        let test = first_construct(f, body)?;
        let stays_if = left_by(f, inst, test)?;
        let (param, bound, relation) = compared(module, f, f.args(test).first().copied()?, body)?;
        let start = byte(module, f, *f.args(inst).get(param)?)?;
        let (carried, step) = stepped(f, inst, param, Op::FAdd, |v| byte(module, f, v))?;
        if step == 0 {
            return None;
        }
        relation.rounds(bound.into(), stays_if, start, step)?;
        Some(FloatCounter { inst, body, continuing, param, carried, start, step, test, relation, bound })
    }

    fn count_in_integers(&self, module: &mut Module, f: FunctionRef) {
        let ty = module.types.intern(Type::Int(32));
        let bool = module.types.intern(Type::Bool);
        let [start, step, bound] = [self.start, self.step, self.bound].map(|n| module.scalar(ty, n.into()));
        let f = module.function_mut(f);
        let [start, step, bound] = [start, step, bound].map(|c| f.constant(c, ty));
        let floats = [f.block(self.body).params[self.param], f.block(self.continuing).params[self.carried]];
        let counters = [f.add_param(self.body, ty), f.add_param(self.continuing, ty)];
        extend(f, self.inst, start);
        continues(f, self.inst).into_iter().for_each(|at| extend(f, at, counters[0]));
        let add = f.make(Op::IAdd, &[counters[1], step], &[ty]);
        f.block_mut(self.continuing).insts.insert(0, add);
        if let (Some(&repeat), Some(next)) = (f.block(self.continuing).insts.last(), f.result_of(add)) {
            extend(f, repeat, next);
        }
        let operands = if self.relation.swapped { [bound, counters[0]] } else { [counters[0], bound] };
        let compare = f.make(self.relation.op, &operands, &[bool]);
        let insts = &mut f.block_mut(self.body).insts;
        let at = insts.iter().position(|&inst| inst == self.test).unwrap_or(0);
        insts.insert(at, compare);
        if let Some(condition) = f.result_of(compare) {
            f.set_args(self.test, &[condition]);
        }
        indices(f, floats, counters);
    }
}

/// The counter as an integer is the integer counter.
fn indices(f: &mut Function, floats: [Value; 2], counters: [Value; 2]) {
    let mut forward = Forward::new();
    for step in Walk::new(f) {
        if let Step::Inst(inst) = step
            && matches!(f.op(inst), Op::FToS | Op::FToU)
            && let Some(which) = floats.iter().position(|float| f.args(inst) == [*float])
            && let Some(result) = f.result_of(inst)
            && f.ty(result) == f.ty(counters[which])
        {
            forward.set(result, counters[which]);
        }
    }
    forward.apply(f);
}

/// The parameter of `body` that a condition compares with a whole number, and how, as integers are compared.
fn compared(module: &Module, f: &Function, condition: Value, body: Block) -> Option<(usize, u8, Relation)> {
    let Def::Result(inst, _) = f.def(condition) else { return None };
    let op = match f.op(inst) {
        Op::FLt => Op::SLt,
        Op::FLe => Op::SLe,
        Op::FEq => Op::IEq,
        Op::FNe => Op::INe,
        _ => return None,
    };
    let &[a, b] = f.args(inst) else { return None };
    let place = |v| f.block(body).params.iter().position(|&p| p == v);
    let (param, other, swapped) = match (place(a), place(b)) {
        (Some(param), None) => (param, b, false),
        (None, Some(param)) => (param, a, true),
        _ => return None,
    };
    let bound = byte(module, f, other)?;
    Some((param, bound, Relation { op, bound: Bound::Constant(bound.into()), swapped }))
}

/// A float constant that is a whole number of a byte.
fn byte(module: &Module, f: &Function, v: Value) -> Option<u8> {
    let Def::Constant(c) = f.def(v) else { return None };
    let x = number(module, c).filter(|_| module.types.is_float(f.ty(v)))?;
    let whole = x as u8;
    (f64::from(whole) == x).then_some(whole)
}
