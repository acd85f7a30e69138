//! Significand and exponent of a float, by a logarithm and a power that undo each other.

use super::Select;
use crate::compile::graph::{Op, Operand};

/// Exponents, less one, whose powers are taken: 2 to one less than their negative is finite and
/// has all its digits.
const LEAST: f32 = -126.0;
const MOST: f32 = 127.0;

impl Select<'_> {
    /// The significand, from 1/2 to 1, and the exponent; 0 and 0 for 0.
    ///
    /// The logarithm may be rounded across a whole number, in either direction: then the
    /// significand comes out beyond its limits and is put right. Numbers below 2^-124 lose
    /// digits. \[unknown]: whether powers of whole numbers are exact on the hardware.
    pub(super) fn split_float(&mut self, x: Operand) -> (Operand, Operand) {
        let size = self.magnitude(x);
        let log = self.graph().function(Op::Log2, size);
        let bounded = self.graph().make(Op::Clamp(LEAST.to_bits(), MOST.to_bits()), &[log]);
        let whole = self.graph().make(Op::Floor, &[bounded]);
        // A quarter first: the power is never too small to be exact.
        let power = self.plus(whole.negated(), 1.0);
        let scale = self.graph().function(Op::Exp2, power);
        let quarter = self.scaled(x, 0.25);
        let rough = self.graph().mul(quarter, scale);
        let step = self.overstep(rough);
        let up = self.plus(whole, 1.0);
        let exponent = self.graph().add(up, step);
        let is_number = self.graph().make(Op::Sign, &[size]);
        let exponent = self.graph().mul(exponent, is_number);
        // 1, 1/2 or 2 for a step of 0, 1 or -1: 1 - 3/4 s + 1/4 s^2.
        let (slope, square) = (self.scaled(step, -0.75), self.graph().mul(step, step));
        let bend = self.scaled(square, 0.25);
        let sum = self.graph().add(slope, bend);
        let factor = self.plus(sum, 1.0);
        (self.graph().mul(rough, factor), exponent)
    }

    /// 1 for a significand of 1 or more, -1 for one below 1/2.
    fn overstep(&mut self, rough: Operand) -> Operand {
        let size = self.magnitude(rough);
        let (one, half) = (self.graph().number(1.0), self.graph().number(0.5));
        let over = self.graph().make(Op::Ge, &[size, one]);
        let under = self.graph().make(Op::Lt, &[size, half]);
        self.graph().sub(over, under)
    }
}
