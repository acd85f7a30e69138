//! What bytes of memory are in registers, and back (spec 8.1).

use std::ops::Deref;

use chiaro_num::{Encoding, F16, F32};
use chiaro_sim::texel::{Channel, of_shared_exponent, shared_exponent};

use crate::exec::Choices;

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

    /// Component `n` of a format whose components are numbers: its lowest bit, how many it has, and what they are. Those
    /// beyond the last of a packed one are that.
    fn component(self, n: usize) -> Option<(u32, u8, Channel)> {
        let low = n as u32;
        match self {
            Format::Integer(_) | Format::Half | Format::Rgb9E5(_) => None,
            Format::Fraction { bits, signed } => {
                Some((0, bits, if signed { Channel::Snorm } else { Channel::Unorm }))
            }
            Format::Srgb => Some((0, 8, if n < 3 { Channel::Srgb } else { Channel::Unorm })),
            Format::Rgb10A2 => Some((10 * low, if n < 3 { 10 } else { 2 }, Channel::Unorm)),
            Format::Rg11B10(_) => Some((11 * low.min(2), if n < 2 { 11 } else { 10 }, Channel::Float)),
        }
    }

    /// The register of component `n`, `raw` being the element, or all of a packed one.
    pub(super) fn load(self, raw: u32, n: usize, wide: bool) -> u32 {
        let value = match self.component(n) {
            Some((low, width, channel)) => channel.value(raw >> low & (u32::MAX >> (32 - width)), width),
            None if self.is_plain() => return raw,
            None => of_shared_exponent(raw)[n.min(2)],
        };
        // The table has 12 bits [applegpu].
        let is_light = self == Format::Srgb && n < 3;
        let value = if is_light { (value * 4095.0).round_ties_even() / 4095.0 } else { value };
        let format = if wide { F32 } else { F16 };
        format.encode(value, Encoding::default())
    }

    /// The element of a register, or its share of a packed one but for [`Format::Rgb9E5`].
    pub(super) fn store(self, bits: u32, n: usize, wide: bool) -> u32 {
        let value = || if wide { F32.decode(bits) } else { F16.decode(bits) };
        match self.component(n) {
            Some((low, width, channel)) => {
                channel.nearest(value(), width, matches!(self, Format::Rg11B10(true))) << low
            }
            None if self == Format::Half && wide => F16.encode(value(), Encoding::default()),
            None if self.is_plain() => bits,
            None => 0,
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
}
