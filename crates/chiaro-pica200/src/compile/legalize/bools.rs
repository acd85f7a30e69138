//! Bool lowering: conditions, and the floats 0 and 1 wherever they are values.
//!
//! The machine compares into two flags that only control flow can read (CMP, IFC), or into
//! floats (SLT, SGE). A bool that only an `if` asks for stays one; all others become floats:
//!
//! ```text
//! %1: bool = flt %0, 1.0                 %1: f32 = slt %0, 1.0
//! %2: bool = and %1, %p                  %2: f32 = fmul %1, %p
//! %3: f32 = select %2, %a, %b            %3: the sum of %a * %2 and %b * (1 - %2)
//! ```
//!
//! True after: a bool is a comparison of two scalars, `isnan` or `isinf` of one, a bool that is
//! loaded from outside, the `not` of one of these, or `and` or `or` of two of them; and only an
//! `if` asks for it. There is no `select`.
//!
//! Selected is exactly, but for infinities and NaN in the value that is not chosen:
//! a NaN there makes the result NaN, infinity times 0 is 0 on this machine. The shorter
//! `(a - b) * c + b` loses digits where b is the larger one, and is used where it does not.

use std::collections::{HashMap, HashSet};

use chiaro_ir::{
    Builder, Constant, ConstantKind, Def, Function, FunctionRef, Inst, Module, Op, Space, Ty, Type,
};
use chiaro_ir::{Value, Walk};
use chiaro_opt::{Changed, Cx};

use super::chosen::is_opposite;
use crate::compile::legalize::float24::Float24;
use chiaro_opt::lower::Arith;
use chiaro_opt::lower::rewrite::{Replaced, Rewrite, Rule, has, rewrite};

/// Makes bools floats where `if`s do not ask for them.
pub fn bools(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    if !has(module, f, |f, inst, op| op == Op::Select || touches_bool(module, f, inst)) {
        return Changed::No;
    }
    let needs = Needs::of(module, module.function(f));
    rewrite(module, f, Bools { needs, conditions: HashMap::new() })
}

fn touches_bool(module: &Module, f: &Function, inst: Inst) -> bool {
    f.results(inst).any(|v| holds_bool(module, f.ty(v)))
        || f.args(inst).iter().any(|&v| holds_bool(module, f.ty(v)))
}

fn holds_bool(module: &Module, ty: Ty) -> bool {
    match module.types.get(ty) {
        Type::Bool => true,
        Type::Vector(part, _) | Type::Array(part, ..) => holds_bool(module, *part),
        Type::Pointer(Space::Function | Space::Private, to) => holds_bool(module, *to),
        _ => false,
    }
}

/// In which form each bool is asked for.
#[derive(Default)]
struct Needs {
    condition: HashSet<Value>,
    float: HashSet<Value>,
}

impl Needs {
    /// Uses stand behind definitions, so one way back from the end sees them all.
    fn of(module: &Module, f: &Function) -> Needs {
        let mut needs = Needs::default();
        let order: Vec<Inst> = Walk::insts(f).collect();
        for &inst in order.iter().rev() {
            needs.note(module, f, inst);
        }
        needs
    }

    fn note(&mut self, module: &Module, f: &Function, inst: Inst) {
        let op = f.op(inst);
        if op == Op::If {
            self.condition.extend(f.args(inst));
            return;
        }
        let result = f.result_of(inst).filter(|v| module.types.is_bool(f.ty(*v)));
        let (mut condition, mut float) = (false, true);
        if let Some(result) = result {
            (condition, float) = (self.condition.contains(&result), self.float.contains(&result));
            if condition && !is_condition(module, f, result) {
                float = true;
                self.float.insert(result);
            }
        }
        let bools = f.args(inst).iter().filter(|&&v| holds_bool(module, f.ty(v)));
        let whole = result.is_some_and(|v| condition && is_condition(module, f, v));
        for &arg in bools {
            if float {
                self.float.insert(arg);
            }
            if whole {
                self.condition.insert(arg);
            }
        }
    }
}

/// Whether a bool can stay one: see the head of this file.
fn is_condition(module: &Module, f: &Function, value: Value) -> bool {
    let Def::Result(inst, _) = f.def(value) else { return false };
    match f.op(inst) {
        Op::And | Op::Or => f.args(inst).iter().all(|&v| is_test(module, f, v)),
        Op::Not => f.args(inst).iter().all(|&v| is_leaf(module, f, v)),
        _ => is_leaf(module, f, value),
    }
}

