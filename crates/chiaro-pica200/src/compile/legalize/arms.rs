//! What reads a choice between registers is computed in the arms of the `if`, which else only copy them.
//!
//! ```text
//! %2 = if %c { exit %a } else { exit %b }             %3 = if %c { %4 = fmul %a, %x; exit %4 }
//! %3 = fmul %2, %x                                         else { %5 = fmul %b, %x; exit %5 }
//! ```
//!
//! An arm that hands on a uniform, a number or an input takes a MOV for it, which the product is as good as. True
//! before: as [`choices`](super::choices()) leaves it.

use super::chosen::{branches, is_movable};
use super::tails::exits;
use chiaro_ir::{Block, Def, Forward, Function, FunctionRef, Inst, Module, Op, Space, Ty, Value, use_counts};
use chiaro_opt::{Changed, Cx};

/// Moves single readers of choices into the arms.
pub fn arms(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    if module.function(f).is_straight() {
        return Changed::No;
    }
    let exits = exits(module.function(f));
    let mut uses = use_counts(module.function(f));
    let mut changed = false;
    for (inst, block) in branches(module.function(f)).into_iter().rev() {
        let plain = exits.get(inst.0 as usize) == Some(&2);
        // What was moved may have a single reader, too.
        while plain && let Some(reader) = Reader::of(module, (module.function(f), &uses), inst, block) {
            let mut forward = Forward::new();
            reader.put(module.function_mut(f), block, &mut forward);
            forward.apply(module.function_mut(f));
            uses = use_counts(module.function(f));
            changed = true;
        }
    }
    changed.into()
}

/// The only reader of a result of an `if`.
struct Reader {
    branch: Inst,
    /// Which result.
    result: usize,
    inst: Inst,
}

impl Reader {
    fn of(module: &Module, (f, uses): (&Function, &[u32]), branch: Inst, block: Block) -> Option<Reader> {
        let ends = ends(f, branch)?;
        let is_pure = |inst: &Inst| is_movable(module, f, *inst);
        let all_pure = f
            .blocks_of(branch)
            .iter()
            .all(|&arm| f.block(arm).insts.split_last().is_some_and(|(_, rest)| rest.iter().all(is_pure)));
        if !all_pure {
            return None;
        }
        f.results(branch).enumerate().find_map(|(n, result)| {
            let values = ends.map(|end| f.args(end)[n]);
            let inst = reader(module, (f, uses), block, (branch, result), values)?;
            Some(Reader { branch, result: n, inst })
        })
    }

    fn put(&self, f: &mut Function, block: Block, forward: &mut Forward) {
        let (Some(ends), Some(read)) = (ends(f, self.branch), f.result_of(self.inst)) else { return };
        let old: Vec<Value> = f.results(self.branch).collect();
        let mut types: Vec<Ty> = old.iter().map(|&result| f.ty(result)).collect();
        types[self.result] = f.ty(read);
        for (arm, end) in f.blocks_of(self.branch).to_vec().into_iter().zip(ends) {
            let value = f.args(end)[self.result];
            let args: Vec<Value> = f
                .args(self.inst)
                .iter()
                .map(|&arg| if arg == old[self.result] { value } else { arg })
                .collect();
            let copy = f.make(f.op(self.inst), &args, &[f.ty(read)]);
            let (span, flags) = (f.inst(self.inst).span, f.inst(self.inst).flags);
            (f.inst_mut(copy).span, f.inst_mut(copy).flags) = (span, flags);
            let insts = &mut f.block_mut(arm).insts;
            insts.insert(insts.len() - 1, copy);
            f.args_mut(end)[self.result] = f.result_of(copy).unwrap_or(value);
        }
        f.set_results(self.branch, &types);
        let new: Vec<Value> = f.results(self.branch).collect();
        for (n, (&old, &new)) in old.iter().zip(&new).enumerate() {
            forward.set(if n == self.result { read } else { old }, new);
        }
        let insts = &mut f.block_mut(block).insts;
        insts.retain(|&inst| inst != self.branch);
        if let Some(at) = insts.iter().position(|&inst| inst == self.inst) {
            insts[at] = self.branch;
        }
    }
}

/// The exits at the ends of the arms of an `if`.
fn ends(f: &Function, branch: Inst) -> Option<[Inst; 2]> {
    let &[then, other] = f.blocks_of(branch) else { return None };
    let end = |arm: Block| f.block(arm).insts.last().copied().filter(|&last| f.op(last) == Op::Exit(branch));
    Some([end(then)?, end(other)?])
}

/// The only reader of what an instruction of a block chooses of two values that are in registers which take a copy
/// each: one operation, that can as well read these themselves.
pub(super) fn reader(
    module: &Module,
    (f, uses): (&Function, &[u32]),
    block: Block,
    (choice, result): (Inst, Value),
    values: [Value; 2],
) -> Option<Inst> {
    let is_alone = uses.get(result.0 as usize) == Some(&1);
    if !is_alone || !values.iter().all(|&value| is_bare(module, f, value)) {
        return None;
    }
    let insts = &f.block(block).insts;
    let behind = &insts[insts.iter().position(|&inst| inst == choice)? + 1..];
    let at = behind.iter().position(|&inst| f.args(inst).contains(&result))?;
    let (between, reader) = (&behind[..at], behind[at]);
    let is_passed = |inst: &Inst| {
        f.blocks_of(*inst).is_empty() && !f.results(choice).any(|result| f.args(*inst).contains(&result))
    };
    let is_one = matches!(f.op(reader), Op::FMul | Op::FAdd | Op::FMin | Op::FMax);
    let others: Vec<Value> = f.args(reader).iter().copied().filter(|&arg| arg != result).collect();
    let fits = match others[..] {
        [other] => {
            !f.results(choice).any(|v| v == other) && values.iter().all(|v| !clash(module, f, *v, other))
        }
        _ => false,
    };
    (is_one && fits && between.iter().all(is_passed)).then_some(reader)
}

/// Whether one instruction cannot name two values: it names one uniform or number and one input.
fn clash(module: &Module, f: &Function, a: Value, b: Value) -> bool {
    is_bare(module, f, a) && is_bare(module, f, b) && is_input(module, f, a) == is_input(module, f, b)
}

fn is_input(module: &Module, f: &Function, value: Value) -> bool {
    let Def::Result(load, _) = f.def(value) else { return false };
    let place = f.args(load).first().and_then(|&pointer| module.types.pointee(f.ty(pointer)));
    place.is_some_and(|(space, _)| space == Space::Input)
}

/// Whether a value stands in a register that a program only reads.
fn is_bare(module: &Module, f: &Function, value: Value) -> bool {
    match f.def(value) {
        Def::Constant(_) => true,
        Def::Result(inst, _) => f.op(inst) == Op::Load && is_movable(module, f, inst),
        _ => false,
    }
}
