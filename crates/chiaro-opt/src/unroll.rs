//! Loop unrolling: writes out the iterations of a loop whose trip count is known and small.
//!
//! ```text
//! %1 = loop @1 (%2 = 0, %3 = 0.0) {          %1 = block @1 {
//!   %4 = slt %2, 2                             %4 = slt 0, 2
//!   if %4 { exit } else { exit @1 %3 }         if %4 { exit } else { exit @1 0.0 }
//!   %5 = fadd %3, %0                           %5 = fadd 0.0, %0
//!   continue %2, %5                     ->     %6 = iadd 0, 1
//! } continuing (%2, %3) {                      ... twice more ...
//!   %6 = iadd %2, 1                          }
//!   repeat %6, %3
//! }
//! ```
//!
//! The rounds are found by stepping through the loop with what is known of its parameters
//! ([`Stepper`]): any condition that numbers decide will do, and exits may stand anywhere. Inner
//! loops come first. Comparisons and branches that are decided now are left to the passes that
//! fold constants and simplify branches.

mod step;

use crate::loops::has_loops;
use crate::rewrite::lend;
use crate::{Changed, Cx, Limits};
use chiaro_ir::{Block, Copies, Function, FunctionRef, Inst, Module, Op, Step, Ty, Value, Walk};
use step::{Rounds, Stepper};

/// Unrolls loops within [`Limits::unroll_cost`](crate::Limits) and
/// [`Limits::unroll_rounds`](crate::Limits).
pub fn unroll(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    let limits = cx.options.limits;
    if !has_loops(module.function(f)) {
        return Changed::No;
    }
    lend(module, f, |module, f| {
        let mut changed = false;
        for inst in loops(f) {
            // What no round reaches is copied as well, but not without end.
            let most = limits.unroll_cost.saturating_mul(8);
            let Some(region) = region(f, inst, most) else { continue };
            let limits = limits_of(f, inst, &region, limits);
            let Some(rounds) = Stepper::new(module, f, limits).rounds(inst) else { continue };
            let cost = rounds.count.saturating_mul(region.len() as u32);
            if cost <= most && cx.budget.work("unroll", cost as usize).is_ok() {
                Unroller::new(f, inst, &region).unroll(f, rounds);
                changed = true;
            }
        }
        changed
    })
    .into()
}

/// The loops of a function, inner ones first.
fn loops(f: &Function) -> Vec<Inst> {
    let mut found: Vec<Inst> = Walk::new(f)
        .filter_map(|step| match step {
            Step::Inst(inst) if f.op(inst) == Op::Loop => Some(inst),
            _ => None,
        })
        .collect();
    found.reverse();
    found
}

/// All that is in a construct, unless it is more than so much.
fn region(f: &Function, inst: Inst, most: u32) -> Option<Vec<Inst>> {
    let (mut found, mut open) = (Vec::new(), f.blocks_of(inst).to_vec());
    while let Some(block) = open.pop() {
        let insts = &f.block(block).insts;
        found.extend_from_slice(insts);
        if found.len() > most as usize {
            return None;
        }
        insts.iter().for_each(|&inst| open.extend_from_slice(f.blocks_of(inst)));
    }
    Some(found)
}

/// The limits of a loop: others where something but its counter leaves it.
fn limits_of(f: &Function, inst: Inst, region: &[Inst], limits: Limits) -> Limits {
    let leaves =
        |op: Op| matches!(op, Op::Exit(to) if to == inst) || matches!(op, Op::Return | Op::Terminate);
    let several = region.iter().filter(|&&inst| leaves(f.op(inst))).count() > 1;
    let unroll_cost = if several { limits.unroll_exits } else { limits.unroll_cost };
    Limits { unroll_cost, ..limits }
}

/// A part of a loop, and how it is left for the other part.
struct Part {
    block: Block,
    params: Vec<Value>,
    exit: Op,
    /// Whether its last instruction is the only such exit: what follows it needs no construct.
    straight: bool,
}

