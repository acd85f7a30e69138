//! Loops that LOOP can serve, and their counters.
//!
//! LOOP counts from an unsigned byte in steps of one, up to 256 rounds, and its counter aL is
//! good for nothing but an index (spec sections 3 and 12). How often, is in an integer register:
//! of the program's own, or of the application for a loop that counts to an integer uniform.
//! [`counted`] says which loops are such; [`counters`] gives them a counter that is used for nothing else:
//!
//! ```text
//! loop(0) [%p] {                          loop(0, 0) [%p, %x] {
//!   if (slt %p, 4) { exit @if } ...         if (slt %p, 4) { exit @if } ...
//!   access @u, %p                           access @u, %p
//!   stof %p                                 stof %x
//! ```
//!
//! Integers become floats afterwards; such counters alone stay what they are.

use std::collections::HashSet;

use crate::abi::{Place, VERTICES};
use chiaro_ir::{Block, Def, Function, FunctionRef, GlobalRef, Inst, Module, Op, Space, Step, Value, Walk};
use chiaro_opt::{Changed, Cx};

use super::dynamic::is_indexable;
use super::parts::{constant, part};

/// A loop that LOOP can serve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counted {
    /// The parameter of the body that counts: its place among the parameters.
    pub param: usize,
    /// The one that aL is, which may be another one, or none.
    pub index: Option<usize>,
    /// Its value at the start, if that is known.
    pub start: u8,
    /// What each round adds, likewise.
    pub step: u8,
    /// How often the body runs past the test.
    pub rounds: Rounds,
    /// The `if` that leaves the loop at the end of counting.
    pub test: Inst,
}

/// How often a loop runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounds {
    /// 1 to 256 times. [spec section 12]
    Known(u16),
    /// As an integer uniform says, an instruction that loads it, minus the start, and one more
    /// where the loop includes its end.
    Uniform(Inst, bool),
    /// One more than the x of four integers says, from 0; aL starts at their y and goes on by their z.
    Register(Value),
}

/// Whether LOOP can serve a loop: its counter is an integer, start, step and end are constants
/// of the machine's range, or the end is a uniform, and its body begins with the test.
#[must_use]
pub fn counted(module: &Module, f: &Function, inst: Inst) -> Option<Counted> {
    let &[body, _] = f.blocks_of(inst) else { return None };
    let test = first_construct(f, body)?;
    let stays_if = left_by(f, inst, test)?;
    let (param, relation) = compared(module, f, f.args(test).first().copied()?, body)?;
    let start = whole(module, f, *f.args(inst).get(param)?)?;
    let (_, step) = stepped(f, inst, param, Op::IAdd, |v| whole(module, f, v))?;
    let own = Counted { param, index: Some(param), start, step, rounds: Rounds::Known(1), test };
    Some(match relation.bound {
        Bound::Constant(bound) => {
            let rounds = Rounds::Known(relation.rounds(bound, stays_if, start, step)?);
            other_index(module, f, inst, Counted { rounds, ..own })
        }
        Bound::Uniform(load) => {
            let rounds = Rounds::Uniform(load, relation.includes_end(stays_if, step)?);
            Counted { rounds, ..own }
        }
        Bound::Part(x) => {
            let (place, component) = part(module, f, x)?;
            let is_count = (start, step, component) == (0, 1, 0) && relation.includes_end(stays_if, step)?;
            let index = by_register(module, f, inst, &place);
            is_count.then_some(Counted { rounds: Rounds::Register(x), index, ..own })?
        }
    })
}

/// The parameter that aL is, if an integer register runs a loop that counts rounds from 0 up to its x: it
/// starts at y, z is added, and it is an index alone.
fn by_register(module: &Module, f: &Function, inst: Inst, place: &Place) -> Option<usize> {
    let is =
        |v: Value, component| part(module, f, v).is_some_and(|found| found == (place.clone(), component));
    let &[body, _] = f.blocks_of(inst) else { return None };
    (0..f.block(body).params.len()).find(|&param| {
        let Some((carried, by)) = added(f, inst, param, Op::IAdd) else { return false };
        let starts = f.args(inst).get(param).is_some_and(|&v| is(v, 1));
        let chain = Chain::new(f, inst, param, carried);
        starts && is(by, 2) && chain.is_some_and(|chain| chain.other_uses(module, f, inst, true).is_empty())
    })
}

