//! Atomic operations that a machine lacks, by exchanges of what is still there: whoever was too late computes again.
//!
//! ```text
//! %2: f32 = atomic.fadd %p, %x        %s = atomic_load %p
//!                                     %2 = loop (%s) {
//!                                       %n = fadd %s, %x
//!                                       %w = atomic_cas %p, %n, %s
//!                                       if bits(%w) == bits(%s) { exit %w }
//!                                     } { repeat %w }
//! ```
//!
//! Every round lets one of those that want a place through, so that there are as many as want it at most.

use chiaro_ir::{Combine, FunctionRef, Inst, Module, Op, Space, Type, Value};

use super::rewrite::{Replaced, Rewrite, Rule, has, rewrite};
use crate::Changed;

/// An atomic operation, as far as machines differ in what they have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Atomic {
    /// How what is there is combined with what is given.
    pub combine: Combine,
    /// Bits of that.
    pub bits: u8,
    /// Where it is.
    pub space: Space,
}

impl Atomic {
    /// Whether it computes with integers, or with nothing.
    #[must_use]
    pub fn is_plain(self) -> bool {
        !matches!(self.combine, Combine::FAdd | Combine::FMul | Combine::FMin | Combine::FMax)
    }
}

/// Replaces atomic operations on numbers that a machine lacks.
pub fn atomic_loops(module: &mut Module, f: FunctionRef, has_one: fn(Atomic) -> bool) -> Changed {
    let lacks = |f: &chiaro_ir::Function, inst, op| match op {
        Op::Atomic(combine, ..) => atomic(module, f, inst, combine).is_some_and(|atomic| !has_one(atomic)),
        _ => false,
    };
    if has(module, f, lacks) { rewrite(module, f, Loops { has_one }) } else { Changed::No }
}

fn atomic(module: &Module, f: &chiaro_ir::Function, inst: Inst, combine: Combine) -> Option<Atomic> {
    let (space, ty) = module.types.pointee(f.ty(*f.args(inst).first()?))?;
    let (Type::Float(bits) | Type::Int(bits)) = *module.types.get(ty) else { return None };
    Some(Atomic { combine, bits, space })
}

struct Loops {
    has_one: fn(Atomic) -> bool,
}

impl Rule for Loops {
    fn replace(r: &mut Rewrite<'_, Self>, inst: Inst, op: Op) -> Replaced {
        let Op::Atomic(combine, ..) = op else { return Replaced::Copy };
        let Some(atomic) = atomic(r.b.module(), r.old, inst, combine) else { return Replaced::Copy };
        if (r.rule.has_one)(atomic) {
            return Replaced::Copy;
        }
        match (r.args(inst).as_slice(), combine.op()) {
            (&[place, given], Some(by)) => Replaced::By(exchanged(r, op, (place, given), (by, atomic.bits))),
            _ => Replaced::Copy,
        }
    }
}

/// What was there when the exchange went through.
fn exchanged(
    r: &mut Rewrite<'_, Loops>,
    op: Op,
    (place, given): (Value, Value),
    (by, bits): (Op, u8),
) -> Value {
    let Op::Atomic(_, scope, semantics) = op else { return given };
    let b = &mut r.b;
    let (ty, int) = (b.function().ty(given), b.int_ty(bits));
    let seen = b.op_as(Op::AtomicLoad(scope, semantics), &[place], ty);
    let body = |b: &mut chiaro_ir::Builder<'_>, at: Inst, seen: &[Value]| {
        let new = b.op_as(by, &[seen[0], given], ty);
        let was = b.op_as(Op::AtomicCompare(scope, semantics), &[place, new, seen[0]], ty);
        let [was_bits, seen_bits] =
            [was, seen[0]].map(|value| if ty == int { value } else { b.bitcast(value, int) });
        let is_through = b.ieq(was_bits, seen_bits);
        b.when(is_through, |b, _| b.exit(at, &[was]));
        b.continue_(at, &[was]);
    };
    b.loop_(&[seen], &[ty], &[ty], body, |b, at, was| b.repeat(at, &[was[0]]))[0]
}
