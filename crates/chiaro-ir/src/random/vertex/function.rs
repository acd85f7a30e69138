//! Functions of floats, each within its domain.

use super::{Draw, Pool};
use crate::{Builder, Op, Ty, Value};

/// What keeps operands within a function's domain.
#[derive(Clone, Copy)]
enum Domain {
    Any,
    /// The absolute value plus this.
    Above(f32),
    /// Between this and its negative.
    Within(f32),
}

/// Functions of one operand.
const UNARY: [(Op, Domain); 23] = [
    (Op::FSqrt, Domain::Above(0.125)),
    (Op::FRsqrt, Domain::Above(0.125)),
    (Op::FLog, Domain::Above(0.125)),
    (Op::FLog2, Domain::Above(0.125)),
    (Op::FExp, Domain::Within(3.0)),
    (Op::FExp2, Domain::Within(3.0)),
    (Op::FSinh, Domain::Within(3.0)),
    (Op::FCosh, Domain::Within(3.0)),
    (Op::FTanh, Domain::Within(3.0)),
    (Op::FTan, Domain::Within(1.25)),
    (Op::FAsin, Domain::Within(0.875)),
    (Op::FAcos, Domain::Within(0.875)),
    (Op::FAtanh, Domain::Within(0.875)),
    (Op::FAcosh, Domain::Above(1.25)),
    (Op::FSin, Domain::Any),
    (Op::FCos, Domain::Any),
    (Op::FAtan, Domain::Any),
    (Op::FAsinh, Domain::Any),
    (Op::FFloor, Domain::Any),
    (Op::FCeil, Domain::Any),
    (Op::FTrunc, Domain::Any),
    (Op::FRoundEven, Domain::Any),
    (Op::FSign, Domain::Any),
];

/// Functions of more, or of integers.
const OTHERS: usize = 7;

impl Draw<'_> {
    /// A function, within its domain.
    pub(super) fn function(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = if self.rng.once_in(3) { self.float() } else { self.world.floats[0] };
        let x = self.pick(b, pool, ty);
        match UNARY.get(self.rng.below(UNARY.len() + OTHERS)) {
            Some(&(op, domain)) => {
                let x = within(b, ty, x, domain);
                b.op(op, &[x])
            }
            None => self.other_function(b, pool, ty, x),
        }
    }

    fn other_function(&mut self, b: &mut Builder<'_>, pool: &Pool, ty: Ty, x: Value) -> Value {
        let scalar = self.world.floats[0];
        match self.rng.below(OTHERS) {
            0 => {
                let y = self.pick(b, pool, ty);
                let (x, y) = (within(b, ty, x, Domain::Above(0.25)), within(b, ty, y, Domain::Within(2.0)));
                let power = b.fpow(x, y);
                self.tame(b, power)
            }
            1 => {
                let y = self.pick(b, pool, ty);
                let y = within(b, ty, y, Domain::Above(0.25));
                b.fatan2(x, y)
            }
            n @ 2..=3 => {
                let y = self.pick(b, pool, ty);
                let y = within(b, ty, y, Domain::Above(0.5));
                b.op([Op::FMod, Op::FRem][n - 2], &[x, y])
            }
            4 => {
                let (x, n) = (self.pick(b, pool, scalar), self.pick(b, pool, self.world.i32));
                let n = self.small(b, n, -4, 4);
                let scaled = b.fldexp(x, n);
                self.tame(b, scaled)
            }
            5 => {
                let x = self.pick(b, pool, scalar);
                let x = within(b, scalar, x, Domain::Above(0.25));
                b.fexponent(x)
            }
            _ => b.op(Op::FFrexpFraction, &[x]),
        }
    }
}

fn within(b: &mut Builder<'_>, ty: Ty, x: Value, domain: Domain) -> Value {
    match domain {
        Domain::Any => x,
        Domain::Above(least) => {
            let (size, least) = (b.fabs(x), b.f32(least));
            let least = b.splat(ty, least);
            b.fadd(size, least)
        }
        Domain::Within(limit) => {
            let (low, high) = (b.f32(-limit), b.f32(limit));
            let (low, high) = (b.splat(ty, low), b.splat(ty, high));
            b.fclamp(x, low, high)
        }
    }
}