/// Where the counter itself is no index, another parameter may be, from a constant by a constant.
fn other_index(module: &Module, f: &Function, inst: Inst, counted: Counted) -> Counted {
    let uses = |chain: &Chain, is_for_index| chain.other_uses(module, f, inst, is_for_index).len();
    let is_index = |chain: Chain| uses(&chain, true) < uses(&chain, false);
    let &[body, _] = f.blocks_of(inst) else { return counted };
    if Chain::of(f, inst, counted).is_none_or(is_index) {
        return counted;
    }
    let other = (0..f.block(body).params.len()).filter(|&param| param != counted.param).find_map(|param| {
        let start = whole(module, f, *f.args(inst).get(param)?)?;
        let (carried, step) = stepped(f, inst, param, Op::IAdd, |v| whole(module, f, v))?;
        let chain = Chain::new(f, inst, param, carried)?;
        let is_index = uses(&chain, true) == 0 && uses(&chain, false) > 0;
        is_index.then_some(Counted { index: Some(param), start, step, ..counted })
    });
    other.unwrap_or(counted)
}

/// What stays an integer of a function: counters that LOOP serves, their next values and tests.
pub(super) fn integers(module: &Module, f: &Function) -> HashSet<Value> {
    let mut kept = HashSet::new();
    for step in Walk::new(f) {
        if let Step::Inst(inst) = step
            && f.op(inst) == Op::Loop
            && let Some(counted) = counted(module, f, inst)
            && let &[body, continuing] = f.blocks_of(inst)
        {
            for param in [counted.param].into_iter().chain(counted.index) {
                kept.insert(f.block(body).params[param]);
                kept.extend(carried(f, continuing, param));
            }
            kept.extend(f.args(counted.test).first());
        }
    }
    kept
}

/// The counter as a loop's continuing block has it, and its next value.
fn carried(f: &Function, continuing: Block, param: usize) -> Vec<Value> {
    let Some(next) = f.block(continuing).insts.last().and_then(|&repeat| f.args(repeat).get(param)) else {
        return Vec::new();
    };
    let Def::Result(add, _) = f.def(*next) else { return Vec::new() };
    let params = &f.block(continuing).params;
    f.args(add).iter().copied().filter(|v| params.contains(v)).chain([*next]).collect()
}

/// The first construct of a block, if nothing before it has an effect.
pub(super) fn first_construct(f: &Function, block: Block) -> Option<Inst> {
    let first = f.block(block).insts.iter().find(|&&inst| !f.op(inst).is_removable())?;
    (f.op(*first) == Op::If).then_some(*first)
}

/// Which outcome of a test stays in a loop, where the other one leaves it and neither does more.
pub(super) fn left_by(f: &Function, inst: Inst, test: Inst) -> Option<bool> {
    let [then, otherwise] = *f.blocks_of(test) else { return None };
    match (only_exit(f, then)?, only_exit(f, otherwise)?) {
        (Op::Exit(a), Op::Exit(b)) if a == test && b == inst => Some(true),
        (Op::Exit(a), Op::Exit(b)) if a == inst && b == test => Some(false),
        _ => None,
    }
}

/// The exit that is all that a block holds.
pub(super) fn only_exit(f: &Function, block: Block) -> Option<Op> {
    match *f.block(block).insts {
        [exit] => Some(f.op(exit)),
        _ => None,
    }
}

/// What a counter is compared with.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    Constant(i64),
    /// An integer that the application sets: what loads it.
    Uniform(Inst),
    /// A component of four of them.
    Part(Value),
}

