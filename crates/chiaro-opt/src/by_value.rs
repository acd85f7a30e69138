//! Functions that stay functions get values: pointers to variables of their callers, and private variables of the
//! module, travel as parameters and results.
//!
//! ```text
//! fn @f(%0: ptr<function, f32>) -> i32      ->    fn @f(%0: f32) -> struct { i32, f32 }
//!   (the body)                                      %1 = var %0
//!   return %9                                       (the body, with %1 for its parameter)
//!                                                   %10 = load %1
//! %2: i32 = call @f(%1)                             %11 = construct %9, %10
//!                                                   return %11
//!                                                 %3 = load %1
//!                                                 %4 = call @f(%3)
//!                                                 %2 = extract %4, 0;  %5 = extract %4, 1;  store %1, %5
//! ```
//!
//! Functions that pointers lead to are changed alike, as far as they have one type: what any of them needs, all get.
//!
//! True before: functions that are not kept are inlined; pointers that one call gets lead to different variables. True
//! after: no such function has a parameter that points to a variable, or names a private variable of the module.

use chiaro_ir::{
    Block, Constant, ConstantKind, Copies, Function, FunctionRef, GlobalRef, Inst, Linkage, Member, Module,
    Op, Space, Ty, Type, Value, Walk,
};

use crate::inline::{alike, callees, targets, with_next};
use crate::named;

/// What changes of a function, or of all that a pointer may lead to.
struct Plan {
    functions: Vec<FunctionRef>,
    /// The type that pointers to them have, and the one that they get.
    pointer: Option<[Ty; 2]>,
    /// By parameter: what it points to, and whether that is written.
    pointers: Vec<Option<(Ty, bool)>>,
    /// Private variables that they or their callees name, with their types.
    globals: Vec<(GlobalRef, Ty)>,
    /// The result of old, if there is one.
    result: Option<Ty>,
    /// Values that come back, the old result first.
    back: Vec<Ty>,
    /// The type of all of them.
    whole: Ty,
}

/// Gives functions values for pointers and private variables: some that are called by their names, and those that
/// pointers lead to, all of one type alike.
pub fn by_value(module: &mut Module, kept: &[FunctionRef], pointed: &[FunctionRef]) {
    if kept.is_empty() && pointed.is_empty() {
        return;
    }
    let mut plans: Vec<Plan> = Vec::new();
    for &f in kept.iter().filter(|f| !pointed.contains(f)) {
        plans.push(plan(module, vec![f], None, pointed));
    }
    for &f in pointed {
        if !plans.iter().any(|plan| plan.functions.contains(&f)) {
            let ty = type_of(module, f);
            plans.push(plan(module, targets(module, pointed, ty), Some(ty), pointed));
        }
    }
    plans.retain(Plan::changes);
    // A name whose type is that of old would not be one of the function any more.
    plans.retain(|plan| plan.pointer.is_none_or(|[old, _]| !is_named_as(module, old)));
    for caller in (0..module.functions.len() as u32).map(FunctionRef) {
        for (block, inst) in calls(module.function(caller)) {
            let f = module.function(caller);
            let found = match f.op(inst) {
                Op::Call(callee) => plans.iter().find(|plan| plan.functions.contains(&callee)),
                _ => {
                    let ty = f.ty(f.args(inst)[0]);
                    plans.iter().find(|plan| plan.pointer.is_some_and(|[old, _]| old == ty))
                }
            };
            if let Some(plan) = found {
                call(module, caller, (block, inst), plan);
            }
        }
    }
    for plan in &plans {
        plan.functions.iter().for_each(|&f| body(module, plan, f));
    }
}

impl Plan {
    fn changes(&self) -> bool {
        !self.globals.is_empty() || self.pointers.iter().any(Option::is_some)
    }
}

/// The type of a function.
fn type_of(module: &mut Module, f: FunctionRef) -> Ty {
    let f = module.function(f);
    let ty = Type::Function(f.param_types(), f.result);
    module.types.intern(ty)
}

