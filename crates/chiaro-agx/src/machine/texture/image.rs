//! Images by descriptor: what their fields say, and texels in memory (spec 23.4, 23.5, 24).

use std::sync::Arc;

use chiaro_sim::mapped::Mapped;
use chiaro_sim::texel::{Channel, TexelFormat};
use chiaro_sim::texture::{Dim, Kept, Shape, Texel, Texture};

use crate::abi::channels::{CHANNELS, Format, Kind};
use crate::abi::descriptor::{Descriptor, PBE, TEXTURE};
use crate::abi::image::{Image as Made, Layout, Tiling};

/// Types of texels by code, as names of formats have them.
const TYPES: [&str; 5] = ["UNORM", "SNORM", "UINT", "SINT", "FLOAT"];
/// Texels that are read into a texture at once: more are a mistake more often than a wish.
const MOST_TEXELS: u64 = 1 << 22;

/// An image.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::machine) struct Image {
    pub(super) layout: Layout,
    pub(super) address: u64,
    /// Levels that there are of it: the first, and the last.
    pub(super) levels: [usize; 2],
    pub(super) dimension: u8,
    /// Sources of components: four channels, 1, 0.
    swizzle: [u8; 4],
    texels: TexelFormat,
    /// Whether there is nothing behind it.
    pub(super) is_null: bool,
}

/// The images that were sampled last.
pub(in crate::machine) type Textures = Kept<Image>;

/// The fields of a descriptor.
struct Fields<'a> {
    descriptor: &'a Descriptor,
    bytes: &'a [u8; 24],
}

impl Fields<'_> {
    fn get(&self, name: &str) -> u64 {
        self.descriptor.raw(self.bytes, name).ok().flatten().unwrap_or(0)
    }
}

impl Image {
    /// A texture's descriptor.
    pub(super) fn texture(bytes: &[u8; 24]) -> Result<Image, String> {
        let f = Fields { descriptor: &TEXTURE, bytes };
        let swizzle = f.get("swizzle");
        let layout = layout(&f, f.get("depth") + 1, 16 * f.get("stride") + 16)?;
        let image = Image {
            texels: texels_of(&layout.image.format),
            layout,
            address: f.get("address") << 4,
            levels: [f.get("first_level"), f.get("last_level")].map(|n| n as usize),
            dimension: f.get("dimension") as u8,
            swizzle: std::array::from_fn(|n| (swizzle >> (3 * n) & 7) as u8),
            is_null: f.get("layout") == 1,
        };
        match image.levels[1] < image.layout.levels.len() || image.is_null {
            true => Ok(image),
            false => Err(format!("level {} of an image of {}", image.levels[1], image.layout.levels.len())),
        }
    }

    /// The descriptor of an image that is stored to.
    pub(super) fn stored(bytes: &[u8; 24]) -> Result<Image, String> {
        let f = Fields { descriptor: &PBE, bytes };
        let (swizzle, level) = (f.get("swizzle"), f.get("level") as usize);
        let layout = layout(&f, f.get("layers") + 1, f.get("stride") + 4)?;
        Ok(Image {
            texels: texels_of(&layout.image.format),
            layout,
            address: f.get("buffer") << 4,
            levels: [level; 2],
            dimension: f.get("dimension") as u8,
            swizzle: std::array::from_fn(|n| (swizzle >> (2 * n) & 3) as u8),
            is_null: f.get("layout") == 1,
        })
    }

    pub(super) fn is_integer(&self) -> bool {
        self.texels.is_integer()
    }

    pub(super) fn samples(&self) -> u32 {
        self.layout.image.samples
    }

    /// How it is reached. Lines have a row of their own (spec 9.1).
    pub(super) fn shape(&self) -> Shape {
        let dim = match self.dimension {
            0 | 1 => Dim::D1,
            5 => Dim::D3,
            6 | 7 => Dim::Cube,
            _ => Dim::D2,
        };
        Shape { dim, arrayed: matches!(self.dimension, 1 | 3 | 7 | 8) }
    }

    /// Size of a level of it, its depth or layers last.
    pub(super) fn size(&self, level: usize) -> [u64; 3] {
        let [width, height, depth] = self.layout.image.size.map(u64::from);
        let less = |n: u64| (n >> level.min(31)).max(1);
        [less(width), less(height), if self.layout.image.is_3d { less(depth) } else { depth }]
    }

    /// Where a texel is; `None` outside of the image.
    pub(super) fn place(&self, level: usize, at: [u64; 3], sample: u64) -> Option<u64> {
        let inside = level <= self.levels[1] && at.iter().zip(self.size(level)).all(|(at, size)| *at < size);
        let place = self.layout.texel(level, at, sample).filter(|_| inside && !self.is_null)?;
        Some(self.address + place)
    }

    /// Bytes of a texel.
    pub(super) fn bytes(&self) -> usize {
        self.layout.image.format.bytes as usize
    }

    /// What a texel's bytes hold, component by component: floats as binary32.
    pub(super) fn texel(&self, bytes: &[u8]) -> Texel {
        let channels = self.texels.read(bytes);
        self.swizzle.map(|source| match source {
            n @ 0..=3 => channels[usize::from(n)].into(),
            4 => self.texels.one().into(),
            _ => 0,
        })
    }

    /// The bytes of what a program stores: four components, floats as binary32.
    pub(super) fn write(&self, components: [u32; 4], toward_zero: bool) -> Vec<u8> {
        let own = self.swizzle.map(|source| components[usize::from(source & 3)]);
        self.texels.write(own, toward_zero)
    }

