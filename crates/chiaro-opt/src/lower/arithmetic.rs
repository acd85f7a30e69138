//! A machine's arithmetic for the interpreter of the IR: what lowered IR means on it.
//!
//! Every operation is the micro-op that the machine's `exec.rs` writes for the word that selection
//! makes of it, evaluated by the simulator's own code: lowered IR and words agree bit for bit.

use chiaro_ir::Op;
use chiaro_ir::interp::{Domain, Inconclusive, Note, float_bits, float_value};
use chiaro_sim::arith::Any;
use chiaro_sim::{FloatEnv, Op as U, scalar};

use super::Native;

/// Floats of 32 bits as a machine computes with them. Constants and what memory holds are rounded
/// when they are read: narrower floats are kept as binary32.
#[derive(Clone, Copy, Debug)]
pub struct Arithmetic {
    /// A micro-op on bits of binary32.
    pub compute: fn(U, [u64; 3]) -> u64,
    /// The micro-ops of `fmin` and `fmax`.
    pub bounds: [U; 2],
    /// What NaN decides, it decides as in the IR: comparisons and their opposites, the smaller and the larger number.
    /// Else it proves nothing.
    pub compares_nan: bool,
}

const ONE: u64 = 0x3f80_0000;

fn ieee(op: U, operands: [u64; 3]) -> u64 {
    let value = scalar::value::<Any>(op, &FloatEnv::IEEE, operands.map(|bits| bits as u32));
    value.unwrap_or(f32::NAN.to_bits()).into()
}

impl Arithmetic {
    /// IEEE 754 in 32 bits, as the micro-ops have it.
    pub const IEEE: Arithmetic =
        Arithmetic { compute: ieee, bounds: [U::FminNumber, U::FmaxNumber], compares_nan: true };

    fn unary(&self, op: U, a: u64) -> u64 {
        (self.compute)(op, [a, 0, 0])
    }

    fn binary(&self, op: U, a: u64, b: u64) -> u64 {
        (self.compute)(op, [a, b, 0])
    }

    /// The nearest float of the machine.
    #[must_use]
    pub fn rounded(&self, x: f32) -> f32 {
        f32::from_bits(self.unary(U::Fpack, x.to_bits().into()) as u32)
    }

    /// 1 / x.
    #[must_use]
    pub fn reciprocal(&self, x: f32) -> f32 {
        f32::from_bits(self.unary(U::Frcp, x.to_bits().into()) as u32)
    }

    /// Notes that one of some numbers of a width decides something, if it is NaN and the machine has its own idea of that.
    fn decide(&self, numbers: &[u64], width: u8, note: &mut Note) {
        if !self.compares_nan && numbers.iter().any(|&x| float_value(x, width).is_nan()) {
            note.0 = note.0.or(Some(Inconclusive::NotFinite));
        }
    }

    /// (0 < a) - (a < 0).
    fn sign(&self, a: u64) -> u64 {
        let [above, below] = [[0, a], [a, 0]].map(|[x, y]| self.binary(U::Flt, x, y) & ONE);
        self.binary(U::Fadd, above, self.unary(U::Fneg, below))
    }
}

impl Domain for Arithmetic {
    type Scalar = u64;
    type Shadow = ();

