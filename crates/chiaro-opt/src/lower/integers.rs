//! Integers as floats, which carry them exactly as far as their significant bits go.
//!
//! For machines without integers that can be computed with. Integers up to 2^bits are exact, and
//! so are sums, differences and products that stay within. Whether they are signed makes no
//! difference there. What would wrap around is beyond what such a machine can do: where a constant
//! shows that the source means it to, as in `(h * 1664525u) >> 24`, the operation stays; elsewhere
//! checked compilation notices.
//!
//! ```text
//! %2: i32 = iadd %0, %1                  %2: f32 = fadd %0, %1
//! %3: bool = slt %2, 7                   %3: bool = flt %2, 7.0
//! %4: ptr = access @u, %2                %4: i32 = ftos %2       for an index register
//!                                        %5: ptr = access @u, %4
//! ```
//!
//! True after: the only integers are constant indices, `ftos` of a float, the values that the
//! target keeps as integers, each of these plus a constant, as operands of `access`; what is
//! loaded from outside, as the operand of `stof` (a register holds it as a float already);
//! and `ftos` of what is stored to an output.
//!
//! Operations without an exact form stay, between conversions, for the target to report.

use std::collections::HashSet;

use chiaro_ir::{
    Builder, Constant, ConstantKind, Def, Function, FunctionRef, Inst, Member, Module, Op, Space, Ty, Type,
    Value,
};

use super::arith::{Arith, number};
use super::bits::{Known, bits};
use super::division::division;
use super::facts::{Facts, Lower};
use super::rewrite::{Replaced, Rewrite, Rule, has, rewrite};
use super::{exponential, mask};
use crate::{Changed, Ranges, ranges};

/// Makes integers floats, but those values that a target keeps: counters that it has registers
/// for, their next values and tests.
pub fn integers(module: &mut Module, f: FunctionRef, facts: &'static Facts, kept: HashSet<Value>) -> Changed {
    // Constant indices, which nearly all shaders have, stay as they are.
    let is_index = |f: &Function, op, v| op == Op::Access && matches!(f.def(v), Def::Constant(_));
    let any = has(module, f, |f, inst, op| {
        let is_int = |v| holds_int(module, f.ty(v));
        f.results(inst).any(is_int) || f.args(inst).iter().any(|&v| is_int(v) && !is_index(f, op, v))
    });
    if !any {
        return Changed::No;
    }
    let ranges = ranges(module, module.function(f));
    rewrite(module, f, Ints { facts, kept, ranges })
}

/// Whether integers of a type become floats.
#[must_use]
pub fn holds_int(module: &Module, ty: Ty) -> bool {
    let types = &module.types;
    match types.get(ty) {
        Type::Int(32) => true,
        Type::Vector(part, _) | Type::Array(part, ..) => holds_int(module, *part),
        Type::Pointer(Space::Function | Space::Private, to) => holds_int(module, *to),
        Type::Struct(_, members) => members.iter().any(|m| holds_int(module, m.ty)),
        _ => false,
    }
}

struct Ints {
    facts: &'static Facts,
    /// What stays an integer.
    kept: HashSet<Value>,
    /// What is known of the old function's numbers.
    ranges: Ranges,
}

/// The type with floats for integers.
fn float_ty(b: &mut Builder<'_>, ty: Ty) -> Ty {
    if !holds_int(b.module(), ty) {
        return ty;
    }
    let new = match b.types().get(ty).clone() {
        Type::Int(_) => Type::Float(32),
        Type::Vector(part, n) => Type::Vector(float_ty(b, part), n),
        Type::Array(part, n, stride) => Type::Array(float_ty(b, part), n, stride),
        Type::Pointer(space, to) => Type::Pointer(space, float_ty(b, to)),
        Type::Struct(name, members) => {
            let members = members.into_iter().map(|m| Member { ty: float_ty(b, m.ty), ..m });
            Type::Struct(name, members.collect())
        }
        other => other,
    };
    b.types().intern(new)
}

impl Rule for Ints {
    fn ty(r: &mut Rewrite<'_, Self>, ty: Ty) -> Ty {
        float_ty(&mut r.b, ty)
    }

    fn ty_of(r: &mut Rewrite<'_, Self>, old: Value) -> Ty {
        let ty = r.old.ty(old);
        if r.rule.kept.contains(&old) { ty } else { Self::ty(r, ty) }
    }

