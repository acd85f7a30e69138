//! How exact the functions are in float24: one row each, and a test that measures them.
//!
//! A result may differ from the true one by `absolute`, and in ulps by `ulps` and by `slope` for
//! every unit of the operand; an ulp is 2^-16 of the result (of the operand, for `slope` of the
//! circle's functions). The rows hold in the simulator's arithmetic, which takes RCP, RSQ, EX2
//! and LG2 for correctly rounded; how exact the console's are is not known. \[unknown]
//!
//! | function | words a component | error at most |
//! |---|---|---|
//! | x / y, sqrt | 2 | 1.6 ulp |
//! | inversesqrt, exp2, log2 | 1 | 0.5 ulp |
//! | exp | 2 | 1 + 1.1 \|x\| ulp |
//! | log | 2 | 1.6 ulp |
//! | pow | 3 | 1 + 1.1 \|y ln x\| ulp |
//! | sin | 11 | 5.5e-5 + 0.6 ulp of x |
//! | cos | 11 | 3e-5 + 0.6 ulp of x |
//! | tan | 20 | 5 ulp + (6e-5 + 0.6 ulp of x) / cos² |
//! | asin, acos | 13, 12 | 5e-5 |
//! | atan | 16 | 3.2 ulp |
//! | atan2 | 21 | 6e-5 |
//! | sinh | 5 | 2e-5 + 2 + 1.2 \|x\| ulp |
//! | cosh | 5 | 2 + 1.2 \|x\| ulp |
//! | tanh | 5 | 3e-5 |
//! | asinh, acosh, atanh | 10, 7, 6 | 3e-5 + 1.6 ulp; of operands up to 4.2e9 |
//! | floor, ceil, trunc, round, sign | 1, 1, 4, 8, 3 | exact |
//! | fract | 2 | 0.5 ulp of 1 |
//! | mod, frem | 4, 7 | 0.6 ulp, and 0.6 of x; which multiple is taken follows the rounded quotient |
//! | frexp, ldexp | 12, 2 | exact |
//! | determinant, inverse | by sums and products | as the reader writes them out |

use chiaro_ir::Op;

/// The bound of one function.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bound {
    /// The function.
    pub op: Op,
    /// In any case.
    pub absolute: f64,
    /// In ulps of the result.
    pub ulps: f64,
    /// What grows with the operand.
    pub slope: Slope,
}

/// How an error grows with the operand x.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Slope {
    /// So many ulps of x.
    Operand(f64),
    /// So many ulps of the result for each unit of the exponent: of x, or of y ln x.
    Exponent(f64),
    /// As for `Operand`, and all that is absolute over the cosine's square.
    Pole(f64),
}

/// Distance of float24's neighbours above 1.
const ULP: f64 = 1.0 / 65536.0;
const FLAT: Slope = Slope::Operand(0.0);

const fn row(op: Op, absolute: f64, ulps: f64, slope: Slope) -> Bound {
    Bound { op, absolute, ulps, slope }
}

/// The bounds.
pub static BOUNDS: &[Bound] = &[
    row(Op::FDiv, 0.0, 1.6, FLAT),
    row(Op::FSqrt, 0.0, 1.6, FLAT),
    row(Op::FRsqrt, 0.0, 0.51, FLAT),
    row(Op::FExp2, 0.0, 0.51, FLAT),
    row(Op::FLog2, 0.0, 0.51, FLAT),
    row(Op::FExp, 0.0, 1.0, Slope::Exponent(1.1)),
    row(Op::FLog, 0.0, 1.6, FLAT),
    row(Op::FPow, 0.0, 1.0, Slope::Exponent(1.1)),
    row(Op::FSin, 5.5e-5, 0.0, Slope::Operand(0.6)),
    row(Op::FCos, 3e-5, 0.0, Slope::Operand(0.6)),
    row(Op::FTan, 6e-5, 5.0, Slope::Pole(0.6)),
    row(Op::FAsin, 5e-5, 0.0, FLAT),
    row(Op::FAcos, 5e-5, 0.0, FLAT),
    row(Op::FAtan, 0.0, 3.2, FLAT),
    row(Op::FAtan2, 6e-5, 0.0, FLAT),
    row(Op::FSinh, 2e-5, 2.0, Slope::Exponent(1.2)),
    row(Op::FCosh, 0.0, 2.0, Slope::Exponent(1.2)),
    row(Op::FTanh, 3e-5, 0.0, FLAT),
    row(Op::FAsinh, 3e-5, 1.6, FLAT),
    row(Op::FAcosh, 3e-5, 1.6, FLAT),
    row(Op::FAtanh, 3e-5, 1.6, FLAT),
    row(Op::FMod, 0.0, 0.6, Slope::Operand(0.6)),
    row(Op::FRem, 0.0, 0.6, Slope::Operand(0.6)),
];