    fn bits(&self, s: u64) -> u64 {
        s
    }
    fn of_bits(&self, bits: u64) -> u64 {
        bits
    }
    fn of_float(&self, bits: u64, width: u8) -> u64 {
        if width == 32 { self.unary(U::Fpack, bits) } else { bits }
    }
    fn value(&self, s: u64, width: u8) -> f64 {
        float_value(s, width)
    }
    fn error(&self, _: u64) -> f64 {
        0.0
    }
    fn float_op(&self, op: Op, width: u8, [a, b, c]: [u64; 3], note: &mut Note) -> u64 {
        let negated = |x: u64| self.unary(U::Fneg, x);
        match op {
            Op::FMin | Op::FMax => self.decide(&[a, b], width, note),
            Op::FClamp => self.decide(&[a, b, c], width, note),
            Op::FSign => self.decide(&[a], width, note),
            _ => {}
        }
        let [min, max] = self.bounds;
        match op {
            Op::FAdd => self.binary(U::Fadd, a, b),
            Op::FSub => self.binary(U::Fadd, a, negated(b)),
            Op::FMul => self.binary(U::Fmul, a, b),
            Op::Fma => (self.compute)(U::Fmad, [a, b, c]),
            Op::FNeg => negated(a),
            // The larger of it and its negative: there is no operation for it.
            Op::FAbs => self.binary(max, a, negated(a)),
            Op::FMin => self.binary(min, a, b),
            Op::FMax => self.binary(max, a, b),
            Op::FFloor => self.unary(U::Ffloor, a),
            Op::FTrunc => self.unary(U::Ftrunc, a),
            Op::FRoundEven => self.unary(U::Frint, a),
            Op::FCeil => negated(self.unary(U::Ffloor, negated(a))),
            Op::FSqrt => self.unary(U::Fsqrt, a),
            Op::FSin => self.unary(U::FsinRadians, a),
            Op::FCos => self.unary(U::FcosRadians, a),
            Op::FSign => self.sign(a),
            // The optimiser finds these two behind legalisation, too.
            Op::FClamp => self.binary(min, self.binary(max, a, b), c),
            Op::FFract => self.binary(U::Fadd, a, negated(self.unary(U::Ffloor, a))),
            _ => u64::from(f32::NAN.to_bits()),
        }
    }
    fn native(&self, native: u16, [a, b, _]: [u64; 3], note: &mut Note) -> Option<u64> {
        let native = Native::of(native)?;
        let (op, is_truth) = native.meaning();
        if is_truth {
            self.decide(&[a, b], 32, note);
        }
        // A scalar operation has one operand, which is not to change places.
        let [a, b] = native.ordered([a, b]);
        let value = self.binary(op, a, b);
        Some(if is_truth { value & ONE } else { value })
    }
    fn float_test(&self, op: Op, width: u8, a: u64, b: u64, note: &mut Note) -> bool {
        let (x, y) = (float_value(a, width), float_value(b, width));
        self.decide(&[a, b], width, note);
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
        self.binary(U::Fmul, s, factor)
    }
    fn shadow(&self, _: u64) {}
    fn recall(&self, bits: u64, width: u8, (): ()) -> u64 {
        self.of_float(bits, width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(x: f32) -> u64 {
        x.to_bits().into()
    }

    /// On a machine with the arithmetic of IEEE 754 operations mean what they mean in the IR.
    #[test]
    fn operations_compute_what_their_names_say() {
        let machine = Arithmetic::IEEE;
        for (op, operands, wanted) in [
            (Op::FAdd, [1.5, 0.25, 0.0], 1.75),
            (Op::FSub, [1.5, 0.25, 0.0], 1.25),
            (Op::FMul, [1.5, -3.0, 0.0], -4.5),
            (Op::Fma, [1.5, 2.0, 0.25], 3.25),
            (Op::FNeg, [1.5, 0.0, 0.0], -1.5),
            (Op::FAbs, [-1.5, 0.0, 0.0], 1.5),
            (Op::FMin, [1.5, -0.5, 0.0], -0.5),
            (Op::FMax, [1.5, -0.5, 0.0], 1.5),
            (Op::FFloor, [-1.5, 0.0, 0.0], -2.0),
            (Op::FCeil, [-1.5, 0.0, 0.0], -1.0),
            (Op::FTrunc, [-1.75, 0.0, 0.0], -1.0),
            (Op::FRoundEven, [2.5, 0.0, 0.0], 2.0),
            (Op::FFract, [-1.75, 0.0, 0.0], 0.25),
            (Op::FSqrt, [2.25, 0.0, 0.0], 1.5),
            (Op::FSin, [0.0, 0.0, 0.0], 0.0),
            (Op::FCos, [0.0, 0.0, 0.0], 1.0),
            (Op::FSign, [-7.5, 0.0, 0.0], -1.0),
            (Op::FSign, [7.5, 0.0, 0.0], 1.0),
            (Op::FSign, [0.0, 0.0, 0.0], 0.0),
            (Op::FClamp, [7.5, -1.0, 2.0], 2.0),
            (Op::FClamp, [-7.5, -1.0, 2.0], -1.0),
        ] {
            let found = machine.float_op(op, 32, operands.map(bits), &mut Note::default());
            assert_eq!(f32::from_bits(found as u32), wanted, "{op:?} of {operands:?}");
        }
        assert_eq!([machine.rounded(0.1), machine.reciprocal(4.0)], [0.1, 0.25]);
        assert_eq!(machine.scale(bits(3.0), 32, -2), bits(0.75));
        assert_eq!(machine.of_int(-3, 32), bits(-3.0));
    }

    /// Where a machine has its own idea of NaN, what NaN decides proves nothing; the rest does.
    #[test]
    fn nan_that_decides_is_noted() {
        let own = Arithmetic { compares_nan: false, ..Arithmetic::IEEE };
        let [nan, one] = [f32::NAN, 1.0].map(bits);
        let noted = |machine: &Arithmetic, op, operands| {
            let mut note = Note::default();
            machine.float_op(op, 32, operands, &mut note);
            note.0.is_some()
        };
        for (op, operands, decides) in [
            (Op::FMin, [one, nan, one], true),
            (Op::FMax, [nan, one, one], true),
            (Op::FClamp, [one, one, nan], true),
            (Op::FSign, [nan, one, one], true),
            (Op::FSign, [one, nan, nan], false),
            (Op::FMin, [one, one, nan], false),
            (Op::FAdd, [nan, nan, nan], false),
        ] {
            assert_eq!(noted(&own, op, operands), decides, "{op:?}");
            assert!(!noted(&Arithmetic::IEEE, op, operands), "{op:?}");
        }
        let mut note = Note::default();
        assert!(!own.float_test(Op::FLt, 32, nan, one, &mut note) && note.0.is_some());
        let natives = [Native::Slt, Native::Sge].map(|native| {
            let mut note = Note::default();
            own.native(native as u16, [nan, one, 0], &mut note);
            note.0
        });
        assert_eq!(natives, [Some(Inconclusive::NotFinite); 2]);
    }
}