/// One side of `and` or `or`: the two flags of one comparison.
pub(super) fn is_test(module: &Module, f: &Function, value: Value) -> bool {
    let Def::Result(inst, _) = f.def(value) else { return false };
    match (f.op(inst), f.args(inst)) {
        (Op::Not, &[v]) => is_comparison(module, f, v),
        _ => is_comparison(module, f, value),
    }
}

fn is_comparison(module: &Module, f: &Function, value: Value) -> bool {
    let Def::Result(inst, _) = f.def(value) else { return false };
    let op = f.op(inst);
    module.types.components(f.ty(value)) == 1
        && matches!(op, Op::FEq | Op::FNe | Op::FLt | Op::FLe | Op::IsNan | Op::IsInf)
}

fn is_leaf(module: &Module, f: &Function, value: Value) -> bool {
    let Def::Result(inst, _) = f.def(value) else { return false };
    is_comparison(module, f, value) || is_counting(module, f, inst) || is_outside(module, f, inst)
}

/// The test of a counter that LOOP serves.
fn is_counting(module: &Module, f: &Function, inst: Inst) -> bool {
    matches!(f.op(inst), Op::IEq | Op::INe | Op::SLt | Op::SLe | Op::ULt | Op::ULe)
        && f.args(inst).first().is_some_and(|&v| module.types.is_int(f.ty(v)))
}

/// A load of a bool that the host program sets.
fn is_outside(module: &Module, f: &Function, inst: Inst) -> bool {
    let pointer = f.args(inst).first().and_then(|&v| module.types.pointee(f.ty(v)));
    f.op(inst) == Op::Load
        && pointer.is_some_and(|(space, _)| !matches!(space, Space::Function | Space::Private))
}

struct Bools {
    needs: Needs,
    /// New bools by the old ones.
    conditions: HashMap<Value, Value>,
}

fn float_ty(b: &mut Builder<'_>, ty: Ty) -> Ty {
    if !holds_bool(b.module(), ty) {
        return ty;
    }
    let new = match b.types().get(ty).clone() {
        Type::Bool => Type::Float(32),
        Type::Vector(part, n) => Type::Vector(float_ty(b, part), n),
        Type::Array(part, n, stride) => Type::Array(float_ty(b, part), n, stride),
        Type::Pointer(space, to) => Type::Pointer(space, float_ty(b, to)),
        other => other,
    };
    b.types().intern(new)
}

impl Rule for Bools {
    fn ty(r: &mut Rewrite<'_, Self>, ty: Ty) -> Ty {
        float_ty(&mut r.b, ty)
    }

    fn constant(r: &mut Rewrite<'_, Self>, c: Constant) -> Value {
        let c = float_constant(&mut r.b, c);
        r.b.constant(c)
    }

    fn condition(r: &mut Rewrite<'_, Self>, value: Value) -> Value {
        match (r.old_constant(value), r.rule.conditions.get(&value)) {
            (Some(c), _) => r.b.constant(c),
            (None, Some(&condition)) => condition,
            (None, None) => {
                let float = r.value(value);
                is_set(&mut r.b, float)
            }
        }
    }

    fn defined(r: &mut Rewrite<'_, Self>, old: Value) {
        if r.rule.needs.condition.contains(&old) && !r.rule.conditions.contains_key(&old) {
            let float = r.value(old);
            let condition = is_set(&mut r.b, float);
            r.rule.conditions.insert(old, condition);
        }
    }

    fn replace(r: &mut Rewrite<'_, Self>, inst: Inst, op: Op) -> Replaced {
        let old = r.old;
        let result = old.result_of(inst);
        if op == Op::Select {
            return Replaced::By(select(r, inst));
        }
        let Some(result) = result.filter(|&v| r.b.module().types.is_bool(old.ty(v))) else {
            return Replaced::Copy;
        };
        if is_carried(op) || (op == Op::Load && !is_outside(r.b.module(), old, inst)) {
            return Replaced::Copy;
        }
        let mut condition = None;
        if r.rule.needs.condition.contains(&result) && is_condition(r.b.module(), old, result) {
            let args: Vec<Value> = old.args(inst).iter().map(|&v| bool_or_value(r, v)).collect();
            let new = r.b.op(op, &args);
            r.rule.conditions.insert(result, new);
            condition = Some(new);
        }
        if !r.rule.needs.float.contains(&result) {
            return Replaced::Gone;
        }
        if op == Op::Load || is_counting(r.b.module(), old, inst) {
            return Replaced::By(chosen(r, inst, op, condition));
        }
        Replaced::By(float(r, inst, op))
    }
}

