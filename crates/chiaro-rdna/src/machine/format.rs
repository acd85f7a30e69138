//! Formats of typed buffers and texels by their numbers (spec section 8.3, Mesa's `gfx10_format_table` for the sRGB ones).
//!
//! Components stand from the lowest bit on; a name lists their widths from the highest. Stores of small floats round
//! toward zero. [Mesa's expectation of 16-bit images; assumed]

use chiaro_sim::texel::Channel::{Float as F, Sint, Snorm, Srgb, Sscaled, Uint, Unorm, Uscaled};
use chiaro_sim::texel::{Channel, TexelFormat};

const SIX: &[Channel] = &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint];
const SEVEN: &[Channel] = &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, F];
const PLAIN: &[Channel] = &[Uint, Sint, F];

/// First number, widths, kinds of components in the order of the numbers.
const FORMATS: [(u32, [u8; 4], &[Channel]); 17] = [
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

/// The format of a number; `None` for numbers that mean none.
pub(crate) fn numbered(number: u32) -> Option<TexelFormat> {
    let found = FORMATS
        .iter()
        .rfind(|(first, _, channels)| (*first..*first + channels.len() as u32).contains(&number))?;
    Some(TexelFormat::Apart(found.1, found.2[(number - found.0) as usize]))
}

/// The four components of a texel as a descriptor selects them, three bits for each: 0, 1, or one of those that are
/// read.
pub(super) fn selected(format: TexelFormat, bytes: &[u8], select: u32) -> [u32; 4] {
    let read = format.read(bytes);
    std::array::from_fn(|n| match select >> (3 * n) & 7 {
        1 => format.one(),
        from @ 4..=7 => read[from as usize - 4],
        _ => 0,
    })
}

#[cfg(test)]
mod tests {
    use super::numbered;

    fn bits(values: [f32; 4]) -> [u32; 4] {
        values.map(f32::to_bits)
    }

    /// Number, bytes, components.
    #[test]
    fn bytes_are_components() {
        let float = |number, bytes: &[u8], values: [f32; 4]| {
            let format = numbered(number).unwrap();
            assert_eq!(format.read(bytes), bits(values), "{number}");
            assert_eq!(format.write(bits(values), true), bytes, "{number}");
        };
        float(56, &[255, 0, 51, 255], [1.0, 0.0, 0.2, 1.0]);
        float(2, &[0x81], [-1.0, 0.0, 0.0, 1.0]);
        float(29, &[0, 0x3c, 0, 0xc0], [1.0, -2.0, 0.0, 1.0]);
        float(36, &[0xc0, 0x03, 0x1e, 0x78], [1.0, 1.0, 1.0, 1.0]);
        float(50, &[0xff, 0x03, 0, 0xc0], [1.0, 0.0, 0.0, 1.0]);
        float(77, &[0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64], [1.0, 2.0, 3.0, 4.0]);
        let signed = numbered(6).unwrap();
        assert_eq!(signed.read(&[0xff]), [u32::MAX, 0, 0, 1]);
        assert_eq!(signed.write([200, 0, 0, 0], true), [127]);
        assert_eq!((numbered(0), numbered(78), numbered(200)), (None, None, None));
    }
}
