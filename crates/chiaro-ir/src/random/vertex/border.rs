//! What is hard on a compiler at its borders: integers as large as floats hold them, long ways for branches,
//! comparisons the other way round, negated products, scalars that fill a vector.

use super::{Draw, ELEMENTS, Pool};
use crate::{Builder, Op, Value};

/// Integers around which machines that hold them as floats change: 8, 16, 17 and 24 bits.
const BORDERS: [i32; 9] = [127, 255, 256, 32_767, 65_535, 65_536, 131_071, 131_072, 16_777_215];
/// Sums in an arm that is longer than 256 words.
const LONG: usize = 270;

impl Draw<'_> {
    /// Integers near a border.
    pub(super) fn large(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let i32 = self.world.i32;
        let n = self.pick(b, pool, i32);
        let border = BORDERS[self.rng.below(BORDERS.len())];
        let near = b.i32(border - self.rng.below(8) as i32);
        let result = match self.rng.below(8) {
            0 => b.isub(near, n),
            1 => b.iadd(near, n),
            2 => {
                let factor = b.i32([3, 257, 400, 4099][self.rng.below(4)]);
                b.imul(n, factor)
            }
            3 => {
                let sum = b.iadd(near, n);
                let by = b.i32(self.rng.below(17) as i32);
                b.op([Op::LShr, Op::AShr][self.rng.below(2)], &[sum, by])
            }
            4 => {
                let by = b.i32(self.rng.below(15) as i32);
                b.shl(n, by)
            }
            5 => {
                let sum = b.iadd(near, n);
                let mask = b.i32([0xff, 0xff00, 0x7fff, 0x1_0000, 1][self.rng.below(5)]);
                b.op([Op::And, Op::Or, Op::Xor][self.rng.below(3)], &[sum, mask])
            }
            6 => {
                let by = b.i32([3, 10, 255, 256, 1000][self.rng.below(5)]);
                let sum = b.iadd(near, n);
                b.op([Op::SDiv, Op::SRem, Op::UDiv, Op::URem][self.rng.below(4)], &[sum, by])
            }
            _ => {
                let (sum, one, zero) = (b.iadd(near, n), b.i32(1), b.i32(0));
                let is_less = b.slt(sum, near);
                b.select(is_less, one, zero)
            }
        };
        let f32 = self.world.floats[0];
        let float = b.convert(Op::SToF, result, f32);
        // Small again, with all of its bits.
        let part = b.f32(1.0 / 65_536.0);
        let small = b.fmul(float, part);
        self.tame(b, small)
    }

    /// A comparison that is turned: true of what is not ordered.
    pub(super) fn unordered(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = self.float();
        let (x, y) = (self.pick(b, pool, ty), self.pick(b, pool, ty));
        let ordered = b.op([Op::FLt, Op::FLe, Op::FEq][self.rng.below(3)], &[x, y]);
        let turned = b.not(ordered);
        b.select(turned, x, y)
    }

    /// Products that are negated or taken away.
    pub(super) fn negated(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = self.float();
        let (x, y, z) = (self.pick(b, pool, ty), self.pick(b, pool, ty), self.pick(b, pool, ty));
        let product = b.fmul(x, y);
        let result = match self.rng.below(5) {
            0 => b.fneg(product),
            1 => b.fsub(z, product),
            2 => {
                let negated = b.fneg(product);
                b.fsub(negated, z)
            }
            3 => {
                let negated = b.fneg(x);
                b.fma(negated, y, z)
            }
            _ => {
                let (negated, sum) = (b.fneg(z), b.fadd(x, z));
                b.fma(sum, negated, product)
            }
        };
        self.tame(b, result)
    }

    /// Scalars, each computed in its own way, that become a vector and are computed with as one.
    pub(super) fn packed(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let (scalar, ty) = (self.world.floats[0], self.world.floats[3]);
        let parts: Vec<Value> = (0..4)
            .map(|_| {
                let (x, y) = (self.pick(b, pool, scalar), self.pick(b, pool, scalar));
                b.op([Op::FAdd, Op::FMul, Op::FMin, Op::FSub][self.rng.below(4)], &[x, y])
            })
            .collect();
        let vector = b.vector(&parts);
        let other = self.pick(b, pool, ty);
        let result = b.op([Op::FMul, Op::FAdd][self.rng.below(2)], &[vector, other]);
        self.tame(b, result)
    }

    /// A sum over uniforms that a loop indexes, as far as a uniform says or all of them.
    pub(super) fn sum_of_uniforms(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let (i32, ty) = (self.world.i32, self.world.floats[3]);
        let (zero, one, factor) = (b.i32(0), b.i32(1), self.pick(b, pool, ty));
        let rounds = match self.rng.below(2) {
            0 => self.uniform(b, super::flow::COUNT, &[]),
            _ => b.i32(2 + self.rng.below(ELEMENTS as usize - 1) as i32),
        };
        let most = b.i32(ELEMENTS as i32 - 1);
        let start = b.zero(ty);
        let sum = b.loop_(
            &[zero, start],
            &[ty],
            &[i32, ty],
            |b, at, params| {
                let more = b.slt(params[0], rounds);
                b.if_else(more, |_, _| {}, |b, _| b.exit(at, &[params[1]]));
                let index = b.smin(params[0], most);
                let element = self.uniform(b, super::flow::LIST, &[index]);
                let product = b.fmul(element, factor);
                let next = b.fadd(params[1], product);
                b.continue_(at, &[params[0], next]);
            },
            |b, at, params| {
                let next = b.iadd(params[0], one);
                b.repeat(at, &[next, params[1]]);
            },
        );
        self.tame(b, sum[0])
    }

    /// A condition with an arm that is longer than 256 words.
    pub(super) fn long_way(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = self.world.floats[3];
        let (x, y) = (self.pick(b, pool, ty), self.pick(b, pool, ty));
        let condition = self.condition(b, pool);
        let at = b.begin(Op::If, &[condition], &[ty], 2);
        b.enter(0);
        let half = self.splat(b, ty, 0.5);
        let (mut sum, mut turn) = (x, y);
        for n in 0..LONG {
            // No two steps are the same, and none can be left out.
            let parts: Vec<u8> =
                (0..4).map(|i| ((i + n / 4) % 4) as u8 + if n % 3 == i { 4 } else { 0 }).collect();
            turn = b.shuffle(sum, turn, &parts);
            let product = b.fmul(turn, half);
            sum = if n % 2 == 0 { b.fsub(product, y) } else { b.fmax(product, x) };
        }
        let sum = self.tame(b, sum);
        b.exit(at, &[sum]);
        b.enter(1);
        b.exit(at, &[y]);
        b.leave()[0]
    }
}
