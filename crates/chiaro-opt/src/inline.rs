//! Inlining: replaces calls by the bodies of the called functions.
//!
//! ```text
//! %1: f32 = call @f(%0)      ->      %1: f32 = block @1 {
//!                                      (the body of @f, with %0 for its parameter)
//!                                      exit @1 %2          where it was `return %2`
//!                                    }
//! ```
//!
//! True before: nothing. True after: no call is left, but of functions that may call themselves,
//! or where the function would grow beyond [`Options::most`](crate::Options::most), or, on
//! targets that call functions, of large functions, or of those in
//! [`Options::keep`](crate::Options::keep). Lanes that call together come out of the block
//! together, as out of the call.

use std::collections::HashSet;

use crate::{Changed, Cx, components};
use chiaro_ir::{
    Block, Constant, ConstantKind, Copies, Def, Function, FunctionRef, Inst, Linkage, Module, Op, Ty, Type,
    Walk,
};

/// Why a call is left where all are to be inlined, with advice. What calls itself is refused before.
#[must_use]
pub fn call_left(name: &str) -> (String, &'static str) {
    let most = crate::Options::default().most;
    let message = format!(
        "a `{name}` is left: with it the program takes more than the {most} instructions that are allowed"
    );
    (message, "every call is written out: call functions less often, or let loops call them")
}

/// Inlines calls, those in inlined bodies too.
pub fn inline(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    let calls = Calls::from(module, f);
    if calls.of(f).is_empty() {
        return Changed::No;
    }
    let void = module.function(f).result;
    let function = std::mem::replace(module.function_mut(f), Function::new("", &[], void));
    let mut inliner = Inliner { module, calls: &calls, function, cx, changed: false };
    inliner.run(f);
    let Inliner { function, changed, .. } = inliner;
    *module.function_mut(f) = function;
    changed.into()
}

/// Writes out the calls of one function, whether or not it leads back to the caller.
pub fn inline_calls_of(module: &mut Module, f: FunctionRef, callee: FunctionRef) {
    let void = module.function(f).result;
    let mut function = std::mem::replace(module.function_mut(f), Function::new("", &[], void));
    let calls: Vec<Inst> =
        Walk::insts(&function).filter(|&inst| function.op(inst) == Op::Call(callee)).collect();
    for inst in calls {
        write_out(&mut function, inst, module.function(callee));
    }
    *module.function_mut(f) = function;
}

/// Makes a call a block with the same results.
fn write_out(function: &mut Function, inst: Inst, source: &Function) {
    let mut copies = Copies::new(source);
    for (&param, &arg) in source.params.iter().zip(function.args(inst)) {
        copies.set(param, arg);
    }
    copies.redirect(Op::Return, Op::Exit(inst));
    let body: Block = function.new_block();
    copies.block(function, Some(source), source.body, body);
    function.replace(inst, Op::Block, &[]);
    function.set_blocks(inst, &[body]);
}

/// Functions that an entry point reaches and that call themselves, at once, through others, or through pointers.
#[must_use]
pub fn recursive(module: &Module, f: FunctionRef) -> Vec<FunctionRef> {
    let calls = Calls::from(module, f);
    (0..module.functions.len() as u32).map(FunctionRef).filter(|&f| calls.is_recursive(f)).collect()
}

/// Functions that are values in what an entry point reaches: pointers lead to these and no others.
#[must_use]
pub fn pointed_at(module: &Module, f: FunctionRef) -> Vec<FunctionRef> {
    Calls::from(module, f).named
}

/// Functions that other parts may call.
pub fn exported(module: &Module) -> impl Iterator<Item = FunctionRef> + '_ {
    let all = (0..).map(FunctionRef).zip(&module.functions);
    all.filter(|(_, f)| f.linkage == Linkage::Export).map(|(f, _)| f)
}

/// The functions that an entry point or another part comes to, by calls or as values, itself among them.
#[must_use]
pub fn reached(module: &Module, f: FunctionRef) -> Vec<FunctionRef> {
    let calls = Calls::from(module, f);
    let all = (0..module.functions.len() as u32).map(FunctionRef);
    all.filter(|f| calls.callees[f.0 as usize].is_some()).collect()
}

