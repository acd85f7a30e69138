//! Loops that are left from their heads: what goes on there stands behind the test, not in it.
//!
//! ```text
//! loop @1 (%p) {                              loop @1 (%p) {
//!   %2 = if %c { a exit %3 }           ->       if %c { exit } else { exit @1 }
//!        else { exit @1 }                       a
//!   continue %2                                 continue %3
//! ```
//!
//! True before: exits lead out of loops and of the construct that they stand in, as `lower_exits` leaves
//! them. Counters are then seen for what they are.

use chiaro_ir::{Forward, Function, FunctionRef, Inst, Module, Op, Step, Walk};
use chiaro_opt::{Changed, Cx};

use super::counters::{first_construct, loops, only_exit};

/// Moves what goes on in a loop behind the test at its head.
pub fn heads(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let f = module.function_mut(f);
    let changed = loops(f).into_iter().fold(false, |changed, inst| changed | flatten(f, inst));
    changed.into()
}

fn flatten(f: &mut Function, inst: Inst) -> bool {
    let Some((test, exit)) = going_on(f, inst) else { return false };
    let (body, stays) = (f.blocks_of(inst)[0], f.blocks_of(test).to_vec());
    let Some(stay) = stays.into_iter().find(|&block| f.block(block).insts.last() == Some(&exit)) else {
        return false;
    };
    let mut forward = Forward::new();
    for (old, new) in f.results(test).zip(f.args(exit).to_vec()) {
        forward.set(old, new);
    }
    f.set_args(exit, &[]);
    f.set_results(test, &[]);
    let mut rest = std::mem::replace(&mut f.block_mut(stay).insts, vec![exit]);
    rest.pop();
    let insts = &mut f.block_mut(body).insts;
    let at = insts.iter().position(|&other| other == test).map_or(insts.len(), |at| at + 1);
    insts.splice(at..at, rest);
    forward.apply(f);
    true
}

/// The test at the head of a loop of which one way leaves it and the other one does more than going on, and
/// the exit by which that goes on, if there is no other one.
fn going_on(f: &Function, inst: Inst) -> Option<(Inst, Inst)> {
    let test = first_construct(f, *f.blocks_of(inst).first()?)?;
    let &[then, otherwise] = f.blocks_of(test) else { return None };
    let leaves = |block| only_exit(f, block) == Some(Op::Exit(inst));
    let stay = match (leaves(then), leaves(otherwise)) {
        (true, false) => otherwise,
        (false, true) => then,
        _ => return None,
    };
    let (&exit, rest) = f.block(stay).insts.split_last()?;
    let exits = Walk::new(f).filter(|step| matches!(step, Step::Inst(at) if f.op(*at) == Op::Exit(test)));
    let is_more = !rest.is_empty() || !f.args(exit).is_empty();
    (is_more && f.op(exit) == Op::Exit(test) && exits.count() == 1).then_some((test, exit))
}
