//! The order of the passes, and the run of all of them on an entry point.

use std::collections::{BTreeSet, HashSet};

use crate::inline::{Calls, exported, named_in, reached};
use crate::{Changed, Cx, Pass, Settled, known_params};
use chiaro_ir::{Constant, ConstantKind, Copies, Function, FunctionRef, Module, Op, Step, Walk};

/// Passes by the names of their functions, which are those of their files.
macro_rules! passes {
    ($($name:ident),* $(,)?) => {
        &[$( Pass { name: stringify!($name), run: crate::$name::$name } ),*]
    };
}

/// Every pass, by name.
pub static PASSES: &[Pass] = passes![
    simplify_cfg,
    dce,
    const_fold,
    forward_stores,
    copy_prop,
    inline,
    globals_to_locals,
    cse,
    trivial_phis,
    mem2reg,
    sroa,
];

/// The passes that compute with what operations mean, or move them, by name; `scalarize`,
/// `contract`, `sink` and `implied` are for targets to choose.
pub static ALGEBRA: &[Pass] = passes![
    simplify,
    unroll,
    if_convert,
    merge_stores,
    matrix_chains,
    reassociate,
    vectorize,
    scalarize,
    contract,
    licm,
    sink,
    implied
];

/// What serves machines that lack something, by name; for targets to choose.
pub static LEGALIZE: &[Pass] = passes![outputs_to_locals];

/// Outputs become values that one place stores.
pub static OUTPUTS_AT_END: &[Pass] = &[
    Pass { name: "single_return", run: crate::single_return },
    Pass { name: "outputs_at_end", run: crate::outputs_at_end },
    Pass { name: "sroa", run: crate::sroa },
    Pass { name: "mem2reg", run: crate::mem2reg },
];

/// What comes last: products and sums together.
pub static CONTRACT: &[Pass] = passes![contract, dce];

/// What nobody listens to.
static SILENT: &[Pass] = passes![drop_prints];

/// From a front end's tree of calls and variables to values.
pub static TO_VALUES: &[Pass] = passes![inline, globals_to_locals, sroa, mem2reg, dce];

/// The same again, where indices have become constant. Calls that were too many to inline stay
/// calls: each round would grow the function to its limit again.
pub static AGAIN_TO_VALUES: &[Pass] = passes![sroa, mem2reg, dce];

/// What makes values and control simpler, until nothing changes.
pub static CLEAN_UP: &[Pass] =
    passes![const_fold, simplify, copy_prop, simplify_cfg, trivial_phis, cse, forward_stores, dce];

/// What trades size for fewer branches. Places that were indexed by a loop's counter are values
/// afterwards.
pub static CONTROL: &[Pass] = passes![unroll, if_convert];

/// What gives expressions their final shape.
pub static EXPRESSIONS: &[Pass] = passes![matrix_chains, licm, reassociate, merge_stores, vectorize];

/// Optimises one entry point, and leaves the module with what it needs.
///
/// Everything that it calls is inlined, as far as [`Options`](crate::Options) allow; the lists of
/// passes run in their order, [`CLEAN_UP`] behind each of them until nothing changes or
/// [`Options::rounds`](crate::Options::rounds) are over. Other entry points, and functions that
/// are not reached, are gone, and so is what is printed. A breach that a pass makes, if the driver verifies, ends the run:
/// it is [`Cx::breach`].
pub fn optimize(module: &mut Module, entry: &str, cx: &mut Cx<'_>) -> Changed {
    optimize_settled(module, entry, &mut Settled::default(), cx)
}

/// The same; which passes are settled in the entry point then.
pub(crate) fn optimize_settled(
    module: &mut Module,
    entry: &str,
    settled: &mut Settled,
    cx: &mut Cx<'_>,
) -> Changed {
    let Some(f) = module.entry(entry).map(|entry| entry.function) else { return Changed::No };
    let before = module.functions.len();
    module.entries.retain(|other| other.name == entry);
    let mut changed = false;
    if !module.texts.is_empty() {
        let all = reached(module, f).into_iter();
        changed |= all.fold(false, |any, f| any | (cx.run_all(SILENT, module, f) == Changed::Yes));
    }
    changed |= function(module, f, settled, cx);
    changed |= others(module, f, cx);
    changed |= fewer_params(module, f, settled, cx);
    remove_unreached(module);
    (changed || module.functions.len() != before).into()
}

