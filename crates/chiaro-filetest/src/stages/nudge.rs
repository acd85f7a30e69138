//! Floats whose functions are a little off, as those of the rows' makers are.
//!
//! The rows come from a CPU driver that computes sines by short polynomials and arc sines by
//! very short ones. A row that hashes with `fract(sin(x) * 43758.5453)` is as sensitive to
//! that as it is insensitive to its inputs. So a result counts as agreeing if it does so within
//! what the result moves when each function is nudged by the error of that driver's.

use chiaro_ir::Op;
use chiaro_ir::interp::{Domain, Exact, Note, float_bits, float_value};

/// Exact floats, but for functions, whose results move by a hash of operands and run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nudged {
    /// Another number, other directions.
    pub(crate) run: u64,
    /// Sines are those of a machine that takes whole turns off the angle in binary32.
    pub(crate) reduced: bool,
    /// How far operations are off.
    pub(crate) errors: Errors,
}

/// How far an operation on floats of a width may be off, absolutely and relatively; `None` if it is exact.
pub(crate) type Errors = fn(Op, u8) -> Option<(f64, f64)>;

/// How far a function of the driver may be off, absolutely and relatively [estimated: the least
/// round numbers that explain the rows].
pub(crate) fn of_rows(op: Op, _: u8) -> Option<(f64, f64)> {
    Some(match op {
        Op::FSin | Op::FCos | Op::FTan => (2.5e-7, 1.2e-7),
        // A product that goes into a sum unrounded.
        Op::FMul => (0.0, 6e-8),
        Op::FAsin | Op::FAcos => (4e-4, 0.0),
        Op::FAtan | Op::FAtan2 => (2e-6, 0.0),
        Op::FPow | Op::FExp | Op::FExp2 => (0.0, 5e-7),
        Op::FLog | Op::FLog2 => (5e-7, 5e-7),
        _ => return None,
    })
}

impl Nudged {
    /// A number from -1 to 1.
    fn direction(&self, args: [u64; 3]) -> f64 {
        let mut h = self.run.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for arg in args {
            h = (h ^ arg).wrapping_mul(0xff51_afd7_ed55_8ccd);
            h ^= h >> 32;
        }
        (h >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

impl Domain for Nudged {
    type Scalar = u64;
    type Shadow = ();

    fn float_op(&self, op: Op, width: u8, args: [u64; 3], note: &mut Note) -> u64 {
        let bits = Exact.float_op(op, width, args, note);
        let Some((mut absolute, relative)) = (self.errors)(op, width) else { return bits };
        if self.reduced && matches!(op, Op::FSin | Op::FCos | Op::FTan) {
            // Two roundings of the angle on the way.
            absolute += 2.4e-7 * float_value(args[0], width).abs();
        }
        let value = float_value(bits, width);
        float_bits(value + self.direction(args) * (absolute + relative * value.abs()), width)
    }

    fn bits(&self, s: u64) -> u64 {
        s
    }
    fn of_bits(&self, bits: u64) -> u64 {
        bits
    }
    fn of_float(&self, bits: u64, width: u8) -> u64 {
        Exact.of_float(bits, width)
    }
    fn value(&self, s: u64, width: u8) -> f64 {
        Exact.value(s, width)
    }
    fn error(&self, _: u64) -> f64 {
        0.0
    }
    fn float_test(&self, op: Op, width: u8, a: u64, b: u64, note: &mut Note) -> bool {
        Exact.float_test(op, width, a, b, note)
    }
    fn to_int(&self, s: u64, from: u8, to: u8, signed: bool, note: &mut Note) -> u64 {
        Exact.to_int(s, from, to, signed, note)
    }
    fn of_int(&self, value: i128, width: u8) -> u64 {
        Exact.of_int(value, width)
    }
    fn resize(&self, s: u64, from: u8, to: u8) -> u64 {
        Exact.resize(s, from, to)
    }
    fn scale(&self, s: u64, width: u8, power: i32) -> u64 {
        Exact.scale(s, width, power)
    }
    fn shadow(&self, _: u64) {}
    fn recall(&self, bits: u64, _: u8, (): ()) -> u64 {
        bits
    }
}
