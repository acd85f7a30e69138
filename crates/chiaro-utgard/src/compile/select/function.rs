//! Functions that the machine has no single operation for. spec sections 11.2 to 11.4.

use chiaro_ir::Op as Ir;

use super::{Answer, Select};
use crate::compile::graph::{Op, Operand};

/// sin(2 pi u) for |u| <= 1/4 by odd powers: error below 7e-7. spec section 11.3.
const SINE: [f32; 4] = [6.283_164, -41.337_143, 81.340_77, -70.993_41];
const TURN: f32 = std::f32::consts::FRAC_1_PI * 0.5;
const LOG2_E: f32 = std::f32::consts::LOG2_E;
const LN_2: f32 = std::f32::consts::LN_2;

impl Select<'_> {
    pub(super) fn function(&mut self, op: Ir, parts: &[Operand]) -> Answer<Operand> {
        let a = parts[0];
        let b = parts.get(1).copied().unwrap_or(a);
        Ok(match op {
            Ir::FDiv => {
                let inverse = self.dag().function(Op::Rcp, b);
                self.dag().mul(a, inverse)
            }
            Ir::FSqrt => self.root(a),
            Ir::FRsqrt => self.dag().function(Op::Rsqrt, a),
            Ir::FExp2 => self.dag().function(Op::Exp2, a),
            Ir::FLog2 => self.dag().function(Op::Log2, a),
            Ir::FExp => {
                let scaled = self.scaled(a, LOG2_E);
                self.dag().function(Op::Exp2, scaled)
            }
            Ir::FLog => {
                let log = self.dag().function(Op::Log2, a);
                self.scaled(log, LN_2)
            }
            Ir::FPow => {
                let log = self.dag().function(Op::Log2, a);
                let power = self.dag().mul(b, log);
                self.dag().function(Op::Exp2, power)
            }
            Ir::FFract => {
                let whole = self.dag().make(Op::Floor, &[a]);
                self.dag().sub(a, whole)
            }
            Ir::FCeil => self.dag().make(Op::Floor, &[a.negated()]).negated(),
            Ir::FTrunc => self.trunc(a),
            Ir::FRoundEven => self.round(a),
            Ir::FMod => self.modulo(a, b),
            Ir::FRem => {
                let inverse = self.dag().function(Op::Rcp, b);
                let quotient = self.dag().mul(a, inverse);
                let whole = self.trunc(quotient);
                let part = self.dag().mul(b, whole);
                self.dag().sub(a, part)
            }
            Ir::SDiv | Ir::UDiv => self.quotient(a, b).0,
            Ir::SRem | Ir::URem => self.quotient(a, b).1,
            Ir::SMod => self.floored_remainder(a, b),
            Ir::FSin => self.sine(a, 0.0),
            Ir::FCos => self.sine(a, 0.25),
            Ir::FTan => {
                let (sine, cosine) = (self.sine(a, 0.0), self.sine(a, 0.25));
                let inverse = self.dag().function(Op::Rcp, cosine);
                self.dag().mul(sine, inverse)
            }
            Ir::FAsin => self.arc_sine(a, [0.086_566_724, -0.031_029_55]),
            Ir::FAcos => {
                let sine = self.arc_sine(a, [0.081_324_63, -0.023_633_18]);
                let quarter = self.dag().number(std::f32::consts::FRAC_PI_2);
                self.dag().sub(quarter, sine)
            }
            Ir::FAtan => self.arc_tangent(a),
            Ir::FAtan2 => self.arc_tangent2(a, b),
            Ir::FLdexp => {
                let power = self.dag().function(Op::Exp2, b);
                self.dag().mul(a, power)
            }
            Ir::FFrexpFraction => self.split_float(a).0,
            Ir::FFrexpExponent => self.split_float(a).1,
            Ir::Shl | Ir::AShr | Ir::LShr => self.shifted(op, a, b),
            _ => match self.hyperbolic(op, a) {
                Some(made) => made,
                None => {
                    let message = format!("the vertex processor cannot do `{}`", op.info().name);
                    return self.error(message, "it has neither bit operations nor textures");
                }
            },
        })
    }

    pub(super) fn scaled(&mut self, a: Operand, by: f32) -> Operand {
        let factor = self.dag().number(by);
        self.dag().mul(a, factor)
    }

    pub(super) fn plus(&mut self, a: Operand, what: f32) -> Operand {
        let what = self.dag().number(what);
        self.dag().add(a, what)
    }

    pub(super) fn magnitude(&mut self, a: Operand) -> Operand {
        self.dag().make(Op::Max, &[a, a.negated()])
    }

    /// x * rsqrt(x), which is kept between 0 and the largest number: 0 for both zeros, whose
    /// inverses are infinite.
    pub(super) fn root(&mut self, a: Operand) -> Operand {
        let inverse = self.dag().function(Op::Rsqrt, a);
        let bounded = self.dag().make(Op::Clamp(0.0_f32.to_bits(), f32::MAX.to_bits()), &[inverse]);
        self.dag().mul(a, bounded)
    }

    /// Nearest integer, halves to even: floor(a + 1/2), one less where a half lies below an odd.
    fn round(&mut self, a: Operand) -> Operand {
        let raised = self.plus(a, 0.5);
        let whole = self.dag().make(Op::Floor, &[raised]);
        let over = self.dag().sub(whole, a);
        let half = self.dag().number(0.5);
        let is_half = self.dag().make(Op::Ge, &[over, half]);
        let halved = self.scaled(whole, 0.5);
        let even = self.dag().make(Op::Floor, &[halved]);
        let doubled = self.scaled(even, 2.0);
        let odd = self.dag().sub(whole, doubled);
        let correction = self.dag().mul(odd, is_half);
        self.dag().sub(whole, correction)
    }

    fn modulo(&mut self, a: Operand, b: Operand) -> Operand {
        let inverse = self.dag().function(Op::Rcp, b);
        let quotient = self.dag().mul(a, inverse);
        let whole = self.dag().make(Op::Floor, &[quotient]);
        let part = self.dag().mul(b, whole);
        self.dag().sub(a, part)
    }

    /// Quotient toward zero and remainder, right for all integers that are exact: the
    /// reciprocal may be a little off, so the quotient of the magnitudes is corrected by one.
    fn quotient(&mut self, a: Operand, b: Operand) -> (Operand, Operand) {
        let (x, y) = (self.magnitude(a), self.magnitude(b));
        let inverse = self.dag().function(Op::Rcp, y);
        let rough = self.dag().mul(x, inverse);
        let guess = self.dag().make(Op::Floor, &[rough]);
        let part = self.dag().mul(guess, y);
        let rest = self.dag().sub(x, part);
        // One more where the rest is still the divisor or more, one less where it is negative.
        let more = self.dag().make(Op::Ge, &[rest, y]);
        let zero = self.dag().number(0.0);
        let less = self.dag().make(Op::Lt, &[rest, zero]);
        let step = self.dag().sub(more, less);
        let size = self.dag().add(guess, step);
        let product = self.dag().mul(a, b);
        let sign = self.dag().make(Op::Sign, &[product]);
        let quotient = self.dag().mul(size, sign);
        let back = self.dag().mul(quotient, b);
        let remainder = self.dag().sub(a, back);
        (quotient, remainder)
    }

    /// Remainder with the divisor's sign.
    fn floored_remainder(&mut self, a: Operand, b: Operand) -> Operand {
        let (_, rest) = self.quotient(a, b);
        let product = self.dag().mul(rest, b);
        let zero = self.dag().number(0.0);
        let differs = self.dag().make(Op::Lt, &[product, zero]);
        let moved = self.dag().mul(differs, b);
        self.dag().add(rest, moved)
    }

    /// sin(a + 2 pi shift): turns reduced to a quarter around zero, then a polynomial.
    fn sine(&mut self, a: Operand, shift: f32) -> Operand {
        // u = |t - floor(t) - 1/2| - 1/4 with t = turns + shift - 1/4 is the sine's quarter.
        let turns = self.scaled(a, TURN);
        let t = self.plus(turns, shift - 0.25);
        let whole = self.dag().make(Op::Floor, &[t]);
        let part = self.dag().sub(t, whole);
        let centred = self.plus(part, -0.5);
        let size = self.magnitude(centred);
        let u = self.plus(size, -0.25);
        let square = self.dag().mul(u, u);
        let sum = self.polynomial(square, &SINE);
        self.dag().mul(u, sum)
    }

    /// Coefficients from the lowest power on.
    fn polynomial(&mut self, x: Operand, coefficients: &[f32]) -> Operand {
        let (last, rest) = coefficients.split_last().unwrap_or((&0.0, &[]));
        let mut sum = self.dag().number(*last);
        for &c in rest.iter().rev() {
            let product = self.dag().mul(sum, x);
            sum = self.plus(product, c);
        }
        sum
    }

    /// pi/2 - sqrt(1 - |x|) * p(|x|), with the sign of x; the last two coefficients differ
    /// between sine and cosine. \[Mesa]
    fn arc_sine(&mut self, a: Operand, last: [f32; 2]) -> Operand {
        use std::f32::consts::{FRAC_PI_2, FRAC_PI_4};
        let size = self.magnitude(a);
        let one = self.dag().number(1.0);
        let left = self.dag().sub(one, size);
        let root = self.root(left);
        let p = self.polynomial(size, &[FRAC_PI_2, FRAC_PI_4 - 1.0, last[0], last[1]]);
        let angle = self.dag().mul(root, p);
        let quarter = self.dag().number(FRAC_PI_2);
        let sine = self.dag().sub(quarter, angle);
        let sign = self.dag().make(Op::Sign, &[a]);
        self.dag().mul(sine, sign)
    }

    fn arc_tangent(&mut self, a: Operand) -> Operand {
        let size = self.magnitude(a);
        let one = self.dag().number(1.0);
        let angle = self.angle(size, one);
        let sign = self.dag().make(Op::Sign, &[a]);
        self.dag().mul(angle, sign)
    }

    /// The angle of (x, y), both not negative: a polynomial of the smaller over the larger.
    /// \[Mesa]
    fn angle(&mut self, y: Operand, x: Operand) -> Operand {
        const P: [f32; 6] =
            [0.999_979_3, -0.332_675_64, 0.193_892_5, -0.117_350_32, 0.053_681_38, -0.012_132_321];
        let dag = self.dag();
        let (most, least) = (dag.make(Op::Max, &[x, y]), dag.make(Op::Min, &[x, y]));
        let inverse = dag.function(Op::Rcp, most);
        let ratio = dag.mul(least, inverse);
        let square = dag.mul(ratio, ratio);
        let p = self.polynomial(square, &P);
        let angle = self.dag().mul(ratio, p);
        let steep = self.dag().make(Op::Lt, &[x, y]);
        let quarter = self.dag().number(std::f32::consts::FRAC_PI_2);
        let other = self.dag().sub(quarter, angle);
        self.dag().select(steep, other, angle)
    }

    fn arc_tangent2(&mut self, y: Operand, x: Operand) -> Operand {
        let (up, right) = (self.magnitude(y), self.magnitude(x));
        let angle = self.angle(up, right);
        let zero = self.dag().number(0.0);
        let left = self.dag().make(Op::Lt, &[x, zero]);
        let half = self.dag().number(std::f32::consts::PI);
        let other = self.dag().sub(half, angle);
        let turned = self.dag().select(left, other, angle);
        let below = self.dag().make(Op::Lt, &[y, zero]);
        self.dag().select(below, turned.negated(), turned)
    }
}
