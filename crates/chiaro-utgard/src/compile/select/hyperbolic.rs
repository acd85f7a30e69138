//! Hyperbolic functions, by exponentials and logarithms.

use chiaro_ir::Op as Ir;

use super::Select;
use crate::compile::graph::{Op, Operand};

impl Select<'_> {
    /// One of them; `None` for any other operation.
    pub(super) fn hyperbolic(&mut self, op: Ir, x: Operand) -> Option<Operand> {
        Some(match op {
            Ir::FSinh => self.half_sum(x, true),
            Ir::FCosh => self.half_sum(x, false),
            Ir::FTanh => self.tanh(x),
            Ir::FAsinh => self.area_sine(x),
            Ir::FAcosh => {
                let root = self.root_of_square(x, -1.0);
                let sum = self.graph().add(x, root);
                self.natural_logarithm(sum)
            }
            Ir::FAtanh => {
                let (over, under) = (self.plus(x, 1.0), self.plus(x.negated(), 1.0));
                let inverse = self.graph().function(Op::Rcp, under);
                let ratio = self.graph().mul(over, inverse);
                let log = self.natural_logarithm(ratio);
                self.scaled(log, 0.5)
            }
            _ => return None,
        })
    }

    /// (e^x +- e^-x) / 2.
    fn half_sum(&mut self, x: Operand, difference: bool) -> Operand {
        let (up, down) = (self.natural_power(x), self.natural_power(x.negated()));
        let down = if difference { down.negated() } else { down };
        let sum = self.graph().add(up, down);
        self.scaled(sum, 0.5)
    }

    /// 1 - 2 / (e^2x + 1): right at both ends, where the power is infinite or 0.
    fn tanh(&mut self, x: Operand) -> Operand {
        let twice = self.scaled(x, 2.0);
        let power = self.natural_power(twice);
        let under = self.plus(power, 1.0);
        let inverse = self.graph().function(Op::Rcp, under);
        let part = self.scaled(inverse, -2.0);
        self.plus(part, 1.0)
    }

    /// sign(x) * ln(|x| + sqrt(x^2 + 1)): no difference of nearly equal numbers on either side.
    fn area_sine(&mut self, x: Operand) -> Operand {
        let size = self.magnitude(x);
        let root = self.root_of_square(size, 1.0);
        let sum = self.graph().add(size, root);
        let log = self.natural_logarithm(sum);
        let sign = self.graph().make(Op::Sign, &[x]);
        self.graph().mul(sign, log)
    }

    /// sqrt(x^2 + what).
    fn root_of_square(&mut self, x: Operand, what: f32) -> Operand {
        let square = self.graph().mul(x, x);
        let sum = self.plus(square, what);
        self.root(sum)
    }

    fn natural_power(&mut self, x: Operand) -> Operand {
        let scaled = self.scaled(x, std::f32::consts::LOG2_E);
        self.graph().function(Op::Exp2, scaled)
    }

    fn natural_logarithm(&mut self, x: Operand) -> Operand {
        let log = self.graph().function(Op::Log2, x);
        self.scaled(log, std::f32::consts::LN_2)
    }
}