/// Whether a constant is a function of a type, and no number.
fn is_named_as(module: &Module, ty: Ty) -> bool {
    let constants = (0..module.constants.len() as u32).map(Constant);
    constants
        .into_iter()
        .any(|c| module.constants.ty(c) == ty && matches!(module.constants.get(c), ConstantKind::Function(_)))
}

/// The calls of a function, each with its block.
fn calls(f: &Function) -> Vec<(Block, Inst)> {
    let all = f.tree().into_iter().flat_map(|(_, block)| {
        f.block(block).insts.iter().map(move |&inst| (block, inst)).collect::<Vec<_>>()
    });
    all.filter(|&(_, inst)| matches!(f.op(inst), Op::Call(_) | Op::CallIndirect)).collect()
}

/// The plan of functions that have one type.
fn plan(module: &mut Module, functions: Vec<FunctionRef>, old: Option<Ty>, pointed: &[FunctionRef]) -> Plan {
    let mut globals: Vec<(GlobalRef, Ty)> =
        functions.iter().flat_map(|&f| privates(module, f, pointed)).collect();
    globals.sort_unstable_by_key(|(g, _)| g.0);
    globals.dedup();
    let f = module.function(functions[0]);
    let is_written = |n: usize| {
        functions.iter().any(|&f| {
            let f = module.function(f);
            // Other parts know the signature and nothing of the body.
            f.linkage != Linkage::Own || is_written(f, f.params[n])
        })
    };
    let pointer = |(n, &param): (usize, &Value)| {
        let (space, to) = module.types.pointee(f.ty(param))?;
        matches!(space, Space::Function | Space::Private).then(|| (to, is_written(n)))
    };
    let pointers: Vec<Option<(Ty, bool)>> = f.params.iter().enumerate().map(pointer).collect();
    let result = f.result;
    let types = params(f, &pointers, &globals);
    let is_void = *module.types.get(result) == Type::Void;
    let mut back: Vec<Ty> = if is_void { Vec::new() } else { vec![result] };
    back.extend(pointers.iter().flatten().filter(|(_, written)| *written).map(|(to, _)| *to));
    back.extend(globals.iter().map(|(_, ty)| *ty));
    let whole = match back[..] {
        [] => result,
        [one] => one,
        _ => {
            let members = back.iter().map(|&ty| Member { ty, name: String::new(), offset: None }).collect();
            module.types.intern(Type::Struct(String::new(), members))
        }
    };
    let pointer = old.map(|old| [old, module.types.intern(Type::Function(types, whole))]);
    Plan { functions, pointer, pointers, globals, result: (!is_void).then_some(result), back, whole }
}

/// The types of parameters when values stand for pointers.
fn params(f: &Function, pointers: &[Option<(Ty, bool)>], globals: &[(GlobalRef, Ty)]) -> Vec<Ty> {
    let own = f.params.iter().zip(pointers);
    let own = own.map(|(&param, pointer)| pointer.map_or(f.ty(param), |(to, _)| to));
    own.chain(globals.iter().map(|(_, ty)| *ty)).collect()
}

/// Private variables that a function and all that it calls name; who calls one of those that pointers lead to, by its name or
/// not, hands over what any of them needs.
fn privates(module: &Module, f: FunctionRef, pointed: &[FunctionRef]) -> Vec<(GlobalRef, Ty)> {
    let next = |f: FunctionRef| {
        let like = if pointed.contains(&f) { alike(module, pointed, f) } else { Vec::new() };
        callees(module, f, pointed).into_iter().chain(like).collect()
    };
    let all = with_next(f, next).into_iter().map(|f| module.function(f));
    let mut found: Vec<GlobalRef> = all.flat_map(|f| named(module, f)).map(|(g, _)| g).collect();
    found.retain(|&g| module.global(g).space == Space::Private);
    found.sort_unstable_by_key(|g| g.0);
    found.dedup();
    found.into_iter().map(|g| (g, module.global(g).ty)).collect()
}

