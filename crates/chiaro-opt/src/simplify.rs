//! Algebraic simplification: operations that are another value, or cheaper as another operation.
//!
//! ```text
//! %2: f32 = fmul %1, 1.0          %1
//! %3: f32 = fsub %2, %0           %4 = fneg %0; %3 = fadd %1, %4
//! %5: f32 = fdot %a, %a
//! %6: f32 = fmax %5, 0.0          %5, which cannot be negative
//! ```
//!
//! A file of rules for each family of operations. Every rule holds bit for bit (all NaNs are
//! equal), or asks [`Rewriter::assume`] for what it needs, which is nothing for `exact`
//! operations. Differences become sums with a negative, as targets negate operands for nothing;
//! constants stand on the right. What is used no more is dropped.
//!
//! Kept as they are, because targets look for them: a dot product with a component 1
//! (`fdot (p, 1), m`), a product of a vector and a splat.

mod bounds;
mod compare;
pub(crate) mod composite;
mod convert;
mod dot;
mod float;
mod function;
mod int;
mod logic;
mod select;
mod splat;

use crate::rules::{Asks, Node, Rewriter, apply};
use crate::{Changed, Cx};
use chiaro_ir::{FunctionRef, Module, Op, Value};

pub(crate) use splat::{Repeated, repeated};

/// Simplifies what the rules know, in one walk.
pub fn simplify(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    apply(module, f, cx, Asks::Ranges, rule).into()
}

fn rule(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    use Op::*;
    let found = match n.op {
        FAdd => float::add(w, n),
        FSub => float::sub(w, n),
        FMul => float::mul(w, n),
        FDiv => float::div(w, n),
        Fma => float::fma(w, n),
        FNeg => float::neg(w, n),
        FAbs => float::abs(w, n),
        FFloor | FCeil | FTrunc | FRoundEven | FFract => function::rounded(w, n),
        FPow => function::pow(w, n),
        FLdexp => function::ldexp(w, n),
        FSqrt | FExp | FExp2 | FLog | FLog2 | FSin | FCos => function::unary(w, n),
        FDot => dot::dot(w, n),
        FMin | FMax => bounds::min_max(w, n),
        FClamp => bounds::clamp(w, n),
        FEq | FNe | FLt | FLe | IsNan | IsInf => compare::float(w, n),
        IEq | INe | ULt | ULe | SLt | SLe => compare::int(w, n),
        Select => select::select(w, n),
        And | Or | Xor | Not if w.module.types.is_bool(n.ty) => logic::logic(w, n),
        IAdd | ISub | IMul | UDiv | SDiv | URem | SRem | SMod | INeg | IAbs | UMin | UMax | SMin | SMax
        | Shl | LShr | AShr | And | Or | Xor | Not => int::int(w, n),
        SToF | UToF | FToS | FToU | FToF | SExt | ZExt | Bitcast => convert::convert(w, n),
        Extract(part) => composite::extract(w, n, part),
        ExtractDyn | InsertDyn => composite::indexed(w, n),
        Construct | Shuffle(_) | Insert(_) => composite::vector(w, n),
        _ => None,
    };
    found.or_else(|| splat::splat(w, n))
}
