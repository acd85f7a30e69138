//! Category 1: what a conversion from type to type gives. spec section 6.

use chiaro_num::Rounding;
use chiaro_sim::{Op as U, Slot};

use super::Uops;
use super::uops::environment;

/// Types by code, without sizes that nobody has verified.
const TYPES: [Number; 8] = [
    Number::Float(16),
    Number::Float(32),
    Number::Unsigned(16),
    Number::Unsigned(32),
    Number::Signed(16),
    Number::Signed(32),
    Number::Unsigned(8),
    Number::Unsigned(8),
];

/// What the bits of a type are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Number {
    Float(u8),
    Unsigned(u8),
    Signed(u8),
}

/// A copy or conversion of one register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conversion {
    pub(crate) d: Slot,
    pub(crate) s: Slot,
    /// Codes of the types.
    pub(crate) from: u8,
    pub(crate) to: u8,
    /// As the word codes it: toward zero, nearest even, up, down.
    pub(crate) rounding: u8,
}

/// Writes the micro-ops of a conversion. Between floats and integers of 8 bits none is known.
pub(crate) fn convert(c: &Conversion, u: &mut Uops) -> Option<()> {
    use Number::{Float, Signed, Unsigned};
    let [from, to] = [c.from, c.to].map(|code| TYPES[usize::from(code & 7)]);
    match (from, to) {
        _ if from == to => u.op(U::Mov, c.d, &[c.s]),
        (Float(_), Float(16)) => {
            u.code.set_env(environment(true, u.rules.flush, rounding(c.rounding)));
            u.op(U::Fpack, c.d, &[c.s]);
        }
        (Float(_), Float(_)) => widen(u, c.d, c.s),
        (Float(_), Unsigned(8) | Signed(8)) | (Unsigned(8) | Signed(8), Float(_)) => return None,
        (Float(width), Unsigned(bits)) => to_integer(c, u, width == 16, (false, bits)),
        (Float(width), Signed(bits)) => to_integer(c, u, width == 16, (true, bits)),
        (Unsigned(width), Float(bits)) => from_integer(c, u, (false, width), bits == 16),
        (Signed(width), Float(bits)) => from_integer(c, u, (true, width), bits == 16),
        (Unsigned(8), Unsigned(bits) | Signed(bits)) => keep(c, u, U::FieldS, 8, bits),
        (Signed(width), Unsigned(bits) | Signed(bits)) => keep(c, u, U::FieldS, width, bits),
        (Unsigned(width), Unsigned(bits) | Signed(bits)) => keep(c, u, U::FieldU, width, bits),
    }
    Some(())
}

fn rounding(code: u8) -> Rounding {
    match code {
        0 => Rounding::TowardZero,
        1 => Rounding::NearestEven,
        2 => Rounding::Up,
        _ => Rounding::Down,
    }
}

fn widen(u: &mut Uops, d: Slot, s: Slot) {
    u.arithmetic(true);
    u.op(U::Funpack, d, &[s]);
    u.arithmetic(false);
}

/// Integer to integer: extended from its own width, cut to the destination's.
fn keep(c: &Conversion, u: &mut Uops, extend: U, from: u8, to: u8) {
    if from == 32 && to == 32 {
        return u.op(U::Mov, c.d, &[c.s]);
    }
    let wide = if from == 32 { c.s } else { u.field(extend, c.s, from.into()) };
    cut(u, c.d, wide, to);
}

fn cut(u: &mut Uops, d: Slot, s: Slot, bits: u8) {
    if bits == 32 {
        return u.op(U::Mov, d, &[s]);
    }
    let mask = u.imm((1 << bits) - 1);
    u.op(U::And, d, &[s, mask]);
}

/// Float to integer, stopping at the limits; NaN gives 0. [unknown]
fn to_integer(c: &Conversion, u: &mut Uops, half: bool, (signed, bits): (bool, u8)) {
    let whole = u.spare();
    if half {
        widen(u, whole, c.s);
    } else {
        u.op(U::Mov, whole, &[c.s]);
    }
    u.arithmetic(false);
    match c.rounding {
        1 => u.op(U::Frint, whole, &[whole]),
        2 => {
            u.op(U::Fneg, whole, &[whole]);
            u.op(U::Ffloor, whole, &[whole]);
            u.op(U::Fneg, whole, &[whole]);
        }
        3 => u.op(U::Ffloor, whole, &[whole]),
        _ => {}
    }
    u.op(if signed { U::FtoS } else { U::FtoU }, whole, &[whole]);
    if bits == 16 {
        let (most, least) = if signed { (0x7fff, 0xffff_8000) } else { (0xffff, 0) };
        let (most, least) = (u.imm(most), u.imm(least));
        u.op(if signed { U::MinS } else { U::MinU }, whole, &[whole, most]);
        u.op(if signed { U::MaxS } else { U::MaxU }, whole, &[whole, least]);
    }
    cut(u, c.d, whole, bits);
}

/// Integer to float, rounded once.
fn from_integer(c: &Conversion, u: &mut Uops, (signed, width): (bool, u8), half: bool) {
    let wide = match (signed, width) {
        (true, 16) => u.field(U::FieldS, c.s, 16),
        _ => c.s,
    };
    let to_nearest = u.rules.nearest && c.rounding == 0;
    let rounding = if to_nearest { Rounding::NearestEven } else { rounding(c.rounding) };
    // Numbers of 16 bits are exact in binary32, however it rounds.
    let exact = width == 16 && !half;
    let rounding = if exact { Rounding::NearestEven } else { rounding };
    u.code.set_env(environment(half, u.rules.flush, rounding));
    u.op(if signed { U::StoF } else { U::UtoF }, c.d, &[wide]);
}