/// The test of a counter.
pub(super) struct Relation {
    pub(super) op: Op,
    pub(super) bound: Bound,
    /// The counter is the second operand.
    pub(super) swapped: bool,
}

impl Relation {
    /// How often the body runs, up to 256 times.
    pub(super) fn rounds(&self, bound: i64, stays_if: bool, start: u8, step: u8) -> Option<u16> {
        let mut counter = i64::from(start);
        let mut rounds = 0u16;
        while self.holds(counter, bound) == stays_if {
            rounds += 1;
            counter += i64::from(step);
            if rounds > 256 {
                return None;
            }
        }
        (rounds > 0).then_some(rounds)
    }

    fn holds(&self, counter: i64, bound: i64) -> bool {
        let (a, b) = if self.swapped { (bound, counter) } else { (counter, bound) };
        match self.op {
            Op::IEq => a == b,
            Op::INe => a != b,
            Op::SLt | Op::ULt => a < b,
            _ => a <= b,
        }
    }

    /// Whether a loop that counts up by one runs with the end itself, too; nothing for loops that
    /// do not end there.
    fn includes_end(&self, stays_if: bool, step: u8) -> Option<bool> {
        let less = match self.op {
            Op::SLt | Op::ULt => true,
            Op::SLe | Op::ULe => false,
            _ => return None,
        };
        // Not end < counter is counter <= end.
        (step == 1 && stays_if != self.swapped).then_some(less == self.swapped)
    }
}

/// The parameter of `body` that a condition compares with a constant.
fn compared(module: &Module, f: &Function, condition: Value, body: Block) -> Option<(usize, Relation)> {
    let Def::Result(inst, _) = f.def(condition) else { return None };
    let op = f.op(inst);
    if !matches!(op, Op::IEq | Op::INe | Op::SLt | Op::SLe | Op::ULt | Op::ULe) {
        return None;
    }
    let &[a, b] = f.args(inst) else { return None };
    let place = |v| f.block(body).params.iter().position(|&p| p == v);
    let (param, other, swapped) = match (place(a), place(b)) {
        (Some(param), None) => (param, b, false),
        (None, Some(param)) => (param, a, true),
        _ => return None,
    };
    let bound = match constant(module, f, other) {
        Some(bound) => Bound::Constant(bound),
        None => match uniform(module, f, other) {
            Some(load) => Bound::Uniform(load),
            None => part(module, f, other).map(|_| Bound::Part(other))?,
        },
    };
    Some((param, Relation { op, bound, swapped }))
}

/// The load of an integer uniform, of one place, behind conversions.
fn uniform(module: &Module, f: &Function, mut value: Value) -> Option<Inst> {
    loop {
        let Def::Result(inst, _) = f.def(value) else { return None };
        match (f.op(inst), f.args(inst)) {
            (Op::FToS | Op::FToU | Op::SToF | Op::UToF, &[inner]) => value = inner,
            (Op::Load, &[pointer]) => {
                let (space, ty) = module.types.pointee(f.ty(pointer))?;
                let outside = matches!(space, Space::Uniform | Space::UniformConstant | Space::PushConstant);
                let is_int = module.types.is_int(ty) && module.types.components(ty) == 1;
                // What the hardware fills is in c registers, which LOOP does not read.
                let is_ours = |g: GlobalRef| module.global(g).binding.set != Some(VERTICES);
                let fixed = place(module, f, pointer).is_some_and(|(g, _)| is_ours(g));
                return (outside && is_int && fixed).then_some(inst);
            }
            _ => return None,
        }
    }
}

/// The variable that a pointer leads into, and the constant indices on the way, unless one of
/// them is computed or chooses a component of a vector.
pub(crate) fn place(module: &Module, f: &Function, pointer: Value) -> Option<(GlobalRef, Vec<u32>)> {
    let (mut at, mut path) = (pointer, Vec::new());
    while let Def::Result(inst, _) = f.def(at) {
        if f.op(inst) != Op::Access {
            return None;
        }
        let (&base, indices) = f.args(inst).split_first()?;
        for &index in indices.iter().rev() {
            path.push(u32::try_from(constant(module, f, index)?).ok()?);
        }
        at = base;
    }
    path.reverse();
    let g = module.variable_of(f, pointer)?;
    let ty = path.iter().try_fold(module.global(g).ty, |ty, &i| {
        let inner = module.types.part(ty, i)?;
        (module.types.components(ty) == 0).then_some(inner)
    });
    ty.map(|_| (g, path))
}

