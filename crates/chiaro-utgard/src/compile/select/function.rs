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
                let inverse = self.graph().function(Op::Rcp, b);
                self.graph().mul(a, inverse)
            }
            Ir::FSqrt => self.root(a),
            Ir::FRsqrt => self.graph().function(Op::Rsqrt, a),
            Ir::FExp2 => self.graph().function(Op::Exp2, a),
            Ir::FLog2 => self.graph().function(Op::Log2, a),
            Ir::FExp => {
                let scaled = self.scaled(a, LOG2_E);
                self.graph().function(Op::Exp2, scaled)
            }
            Ir::FLog => {
                let log = self.graph().function(Op::Log2, a);
                self.scaled(log, LN_2)
            }
            Ir::FPow => {
                let log = self.graph().function(Op::Log2, a);
                let power = self.graph().mul(b, log);
                self.graph().function(Op::Exp2, power)
            }
            Ir::FFract => {
                let whole = self.graph().make(Op::Floor, &[a]);
                self.graph().sub(a, whole)
            }
            Ir::FCeil => self.graph().make(Op::Floor, &[a.negated()]).negated(),
            Ir::FTrunc => self.trunc(a),
            Ir::FRoundEven => self.round(a),
            Ir::FMod => self.modulo(a, b),
            Ir::FRem => {
                let inverse = self.graph().function(Op::Rcp, b);
                let quotient = self.graph().mul(a, inverse);
                let whole = self.trunc(quotient);
                let part = self.graph().mul(b, whole);
                self.graph().sub(a, part)
            }
            Ir::SDiv | Ir::UDiv => self.quotient(a, b).0,
            Ir::SRem | Ir::URem => self.quotient(a, b).1,
            Ir::SMod => self.floored_remainder(a, b),
            Ir::FSin => self.sine(a, 0.0),
            Ir::FCos => self.sine(a, 0.25),
            Ir::FTan => {
                let (sine, cosine) = (self.sine(a, 0.0), self.sine(a, 0.25));
                let inverse = self.graph().function(Op::Rcp, cosine);
                self.graph().mul(sine, inverse)
            }
            Ir::FAsin => self.arc_sine(a, [0.086_566_724, -0.031_029_55]),
            Ir::FAcos => {
                let sine = self.arc_sine(a, [0.081_324_63, -0.023_633_18]);
                let quarter = self.graph().number(std::f32::consts::FRAC_PI_2);
                self.graph().sub(quarter, sine)
            }
            Ir::FAtan => self.arc_tangent(a),
            Ir::FAtan2 => self.arc_tangent2(a, b),
            Ir::FLdexp => {
                let power = self.graph().function(Op::Exp2, b);
                self.graph().mul(a, power)
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
        let factor = self.graph().number(by);
        self.graph().mul(a, factor)
    }

    pub(super) fn plus(&mut self, a: Operand, what: f32) -> Operand {
        let what = self.graph().number(what);
        self.graph().add(a, what)
    }

    pub(super) fn magnitude(&mut self, a: Operand) -> Operand {
        self.graph().make(Op::Max, &[a, a.negated()])
    }

    /// x * rsqrt(x), which is kept between 0 and the largest number: 0 for both zeros, whose
    /// inverses are infinite.
    pub(super) fn root(&mut self, a: Operand) -> Operand {
        let inverse = self.graph().function(Op::Rsqrt, a);
        let bounded = self.graph().make(Op::Clamp(0.0_f32.to_bits(), f32::MAX.to_bits()), &[inverse]);
        self.graph().mul(a, bounded)
    }

    /// Nearest integer, halves to even: floor(a + 1/2), one less where a half lies below an odd.
    fn round(&mut self, a: Operand) -> Operand {
        let raised = self.plus(a, 0.5);
        let whole = self.graph().make(Op::Floor, &[raised]);
        let over = self.graph().sub(whole, a);
        let half = self.graph().number(0.5);
        let is_half = self.graph().make(Op::Ge, &[over, half]);
        let halved = self.scaled(whole, 0.5);
        let even = self.graph().make(Op::Floor, &[halved]);
        let doubled = self.scaled(even, 2.0);
        let odd = self.graph().sub(whole, doubled);
        let correction = self.graph().mul(odd, is_half);
        self.graph().sub(whole, correction)
    }

    fn modulo(&mut self, a: Operand, b: Operand) -> Operand {
        let inverse = self.graph().function(Op::Rcp, b);
        let quotient = self.graph().mul(a, inverse);
        let whole = self.graph().make(Op::Floor, &[quotient]);
        let part = self.graph().mul(b, whole);
        self.graph().sub(a, part)
    }

    /// Quotient toward zero and remainder, right for all integers that are exact: the
    /// reciprocal may be a little off, so the quotient of the magnitudes is corrected by one.
    fn quotient(&mut self, a: Operand, b: Operand) -> (Operand, Operand) {
        let (x, y) = (self.magnitude(a), self.magnitude(b));
        let inverse = self.graph().function(Op::Rcp, y);
        let rough = self.graph().mul(x, inverse);
        let guess = self.graph().make(Op::Floor, &[rough]);
        let part = self.graph().mul(guess, y);
        let rest = self.graph().sub(x, part);
        // One more where the rest is still the divisor or more, one less where it is negative.
        let more = self.graph().make(Op::Ge, &[rest, y]);
        let zero = self.graph().number(0.0);
        let less = self.graph().make(Op::Lt, &[rest, zero]);
        let step = self.graph().sub(more, less);
        let size = self.graph().add(guess, step);
        let product = self.graph().mul(a, b);
        let sign = self.graph().make(Op::Sign, &[product]);
        let quotient = self.graph().mul(size, sign);
        let back = self.graph().mul(quotient, b);
        let remainder = self.graph().sub(a, back);
        (quotient, remainder)
    }

    /// Remainder with the divisor's sign.
    fn floored_remainder(&mut self, a: Operand, b: Operand) -> Operand {
        let (_, rest) = self.quotient(a, b);
        let product = self.graph().mul(rest, b);
        let zero = self.graph().number(0.0);
        let differs = self.graph().make(Op::Lt, &[product, zero]);
        let moved = self.graph().mul(differs, b);
        self.graph().add(rest, moved)
    }

    /// sin(a + 2 pi shift): turns reduced to a quarter around zero, then a polynomial.
    fn sine(&mut self, a: Operand, shift: f32) -> Operand {
        // u = |t - floor(t) - 1/2| - 1/4 with t = turns + shift - 1/4 is the sine's quarter.
        let turns = self.scaled(a, TURN);
        let t = self.plus(turns, shift - 0.25);
        let whole = self.graph().make(Op::Floor, &[t]);
        let part = self.graph().sub(t, whole);
        let centred = self.plus(part, -0.5);
        let size = self.magnitude(centred);
        let u = self.plus(size, -0.25);
        let square = self.graph().mul(u, u);
        let sum = self.polynomial(square, &SINE);
        self.graph().mul(u, sum)
    }

    /// Coefficients from the lowest power on.
    fn polynomial(&mut self, x: Operand, coefficients: &[f32]) -> Operand {
        let (last, rest) = coefficients.split_last().unwrap_or((&0.0, &[]));
        let mut sum = self.graph().number(*last);
        for &c in rest.iter().rev() {
            let product = self.graph().mul(sum, x);
            sum = self.plus(product, c);
        }
        sum
    }

    /// pi/2 - sqrt(1 - |x|) * p(|x|), with the sign of x; the last two coefficients differ
    /// between sine and cosine. \[Mesa]
    fn arc_sine(&mut self, a: Operand, last: [f32; 2]) -> Operand {
        use std::f32::consts::{FRAC_PI_2, FRAC_PI_4};
        let size = self.magnitude(a);
        let one = self.graph().number(1.0);
        let left = self.graph().sub(one, size);
        let root = self.root(left);
        let p = self.polynomial(size, &[FRAC_PI_2, FRAC_PI_4 - 1.0, last[0], last[1]]);
        let angle = self.graph().mul(root, p);
        let quarter = self.graph().number(FRAC_PI_2);
        let sine = self.graph().sub(quarter, angle);
        let sign = self.graph().make(Op::Sign, &[a]);
        self.graph().mul(sine, sign)
    }

    fn arc_tangent(&mut self, a: Operand) -> Operand {
        let size = self.magnitude(a);
        let one = self.graph().number(1.0);
        let angle = self.angle(size, one);
        let sign = self.graph().make(Op::Sign, &[a]);
        self.graph().mul(angle, sign)
    }

    /// The angle of (x, y), both not negative: a polynomial of the smaller over the larger.
    /// \[Mesa]
    fn angle(&mut self, y: Operand, x: Operand) -> Operand {
        const P: [f32; 6] =
            [0.999_979_3, -0.332_675_64, 0.193_892_5, -0.117_350_32, 0.053_681_38, -0.012_132_321];
        let graph = self.graph();
        let (most, least) = (graph.make(Op::Max, &[x, y]), graph.make(Op::Min, &[x, y]));
        let inverse = graph.function(Op::Rcp, most);
        let ratio = graph.mul(least, inverse);
        let square = graph.mul(ratio, ratio);
        let p = self.polynomial(square, &P);
        let angle = self.graph().mul(ratio, p);
        let steep = self.graph().make(Op::Lt, &[x, y]);
        let quarter = self.graph().number(std::f32::consts::FRAC_PI_2);
        let other = self.graph().sub(quarter, angle);
        self.graph().select(steep, other, angle)
    }

    fn arc_tangent2(&mut self, y: Operand, x: Operand) -> Operand {
        let (up, right) = (self.magnitude(y), self.magnitude(x));
        let angle = self.angle(up, right);
        let zero = self.graph().number(0.0);
        let left = self.graph().make(Op::Lt, &[x, zero]);
        let half = self.graph().number(std::f32::consts::PI);
        let other = self.graph().sub(half, angle);
        let turned = self.graph().select(left, other, angle);
        let below = self.graph().make(Op::Lt, &[y, zero]);
        self.graph().select(below, turned.negated(), turned)
    }
}
