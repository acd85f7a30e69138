//! Bit operations on integers, as far as floats can do them: by known numbers.
//!
//! Integers are floats, exact to 2^24; a shift is a product with a power of two, and a mask of
//! low bits a remainder that rounds down, as two's complement has it. spec section 11.4.

use chiaro_ir::{Op as Ir, Value};

use super::{Answer, Select};
use crate::dag::{Op, Operand};

impl Select<'_> {
    /// The same for corresponding components.
    pub(super) fn bits_of_each(&mut self, op: Ir, args: &[Value]) -> Answer<Vec<Operand>> {
        let a = self.read(args[0])?;
        let b = if args.len() > 1 { self.read(args[1])? } else { a.clone() };
        a.iter().zip(&b).map(|(&a, &b)| self.bits_of(op, a, b)).collect()
    }

    /// A shift by a known number, a mask of low bits, or a complement.
    pub(super) fn bits_of(&mut self, op: Ir, a: Operand, b: Operand) -> Answer<Operand> {
        let known = self.dag().constant(b);
        match (op, known) {
            (Ir::Not, _) => {
                let minus_one = self.dag().number(-1.0);
                Ok(self.dag().sub(minus_one, a))
            }
            (Ir::Shl, Some(n)) if is_shift(n) => Ok(self.scaled(a, n.exp2())),
            (Ir::AShr, Some(n)) if is_shift(n) => Ok(self.shifted_right(a, n)),
            (Ir::LShr, Some(n)) if is_shift(n) => Ok(self.shifted_in_zeros(a, n)),
            (Ir::And, Some(mask)) if is_low_mask(mask) => Ok(self.low_bits(a, mask + 1.0)),
            (Ir::And, _) => match self.dag().constant(a) {
                Some(mask) if is_low_mask(mask) => Ok(self.low_bits(b, mask + 1.0)),
                _ => self.no_bits(op),
            },
            _ => self.no_bits(op),
        }
    }

    fn no_bits<T>(&self, op: Ir) -> Answer<T> {
        let message = format!("the vertex processor cannot do `{}` on these integers", op.info().name);
        self.error(message, "integers are floats: shifts by constants and masks of low bits can be done")
    }

    fn shifted_right(&mut self, a: Operand, n: f32) -> Operand {
        let part = self.scaled(a, (-n).exp2());
        self.dag().make(Op::Floor, &[part])
    }

    /// What is negative counts from 2^32 down.
    fn shifted_in_zeros(&mut self, a: Operand, n: f32) -> Operand {
        let shifted = self.shifted_right(a, n);
        let zero = self.dag().number(0.0);
        let is_negative = self.dag().make(Op::Lt, &[a, zero]);
        let more = self.scaled(is_negative, (32.0 - n).exp2());
        self.dag().add(shifted, more)
    }

    /// a - floor(a / size) * size.
    fn low_bits(&mut self, a: Operand, size: f32) -> Operand {
        let part = self.scaled(a, 1.0 / size);
        let whole = self.dag().make(Op::Floor, &[part]);
        let over = self.scaled(whole, size);
        self.dag().sub(a, over)
    }
}

fn is_shift(n: f32) -> bool {
    n.fract() == 0.0 && (0.0..32.0).contains(&n)
}

/// Ones from bit 0 on: one less than a power of two.
fn is_low_mask(mask: f32) -> bool {
    mask.fract() == 0.0 && (0.0..16_777_216.0).contains(&mask) && (mask as u32 + 1).is_power_of_two()
}
