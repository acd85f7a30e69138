//! Functions that serve lanes which want different ones, as functions of what lanes want (spec section 18.6).
//!
//! ```text
//! dispatch fn @f(%0: i32, %1: i32) -> i32     fn @f(%w: i64, %p: i64, %0: i32, %1: i32) -> { i64, i32, i32 } {
//!   ..                                          %2 = ine %w, %p             who wants another one
//!   if %3 { exit %1 } else {              ->    %3, %4, %5 = if %2 {
//!     %4 = call @g(%5, %6)                        exit %w, %0, %1           keeps what it came with
//!     exit %4                                   } else {
//!   }                                             ..
//!                                                 if .. { exit 0, %1, undef } else { exit @g, %5, %6 }
//!                                               }
//! %7 = call @f(%8, %9)                          return { %3, %4, %5 }       selection goes on from here
//!                                             %10 = call @f(@f, @f, %8, %9);  %7 = extract %10, 1
//! ```
//!
//! A result has the place of the first parameter of its type, or of one more. Lanes that wait for another function, and
//! those that are done, have their values in the same places: so all that lanes go on to from each other have one type.
//!
//! Before: each function has one return, pointers are numbers, and who goes over pointers itself is none of these. After:
//! no call of such a function is left behind which another such one of its type ends.

use chiaro_ir::{
    Block, ConstantKind, Copies, Def, Function, FunctionRef, Inst, Member, Module, Op, Ty, Type, Value, Walk,
};

use crate::compile::calls::dispatch::signature;
use crate::compile::calls::ends::tails;

/// What becomes of functions of one type.
struct Shape {
    /// The types of the parameters of old, and of the result.
    old: (Vec<Ty>, Ty),
    /// Values of lanes that stay in their places: parameters, and the result where none has its type.
    slots: Vec<Ty>,
    /// Where the result stands among them; nothing where there is none.
    result: Option<usize>,
    /// What lanes want, and their values.
    whole: Ty,
    /// The type of the functions.
    function: Ty,
}

impl Shape {
    fn of(module: &mut Module, f: FunctionRef) -> Shape {
        let old = signature(module.function(f));
        let (mut slots, result) = old.clone();
        let place = match *module.types.get(result) {
            Type::Void => None,
            _ => Some(slots.iter().position(|&ty| ty == result).unwrap_or(slots.len())),
        };
        slots.extend((place == Some(slots.len())).then_some(result));
        let number = module.types.intern(Type::Int(64));
        let member = |&ty: &Ty| Member { ty, name: String::new(), offset: None };
        let members = [number].iter().chain(&slots).map(member).collect();
        let whole = module.types.intern(Type::Struct(String::new(), members));
        let params = [number, number].into_iter().chain(slots.iter().copied()).collect();
        let function = module.types.intern(Type::Function(params, whole));
        Shape { old, slots, result: place, whole, function }
    }

    fn is_of(&self, f: &Function) -> bool {
        f.dispatches && signature(f) == self.old
    }
}

/// Changes all functions of a module that dispatch, and all calls of them.
pub fn go_on(module: &mut Module) {
    let all: Vec<FunctionRef> = (0..module.functions.len() as u32).map(FunctionRef).collect();
    let mut shapes: Vec<Shape> = Vec::new();
    let changed: Vec<FunctionRef> = all.iter().copied().filter(|&f| module.function(f).dispatches).collect();
    for f in changed {
        if !shapes.iter().any(|shape| shape.is_of(module.function(f))) {
            let shape = Shape::of(module, f);
            shapes.push(shape);
        }
    }
    if shapes.is_empty() {
        return;
    }
    // Whom a call names is known by the types of old.
    let shape_of = |f: &Function| shapes.iter().position(|shape| shape.is_of(f));
    let own: Vec<Option<usize>> = module.functions.iter().map(shape_of).collect();
    let number = module.types.intern(Type::Int(64));
    let cx = Cx { shapes: &shapes, own: &own, number };
    all.iter().for_each(|&f| cx.calls(module, f));
    for (&f, shape) in all.iter().zip(&own).filter_map(|(f, n)| Some((f, shapes.get((*n)?)?))) {
        cx.body(module, f, shape);
    }
}

struct Cx<'a> {
    shapes: &'a [Shape],
    /// By function: its shape, if it dispatches.
    own: &'a [Option<usize>],
    /// The type of pointers.
    number: Ty,
}

/// Instructions that are made in the place of one.
struct Made<'f> {
    f: &'f mut Function,
    list: Vec<Inst>,
}

