//! Two tests that lead to the same place are one: CMP compares twice, and what asks for its flags joins them
//! (spec section 11).
//!
//! ```text
//! if %c { exit @1 %a } else {                a
//!   a                                   ->   %2 = or %c, %d
//!   if %d { exit @1 %a } else { b }          if %2 { exit @1 %a } else { b }
//! }
//! ```
//!
//! True before: nothing. What is computed between the tests is without effects and short.

use chiaro_ir::{Block, Forward, Function, FunctionRef, Inst, Module, Op, Step, Type, Value, Walk};
use chiaro_opt::{Changed, Cx};

use super::bools::is_test;
use super::tails::exits;

/// Instructions between two tests, which run whatever the first one says.
const MOST: usize = 12;

/// Joins tests.
pub fn either(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    if module.function(f).is_straight() {
        return Changed::No;
    }
    let exits = exits(module.function(f));
    let bool = module.types.intern(Type::Bool);
    let found: Vec<Pair> = Walk::new(module.function(f))
        .filter_map(|step| match step {
            Step::Inst(inst) => Pair::of(module, module.function(f), inst, &exits),
            _ => None,
        })
        .collect();
    let f = module.function_mut(f);
    let mut forward = Forward::new();
    // The inner ones of several first; what is left of an outer one is another pair then, if it is one.
    let mut taken: Vec<Inst> = Vec::new();
    for pair in found.into_iter().rev() {
        if !taken.contains(&pair.inner) {
            taken.push(pair.outer);
            pair.join(f, bool, &mut forward);
        }
    }
    forward.apply(f);
    (!taken.is_empty()).into()
}

/// Two tests of which one outcome each is the same.
struct Pair {
    outer: Inst,
    inner: Inst,
    /// The outcome of each that is.
    same: [usize; 2],
}

impl Pair {
    fn of(module: &Module, f: &Function, outer: Inst, exits: &[usize]) -> Option<Pair> {
        if f.op(outer) != Op::If {
            return None;
        }
        [0, 1].into_iter().find_map(|short| {
            let (_, inner, _) = Pair::parts(f, outer, 1 - short)?;
            let tests = [outer, inner].map(|test| f.args(test).first().copied());
            let is_joined = tests.iter().all(|test| test.is_some_and(|v| is_test(module, f, v)));
            let known = Way::of(f, f.blocks_of(outer)[short], None)?;
            let same = (0..2).find(|&n| Pair::way(f, outer, 1 - short, n).is_some_and(|way| way == known))?;
            let ends = |n: usize| {
                f.block(f.blocks_of(inner)[n]).insts.last().is_some_and(|&l| f.op(l) == Op::Exit(inner))
            };
            let is_plain = exits[inner.0 as usize] == (0..2).filter(|&n| ends(n)).count();
            (is_joined && is_plain).then_some(Pair { outer, inner, same: [short, same] })
        })
    }

    /// What stands in a block of a test: what is computed, another test, and an exit behind that if there is one.
    fn parts(f: &Function, outer: Inst, long: usize) -> Option<(&[Inst], Inst, Option<Inst>)> {
        let insts = &f.block(*f.blocks_of(outer).get(long)?).insts;
        let at = insts.iter().position(|&inst| !f.op(inst).is_removable())?;
        let (before, rest) = insts.split_at(at);
        let (inner, exit) = match *rest {
            [inner] => (inner, None),
            [inner, exit] if f.op(exit).is_exit() => (inner, Some(exit)),
            _ => return None,
        };
        (f.op(inner) == Op::If && before.len() <= MOST).then_some((before, inner, exit))
    }

    /// Where an outcome of the inner test leads.
    fn way(f: &Function, outer: Inst, long: usize, n: usize) -> Option<Way> {
        let (_, inner, exit) = Pair::parts(f, outer, long)?;
        Way::of(f, f.blocks_of(inner)[n], exit.map(|exit| (inner, exit)))
    }

    fn join(&self, f: &mut Function, bool: chiaro_ir::Ty, forward: &mut Forward) {
        let [short, same] = self.same;
        let long = f.blocks_of(self.outer)[1 - short];
        let Some((before, inner, exit)) = Pair::parts(f, self.outer, 1 - short) else { return };
        let mut before = before.to_vec();
        let [first, second] = [self.outer, inner].map(|test| f.args(test)[0]);
        // The block of the first test that both lead to is its first one: where either holds. Else where
        // not both do.
        let second = if short == same { second } else { made(f, &mut before, Op::Not, &[second], bool) };
        let op = if short == 0 { Op::Or } else { Op::And };
        f.args_mut(self.outer)[0] = made(f, &mut before, op, &[first, second], bool);
        let mut rest = f.block(f.blocks_of(inner)[1 - same]).insts.clone();
        if let Some(&last) = rest.last().filter(|&&last| f.op(last) == Op::Exit(inner)) {
            rest.pop();
            for (old, new) in f.results(inner).zip(f.args(last).to_vec()) {
                forward.set(old, new);
            }
            rest.extend(exit);
        }
        f.block_mut(long).insts = rest;
        insert_before(f, self.outer, &before);
    }
}

fn made(f: &mut Function, list: &mut Vec<Inst>, op: Op, args: &[Value], ty: chiaro_ir::Ty) -> Value {
    let inst = f.make(op, args, &[ty]);
    list.push(inst);
    f.result_of(inst).unwrap_or(args[0])
}

/// Puts instructions in front of another one.
pub(super) fn insert_before(f: &mut Function, inst: Inst, list: &[Inst]) {
    let around = |step| match step {
        Step::Open(_, _, block) => Some(block),
        _ => None,
    };
    let blocks: Vec<Block> = Walk::new(f).filter_map(around).collect();
    for block in blocks {
        if let Some(at) = f.block(block).insts.iter().position(|&other| other == inst) {
            f.block_mut(block).insts.splice(at..at, list.iter().copied());
            return;
        }
    }
}

/// Where a block leads that does nothing else: an exit with what it carries.
#[derive(PartialEq)]
struct Way(Op, Vec<Value>);

impl Way {
    /// `behind` is the test that the block is of, and the exit behind it.
    fn of(f: &Function, block: Block, behind: Option<(Inst, Inst)>) -> Option<Way> {
        let &[exit] = &f.block(block).insts[..] else { return None };
        let Some((inner, last)) = behind.filter(|(inner, _)| f.op(exit) == Op::Exit(*inner)) else {
            return f.op(exit).is_exit().then(|| Way(f.op(exit), f.args(exit).to_vec()));
        };
        let carried = |&value: &Value| {
            let n = f.results(inner).position(|result| result == value);
            n.and_then(|n| f.args(exit).get(n)).copied().unwrap_or(value)
        };
        Some(Way(f.op(last), f.args(last).iter().map(carried).collect()))
    }
}
