//! Arithmetic domains: a scalar is exact bits, or a number with an error interval.
//!
//! The walk over the tree, memory, integers and control flow are the same for both; only
//! what happens to floats differs.

use super::arith;
use crate::Op;

/// Why a lane's result proves nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Inconclusive {
    /// A comparison whose intervals overlap.
    Comparison,
    /// A rounding to an integer whose interval crosses a step.
    Step,
    /// A value that nobody defined.
    Undefined,
    /// A decision on NaN, infinity or what may be anything.
    NotFinite,
    /// The bits of a float that may be others.
    Bits,
    /// A value that a lane made which proves nothing.
    Taken,
}

/// Floats, one way or the other.
pub trait Domain: Sync + std::fmt::Debug {
    /// A scalar in a register. The default is zero.
    type Scalar: Copy + Default + std::fmt::Debug;
    /// What memory keeps for each two bytes beside the bytes.
    type Shadow: Copy + Default + std::fmt::Debug;

    /// The bits of any scalar; of a float its nearest bits.
    fn bits(&self, s: Self::Scalar) -> u64;
    /// A bool, integer or handle.
    fn of_bits(&self, bits: u64) -> Self::Scalar;
    /// A float of a width, known exactly.
    fn of_float(&self, bits: u64, width: u8) -> Self::Scalar;
    /// The number that a float of a width is.
    fn value(&self, s: Self::Scalar, width: u8) -> f64;
    /// How far another correct implementation may be off; 0 for what is no float.
    fn error(&self, s: Self::Scalar) -> f64;
    /// A float operation.
    fn float_op(&self, op: Op, width: u8, args: [Self::Scalar; 3], note: &mut Note) -> Self::Scalar;
    /// A native operation of a target on one component; `None` where the domain knows no
    /// natives, or not this one.
    fn native(&self, native: u16, args: [Self::Scalar; 3], note: &mut Note) -> Option<Self::Scalar> {
        let _ = (native, args, note);
        None
    }
    /// A comparison or test of floats.
    fn float_test(&self, op: Op, width: u8, a: Self::Scalar, b: Self::Scalar, note: &mut Note) -> bool;
    /// A float to an integer.
    fn to_int(&self, s: Self::Scalar, from: u8, to: u8, signed: bool, note: &mut Note) -> u64;
    /// A number to a float of a width.
    fn of_int(&self, value: i128, width: u8) -> Self::Scalar;
    /// A float to another width.
    fn resize(&self, s: Self::Scalar, from: u8, to: u8) -> Self::Scalar;
    /// A float of a width times a power of two.
    fn scale(&self, s: Self::Scalar, width: u8, power: i32) -> Self::Scalar;
    /// What memory keeps of a float beside its bytes.
    fn shadow(&self, s: Self::Scalar) -> Self::Shadow;
    /// A float of memory: its bytes and what was kept.
    fn recall(&self, bits: u64, width: u8, shadow: Self::Shadow) -> Self::Scalar;
}

/// What was noticed about a lane while it computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Note(pub Option<Inconclusive>);

impl Note {
    /// Keeps the first reason.
    pub(super) fn add(&mut self, why: Inconclusive) {
        self.0 = self.0.or(Some(why));
    }
}

/// Bit for bit: the meaning of the IR.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact;

impl Domain for Exact {
    type Scalar = u64;
    type Shadow = ();

    fn bits(&self, s: u64) -> u64 {
        s
    }
    fn of_bits(&self, bits: u64) -> u64 {
        bits
    }
    fn of_float(&self, bits: u64, _: u8) -> u64 {
        bits
    }
    fn value(&self, s: u64, width: u8) -> f64 {
        arith::float(s, width)
    }
    fn error(&self, _: u64) -> f64 {
        0.0
    }
    fn float_op(&self, op: Op, width: u8, args: [u64; 3], _: &mut Note) -> u64 {
        let value = arith::float_op(op, width, args.map(|a| arith::float(a, width)));
        arith::bits(value.unwrap_or(0.0), width)
    }
    fn float_test(&self, op: Op, width: u8, a: u64, b: u64, _: &mut Note) -> bool {
        arith::float_test(op, arith::float(a, width), arith::float(b, width))
    }
    fn to_int(&self, s: u64, from: u8, to: u8, signed: bool, _: &mut Note) -> u64 {
        arith::to_int(arith::float(s, from), to, signed)
    }
    fn of_int(&self, value: i128, width: u8) -> u64 {
        // A 64-bit integer may not fit a binary64: round it once, to the width itself.
        match width {
            32 => u64::from((value as f32).to_bits()),
            _ => arith::bits(value as f64, width),
        }
    }
    fn resize(&self, s: u64, from: u8, to: u8) -> u64 {
        arith::bits(arith::float(s, from), to)
    }
    fn scale(&self, s: u64, width: u8, power: i32) -> u64 {
        arith::bits(libm::ldexp(arith::float(s, width), power), width)
    }
    fn shadow(&self, _: u64) {}
    fn recall(&self, bits: u64, _: u8, (): ()) -> u64 {
        bits
    }
}
