//! Integers that use all of 32 bits: every operation at its borders, quotients by 0 and by -1 among them.
//!
//! Shaders with them are drawn now and then only: machines that hold integers as floats refuse the constants.

use super::{Draw, Pool};
use crate::{Builder, Op, Value};

/// Where 32 bits end, signed and unsigned, and where products and squares come to that.
const BORDERS: [i32; 14] = [
    i32::MIN,
    i32::MIN + 1,
    i32::MAX,
    i32::MAX - 1,
    -1,
    0,
    1,
    1 << 30,
    -(1 << 30),
    46_340,
    46_341,
    65_535,
    65_536,
    -65_537,
];

/// Floats around which a conversion to an integer ends: 2 to the power of 24, 31 and 32, and their neighbours.
const FLOATS: [f32; 9] = [
    16_777_216.0,
    2_147_483_520.0,
    2_147_483_648.0,
    -2_147_483_648.0,
    -2_147_483_904.0,
    4_294_967_040.0,
    4_294_967_296.0,
    1e20,
    -1e20,
];

use Op::{And, IAdd, IMul, ISub, Or, SDiv, SMax, SMin, SMod, SRem, UDiv, UMax, UMin, URem, Xor};

/// Operations on two integers.
const TWO: [Op; 15] = [IAdd, ISub, IMul, IMul, SDiv, SRem, SMod, UDiv, URem, And, Or, Xor, SMin, UMax, SMax];
const COMPARISONS: [Op; 6] = [Op::SLt, Op::SLe, Op::ULt, Op::ULe, Op::IEq, Op::INe];
const SHIFTS: [Op; 3] = [Op::Shl, Op::LShr, Op::AShr];
const ONE: [Op; 6] = [Op::INeg, Op::IAbs, Op::Not, Op::ISign, Op::BitCount, Op::BitReverse];

impl Draw<'_> {
    /// An operation at the borders of 32 bits: all bits of what it gives, as a float.
    pub(super) fn wide(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let (x, y) = (self.at_border(b, pool), self.at_border(b, pool));
        let result = match self.rng.below(8) {
            0 => self.converted(b, pool),
            1 => {
                let holds = b.op(COMPARISONS[self.rng.below(COMPARISONS.len())], &[x, y]);
                b.select(holds, x, y)
            }
            2 => {
                // A machine has five bits for it; 32 and more mean the same bits again.
                let by = b.i32([0, 1, 15, 16, 30, 31, 32, 33][self.rng.below(8)]);
                b.op(SHIFTS[self.rng.below(SHIFTS.len())], &[x, by])
            }
            3 => b.op(ONE[self.rng.below(ONE.len())], &[x]),
            4 => b.op(UMin, &[x, y]),
            _ => b.op(TWO[self.rng.below(TWO.len())], &[x, y]),
        };
        self.bits(b, result)
    }

    /// An integer at a border, or as far from it as another integer says.
    fn at_border(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let border = b.i32(BORDERS[self.rng.below(BORDERS.len())]);
        let n = self.pick(b, pool, self.world.i32);
        match self.rng.below(4) {
            0 => border,
            1 => n,
            2 => b.iadd(border, n),
            _ => b.imul(border, n),
        }
    }

    /// A float that may be too large, as an integer, or an integer as a float and back.
    fn converted(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let (i32, f32) = (self.world.i32, self.world.floats[0]);
        let float = if self.rng.once_in(2) {
            let x = self.at_border(b, pool);
            b.convert([Op::SToF, Op::UToF][self.rng.below(2)], x, f32)
        } else {
            let x = self.pick(b, pool, f32);
            let large = b.f32(FLOATS[self.rng.below(FLOATS.len())]);
            b.op([Op::FMul, Op::FAdd][self.rng.below(2)], &[x, large])
        };
        b.convert([Op::FToS, Op::FToU][self.rng.below(2)], float, i32)
    }

    /// A float from 0 to 1 that differs if any bit of an integer does: as many as it holds.
    fn bits(&mut self, b: &mut Builder<'_>, n: Value) -> Value {
        let (sixteen, low) = (b.i32(16), b.i32(0xffff));
        let high = b.op(Op::LShr, &[n, sixteen]);
        let both = b.op(Xor, &[n, high]);
        let kept = b.op(And, &[both, low]);
        let float = b.convert(Op::SToF, kept, self.world.floats[0]);
        let part = b.f32(1.0 / 65_536.0);
        b.fmul(float, part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_border_meets_operations_and_only_some_shaders_have_them() {
        let shaders = |of: u64| (0..150).map(move |n| crate::print(&super::super::module(8 * n + of, 60)));
        let wide: String = shaders(5).collect();
        for op in TWO.iter().chain(&ONE).chain(&SHIFTS).chain(&COMPARISONS) {
            assert!(wide.contains(&format!("{} ", op.info().name)), "{op:?}");
        }
        for border in BORDERS {
            assert!(wide.contains(&border.to_string()), "{border}");
        }
        assert!(shaders(4).all(|text| !text.contains("2147483647")));
    }
}
