//! An image that is given, as memory with its descriptors: four 32-bit floats a texel, twiddled.

use chiaro_sim::texture::{Addressing, Compare, Dim, Filter, Mip, Sampler};
use chiaro_target::value::Image;

use crate::abi::channels::Format;
use crate::abi::descriptor::{SAMPLER, TEXTURE};
use crate::abi::image::{Image as Made, Layout, Tiling};

/// The drivers' own sampler, for texel fetches (spec 23.6).
pub const FETCH: [u8; 8] = [0, 0, 0x0e, 0x68, 0x1b, 0, 0, 0];
/// Bytes of a texel.
const TEXEL: usize = 16;

/// An image in memory.
#[derive(Clone, Debug)]
pub struct Bytes {
    /// Its texels, all levels.
    pub bytes: Vec<u8>,
    /// Its texture descriptor.
    pub texture: [u8; 24],
    /// That of its sampler.
    pub sampler: [u8; 8],
}

/// The image at an address.
///
/// # Errors
/// A size that there cannot be.
pub fn of(image: &Image, base: u64) -> Result<Bytes, String> {
    let made = Made {
        format: Format::named("R32G32B32A32_FLOAT").ok_or("the format of images is unknown")?,
        tiling: Tiling::Twiddled,
        size: image.size.map(|n| n.max(1)),
        mipmapped: !image.smaller.is_empty(),
        is_3d: image.shape.dim == Dim::D3,
        samples: 1,
        writeable: false,
        renderable: false,
    };
    let layout = made.layout()?;
    let mut bytes = vec![0; layout.size as usize];
    let levels = std::iter::once(&image.texels).chain(&image.smaller);
    levels.enumerate().for_each(|(level, texels)| put(&layout, level, texels, &mut bytes));
    let text = descriptor(image, &layout, base);
    let texture = TEXTURE.pack(&text)?.try_into().map_err(|_| "a texture has 24 bytes")?;
    Ok(Bytes { bytes, texture, sampler: packed(&image.sampler)? })
}

/// The descriptor of a sampler.
///
/// # Errors
/// It has none.
pub fn packed(given: &Sampler) -> Result<[u8; 8], String> {
    Ok(SAMPLER.pack(&sampler(given))?.try_into().map_err(|_| "a sampler has 8 bytes")?)
}

fn put(layout: &Layout, level: usize, texels: &[[f32; 4]], bytes: &mut [u8]) {
    let half = |n: u32| (n >> level.min(31)).max(1);
    let [width, height, depth] = layout.image.size;
    let (width, height) = (half(width), half(height));
    let depth = if layout.image.is_3d { half(depth) } else { depth };
    let places = (0..depth).flat_map(|z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])));
    for (at, texel) in places.zip(texels) {
        let Some(place) = layout.texel(level, at.map(u64::from), 0) else { continue };
        let own: Vec<u8> = texel.iter().flat_map(|x| x.to_bits().to_le_bytes()).collect();
        if let Some(room) = bytes.get_mut(place as usize..place as usize + TEXEL) {
            room.copy_from_slice(&own);
        }
    }
}

fn descriptor(image: &Image, layout: &Layout, base: u64) -> String {
    let dimension = match (image.shape.dim, image.shape.arrayed) {
        (Dim::D1, true) => "1d_array",
        (Dim::D1, false) => "1d",
        (Dim::D3, _) => "3d",
        (Dim::Cube, true) => "cube_array",
        (Dim::Cube, false) => "cube",
        (_, true) => "2d_array",
        (_, false) => "2d",
    };
    let [width, height, depth] = layout.image.size;
    let depth = if image.shape.dim == Dim::Cube { depth.div_ceil(6) } else { depth };
    let (last, mipmapped) =
        (layout.levels.len().min(image.smaller.len() + 1) - 1, u8::from(layout.image.mipmapped));
    let aligned = u8::from(layout.page_aligned_layers);
    // A row may be a buffer (spec 23.8).
    let buffer = if height * depth == 1 { format!(" buffer_size_sw={width}") } else { String::new() };
    format!(
        "dimension={dimension} layout=twiddled channels=R32G32B32A32 type=float swizzle=R,G,B,A width={width} \
         height={height} depth={depth} last_level={last} unk_mipmapped={mipmapped} address={base:#x} \
         page_aligned_layers={aligned}{buffer}"
    )
}

fn sampler(s: &Sampler) -> String {
    let filter = |f: Filter| if f == Filter::Linear { "linear" } else { "nearest" };
    let wrap = |a: Addressing| match a {
        Addressing::Repeat => "repeat",
        Addressing::Mirror => "mirrored_repeat",
        Addressing::MirrorOnce => "mirrored_clamp_to_edge",
        Addressing::Clamp => "clamp_to_edge",
        Addressing::Border => "clamp_to_border",
    };
    let mip = match s.mip {
        Mip::None => "none",
        Mip::Nearest => "nearest",
        Mip::Linear => "linear",
    };
    let compare = match s.compare {
        Compare::Never => "never",
        Compare::Less => "less",
        Compare::Equal => "equal",
        Compare::LessEqual => "lequal",
        Compare::Greater => "greater",
        Compare::NotEqual => "not_equal",
        Compare::GreaterEqual => "gequal",
        Compare::Always => "always",
    };
    let [least, most] = s.levels.map(|level| level.clamp(0.0, 14.0));
    let anisotropy = (s.anisotropy.clamp(1.0, 16.0) as u32).next_power_of_two();
    let [x, y, z] = s.addressing.map(wrap);
    let (magnify, minify) = (filter(s.magnify), filter(s.minify));
    format!(
        "minimum_lod={least} maximum_lod={most} maximum_anisotropy={anisotropy} magnify={magnify} minify={minify} \
         mip_filter={mip} wrap_s={x} wrap_t={y} wrap_r={z} compare_func={compare}"
    )
}
