//! Makes private variables of the module that only one entry point uses variables of its
//! function, so that `sroa` and `mem2reg` see them.
//!
//! ```text
//! global @g: private f32 = 1     ->      %0 = var private f32 1     at the start of the function
//! store @g, 2                            store %0, 2
//! ```
//!
//! True before: nothing; it finds more after `inline`. True after: the function of an entry point
//! that nobody calls names no private variable of the module that no other function names that runs.

use crate::inline::Calls;
use crate::{Changed, Cx};
use chiaro_ir::{
    ConstantKind, Def, Forward, Function, FunctionRef, GlobalRef, Module, Op, Space, Step, Value, Walk,
};

/// Moves private variables of the module into the function.
pub fn globals_to_locals(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let is_private = module.globals.iter().any(|g| g.space == Space::Private);
    if !is_private || !is_only_entered(module, f) {
        return Changed::No;
    }
    let own = named(module, module.function(f));
    let mut movable: Vec<(GlobalRef, Value)> =
        own.into_iter().filter(|(g, _)| module.global(*g).space == Space::Private).collect();
    let runs = running(module);
    for (i, other) in module.functions.iter().enumerate() {
        if i != f.0 as usize && runs[i] && !movable.is_empty() {
            let others = named(module, other);
            movable.retain(|(g, _)| others.iter().all(|(other, _)| other != g));
        }
    }
    // Another variable may start with the address of this one.
    movable.retain(|&(g, _)| !is_part_of_constant(module, g));
    localize(module, f, &movable);
    for entry in module.entries.iter_mut().filter(|entry| entry.function == f) {
        entry.interface.retain(|g| movable.iter().all(|(moved, _)| moved != g));
    }
    (!movable.is_empty()).into()
}

/// Makes some private variables of the module variables of a function. Whoever asks knows that nothing outlives a call of
/// it and that no other function names them.
pub fn to_locals(module: &mut Module, f: FunctionRef, globals: &[GlobalRef]) {
    let own = named(module, module.function(f));
    let movable: Vec<(GlobalRef, Value)> = own.into_iter().filter(|(g, _)| globals.contains(g)).collect();
    localize(module, f, &movable);
}

fn localize(module: &mut Module, f: FunctionRef, movable: &[(GlobalRef, Value)]) {
    let mut forward = Forward::new();
    for &(g, place) in movable {
        let (ty, init) = (module.global(g).ty, module.global(g).init);
        let function = module.function_mut(f);
        let init = init.map(|init| function.constant(init, ty));
        let pointer = function.ty(place);
        let var = function.make(Op::Var(Space::Private), init.as_slice(), &[pointer]);
        let body = function.body;
        function.block_mut(body).insts.insert(0, var);
        function.result_of(var).into_iter().for_each(|new| forward.set(place, new));
    }
    forward.apply(module.function_mut(f));
}

/// The functions that some entry point reaches: what was inlined everywhere names variables that
/// nobody misses there.
fn running(module: &Module) -> Vec<bool> {
    let mut runs = vec![false; module.functions.len()];
    for entry in &module.entries {
        let calls = Calls::from(module, entry.function);
        (0..runs.len()).for_each(|i| runs[i] |= calls.reaches(FunctionRef(i as u32)));
    }
    runs
}

/// Whether a function runs as an entry point and never else.
fn is_only_entered(module: &Module, f: FunctionRef) -> bool {
    let calls = |other: &Function| {
        Walk::new(other).any(|step| matches!(step, Step::Inst(inst) if other.op(inst) == Op::Call(f)))
    };
    let is_value = (0..module.constants.len() as u32)
        .any(|c| *module.constants.get(chiaro_ir::Constant(c)) == ConstantKind::Function(f));
    module.entries.iter().any(|entry| entry.function == f) && !is_value && !module.functions.iter().any(calls)
}

/// The variables of the module that a function names, in the order in which it does.
#[must_use]
pub fn named(module: &Module, f: &Function) -> Vec<(GlobalRef, Value)> {
    // By value; most are looked at more than once.
    let mut variables: Vec<Option<GlobalRef>> = vec![None; f.value_count()];
    for (v, variable) in (0..).map(Value).zip(&mut variables) {
        if let Def::Constant(c) = f.def(v)
            && let ConstantKind::Global(g) = *module.constants.get(c)
        {
            *variable = Some(g);
        }
    }
    let mut seen = vec![false; module.globals.len()];
    let mut found = Vec::new();
    for inst in Walk::insts(f) {
        for &arg in f.args(inst) {
            if let Some(g) = variables[arg.0 as usize]
                && !std::mem::replace(&mut seen[g.0 as usize], true)
            {
                found.push((g, arg));
            }
        }
    }
    found
}

fn is_part_of_constant(module: &Module, g: GlobalRef) -> bool {
    let is_address = |c| *module.constants.get(c) == ConstantKind::Global(g);
    let all = (0..module.constants.len() as u32).map(chiaro_ir::Constant);
    let inside = all.into_iter().any(|c| match module.constants.get(c) {
        ConstantKind::Composite(parts) => parts.iter().copied().any(is_address),
        _ => false,
    });
    inside || module.globals.iter().filter_map(|other| other.init).any(is_address)
}
