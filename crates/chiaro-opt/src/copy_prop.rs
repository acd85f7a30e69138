//! Copy propagation through composites and pointers: a component is taken from the value that
//! first had it, and an `access` starts at its variable.
//!
//! ```text
//! %2: vec2 = construct %0, %1
//! %3: f32 = extract.1 %2                 ->    (what took %3 takes %1)
//! %4: vec2 = shuffle<1, 0> %v, %v
//! %5: vec2 = shuffle<1, 0> %4, %4        ->    (what took %5 takes %v)
//! %6 = access %p, 1   %7 = access %6, 2  ->    %7 = access %p, 1, 2
//! ```
//!
//! True before: nothing. True after: who takes a component takes it from the value that first
//! had it; a vector whose components all come from at most two others is one `shuffle`, or that
//! other itself; one of scalars is one `construct`; one that differs from another in one
//! component is one `insert`; an `access` begins at no other `access`.

use crate::rewrite::{lend, rewrite};
use crate::{Changed, Cx};
use chiaro_ir::{ConstantKind, Def, Forward, Function, FunctionRef, Inst, Module, Op, Type, Value};

/// Forwards components, shuffles and accesses.
pub fn copy_prop(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    lend(module, f, |module, f| {
        let mut changed = false;
        let removed = rewrite(f, |f, forward, _, inst| match f.op(inst) {
            Op::Extract(n) => extract(module, f, forward, inst, n, &mut changed),
            Op::Construct | Op::Insert(_) | Op::Shuffle(_) => vector(module, f, forward, inst, &mut changed),
            Op::Access => {
                changed |= access(f, inst);
                true
            }
            _ => true,
        });
        (changed || removed).into()
    })
}

/// Where a component comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    /// A scalar of its own.
    Scalar(Value),
    /// A component of a vector that is made of nothing.
    Of(Value, u8),
    /// Any value will do.
    Any,
}

/// Steps that one look takes towards the origin: enough, since what is made of other vectors has
/// been looked at before.
const STEPS: u32 = 8;

/// Where component `n` of a vector comes from.
fn part(module: &mut Module, f: &mut Function, mut vector: Value, mut n: u8) -> Part {
    for _ in 0..STEPS {
        let inst = match f.def(vector) {
            Def::Result(inst, _) => inst,
            Def::Constant(c) => return constant(module, f, c, vector, n),
            _ => break,
        };
        let args = f.args(inst);
        match f.op(inst) {
            Op::Insert(k) if k == u32::from(n) => return scalar(module, f, args[1]),
            Op::Insert(_) => vector = args[0],
            Op::Shuffle(parts) => match (parts[usize::from(n)], module.types.components(f.ty(args[0]))) {
                (255, _) => return Part::Any,
                (k, split) if k < split => (vector, n) = (args[0], k),
                (k, split) => (vector, n) = (args[1], k - split),
            },
            Op::Construct => match operand(module, f, inst, n) {
                (arg, None) => return scalar(module, f, arg),
                (arg, Some(k)) => (vector, n) = (arg, k),
            },
            _ => break,
        }
    }
    Part::Of(vector, n)
}

/// The part of a constant that is known component by component.
fn constant(module: &mut Module, f: &mut Function, c: chiaro_ir::Constant, vector: Value, n: u8) -> Part {
    match (module.constants.get(c).clone(), module.constant_part(c, u32::from(n))) {
        (ConstantKind::Composite(_) | ConstantKind::Zero | ConstantKind::Undef, Some(part)) => {
            Part::Scalar(f.constant(part, module.constants.ty(part)))
        }
        _ => Part::Of(vector, n),
    }
}

/// Where a scalar comes from.
fn scalar(module: &mut Module, f: &mut Function, value: Value) -> Part {
    if let Def::Result(inst, _) = f.def(value)
        && let Op::Extract(n) = f.op(inst)
    {
        let vector = f.args(inst)[0];
        if matches!(module.types.get(f.ty(vector)), Type::Vector(..)) {
            return part(module, f, vector, n as u8);
        }
    }
    Part::Scalar(value)
}

/// The operand of a construct in which component `n` lies, and its number there if that is a
/// vector.
fn operand(module: &Module, f: &Function, inst: Inst, n: u8) -> (Value, Option<u8>) {
    let args = f.args(inst);
    let mut left = n;
    for &arg in args {
        let count = module.types.components(f.ty(arg));
        if left < count {
            return (arg, (count > 1).then_some(left));
        }
        left -= count;
    }
    // One operand for all components.
    (args.first().copied().unwrap_or(Value(0)), None)
}

fn extract(
    module: &mut Module,
    f: &mut Function,
    forward: &mut Forward,
    inst: Inst,
    n: u32,
    changed: &mut bool,
) -> bool {
    let (Some(result), from) = (f.result_of(inst), f.args(inst)[0]) else { return true };
    if !matches!(module.types.get(f.ty(from)), Type::Vector(..)) {
        let Some(piece) = piece(f, from, n) else { return true };
        forward.set(result, piece);
        return false;
    }
    match part(module, f, from, n as u8) {
        Part::Scalar(value) => {
            forward.set(result, value);
            false
        }
        Part::Of(vector, k) if (vector, u32::from(k)) != (from, n) => {
            f.replace(inst, Op::Extract(u32::from(k)), &[vector]);
            *changed = true;
            true
        }
        _ => true,
    }
}