    fn passed(r: &mut Rewrite<'_, Self>, value: Value, to: Value) -> Value {
        if r.rule.kept.contains(&to) { index(r, value) } else { r.value(value) }
    }

    fn selector(r: &mut Rewrite<'_, Self>, value: Value) -> Value {
        index(r, value)
    }

    fn constant(r: &mut Rewrite<'_, Self>, c: Constant) -> Value {
        let ty = r.b.module().constants.ty(c);
        if !holds_int(r.b.module(), ty) {
            return r.b.constant(c);
        }
        match float_constant(&mut r.b, c, r.rule.facts) {
            Some(c) => r.b.constant(c),
            // It is reported where it is used.
            None => {
                let to = float_ty(&mut r.b, ty);
                let integer = r.b.constant(c);
                r.b.op_as(Op::SToF, &[integer], to)
            }
        }
    }

    fn replace(r: &mut Rewrite<'_, Self>, inst: Inst, op: Op) -> Replaced {
        let old = r.old;
        // What is added to a counter makes an index of it.
        let is_index = op == Op::IAdd && old.args(inst).iter().any(|v| r.rule.kept.contains(v));
        if is_index || old.result_of(inst).is_some_and(|v| r.rule.kept.contains(&v)) {
            return Replaced::By(kept(r, inst, op));
        }
        match op {
            Op::Load => load(r, inst),
            Op::Store => store(r, inst),
            Op::Access => access(r, inst),
            // Offsets and coordinates are integers for whoever has textures.
            Op::Sample(_) | Op::Fetch | Op::ImageRead | Op::ImageQuery(_) => {
                Replaced::By(as_it_was(r, inst, op))
            }
            Op::ImageWrite => {
                let args = as_they_were(r, inst);
                r.b.op_void(op, &args);
                Replaced::Gone
            }
            _ => {
                let types = &r.b.module().types;
                let any =
                    old.results(inst).chain(old.args(inst).iter().copied()).any(|v| types.is_int(old.ty(v)));
                if any { compute(r, inst, op) } else { Replaced::Copy }
            }
        }
    }
}

/// A constant with floats for integers; `None` if one is not exact.
fn float_constant(b: &mut Builder<'_>, c: Constant, facts: &Facts) -> Option<Constant> {
    let ty = b.module().constants.ty(c);
    let to = float_ty(b, ty);
    let kind = match b.module().constants.get(c).clone() {
        ConstantKind::Scalar(bits) if b.types().is_int(ty) => {
            let x = number(b.module(), c)?;
            debug_assert!(bits <= u64::from(u32::MAX));
            if !facts.holds(x) {
                return None;
            }
            ConstantKind::Scalar(u64::from((x as f32).to_bits()))
        }
        ConstantKind::Composite(parts) => {
            let parts = parts.into_iter().map(|part| float_constant(b, part, facts));
            ConstantKind::Composite(parts.collect::<Option<_>>()?)
        }
        ConstantKind::Spec(n) => {
            let default = b.module().specs.get(n as usize)?.default;
            return float_constant(b, default, facts);
        }
        other => other,
    };
    Some(b.module().constants.intern(to, kind))
}

/// The test or the step of a counter: as it is.
fn kept(r: &mut Rewrite<'_, Ints>, inst: Inst, op: Op) -> Value {
    let old = r.old;
    let args: Vec<Value> = old.args(inst).iter().map(|&arg| index(r, arg)).collect();
    let ty = old.result_of(inst).map_or(old.result, |v| old.ty(v));
    r.b.op_as(op, &args, ty)
}

/// A value as an integer: a constant, a counter, one of them or a float's plus a constant.
fn index(r: &mut Rewrite<'_, Ints>, value: Value) -> Value {
    if let Some(c) = r.old_constant(value) {
        return r.b.constant(c);
    }
    if r.rule.kept.contains(&value) || !r.b.module().types.is_int(r.old.ty(value)) {
        return r.value(value);
    }
    if let Some((add, Op::IAdd)) = r.old_inst(value)
        && let &[a, b] = r.old.args(add)
    {
        let (from, by) = if r.old_constant(a).is_some() { (b, a) } else { (a, b) };
        if let Some(c) = r.old_constant(by)
            && r.old_inst(from).is_none_or(|(_, op)| op != Op::IAdd)
        {
            let (from, by) = (index(r, from), r.b.constant(c));
            return r.b.iadd(from, by);
        }
    }
    let float = r.value(value);
    let ty = r.old.ty(value);
    r.b.op_as(Op::FToS, &[float], ty)
}