/// Functions of a list that a call through a pointer of a type may lead to.
#[must_use]
pub fn targets(module: &Module, named: &[FunctionRef], ty: Ty) -> Vec<FunctionRef> {
    let Type::Function(params, result) = module.types.get(ty) else { return Vec::new() };
    let fits = |f: &FunctionRef| {
        let f = module.function(*f);
        f.result == *result && f.param_types() == *params
    };
    named.iter().copied().filter(fits).collect()
}

/// Functions of a list that the same pointers may lead to as to a function.
#[must_use]
pub fn alike(module: &Module, named: &[FunctionRef], f: FunctionRef) -> Vec<FunctionRef> {
    let f = module.function(f);
    let fits = |other: &FunctionRef| {
        let other = module.function(*other);
        other.result == f.result && other.param_types() == f.param_types()
    };
    named.iter().copied().filter(fits).collect()
}

/// Functions that a function calls, by their names or through pointers to some of a list, in the order in which it
/// does.
#[must_use]
pub fn callees(module: &Module, f: FunctionRef, named: &[FunctionRef]) -> Vec<FunctionRef> {
    let f = module.function(f);
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    for inst in Walk::insts(f) {
        let next = match f.op(inst) {
            Op::Call(callee) => vec![callee],
            Op::CallIndirect => targets(module, named, f.ty(f.args(inst)[0])),
            _ => continue,
        };
        found.extend(next.into_iter().filter(|f| seen.insert(*f)));
    }
    found
}

/// Functions with bodies whose names stand in a function: those that it calls, and those that are values there.
pub(crate) fn named_in(module: &Module, f: FunctionRef) -> Vec<FunctionRef> {
    let mut found = names(module, module.function(f));
    found.extend(callees(module, f, &[]));
    found.retain(|f| !module.function(*f).is_import());
    found
}

/// A function with all that it calls, by their names or through pointers to some of a list: itself first.
#[must_use]
pub fn with_callees(module: &Module, f: FunctionRef, named: &[FunctionRef]) -> Vec<FunctionRef> {
    with_next(f, |f| callees(module, f, named))
}

/// A function with all that others lead to from it: itself first.
pub(crate) fn with_next(f: FunctionRef, next: impl Fn(FunctionRef) -> Vec<FunctionRef>) -> Vec<FunctionRef> {
    let (mut reached, mut at) = (vec![f], 0);
    while let Some(&f) = reached.get(at) {
        at += 1;
        for next in next(f) {
            if !reached.contains(&next) {
                reached.push(next);
            }
        }
    }
    reached
}

struct Inliner<'a, 'c> {
    module: &'a Module,
    calls: &'a Calls,
    function: Function,
    cx: &'a Cx<'c>,
    changed: bool,
}

impl Inliner<'_, '_> {
    fn run(&mut self, f: FunctionRef) {
        let mut size = self.calls.size(f);
        let mut waiting = vec![self.function.body];
        while let Some(block) = waiting.pop() {
            for i in 0..self.function.block(block).insts.len() {
                let inst = self.function.block(block).insts[i];
                if let Op::Call(callee) = self.function.op(inst)
                    && self.is_wanted(callee, size)
                {
                    size += self.calls.size(callee);
                    write_out(&mut self.function, inst, self.module.function(callee));
                    self.changed = true;
                }
                waiting.extend_from_slice(self.function.blocks_of(inst));
            }
        }
    }

    fn is_wanted(&self, callee: FunctionRef, size: u32) -> bool {
        let (options, own) = (&self.cx.options, self.calls.size(callee));
        let fits = size.saturating_add(own) <= options.most;
        let is_small = !options.calls || own <= options.small;
        let callee_of = self.module.function(callee);
        let is_kept = callee_of.is_import() || options.keep.contains(&callee_of.name);
        let is_wanted = !self.calls.is_recursive(callee) && fits && is_small && !is_kept;
        is_wanted && self.cx.budget.work("inline", own as usize).is_ok()
    }
}

/// Who calls whom, as far as it is reached from one function.
pub(crate) struct Calls {
    /// By function: those that it calls, once for each call; `None` where it is not reached.
    callees: Vec<Option<Vec<FunctionRef>>>,
    /// Functions that are values there, in the order of their numbers.
    named: Vec<FunctionRef>,
    sizes: Vec<u32>,
    recursive: Vec<bool>,
}