/// Whether anything but loads uses a pointer or a part of it.
fn is_written(f: &Function, pointer: Value) -> bool {
    let mut parts = vec![pointer];
    for inst in Walk::insts(f) {
        if !f.args(inst).iter().any(|arg| parts.contains(arg)) {
            continue;
        }
        match f.op(inst) {
            Op::Load => {}
            Op::Access => parts.extend(f.result_of(inst)),
            _ => return true,
        }
    }
    false
}

/// Rewrites a call: loads in front of it, stores behind it.
fn call(module: &mut Module, caller: FunctionRef, (block, inst): (Block, Inst), plan: &Plan) {
    let places: Vec<(Value, Ty)> =
        plan.globals.iter().map(|&(g, ty)| (address(module, caller, g), ty)).collect();
    let [int, bool] = [Type::Int(64), Type::Bool].map(|ty| module.types.intern(ty));
    let none = module.scalar(int, 0);
    let f = module.function_mut(caller);
    let op = f.op(inst);
    let mut old: Vec<Value> = f.args(inst).to_vec();
    let list = std::mem::take(&mut f.block_mut(block).insts);
    let at = list.iter().position(|&other| other == inst).unwrap_or(list.len());
    let mut new: Vec<Inst> = list[..at].to_vec();
    let mut args = Vec::with_capacity(old.len() + places.len());
    let mut is_some = None;
    if let (Op::CallIndirect, Some([_, to])) = (&op, plan.pointer) {
        let number = made(f, &mut new, Op::Bitcast, &[old.remove(0)], int);
        let none = f.constant(none, int);
        is_some = Some(made(f, &mut new, Op::INe, &[number, none], bool));
        args.push(made(f, &mut new, Op::Bitcast, &[number], to));
    }
    let first = args.len();
    for (&arg, pointer) in old.iter().zip(&plan.pointers) {
        args.push(match pointer {
            Some((to, _)) => made(f, &mut new, Op::Load, &[arg], *to),
            None => arg,
        });
    }
    for &(place, ty) in &places {
        args.push(made(f, &mut new, Op::Load, &[place], ty));
    }
    // Where what comes back goes, and what was there before.
    let written = old.iter().zip(&plan.pointers).zip(&args[first..]);
    let written = written.filter(|((_, p), _)| p.is_some_and(|(_, written)| written));
    let places = places.iter().map(|(place, _)| place).zip(&args[first + old.len()..]);
    let targets: Vec<(Value, Value)> = written
        .map(|((&arg, _), &before)| (arg, before))
        .chain(places.map(|(&p, &before)| (p, before)))
        .collect();
    if targets.is_empty() {
        f.set_args(inst, &args);
        new.push(inst);
    } else {
        let whole = f.make(op, &args, &[plan.whole]);
        f.inst_mut(whole).span = f.inst(inst).span;
        new.push(whole);
        back(f, &mut new, (inst, whole), plan, (&targets, is_some));
    }
    new.extend_from_slice(&list[(at + 1).min(list.len())..]);
    f.block_mut(block).insts = new;
}

fn made(f: &mut Function, list: &mut Vec<Inst>, op: Op, args: &[Value], ty: Ty) -> Value {
    let inst = f.make(op, args, &[ty]);
    list.push(inst);
    f.result_of(inst).unwrap_or(args[0])
}

/// What comes back of a call that was another one: its result, and what goes to memory; where a pointer led nowhere,
/// what was there stays.
fn back(
    f: &mut Function,
    list: &mut Vec<Inst>,
    (old, new): (Inst, Inst),
    plan: &Plan,
    (targets, is_some): (&[(Value, Value)], Option<Value>),
) {
    let Some(whole) = f.result_of(new) else { return };
    let mut n = 0;
    if plan.result.is_some() {
        // The old call becomes its first part, so that its result keeps its name.
        f.replace(old, Op::Extract(0), &[whole]);
        list.push(old);
        n = 1;
    }
    for &(target, before) in targets {
        let mut part = match plan.back[..] {
            [_] => whole,
            _ => made(f, list, Op::Extract(n as u32), &[whole], plan.back[n]),
        };
        if let Some(is_some) = is_some {
            part = made(f, list, Op::Select, &[is_some, part, before], plan.back[n]);
        }
        list.push(f.make(Op::Store, &[target, part], &[]));
        n += 1;
    }
}

