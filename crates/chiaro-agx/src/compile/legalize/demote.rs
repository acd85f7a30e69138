//! Fragments that end go on as helpers where nobody can tell (spec 18.1, 19.10): killing their samples is enough.
//!
//! ```text
//! if %0 { terminate } else { exit }      ->      if %0 { demote; exit } else { exit }
//! ```
//!
//! Nothing may be written to memory or asked of other lanes but their quad, and no loop may hold the end, since that
//! may be what ends the loop.

use chiaro_ir::{ConstantKind, Effect, Function, FunctionRef, Inst, Module, Op, Stage, Step, Value, Walk};
use chiaro_opt::{Changed, Cx};
use rustc_hash::FxHashMap as HashMap;

use super::guard_writes::is_seen_by_others;

/// Makes helpers of fragments that end.
pub(super) fn demote(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let is_fragment = module.entries.iter().any(|entry| entry.stage == Stage::Fragment);
    let found = if is_fragment { ends(module, module.function(f)) } else { None };
    let Some(ends) = found else { return Changed::No };
    let demotes: HashMap<Inst, Inst> =
        ends.into_iter().map(|(end, owner)| (end, replaced(module, f, end, owner))).collect();
    let function = module.function_mut(f);
    for (_, block) in if demotes.is_empty() { Vec::new() } else { function.tree() } {
        let insts = std::mem::take(&mut function.block_mut(block).insts);
        let with_demotes =
            insts.into_iter().flat_map(|inst| demotes.get(&inst).copied().into_iter().chain([inst]));
        function.block_mut(block).insts = with_demotes.collect();
    }
    (!demotes.is_empty()).into()
}

/// Makes an end go on behind its construct, with results that nobody defined; what kills its samples in front of that.
fn replaced(module: &mut Module, f: FunctionRef, end: Inst, owner: Option<Inst>) -> Inst {
    let function = module.function(f);
    let results = owner.into_iter().flat_map(|owner| function.results(owner)).map(|value| function.ty(value));
    let undefined: Vec<Value> = results
        .collect::<Vec<_>>()
        .into_iter()
        .map(|ty| {
            let constant = module.constants.intern(ty, ConstantKind::Undef);
            module.function_mut(f).constant(constant, ty)
        })
        .collect();
    let function = module.function_mut(f);
    let demote = function.make(Op::Demote, &[], &[]);
    function.inst_mut(demote).span = function.inst(end).span;
    match owner {
        Some(owner) => function.replace(end, Op::Exit(owner), &undefined),
        None => function.replace(end, Op::Return, &[]),
    }
    demote
}

/// The ends of fragments with the construct that each is in; nothing where somebody could tell.
fn ends(module: &Module, f: &Function) -> Option<Vec<(Inst, Option<Inst>)>> {
    let (mut ends, mut around) = (Vec::new(), Vec::new());
    for step in Walk::new(f) {
        match step {
            Step::Open(owner, ..) => around.push(owner),
            Step::Close(..) => _ = around.pop(),
            Step::Inst(inst) if f.op(inst) == Op::Terminate => {
                let in_loop = around.iter().flatten().any(|&owner| f.op(owner) == Op::Loop);
                if in_loop {
                    return None;
                }
                ends.push((inst, around.last().copied().flatten()));
            }
            Step::Inst(inst) if is_seen(module, f, inst) => return None,
            _ => {}
        }
    }
    Some(ends)
}

/// Whether an instruction shows which lanes run it.
fn is_seen(module: &Module, f: &Function, inst: Inst) -> bool {
    match f.op(inst) {
        Op::Store => is_seen_by_others(module, f, inst),
        Op::Var(_) | Op::Demote | Op::Sample(_) | Op::ImageQuery(_) => false,
        Op::Ddx | Op::DdxFine | Op::DdxCoarse | Op::Ddy | Op::DdyFine | Op::DdyCoarse => false,
        op => matches!(op.effect(), Effect::Write | Effect::Convergent | Effect::Barrier),
    }
}
