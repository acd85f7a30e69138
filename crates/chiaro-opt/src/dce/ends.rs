//! Whether a loop is known to end, so that it may go when nothing needs it.
//!
//! ```text
//! loop (%i = %start) {
//!   if (slt %i, 10) { exit } else { exit @loop }     the first construct of the body
//!   ...
//!   continue %i                                      the same in every `continue`
//! } continuing (%j) {
//!   repeat (iadd %j, 1)                              the only `repeat`
//! }
//! ```

use chiaro_ir::{Block, Def, Function, Inst, Module, Op, Value};

/// Whether a loop counts towards a bound, at which it is left; `exits` name the loop.
///
/// Towards a constant by any step; towards what is made before the loop by ones, and strictly: then
/// no counter passes the bound and wraps.
pub(super) fn ends(module: &Module, f: &Function, inst: Inst, exits: &[Inst]) -> bool {
    counts(module, f, inst, exits).unwrap_or(false)
}

fn counts(module: &Module, f: &Function, inst: Inst, exits: &[Inst]) -> Option<bool> {
    let &[body, continuing] = f.blocks_of(inst) else { return None };
    let repeats = exits.iter().filter(|&&exit| matches!(f.op(exit), Op::Repeat(_)));
    if repeats.count() == 0 {
        return Some(true);
    }
    let check = *f.block(body).insts.iter().find(|&&inst| f.op(inst).is_construct())?;
    let leaves_if = if f.op(check) == Op::If { leaves_if(f, inst, check)? } else { return None };
    let Def::Result(compare, _) = f.def(*f.args(check).first()?) else { return None };
    let &[a, b] = f.args(compare) else { return None };
    let is_counter = |value: Value| matches!(f.def(value), Def::BlockParam(block, _) if block == body);
    // Goes on while the counter is below the bound, or above it.
    let (counter, bound, below) = match (is_counter(a), is_counter(b)) {
        (true, false) => (a, b, !leaves_if),
        (false, true) => (b, a, leaves_if),
        _ => return None,
    };
    // `a < b` is strict where it goes on, and `a <= b` where it leaves.
    let is_strict = matches!(f.op(compare), Op::SLt | Op::ULt) != leaves_if;
    let is_order = matches!(f.op(compare), Op::SLt | Op::SLe | Op::ULt | Op::ULe);
    let step = step(module, f, body, continuing, counter, exits)?;
    let meets = module.value_bits(f, bound).is_some()
        || is_strict && step.abs_diff(0) == 1 && !is_made_in(f, inst, bound);
    Some(is_order && meets && step != 0 && (step > 0) == below)
}

/// Whether a value is made in a construct.
fn is_made_in(f: &Function, construct: Inst, value: Value) -> bool {
    let mut open = f.blocks_of(construct).to_vec();
    while let Some(block) = open.pop() {
        let insts = &f.block(block).insts;
        match f.def(value) {
            Def::BlockParam(of, _) if of == block => return true,
            Def::Result(inst, _) if insts.contains(&inst) => return true,
            _ => {}
        }
        insts.iter().for_each(|&inst| open.extend_from_slice(f.blocks_of(inst)));
    }
    false
}

/// Whether a check leaves the loop where its condition holds; `None` if it does not leave it.
fn leaves_if(f: &Function, inst: Inst, check: Inst) -> Option<bool> {
    let &[yes, no] = f.blocks_of(check) else { return None };
    let leaves = |block: Block| f.block(block).insts.last().is_some_and(|&last| f.op(last) == Op::Exit(inst));
    let plain = |block: Block| f.block(block).insts.len() == 1;
    match (leaves(yes) && plain(yes), leaves(no) && plain(no)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// What is added to a parameter of the body in each round.
fn step(
    module: &Module,
    f: &Function,
    body: Block,
    continuing: Block,
    counter: Value,
    exits: &[Inst],
) -> Option<i32> {
    let Def::BlockParam(_, n) = f.def(counter) else { return None };
    let last = *f.block(continuing).insts.last()?;
    let mut repeats = exits.iter().filter(|&&exit| matches!(f.op(exit), Op::Repeat(_)));
    if repeats.next() != Some(&last) || repeats.next().is_some() {
        return None;
    }
    let Def::Result(sum, _) = f.def(*f.args(last).get(n as usize)?) else { return None };
    let (Op::IAdd, &[from, by]) = (f.op(sum), f.args(sum)) else { return None };
    let Def::BlockParam(block, m) = f.def(from) else { return None };
    let kept = |exit: &Inst| match f.op(*exit) {
        Op::Continue(_) => f.args(*exit).get(m as usize) == Some(&counter),
        _ => true,
    };
    let is_same = block == continuing && exits.iter().all(kept) || block == body && from == counter;
    let by = module.value_bits(f, by).filter(|_| is_same && module.types.bits(f.ty(by)) == Some(32))?;
    Some(by as u32 as i32)
}