struct Unroller {
    inst: Inst,
    body: Part,
    continuing: Part,
    copies: Copies,
}

impl Unroller {
    fn new(f: &Function, inst: Inst, region: &[Inst]) -> Unroller {
        let part = |n: usize, exit: Op| {
            let block = f.blocks_of(inst).get(n).copied().unwrap_or(f.body);
            let count = region.iter().filter(|&&inst| f.op(inst) == exit).count();
            let last = f.block(block).insts.last().is_some_and(|&last| f.op(last) == exit);
            Part { block, params: f.block(block).params.clone(), exit, straight: last && count == 1 }
        };
        let (body, continuing) = (part(0, Op::Continue(inst)), part(1, Op::Repeat(inst)));
        Unroller { inst, body, continuing, copies: Copies::new(f) }
    }

    /// The loop becomes a block, so that exits that name it stay as they are.
    fn unroll(mut self, f: &mut Function, rounds: Rounds) {
        let all = f.new_block();
        let mut values = f.args(self.inst).to_vec();
        for round in 1..=rounds.count {
            values = copy(&mut self.copies, f, &self.body, &values, &self.continuing, all);
            if round < rounds.count || rounds.last_continues {
                values = copy(&mut self.copies, f, &self.continuing, &values, &self.body, all);
            }
        }
        let last = f.block(all).insts.last();
        if !last.is_some_and(|&last| f.op(last).is_exit()) {
            f.push(all, Op::Unreachable, &[], &[]);
        }
        f.replace(self.inst, Op::Block, &[]);
        f.set_blocks(self.inst, &[all]);
    }
}

/// Copies a part to the end of a block; the values that it carries to the next one.
fn copy(
    copies: &mut Copies,
    f: &mut Function,
    part: &Part,
    values: &[Value],
    next: &Part,
    to: Block,
) -> Vec<Value> {
    part.params.iter().zip(values).for_each(|(&param, &value)| copies.set(param, value));
    if part.straight {
        copies.block(f, None, part.block, to);
        let exit = f.block_mut(to).insts.pop();
        return exit.map(|exit| f.args(exit).to_vec()).unwrap_or_default();
    }
    let types: Vec<Ty> = next.params.iter().map(|&param| f.ty(param)).collect();
    let (construct, inner) = (f.push(to, Op::Block, &[], &types), f.new_block());
    f.set_blocks(construct, &[inner]);
    copies.redirect(part.exit, Op::Exit(construct));
    copies.block(f, None, part.block, inner);
    f.results(construct).collect()
}

#[cfg(test)]
mod tests {
    use chiaro_diag::FileId;
    use chiaro_ir::parse;

    use super::*;
    use crate::Options;

    /// Loops that something but their counter leaves have a limit of their own.
    #[test]
    fn loops_with_several_exits_have_their_own_limit() {
        let unrolled = |exit: &str, unroll_exits: u32| {
            let text = format!(
                "fn @f(%0: bool) -> i32 {{
  %1: i32 = loop @1 (%2: i32 = 0) {{
    %3: bool = slt %2, 4
    if %3 {{ exit }} else {{ exit @1 %2 }}
    {exit}
    continue %2
  }} continuing (%4: i32) {{
    %5: i32 = iadd %4, 1
    repeat %5
  }}
  return %1
}}
"
            );
            let mut module = parse(&text, FileId(0)).unwrap_or_else(|errors| panic!("{errors:?}"));
            let limits = Limits { unroll_exits, ..Limits::default() };
            let mut cx = Cx { options: Options { limits, ..Options::default() }, ..Cx::default() };
            unroll(&mut module, FunctionRef(0), &mut cx) == Changed::Yes
        };
        let early = "if %0 { exit @1 7 } else { exit }";
        assert!(unrolled("", 0) && unrolled(early, 256));
        assert!(!unrolled(early, 0));
    }
}
