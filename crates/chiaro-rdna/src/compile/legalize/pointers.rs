//! Calls through pointers, in what the machine has: an address, and one call for all lanes that run.
//!
//! ```text
//! %2: i32 = call_indirect %1, %0        loop {                          lanes that are done leave it
//!                                         %3 = broadcast_first %1       that of the lowest lane left
//!                                         if %1 == %3 {                 who wants another one waits
//!                                           if %3 != 0 { call } else { zeros }
//!                                           exit
//!                                         }
//!                                       }
//! ```
//!
//! Every turn takes at least the lowest lane out, so that there are as many as there are targets, in the order of their
//! lowest lanes (spec section 18.6). Pointers that all lanes share need no loop; 0, which is no function, is asked for
//! only where a pointer may be it. Nor do functions need one that go over what lanes want themselves
//! ([`dispatch`](crate::compile::calls::dispatch)): they are called with all pointers at once. True after: pointers are numbers, and functions only where they are called.

use std::collections::HashMap;

use chiaro_ir::{
    Builder, Constant, ConstantKind, Def, Function, FunctionRef, Inst, Module, Op, Ty, Type, Value, Variance,
    Walk, uniformity,
};
use chiaro_opt::lower::rewrite::{Replaced, Rewrite, Rule, rewrite};
use chiaro_opt::{Changed, Cx};

/// Replaces calls through pointers that lanes may have different ones of.
pub(super) fn pointers(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    if !has_pointers(module, module.function(f)) {
        return Changed::No;
    }
    let known = uniformity(module).swap_remove(f.0 as usize);
    let function = module.function(f);
    let values = (0..function.value_count() as u32).map(Value);
    let shared = values.map(|value| known.value(value) != Variance::Lane).collect();
    let calls = Walk::insts(function).filter(|&inst| function.op(inst) == Op::CallIndirect);
    let called = calls.map(|inst| function.args(inst)[0]);
    let sources = called.filter_map(|pointer| Some((pointer, sources(module, f, pointer)?))).collect();
    rewrite(module, f, Pointers { shared, sources })
}

fn has_pointers(module: &Module, f: &Function) -> bool {
    let is_handle = |arg: &Value| match f.def(*arg) {
        Def::Constant(c) => holds_function(module, c),
        _ => false,
    };
    Walk::insts(f).any(|inst| f.op(inst) == Op::CallIndirect || f.args(inst).iter().any(is_handle))
}

fn holds_function(module: &Module, c: Constant) -> bool {
    match module.constants.get(c) {
        ConstantKind::Function(_) => true,
        ConstantKind::Composite(parts) => parts.iter().any(|&part| holds_function(module, part)),
        _ => false,
    }
}

struct Pointers {
    /// By old value: whether all lanes have the same.
    shared: Vec<bool>,
    /// By old value: all that pointers may be which are called.
    sources: HashMap<Value, Vec<Source>>,
}

impl Rule for Pointers {
    fn ty(r: &mut Rewrite<'_, Self>, ty: Ty) -> Ty {
        if matches!(r.b.types().get(ty), Type::Function(..)) { r.b.int_ty(64) } else { ty }
    }

    fn constant(r: &mut Rewrite<'_, Self>, c: Constant) -> Value {
        if !holds_function(r.b.module(), c) {
            return r.b.constant(c);
        }
        let constants = &r.b.module().constants;
        let (ty, kind) = (constants.ty(c), constants.get(c).clone());
        match kind {
            ConstantKind::Function(f) => address(&mut r.b, f),
            ConstantKind::Composite(parts) => {
                let parts: Vec<Value> = parts.into_iter().map(|part| Self::constant(r, part)).collect();
                r.b.op_as(Op::Construct, &parts, ty)
            }
            _ => r.b.constant(c),
        }
    }

    fn replace(r: &mut Rewrite<'_, Self>, inst: Inst, op: Op) -> Replaced {
        match op {
            Op::CallIndirect => call(r, inst),
            Op::Bitcast if is_renamed(r, inst) => {
                let old = r.old.args(inst)[0];
                Replaced::By(r.value(old))
            }
            _ => Replaced::Copy,
        }
    }
}

/// Whether a number becomes a function, or the other way around: both are the same.
fn is_renamed(r: &mut Rewrite<'_, Pointers>, inst: Inst) -> bool {
    let (old, types) = (r.old, r.b.types());
    let is_function = |value: Value| matches!(types.get(old.ty(value)), Type::Function(..));
    old.args(inst).iter().copied().chain(old.result_of(inst)).any(is_function)
}

/// The address of a function as a number.
fn address(b: &mut Builder<'_>, f: FunctionRef) -> Value {
    let function = b.module().function(f);
    let ty = Type::Function(function.param_types(), function.result);
    let ty = b.types().intern(ty);
    let named = b.module().constants.intern(ty, ConstantKind::Function(f));
    let named = b.constant(named);
    let int = b.int_ty(64);
    b.op_as(Op::Bitcast, &[named], int)
}

/// A call that is made.
struct Call {
    /// The type of the functions.
    of: Ty,
    args: Vec<Value>,
    result: Option<Ty>,
    may_be_none: bool,
}

