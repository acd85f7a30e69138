//! Images and samplers for runs by name, as descriptors say them (spec sections 8.3, 8.4).
//!
//! Texels are four words, as the inputs give them; rows begin at multiples of 256 bytes, further levels follow.

use chiaro_sim::texture::{Dim, Shape};
use chiaro_target::value::Image;

use crate::machine::{linear_image, sampler_words};

/// Numbers of formats of four words: integers, floats.
const FORMATS: [u32; 2] = [75, 77];
/// Bytes of a texel, and to what rows are aligned.
const TEXEL: usize = 16;
const ROW: usize = 256;
/// Bytes of an image at most: sizes come from people.
const MOST: usize = 1 << 28;

/// An image in memory.
pub(super) struct Placed {
    pub(super) bytes: Vec<u8>,
    pub(super) image: [u32; 8],
    pub(super) sampler: [u32; 4],
}

/// An image at an address; its numbers are integers or floats.
///
/// # Errors
/// It is empty, or larger than what is run.
pub(super) fn of(image: &Image, base: u64, is_integer: bool) -> Result<Placed, String> {
    let bytes_of = |level: usize| {
        let [width, height, depth] = size(image, level).map(|n| n as usize);
        pitch(width).saturating_mul(height).saturating_mul(depth)
    };
    let levels = 1 + image.smaller.len();
    let total = (0..levels).map(bytes_of).fold(0, usize::saturating_add);
    if image.size.contains(&0) || total > MOST {
        return Err(format!(
            "an image of {:?} texels takes {total} bytes; 1 to {MOST} are possible",
            image.size
        ));
    }
    let mut bytes = Vec::with_capacity(total);
    for (level, texels) in std::iter::once(&image.texels).chain(&image.smaller).enumerate() {
        let row = size(image, level)[0] as usize;
        for texels in texels.chunks(row.max(1)) {
            let start = bytes.len();
            bytes.extend(texels.iter().flatten().flat_map(|&x| word(x, is_integer).to_le_bytes()));
            bytes.resize(start + pitch(row), 0);
        }
    }
    let mut words = linear_image(base, FORMATS[usize::from(!is_integer)], image.size, kind(image.shape));
    words[3] |= (levels as u32 - 1) << 16;
    Ok(Placed { bytes, image: words, sampler: sampler_words(&image.sampler) })
}

/// The first level as a run left it.
pub(super) fn read(image: &Image, bytes: &[u8], is_integer: bool) -> Image {
    let row = image.size[0] as usize;
    let number = |four: &[u8; 4]| {
        let word = u32::from_le_bytes(*four);
        if is_integer { word as i32 as f32 } else { f32::from_bits(word) }
    };
    let texel = |bytes: &[u8; TEXEL]| {
        let words = bytes.as_chunks::<4>().0;
        std::array::from_fn(|n| number(&words[n]))
    };
    let rows = bytes.chunks(pitch(row)).take(image.texels.len() / row.max(1));
    let texels = rows.flat_map(|bytes| bytes.as_chunks::<TEXEL>().0.iter().take(row)).map(texel).collect();
    Image { texels, smaller: Vec::new(), ..image.clone() }
}

fn word(number: f32, is_integer: bool) -> u32 {
    if is_integer { number as i64 as u32 } else { number.to_bits() }
}

fn pitch(width: usize) -> usize {
    (width * TEXEL).next_multiple_of(ROW)
}

fn size(image: &Image, level: usize) -> [u32; 3] {
    let half = |n: u32| (n >> level.min(31)).max(1);
    let [width, height, depth] = image.size;
    [half(width), half(height), if image.shape.dim == Dim::D3 { half(depth) } else { depth }]
}

/// The number of a descriptor's type.
fn kind(shape: Shape) -> u32 {
    match (shape.dim, shape.arrayed) {
        (Dim::D1, false) => 8,
        (Dim::D1, true) => 12,
        (Dim::D3, _) => 10,
        (Dim::Cube, _) => 11,
        (_, true) => 13,
        (_, false) => 9,
    }
}
