//! What bytes of memory are in registers, and back (spec 8.1).

use std::ops::Deref;

use chiaro_num::{Encoding, F16, F32, Format as Float, Overflow, Rounding, Tiny};

use crate::exec::Choices;

/// Floats without a sign, of 11 and 10 bits.
const F11: Float = Float { specials: true, ..Float::immediate(false, 5, 6, 15) };
const F10: Float = Float { specials: true, ..Float::immediate(false, 5, 5, 15) };

/// A format by its code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    /// An unsigned number of so many bytes.
    Integer(u8),
    /// Bits of a half float.
    Half,
    /// A fraction of the greatest number of so many bits, signed or not.
    Fraction { bits: u8, signed: bool },
    /// Eight bits of a colour on sRGB's curve; the fourth component is a plain fraction.
    Srgb,
    /// Four fractions of 10, 10, 10 and 2 bits.
    Rgb10A2,
    /// Three floats of 11, 11 and 10 bits; whether stores round toward zero.
    Rg11B10(bool),
    /// Three floats with one exponent; whether stores round toward zero.
    Rgb9E5(bool),
}

/// Elements of an access, up to four.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements {
    all: [usize; 4],
    count: usize,
}

impl Deref for Elements {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        &self.all[..self.count]
    }
}

impl Format {
    /// The same as far as anything is assumed of those that are unknown, or of how they round.
    pub(super) fn assumed(code: i64, choices: Choices) -> Option<Format> {
        match code {
            9 | 11 if choices.word_formats => Some(Format::Integer(4)),
            14 | 15 if choices.nearest_packed => Format::of(code).map(|format| format.cutting(false)),
            _ => Format::of(code),
        }
    }

    /// By the code of a memory operation; 9 and 11 are unknown.
    pub(super) fn of(code: i64) -> Option<Format> {
        use Format as F;
        Some(match code {
            0..=2 => F::Integer(1 << code),
            3 => F::Half,
            4 => F::Fraction { bits: 8, signed: false },
            5 => F::Fraction { bits: 8, signed: true },
            6 => F::Fraction { bits: 16, signed: false },
            7 => F::Fraction { bits: 16, signed: true },
            8 => F::Rgb10A2,
            10 => F::Srgb,
            12 | 14 => F::Rg11B10(code == 14),
            13 | 15 => F::Rgb9E5(code == 15),
            _ => return None,
        })
    }

    /// Bytes of an element; of a packed format, all of it.
    pub(super) fn bytes(self) -> usize {
        match self {
            Format::Integer(bytes) => bytes.into(),
            Format::Half => 2,
            Format::Fraction { bits, .. } => usize::from(bits) / 8,
            Format::Srgb => 1,
            _ => 4,
        }
    }

    /// Whether a register holds the bits of an element as they are.
    pub(super) fn is_plain(self) -> bool {
        matches!(self, Format::Integer(_) | Format::Half)
    }

    /// Components of a packed format, which ignores masks.
    pub(super) fn packed(self) -> Option<usize> {
        match self {
            Format::Rgb10A2 => Some(4),
            Format::Rg11B10(_) | Format::Rgb9E5(_) => Some(3),
            _ => None,
        }
    }

    /// The elements that take part, counted from the first, one for each register.
    pub(super) fn elements(self, mask: u8) -> Elements {
        let mut found = Elements { all: [0; 4], count: self.packed().unwrap_or(0) };
        if found.count == 0 {
            for n in (0..4).filter(|n| mask >> n & 1 == 1) {
                found.all[found.count] = n;
                found.count += 1;
            }
        }
        found
    }

    /// The same, its stores rounded toward zero or not.
    pub(super) fn cutting(self, cut: bool) -> Format {
        match self {
            Format::Rg11B10(_) => Format::Rg11B10(cut),
            Format::Rgb9E5(_) => Format::Rgb9E5(cut),
            other => other,
        }
    }

    /// The register of component `n`, `raw` being the element, or all of a packed one.
    pub(super) fn load(self, raw: u32, n: usize, wide: bool) -> u32 {
        let value = match self {
            Format::Integer(_) | Format::Half => return raw,
            Format::Fraction { bits, signed } => fraction(raw, bits, signed),
            // The table has 12 bits [applegpu].
            Format::Srgb if n < 3 => (linear(fraction(raw, 8, false)) * 4095.0).round_ties_even() / 4095.0,
            Format::Srgb => fraction(raw, 8, false),
            Format::Rgb10A2 => {
                let bits = if n < 3 { 10 } else { 2 };
                fraction(raw >> (10 * n) & ((1 << bits) - 1), bits, false)
            }
            Format::Rg11B10(_) if n < 2 => F11.decode(raw >> (11 * n) & 0x7ff),
            Format::Rg11B10(_) => F10.decode(raw >> 22),
            Format::Rgb9E5(_) => {
                let exponent = (raw >> 27) as i32 - 24;
                f64::from(raw >> (9 * n) & 511) * 2f64.powi(exponent)
            }
        };
        let format = if wide { F32 } else { F16 };
        format.encode(value, Encoding::default())
    }

    /// The element of a register, or its share of a packed one but for [`Format::Rgb9E5`].
    pub(super) fn store(self, bits: u32, n: usize, wide: bool) -> u32 {
        let value = || if wide { F32.decode(bits) } else { F16.decode(bits) };
        match self {
            Format::Integer(_) => bits,
            Format::Half if wide => F16.encode(value(), Encoding::default()),
            Format::Half => bits,
            Format::Fraction { bits, signed } => of_fraction(value(), bits, signed),
            Format::Srgb if n < 3 => of_fraction(curved(value().clamp(0.0, 1.0)), 8, false),
            Format::Srgb => of_fraction(value(), 8, false),
            Format::Rgb10A2 => of_fraction(value(), if n < 3 { 10 } else { 2 }, false) << (10 * n),
            Format::Rg11B10(cut) => {
                let x = value();
                let float = if n < 2 { F11 } else { F10 };
                // There is no sign.
                let x = if x < 0.0 { 0.0 } else { x };
                float.encode(x, rounding(cut)) << (11 * n)
            }
            Format::Rgb9E5(_) => 0,
        }
    }