/// Part `n` of a composite that is no vector, where it is known.
fn piece(f: &Function, mut whole: Value, n: u32) -> Option<Value> {
    for _ in 0..STEPS {
        let Def::Result(inst, _) = f.def(whole) else { return None };
        match f.op(inst) {
            Op::Construct => return f.args(inst).get(n as usize).copied(),
            Op::Insert(k) if k == n => return f.args(inst).get(1).copied(),
            Op::Insert(_) => whole = f.args(inst)[0],
            _ => return None,
        }
    }
    None
}

/// A vector that is put together: whether it stays.
fn vector(
    module: &mut Module,
    f: &mut Function,
    forward: &mut Forward,
    inst: Inst,
    changed: &mut bool,
) -> bool {
    let Some(result) = f.result_of(inst) else { return true };
    let ty = f.ty(result);
    if !matches!(module.types.get(ty), Type::Vector(..)) {
        return true;
    }
    let n = module.types.components(ty);
    let mut parts = [Part::Any; 4];
    for i in 0..n {
        parts[usize::from(i)] = part(module, f, result, i);
    }
    let parts = &parts[..usize::from(n)];
    if let Some(same) = identity(f, parts, ty) {
        forward.set(result, same);
        return false;
    }
    if let Some((op, args)) = form(module, f, parts, ty)
        && (op, args.as_slice()) != (f.op(inst), f.args(inst))
    {
        f.replace(inst, op, &args);
        *changed = true;
    }
    true
}

/// The vector of which these are all components in order.
fn identity(f: &Function, parts: &[Part], ty: chiaro_ir::Ty) -> Option<Value> {
    let whole = base(parts)?;
    let fits = |(i, part): (usize, &Part)| matches!(*part, Part::Any) || *part == Part::Of(whole, i as u8);
    (f.ty(whole) == ty && parts.iter().enumerate().all(fits)).then_some(whole)
}

/// The first vector of which one is a component.
fn base(parts: &[Part]) -> Option<Value> {
    parts.iter().find_map(|part| match part {
        Part::Of(vector, _) => Some(*vector),
        _ => None,
    })
}

/// The one operation that makes a vector of its parts; `None` where it takes several.
fn form(module: &Module, f: &Function, parts: &[Part], ty: chiaro_ir::Ty) -> Option<(Op, Vec<Value>)> {
    let scalars: Option<Vec<Value>> = parts
        .iter()
        .map(|part| match part {
            Part::Scalar(value) => Some(*value),
            _ => None,
        })
        .collect();
    if let Some(scalars) = scalars {
        let is_splat = scalars.iter().all(|&scalar| scalar == scalars[0]);
        return Some((Op::Construct, if is_splat { vec![scalars[0]] } else { scalars }));
    }
    let whole = base(parts)?;
    if let Some(replaced) = replaced(f, parts, whole, ty) {
        return Some(replaced);
    }
    shuffled(module, f, parts, whole)
}

/// A vector of the same type with one component replaced by a scalar.
fn replaced(f: &Function, parts: &[Part], whole: Value, ty: chiaro_ir::Ty) -> Option<(Op, Vec<Value>)> {
    if f.ty(whole) != ty {
        return None;
    }
    let mut others = parts.iter().enumerate().filter(|&(i, part)| *part != Part::Of(whole, i as u8));
    match (others.next(), others.next()) {
        (Some((i, Part::Scalar(value))), None) => Some((Op::Insert(i as u32), vec![whole, *value])),
        _ => None,
    }
}

/// Components of one or two vectors.
fn shuffled(module: &Module, f: &Function, parts: &[Part], first: Value) -> Option<(Op, Vec<Value>)> {
    let second = parts.iter().find_map(|part| match part {
        Part::Of(vector, _) if *vector != first => Some(*vector),
        _ => None,
    });
    let split = module.types.components(f.ty(first));
    let mut numbers = [255; 4];
    for (number, part) in numbers.iter_mut().zip(parts) {
        *number = match *part {
            Part::Of(vector, n) if vector == first => n,
            Part::Of(vector, n) if Some(vector) == second => split + n,
            Part::Any => 255,
            _ => return None,
        };
    }
    Some((Op::Shuffle(numbers), vec![first, second.unwrap_or(first)]))
}

/// Begins at the first pointer of a chain. Whether it did not already.
fn access(f: &mut Function, inst: Inst) -> bool {
    let args = f.args(inst);
    let Def::Result(before, _) = f.def(args[0]) else { return false };
    if f.op(before) != Op::Access {
        return false;
    }
    let all: Vec<Value> = f.args(before).iter().chain(&args[1..]).copied().collect();
    f.set_args(inst, &all);
    let nonuniform = f.inst(before).flags.nonuniform;
    f.inst_mut(inst).flags.nonuniform |= nonuniform;
    true
}