    /// All bytes of it, as far as they are mapped in one piece.
    pub(super) fn all<'a>(&self, memory: &'a Mapped) -> Option<&'a [u8]> {
        memory.get(self.address, usize::try_from(self.layout.size).ok()?)
    }

    /// Its texels for the texture unit, those that are kept if they are the same.
    ///
    /// # Errors
    /// The address that is not mapped.
    pub(super) fn texels(&self, kept: &mut Textures, memory: &Mapped) -> Result<Arc<Texture>, String> {
        kept.of(self, self.all(memory), || self.read(memory))
    }

    /// Its texels, read from memory.
    ///
    /// # Errors
    /// The address that is not mapped.
    pub(super) fn read(&self, memory: &Mapped) -> Result<Texture, String> {
        let [first, last] = self.levels;
        let mut levels = (first..=last.max(first)).map(|level| self.read_level(level, memory));
        let mut top = levels.next().transpose()?.unwrap_or_default();
        top.smaller = levels.collect::<Result<_, _>>()?;
        Ok(top)
    }

    fn read_level(&self, level: usize, memory: &Mapped) -> Result<Texture, String> {
        let size = self.size(level);
        if self.is_null {
            return Ok(Texture { size: [1; 3], texels: vec![[0; 4]], smaller: Vec::new() });
        }
        if size.iter().product::<u64>() > MOST_TEXELS {
            return Err(format!("an image of more than {MOST_TEXELS} texels is sampled"));
        }
        let mut texels = Vec::new();
        for z in 0..size[2] {
            for y in 0..size[1] {
                for x in 0..size[0] {
                    let at = self.place(level, [x, y, z], 0).unwrap_or(u64::MAX);
                    let bytes = memory.get(at, self.bytes());
                    let bytes = bytes.ok_or_else(|| format!("address {at:#x} of an image is not mapped"))?;
                    texels.push(self.texel(bytes));
                }
            }
        }
        Ok(Texture { size: size.map(|n| n as u32), texels, smaller: Vec::new() })
    }
}

/// Where everything of an image is, as its descriptor says it.
fn layout(f: &Fields<'_>, depth: u64, row: u64) -> Result<Layout, String> {
    let format = format_of(f)?;
    let (dimension, is_linear) = (f.get("dimension"), f.get("layout") == 0);
    let layers = match dimension {
        3 | 8 if is_linear => f.get("depth_linear") + 1,
        1 | 3 | 5 | 8 if !is_linear => depth,
        6 => 6,
        7 => 6 * depth,
        _ => 1,
    };
    if f.get("compressed_1") == 1 {
        return Err("how images are compressed nobody knows".to_owned());
    }
    let made = Made {
        format,
        tiling: if is_linear { Tiling::Linear } else { Tiling::Twiddled },
        size: [f.get("width") + 1, f.get("height") + 1, layers].map(|n| n as u32),
        mipmapped: f.get("unk_mipmapped") == 1 || f.get("last_level") > 0 || f.get("level") > 0,
        is_3d: dimension == 5,
        samples: if matches!(dimension, 4 | 8) { 2 << f.get("samples") } else { 1 },
        // Layers that begin at pages are those of images that are written.
        writeable: f.get("page_aligned_layers") == 1 && !is_linear,
        renderable: false,
    };
    let mut layout = made.layout()?;
    if is_linear {
        layout.linear_stride = row;
        if f.get("extended") == 1 {
            layout.layer_stride = 128 * (f.get("layer_stride_linear") + 1);
        }
        layout.size = layout.layer_stride * u64::from(made.size[2] - 1) + row * u64::from(made.size[1]);
    }
    Ok(layout)
}

/// The format of a descriptor's channels and type.
fn format_of(f: &Fields<'_>) -> Result<Format, String> {
    let (code, kind) = (f.get("channels") as u8, f.get("type") as usize);
    let channels = CHANNELS.iter().find(|row| row.code == code);
    let channels = channels.ok_or_else(|| format!("channels {code:#x} are unknown"))?;
    if channels.block != (1, 1) {
        return Err(format!("texels in blocks ({}) are not decoded here", channels.name));
    }
    let srgb = f.get("srgb") == 1;
    let kind = TYPES.get(kind).ok_or("texels of this type are unknown")?;
    let name = format!("{}_{}", channels.name, if srgb { "SRGB" } else { kind });
    Format::named(&name).ok_or_else(|| format!("there is no format {name}"))
}

/// What the bytes of a texel are.
fn texels_of(format: &Format) -> TexelFormat {
    let channel = match format.kind {
        Kind::Unorm { srgb: true } => Channel::Srgb,
        Kind::Unorm { .. } => Channel::Unorm,
        Kind::Snorm => Channel::Snorm,
        Kind::Uint => Channel::Uint,
        Kind::Sint => Channel::Sint,
        Kind::Float if format.widths == [9, 9, 9, 5] => return TexelFormat::SharedExponent,
        Kind::Float => Channel::Float,
    };
    TexelFormat::Apart(format.widths, channel)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The instruction says how stores round, of packed floats as of others.
    #[test]
    fn packed_floats_are_rounded_as_the_store_says() {
        let fields = "dimension=2d layout=linear channels=R11G11B10 type=float width=1 height=1";
        let bytes = PBE.pack(fields).expect("legal").try_into().expect("24 bytes");
        let image = Image::stored(&bytes).expect("an image");
        let red = |toward_zero| {
            let written = image.write([(1.0f32 + 3.0 / 128.0).to_bits(), 0, 0, 0], toward_zero);
            u16::from_le_bytes([written[0], written[1]]) & 0x7ff
        };
        assert_eq!((red(false), red(true)), (0x3c2, 0x3c1));
    }
}
