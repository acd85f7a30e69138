//! What divisions begin and end with (spec section 6.6): operands scaled so that what is computed of them stays among
//! ordinary numbers, the quotient scaled back, and what stands for it where an operand is no such number.
//!
//! What scaling does bit by bit is [unknown]. Here it is what makes the usual sequence exact: the quotient grows where
//! it would be subnormal, and shrinks where it would be infinite.

use chiaro_sim::{Op as U, Slot};

use super::uops::Uops;

/// A kind of floats, by the word that has their sign.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    class: U,
    /// Whether another word stands before that one.
    double: bool,
    sign: u32,
    infinity: u32,
    /// What makes a number that is none a quiet one.
    quiet: u32,
    /// First bit and bits of the exponent, and how far a quotient's may fall before it is zero.
    exponent: Option<(u32, u32, i32)>,
}

pub(super) const HALF: Kind =
    Kind { class: U::Class16, double: false, sign: 0x8000, infinity: 0x7c00, quiet: 0x0200, exponent: None };
pub(super) const FLOAT: Kind = Kind {
    class: U::Class32,
    double: false,
    sign: 0x8000_0000,
    infinity: 0x7f80_0000,
    quiet: 0x0040_0000,
    exponent: Some((23, 8, -150)),
};
pub(super) const DOUBLE: Kind = Kind {
    class: U::Class64,
    double: true,
    sign: 0x8000_0000,
    infinity: 0x7ff0_0000,
    quiet: 0x0008_0000,
    exponent: Some((20, 11, -1075)),
};

/// Classes of numbers (spec 6.5).
const NAN: u32 = 3;
const INFINITE: u32 = 1 << 2 | 1 << 9;
const ZERO: u32 = 1 << 5 | 1 << 6;
const TINY: u32 = 1 << 4 | 1 << 7;

/// How far operands are scaled, and when.
#[derive(Clone, Copy)]
pub(super) struct Scaling {
    kind: Kind,
    /// The power of two that operands are scaled by.
    up: u32,
    /// From this distance of exponents on, a quotient may be infinite.
    large: u32,
    /// Exponents of numerators as their bits, up to which what is left of them would be subnormal.
    small: u32,
    divide: U,
    scale: U,
    equal: U,
    one: u64,
    none: u64,
}

pub(super) const FLOATS: Scaling = Scaling {
    kind: FLOAT,
    up: 64,
    large: 96,
    small: 23,
    divide: U::Fdiv,
    scale: U::Fldexp,
    equal: U::Eq,
    one: 0x3f80_0000,
    none: 0x7fc0_0000,
};
pub(super) const DOUBLES: Scaling = Scaling {
    kind: DOUBLE,
    up: UP,
    large: 768,
    small: 53,
    divide: U::Ddiv,
    scale: U::Dldexp,
    equal: U::Eq64,
    one: 0x3ff0_0000_0000_0000,
    none: 0x7ff8_0000_0000_0000,
};

/// The power of two that quotients of doubles are scaled back by.
const UP: u32 = 128;
const DOWN: u32 = UP.wrapping_neg();

fn high(kind: Kind, x: Slot) -> Slot {
    if kind.double { x.at(1) } else { x }
}

/// One of two doubles.
fn chosen(u: &mut Uops, condition: Slot, both: [Slot; 2]) -> Slot {
    DOUBLES.chosen(u, condition, both)
}

impl Scaling {
    /// A number by its bits.
    fn number(&self, u: &mut Uops, bits: u64) -> Slot {
        if self.kind.double { u.imm64(bits) } else { u.imm(bits as u32) }
    }

    /// One of two numbers.
    fn chosen(&self, u: &mut Uops, condition: Slot, [yes, no]: [Slot; 2]) -> Slot {
        let made = u.spare(1 + u16::from(self.kind.double));
        u.op(U::Select, made, &[condition, yes, no]);
        if self.kind.double {
            u.op(U::Select, made.at(1), &[condition, yes.at(1), no.at(1)]);
        }
        made
    }

    fn is(&self, u: &mut Uops, x: Slot, classes: u32) -> Slot {
        let classes = u.imm(classes);
        u.t(self.kind.class, &[x, classes])
    }

    /// The bits of an exponent.
    fn exponent(&self, u: &mut Uops, x: Slot) -> Slot {
        let (first, bits, _) = self.kind.exponent.unwrap_or_default();
        u.field(U::FieldU, high(self.kind, x), first, bits)
    }
}