fn address(module: &mut Module, f: FunctionRef, g: GlobalRef) -> Value {
    let constant = module.address(g);
    let ty = module.constants.ty(constant);
    module.function_mut(f).constant(constant, ty)
}

/// Rewrites the function itself: variables of its own stand for what it was given.
fn body(module: &mut Module, plan: &Plan, number: FunctionRef) {
    let old = module.function(number).clone();
    let types = params(&old, &plan.pointers, &plan.globals);
    let mut f = old.successor(&types, plan.whole);
    if old.is_import() {
        *module.function_mut(number) = f;
        return;
    }
    let mut copies = Copies::new(&old);
    let (body, params) = (f.body, f.params.clone());
    let mut places = Vec::new();
    for (n, &param) in old.params.iter().enumerate() {
        let Some((to, written)) = plan.pointers[n] else {
            copies.set(param, params[n]);
            continue;
        };
        let place = variable(module, &mut f, old.ty(param), params[n]);
        copies.set(param, place);
        if written {
            places.push((place, to));
        }
    }
    for (&(g, ty), &param) in plan.globals.iter().zip(&params[old.params.len()..]) {
        let pointer = module.types.intern(Type::Pointer(Space::Private, ty));
        let place = variable(module, &mut f, pointer, param);
        places.push((place, ty));
        let named = named(module, &old).into_iter().find(|(other, _)| *other == g);
        named.into_iter().for_each(|(_, value)| copies.set(value, place));
    }
    copies.block(&mut f, Some(&old), old.body, body);
    give_back(&mut f, plan, &places);
    *module.function_mut(number) = f;
}

/// A variable that a pointer of old leads to. It stays in the space of that: pointers to its parts have types with it.
fn variable(module: &Module, f: &mut Function, pointer: Ty, value: Value) -> Value {
    let space = module.types.pointee(pointer).map_or(Space::Function, |(space, _)| space);
    let inst = f.push(f.body, Op::Var(space), &[value], &[pointer]);
    f.result_of(inst).unwrap_or(value)
}

/// Every return hands back what the variables hold.
fn give_back(f: &mut Function, plan: &Plan, places: &[(Value, Ty)]) {
    if places.is_empty() {
        return;
    }
    for (_, block) in f.tree() {
        let Some(&last) = f.block(block).insts.last() else { continue };
        if f.op(last) != Op::Return {
            continue;
        }
        let mut list = f.block(block).insts.clone();
        list.pop();
        let mut values: Vec<Value> = f.args(last).to_vec();
        values.extend(places.iter().map(|&(place, ty)| made(f, &mut list, Op::Load, &[place], ty)));
        let whole = match values[..] {
            [one] => one,
            _ => made(f, &mut list, Op::Construct, &values, plan.whole),
        };
        f.set_args(last, &[whole]);
        list.push(last);
        f.block_mut(block).insts = list;
    }
}

#[cfg(test)]
mod tests {
    use chiaro_ir::{parse, print, verify};

    use super::*;

    const BEFORE: &str = "
global @g: private i32
fn @f(%0: i32, %1: ptr<function, i32>, %2: ptr<function, i32>) -> i32 {
  %3: i32 = load %1
  %4: i32 = load %2
  %5: i32 = iadd %3, %4
  store %1, %5
  %6: i32 = load @g
  store @g, %0
  return %6
}
fn @main(%0: i32) -> i32 {
  %1: ptr<function, i32> = var
  store %1, %0
  %2: ptr<function, i32> = var
  store %2, %0
  %3: i32 = call @f(%0, %1, %2)
  return %3
}
";

