//! What divisions end with: a quotient that was refined, or what stands for it where an operand is no
//! ordinary number (spec section 6.6).

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

struct Fixup<'a> {
    u: &'a mut Uops,
    kind: Kind,
    /// Two slots where it is a double.
    result: Slot,
    /// The sign of the quotient.
    sign: Slot,
}

/// The quotient of a denominator and a numerator, by the quotient that was computed. One that is too small is zero [the
/// specification has "underflow"; assumed].
pub(super) fn fixup(u: &mut Uops, kind: Kind, [quotient, denominator, numerator]: [Slot; 3]) -> Slot {
    let high = |x: Slot| if kind.double { x.at(1) } else { x };
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