impl Made<'_> {
    fn op(&mut self, op: Op, args: &[Value], ty: Ty) -> Value {
        let inst = self.f.make(op, args, &[ty]);
        self.list.push(inst);
        self.f.result_of(inst).unwrap_or(Value(0))
    }
}

impl Cx<'_> {
    /// The shape of what a call comes to.
    fn called(&self, module: &Module, f: &Function, call: Inst) -> Option<&Shape> {
        match f.op(call) {
            Op::Call(callee) => self.shapes.get(self.own[callee.0 as usize]?),
            Op::CallIndirect => {
                let Type::Function(params, result) = module.types.get(f.ty(f.args(call)[0])) else {
                    return None;
                };
                self.shapes.iter().find(|shape| shape.old.0 == *params && shape.old.1 == *result)
            }
            _ => None,
        }
    }

    /// Rewrites the calls and the ends of a function, and the names in it.
    fn calls(&self, module: &mut Module, number: FunctionRef) {
        let f = module.function(number);
        let own = self.own[number.0 as usize].map(|n| &self.shapes[n]);
        let mut ends = if own.is_some() { tails(f) } else { Vec::new() };
        ends.retain(|&call| self.called(module, f, call).zip(own).is_some_and(|(to, own)| to.old == own.old));
        // Behind a call registers hold anything in lanes that are done: what is handed on there is 0, as elsewhere.
        let calls =
            Walk::insts(f).filter(|&inst| matches!(f.op(inst), Op::Call(_) | Op::CallIndirect)).count();
        let rest = if calls > ends.len() { ConstantKind::Zero } else { ConstantKind::Undef };
        let blocks: Vec<Block> = f.tree().into_iter().map(|(_, block)| block).collect();
        for block in blocks {
            let old = std::mem::take(&mut module.function_mut(number).block_mut(block).insts);
            let mut new = Vec::with_capacity(old.len());
            for inst in old {
                let f = module.function(number);
                // By the type that the name of who is called has now.
                let (op, shape) = (f.op(inst), self.called(module, f, inst));
                self.rename(module, number, inst);
                match (shape, own) {
                    (Some(shape), _) if ends.contains(&inst) => {
                        new.extend(self.end(module, number, inst, (shape, true), &rest));
                        break;
                    }
                    (Some(shape), _) => new.extend(self.call(module, number, inst, shape)),
                    (None, Some(own)) if op == Op::Return => {
                        new.extend(self.end(module, number, inst, (own, false), &rest));
                    }
                    _ => new.push(inst),
                }
            }
            module.function_mut(number).block_mut(block).insts = new;
        }
    }

    /// Names of functions that change have other types then.
    fn rename(&self, module: &mut Module, number: FunctionRef, inst: Inst) {
        let args = module.function(number).args(inst).to_vec();
        let renamed: Vec<Value> = args
            .iter()
            .map(|&arg| {
                let Def::Constant(c) = module.function(number).def(arg) else { return arg };
                let is_number = module.constants.ty(c) == self.number;
                match *module.constants.get(c) {
                    ConstantKind::Function(f) if !is_number && self.own[f.0 as usize].is_some() => {
                        self.name(module, number, f)
                    }
                    _ => arg,
                }
            })
            .collect();
        if renamed != args {
            module.function_mut(number).set_args(inst, &renamed);
        }
    }

    /// The name of a function that changes, as a value of another one.
    fn name(&self, module: &mut Module, number: FunctionRef, f: FunctionRef) -> Value {
        let ty = self.own[f.0 as usize].map_or(self.number, |n| self.shapes[n].function);
        let constant = module.constants.intern(ty, ConstantKind::Function(f));
        module.function_mut(number).constant(constant, ty)
    }

    /// What a call goes to, as a number.
    fn pointer(&self, module: &mut Module, number: FunctionRef, call: Inst) -> (Value, Vec<Inst>) {
        let function = match module.function(number).op(call) {
            Op::Call(callee) => self.name(module, number, callee),
            _ => module.function(number).args(call)[0],
        };
        let mut made = Made { f: module.function_mut(number), list: Vec::new() };
        let pointer = made.op(Op::Bitcast, &[function], self.number);
        (pointer, made.list)
    }

    /// Values that a call hands over; where the result has a place of its own nothing does.
    fn slots(
        &self,
        module: &mut Module,
        number: FunctionRef,
        call: Inst,
        (shape, rest): (&Shape, &ConstantKind),
    ) -> Vec<Value> {
        let f = module.function(number);
        let skipped = usize::from(f.op(call) == Op::CallIndirect);
        let mut slots: Vec<Value> = f.args(call)[skipped..].to_vec();
        let more = shape.slots[slots.len().min(shape.slots.len())..].to_vec();
        slots.extend(more.into_iter().map(|ty| constant(module, number, (ty, rest.clone()))));
        slots
    }

    /// An end: who is done wants nothing, and has its result in its place; who calls another function wants that, and has its
    /// arguments there. Whatever has nothing in its place gets the rest.
    fn end(
        &self,
        module: &mut Module,
        number: FunctionRef,
        inst: Inst,
        (shape, goes_on): (&Shape, bool),
        rest: &ConstantKind,
    ) -> Vec<Inst> {
        let (wanted, mut list, slots) = if goes_on {
            let (pointer, list) = self.pointer(module, number, inst);
            (pointer, list, self.slots(module, number, inst, (shape, rest)))
        } else {
            let none = module.scalar(self.number, 0);
            let none = module.function_mut(number).constant(none, self.number);
            let mut slots: Vec<Value> =
                shape.slots.iter().map(|&ty| constant(module, number, (ty, rest.clone()))).collect();
            let result = module.function(number).args(inst).first().copied();
            if let (Some(at), Some(result)) = (shape.result, result) {
                slots[at] = result;
            }
            (none, Vec::new(), slots)
        };
        let f = module.function_mut(number);
        let args: Vec<Value> = [wanted].into_iter().chain(slots).collect();
        let end = f.make(Op::Return, &args, &[]);
        f.inst_mut(end).span = f.inst(inst).span;
        list.push(end);
        list
    }

    /// A call behind which something follows: by what the lowest lane wants, to whom all that they want is handed over.
    fn call(&self, module: &mut Module, number: FunctionRef, inst: Inst, shape: &Shape) -> Vec<Inst> {
        let (pointer, list) = self.pointer(module, number, inst);
        let slots = self.slots(module, number, inst, (shape, &ConstantKind::Undef));
        let mut made = Made { f: module.function_mut(number), list };
        let (op, mut args, first) = match made.f.op(inst) {
            Op::CallIndirect => {
                let first = made.op(Op::BroadcastFirst, &[pointer], self.number);
                let function = made.op(Op::Bitcast, &[first], shape.function);
                (Op::CallIndirect, vec![function], first)
            }
            op => (op, Vec::new(), pointer),
        };
        args.extend([pointer, first].into_iter().chain(slots));
        let whole = made.op(op, &args, shape.whole);
        let Made { f, mut list } = made;
        if let Some(&call) = list.last() {
            f.inst_mut(call).span = f.inst(inst).span;
        }
        if let Some(at) = shape.result {
            // The old call becomes a part, so that its result keeps its name.
            f.replace(inst, Op::Extract(at as u32 + 1), &[whole]);
            list.push(inst);
        }
        list
    }

    /// The function itself, for those that want it.
    fn body(&self, module: &mut Module, number: FunctionRef, shape: &Shape) {
        let old = module.function(number).clone();
        let bool = module.types.intern(Type::Bool);
        let Type::Function(types, _) = module.types.get(shape.function).clone() else { return };
        let mut f = old.successor(&types, shape.whole);
        let (params, place) = (f.params.clone(), f.body);
        // Who waits comes first: what the others leave goes where that stands.
        let other = f.push(place, Op::INe, &[params[0], params[1]], &[bool]);
        let other = f.result_of(other).unwrap_or(params[0]);
        let results: Vec<Ty> = [self.number].iter().chain(&shape.slots).copied().collect();
        let choice = f.push(place, Op::If, &[other], &results);
        let sides = [f.new_block(), f.new_block()];
        f.set_blocks(choice, &sides);
        let mut copies = Copies::new(&old);
        old.params.iter().zip(&params[2..]).for_each(|(&old, &new)| copies.set(old, new));
        copies.redirect(Op::Return, Op::Exit(choice));
        let kept: Vec<Value> = [params[0]].iter().chain(&params[2..]).copied().collect();
        f.push(sides[0], Op::Exit(choice), &kept, &[]);
        copies.block(&mut f, Some(&old), old.body, sides[1]);
        let results: Vec<Value> = f.results(choice).collect();
        let whole = f.push(place, Op::Construct, &results, &[shape.whole]);
        let whole: Vec<Value> = f.result_of(whole).into_iter().collect();
        f.push(place, Op::Return, &whole, &[]);
        *module.function_mut(number) = f;
    }
}

/// A constant of a type, as a value of a function.
fn constant(module: &mut Module, number: FunctionRef, (ty, kind): (Ty, ConstantKind)) -> Value {
    let constant = module.constants.intern(ty, kind);
    module.function_mut(number).constant(constant, ty)
}