fn access(r: &mut Rewrite<'_, Ints>, inst: Inst) -> Replaced {
    let (old, Some(result)) = (r.old, r.old.result_of(inst)) else { return Replaced::Copy };
    let pointer = r.value(old.args(inst)[0]);
    let mut args = vec![pointer];
    for (n, &v) in old.args(inst)[1..].iter().enumerate() {
        let rounded = r.rule.facts.has_rounded_index && is_into_array(r, inst, n);
        let whole = if rounded { unrounded(r, v) } else { None };
        args.push(whole.unwrap_or_else(|| index(r, v)));
    }
    let ty = r.ty_of(result);
    Replaced::By(r.b.op_as(Op::Access, &args, ty))
}

/// Whether an index is one into an array outside of the function's own memory.
fn is_into_array(r: &mut Rewrite<'_, Ints>, access: Inst, n: usize) -> bool {
    let (pointer, indices) = (r.old.args(access)[0], &r.old.args(access)[1..]);
    if !is_outside(r, pointer) {
        return false;
    }
    let types = &r.b.module().types;
    let into = indices[..n]
        .iter()
        .try_fold(types.pointee(r.old.ty(pointer)).map(|p| p.1), |ty, _| ty.map(|ty| types.part(ty, 0)));
    into.flatten().is_some_and(|ty| matches!(types.get(ty), Type::Array(..)))
}

/// An index that is made of a float, without rounding it where the machine does that or where it makes no
/// difference: `int(x) + k` as `ftos x + k`, and `int(x) * c + k` with 0 <= k < c as
/// `ftos (floor(max(x, 0)) * c) + k`, because below -1 the index is negative, and what is read there
/// is left open by every source language.
fn unrounded(r: &mut Rewrite<'_, Ints>, value: Value) -> Option<Value> {
    let old = r.old;
    let operands = |r: &mut Rewrite<'_, Ints>, v: Value, wanted: Op| {
        let (inst, _) = r.old_inst(v).filter(|(_, op)| *op == wanted)?;
        let &[a, b] = old.args(inst) else { return None };
        let (from, by) = if r.old_constant(a).is_some() { (b, a) } else { (a, b) };
        let c = r.old_constant(by)?;
        Some((from, by, number(r.b.module(), c)?))
    };
    let float = |r: &Rewrite<'_, Ints>, v: Value| {
        r.old_inst(v).filter(|(_, op)| *op == Op::FToS).and_then(|(inst, _)| old.args(inst).first().copied())
    };
    let (from, term) = match operands(r, value, Op::IAdd) {
        Some((from, by, term)) => (from, Some((by, term))),
        None => (value, None),
    };
    let float = match (float(r, from), operands(r, from, Op::IMul)) {
        (Some(x), _) => r.value(x),
        (None, Some((inner, _, factor))) if (0.0..factor).contains(&term.map_or(0.0, |t| t.1)) => {
            let x = float(r, inner)?;
            let x = r.value(x);
            let b = &mut Lower::new(&mut r.b, r.rule.facts);
            let (zero, factor) = (b.num(0.0, x), b.num(factor, x));
            let positive = b.fmax(x, zero);
            let whole = b.ffloor(positive);
            b.fmul(whole, factor)
        }
        _ => return None,
    };
    let ty = old.ty(value);
    let whole = r.b.op_as(Op::FToS, &[float], ty);
    Some(match term.and_then(|(by, _)| r.old_constant(by)) {
        Some(c) => {
            let by = r.b.constant(c);
            r.b.iadd(whole, by)
        }
        None => whole,
    })
}

/// What a pointer outside of the function's own memory leads to stays as it is.
fn is_outside(r: &mut Rewrite<'_, Ints>, pointer: Value) -> bool {
    let ty = r.old.ty(pointer);
    let pointee = r.b.types().pointee(ty);
    pointee.is_some_and(|(space, _)| !matches!(space, Space::Function | Space::Private))
}