    /// A packed element of all its registers.
    pub(super) fn pack(self, registers: [u32; 4], wide: bool) -> u32 {
        if let Format::Rgb9E5(cut) = self {
            let value = |bits: u32| if wide { F32.decode(bits) } else { F16.decode(bits) };
            return shared_exponent([0, 1, 2].map(|n| value(registers[n])), cut);
        }
        let count = self.packed().unwrap_or(0);
        (0..count).fold(0, |word, n| word | self.store(registers[n], n, wide))
    }
}

pub(super) fn rounding(cut: bool) -> Encoding {
    let (rounding, overflow) = match cut {
        true => (Rounding::TowardZero, Overflow::Directed),
        false => (Rounding::NearestEven, Overflow::Directed),
    };
    Encoding { rounding, tiny: Tiny::Keep, overflow }
}

/// The number that a fraction of up to 32 bits means.
pub(super) fn fraction(raw: u32, bits: u8, signed: bool) -> f64 {
    let most = most(bits, signed);
    if !signed {
        return f64::from(raw) / most;
    }
    let unused = 32 - u32::from(bits);
    (f64::from((raw << unused) as i32 >> unused) / most).max(-1.0)
}

/// A number as a fraction of up to 32 bits.
pub(super) fn of_fraction(x: f64, bits: u8, signed: bool) -> u32 {
    let x = if x.is_nan() { 0.0 } else { x };
    let least = if signed { -1.0 } else { 0.0 };
    let whole = (x.clamp(least, 1.0) * most(bits, signed)).round_ties_even() as i64;
    whole as u32 & (u32::MAX >> (32 - bits))
}

/// The greatest fraction of so many bits.
fn most(bits: u8, signed: bool) -> f64 {
    f64::from(u32::MAX >> (32 - bits + u8::from(signed)))
}

/// A colour on sRGB's curve as light.
pub(super) fn linear(x: f64) -> f64 {
    if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

/// Light as a colour on sRGB's curve.
pub(super) fn curved(x: f64) -> f64 {
    if x <= 0.003_130_8 { x * 12.92 } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 }
}

/// Three floats with one exponent, as the extension that defines them has it.
fn shared_exponent(colour: [f64; 3], cut: bool) -> u32 {
    const MOST: f64 = 65408.0;
    let round = |x: f64| if cut { x.trunc() } else { x.round_ties_even() };
    let [r, g, b] = colour.map(|x| if x > 0.0 { x.min(MOST) } else { 0.0 });
    let top = r.max(g).max(b);
    let first = if top > 0.0 { (top.log2().floor() as i32).max(-16) + 16 } else { 0 };
    let scale = |exponent: i32| 2f64.powi(24 - exponent);
    let exponent = if round(top * scale(first)) >= 512.0 { first + 1 } else { first };
    let part = |x: f64| round(x * scale(exponent)) as u32;
    part(r) | part(g) << 9 | part(b) << 18 | (exponent as u32) << 27
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read and written again is the same, for every element of 8 bits and some words.
    #[test]
    fn elements_come_back() {
        for code in [4, 5, 10] {
            let format = Format::of(code).expect("known");
            for (raw, n) in (0..256).flat_map(|raw| [(raw, 0), (raw, 3)]) {
                // -128 is as much as -127.
                let kept = if code == 5 && raw == 128 { 129 } else { raw };
                assert_eq!(format.store(format.load(raw, n, true), n, true), kept, "{code} {raw}");
            }
        }
        let mut word = 0x1234_5678u32;
        for code in [8, 12, 13] {
            let format = Format::of(code).expect("known");
            for _ in 0..1000 {
                word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) & 0xf7ff_ffff | 1 << 8;
                // Infinities and numbers that are none lose their bits.
                let word = if code == 12 { word & 0xefbf_f7ff & !(1 << 10) } else { word };
                let read: [u32; 4] = std::array::from_fn(|n| format.load(word, n, true));
                let again: [u32; 4] = std::array::from_fn(|n| format.load(format.pack(read, true), n, true));
                assert_eq!(read[..3], again[..3], "{code} {word:x}");
            }
        }
    }

    /// What the machine takes for an element is what the compiler counts indices in.
    #[test]
    fn elements_have_the_bytes_of_the_table() {
        for (code, bytes) in (0..).zip(crate::operand::modifier::ELEMENT_BYTES) {
            let Some(format) = Format::of(code) else { continue };
            assert_eq!(format.bytes(), usize::from(bytes), "{code}");
        }
    }

    /// Fractions of all 32 bits: the ends, and the middle.
    #[test]
    fn fractions_can_be_whole_words() {
        for (raw, signed, value) in [
            (u32::MAX, false, 1.0),
            (0, false, 0.0),
            (0x7fff_ffff, true, 1.0),
            (0x8000_0001, true, -1.0),
            (0, true, 0.0),
        ] {
            assert_eq!((fraction(raw, 32, signed), of_fraction(value, 32, signed)), (value, raw), "{raw:x}");
        }
        assert_eq!((fraction(1 << 31, 32, true), fraction(0x80, 8, true)), (-1.0, -1.0));
        assert_eq!(of_fraction(f64::NAN, 32, false), 0);
    }
}