/// A denominator or numerator, scaled, and whether the quotient is to be scaled back.
pub(super) fn scaled(u: &mut Uops, scaling: &Scaling, [own, denominator, numerator]: [Slot; 3]) -> [Slot; 2] {
    let [of_denominator, of_numerator] = [denominator, numerator].map(|x| scaling.exponent(u, x));
    let quotient = |u: &mut Uops, x: Slot| {
        let quotient = u.t(scaling.divide, &[x, denominator]);
        scaling.is(u, quotient, TINY | ZERO)
    };
    let one = scaling.number(u, scaling.one);
    let (inverse_is_tiny, is_tiny) = (quotient(u, one), quotient(u, numerator));
    let [is_denominator, is_numerator] = [denominator, numerator].map(|x| u.t(scaling.equal, &[own, x]));
    let by = [scaling.up, scaling.up.wrapping_neg()].map(|by| u.imm(by));
    let [up, down] = by.map(|by| u.t(scaling.scale, &[own, by]));
    // What comes later is stronger.
    let is_small = u.ti(U::LtU, of_numerator, scaling.small + 1);
    let mut made = scaling.chosen(u, is_small, [up, own]);
    let grown = scaling.chosen(u, is_numerator, [up, own]);
    made = scaling.chosen(u, is_tiny, [grown, made]);
    // The denominator is too large to grow. [the text has it grow; assumed]
    let shrunk = scaling.chosen(u, is_denominator, [down, own]);
    let of_large = scaling.chosen(u, is_tiny, [shrunk, down]);
    made = scaling.chosen(u, inverse_is_tiny, [of_large, made]);
    let is_below = scaling.is(u, denominator, TINY);
    made = scaling.chosen(u, is_below, [up, made]);
    let distance = u.t(U::Sub, &[of_numerator, of_denominator]);
    let least = u.imm(scaling.large - 1);
    let is_large = u.t(U::LtS, &[least, distance]);
    let raised = scaling.chosen(u, is_denominator, [up, own]);
    made = scaling.chosen(u, is_large, [raised, made]);
    let [zero_below, zero_above] = [denominator, numerator].map(|x| scaling.is(u, x, ZERO));
    let (none, nan) = (u.t(U::Or, &[zero_below, zero_above]), scaling.number(u, scaling.none));
    made = scaling.chosen(u, none, [nan, made]);
    let nothing = u.imm(0);
    let scales_tiny = u.t(U::Select, &[is_below, nothing, is_tiny]);
    let scales = u.t(U::Or, &[scales_tiny, is_large]);
    [made, u.t(U::Select, &[none, nothing, scales])]
}

/// A product and a sum, scaled back where a truth says so, and rounded once: up where the sum is of large numbers.
pub(super) fn scaled_back(u: &mut Uops, [a, b, c]: [Slot; 3], scales: Slot) -> Slot {
    let whole = u.t(U::Dfma, &[a, b, c]);
    let exponent = u.field(U::FieldU, c.at(1), 20, 11);
    let (middle, up, down) = (u.imm(1023), u.imm(UP), u.imm(DOWN));
    let is_large = u.t(U::LtU, &[middle, exponent]);
    let large = u.t(U::Dldexp, &[whole, up]);
    let small = u.t(U::Dldexp, &[whole, down]);
    let small = rounded_once(u, [a, b, c], whole, small);
    let made = chosen(u, is_large, [large, small]);
    chosen(u, scales, [made, whole])
}

/// A sum that was rounded before it became a subnormal number: what lay half way between two of these goes to the side
/// where it was.
fn rounded_once(u: &mut Uops, [a, b, c]: [Slot; 3], whole: Slot, small: Slot) -> Slot {
    let sign = u.imm(1 << 31);
    let minus = |u: &mut Uops, x: Slot| {
        let both = u.spare(2);
        u.op(U::Mov, both, &[x]);
        u.op(U::Xor, both.at(1), &[x.at(1), sign]);
        both
    };
    // What the second rounding took, and the sign of what the first one did.
    let up = u.imm(UP);
    let back = u.t(U::Dldexp, &[small, up]);
    let back = minus(u, back);
    let taken = u.t(U::Dadd, &[whole, back]);
    let other = minus(u, whole);
    let rest = u.t(U::Dadd, &[c, other]);
    let rest = u.t(U::Dfma, &[a, b, rest]);
    let half = u.imm64(2.0_f64.powi(UP as i32 - 1075).to_bits());
    let size = u.spare(2);
    u.op(U::Mov, size, &[taken]);
    let above = u.ti(U::And, taken.at(1), !(1 << 31));
    u.op(U::Mov, size.at(1), &[above]);
    let was_half = u.t(U::Deq, &[size, half]);
    let zero = u.imm64(0);
    let is_exact = u.t(U::Deq, &[rest, zero]);
    let signs = u.t(U::Xor, &[taken.at(1), rest.at(1)]);
    let differs = u.ti(U::LtS, signs, 0);
    let stays = u.t(U::Or, &[is_exact, differs]);
    let nothing = u.imm(0);
    let moves = u.t(U::Select, &[stays, nothing, was_half]);
    // One step of a subnormal number, toward what was taken.
    let step = u.spare(2);
    let (one, of_taken) = (u.imm(1), u.t(U::And, &[taken.at(1), sign]));
    u.op(U::Mov, step, &[one]);
    u.op(U::Mov, step.at(1), &[of_taken]);
    let moved = u.t(U::Dadd, &[small, step]);
    chosen(u, moves, [moved, small])
}