/// Optimises the functions that are left once those before them have inlined what they can; whether anything changed. Those
/// that are nobody's any more are not looked at.
fn others(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> bool {
    let mut met = HashSet::from([f]);
    let mut open: BTreeSet<u32> = exported(module).chain(named_in(module, f)).map(|f| f.0).collect();
    let mut changed = false;
    while let Some(other) = open.pop_first().map(FunctionRef) {
        if met.insert(other) {
            changed |= function(module, other, &mut Settled::default(), cx);
            open.extend(named_in(module, other).iter().map(|f| f.0));
        }
    }
    changed
}

/// Parameters that callers make known go, and what follows from it is simplified, until nothing changes or
/// [`Options::rounds`](crate::Options::rounds) are over; whether anything changed.
fn fewer_params(module: &mut Module, f: FunctionRef, settled: &mut Settled, cx: &mut Cx<'_>) -> bool {
    let mut changed = false;
    // What a function is not given any more, those that it calls may not have to be given either.
    for _ in 0..cx.options.rounds {
        let fewer = known_params(module, f, &cx.options.agreed);
        if fewer.functions.is_empty() {
            break;
        }
        changed = true;
        for other in fewer.functions {
            function(module, other, &mut Settled::default(), cx);
        }
        for caller in fewer.callers {
            let mut own = Settled::default();
            clean_up(module, caller, &mut own, cx);
            if caller == f {
                *settled = own;
            }
        }
    }
    changed
}

/// Optimises one function; whether anything changed.
fn function(module: &mut Module, f: FunctionRef, settled: &mut Settled, cx: &mut Cx<'_>) -> bool {
    let mut changed = values(TO_VALUES, module, f, settled, cx);
    for _ in 0..cx.options.rounds {
        // Indices are constant once what unrolled loops count is: variables are split in the round behind that.
        let control = cx.run_unsettled(settled, CONTROL, module, f) == Changed::Yes;
        if !(values(AGAIN_TO_VALUES, module, f, settled, cx) || control) {
            break;
        }
        changed = true;
    }
    if cx.run_unsettled(settled, EXPRESSIONS, module, f) == Changed::Yes {
        changed = true;
        clean_up(module, f, settled, cx);
    }
    changed
}

/// Variables become values, and values simpler; whether anything changed.
fn values(
    passes: &[Pass],
    module: &mut Module,
    f: FunctionRef,
    settled: &mut Settled,
    cx: &mut Cx<'_>,
) -> bool {
    let changed = cx.run_unsettled(settled, passes, module, f) == Changed::Yes;
    if changed {
        // Tables by number are no larger than what is left.
        let smaller = compact(module.function(f));
        *module.function_mut(f) = smaller;
    }
    clean_up(module, f, settled, cx) || changed
}

/// [`CLEAN_UP`] until nothing changes, or [`Options::rounds`](crate::Options::rounds) are over; whether anything
/// changed.
pub fn clean_up(module: &mut Module, f: FunctionRef, settled: &mut Settled, cx: &mut Cx<'_>) -> bool {
    let rounds = 0..cx.options.rounds;
    let is_changed = |_: &u32| cx.run_unsettled(settled, CLEAN_UP, module, f) == Changed::Yes;
    rounds.take_while(is_changed).count() > 0
}

/// The functions with bodies that are left once an entry point has inlined what it can: itself, those that it still
/// calls, and those that other parts call.
pub(crate) fn functions(module: &Module, f: FunctionRef) -> Vec<FunctionRef> {
    let calls = Calls::from(module, f);
    let all = (0..module.functions.len() as u32).map(FunctionRef);
    let is_other =
        |&other: &FunctionRef| calls.reaches(other) && !module.function(other).is_import() && other != f;
    let mut list: Vec<FunctionRef> = all.filter(is_other).collect();
    list.insert(0, f);
    list
}

/// Takes away functions that no entry point reaches, and what is left of old instructions in
/// the others. Where functions are values all are kept.
fn remove_unreached(module: &mut Module) {
    // Where functions are constants all keep their numbers.
    let constants = (0..module.constants.len() as u32).map(Constant);
    if constants.into_iter().any(|c| matches!(module.constants.get(c), ConstantKind::Function(_))) {
        return module.functions.iter_mut().for_each(|f| *f = compact(f));
    }
    let mut reached = vec![false; module.functions.len()];
    for entry in &module.entries {
        let calls = Calls::from(module, entry.function);
        (0..reached.len()).for_each(|i| reached[i] |= calls.reaches(FunctionRef(i as u32)));
    }
    let mut numbers = Vec::with_capacity(reached.len());
    let mut next = 0;
    for &reached in &reached {
        numbers.push(FunctionRef(next));
        next += u32::from(reached);
    }
    let mut keep = reached.iter();
    module.functions.retain(|_| keep.next().copied().unwrap_or(true));
    for f in &mut module.functions {
        *f = compact(f);
        renumber(f, &numbers);
    }
    for entry in &mut module.entries {
        entry.function = numbers[entry.function.0 as usize];
    }
}

/// The function without instructions, blocks and values that nothing reaches.
fn compact(old: &Function) -> Function {
    let mut new = old.successor(&old.param_types(), old.result);
    new.reserve(old.inst_count());
    let mut copies = Copies::new(old);
    for (&from, to) in old.params.iter().zip(new.params.clone()) {
        copies.set(from, to);
    }
    let body = new.body;
    copies.block(&mut new, Some(old), old.body, body);
    new
}

fn renumber(f: &mut Function, numbers: &[FunctionRef]) {
    let calls: Vec<_> = Walk::new(f)
        .filter_map(|step| match step {
            Step::Inst(inst) if matches!(f.op(inst), Op::Call(_)) => Some(inst),
            _ => None,
        })
        .collect();
    for inst in calls {
        if let Op::Call(callee) = f.op(inst) {
            f.inst_mut(inst).op = Op::Call(numbers[callee.0 as usize]);
        }
    }
}