/// Operations that move bools as they move floats.
fn is_carried(op: Op) -> bool {
    matches!(op, Op::Construct | Op::Extract(_) | Op::Insert(_) | Op::Shuffle(_))
}

fn float_constant(b: &mut Builder<'_>, c: Constant) -> Constant {
    let ty = b.module().constants.ty(c);
    if !b.types().is_bool(ty) {
        return c;
    }
    let to = float_ty(b, ty);
    let kind = match b.module().constants.get(c).clone() {
        ConstantKind::Scalar(bits) => {
            ConstantKind::Scalar(u64::from(if bits == 0 { 0.0_f32 } else { 1.0 }.to_bits()))
        }
        ConstantKind::Composite(parts) => {
            ConstantKind::Composite(parts.into_iter().map(|part| float_constant(b, part)).collect())
        }
        ConstantKind::Spec(n) => {
            let default = b.module().specs.get(n as usize).map(|spec| spec.default);
            return default.map_or(c, |c| float_constant(b, c));
        }
        other => other,
    };
    b.module().constants.intern(to, kind)
}

/// The operand of a condition: a bool as one, a number as it is.
fn bool_or_value(r: &mut Rewrite<'_, Bools>, value: Value) -> Value {
    let ty = r.old.ty(value);
    if r.b.types().is_bool(ty) { Bools::condition(r, value) } else { r.value(value) }
}

fn is_set(b: &mut Builder<'_>, float: Value) -> Value {
    let zero = b.num(0.0, float);
    b.fne(float, zero)
}

/// 0 or 1 by an `if`: for bools that nothing else can read; of vectors each for itself.
fn chosen(r: &mut Rewrite<'_, Bools>, inst: Inst, op: Op, condition: Option<Value>) -> Value {
    let components = r.old.result_of(inst).map_or(1, |v| r.b.module().types.components(r.old.ty(v)));
    if op == Op::Load && components > 1 {
        let pointer = r.args(inst)[0];
        let parts: Vec<Value> = (0..u32::from(components))
            .map(|i| {
                let at = r.b.u32(i);
                let part = r.b.access(pointer, &[at]);
                let condition = r.b.load(part);
                zero_or_one(&mut r.b, condition)
            })
            .collect();
        return r.b.vector(&parts);
    }
    let condition = match condition {
        Some(condition) => condition,
        None => {
            let args = r.args(inst);
            r.b.op(op, &args)
        }
    };
    zero_or_one(&mut r.b, condition)
}

fn zero_or_one(b: &mut Builder<'_>, condition: Value) -> Value {
    let (one, zero) = (b.f32(1.0), b.f32(0.0));
    let ty = b.ty(one);
    b.choose(condition, ty, |_| one, |_| zero)
}

/// A bool as 0 or 1.
fn float(r: &mut Rewrite<'_, Bools>, inst: Inst, op: Op) -> Value {
    if op == Op::Not
        && let Some((inner, op)) = r.arg(inst, 0).and_then(|v| r.old_inst(v))
        && let Some(inverse) = inverse(op)
    {
        let args = r.args(inner);
        return compared(&mut r.b, inverse, &args, true);
    }
    let args = r.args(inst);
    let (b, x) = (&mut r.b, args[0]);
    match op {
        Op::Not => b.minus(1.0, x),
        Op::And => b.fmul(x, args[1]),
        Op::Or => b.fmax(x, args[1]),
        Op::Xor | Op::INe => {
            let difference = b.fsub(x, args[1]);
            b.fmul(difference, difference)
        }
        Op::IEq => {
            let (there, back) = (b.fsub(x, args[1]), b.fsub(args[1], x));
            let one = b.num(1.0, x);
            b.fma(there, back, one)
        }
        Op::All | Op::Any => folded(b, op, x),
        _ => compared(b, op, &args, false),
    }
}

