//! Outputs that are read are variables until the end.
//!
//! ```text
//! store @out, %v                          %0: *private vec4f = var private
//! %1 = load @out                          store %0, %v
//! return                          ->      %1 = load %0
//!                                         %2 = load %0   store @out, %2   return
//! ```
//!
//! The machine's outputs can be written only, each component once (spec section 13). True before:
//! calls are inlined. True after: the function loads no output; what is left of the variables is
//! for [`promote`](chiaro_opt::promote) to make values of.

use chiaro_ir::{
    Block, Def, Forward, Function, FunctionRef, GlobalRef, Inst, Module, Op, Space, Step, Ty, Type, Value,
    Walk,
};
use chiaro_opt::{Changed, Cx};

use super::illegal::root;

/// Gives each output that is read a variable.
pub fn readback(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let read = read(module, module.function(f));
    for &output in &read {
        shadow(module, f, output);
    }
    (!read.is_empty()).into()
}

/// Outputs that something loads, or stores to by an index that is computed: that reads all of
/// the elements.
fn read(module: &Module, f: &Function) -> Vec<GlobalRef> {
    let mut found = Vec::new();
    for step in Walk::new(f) {
        let Step::Inst(inst) = step else { continue };
        let Some(&pointer) = f.args(inst).first() else { continue };
        let dynamic = || f.args(inst).iter().skip(1).any(|&v| !matches!(f.def(v), Def::Constant(_)));
        if !(f.op(inst) == Op::Load || f.op(inst) == Op::Access && dynamic()) {
            continue;
        }
        if let Some((Space::Output, _)) = module.types.pointee(f.ty(pointer))
            && let Some(output) = root(module, f, pointer)
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
    let address = module.address(output);
    let place = module.types.intern(Type::Pointer(Space::Output, ty));
    let function = module.function_mut(f);
    let target = function.constant(address, place);
    for (block, at) in returns(function) {
        copy(function, (block, at), var, target, ty);
    }
}

/// Loads the variable and stores the output before a return.
fn copy(f: &mut Function, (block, before): (Block, Inst), from: Value, to: Value, ty: Ty) {
    let load = f.insert_before(block, before, Op::Load, &[from], &[ty]);
    if let Some(value) = f.result_of(load) {
        f.insert_before(block, before, Op::Store, &[to, value], &[]);
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
    for step in Walk::new(function) {
        let Step::Inst(inst) = step else { continue };
        for &arg in function.args(inst) {
            let is_pointer = module.types.pointee(function.ty(arg)).is_some();
            if is_pointer
                && matches!(function.def(arg), Def::Constant(_))
                && root(module, function, arg) == Some(output)
            {
                found.push(Pointer::Whole(arg));
            }
        }
        if function.op(inst) == Op::Access
            && let Some(result) = function.result_of(inst)
            && root(module, function, result) == Some(output)
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

/// Every return, with the block that it ends.
fn returns(f: &Function) -> Vec<(Block, Inst)> {
    let last = |(_, block): &(Option<Inst>, Block)| f.block(*block).insts.last().map(|&inst| (*block, inst));
    let ends = |(_, inst): &(Block, Inst)| matches!(f.op(*inst), Op::Return | Op::Terminate);
    f.tree().iter().filter_map(last).filter(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::legalize::samples::{outputs, shader};
    use chiaro_ir::interp::Exact;

    #[test]
    fn what_is_read_is_a_variable() {
        let mut module = shader(1, |b, args| {
            let out = b.global(GlobalRef(1));
            b.store(out, args[0]);
            let back = b.load(out);
            b.fadd(back, args[0])
        });
        let f = module.entries[0].function;
        assert_eq!(readback(&mut module, f, &mut Cx::default()), Changed::Yes);
        assert!(read(&module, module.function(f)).is_empty(), "{}", chiaro_ir::print(&module));
        assert_eq!(chiaro_ir::verify(&module), Ok(()));
        assert_eq!(outputs(&module, Exact, &[vec![1.5]]), [3.0]);
        assert_eq!(readback(&mut module, f, &mut Cx::default()), Changed::No);
    }
}
