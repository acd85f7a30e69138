//! What is short and stands where only some ways through a construct come stands in each of these ways.
//!
//! ```text
//! block @1 {                                        block @1 {
//!   %2 = if %c { exit %x } else {                     if %c {
//!     %3 = if %d { exit @1 %x } else { exit %y }        %4 = fmul %x, %x
//!     exit %3                                           exit @1 %4
//!   }                                          ->     } else {
//!   %4 = fmul %2, %2                                    if %d { exit @1 %x } else { %5 = fmul %y, %y ... }
//!   exit @1 %4                                        }
//! }                                                 }
//! ```
//!
//! A way out over several levels is a state that is set and asked for (`lower_exits`), which takes three
//! words and more; jumps out of an IF leave it on its stack (spec section 12).

use chiaro_ir::{Block, Copies, Function, FunctionRef, Inst, Module, Op, Step, Walk};
use chiaro_opt::{Changed, Cx};

/// Instructions that copies may add.
const MOST: usize = 6;

/// Copies what stands behind constructs to where they are left.
pub fn tails(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    if module.function(f).is_straight() {
        return Changed::No;
    }
    let f = module.function_mut(f);
    let exits = exits(f);
    let mut found = Vec::new();
    let mut open: Vec<Block> = Vec::new();
    for step in Walk::new(f) {
        match step {
            Step::Open(_, _, block) => open.push(block),
            Step::Close(..) => drop(open.pop()),
            Step::Inst(inst) if matches!(f.op(inst), Op::If | Op::Block) => {
                found.extend(open.last().map(|&block| (inst, block)));
            }
            _ => {}
        }
    }
    // The inner ones first.
    found
        .into_iter()
        .rev()
        .fold(false, |changed, (inst, block)| changed | spread(f, inst, block, &exits, 2))
        .into()
}

/// By instruction: how many exits lead to its end.
pub(super) fn exits(f: &Function) -> Vec<usize> {
    let mut counts = vec![0; f.inst_count()];
    for step in Walk::new(f) {
        if let Step::Inst(inst) = step
            && let Op::Exit(at) = f.op(inst)
        {
            counts[at.0 as usize] += 1;
        }
    }
    counts
}

/// Copies what stands in a block behind a construct to at least so many ways through it; whether it is to be.
pub(super) fn spread(f: &mut Function, inst: Inst, block: Block, exits: &[usize], least: usize) -> bool {
    let insts = &f.block(block).insts;
    let Some(at) = insts.iter().position(|&other| other == inst) else { return false };
    let tail = insts[at + 1..].to_vec();
    let (ways, is_left) = ways(f, inst);
    let is_all = exits.get(inst.0 as usize) == Some(&ways.len());
    let is_plain = tail.iter().all(|&i| f.blocks_of(i).is_empty());
    let cost = tail.iter().filter(|&&i| is_word(f.op(i))).count();
    if !is_all
        || !is_left
        || !is_plain
        || tail.is_empty()
        || ways.len() < least
        || (ways.len() - 1) * cost > MOST
    {
        return false;
    }
    let mut copies = Copies::new(f);
    let from = f.new_block();
    f.block_mut(from).insts = tail;
    for (way, exit) in ways {
        f.block_mut(way).insts.pop();
        for (result, arg) in f.results(inst).zip(f.args(exit).to_vec()) {
            copies.set(result, arg);
        }
        copies.block(f, None, from, way);
    }
    f.block_mut(block).insts.truncate(at + 1);
    f.push(block, Op::Unreachable, &[], &[]);
    f.set_results(inst, &[]);
    true
}

/// The exits that lead to the end of a construct from outside of loops in it, with their blocks; and whether
/// something in it leads further out.
fn ways(f: &Function, inst: Inst) -> (Vec<(Block, Inst)>, bool) {
    let (mut open, mut inside) = (f.blocks_of(inst).to_vec(), vec![inst]);
    let (mut ways, mut targets) = (Vec::new(), Vec::new());
    while let Some(block) = open.pop() {
        for &i in &f.block(block).insts {
            match f.op(i) {
                Op::Exit(to) if to == inst => ways.push((block, i)),
                op if op.is_exit() => targets.push(op),
                Op::Loop => {}
                _ => {
                    inside.push(i);
                    open.extend(f.blocks_of(i));
                }
            }
        }
    }
    let is_left = targets.iter().any(|op| op.target().is_some_and(|to| !inside.contains(&to)));
    (ways, is_left)
}

/// Whether an instruction may become a word.
fn is_word(op: Op) -> bool {
    !op.is_exit() && !matches!(op, Op::Extract(_) | Op::Construct | Op::Shuffle(_) | Op::Access)
}