impl Calls {
    /// Looks at a function and all that it calls.
    pub(crate) fn from(module: &Module, f: FunctionRef) -> Calls {
        let n = module.functions.len();
        let mut calls =
            Calls { callees: vec![None; n], named: Vec::new(), sizes: vec![0; n], recursive: vec![false; n] };
        let constants = (0..module.constants.len() as u32).map(Constant);
        let has_pointers =
            constants.into_iter().any(|c| matches!(module.constants.get(c), ConstantKind::Function(_)));
        let mut waiting = vec![f];
        waiting.extend(exported(module));
        while let Some(f) = waiting.pop() {
            if calls.callees[f.0 as usize].is_none() {
                let callees = calls.look(module, f);
                waiting.extend_from_slice(&callees);
                calls.callees[f.0 as usize] = Some(callees);
                if has_pointers {
                    let named = names(module, module.function(f));
                    waiting.extend_from_slice(&named);
                    calls.named.extend(named);
                }
            }
        }
        calls.named.sort_unstable_by_key(|f| f.0);
        calls.named.dedup();
        calls.through_pointers(module);
        calls.find_cycles([f].into_iter().chain(exported(module)));
        calls
    }

    /// Adds the calls that pointers make possible.
    fn through_pointers(&mut self, module: &Module) {
        if self.named.is_empty() {
            return;
        }
        for (n, list) in (0..).zip(&mut self.callees) {
            let Some(list) = list else { continue };
            let more = callees(module, FunctionRef(n), &self.named);
            let new: Vec<FunctionRef> = more.into_iter().filter(|f| !list.contains(f)).collect();
            list.extend(new);
        }
    }

    fn look(&mut self, module: &Module, f: FunctionRef) -> Vec<FunctionRef> {
        let function = module.function(f);
        let mut callees = Vec::new();
        for inst in Walk::insts(function) {
            self.sizes[f.0 as usize] += 1;
            if let Op::Call(callee) = function.op(inst) {
                callees.push(callee);
            }
        }
        callees
    }

    /// Marks all functions that reach themselves, of those that some calls lead to.
    fn find_cycles(&mut self, roots: impl Iterator<Item = FunctionRef>) {
        // Who calls nobody is in no cycle.
        let roots: Vec<usize> = roots.filter(|f| !self.of(*f).is_empty()).map(|f| f.0 as usize).collect();
        if roots.is_empty() {
            return;
        }
        let callee = |f: usize, n: usize| Some(self.callees[f].as_ref()?.get(n)?.0 as usize);
        for together in components(self.callees.len(), roots, callee) {
            let calls_itself = |f: usize| self.of(FunctionRef(f as u32)).contains(&FunctionRef(f as u32));
            if together.len() > 1 || calls_itself(together[0]) {
                together.iter().for_each(|&f| self.recursive[f] = true);
            }
        }
    }

    fn of(&self, f: FunctionRef) -> &[FunctionRef] {
        self.callees[f.0 as usize].as_deref().unwrap_or_default()
    }

    fn size(&self, f: FunctionRef) -> u32 {
        self.sizes[f.0 as usize]
    }

    fn is_recursive(&self, f: FunctionRef) -> bool {
        self.recursive[f.0 as usize]
    }

    /// Whether a function is reached.
    pub(crate) fn reaches(&self, f: FunctionRef) -> bool {
        self.callees.get(f.0 as usize).is_some_and(Option::is_some)
    }
}

/// Functions that are values in a function, as parts of constants, too.
fn names(module: &Module, f: &Function) -> Vec<FunctionRef> {
    let mut open: Vec<Constant> = Vec::new();
    for inst in Walk::insts(f) {
        let constants = f.args(inst).iter().filter_map(|&arg| match f.def(arg) {
            Def::Constant(c) => Some(c),
            _ => None,
        });
        open.extend(constants);
    }
    let mut seen = vec![false; module.constants.len()];
    let mut found = Vec::new();
    while let Some(c) = open.pop() {
        if std::mem::replace(&mut seen[c.0 as usize], true) {
            continue;
        }
        match module.constants.get(c) {
            ConstantKind::Function(f) => found.push(*f),
            ConstantKind::Composite(parts) => open.extend(parts),
            ConstantKind::Global(g) => open.extend(module.global(*g).init),
            _ => {}
        }
    }
    found
}
