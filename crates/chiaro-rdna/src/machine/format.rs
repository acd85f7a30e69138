//! Formats of typed buffers and texels: bytes to components and back (spec section 8.3, Mesa's
//! `gfx10_format_table` for the sRGB ones).
//!
//! Components stand from the lowest bit on; a name lists their widths from the highest.

use chiaro_num::{Encoding, F16, Format as Float, Overflow, Rounding, Tiny};

/// What the bits of a component are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Float,
    Srgb,
}

/// A format: widths of the components from the lowest bit on, and what they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Format {
    widths: [u8; 4],
    pub(super) kind: Kind,
}

use Kind::{Float as F, Sint, Snorm, Srgb, Sscaled, Uint, Unorm, Uscaled};

const SIX: &[Kind] = &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint];
const SEVEN: &[Kind] = &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, F];
const PLAIN: &[Kind] = &[Uint, Sint, F];

/// First number, widths, kinds in the order of the numbers.
const FORMATS: [(u32, [u8; 4], &[Kind]); 17] = [
    (1, [8, 0, 0, 0], SIX),
    (7, [16, 0, 0, 0], SEVEN),
    (14, [8, 8, 0, 0], SIX),
    (20, [32, 0, 0, 0], PLAIN),
    (23, [16, 16, 0, 0], SEVEN),
    (30, [11, 11, 10, 0], SEVEN),
    (37, [10, 11, 11, 0], SEVEN),
    (44, [2, 10, 10, 10], SIX),
    (50, [10, 10, 10, 2], SIX),
    (56, [8, 8, 8, 8], SIX),
    (62, [32, 32, 0, 0], PLAIN),
    (65, [16, 16, 16, 16], SEVEN),
    (72, [32, 32, 32, 0], PLAIN),
    (75, [32, 32, 32, 32], PLAIN),
    (128, [8, 0, 0, 0], &[Srgb]),
    (129, [8, 8, 0, 0], &[Srgb]),
    (130, [8, 8, 8, 8], &[Srgb]),
];

/// Floats without a sign, of 10 and 11 bits.
const F10: Float = Float { specials: true, ..Float::immediate(false, 5, 5, 15) };
const F11: Float = Float { specials: true, ..Float::immediate(false, 5, 6, 15) };

const ONE: u32 = 0x3f80_0000;

impl Format {
    /// The format of a number; `None` for numbers that mean none.
    pub(crate) fn of(number: u32) -> Option<Format> {
        let found = FORMATS
            .iter()
            .rfind(|(first, _, kinds)| (*first..*first + kinds.len() as u32).contains(&number))?;
        let kind = found.2[(number - found.0) as usize];
        Some(Format { widths: found.1, kind })
    }

    /// Bytes of a whole one.
    pub(crate) fn bytes(self) -> usize {
        self.widths.iter().map(|width| usize::from(*width)).sum::<usize>() / 8
    }

    /// Whether components are integers.
    pub(crate) fn is_integer(self) -> bool {
        matches!(self.kind, Uint | Sint)
    }

    /// The four components: binary32, or integers. Missing ones are 0, the last one 1.
    pub(crate) fn read(self, bytes: &[u8]) -> [u32; 4] {
        let mut all = [0, 0, 0, self.one()];
        let packed = bytes.iter().take(16).rev().fold(0_u128, |all, byte| all << 8 | u128::from(*byte));
        let mut low = 0;
        for (n, (to, width)) in all.iter_mut().zip(self.widths).enumerate() {
            if width > 0 {
                let raw = (packed >> low) as u32 & mask(width);
                *to = decoded(raw, width, if n == 3 && self.kind == Srgb { Unorm } else { self.kind });
            }
            low += u32::from(width);
        }
        all
    }

    /// The four components as a descriptor selects them, three bits for each: 0, 1, or one of those
    /// that are read.
    pub(super) fn selected(self, bytes: &[u8], select: u32) -> [u32; 4] {
        let read = self.read(bytes);
        std::array::from_fn(|n| match select >> (3 * n) & 7 {
            1 => self.one(),
            from @ 4..=7 => read[from as usize - 4],
            _ => 0,
        })
    }

    fn one(self) -> u32 {
        if self.is_integer() { 1 } else { ONE }
    }

