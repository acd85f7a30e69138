//! Integers, bools, vectors, matrices, and what is indexed.

use super::{Draw, ELEMENTS, Pool};
use crate::{Builder, Op, Value};

impl Draw<'_> {
    /// An integer within bounds.
    pub(super) fn small(&mut self, b: &mut Builder<'_>, n: Value, low: i32, high: i32) -> Value {
        let (low, high) = (b.i32(low), b.i32(high));
        let n = b.smax(n, low);
        b.smin(n, high)
    }

    pub(super) fn integer(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = if self.rng.once_in(4) { self.world.ivec2 } else { self.world.i32 };
        let (x, y) = (self.pick(b, pool, ty), self.pick(b, pool, ty));
        let result = match self.rng.below(18) {
            0 | 1 => b.iadd(x, y),
            2 => b.isub(x, y),
            3 => b.imul(x, y),
            4 => b.smin(x, y),
            5 => b.smax(x, y),
            6 => b.iabs(x),
            7 => b.ineg(x),
            8 => b.isign(x),
            n @ 9..=11 => {
                // A divisor that is never 0.
                let size = b.iabs(y);
                let one = b.i32(1);
                let one = b.splat(ty, one);
                let divisor = b.iadd(size, one);
                b.op([Op::SDiv, Op::SRem, Op::SMod][n - 9], &[x, divisor])
            }
            n @ 12..=14 if ty == self.world.i32 => {
                let by = b.i32(self.rng.below(4) as i32);
                match n {
                    12 => b.shl(x, by),
                    13 => b.ashr(x, by),
                    _ => {
                        let mask = b.i32([1, 3, 7, 6, 12, 5][self.rng.below(6)]);
                        b.op([Op::And, Op::Or, Op::Xor][self.rng.below(3)], &[x, mask])
                    }
                }
            }
            15 => {
                let i32 = self.world.i32;
                let float = self.pick(b, pool, self.world.floats[0]);
                b.convert(Op::FToS, float, i32)
            }
            _ => {
                let f32 = self.world.floats[0];
                return b.convert(Op::SToF, x, f32);
            }
        };
        let scalar = b.ty(result) == self.world.i32;
        if scalar { self.small(b, result, -300, 300) } else { self.small_pair(b, result) }
    }

    fn small_pair(&mut self, b: &mut Builder<'_>, pair: Value) -> Value {
        let (low, high) = (b.i32(-300), b.i32(300));
        let ty = b.ty(pair);
        let (low, high) = (b.splat(ty, low), b.splat(ty, high));
        let pair = b.smax(pair, low);
        b.smin(pair, high)
    }

    /// A bool, or what it chooses.
    pub(super) fn truth(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        match self.rng.below(8) {
            0..=2 => self.condition(b, pool),
            3 => {
                let (x, y) =
                    (self.pick(b, pool, self.world.floats[2]), self.pick(b, pool, self.world.floats[2]));
                b.op([Op::FLt, Op::FLe][self.rng.below(2)], &[x, y])
            }
            4 => {
                let x = self.pick(b, pool, self.world.bvec3);
                b.op([Op::All, Op::Any][self.rng.below(2)], &[x])
            }
            5 => {
                let condition = self.pick(b, pool, self.world.bvec3);
                let ty = self.world.floats[2];
                let (x, y) = (self.pick(b, pool, ty), self.pick(b, pool, ty));
                b.select(condition, x, y)
            }
            _ => {
                let condition = self.pick(b, pool, self.world.bool);
                let ty = if self.rng.once_in(4) { self.world.i32 } else { self.float() };
                let (x, y) = (self.pick(b, pool, ty), self.pick(b, pool, ty));
                b.select(condition, x, y)
            }
        }
    }

    pub(super) fn condition(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = self.world.floats[0];
        match self.rng.below(9) {
            0..=3 => {
                let (x, y) = (self.pick(b, pool, ty), self.pick(b, pool, ty));
                b.op([Op::FLt, Op::FLe, Op::FEq, Op::FNe][self.rng.below(4)], &[x, y])
            }
            4 | 5 => {
                let (x, y) = (self.pick(b, pool, self.world.i32), self.pick(b, pool, self.world.i32));
                b.op([Op::SLt, Op::SLe, Op::IEq, Op::INe][self.rng.below(4)], &[x, y])
            }
            6 => {
                let x = self.pick(b, pool, self.world.bool);
                b.not(x)
            }
            _ => {
                let (x, y) = (self.pick(b, pool, self.world.bool), self.pick(b, pool, self.world.bool));
                b.op([Op::And, Op::Or, Op::Xor, Op::IEq, Op::INe][self.rng.below(5)], &[x, y])
            }
        }
    }

    pub(super) fn vector(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = self.world.floats[1 + self.rng.below(3)];
        let x = self.pick(b, pool, ty);
        let n = usize::from(b.types().components(ty));
        match self.rng.below(5) {
            0 => {
                let y = self.pick(b, pool, ty);
                let parts: Vec<u8> =
                    (0..2 + self.rng.below(3)).map(|_| self.rng.below(2 * n) as u8).collect();
                b.shuffle(x, y, &parts)
            }
            1 => {
                let part = self.pick(b, pool, self.world.floats[0]);
                b.insert(x, self.rng.below(n) as u32, part)
            }
            2 => {
                let index = self.index(b, pool, n as i32);
                b.extract_dyn(x, index)
            }
            3 => {
                let (index, part) = (self.index(b, pool, n as i32), self.pick(b, pool, self.world.floats[0]));
                b.insert_dyn(x, part, index)
            }
            _ => {
                // The unit vector of one that is not 0.
                let size = b.fabs(x);
                let quarter = self.splat(b, ty, 0.25);
                let x = b.fadd(size, quarter);
                let square = b.fdot(x, x);
                let factor = b.frsqrt(square);
                let factor = b.splat(ty, factor);
                b.fmul(x, factor)
            }
        }
    }

    /// An index below `n`.
    fn index(&mut self, b: &mut Builder<'_>, pool: &Pool, n: i32) -> Value {
        let index = self.pick(b, pool, self.world.i32);
        self.small(b, index, 0, n - 1)
    }

    /// The uniform matrix, or one of its elements' columns, times a vector.
    pub(super) fn matrix(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = self.world.floats[3];
        let v = self.pick(b, pool, ty);
        let mut sum = None;
        for i in 0..4 {
            // A column by its number, or by one that is computed.
            let index = if self.rng.once_in(16) { self.index(b, pool, 4) } else { b.u32(i) };
            let column = self.uniform(b, 0, &[index]);
            let part = b.extract(v, i);
            let part = b.splat(ty, part);
            let product = b.fmul(column, part);
            sum = Some(match sum {
                None => product,
                Some(sum) => b.fadd(sum, product),
            });
        }
        let sum = sum.unwrap_or(v);
        self.tame(b, sum)
    }

    pub(super) fn indexed(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let Some(&array) = pool.arrays.first() else {
            let index = self.index(b, pool, ELEMENTS as i32);
            return self.uniform(b, super::flow::LIST, &[index]);
        };
        let (index, ty) = (self.index(b, pool, 3), self.world.floats[1]);
        let pointer = b.access(array, &[index]);
        if self.rng.once_in(2) {
            let value = self.pick(b, pool, ty);
            b.store(pointer, value);
        }
        b.load(pointer)
    }

    /// An output is written, and read.
    pub(super) fn read_back(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let output = self.world.outputs[self.rng.below(self.world.outputs.len())];
        let ty = b.module().global(output).ty;
        let value = self.pick(b, pool, ty);
        let pointer = b.global(output);
        b.store(pointer, value);
        b.load(pointer)
    }
}
