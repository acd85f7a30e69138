//! Bit operations on integers, which are floats, exact to 2^24.
//!
//! A shift is a product with a power of two, and the bits below a place a remainder that rounds
//! down, as two's complement has it. A constant mask is a sum of such remainders, two for each
//! run of ones. Bits of two numbers that are both unknown are counted one by one, as many as
//! their ranges say: `a | b` and `a ^ b` follow from `a & b` and the sum. spec section 11.4.

use chiaro_ir::{ConstantKind, Def, Op as Ir, Value};

use super::{Answer, Select};
use crate::compile::graph::{Op, Operand};

/// Bits of integers that are exact.
const EXACT: u32 = 24;
/// Bits of an integer in the shader.
const WIDTH: u32 = 32;

impl Select<'_> {
    /// The same for corresponding components.
    pub(super) fn bits_of_each(&mut self, op: Ir, args: &[Value]) -> Answer<Vec<Operand>> {
        let a = self.read(args[0])?;
        if op == Ir::Not {
            return Ok(a.into_iter().map(|a| self.complement(a)).collect());
        }
        let b = self.read(args[1])?;
        let known = [self.integers(args[0]), self.integers(args[1])];
        let places = self.places(args);
        let mut made = Vec::with_capacity(a.len());
        for (i, (&a, &b)) in a.iter().zip(&b).enumerate() {
            let [x, y] = [0, 1].map(|n: usize| known[n].get(i).copied().flatten());
            let both = match (x, y) {
                (_, Some(mask)) => self.masked(a, mask),
                (Some(mask), _) => self.masked(b, mask),
                _ => self.common_bits(a, b, places),
            };
            made.push(self.of_common(op, [a, b], both));
        }
        Ok(made)
    }

    /// `a & b`, `a | b` or `a ^ b`, of what both have in common.
    fn of_common(&mut self, op: Ir, [a, b]: [Operand; 2], both: Operand) -> Operand {
        let twice = match op {
            Ir::And => return both,
            Ir::Or => both,
            _ => self.scaled(both, 2.0),
        };
        let sum = self.graph().add(a, b);
        self.graph().sub(sum, twice)
    }

    /// The constants among a value's integers.
    fn integers(&self, value: Value) -> Vec<Option<i32>> {
        let constants = &self.module.constants;
        let Def::Constant(c) = self.f.def(value) else { return Vec::new() };
        let one = |c| constants.bits(c).map(|bits| bits as u32 as i32);
        match constants.get(c) {
            ConstantKind::Composite(list) => list.iter().map(|&part| one(part)).collect(),
            ConstantKind::Zero => {
                vec![Some(0); self.module.types.components(constants.ty(c)).into()]
            }
            _ => vec![one(c)],
        }
    }

    /// Bits that tell the numbers of some values from each other; one more where they may be
    /// negative.
    fn places(&self, args: &[Value]) -> (u32, bool) {
        let ranges = args.iter().map(|&arg| self.ranges.int(arg, WIDTH as u8));
        let most = |range: chiaro_opt::IntRange| range.high.max(-range.low - 1).max(0);
        let ranges: Vec<_> = ranges.collect();
        let largest = ranges.iter().map(|&range| most(range)).max().unwrap_or(i64::MAX);
        let bits = (i64::BITS - largest.leading_zeros()).min(EXACT);
        (bits, ranges.iter().any(|range| range.low < 0))
    }

    /// A shift by a number that is known or not.
    pub(super) fn shifted(&mut self, op: Ir, a: Operand, by: Operand) -> Operand {
        let left = op == Ir::Shl;
        let factor = match self.graph().constant(by) {
            Some(n) => self.graph().number(if left { n.exp2() } else { (-n).exp2() }),
            None => {
                let power = if left { by } else { by.negated() };
                let rough = self.graph().function(Op::Exp2, power);
                if left { self.nearest(rough) } else { rough }
            }
        };
        let scaled = self.graph().mul(a, factor);
        match op {
            Ir::Shl => scaled,
            Ir::AShr => self.graph().make(Op::Floor, &[scaled]),
            _ => self.with_zeros(a, scaled, factor),
        }
    }

    /// The whole number next to one that may be a little off.
    fn nearest(&mut self, x: Operand) -> Operand {
        let up = self.plus(x, 0.5);
        self.graph().make(Op::Floor, &[up])
    }

    /// What is negative counts from 2^32 down.
    fn with_zeros(&mut self, a: Operand, scaled: Operand, factor: Operand) -> Operand {
        let shifted = self.graph().make(Op::Floor, &[scaled]);
        let zero = self.graph().number(0.0);
        let is_negative = self.graph().make(Op::Lt, &[a, zero]);
        let all = self.scaled(factor, (WIDTH as f32).exp2());
        let more = self.graph().mul(is_negative, all);
        self.graph().add(shifted, more)
    }

    fn complement(&mut self, a: Operand) -> Operand {
        let minus_one = self.graph().number(-1.0);
        self.graph().sub(minus_one, a)
    }

    /// The bits of a constant mask: for each run of ones those below its end, less those below
    /// its start.
    fn masked(&mut self, a: Operand, mask: i32) -> Operand {
        let mut sum = self.graph().number(0.0);
        let mut at = 0;
        while at < WIDTH {
            let rest = mask as u32 >> at;
            if rest == 0 {
                break;
            }
            let start = at + rest.trailing_zeros();
            at = start + (mask as u32 >> start).trailing_ones();
            let below = self.low_bits(a, at);
            sum = self.graph().add(sum, below);
            if start > 0 {
                let under = self.low_bits(a, start);
                sum = self.graph().sub(sum, under);
            }
        }
        sum
    }

    /// a - floor(a / 2^n) * 2^n; all of it where no exact number has more bits.
    fn low_bits(&mut self, a: Operand, n: u32) -> Operand {
        if n >= WIDTH {
            return a;
        }
        let size = (n as f32).exp2();
        let part = self.scaled(a, 1.0 / size);
        let whole = self.graph().make(Op::Floor, &[part]);
        let over = self.scaled(whole, size);
        self.graph().sub(a, over)
    }

    /// The bits that two numbers have in common, from the highest one down. A number that may be
    /// negative is made of all places, of which the sign's counts below zero.
    fn common_bits(&mut self, a: Operand, b: Operand, (places, signed): (u32, bool)) -> Operand {
        let [mut a, mut b] = [a, b];
        let mut sum = self.graph().number(0.0);
        if signed {
            let zero = self.graph().number(0.0);
            let signs = [a, b].map(|x| self.graph().make(Op::Lt, &[x, zero]));
            let size = (places as f32).exp2();
            [a, b] = [(a, signs[0]), (b, signs[1])].map(|(x, sign)| {
                let more = self.scaled(sign, size);
                self.graph().add(x, more)
            });
            let both = self.graph().make(Op::Min, &signs);
            sum = self.scaled(both, -size);
        }
        for place in (0..places).rev() {
            let size = self.graph().number((place as f32).exp2());
            let found = [a, b].map(|x| self.graph().make(Op::Ge, &[x, size]));
            let both = self.graph().make(Op::Min, &found);
            let worth = self.graph().mul(both, size);
            sum = self.graph().add(sum, worth);
            [a, b] = [(a, found[0]), (b, found[1])].map(|(x, found)| {
                let part = self.graph().mul(found, size);
                self.graph().sub(x, part)
            });
        }
        sum
    }
}