    /// The bytes of components, as many as the format has.
    pub(crate) fn write(self, components: [u32; 4]) -> Vec<u8> {
        let (mut packed, mut low) = (0_u128, 0);
        for (component, width) in components.into_iter().zip(self.widths).filter(|(_, width)| *width > 0) {
            packed |= u128::from(encoded(component, width, self.kind) & mask(width)) << low;
            low += u32::from(width);
        }
        packed.to_le_bytes()[..self.bytes()].to_vec()
    }
}

fn mask(width: u8) -> u32 {
    u32::MAX >> (32 - u32::from(width))
}

fn decoded(raw: u32, width: u8, kind: Kind) -> u32 {
    let unused = 32 - u32::from(width);
    let signed = (raw << unused) as i32 >> unused;
    let most = f64::from(mask(width));
    let half = f64::from(mask(width) >> 1).max(1.0);
    let float = match kind {
        Uint => return raw,
        Sint => return signed as u32,
        Unorm => f64::from(raw) / most,
        Snorm => (f64::from(signed) / half).max(-1.0),
        Uscaled => raw.into(),
        Sscaled => signed.into(),
        Srgb => linear(f64::from(raw) / most),
        F => return small(raw, width),
    };
    (float as f32).to_bits()
}

/// A float of 10, 11, 16 or 32 bits as one of 32.
fn small(raw: u32, width: u8) -> u32 {
    let narrow = match width {
        10 => F10,
        11 => F11,
        16 => F16,
        _ => return raw,
    };
    narrow.decode_f32(raw).to_bits()
}

fn encoded(component: u32, width: u8, kind: Kind) -> u32 {
    let x = f64::from(f32::from_bits(component));
    let x = if x.is_nan() && kind != F { 0.0 } else { x };
    let most = f64::from(mask(width));
    let half = f64::from(mask(width) >> 1);
    let whole = |x: f64| x.round_ties_even() as i64 as u32;
    match kind {
        // Integers that do not fit stop at the limits.
        Uint => component.min(mask(width)),
        Sint => (component as i32).clamp(-(half as i64) as i32 - 1, half as i64 as i32) as u32,
        Unorm => whole(x.clamp(0.0, 1.0) * most),
        Snorm => whole(x.clamp(-1.0, 1.0) * half),
        Uscaled => whole(x.trunc().clamp(0.0, most)),
        Sscaled => whole(x.trunc().clamp(-half - 1.0, half)),
        Srgb => whole(curved(x.clamp(0.0, 1.0)) * most),
        F => match width {
            10 => F10.encode(x, TRUNCATED),
            11 => F11.encode(x, TRUNCATED),
            16 => F16.encode(x, TRUNCATED),
            _ => component,
        },
    }
}

/// Stores of small floats round toward zero. [Mesa's expectation of 16-bit images; assumed]
const TRUNCATED: Encoding =
    Encoding { rounding: Rounding::TowardZero, tiny: Tiny::Keep, overflow: Overflow::Directed };

/// From sRGB's curve.
fn linear(x: f64) -> f64 {
    if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

/// To sRGB's curve.
fn curved(x: f64) -> f64 {
    if x <= 0.003_130_8 { x * 12.92 } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use super::Format;

    fn bits(values: [f32; 4]) -> [u32; 4] {
        values.map(f32::to_bits)
    }

    /// Number, bytes, components.
    #[test]
    fn bytes_are_components() {
        let float = |number, bytes: &[u8], values: [f32; 4]| {
            let format = Format::of(number).unwrap();
            assert_eq!(format.read(bytes), bits(values), "{number}");
            assert_eq!(format.write(bits(values)), bytes, "{number}");
        };
        float(56, &[255, 0, 51, 255], [1.0, 0.0, 0.2, 1.0]);
        float(2, &[0x81], [-1.0, 0.0, 0.0, 1.0]);
        float(29, &[0, 0x3c, 0, 0xc0], [1.0, -2.0, 0.0, 1.0]);
        float(36, &[0xc0, 0x03, 0x1e, 0x78], [1.0, 1.0, 1.0, 1.0]);
        float(50, &[0xff, 0x03, 0, 0xc0], [1.0, 0.0, 0.0, 1.0]);
        float(77, &[0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64], [1.0, 2.0, 3.0, 4.0]);
        let signed = Format::of(6).unwrap();
        assert_eq!(signed.read(&[0xff]), [u32::MAX, 0, 0, 1]);
        assert_eq!(signed.write([200, 0, 0, 0]), [127]);
        assert_eq!((Format::of(0), Format::of(78), Format::of(200)), (None, None, None));
    }
}
