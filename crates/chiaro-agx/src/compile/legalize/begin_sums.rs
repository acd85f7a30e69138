//! Sums of products begin with what is no product: the first product takes it for nothing.
//!
//! ```text
//! %4 = fmul %0, %1                  %6 = fma %0, %1, %k
//! %5 = fma %2, %3, %4        ->     %7 = fma %2, %3, %6
//! %6 = fadd %5, %k
//! ```
//!
//! It regroups sums, so nothing in it may be exact. All of a chain stand in one block, where they go to its end.

use chiaro_ir::{
    Block, Def, Draft, Forward, Function, FunctionRef, Inst, Module, Op, Step, Tour, Value, use_counts,
};
use chiaro_opt::{Changed, Cx};

/// Factors of a chain, the last that is added first.
type Products = Vec<[Value; 2]>;

/// Lets sums begin with what is no product.
pub(super) fn begin_sums(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    if !cx.options.assumptions.reassociate {
        return Changed::No;
    }
    let f = module.function_mut(f);
    let uses = use_counts(f);
    let (mut tour, mut draft, mut forward) = (Tour::new(), Draft::new(), Forward::new());
    // By instruction that was there before: the block in which the walk came by it.
    let mut homes: Vec<Option<Block>> = vec![None; f.inst_count()];
    let mut open: Vec<Block> = Vec::new();
    let mut changed = false;
    while let Some(step) = tour.step(f) {
        match step {
            Step::Open(_, _, block) => {
                draft.open(f, block);
                open.push(block);
            }
            Step::Close(_, _, block) => {
                draft.close(f, block);
                open.pop();
            }
            Step::Inst(inst) => {
                forward.apply_to(f, inst);
                let block = open.last().copied();
                match sum(f, inst, &uses, |other| homes.get(other.0 as usize) == Some(&block)) {
                    Some((products, start)) => {
                        let made = rebuilt(f, inst, (&products, start), &mut draft);
                        if let Some(result) = f.result_of(inst) {
                            forward.set(result, made);
                        }
                        changed = true;
                    }
                    None => draft.push(inst),
                }
                homes[inst.0 as usize] = block;
            }
            _ => {}
        }
    }
    forward.apply(f);
    changed.into()
}

/// The products of a sum, and what is added to them.
fn sum(f: &Function, inst: Inst, uses: &[u32], is_here: impl Fn(Inst) -> bool) -> Option<(Products, Value)> {
    let &[a, b] = f.args(inst) else { return None };
    if f.op(inst) != Op::FAdd || f.inst(inst).flags.exact {
        return None;
    }
    [(a, b), (b, a)].into_iter().find_map(|(side, start)| Some((chain(f, side, uses, &is_here)?, start)))
}

/// The factors that a value is the sum of the products of, where nobody else reads any of it.
fn chain(f: &Function, mut value: Value, uses: &[u32], is_here: impl Fn(Inst) -> bool) -> Option<Products> {
    let mut products = Vec::new();
    loop {
        let Def::Result(inst, 0) = f.def(value) else { return None };
        let alone = uses.get(value.0 as usize) == Some(&1);
        if !alone || f.inst(inst).flags.exact || !is_here(inst) {
            return None;
        }
        match (f.op(inst), f.args(inst)) {
            (Op::Fma, &[x, y, rest]) => {
                products.push([x, y]);
                value = rest;
            }
            (Op::FMul, &[x, y]) => {
                products.push([x, y]);
                return Some(products);
            }
            _ => return None,
        }
    }
}

/// The sum, from its start on.
fn rebuilt(
    f: &mut Function,
    inst: Inst,
    (products, start): (&[[Value; 2]], Value),
    draft: &mut Draft,
) -> Value {
    let (flags, span) = (f.inst(inst).flags, f.inst(inst).span);
    let ty = f.ty(start);
    products.iter().rev().fold(start, |sum, &[x, y]| {
        let made = draft.make(f, Op::Fma, &[x, y, sum], &[ty]);
        let data = f.inst_mut(made);
        (data.flags, data.span) = (flags, span);
        f.result_of(made).unwrap_or(sum)
    })
}