fn load(r: &mut Rewrite<'_, Ints>, inst: Inst) -> Replaced {
    let (old, Some(result)) = (r.old, r.old.result_of(inst)) else { return Replaced::Copy };
    let ty = old.ty(result);
    if !(holds_int(r.b.module(), ty) && is_outside(r, old.args(inst)[0])) {
        return Replaced::Copy;
    }
    let pointer = r.value(old.args(inst)[0]);
    let loaded = r.b.op_as(Op::Load, &[pointer], ty);
    let to = float_ty(&mut r.b, ty);
    Replaced::By(r.b.op_as(Op::SToF, &[loaded], to))
}

fn store(r: &mut Rewrite<'_, Ints>, inst: Inst) -> Replaced {
    let &[pointer, value] = r.old.args(inst) else { return Replaced::Copy };
    let ty = r.old.ty(value);
    if !(holds_int(r.b.module(), ty) && is_outside(r, pointer)) {
        return Replaced::Copy;
    }
    let (pointer, value) = (r.value(pointer), r.value(value));
    let value = r.b.op_as(Op::FToS, &[value], ty);
    r.b.store(pointer, value);
    Replaced::Gone
}

/// An operation on integers, or from or to them.
fn compute(r: &mut Rewrite<'_, Ints>, inst: Inst, op: Op) -> Replaced {
    if is_carried(op) {
        return Replaced::Copy;
    }
    if matches!(op, Op::ExtractDyn | Op::InsertDyn) {
        return Replaced::By(indexed(r, inst, op));
    }
    if wraps(r, inst, op) || overflows(r, inst, op) {
        return Replaced::By(as_it_was(r, inst, op));
    }
    let known = known(r, inst);
    let args = r.args(inst);
    let b = &mut Lower::new(&mut r.b, r.rule.facts);
    let value = simple(op).map(|op| b.op(op, &args));
    let value = value.or_else(|| converted(b, op, &args));
    let value = value.or_else(|| division(b, op, &args, !known.is_signed));
    let value = value.or_else(|| bits(b, op, &args, &known));
    Replaced::By(value.unwrap_or_else(|| as_it_was(r, inst, op)))
}

/// What is known of an instruction's operands.
fn known(r: &mut Rewrite<'_, Ints>, inst: Inst) -> Known {
    let old = r.old.args(inst);
    let constants = old.iter().map(|&v| r.old_constant(v).and_then(|c| number(r.b.module(), c))).collect();
    let ranges: Vec<_> = old.iter().map(|&v| r.rule.ranges.int(v, 32)).collect();
    // Bits of the largest number, or of the complement of the smallest.
    let most = ranges.iter().map(|range| range.high.max(-range.low - 1).max(0)).max().unwrap_or(i64::MAX);
    Known {
        constants,
        is_natural: ranges.first().is_some_and(|range| range.is_natural()),
        places: i64::BITS - most.leading_zeros(),
        is_signed: ranges.iter().any(|range| !range.is_natural()),
    }
}

/// Whether an operation moves values, whatever they are.
fn is_carried(op: Op) -> bool {
    use Op::*;
    matches!(op, Construct | Extract(_) | Insert(_) | Shuffle(_) | Select | Var(_))
}

/// Whether an unsigned operation has an operand that floats hold as a negative number.
fn wraps(r: &mut Rewrite<'_, Ints>, inst: Inst, op: Op) -> bool {
    use Op::*;
    let old = r.old;
    matches!(op, ULt | ULe | UMin | UMax | UDiv | URem | UToF)
        && old.args(inst).iter().any(|&v| {
            let c = r.old_constant(v).and_then(|c| number(r.b.module(), c));
            c.is_some_and(|x| x < 0.0)
        })
}

/// A factor that leaves the other one fewer bits than this is meant to overflow.
const LEFT: u32 = 4;

/// Whether a constant operand shows that an operation is about bits which floats do not hold: a factor so
/// large that its products wrap, a shift that leaves only such bits over.
fn overflows(r: &mut Rewrite<'_, Ints>, inst: Inst, op: Op) -> bool {
    let &[x, by] = r.old.args(inst) else { return false };
    let bits = r.rule.facts.bits;
    let mut constant = |v| r.old_constant(v).and_then(|c| number(r.b.module(), c));
    let (x, by) = match (constant(x), constant(by)) {
        (_, Some(by)) => (x, by),
        (Some(factor), None) if op == Op::IMul => (by, factor),
        _ => return false,
    };
    let range = r.rule.ranges.int(x, 32);
    let size = (range.low.unsigned_abs().max(range.high.unsigned_abs())) as f64;
    let largest = f64::from(bits).exp2();
    match op {
        Op::IMul => by.abs() >= f64::from(bits - LEFT).exp2() && size * by.abs() > largest,
        Op::LShr => by >= f64::from(bits) && !(range.is_natural() && size <= largest),
        _ => false,
    }
}

