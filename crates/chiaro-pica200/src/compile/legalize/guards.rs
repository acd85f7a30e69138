//! Loops are left by tests that stand in their bodies themselves: what goes on stands behind the test, not in it.
//!
//! ```text
//! loop @1 (%p) {                              loop @1 (%p) {
//!   if %c {                                     if %c { exit } else { exit @1 }
//!     a                                         a
//!     if %d { exit @1 } else { b continue } ->  if %d { exit @1 } else { exit }
//!   } else { exit @1 }                          b
//! }                                             continue
//! ```
//!
//! Counters are then seen for what they are, and BREAKC stands where no IF is open (spec section 12). True
//! before: nothing. Nothing that moves inwards may run between this and the selection.

use chiaro_ir::{Block, Forward, Function, FunctionRef, Inst, Module, Op};
use chiaro_opt::{Changed, Cx};

use super::counters::loops;
use super::tails::{exits, spread};

/// Moves what goes on in a loop behind the tests that leave it.
pub fn guards(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let f = module.function_mut(f);
    let loops = loops(f);
    if loops.is_empty() {
        return Changed::No;
    }
    let mut exits = exits(f);
    let (mut forward, mut changed) = (Forward::new(), false);
    for inst in loops {
        for block in f.blocks_of(inst).to_vec() {
            changed |= leave_early(f, inst, block, &mut exits);
            changed |= flatten(f, inst, block, &exits, &mut forward);
        }
    }
    forward.apply(f);
    changed.into()
}

/// Where tests at the end of a loop's block lead out of the loop, or to its next round, from within, each way
/// does so by itself.
fn leave_early(f: &mut Function, inst: Inst, block: Block, exits: &mut [usize]) -> bool {
    let (mut open, mut changed) = (vec![block], false);
    while let Some(block) = open.pop() {
        let &[.., test, last] = &f.block(block).insts[..] else { continue };
        let leads = matches!(f.op(last), Op::Exit(to) | Op::Continue(to) if to == inst);
        let is_guard = match *f.blocks_of(test) {
            [a, b] => {
                let is_bare = |arm: Block| f.block(arm).insts.len() == 1;
                leaves(f, inst, a) && is_bare(b) || leaves(f, inst, b) && is_bare(a)
            }
            _ => true,
        };
        if leads && f.op(test) == Op::If && !is_guard && spread(f, test, block, exits, 1) {
            exits[test.0 as usize] = 0;
            open.extend(f.blocks_of(test));
            changed = true;
        }
    }
    changed
}

/// Whether a block does nothing but leave a loop.
fn leaves(f: &Function, inst: Inst, block: Block) -> bool {
    match f.block(block).insts.split_last() {
        Some((&last, rest)) => f.op(last) == Op::Exit(inst) && rest.iter().all(|&i| f.op(i).is_removable()),
        None => false,
    }
}

/// Puts the ways that go on in a block of a loop behind their tests.
fn flatten(f: &mut Function, inst: Inst, block: Block, exits: &[usize], forward: &mut Forward) -> bool {
    let (mut at, mut changed) = (0, false);
    while let Some(&test) = f.block(block).insts.get(at) {
        at += 1;
        let Some(stay) = going_on(f, inst, test, exits) else { continue };
        let exit = f.make(Op::Exit(test), &[], &[]);
        let mut rest = std::mem::replace(&mut f.block_mut(stay).insts, vec![exit]);
        match rest.last() {
            Some(&last) if f.op(last) == Op::Exit(test) => {
                rest.pop();
                for (old, new) in f.results(test).zip(f.args(last).to_vec()) {
                    forward.set(old, new);
                }
            }
            // Nobody comes behind the test.
            _ => f.block_mut(block).insts.truncate(at),
        }
        f.set_results(test, &[]);
        f.block_mut(block).insts.splice(at..at, rest);
        changed = true;
    }
    changed
}

/// The block of a test that goes on, where the other one does nothing but leave the loop and it is more than an
/// exit, which it has at its end alone.
fn going_on(f: &Function, inst: Inst, test: Inst, exits: &[usize]) -> Option<Block> {
    let &[then, otherwise] = f.blocks_of(test) else { return None };
    let stay = match (leaves(f, inst, then), leaves(f, inst, otherwise)) {
        (true, false) => otherwise,
        (false, true) => then,
        _ => return None,
    };
    let (&last, rest) = f.block(stay).insts.split_last()?;
    let is_end = f.op(last) == Op::Exit(test);
    let is_more = !is_end || !rest.is_empty() || !f.args(last).is_empty();
    let is_only = exits.get(test.0 as usize) == Some(&usize::from(is_end));
    (f.op(test) == Op::If && is_more && is_only).then_some(stay)
}
