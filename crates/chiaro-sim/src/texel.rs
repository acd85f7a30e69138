//! What the bytes of a texel are: components of texels and typed buffers, from memory and back.
//!
//! The numbers are those of Vulkan's chapter on formats: fractions, scaled and whole integers, floats of 10, 11, 16 and
//! 32 bits, colours on sRGB's curve, three floats with one exponent. Which number or name of a machine means which
//! format stands with the machine.

use chiaro_num::{Encoding, F16, Format as Float, Overflow, Rounding, Tiny};

/// Floats without a sign, of 11 and 10 bits.
const F11: Float = Float { specials: true, ..Float::immediate(false, 5, 6, 15) };
const F10: Float = Float { specials: true, ..Float::immediate(false, 5, 5, 15) };
/// The greatest colour of three floats with one exponent.
const MOST_SHARED: f64 = 65408.0;

/// What the bits of a component are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Channel {
    /// A fraction of the greatest number.
    Unorm,
    /// The same with a sign; the smallest number is as much as the one above it.
    Snorm,
    /// An integer that is read as a float.
    Uscaled,
    /// The same with a sign.
    Sscaled,
    /// An integer.
    Uint,
    /// An integer with a sign.
    Sint,
    /// A float; those of 10 and 11 bits have no sign.
    Float,
    /// A fraction on sRGB's curve.
    Srgb,
}

use Channel::{Sint, Snorm, Srgb, Sscaled, Uint, Unorm, Uscaled};

/// A format without blocks: components from the lowest bit on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TexelFormat {
    /// Each component has bits of its own; 0 for those that are missing. The fourth one of a colour on sRGB's curve is
    /// a plain fraction.
    Apart([u8; 4], Channel),
    /// Three floats of nine bits, and the exponent of all of them.
    SharedExponent,
}

impl Channel {
    /// Whether components are integers.
    #[must_use]
    pub fn is_integer(self) -> bool {
        matches!(self, Uint | Sint)
    }

    /// The number that some bits are; `raw` has no others.
    #[must_use]
    pub fn value(self, raw: u32, width: u8) -> f64 {
        let unused = 32 - u32::from(width);
        let signed = f64::from((raw << unused) as i32 >> unused);
        match self {
            Uint | Uscaled => raw.into(),
            Sint | Sscaled => signed,
            Unorm => f64::from(raw) / most(width),
            Snorm => (signed / most(width - 1)).max(-1.0),
            Srgb => linear(f64::from(raw) / most(width)),
            Channel::Float => match width {
                10 => F10.decode(raw),
                11 => F11.decode(raw),
                16 => F16.decode(raw),
                _ => f32::from_bits(raw).into(),
            },
        }
    }

    /// A component as a register has it: an integer, or bits of binary32.
    #[must_use]
    pub fn read(self, raw: u32, width: u8) -> u32 {
        match self {
            Uint => raw,
            Sint => self.value(raw, width) as i32 as u32,
            Channel::Float if width == 32 => raw,
            _ => (self.value(raw, width) as f32).to_bits(),
        }
    }

    /// The bits of a component that a register has. What does not fit stops at the limits; floats are rounded to the
    /// nearest, or toward zero.
    #[must_use]
    pub fn write(self, component: u32, width: u8, toward_zero: bool) -> u32 {
        match self {
            Uint => component.min(mask(width)),
            Sint => {
                let most = (mask(width) >> 1) as i32;
                (component as i32).clamp(-most - 1, most) as u32 & mask(width)
            }
            Channel::Float if width == 32 => component,
            _ => self.nearest(f64::from(f32::from_bits(component)), width, toward_zero),
        }
    }

    /// The bits whose number is nearest to one. No number counts as zero, but of floats.
    #[must_use]
    pub fn nearest(self, x: f64, width: u8, toward_zero: bool) -> u32 {
        let (plain, half) = (if x.is_nan() { 0.0 } else { x }, most(width - 1));
        let whole = match self {
            Unorm => plain.clamp(0.0, 1.0) * most(width),
            Snorm => plain.clamp(-1.0, 1.0) * half,
            Uint | Uscaled => plain.trunc().clamp(0.0, most(width)),
            Sint | Sscaled => plain.trunc().clamp(-half - 1.0, half),
            Srgb => curved(plain.clamp(0.0, 1.0)) * most(width),
            Channel::Float => return small(x, width, toward_zero),
        };
        whole.round_ties_even() as i64 as u32 & mask(width)
    }
}