struct Fixup<'a> {
    u: &'a mut Uops,
    kind: Kind,
    /// Two slots where it is a double.
    result: Slot,
    /// The sign of the quotient.
    sign: Slot,
}

/// The quotient of a denominator and a numerator, by the quotient that was computed. One that is too small is zero [the
/// specification has "underflow"; assumed]; one that is no number, where the operands are, was too large [RDNA3's text].
pub(super) fn fixup(u: &mut Uops, kind: Kind, [quotient, denominator, numerator]: [Slot; 3]) -> Slot {
    let high = |x: Slot| high(kind, x);
    let signs = u.t(U::Xor, &[high(denominator), high(numerator)]);
    let sign = u.ti(U::And, signs, kind.sign);
    let result = u.spare(1 + u16::from(kind.double));
    if kind.double {
        u.op(U::Mov, result, &[quotient]);
    }
    let size = u.ti(U::And, high(quotient), kind.sign - 1);
    u.op(U::Or, high(result), &[size, sign]);
    let mut fixup = Fixup { u, kind, result, sign };
    // What comes later is stronger.
    if let Some((first, bits, least)) = kind.exponent {
        let is_none = fixup.is(quotient, NAN);
        fixup.becomes(is_none, kind.infinity);
        let [of_denominator, of_numerator] =
            [denominator, numerator].map(|x| fixup.u.field(U::FieldU, high(x), first, bits));
        let distance = fixup.u.t(U::Sub, &[of_numerator, of_denominator]);
        let small = fixup.u.ti(U::LtS, distance, least as u32);
        fixup.becomes(small, 0);
    }
    let [zero_below, zero_above] = [denominator, numerator].map(|x| fixup.is(x, ZERO));
    let [endless_below, endless_above] = [denominator, numerator].map(|x| fixup.is(x, INFINITE));
    for (a, b, number) in [(endless_below, zero_above, 0), (zero_below, endless_above, kind.infinity)] {
        let either = fixup.u.t(U::Or, &[a, b]);
        fixup.becomes(either, number);
    }
    for (a, b) in [(zero_below, zero_above), (endless_below, endless_above)] {
        let both = fixup.u.t(U::And, &[a, b]);
        let (nan, nothing) = (fixup.u.imm(kind.sign | kind.infinity | kind.quiet), fixup.u.imm(0));
        fixup.choose(both, nan, nothing);
    }
    for x in [denominator, numerator] {
        let nan = fixup.is(x, NAN);
        let quiet = fixup.u.ti(U::Or, high(x), kind.quiet);
        fixup.choose(nan, quiet, x);
    }
    result
}

impl Fixup<'_> {
    fn is(&mut self, x: Slot, classes: u32) -> Slot {
        let classes = self.u.imm(classes);
        self.u.t(self.kind.class, &[x, classes])
    }

    /// Under a condition, a number with the sign of the quotient.
    fn becomes(&mut self, condition: Slot, number: u32) {
        let (high, low) = (self.u.ti(U::Or, self.sign, number), self.u.imm(0));
        self.choose(condition, high, low);
    }

    /// Under a condition, other words; of what has one, the lower is left alone.
    fn choose(&mut self, condition: Slot, high: Slot, low: Slot) {
        let place = if self.kind.double { self.result.at(1) } else { self.result };
        self.u.op(U::Select, place, &[condition, high, place]);
        if self.kind.double {
            self.u.op(U::Select, self.result, &[condition, low, self.result]);
        }
    }
}
