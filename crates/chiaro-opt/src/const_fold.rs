//! Constant folding: computes operations whose operands are all constant.
//!
//! ```text
//! %0: f32 = fadd 1, 2                ->    (what took %0 takes 3)
//! %1: f32 = extractd %v, 1           ->    %1: f32 = extract.1 %v
//! %2: f32 = call_indirect @f, %1     ->    %2: f32 = call @f(%1)
//! %3: i32 = broadcast_first 7        ->    (what took %3 takes 7)
//! ```
//!
//! True before: nothing. True after: no operation without effects has constant operands only,
//! but those on `undef`, on values that are chosen late, and on what the interpreter computes
//! with more than numbers. The arithmetic is the interpreter's own, bit for bit.

use crate::rewrite::{lend, rewrite};
use crate::{Changed, Cx};
use chiaro_ir::interp::{Bits, evaluate};
use chiaro_ir::{
    Constant, ConstantKind, Def, Effect, Forward, Function, FunctionRef, Inst, Module, Op, Ty, Type, Value,
};

/// Folds constants.
pub fn const_fold(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    lend(module, f, |module, f| {
        let mut changed = false;
        let removed = rewrite(f, |f, forward, _, inst| {
            if let Some((result, value)) = in_all_lanes(f, inst) {
                forward.set(result, value);
                return false;
            }
            if f.op(inst).effect() != Effect::Pure {
                changed |= named(module, f, inst);
                return true;
            }
            changed |= index(module, f, forward, inst);
            let known = constant(module, f, inst);
            let (Some(c), Some(result)) = (known, f.result_of(inst)) else { return true };
            let value = f.constant(c, module.constants.ty(c));
            forward.set(result, value);
            false
        });
        (changed || removed).into()
    })
}

/// The result of what every lane is given by the first one, and the constant that it is there.
fn in_all_lanes(f: &Function, inst: Inst) -> Option<(Value, Value)> {
    let value = *f.args(inst).first()?;
    let is_known = f.op(inst) == Op::BroadcastFirst && matches!(f.def(value), Def::Constant(_));
    Some((f.result_of(inst).filter(|_| is_known)?, value))
}

/// Makes a call through a pointer that is the name of a function one by that name.
fn named(module: &Module, f: &mut Function, inst: Inst) -> bool {
    let (Op::CallIndirect, Some(&pointer)) = (f.op(inst), f.args(inst).first()) else { return false };
    let Def::Constant(c) = f.def(pointer) else { return false };
    let ConstantKind::Function(callee) = *module.constants.get(c) else { return false };
    let to = module.function(callee);
    // Passes that give functions other types leave names alone that have the old ones.
    let Type::Function(params, result) = module.types.get(f.ty(pointer)) else { return false };
    if to.param_types() != *params || to.result != *result {
        return false;
    }
    let args = f.args(inst)[1..].to_vec();
    f.replace(inst, Op::Call(callee), &args);
    true
}

/// Makes a component by a constant number one by that number.
fn index(module: &mut Module, f: &mut Function, forward: &mut Forward, inst: Inst) -> bool {
    let op = f.op(inst);
    let (Op::ExtractDyn | Op::InsertDyn, Some(&index)) = (op, f.args(inst).last()) else { return false };
    let args = f.args(inst).to_vec();
    let Some(n) = module.value_bits(f, index) else { return false };
    let inside = n < u64::from(module.types.components(f.ty(args[0])));
    match (op, inside) {
        (Op::ExtractDyn, true) => f.replace(inst, Op::Extract(n as u32), &args[..1]),
        (Op::InsertDyn, true) => f.replace(inst, Op::Insert(n as u32), &args[..2]),
        (Op::ExtractDyn, false) => {
            let scalar = module.types.scalar(f.ty(args[0]));
            let zero = module.constants.intern(scalar, ConstantKind::Scalar(0));
            let zero = f.constant(zero, scalar);
            f.result_of(inst).into_iter().for_each(|result| forward.set(result, zero));
            return false;
        }
        _ => {
            f.result_of(inst).into_iter().for_each(|result| forward.set(result, args[0]));
            return false;
        }
    }
    true
}

/// The constant that an instruction gives.
fn constant(module: &mut Module, f: &Function, inst: Inst) -> Option<Constant> {
    let ty = f.ty(f.result_of(inst)?);
    let constant = |value: Value| match f.def(value) {
        Def::Constant(c) => Some(c),
        _ => None,
    };
    let args = f.args(inst);
    if args.is_empty() || !args.iter().all(|&arg| constant(arg).is_some()) {
        return None;
    }
    let args: Vec<Constant> = args.iter().filter_map(|&arg| constant(arg)).collect();
    composite(module, f.op(inst), &args, ty).or_else(|| compute(module, f.op(inst), &args, ty))
}

/// Composites of constants, and their parts, whatever they are made of.
fn composite(module: &mut Module, op: Op, args: &[Constant], ty: Ty) -> Option<Constant> {
    match op {
        Op::Extract(n) => module.constant_part(args[0], n),
        Op::Construct if module.types.part_count(ty).is_some_and(|n| n as usize == args.len()) => {
            let parts: Option<Vec<Constant>> = (0..args.len() as u32)
                .zip(args)
                .map(|(i, &arg)| (module.types.part(ty, i) == Some(module.constants.ty(arg))).then_some(arg))
                .collect();
            Some(module.constants.intern(ty, ConstantKind::Composite(parts?)))
        }
        _ => None,
    }
}

fn compute(module: &mut Module, op: Op, args: &[Constant], ty: Ty) -> Option<Constant> {
    let args: Option<Vec<(Ty, Bits)>> =
        args.iter().map(|&c| Some((module.constants.ty(c), bits(module, c)?))).collect();
    let found = evaluate(&module.types, op, &args?, ty)?;
    let (scalar, n) = (module.types.scalar(ty), usize::from(module.types.components(ty)));
    let mut parts: Vec<Constant> =
        found[..n].iter().map(|&bits| module.constants.intern(scalar, ConstantKind::Scalar(bits))).collect();
    match n {
        1 => parts.pop(),
        _ => Some(module.constants.intern(ty, ConstantKind::Composite(parts))),
    }
}

/// The bits of a constant scalar or vector, if it is known.
fn bits(module: &Module, c: Constant) -> Option<Bits> {
    let n = usize::from(module.types.components(module.constants.ty(c)));
    let mut found = Bits::default();
    match module.constants.get(c) {
        ConstantKind::Composite(parts) if n > 1 => {
            for (to, &part) in found.iter_mut().zip(parts) {
                *to = module.constants.bits(part)?;
            }
        }
        ConstantKind::Zero if n > 0 => {}
        ConstantKind::Scalar(bits) => found[0] = *bits,
        _ => return None,
    }
    Some(found)
}