/// Where a loop's continuing block has a parameter of its body, and what every round adds to it there by an
/// operation; `byte` reads a constant.
pub(super) fn stepped(
    f: &Function,
    inst: Inst,
    param: usize,
    op: Op,
    byte: impl Fn(Value) -> Option<u8>,
) -> Option<(usize, u8)> {
    let (carried, by) = added(f, inst, param, op)?;
    byte(by).map(|step| (carried, step))
}

/// The same with whatever is added.
pub(super) fn added(f: &Function, inst: Inst, param: usize, op: Op) -> Option<(usize, Value)> {
    let &[body, continuing] = f.blocks_of(inst) else { return None };
    let counter = f.block(body).params[param];
    let repeat = *f.block(continuing).insts.last()?;
    if f.op(repeat) != Op::Repeat(inst) {
        return None;
    }
    let Def::Result(add, _) = f.def(*f.args(repeat).get(param)?) else { return None };
    let &[a, b] = f.args(add) else { return None };
    let place = |v: Value| f.block(continuing).params.iter().position(|&p| p == v);
    let (carried, by) = match (place(a), place(b)) {
        (Some(carried), None) => (carried, b),
        (None, Some(carried)) => (carried, a),
        _ => return None,
    };
    let is_kept = |at: Inst| f.args(at).get(carried) == Some(&counter);
    let is_ours = f.op(add) == op && continues(f, inst).into_iter().all(is_kept);
    is_ours.then_some((carried, by))
}

/// A constant that fits an unsigned byte.
fn whole(module: &Module, f: &Function, v: Value) -> Option<u8> {
    constant(module, f, v).and_then(|x| u8::try_from(x).ok())
}

/// The loops of a function, outer ones first.
pub(crate) fn loops(f: &Function) -> Vec<Inst> {
    Walk::insts(f).filter(|&inst| f.op(inst) == Op::Loop).collect()
}

/// What goes to the next round of a loop early.
pub(super) fn continues(f: &Function, inst: Inst) -> Vec<Inst> {
    Walk::insts_within(f, inst).filter(|&at| f.op(at) == Op::Continue(inst)).collect()
}

/// Splits counters of loops that LOOP can serve from the numbers that others make of them.
pub fn counters(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let mut changed = false;
    for inst in loops(module.function(f)) {
        if let Some(counted) = counted(module, module.function(f), inst) {
            let function = module.function(f);
            let Some(chain) = Chain::of(function, inst, counted) else { continue };
            // Where aL is another parameter, this one is no index either.
            let is_index = counted.index == Some(counted.param);
            let uses = chain.other_uses(module, function, inst, is_index);
            changed |= split(module.function_mut(f), inst, &chain, uses);
        }
    }
    changed.into()
}

/// The values that a counter has in the course of a round, and the only places for them.
pub(super) struct Chain {
    body: Block,
    continuing: Block,
    /// Its place among the body's parameters, and among the continuing block's.
    param: usize,
    carried: usize,
    add: Inst,
    repeat: Inst,
    test: Option<Inst>,
}

impl Chain {
    fn of(f: &Function, inst: Inst, counted: Counted) -> Option<Chain> {
        let (carried, _) = added(f, inst, counted.param, Op::IAdd)?;
        Some(Chain { test: Some(counted.test), ..Chain::new(f, inst, counted.param, carried)? })
    }

