//! Replaces outputs that are read by variables, which are copied to the outputs at the end.
//!
//! ```text
//! store @out, %v                          %0: *private vec4f = var private
//! %1 = load @out                          store %0, %v
//! return                          ->      %1 = load %0
//!                                         %2 = load %0   store @out, %2   return
//! ```
//!
//! For machines whose outputs can only be written, each by a number that is known. True before:
//! calls are inlined. True after: an entry point loads no output and indexes none by a number that
//! is computed, but to copy a variable; what is left of the variables is for
//! [`mem2reg`](crate::mem2reg()) to make values of.

use chiaro_ir::{
    Block, ConstantKind, Def, Forward, Function, FunctionRef, GlobalRef, Inst, Module, Op, Space, Ty, Type,
    Value, Walk,
};

use crate::{Changed, Cx};

/// Gives each output that is read a variable.
pub fn outputs_to_locals(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    if !module.entries.iter().any(|entry| entry.function == f) {
        return Changed::No;
    }
    let read = read(module, module.function(f));
    for &output in &read {
        shadow(module, f, output);
    }
    (!read.is_empty()).into()
}

/// Gives each output a variable: all of them are written by the end alone, in one place where the
/// function returns once ([`single_return`](crate::single_return())). To be run once.
pub fn outputs_at_end(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let is_output = |g: GlobalRef| module.global(g).space == Space::Output;
    let outputs: Vec<GlobalRef> = crate::named(module, module.function(f))
        .into_iter()
        .map(|(g, _)| g)
        .filter(|&g| is_output(g))
        .collect();
    for &output in &outputs {
        shadow(module, f, output);
    }
    (!outputs.is_empty()).into()
}

/// Outputs that something loads, or stores to by an index that is computed: that reads all of
/// the elements.
fn read(module: &Module, f: &Function) -> Vec<GlobalRef> {
    let mut found = Vec::new();
    for inst in Walk::insts(f) {
        let Some(&pointer) = f.args(inst).first() else { continue };
        let dynamic = || f.args(inst).iter().skip(1).any(|&v| !matches!(f.def(v), Def::Constant(_)));
        if !(f.op(inst) == Op::Load || f.op(inst) == Op::Access && dynamic()) {
            continue;
        }
        if let Some((Space::Output, _)) = module.types.pointee(f.ty(pointer))
            && let Some(output) = module.variable_of(f, pointer)
            && !found.contains(&output)
        {
            found.push(output);
        }
    }
    found
}

fn shadow(module: &mut Module, f: FunctionRef, output: GlobalRef) {
    let ty = module.global(output).ty;
    let pointer = module.types.intern(Type::Pointer(Space::Private, ty));
    let moved = pointers(module, f, output);
    let function = module.function_mut(f);
    let var = function.make(Op::Var(Space::Private), &[], &[pointer]);
    let body = function.body;
    function.block_mut(body).insts.insert(0, var);
    let Some(var) = function.result_of(var) else { return };
    let mut forward = Forward::new();
    for pointer in moved {
        match pointer {
            Pointer::Whole(old) => forward.set(old, var),
            // Accesses get a result of the other type; what they start from follows.
            Pointer::Part(inst, ty) => {
                let old = function.result_of(inst);
                function.set_results(inst, &[ty]);
                if let (Some(old), Some(new)) = (old, function.result_of(inst)) {
                    forward.set(old, new);
                }
            }
        }
    }
    forward.apply(function);
    let parts = parts(module, f, output, var);
    let function = module.function_mut(f);
    for at in returns(function) {
        parts.iter().for_each(|part| part.copy(function, at));
    }
}

/// What is copied at the end: a whole output, or a member of a block of them, which has a
/// built-in's meaning of its own.
struct Part {
    /// The member, with the types of pointers to it in the variable and in the output.
    member: Option<(Value, [Ty; 2])>,
    ty: Ty,
    from: Value,
    to: Value,
}

fn parts(module: &mut Module, f: FunctionRef, output: GlobalRef, from: Value) -> Vec<Part> {
    let (ty, is_block) = (module.global(output).ty, !module.global(output).members.is_empty());
    let address = module.address(output);
    let place = module.types.intern(Type::Pointer(Space::Output, ty));
    let to = module.function_mut(f).constant(address, place);
    let Some(count) = module.types.part_count(ty).filter(|_| is_block) else {
        return vec![Part { member: None, ty, from, to }];
    };
    let number = module.types.intern(Type::Int(32));
    let mut parts = Vec::new();
    for n in 0..count {
        let Some(ty) = module.types.part(ty, n) else { break };
        let places = [Space::Private, Space::Output].map(|s| module.types.intern(Type::Pointer(s, ty)));
        let index = module.constants.intern(number, ConstantKind::Scalar(n.into()));
        let index = module.function_mut(f).constant(index, number);
        parts.push(Part { member: Some((index, places)), ty, from, to });
    }
    parts
}

impl Part {
    /// Loads the variable and stores the output before a return.
    fn copy(&self, f: &mut Function, (block, before): (Block, Inst)) {
        let (mut from, mut to) = (self.from, self.to);
        if let Some((index, types)) = self.member {
            for (pointer, ty) in [&mut from, &mut to].into_iter().zip(types) {
                let access = f.insert_before(block, before, Op::Access, &[*pointer, index], &[ty]);
                *pointer = f.result_of(access).unwrap_or(*pointer);
            }
        }
        let load = f.insert_before(block, before, Op::Load, &[from], &[self.ty]);
        if let Some(value) = f.result_of(load) {
            f.insert_before(block, before, Op::Store, &[to, value], &[]);
        }
    }
}

/// A pointer to an output or into it.
enum Pointer {
    Whole(Value),
    /// An access, and the type of its result in the variable.
    Part(Inst, Ty),
}

/// Pointers to an output, in the order of the program.
fn pointers(module: &mut Module, f: FunctionRef, output: GlobalRef) -> Vec<Pointer> {
    let (mut found, mut parts) = (Vec::new(), Vec::new());
    let function = module.function(f);
    for inst in Walk::insts(function) {
        for &arg in function.args(inst) {
            let is_pointer = module.types.pointee(function.ty(arg)).is_some();
            if is_pointer
                && matches!(function.def(arg), Def::Constant(_))
                && module.variable_of(function, arg) == Some(output)
            {
                found.push(Pointer::Whole(arg));
            }
        }
        if function.op(inst) == Op::Access
            && let Some(result) = function.result_of(inst)
            && module.variable_of(function, result) == Some(output)
            && let Some((_, to)) = module.types.pointee(function.ty(result))
        {
            parts.push((inst, to));
        }
    }
    for (inst, to) in parts {
        found.push(Pointer::Part(inst, module.types.intern(Type::Pointer(Space::Private, to))));
    }
    found
}

/// Every return, with the block that it ends. A fragment that ends otherwise has no outputs.
fn returns(f: &Function) -> Vec<(Block, Inst)> {
    let last = |(_, block): &(Option<Inst>, Block)| f.block(*block).insts.last().map(|&inst| (*block, inst));
    let ends = |(_, inst): &(Block, Inst)| f.op(*inst) == Op::Return;
    f.tree().iter().filter_map(last).filter(ends).collect()
}