impl TexelFormat {
    /// Bytes of a texel.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            TexelFormat::Apart(widths, _) => {
                widths.iter().map(|width| usize::from(*width)).sum::<usize>() / 8
            }
            TexelFormat::SharedExponent => 4,
        }
    }

    /// Whether components are integers.
    #[must_use]
    pub fn is_integer(self) -> bool {
        matches!(self, TexelFormat::Apart(_, channel) if channel.is_integer())
    }

    /// The last component where it is missing, and what a swizzle has for one.
    #[must_use]
    pub fn one(self) -> u32 {
        if self.is_integer() { 1 } else { 1f32.to_bits() }
    }

    /// How many bits a component has, and what they are.
    fn component(self, n: usize) -> Option<(u8, Channel)> {
        let TexelFormat::Apart(widths, channel) = self else { return None };
        let channel = if n == 3 && channel == Srgb { Unorm } else { channel };
        (widths[n] > 0).then_some((widths[n], channel))
    }

    /// The four components: binary32, or integers. Missing ones are 0, the last one 1.
    #[must_use]
    pub fn read(self, bytes: &[u8]) -> [u32; 4] {
        let packed = bytes.iter().take(16).rev().fold(0_u128, |all, byte| all << 8 | u128::from(*byte));
        let mut all = [0, 0, 0, self.one()];
        if self == TexelFormat::SharedExponent {
            let colour = of_shared_exponent(packed as u32);
            all.iter_mut().zip(colour).for_each(|(to, x)| *to = (x as f32).to_bits());
            return all;
        }
        let mut low = 0;
        for (n, to) in all.iter_mut().enumerate() {
            let Some((width, channel)) = self.component(n) else { continue };
            *to = channel.read((packed >> low) as u32 & mask(width), width);
            low += u32::from(width);
        }
        all
    }

    /// The bytes of components, as many as the format has. Floats are rounded to the nearest, or toward zero.
    #[must_use]
    pub fn write(self, components: [u32; 4], toward_zero: bool) -> Vec<u8> {
        if self == TexelFormat::SharedExponent {
            let [r, g, b, _] = components.map(|bits| f64::from(f32::from_bits(bits)));
            return shared_exponent([r, g, b], toward_zero).to_le_bytes().to_vec();
        }
        let (mut packed, mut low) = (0_u128, 0);
        for (n, bits) in components.into_iter().enumerate() {
            let Some((width, channel)) = self.component(n) else { continue };
            packed |= u128::from(channel.write(bits, width, toward_zero)) << low;
            low += u32::from(width);
        }
        packed.to_le_bytes()[..self.bytes()].to_vec()
    }
}

/// How a small float is rounded: to the nearest, or toward zero, where what is too large becomes the largest.
fn rounding(toward_zero: bool) -> Encoding {
    let rounding = if toward_zero { Rounding::TowardZero } else { Rounding::NearestEven };
    Encoding { rounding, tiny: Tiny::Keep, overflow: Overflow::Directed }
}

fn small(x: f64, width: u8, toward_zero: bool) -> u32 {
    match width {
        10 => F10.encode(x, rounding(toward_zero)),
        11 => F11.encode(x, rounding(toward_zero)),
        16 => F16.encode(x, rounding(toward_zero)),
        _ => (x as f32).to_bits(),
    }
}

fn mask(width: u8) -> u32 {
    u32::MAX.checked_shr(32 - u32::from(width)).unwrap_or(0)
}

/// The greatest number of so many bits.
fn most(width: u8) -> f64 {
    mask(width).into()
}

