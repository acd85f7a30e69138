//! Float24 arithmetic for the interpreter of the IR: what legal IR means on this machine.
//!
//! Every operation is the micro-op that `exec.rs` writes for the word that selection makes of
//! it, evaluated by the simulator's own code: legal IR and words agree bit for bit (design
//! section 7, c1). Floats of 32 bits stand for float24: constants and what memory holds are
//! rounded when they are read.

use chiaro_ir::Op;
use chiaro_ir::interp::{Domain, Note, float_bits, float_value};
use chiaro_num::Rounding;
use chiaro_sim::f24::F24;
use chiaro_sim::{FloatEnv, Op as U, scalar};

use crate::compile::legalize::native::Native;

/// float24 arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Float24 {
    /// Results are rounded to nearest even; else toward zero. \[unknown]
    nearest: bool,
}

impl Float24 {
    /// With results rounded to nearest even, the default of the simulator.
    pub const NEAREST: Float24 = Float24 { nearest: true };
    /// With results rounded toward zero.
    pub const TRUNCATE: Float24 = Float24 { nearest: false };

    /// A micro-op on bits of binary32.
    fn compute(self, op: U, operands: [u64; 3]) -> u64 {
        let operands = operands.map(|bits| bits as u32);
        let env = |rounding| FloatEnv::pica_hw24(rounding);
        let value = if self.nearest {
            scalar::value::<F24<true>>(op, &env(Rounding::NearestEven), operands)
        } else {
            scalar::value::<F24<false>>(op, &env(Rounding::TowardZero), operands)
        };
        u64::from(value.unwrap_or(f32::NAN.to_bits()))
    }

    /// The nearest float24 of a number of 32 bits; subnormals and -0 become 0.
    #[must_use]
    pub fn rounded(self, x: f32) -> f32 {
        f32::from_bits(self.compute(U::Fpack, [x.to_bits().into(), 0, 0]) as u32)
    }
}

/// The micro-op of an operation that legal IR has; `None` for the others.
fn micro(op: Op) -> Option<U> {
    Some(match op {
        Op::FAdd | Op::FSub => U::Fadd,
        Op::FMul => U::Fmul,
        Op::Fma => U::Fmad,
        Op::FNeg => U::Fneg,
        Op::FAbs | Op::FMax => U::Fmax,
        Op::FMin => U::Fmin,
        Op::FFloor => U::Ffloor,
        _ => return None,
    })
}

impl Domain for Float24 {
    type Scalar = u64;
    type Shadow = ();

    fn bits(&self, s: u64) -> u64 {
        s
    }
    fn of_bits(&self, bits: u64) -> u64 {
        bits
    }
    fn of_float(&self, bits: u64, width: u8) -> u64 {
        if width == 32 { self.compute(U::Fpack, [bits, 0, 0]) } else { bits }
    }
    fn value(&self, s: u64, width: u8) -> f64 {
        float_value(s, width)
    }
    fn error(&self, _: u64) -> f64 {
        0.0
    }
    fn float_op(&self, op: Op, _: u8, [a, b, c]: [u64; 3], _: &mut Note) -> u64 {
        let negated = |x: u64| self.compute(U::Fneg, [x, 0, 0]);
        // The optimiser finds these two behind legalisation, too.
        match op {
            Op::FClamp => {
                let raised = self.compute(U::Fmax, [a, b, 0]);
                return self.compute(U::Fmin, [raised, c, 0]);
            }
            Op::FFract => {
                let down = self.compute(U::Ffloor, [a, 0, 0]);
                return self.compute(U::Fadd, [a, negated(down), 0]);
            }
            _ => {}
        }
        let operands = match op {
            Op::FSub => [a, negated(b), 0],
            // The larger of it and its negative: there is no operation for it.
            Op::FAbs => [a, negated(a), 0],
            _ => [a, b, c],
        };
        micro(op).map_or(u64::from(f32::NAN.to_bits()), |op| self.compute(op, operands))
    }
    fn native(&self, native: u16, [a, b, _]: [u64; 3]) -> Option<u64> {
        let native = Native::of(native)?;
        let (op, is_truth) = native.meaning();
        let [a, b] = native.ordered([a, b]);
        // A scalar operation has one operand, which is not to change places.
        let value = self.compute(op, [a, b, 0]);
        Some(if is_truth { value & u64::from(1.0_f32.to_bits()) } else { value })
    }
    fn float_test(&self, op: Op, width: u8, a: u64, b: u64, _: &mut Note) -> bool {
        let (x, y) = (float_value(a, width), float_value(b, width));
        match op {
            Op::FEq => x == y,
            Op::FNe => x != y,
            Op::FLt => x < y,
            Op::FLe => x <= y,
            Op::IsNan => x.is_nan(),
            _ => x.is_infinite(),
        }
    }
    fn to_int(&self, s: u64, from: u8, to: u8, signed: bool, _: &mut Note) -> u64 {
        let whole = float_value(s, from).trunc();
        let bits = if signed { whole as i32 as u32 } else { whole as u32 };
        u64::from(bits) & (u64::MAX >> (64 - u32::from(to.clamp(1, 64))))
    }
    fn of_int(&self, value: i128, width: u8) -> u64 {
        self.of_float(float_bits(value as f64, width), width)
    }
    fn resize(&self, s: u64, from: u8, to: u8) -> u64 {
        self.of_float(float_bits(float_value(s, from), to), to)
    }
    fn scale(&self, s: u64, width: u8, power: i32) -> u64 {
        let factor = float_bits(2_f64.powi(power), width);
        self.compute(U::Fmul, [s, factor, 0])
    }
    fn shadow(&self, _: u64) {}
    fn recall(&self, bits: u64, width: u8, (): ()) -> u64 {
        self.of_float(bits, width)
    }
}