impl Bound {
    /// The bound of a function; `None` for what is exact, or a sum or product.
    #[must_use]
    pub fn of(op: Op) -> Option<&'static Bound> {
        BOUNDS.iter().find(|bound| bound.op == op)
    }

    /// How far a result may be off for such operands, which are exact.
    #[must_use]
    pub fn error(&self, result: f64, [x, y]: [f64; 2]) -> f64 {
        let ulps = self.ulps * result.abs() * ULP;
        let absolute = match self.slope {
            Slope::Operand(slope) => self.absolute + slope * x.abs() * ULP,
            Slope::Pole(slope) => (self.absolute + slope * x.abs() * ULP) * (1.0 + result * result),
            Slope::Exponent(slope) => {
                let exponent = match self.op {
                    // A power of zero is zero: nothing is felt of its logarithm.
                    Op::FPow if x == 0.0 => 0.0,
                    Op::FPow => y * x.abs().ln(),
                    _ => x,
                };
                self.absolute + slope * exponent.abs() * result.abs() * ULP
            }
        };
        ulps + absolute
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::legalize::float24::Float24;
    use crate::compile::legalize::samples::{run24, unary_or_binary};
    use chiaro_ir::random::Rng;

    type Range = (f64, f64);

    /// Where functions are measured: one range for each operand.
    const RANGES: &[(Op, &[Range])] = &[
        (Op::FDiv, &[(-9.0, 9.0), (0.1, 99.0)]),
        (Op::FSqrt, &[(0.0, 1000.0)]),
        (Op::FRsqrt, &[(0.001, 1000.0)]),
        (Op::FExp2, &[(-20.0, 20.0)]),
        (Op::FExp, &[(-20.0, 20.0)]),
        (Op::FLog2, &[(0.001, 1000.0)]),
        (Op::FLog, &[(0.001, 1000.0)]),
        (Op::FPow, &[(0.01, 10.0), (-5.0, 5.0)]),
        (Op::FSin, &[(-3.2, 3.2)]),
        (Op::FSin, &[(-300.0, 300.0)]),
        (Op::FCos, &[(-3.2, 3.2)]),
        (Op::FCos, &[(-300.0, 300.0)]),
        (Op::FTan, &[(-1.5, 1.5)]),
        (Op::FAsin, &[(-1.0, 1.0)]),
        (Op::FAcos, &[(-1.0, 1.0)]),
        (Op::FAtan, &[(-1.0, 1.0)]),
        (Op::FAtan, &[(-100.0, 100.0)]),
        (Op::FAtan2, &[(-10.0, 10.0), (-10.0, 10.0)]),
        (Op::FSinh, &[(-1.0, 1.0)]),
        (Op::FSinh, &[(-20.0, 20.0)]),
        (Op::FCosh, &[(-20.0, 20.0)]),
        (Op::FTanh, &[(-10.0, 10.0)]),
        (Op::FAsinh, &[(-1.0, 1.0)]),
        (Op::FAsinh, &[(-1000.0, 1000.0)]),
        (Op::FAcosh, &[(1.0, 1.1)]),
        (Op::FAcosh, &[(1.0, 1000.0)]),
        (Op::FAtanh, &[(-0.999, 0.999)]),
        (Op::FMod, &[(-50.0, 50.0), (0.5, 7.0)]),
        (Op::FRem, &[(-50.0, 50.0), (0.5, 7.0)]),
    ];

    /// So many operands in each range, its ends first.
    const SAMPLES: usize = 8000;

    fn rows(ranges: &[Range]) -> Vec<Vec<f32>> {
        let mut rng = Rng(1);
        let mut number = |i: usize, (low, high): Range| {
            let t = if i < 2 { i as f64 } else { (rng.draw() >> 11) as f64 / (1u64 << 53) as f64 };
            Float24::NEAREST.rounded((low + (high - low) * t) as f32)
        };
        (0..SAMPLES).map(|i| ranges.iter().map(|&range| number(i, range)).collect()).collect()
    }

    /// Multiples that the rounded quotient decides may be one off.
    fn off(op: Op, expected: f64, found: f64, row: &[f32]) -> f64 {
        let difference = (expected - found).abs();
        match (op, row) {
            (Op::FMod | Op::FRem, &[_, y]) => difference.min((difference - f64::from(y.abs())).abs()),
            _ => difference,
        }
    }

    #[test]
    fn every_function_keeps_its_bound() {
        for &(op, ranges) in RANGES {
            let rows = rows(ranges);
            let (expected, found) = run24(&unary_or_binary(op, ranges.len()), &rows);
            let bound = Bound::of(op).expect("it has a row");
            for ((row, expected), found) in rows.iter().zip(expected).zip(found) {
                let operands = [f64::from(row[0]), f64::from(*row.last().unwrap_or(&0.0))];
                let off = off(op, expected, f64::from(found), row);
                let allowed = bound.error(expected, operands);
                assert!(off <= allowed, "{op:?} {row:?}: {expected} {found}, {off:e} of {allowed:e}");
            }
        }
        assert!(BOUNDS.iter().all(|bound| RANGES.iter().any(|(op, _)| *op == bound.op)));
    }

    #[test]
    fn rounding_is_exact() {
        let rows = rows(&[(-40.0, 40.0)]);
        let halves = (-20..20).map(|i| vec![i as f32 * 0.5]);
        let edges = [0.499_996_2, -0.499_996_2, 65535.5, -65535.5, 131072.0, 1e-9, -1e-9].map(|x| vec![x]);
        let rows: Vec<Vec<f32>> = rows.into_iter().chain(halves).chain(edges).collect();
        let rows: Vec<Vec<f32>> = rows
            .into_iter()
            .map(|row| row.into_iter().map(|x| Float24::NEAREST.rounded(x)).collect())
            .collect();
        for op in [Op::FFloor, Op::FCeil, Op::FTrunc, Op::FRoundEven, Op::FSign, Op::FFrexpFraction] {
            let (expected, found) = run24(&unary_or_binary(op, 1), &rows);
            for ((row, expected), found) in rows.iter().zip(expected).zip(found) {
                assert!(expected == f64::from(found), "{op:?} {row:?}: {expected} {found}");
            }
        }
    }
}