/// A colour on sRGB's curve as light.
fn linear(x: f64) -> f64 {
    if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

/// Light as a colour on sRGB's curve.
fn curved(x: f64) -> f64 {
    if x <= 0.003_130_8 { x * 12.92 } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 }
}

/// The three floats of a word that have one exponent.
#[must_use]
pub fn of_shared_exponent(word: u32) -> [f64; 3] {
    let scale = 2f64.powi((word >> 27) as i32 - 24);
    [0, 9, 18].map(|low| f64::from(word >> low & 511) * scale)
}

/// Three floats with one exponent, as the extension of OpenGL that defines them has it.
#[must_use]
pub fn shared_exponent(colour: [f64; 3], toward_zero: bool) -> u32 {
    let round = |x: f64| if toward_zero { x.trunc() } else { x.round_ties_even() };
    let [r, g, b] = colour.map(|x| if x > 0.0 { x.min(MOST_SHARED) } else { 0.0 });
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

    /// What is read and written again is the same number, for every component of up to 11 bits.
    #[test]
    fn components_come_back() {
        for (width, channel) in [2, 5, 6, 8, 10, 11].into_iter().flat_map(|width| {
            [Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Srgb].map(|channel| (width, channel))
        }) {
            for raw in 0..1 << width {
                let read = channel.read(raw, width);
                let again = channel.read(channel.write(read, width, false), width);
                assert_eq!(again, read, "{raw} of {width} bits of {channel:?}");
            }
        }
        for (raw, width) in (0..0x3e0).map(|raw| (raw, 10)).chain((0..0x7c0).map(|raw| (raw, 11))) {
            assert_eq!(Channel::Float.write(Channel::Float.read(raw, width), width, true), raw);
        }
    }

    /// Scaled numbers are what the integers are; sRGB's curve has two pieces, and ends at one.
    #[test]
    fn numbers_follow_the_formulas() {
        for raw in 0..=255u8 {
            assert_eq!(Uscaled.value(raw.into(), 8), f64::from(raw));
            assert_eq!(Sscaled.value(raw.into(), 8), f64::from(raw as i8));
            let x = f64::from(raw) / 255.0;
            let light = if raw <= 10 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) };
            assert_eq!(Srgb.value(raw.into(), 8), light);
        }
        assert_eq!(Srgb.value(255, 8), 1.0);
    }

    /// Fractions of all 32 bits: the ends, and the middle.
    #[test]
    fn fractions_can_be_whole_words() {
        for (raw, channel, value) in [
            (u32::MAX, Unorm, 1.0),
            (0, Unorm, 0.0),
            (0x7fff_ffff, Snorm, 1.0),
            (0x8000_0001, Snorm, -1.0),
            (0x8000_0000, Snorm, -1.0),
        ] {
            assert_eq!(channel.value(raw, 32), value, "{raw:x}");
        }
    }

    /// Colours with one exponent: exact ones, ones between, ones too large, none below zero.
    #[test]
    fn three_floats_share_an_exponent() {
        assert_eq!(of_shared_exponent(shared_exponent([1.0, 0.5, 0.25], false)), [1.0, 0.5, 0.25]);
        assert_eq!(of_shared_exponent(shared_exponent([1e9, -1.0, f64::NAN], false)), [65408.0, 0.0, 0.0]);
        let near = 511.6 / 512.0;
        assert_eq!(of_shared_exponent(shared_exponent([near; 3], false)), [1.0; 3]);
        assert_eq!(of_shared_exponent(shared_exponent([near; 3], true)), [511.0 / 512.0; 3]);
    }

    /// Integers and fractions that do not fit stop at the limits.
    #[test]
    fn what_does_not_fit_stops_at_the_limits() {
        let sint = |n: i32| Sint.write(n as u32, 8, false) as i8;
        assert_eq!([200, 127, -128, -129].map(sint), [127, 127, -128, -128]);
        assert_eq!([200, 256].map(|n| Uint.write(n, 8, false)), [200, 255]);
        assert_eq!([-0.5f32, 1.5, f32::NAN].map(|x| Unorm.write(x.to_bits(), 8, false)), [0, 255, 0]);
    }
}
