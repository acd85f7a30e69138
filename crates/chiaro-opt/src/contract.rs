//! Contraction: a product and a sum become one fused or chained multiply-add.
//!
//! ```text
//! %3 = fmul %0, %1
//! %4 = fadd %3, %2        ->       %4 = fma %0, %1, %2
//! ```
//!
//! Only where [`Assumptions::contract`](crate::Assumptions) allows to round once or twice as the
//! target likes, and the product serves the sum alone. It comes late: other passes look for sums
//! and products.

use crate::rules::{Asks, Node, Rewriter, apply};
use crate::{Changed, Cx};
use chiaro_ir::{FunctionRef, Module, Op, Value};

/// Makes multiply-adds.
pub fn contract(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    if !cx.options.assumptions.contract {
        return Changed::No;
    }
    apply(module, f, cx, Asks::Nothing, rule).into()
}

fn rule(w: &mut Rewriter<'_>, n: &Node) -> Option<Value> {
    if n.op != Op::FAdd || !w.assume(n).contract {
        return None;
    }
    let [a, b] = n.first();
    // Of two products the one that is further to the right was added last.
    for (product, sum) in [(b, a), (a, b)] {
        if let Some([x, y, ..]) = w.loose(product, Op::FMul)
            && w.used_once(product)
        {
            return Some(w.same(n, Op::Fma, &[x, y, sum]));
        }
    }
    None
}