fn call(r: &mut Rewrite<'_, Pointers>, inst: Inst) -> Replaced {
    let old = r.old.args(inst)[0];
    let of = r.old.ty(old);
    let mut args = r.args(inst);
    let handle = args.remove(0);
    let sources = r.rule.sources.get(&old).cloned();
    let result = r.old.result_of(inst).map(|result| r.ty_of(result));
    if let Some(&[Source::Function(f)]) = sources.as_deref() {
        return match r.b.call(f, &args) {
            Some(value) => Replaced::By(value),
            None => Replaced::Gone,
        };
    }
    // Who calls nothing but nobody gets zeros.
    if sources.as_deref() == Some(&[Source::None]) {
        return result.map_or(Replaced::Gone, |ty| Replaced::By(r.b.zero(ty)));
    }
    let may_be_none = sources.is_none_or(|sources| sources.contains(&Source::None));
    let call = Call { of, args, result, may_be_none };
    let is_shared = r.rule.shared.get(old.0 as usize).copied().unwrap_or(false);
    let b = &mut r.b;
    let results = if is_shared || dispatches(b.module(), call.of) {
        call.emit(b, handle)
    } else {
        call.by_target(b, handle)
    };
    match results.first() {
        Some(&value) => Replaced::By(value),
        None => Replaced::Gone,
    }
}

/// Whether functions of a type go over what lanes want, in whose own types pointers may be numbers already.
fn dispatches(module: &Module, of: Ty) -> bool {
    let Type::Function(params, result) = module.types.get(of) else { return false };
    let is_same = |a: Ty, b: Ty| {
        let is_pointer = |ty| matches!(module.types.get(ty), Type::Function(..) | Type::Int(64));
        a == b || is_pointer(a) && is_pointer(b)
    };
    module.functions.iter().filter(|f| f.dispatches && f.params.len() == params.len()).any(|f| {
        is_same(f.result, *result) && f.params.iter().zip(params).all(|(&own, &ty)| is_same(f.ty(own), ty))
    })
}

impl Call {
    /// By the functions that lanes want, one after the other.
    fn by_target(&self, b: &mut Builder<'_>, handle: Value) -> Vec<Value> {
        let results: Vec<Ty> = self.result.into_iter().collect();
        let body = |b: &mut Builder<'_>, at: Inst, _: &[Value]| {
            let first = b.broadcast_first(handle);
            let is_wanted = b.ieq(handle, first);
            b.when(is_wanted, |b, _| {
                let results = self.emit(b, first);
                b.exit(at, &results);
            });
        };
        b.loop_(&[], &results, &[], body, |_, _, _| {})
    }

    /// All lanes that run call the same.
    fn emit(&self, b: &mut Builder<'_>, handle: Value) -> Vec<Value> {
        if !self.may_be_none {
            return self.plain(b, handle);
        }
        let int = b.int_ty(64);
        let none = b.zero(int);
        let is_some = b.ine(handle, none);
        let results: Vec<Ty> = self.result.into_iter().collect();
        b.if_(
            is_some,
            &results,
            |b, at| {
                let results = self.plain(b, handle);
                b.exit(at, &results);
            },
            |b, at| {
                let zeros: Vec<Value> = self.result.iter().map(|&ty| b.zero(ty)).collect();
                b.exit(at, &zeros);
            },
        )
    }

    fn plain(&self, b: &mut Builder<'_>, handle: Value) -> Vec<Value> {
        let function = b.op_as(Op::Bitcast, &[handle], self.of);
        b.call_indirect(function, &self.args).into_iter().collect()
    }
}

/// Where a pointer comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    Function(FunctionRef),
    None,
}

/// Values that are looked at on the way to where a pointer comes from.
const MOST: usize = 64;

/// Everything that a pointer in a function may be, if it is chosen among constants, there or by all callers.
fn sources(module: &Module, at: FunctionRef, value: Value) -> Option<Vec<Source>> {
    let (mut seen, mut next, mut found) = (vec![(at, value)], 0, Vec::new());
    while let Some(&(at, value)) = seen.get(next) {
        next += 1;
        let f = module.function(at);
        let from: Vec<(FunctionRef, Value)> = match f.def(value) {
            Def::Constant(c) => {
                let source = match module.constants.get(c) {
                    ConstantKind::Function(f) => Source::Function(*f),
                    _ if module.constants.bits(c) == Some(0) => Source::None,
                    _ => return None,
                };
                if !found.contains(&source) {
                    found.push(source);
                }
                continue;
            }
            Def::Param(n) => handed_over(module, at, n as usize)?,
            Def::Result(inst, n) => {
                let values = match f.op(inst) {
                    Op::Select => f.args(inst)[1..].to_vec(),
                    Op::Bitcast => f.args(inst).to_vec(),
                    Op::If | Op::Block | Op::Switch => exits(f, inst, n as usize),
                    _ => return None,
                };
                values.into_iter().map(|value| (at, value)).collect()
            }
            Def::BlockParam(..) => return None,
        };
        let new: Vec<_> = from.into_iter().filter(|value| !seen.contains(value)).collect();
        seen.extend(new);
        if seen.len() > MOST {
            return None;
        }
    }
    Some(found)
}

/// What callers hand over for a parameter, if all of them are known.
fn handed_over(module: &Module, f: FunctionRef, n: usize) -> Option<Vec<(FunctionRef, Value)>> {
    let constants = (0..module.constants.len() as u32).map(Constant);
    let is_named = |c| *module.constants.get(c) == ConstantKind::Function(f);
    if constants.into_iter().any(is_named) || module.entries.iter().any(|entry| entry.function == f) {
        return None;
    }
    let mut found = Vec::new();
    for caller in (0..module.functions.len() as u32).map(FunctionRef) {
        let function = module.function(caller);
        for inst in Walk::insts(function).filter(|&inst| function.op(inst) == Op::Call(f)) {
            found.push((caller, *function.args(inst).get(n)?));
        }
    }
    Some(found)
}

/// What exits carry as a result of a construct.
fn exits(f: &Function, owner: Inst, n: usize) -> Vec<Value> {
    let exits = Walk::insts(f).filter(|&inst| f.op(inst) == Op::Exit(owner));
    exits.filter_map(|inst| f.args(inst).get(n).copied()).collect()
}
