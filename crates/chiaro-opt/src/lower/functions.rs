//! Float functions in operations that the machine has.
//!
//! Before: any float operation of the IR. After: sums, products, `fma`, bounds, `ffloor`, signs,
//! natives, and what [`Facts`] say besides; operations on integers and bools, conversions and
//! selects are other passes'. Integers come first ([`integers`](super::integers())), because
//! exponents are made here of floats.
//!
//! ```text
//! %1: f32 = fsqrt %0            %1: f32 = native.1 %0      rsq
//!                               %2: f32 = fmul %0, %1      0 * inf is 0: right for 0, too
//! ```

use chiaro_ir::{FunctionRef, Inst, Module, Op, Value};

use super::arith::Arith;
use super::facts::{Facts, Lower};
use super::rewrite::{Replaced, Rewrite, Rule, has, rewrite};
use super::{exponential, quotient, rounding, trigonometry};
use crate::Changed;

/// Replaces float functions by operations of a machine.
pub fn functions(module: &mut Module, f: FunctionRef, facts: &'static Facts) -> Changed {
    if !has(module, f, |_, _, op| is_function(op, facts)) {
        return Changed::No;
    }
    rewrite(module, f, Functions(facts))
}

struct Functions(&'static Facts);

impl Rule for Functions {
    fn replace(r: &mut Rewrite<'_, Self>, inst: Inst, op: Op) -> Replaced {
        let facts = r.rule.0;
        if !is_function(op, facts) {
            return Replaced::Copy;
        }
        let args = r.args(inst);
        let root = (op == Op::FDiv).then(|| root_of(r, inst)).flatten();
        let b = &mut Lower::new(&mut r.b, facts);
        Replaced::By(match root {
            Some(square) => quotient::over_root(b, args[0], square),
            None if facts.is_scalar => by_component(b, op, &args),
            None => function(b, op, &args),
        })
    }
}

/// The square that the divisor of a quotient is the root of.
fn root_of(r: &mut Rewrite<'_, Functions>, inst: Inst) -> Option<Value> {
    let (divisor, op) = r.old_inst(r.arg(inst, 1)?)?;
    match op {
        Op::FSqrt => r.arg(divisor, 0).map(|square| r.value(square)),
        // A root in all components of a vector.
        Op::Construct if r.old.args(divisor).len() == 1 => {
            let (root, op) = r.old_inst(r.arg(divisor, 0)?)?;
            let square = (op == Op::FSqrt).then(|| r.arg(root, 0)).flatten()?;
            let (square, like) = (r.value(square), r.arg(inst, 0)?);
            let ty = r.ty_of(like);
            Some(r.b.splat(ty, square))
        }
        _ => None,
    }
}

/// A function of each component for itself.
fn by_component(b: &mut Lower<'_, '_>, op: Op, args: &[Value]) -> Value {
    let parts: Vec<Vec<Value>> = args.iter().map(|&arg| b.parts(arg)).collect();
    let one = |i: usize| -> Vec<Value> { parts.iter().map(|part| part[i.min(part.len() - 1)]).collect() };
    let each: Vec<Value> = (0..parts[0].len()).map(|i| function(b, op, &one(i))).collect();
    b.vector(&each)
}

/// Whether this pass replaces an operation.
fn is_function(op: Op, facts: &Facts) -> bool {
    use Op::*;
    let is_function = matches!(
        op,
        FDiv | FRem
            | FMod
            | FSign
            | FCeil
            | FTrunc
            | FRoundEven
            | FFract
            | FClamp
            | FSqrt
            | FRsqrt
            | FExp
            | FExp2
            | FLog
            | FLog2
            | FPow
            | FSin
            | FCos
            | FTan
            | FAsin
            | FAcos
            | FAtan
            | FAtan2
            | FSinh
            | FCosh
            | FTanh
            | FAsinh
            | FAcosh
            | FAtanh
            | FFrexpFraction
    );
    is_function && !facts.has(op)
}

/// A function of values of one type.
fn function(b: &mut Lower<'_, '_>, op: Op, args: &[Value]) -> Value {
    let (&x, y) = (&args[0], args.get(1).copied().unwrap_or(args[0]));
    match op {
        Op::FDiv => quotient::divided(b, x, y),
        Op::FRem => quotient::remainder(b, x, y),
        Op::FMod => quotient::modulo(b, x, y),
        Op::FSign => rounding::sign(b, x),
        Op::FCeil => rounding::up(b, x),
        Op::FTrunc => rounding::toward_zero(b, x),
        Op::FRoundEven => rounding::to_nearest(b, x),
        Op::FFract => rounding::fraction(b, x),
        Op::FClamp => {
            let low = b.fmax(x, y);
            b.fmin(low, args[2])
        }
        Op::FSqrt => exponential::root(b, x),
        Op::FRsqrt => b.rsq(x),
        Op::FExp2 => b.ex2(x),
        Op::FLog2 => b.lg2(x),
        Op::FExp => exponential::exp(b, x),
        Op::FLog => exponential::log(b, x),
        Op::FPow => exponential::power(b, x, y),
        Op::FSinh => exponential::hyperbolic_sine(b, x),
        Op::FCosh => exponential::hyperbolic_cosine(b, x),
        Op::FTanh => exponential::hyperbolic_tangent(b, x),
        Op::FAsinh => exponential::area_sine(b, x),
        Op::FAcosh => exponential::area_cosine(b, x),
        Op::FAtanh => exponential::area_tangent(b, x),
        Op::FFrexpFraction => exponential::split(b, x).0,
        Op::FSin => trigonometry::sine(b, x),
        Op::FCos => trigonometry::cosine(b, x),
        Op::FTan => trigonometry::tangent(b, x),
        Op::FAsin => trigonometry::arc_sine(b, x),
        Op::FAcos => trigonometry::arc_cosine(b, x),
        Op::FAtan => trigonometry::arc_tangent(b, x),
        _ => trigonometry::angle(b, x, y),
    }
}
