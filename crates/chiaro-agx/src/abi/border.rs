//! Border colours of extended samplers (spec 23.6): four words, one for each channel of memory.

use chiaro_num::{Encoding, F16, Overflow, Rounding, Tiny};

use super::channels::{Format, Kind};

/// Bits of a colour on sRGB's curve, which a border colour has as light.
const LIGHT: u8 = 12;

/// The words of a colour, given as the four components of the API.
///
/// A word takes the component that its place has in the format's own order, and the first where that is a
/// constant: so Mesa has it, which is right for orders that are their own inverse.
#[must_use]
pub fn words(format: &Format, colour: [u32; 4]) -> [u32; 4] {
    std::array::from_fn(|n| {
        let component = usize::from(format.swizzle[n].unwrap_or(0));
        match format.widths[n] {
            0 => 0,
            width => word(format.kind, width, n == 3, colour[component]),
        }
    })
}

/// The bytes of those words.
#[must_use]
pub fn pack(format: &Format, colour: [u32; 4]) -> Vec<u8> {
    words(format, colour).iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn word(kind: Kind, width: u8, is_alpha: bool, bits: u32) -> u32 {
    // Products are rounded to binary32, as drivers compute them.
    let value = f32::from_bits(bits);
    let most = |bits: u8| ((1u64 << bits) - 1) as f32;
    match kind {
        Kind::Unorm { srgb } => {
            let width = if srgb && !is_alpha { LIGHT } else { width };
            (value.clamp(0.0, 1.0) * most(width)).round_ties_even() as u32
        }
        Kind::Snorm => (value.clamp(-1.0, 1.0) * most(width - 1)).round_ties_even() as i32 as u32,
        Kind::Uint => bits.min(((1u64 << width) - 1) as u32),
        Kind::Sint => {
            let (least, most) = (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1);
            i64::from(bits as i32).clamp(least, most) as u32
        }
        Kind::Float if width > 16 => bits,
        Kind::Float => F16.encode(value.into(), NEAREST),
    }
}

const NEAREST: Encoding =
    Encoding { rounding: Rounding::NearestEven, tiny: Tiny::Keep, overflow: Overflow::Directed };
