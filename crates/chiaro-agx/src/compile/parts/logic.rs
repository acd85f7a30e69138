//! Logical operations on the bits of a target (spec 18.2).
//!
//! Fractions become integers by one instruction: x m + 2^23 has the rounded x m in the low bits of its mantissa. Their
//! complements are those bits turned over: m - x m would round what lies between two numbers to the other one.

use chiaro_ir::{Op as Ir, Value};

use super::draft::Build;
use crate::abi::key::LOGIC;

/// Where a float has its units in the lowest bit; half as much again for numbers with a sign.
const UNITS: f64 = 8_388_608.0;
const SIGNED_UNITS: f64 = 1.5 * UNITS;

/// Whether an operation names what is there, and what the shader gives.
pub(super) fn names(operation: u8) -> [bool; 2] {
    let of = |all: &[&str]| !all.contains(&LOGIC[usize::from(operation)]);
    [of(&["copy", "clear", "copy_inverted", "set"]), of(&["clear", "set", "noop", "invert"])]
}

/// Whether an operation leaves what is there.
pub(super) fn leaves(operation: u8) -> bool {
    LOGIC[usize::from(operation)] == "noop"
}

/// The bits of a source, and those bits turned over.
pub(super) enum Source {
    /// Integers.
    Bits(Value),
    /// A fraction of the greatest number of a width.
    Fraction(Value, u8),
    /// The same with a sign.
    Signed(Value, u8),
}

impl Source {
    /// The bits as an integer, turned over or not, of the type of what is there.
    fn bits(&self, d: &mut Build<'_>, turned: bool, ones: Value) -> Value {
        match *self {
            Source::Bits(bits) => turned_if(d, bits, turned, ones),
            Source::Fraction(x, width) => {
                let bits = rounded(d, x, greatest(width), UNITS);
                turned_if(d, bits, turned, ones)
            }
            Source::Signed(x, width) => {
                let bits = rounded(d, x, greatest(width - 1), SIGNED_UNITS);
                turned_if(d, bits, turned, ones)
            }
        }
    }
}

fn turned_if(d: &mut Build<'_>, bits: Value, turned: bool, ones: Value) -> Value {
    if turned { turn(d, bits, ones) } else { bits }
}

/// All bits turned over: where they are not all of the integer, those above stay.
fn turn(d: &mut Build<'_>, bits: Value, ones: Value) -> Value {
    let width = d.width(bits);
    if d.known(ones) == Some(u64::MAX >> (64 - u32::from(width))) {
        d.b.not(bits)
    } else {
        d.b.xor(bits, ones)
    }
}

fn greatest(width: u8) -> f64 {
    f64::from((1u32 << width) - 1)
}

/// x m rounded, in 16 bits.
fn rounded(d: &mut Build<'_>, x: Value, m: f64, units: f64) -> Value {
    let f32 = d.float(32);
    let x = d.convert(Ir::FToF, x, f32);
    let (factor, units) = (d.number(f32, m), d.number(f32, units));
    let sum = d.b.fma(x, factor, units);
    let u16 = d.int(16);
    let halves = d.b.types().vector(u16, 2);
    let halves = d.b.bitcast(sum, halves);
    d.b.extract(halves, 0)
}

/// An operation on a source and what is there, of a width whose bits are `ones`.
pub(super) fn combined(
    d: &mut Build<'_>,
    operation: u8,
    source: &Source,
    there: Value,
    ones: Value,
) -> Value {
    let ty = d.b.ty(there);
    let s = |d: &mut Build<'_>, turned: bool| source.bits(d, turned, ones);
    match LOGIC[usize::from(operation)] {
        "clear" => d.b.bits(ty, 0),
        "set" => ones,
        "noop" => there,
        "invert" => turn(d, there, ones),
        "copy_inverted" => s(d, true),
        "and" => with(d, Ir::And, s, false, there),
        "or" => with(d, Ir::Or, s, false, there),
        "xor" => with(d, Ir::Xor, s, false, there),
        "equiv" => with(d, Ir::Xor, s, true, there),
        "or_inverted" => with(d, Ir::Or, s, true, there),
        "nand" => {
            let both = with(d, Ir::And, s, false, there);
            turn(d, both, ones)
        }
        "or_reverse" => {
            let neither = with(d, Ir::And, s, true, there);
            turn(d, neither, ones)
        }
        "and_inverted" => {
            let s = s(d, false);
            without(d, there, s)
        }
        "and_reverse" => {
            let s = s(d, false);
            without(d, s, there)
        }
        "nor" => {
            let s = s(d, true);
            without(d, s, there)
        }
        _ => s(d, false),
    }
}

fn with(
    d: &mut Build<'_>,
    op: Ir,
    mut source: impl FnMut(&mut Build<'_>, bool) -> Value,
    turned: bool,
    there: Value,
) -> Value {
    let s = source(d, turned);
    d.b.op(op, &[s, there])
}

/// The bits of the first that the second has not.
fn without(d: &mut Build<'_>, a: Value, b: Value) -> Value {
    let b = d.b.not(b);
    d.b.and(a, b)
}

/// A fraction of so many bits out of an integer.
pub(super) fn fraction(d: &mut Build<'_>, bits: Value, width: u8, signed: bool) -> Value {
    let f32 = d.float(32);
    let (op, bits, m) = match signed {
        false => (Ir::UToF, bits, greatest(width)),
        true => {
            let (from, count) = (d.b.u32(0), d.b.u32(width.into()));
            (Ir::SToF, d.b.bitextracts(bits, from, count), greatest(width - 1))
        }
    };
    let float = d.b.convert(op, bits, f32);
    let unit = d.number(f32, 1.0 / m);
    d.b.fmul(float, unit)
}
