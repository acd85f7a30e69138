//! Sets predicates early: a branch comes six slots after its test (spec section 13).
//!
//! ```text
//! b0: ..., jump @b1                  b0: ..., cmps.s.lt p0.x, v0, 4, jump @b1
//! b1: v2 = phi v0, v1                b1: v2 = phi v0, v1
//!     cmps.s.lt p0.x, v2, 4      ->      br !p0.x @b3
//!     br !p0.x @b3                   b2: v1 = add.u v2, 1
//! b2: v1 = add.u v2, 1                   cmps.s.lt p0.x, v1, 4, jump @b1
//!     ..., jump @b1                  b3: ...
//! ```
//!
//! The test of a loop's head goes to where the head is entered from; any other test goes to the block that
//! dominates it at once, into a component of p0 that nothing between the two writes.
//!
//! Before and after: SSA. Needs no other reader between a test and its branch.

use chiaro_mach::{Block, Code, Inst, Op as Mach, Operand, Value};

use super::hoist::dominators;
use crate::compile::code::{PREDICATE, PREDICATES, operation};
use crate::isa::Op;

/// Moves tests up.
pub(super) fn hoist_tests(code: &mut Code) {
    let above = dominators(code);
    for block in code.blocks().skip(1) {
        let Some((test, branch)) = test_of(code, block) else { continue };
        let preds = code.block_data(block).logical.preds.clone();
        if preds.iter().any(|&pred| pred >= block) {
            hoist_from_head(code, block, &preds, test);
        } else {
            hoist_to(code, above[block.0 as usize], block, (test, branch));
        }
    }
}

/// The test and the branch of a block in which nothing else has to do with predicates.
fn test_of(code: &Code, block: Block) -> Option<(Inst, Inst)> {
    let names = |&&inst: &&Inst| code.operands(inst).iter().any(|operand| operand.file == PREDICATE);
    let mut found = code.insts(block).iter().filter(names);
    let (&test, &branch) = (found.next()?, found.next()?);
    let is_both = found.next().is_none() && operation(code, branch) == Some(Op::Br);
    let is_test = code.defs(test).first().is_some_and(|def| def.file == PREDICATE);
    (is_both && is_test).then_some((test, branch))
}

/// The instruction that defines a value, if it stands in this block.
fn maker(code: &Code, block: Block, value: Value) -> Option<Inst> {
    let makes = |&&inst: &&Inst| code.defs(inst).iter().any(|def| def.value() == Some(value));
    code.insts(block).iter().find(makes).copied()
}

/// What a test in a loop's head reads if it is made before way number `way` into the head.
fn entering(code: &Code, head: Block, test: Inst, way: usize) -> Option<Vec<Operand>> {
    let brought = |used: &Operand| {
        let Some(phi) = used.value().and_then(|value| maker(code, head, value)) else { return Some(*used) };
        let from = *code.uses(phi).get(way).filter(|_| code.op(phi) == Mach::Phi)?;
        from.value().map(|_| Operand { bits: used.bits, ..from })
    };
    code.uses(test).iter().map(brought).collect()
}

fn hoist_from_head(code: &mut Code, head: Block, preds: &[Block], test: Inst) {
    let ways = (0..preds.len()).map(|way| entering(code, head, test, way));
    let Some(ways) = ways.collect::<Option<Vec<_>>>() else { return };
    if preds.iter().any(|&pred| code.block_data(pred).logical.succs.len() > 1) {
        return;
    }
    let defs = code.defs(test).to_vec();
    for (&pred, uses) in preds.iter().zip(ways) {
        let early = code.repeat(test, &defs);
        code.set_operands(early, &defs, &uses);
        append(code, pred, early);
    }
    code.block_mut(head).insts.retain(|&inst| inst != test);
}

fn hoist_to(code: &mut Code, to: Block, from: Block, (test, branch): (Inst, Inst)) {
    let is_here = |used: &Operand| used.value().is_some_and(|value| maker(code, from, value).is_some());
    let same_loop = code.block_data(to).depth == code.block_data(from).depth;
    let Some(free) = free_component(code, to, from) else { return };
    if !same_loop || code.uses(test).iter().any(is_here) {
        return;
    }
    code.block_mut(from).insts.retain(|&inst| inst != test);
    append(code, to, test);
    code.defs_mut(test).iter_mut().filter(|def| def.file == PREDICATE).for_each(|def| def.reg = Some(free));
    code.uses_mut(branch)
        .iter_mut()
        .filter(|used| used.file == PREDICATE)
        .for_each(|used| used.reg = Some(free));
}

/// A component that nothing from one block to a later one has to do with.
fn free_component(code: &Code, first: Block, last: Block) -> Option<u16> {
    let blocks = code.blocks().filter(|&block| (first..=last).contains(&block));
    let insts = blocks.flat_map(|block| code.insts(block));
    let used = insts.flat_map(|&inst| code.operands(inst)).filter(|operand| operand.file == PREDICATE);
    let used = used.filter_map(|operand| operand.reg).fold(0u8, |used, n| used | 1 << n);
    (0..PREDICATES).find(|n| used >> n & 1 == 0)
}

/// Puts an instruction before a block's exit.
fn append(code: &mut Code, block: Block, inst: Inst) {
    let is_exit = |&inst: &Inst| code.inst(inst).effects.is_tail();
    let end = code.insts(block).iter().rposition(|inst| !is_exit(inst)).map_or(0, |at| at + 1);
    code.block_mut(block).insts.insert(end, inst);
}