/// The comparison that holds where another does not, but for NaN.
fn inverse(op: Op) -> Option<Op> {
    Some(match op {
        Op::FLt => Op::FLe,
        Op::FLe => Op::FLt,
        Op::FEq => Op::FNe,
        Op::FNe => Op::FEq,
        _ => return None,
    })
}

/// A comparison as 0 or 1; of the operands in the other order, if an order was inverted.
fn compared(b: &mut Builder<'_>, op: Op, args: &[Value], inverted: bool) -> Value {
    let x = args[0];
    let &y = args.get(1).unwrap_or(&x);
    let (x, y) = if inverted { (y, x) } else { (x, y) };
    match op {
        Op::FLt => b.below(x, y),
        Op::FLe => b.reaches(y, x),
        Op::IsInf => {
            let size = b.fabs(x);
            let infinity = b.num(f64::INFINITY, x);
            b.reaches(size, infinity)
        }
        Op::FEq => {
            let (up, down) = (b.reaches(x, y), b.reaches(y, x));
            b.fmul(up, down)
        }
        // Not equal, or NaN.
        _ => {
            let (up, down) = (b.reaches(x, y), b.reaches(y, x));
            let (minus, one) = (b.fneg(up), b.num(1.0, up));
            b.fma(minus, down, one)
        }
    }
}

/// All or any of the components.
fn folded(b: &mut Builder<'_>, op: Op, x: Value) -> Value {
    let parts = b.parts(x);
    match (op, &*parts) {
        (_, &[only]) => only,
        (Op::All, &[x, y]) => b.fmul(x, y),
        (Op::Any, &[x, y]) => b.fmax(x, y),
        (Op::All, _) => {
            let sum = b.fdot(x, x);
            let all = b.num(parts.len() as f64, sum);
            b.reaches(sum, all)
        }
        _ => {
            let sum = b.fdot(x, x);
            let none = b.num(0.0, sum);
            b.below(none, sum)
        }
    }
}

fn select(r: &mut Rewrite<'_, Bools>, inst: Inst) -> Value {
    let args = r.args(inst);
    let otherwise =
        r.arg(inst, 0).and_then(|v| r.old_inst(v)).and_then(|(inner, op)| Some((inner, inverse(op)?)));
    let b = &mut r.b;
    let ty = b.ty(args[1]);
    let c = widened(b, args[0], ty);
    let (yes, no) = (args[1], args[2]);
    if let &[_, first, second] = r.old.args(inst)
        && is_opposite(r.old, first, second)
    {
        // Twice it is taken away, or twice its opposite: nothing rounds.
        let product = b.fmul(c, no);
        let twice = b.num(-2.0, product);
        return b.fma(product, twice, no);
    }
    match (b.known(yes), b.known(no)) {
        (Some(x), Some(y)) if x == 1.0 && y == 0.0 => return c,
        (_, Some(0.0)) => return b.fmul(c, yes),
        (Some(x), Some(y)) => {
            if let Some(difference) = blended(x, y) {
                return b.mad(c, difference, y);
            }
        }
        _ => {}
    }
    let rest = match otherwise {
        Some((inner, op)) => {
            let args = r.args(inner);
            let rest = compared(&mut r.b, op, &args, true);
            widened(&mut r.b, rest, ty)
        }
        None => r.b.minus(1.0, c),
    };
    let b = &mut r.b;
    let other = b.fmul(rest, no);
    if b.known(yes) == Some(0.0) { other } else { b.fma(c, yes, other) }
}

/// The difference d with which `d * c + y` is exactly x for c = 1: that of the numbers that the machine
/// has for the two, if it has it as well.
fn blended(x: f64, y: f64) -> Option<f64> {
    let round = |x: f64| f64::from(Float24::NEAREST.rounded(x as f32));
    let difference = round(x) - round(y);
    (difference.is_finite() && round(difference) == difference).then_some(difference)
}

/// A condition in all components of what it chooses.
fn widened(b: &mut Builder<'_>, c: Value, ty: Ty) -> Value {
    let (n, m) = (b.ty(c), b.types().components(ty));
    if b.types().components(n) == m { c } else { b.splat(ty, c) }
}