/// A component by a number that is computed.
fn indexed(r: &mut Rewrite<'_, Ints>, inst: Inst, op: Op) -> Value {
    let args = r.args(inst);
    let (vector, index, facts) = (args[0], args[args.len() - 1], r.rule.facts);
    let b = &mut r.b;
    let ty = b.ty(vector);
    let is_float = b.types().is_float(ty);
    match op {
        Op::ExtractDyn if facts.has_select => mask::selected(b, vector, index),
        _ if facts.has_select => mask::exchanged(b, vector, args[1], index),
        Op::ExtractDyn if is_float => mask::component(b, vector, index),
        _ if is_float => mask::replaced(b, vector, args[1], index),
        Op::ExtractDyn => {
            let meant = meant(b, vector, index);
            let both = b.and(vector, meant);
            b.any(both)
        }
        _ => {
            let (meant, part) = (meant(b, vector, index), b.splat(ty, args[1]));
            b.select(meant, part, vector)
        }
    }
}

/// Bools of the components of a vector: whether the index is theirs.
fn meant(b: &mut Builder<'_>, vector: Value, index: Value) -> Value {
    let ty = b.ty(vector);
    let numbers: Vec<Value> = (0..b.types().components(ty)).map(|i| b.f32(f32::from(i))).collect();
    let numbers = b.vector(&numbers);
    let floats = b.ty(numbers);
    let index = b.splat(floats, index);
    b.feq(index, numbers)
}

/// The float operation of an integer operation.
fn simple(op: Op) -> Option<Op> {
    use Op::*;
    Some(match op {
        IAdd => FAdd,
        ISub => FSub,
        IMul => FMul,
        INeg => FNeg,
        IAbs => FAbs,
        ISign => FSign,
        SMin | UMin => FMin,
        SMax | UMax => FMax,
        IEq => FEq,
        INe => FNe,
        SLt | ULt => FLt,
        SLe | ULe => FLe,
        _ => return None,
    })
}

/// Conversions, and floats with exponents.
fn converted(b: &mut Lower<'_, '_>, op: Op, args: &[Value]) -> Option<Value> {
    let &x = args.first()?;
    Some(match op {
        Op::SToF | Op::UToF => x,
        Op::FToS => b.ftrunc(x),
        // What is negative saturates.
        Op::FToU => {
            let zero = b.num(0.0, x);
            let positive = b.fmax(x, zero);
            b.ffloor(positive)
        }
        Op::FLdexp => {
            let scale = b.ex2(*args.get(1)?);
            b.fmul(x, scale)
        }
        Op::FFrexpExponent => exponential::split(b, x).1,
        _ => return None,
    })
}

/// An operation that has no exact form: on integers, for the diagnosis.
fn as_it_was(r: &mut Rewrite<'_, Ints>, inst: Inst, op: Op) -> Value {
    let (old, args) = (r.old, as_they_were(r, inst));
    let ty = old.result_of(inst).map_or(old.result, |v| old.ty(v));
    let result = r.b.op_as(op, &args, ty);
    let to = float_ty(&mut r.b, ty);
    if to == ty { result } else { r.b.op_as(Op::SToF, &[result], to) }
}

/// Operands with integers as such.
fn as_they_were(r: &mut Rewrite<'_, Ints>, inst: Inst) -> Vec<Value> {
    let old = r.old;
    let integer = |&v: &Value| match r.old_constant(v) {
        Some(c) => r.b.constant(c),
        None => {
            let (value, ty) = (r.value(v), old.ty(v));
            let becomes_float = r.b.types().is_int(ty) && r.b.ty(value) != ty;
            if becomes_float { r.b.op_as(Op::FToS, &[value], ty) } else { value }
        }
    };
    old.args(inst).iter().map(integer).collect()
}
