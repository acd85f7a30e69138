//! Fills slots in which a block waits for its branch with what stands behind it.
//!
//! ```text
//! b0: cmps.f.lt p0.x, v0, v1      b0: cmps.f.lt p0.x, v0, v1
//!     br p0.x @b2                     v3 = mul.f v2, v2
//! b1: v3 = mul.f v2, v2       ->      br p0.x @b2
//!     v4 = mul.f v3, v2           b1: v4 = mul.f v3, v2
//! ```
//!
//! A branch comes six slots after its predicate (spec section 13), and as a rule the block has nothing to put
//! there. What comes up is computed whether it is needed or not, in slots that would be lost: it has no effects,
//! and comes from blocks that this one dominates at once. Only as much comes up as there is room for, from the
//! longest way to the end of its block first.
//!
//! Before and after: SSA; [`crate::compile::schedule`] puts everything into order.

use std::collections::HashSet;

use chiaro_mach::deps::Tracks;
use chiaro_mach::{Block, Code, Inst, Op as Mach, Operand, Value};

use crate::compile::code::{FILES, FULL, HALF, operation};
use crate::compile::schedule::{Clock, is_slot};
use crate::isa::{Op, category};

/// Moves instructions up to blocks that have room for them.
pub(super) fn hoist(code: &mut Code) {
    let above = dominators(code);
    let mut tracks = Tracks::new(code, &FILES, Some(&Clock));
    for block in code.blocks() {
        let mut room = idle(code, block, &mut tracks);
        for from in code.blocks().filter(|&from| from > block && above[from.0 as usize] == block) {
            if room == 0 {
                break;
            }
            if code.block_data(from).depth <= code.block_data(block).depth {
                room -= lift(code, block, from, room, &mut tracks);
            }
        }
    }
}

/// The block that immediately dominates each one; the first is its own. Every block but the first has an
/// earlier predecessor, and loops are entered through their head alone: one walk suffices.
pub(super) fn dominators(code: &Code) -> Vec<Block> {
    let mut above: Vec<Block> = Vec::with_capacity(code.block_count());
    for block in code.blocks() {
        let earlier = code.block_data(block).logical.preds.iter().copied().filter(|&pred| pred < block);
        let common = earlier.reduce(|mut a, mut b| {
            while a != b {
                if a < b { b = above[b.0 as usize] } else { a = above[a.0 as usize] }
            }
            a
        });
        above.push(common.unwrap_or(block));
    }
    above
}

/// Slots of a block that nothing can issue in: its longest way less its instructions.
fn idle(code: &Code, block: Block, tracks: &mut Tracks<'_>) -> usize {
    let deps = tracks.deps(code, block);
    let longest = deps.heights(|n| is_slot(code, deps.insts[n]).into()).into_iter().max().unwrap_or(0);
    let filled = deps.insts.iter().filter(|&&inst| is_slot(code, inst)).count();
    (longest as usize).saturating_sub(filled)
}

/// Moves at most so many instructions from one block to the end of another; how many.
fn lift(code: &mut Code, to: Block, from: Block, room: usize, tracks: &mut Tracks<'_>) -> usize {
    let deps = tracks.deps(code, from);
    let heights = deps.heights(|n| is_slot(code, deps.insts[n]).into());
    let results = |inst: Inst| code.defs(inst).iter().filter_map(Operand::value).collect::<Vec<Value>>();
    let mut here: HashSet<Value> = code.insts(from).iter().flat_map(|&inst| results(inst)).collect();
    let mut left: Vec<usize> = (0..deps.insts.len()).filter(|&n| is_movable(code, deps.insts[n])).collect();
    let mut lifted = Vec::new();
    while lifted.len() < room {
        let is_ready = |n: usize| {
            let mut values = code.uses(deps.insts[n]).iter().filter_map(Operand::value);
            values.all(|value| !here.contains(&value))
        };
        let ready = (0..left.len()).filter(|&at| is_ready(left[at]));
        let Some(at) = ready.max_by_key(|&at| heights[left[at]]) else { break };
        let inst = deps.insts[left.remove(at)];
        results(inst).iter().for_each(|value| _ = here.remove(value));
        lifted.push(inst);
    }
    code.block_mut(from).insts.retain(|inst| !lifted.contains(inst));
    let end =
        code.insts(to).iter().rposition(|&inst| !code.inst(inst).effects.is_tail()).map_or(0, |at| at + 1);
    let count = lifted.len();
    code.block_mut(to).insts.splice(end..end, lifted);
    count
}

/// What may be computed too often: it runs on the ALU and touches values alone.
fn is_movable(code: &Code, inst: Inst) -> bool {
    let is_alu = operation(code, inst).is_some_and(|op| (1..=3).contains(&category(op)) && op != Op::BaryF);
    let is_value = |operand: &Operand| !operand.in_file() || operand.value().is_some();
    let [def] = code.defs(inst) else { return false };
    let is_plain = matches!(def.file, FULL | HALF) && def.value().is_some();
    is_alu && is_plain && code.op(inst) != Mach::Phi && code.uses(inst).iter().all(is_value)
}
