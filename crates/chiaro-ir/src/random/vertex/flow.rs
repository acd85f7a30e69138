//! Conditions, loops, switches, and ways out of them.

use super::{Draw, Pool};
use crate::{Builder, Inst, Op, Ty, Value};

/// The uniform integer that loops count to: its member of the block.
pub(super) const COUNT: u32 = 4;
/// The array of uniforms: its member of the block.
pub(super) const LIST: u32 = 5;

impl Draw<'_> {
    /// The type of what a construct gives.
    fn result(&mut self) -> Ty {
        match self.rng.below(6) {
            0 => self.world.i32,
            1 => self.world.bool,
            _ => self.float(),
        }
    }

    pub(super) fn choice(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let (condition, ty) = (self.pick(b, pool, self.world.bool), self.result());
        self.depth += 1;
        let condition = if self.rng.once_in(2) { self.condition(b, pool) } else { condition };
        let arm = |draw: &mut Self, b: &mut Builder<'_>| {
            let mut pool = pool.clone();
            draw.block(b, &mut pool);
            draw.pick(b, &pool, ty)
        };
        let at = b.begin(Op::If, &[condition], &[ty], 2);
        for n in 0..2 {
            b.enter(n);
            let value = arm(self, b);
            b.exit(at, &[value]);
        }
        self.depth -= 1;
        b.leave()[0]
    }

    /// A loop of a few rounds, some of which may leave early or go on early.
    pub(super) fn repeat(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = self.result();
        let counts = self.rng.once_in(3);
        let (init, zero) = (self.pick(b, pool, ty), b.i32(self.rng.below(3) as i32));
        let step = if counts { 1 } else { 1 + self.rng.below(2) as i32 };
        let (rounds, step) = match counts {
            true => (self.uniform(b, COUNT, &[]), b.i32(step)),
            false => (b.i32(2 + self.rng.below(4) as i32), b.i32(step)),
        };
        let includes_end = counts && self.rng.once_in(3);
        let i32 = self.world.i32;
        self.depth += 1;
        let result = b.loop_(
            &[zero, init],
            &[ty],
            &[i32, ty],
            |b, at, params| {
                let more = if includes_end { b.sle(params[0], rounds) } else { b.slt(params[0], rounds) };
                b.if_else(more, |_, _| {}, |b, _| b.exit(at, &[params[1]]));
                self.round(b, pool, (at, ty), params);
            },
            |b, at, params| {
                let next = b.iadd(params[0], step);
                b.repeat(at, &[next, params[1]]);
            },
        );
        self.depth -= 1;
        result[0]
    }

    /// What a loop of a counter and a value does in each round.
    fn round(&mut self, b: &mut Builder<'_>, pool: &Pool, (at, ty): (Inst, Ty), params: &[Value]) {
        let mut pool = pool.clone();
        pool.values.extend(params);
        if self.rng.once_in(4) {
            self.branch(b, &pool, |b, _| b.exit(at, &[params[1]]));
        }
        if self.rng.once_in(4) {
            let next = self.pick(b, &pool, ty);
            self.branch(b, &pool, |b, _| b.continue_(at, &[params[0], next]));
        }
        self.loops.push((at, ty));
        self.block(b, &mut pool);
        self.loops.pop();
        let next = self.pick(b, &pool, ty);
        if self.rng.once_in(3) {
            self.branch(b, &pool, |b, _| b.exit(at, &[next]));
        }
        b.continue_(at, &[params[0], next]);
    }

    /// A loop that no LOOP can run: it ends by a float, and what it does comes before its test.
    pub(super) fn search(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = self.result();
        let f32 = self.world.floats[0];
        let (init, zero) = (self.pick(b, pool, ty), b.f32(0.0));
        let (rounds, step) = (b.f32(0.5 + self.rng.below(4) as f32), b.f32(1.0));
        self.depth += 1;
        let result = b.loop_(
            &[zero, init],
            &[ty],
            &[f32, ty],
            |b, at, params| self.round(b, pool, (at, ty), params),
            |b, at, params| {
                let next = b.fadd(params[0], step);
                let more = b.flt(next, rounds);
                b.if_else(more, |_, _| {}, |b, _| b.exit(at, &[params[1]]));
                b.repeat(at, &[next, params[1]]);
            },
        );
        self.depth -= 1;
        result[0]
    }

    /// Something under a condition that may be a uniform alone.
    fn branch(&mut self, b: &mut Builder<'_>, pool: &Pool, then: impl FnOnce(&mut Builder<'_>, Inst)) {
        let condition = match self.rng.below(4) {
            0 => {
                let flag = b.global(self.world.flags[self.rng.below(2)]);
                b.load(flag)
            }
            1 => self.pick(b, pool, self.world.bool),
            _ => self.condition(b, pool),
        };
        b.if_else(condition, then, |_, _| {});
    }

    /// Leaves one of the loops that are open, or the shader.
    pub(super) fn leave(&mut self, b: &mut Builder<'_>, pool: &Pool) {
        let loops = self.loops.len();
        match self.rng.below(3) {
            0 => {
                let condition = self.condition(b, pool);
                let at = b.begin(Op::If, &[condition], &[], 2);
                b.enter(0);
                self.outputs(b, pool);
                b.return_();
                b.enter(1);
                b.exit(at, &[]);
                b.leave();
            }
            _ if loops > 0 => {
                let (at, ty) = self.loops[self.rng.below(loops)];
                let value = self.pick(b, pool, ty);
                self.branch(b, pool, |b, _| b.exit(at, &[value]));
            }
            _ => {}
        }
    }

    pub(super) fn switch(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let (selector, ty) = (self.pick(b, pool, self.world.i32), self.result());
        self.depth += 1;
        let blocks = 1 + self.rng.below(3);
        let cases: Vec<(u64, u32)> =
            (0..self.rng.below(4)).map(|n| (n as u64, self.rng.below(blocks) as u32)).collect();
        let result = b.switch(selector, &[ty], &cases, blocks, |b, at, _| {
            let mut pool = pool.clone();
            self.block(b, &mut pool);
            let value = self.pick(b, &pool, ty);
            b.exit(at, &[value]);
        });
        self.depth -= 1;
        result[0]
    }
}