    /// Of a parameter that no test decides by.
    pub(super) fn new(f: &Function, inst: Inst, param: usize, carried: usize) -> Option<Chain> {
        let &[body, continuing] = f.blocks_of(inst) else { return None };
        let repeat = *f.block(continuing).insts.last()?;
        let Def::Result(add, _) = f.def(*f.args(repeat).get(param)?) else { return None };
        Some(Chain { body, continuing, param, carried, add, repeat, test: None })
    }

    /// In the body, in the continuing block, and for the next round.
    fn values(&self, f: &Function) -> [Value; 3] {
        let counter = f.block(self.body).params[self.param];
        let carried = f.block(self.continuing).params[self.carried];
        [counter, carried, f.args(self.repeat)[self.param]]
    }

    /// Uses of each value that are neither an index into uniforms, if that is what it is for, nor the test,
    /// nor the next round: instruction, operand, and which value.
    pub(super) fn other_uses(
        &self,
        module: &Module,
        f: &Function,
        inst: Inst,
        is_for_index: bool,
    ) -> Vec<(Inst, usize, usize)> {
        let values = self.values(f);
        let condition = self.test.and_then(|test| f.args(test).first().copied());
        let mut found = Vec::new();
        // They are known within the loop alone.
        for at in Walk::insts_within(f, inst) {
            if at == self.add || (f.result_of(at).is_some() && f.result_of(at) == condition) {
                continue;
            }
            for (n, arg) in f.args(at).iter().enumerate() {
                let Some(which) = values.iter().position(|v| v == arg) else { continue };
                let own = (f.op(at) == Op::Continue(inst) && n == self.carried && which == 0)
                    || (at == self.repeat && n == self.param);
                let is_index = || is_index(module, f, at, n) || is_offset(module, f, inst, at);
                if !(own || is_for_index && is_index()) {
                    found.push((at, n, which));
                }
            }
        }
        found
    }
}

/// Gives a loop a second counter for all uses that the first cannot have.
fn split(f: &mut Function, inst: Inst, chain: &Chain, uses: Vec<(Inst, usize, usize)>) -> bool {
    if uses.is_empty() {
        return false;
    }
    let ty = f.ty(f.block(chain.body).params[chain.param]);
    let constant = |f: &Function, v: &Value| matches!(f.def(*v), Def::Constant(_));
    let Some(by) = f.args(chain.add).iter().copied().find(|v| constant(f, v)) else { return false };
    let (second, carried) = (f.add_param(chain.body, ty), f.add_param(chain.continuing, ty));
    extend(f, inst, f.args(inst)[chain.param]);
    let add = f.make(Op::IAdd, &[carried, by], &[ty]);
    let insts = &mut f.block_mut(chain.continuing).insts;
    insts.insert(0, add);
    let next = f.result_of(add).unwrap_or(carried);
    let exits = continues(f, inst);
    for (at, n, which) in uses {
        f.args_mut(at)[n] = [second, carried, next][which];
    }
    extend(f, chain.repeat, next);
    exits.into_iter().for_each(|at| extend(f, at, second));
    true
}

/// One operand more.
pub(super) fn extend(f: &mut Function, inst: Inst, last: Value) {
    let args: Vec<Value> = f.args(inst).iter().copied().chain([last]).collect();
    f.set_args(inst, &args);
}

/// Whether operand `n` is one that the index register can be.
fn is_index(module: &Module, f: &Function, inst: Inst, n: usize) -> bool {
    f.op(inst) == Op::Access && n > 0 && is_indexable(module, f, inst, n)
}

/// Whether an instruction of a loop adds a constant and is used as an index only.
fn is_offset(module: &Module, f: &Function, within: Inst, inst: Inst) -> bool {
    let is_constant = |&v: &Value| matches!(f.def(v), Def::Constant(_));
    let Some(result) = f.result_of(inst) else { return false };
    if f.op(inst) != Op::IAdd || !f.args(inst).iter().any(is_constant) {
        return false;
    }
    Walk::insts_within(f, within).all(|at| {
        let uses = f.args(at).iter().enumerate().filter(|(_, arg)| **arg == result);
        uses.into_iter().all(|(n, _)| is_index(module, f, at, n))
    })
}
