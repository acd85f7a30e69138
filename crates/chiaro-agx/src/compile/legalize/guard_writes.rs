//! Fragments that a `demote` has made helpers change no memory that others see (spec 7, 19.10). Whether the machine keeps
//! lanes without samples from it is [unknown]; asking is right either way.
//!
//! ```text
//! demote                       demote
//! store %0, %1         ->      if !is_helper { store %0, %1 }
//! ```
//!
//! What comes before all of them, and in no loop with one, stays as it is.

use chiaro_ir::{Function, FunctionRef, Inst, Module, Op, Space, Step, Type, Walk};
use chiaro_opt::lower::rewrite::{Replaced, Rewrite, Rule, rewrite};
use chiaro_opt::{Changed, Cx};
use rustc_hash::FxHashSet as HashSet;

/// Has helpers write nothing behind a `demote`.
pub(super) fn guard_writes(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let behind = behind(module, module.function(f));
    if behind.is_empty() { Changed::No } else { rewrite(module, f, Guards { behind }) }
}

/// Writes that may come behind a `demote`.
fn behind(module: &Module, f: &Function) -> HashSet<Inst> {
    let (mut found, mut in_loop) = (HashSet::default(), Vec::new());
    let (mut loops, mut is_behind) = (0, false);
    let is_loop = |owner: Option<Inst>| owner.is_some_and(|owner| f.op(owner) == Op::Loop);
    for step in Walk::new(f) {
        match step {
            Step::Open(owner, ..) => loops += u32::from(is_loop(owner)),
            Step::Close(owner, ..) => {
                loops -= u32::from(is_loop(owner));
                if loops == 0 {
                    in_loop.clear();
                }
            }
            Step::Inst(inst) if f.op(inst) == Op::Demote => {
                is_behind = true;
                found.extend(in_loop.drain(..));
            }
            Step::Inst(inst) if is_seen_by_others(module, f, inst) => {
                if is_behind {
                    found.insert(inst);
                } else if loops > 0 {
                    in_loop.push(inst);
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether an instruction changes memory that others see.
pub(super) fn is_seen_by_others(module: &Module, f: &Function, inst: Inst) -> bool {
    match f.op(inst) {
        Op::Store | Op::Copy => {
            let pointer = f.args(inst).first().and_then(|&pointer| module.types.pointee(f.ty(pointer)));
            let is_own = |space| matches!(space, Space::Output | Space::Private | Space::Function);
            pointer.is_none_or(|(space, _)| !is_own(space))
        }
        Op::ImageWrite | Op::Atomic(..) | Op::AtomicCompare(..) | Op::AtomicStore(..) => true,
        _ => false,
    }
}

struct Guards {
    behind: HashSet<Inst>,
}

impl Rule for Guards {
    fn replace(r: &mut Rewrite<'_, Self>, inst: Inst, op: Op) -> Replaced {
        if !r.rule.behind.contains(&inst) {
            return Replaced::Copy;
        }
        let args = r.args(inst);
        let result = r.old.result_of(inst).map(|result| r.ty_of(result));
        let bool = r.b.types().intern(Type::Bool);
        let is_helper = r.b.op_as(Op::IsHelper, &[], bool);
        let shades = r.b.not(is_helper);
        match result {
            Some(ty) => {
                let found = r.b.choose(shades, ty, |b| b.op_as(op, &args, ty), |b| b.zero(ty));
                Replaced::By(found)
            }
            None => {
                r.b.when(shades, |b, _| b.op_void(op, &args));
                Replaced::Gone
            }
        }
    }
}