    #[test]
    fn pointers_and_private_variables_travel_as_values() {
        let mut module =
            parse(BEFORE, chiaro_diag::FileId::default()).unwrap_or_else(|why| panic!("{why:?}"));
        by_value(&mut module, &[FunctionRef(0)], &[]);
        assert!(verify(&module).is_ok(), "{}", print(&module));
        let f = module.function(FunctionRef(0));
        let is_pointer = |&value: &Value| module.types.pointee(f.ty(value)).is_some();
        assert!(f.params.len() == 4 && !f.params.iter().any(is_pointer), "{}", print(&module));
        assert!(named(&module, f).is_empty(), "the private variable is a parameter");
        // The second pointer is only read: the old result, what the first holds, and the variable come back.
        assert_eq!(module.types.part_count(f.result), Some(3), "{}", print(&module));
    }

    const PARTS: &str = "
global @g: private array<i32, 4>
fn @f(%0: ptr<private, vec2<i32>>, %1: i32) -> i32 {
  %2: ptr<private, i32> = access %0, 1
  %3: i32 = load %2
  %4: ptr<private, i32> = access @g, %1
  store %4, %3
  return %3
}
";

    #[test]
    fn parts_of_what_travels_stay_in_its_space() {
        let mut module = parse(PARTS, chiaro_diag::FileId::default()).unwrap_or_else(|why| panic!("{why:?}"));
        by_value(&mut module, &[FunctionRef(0)], &[]);
        assert!(verify(&module).is_ok(), "{}", print(&module));
        // The result and the variable of the module: what the pointer leads to is only read.
        let f = module.function(FunctionRef(0));
        assert_eq!((f.params.len(), module.types.part_count(f.result)), (3, Some(2)), "{}", print(&module));
    }

    const POINTED: &str = "
global @g: private i32 = 3
fn @f(%0: ptr<function, i32>) -> i32 {
  %1: i32 = load %0
  store %0, 7
  return %1
}
fn @h(%0: ptr<function, i32>) -> i32 {
  %1: i32 = load @g
  return %1
}
fn @main(%0: i32, %1: bool) -> i32 {
  %2: ptr<function, i32> = var %0
  %3: i64 = select %1, i64(@f), i64(@h)
  %4: fn(ptr<function, i32>) -> i32 = bitcast %3
  %5: i32 = call_indirect %4, %2
  return %5
}
";

    #[test]
    fn all_that_a_pointer_leads_to_change_alike() {
        let mut module =
            parse(POINTED, chiaro_diag::FileId::default()).unwrap_or_else(|why| panic!("{why:?}"));
        let pointed = crate::pointed_at(&module, FunctionRef(2));
        assert_eq!(pointed, [FunctionRef(0), FunctionRef(1)]);
        by_value(&mut module, &[], &pointed);
        assert!(verify(&module).is_ok(), "{}", print(&module));
        for f in pointed.iter().map(|&f| module.function(f)) {
            let types: Vec<Type> =
                f.params.iter().map(|&param| module.types.get(f.ty(param)).clone()).collect();
            assert_eq!(types, [Type::Int(32), Type::Int(32)], "{}", print(&module));
            // The result, what the first pointer leads to, and the variable.
            assert_eq!(module.types.part_count(f.result), Some(3), "{}", print(&module));
        }
    }

    const NAMED: &str = "
fn @k(%0: ptr<function, i32>) -> i32 {
  %1: i32 = call @f(%0)
  return %1
}
";

    #[test]
    fn who_calls_one_by_its_name_hands_over_what_those_like_it_need() {
        let text = format!("{POINTED}{NAMED}");
        let mut module = parse(&text, chiaro_diag::FileId::default()).unwrap_or_else(|why| panic!("{why:?}"));
        let pointed = crate::pointed_at(&module, FunctionRef(2));
        by_value(&mut module, &[FunctionRef(3)], &pointed);
        assert!(verify(&module).is_ok(), "{}", print(&module));
        // Only `@h` names the variable; `@f` has it as a parameter, since pointers lead to both.
        let f = module.function(FunctionRef(3));
        assert_eq!(f.params.len(), 2, "{}", print(&module));
        assert!(named(&module, f).is_empty(), "{}", print(&module));
    }
}
