//! Descriptors of images and samplers, and where texels lie [Mesa: registers of gfx10 and its image
//! descriptors; public sources do not say where levels lie, see [`Image::place`]].

use chiaro_sim::mapped::Mapped;
use chiaro_sim::texel::TexelFormat;
use chiaro_sim::texture::{Addressing, Compare, Dim, Filter, Mip, Sampler, Shape, Texel, Texture};

use crate::machine::format;

/// Texels that are looked at in one image: a descriptor may claim anything.
const MOST_TEXELS: u64 = 1 << 22;
/// Rows begin at multiples of so many bytes.
const ROW: u64 = 256;

/// An image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) struct Image {
    base: u64,
    pub(super) format: TexelFormat,
    /// Width, height, depth or layers.
    pub(super) size: [u32; 3],
    /// Samples of a texel, each in a plane of its own.
    pub(super) samples: u32,
    pub(super) levels: u32,
    first_level: u32,
    /// Where each component comes from, three bits for each.
    select: u32,
    pub(super) kind: u32,
}

/// Types of images (the highest four bits of the fourth dword).
pub(super) const D3: u32 = 10;
const D1: u32 = 8;
const D2: u32 = 9;
const D1_ARRAY: u32 = 12;
const D2_SAMPLES: u32 = 14;
const D2_SAMPLES_ARRAY: u32 = 15;

/// The descriptor of a linear image with one level, by the number of its format and of its type
/// (8 a line, 9 a plane, 10 a volume). Rows begin at multiples of 256 bytes.
#[must_use]
pub fn linear_image(base: u64, format: u32, [width, height, depth]: [u32; 3], kind: u32) -> [u32; 8] {
    let (w, h, d) = (width - 1, height - 1, depth - 1);
    let upper = (base >> 40) as u32 & 0xff;
    [
        (base >> 8) as u32,
        upper | format << 20 | (w & 3) << 30,
        w >> 2 | h << 14 | 1 << 31,
        0xfac | kind << 28,
        d,
        0,
        0,
        0,
    ]
}

impl Image {
    /// Reads a descriptor; a sentence where it asks for what is not known. `linear`: what is arranged in an order that no
    /// source tells is taken as linear.
    pub(super) fn read(words: [u32; 8], linear: bool) -> Result<Option<Image>, String> {
        // A descriptor of zeros is no image: loads give zero.
        if words[1] == 0 && words[3] >> 28 == 0 {
            return Ok(None);
        }
        let field = |word: usize, low: u32, width: u32| words[word] >> low & (u32::MAX >> (32 - width));
        let number = field(1, 20, 9);
        let format = format::numbered(number).ok_or_else(|| format!("image format {number}"))?;
        let kind = field(3, 28, 4);
        let has_samples = matches!(kind, D2_SAMPLES | D2_SAMPLES_ARRAY);
        // Images with samples have one level; their field says how many samples.
        let samples = if has_samples { 1 << field(3, 16, 4).min(4) } else { 1 };
        if !linear {
            arranged(field(3, 20, 5), samples)?;
        }
        let first_level = if has_samples { 0 } else { field(3, 12, 4) };
        let levels = if has_samples { 1 } else { field(3, 16, 4).saturating_sub(first_level) + 1 };
        let image = Image {
            base: (u64::from(words[0]) | u64::from(words[1] & 0xff) << 32) << 8,
            format,
            size: size(words, kind),
            samples,
            levels,
            first_level,
            select: field(3, 0, 12),
            kind,
        };
        let texels = image.size.iter().fold(samples.into(), |all: u64, n| all.saturating_mul((*n).into()));
        if texels > MOST_TEXELS {
            return Err(format!("image of {texels} texels; {MOST_TEXELS} are the most that are run"));
        }
        Ok(Some(image))
    }

    /// The size of a level.
    pub(super) fn level(&self, level: u32) -> [u32; 3] {
        let half = |n: u32| (n >> (level + self.first_level).min(31)).max(1);
        let [width, height, depth] = self.size;
        [half(width), half(height), if self.kind == D3 { half(depth) } else { depth }]
    }

    /// Address of a texel: level after level, slice after slice, row after row. [where levels of
    /// linear images lie is unknown; assumed]
    pub(super) fn place(&self, level: u32, [x, y, z]: [u32; 3]) -> u64 {
        let texel = self.format.bytes() as u64;
        let pitch = |level: u32| (u64::from(self.level(level)[0]) * texel).next_multiple_of(ROW);
        let slice = |level: u32| pitch(level) * u64::from(self.level(level)[1]);
        let before: u64 = (0..level).map(|n| slice(n) * u64::from(self.level(n)[2])).sum();
        self.base + before + slice(level) * u64::from(z) + pitch(level) * u64::from(y) + texel * u64::from(x)
    }

    /// The texel that bytes hold, as the descriptor selects its components.
    pub(super) fn texel(&self, bytes: &[u8]) -> [u32; 4] {
        format::selected(self.format, bytes, self.select)
    }

    /// The bytes from the first texel to the last; `None` where not all are mapped.
    pub(super) fn bytes<'m>(&self, memory: &'m Mapped) -> Option<&'m [u8]> {
        let last = self.levels - 1;
        let [width, height, depth] = self.level(last);
        let corner = [width - 1, height - 1, depth * self.samples - 1];
        let end = self.place(last, corner) + self.format.bytes() as u64;
        memory.get(self.base, usize::try_from(end - self.base).ok()?)
    }

    /// All texels of all levels, as samplers read them; the address that is not mapped otherwise.
    pub(super) fn texture(&self, memory: &Mapped) -> Result<Texture, u64> {
        let mut levels = Vec::new();
        for level in 0..self.levels {
            let [width, height, depth] = self.level(level);
            let mut texels: Vec<Texel> = Vec::with_capacity((width * height * depth) as usize);
            for z in 0..depth {
                for y in 0..height {
                    for x in 0..width {
                        let at = self.place(level, [x, y, z]);
                        let bytes = memory.get(at, self.format.bytes()).ok_or(at)?;
                        texels.push(self.texel(bytes).map(u64::from));
                    }
                }
            }
            // Layers of lines are the rows of what a sampler sees.
            let size = if self.kind == D1_ARRAY { [width, depth, 1] } else { [width, height, depth] };
            levels.push(Texture { size, texels, smaller: Vec::new() });
        }
        let mut levels = levels.into_iter();
        let first = levels.next().unwrap_or_default();
        Ok(Texture { smaller: levels.collect(), ..first })
    }
}

/// Width, height, depth or layers, as a descriptor of a kind has them.
fn size(words: [u32; 8], kind: u32) -> [u32; 3] {
    let field = |word: usize, low: u32, width: u32| words[word] >> low & (u32::MAX >> (32 - width));
    let width = (field(1, 30, 2) | field(2, 0, 12) << 2) + 1;
    let height = if matches!(kind, D1 | D1_ARRAY) { 1 } else { field(2, 14, 14) + 1 };
    // Of layers the last one is given, and the first.
    let depth = field(4, 0, 13).saturating_sub(if kind == D3 { 0 } else { field(4, 16, 13) }) + 1;
    [width, height, if matches!(kind, D1 | D2 | D2_SAMPLES) { 1 } else { depth }]
}

/// Whether it is known where texels lie; a sentence that names the assumption if not.
fn arranged(mode: u32, samples: u32) -> Result<(), String> {
    let what = match (mode, samples) {
        (0, 1) => return Ok(()),
        (0, _) => format!("{samples} samples"),
        _ => format!("swizzle mode {mode}"),
    };
    Err(format!(
        "image with {what}: where its texels lie is unknown (`-m images=linear` takes them in rows, samples in planes)"
    ))
}

/// How an instruction's `dim` reaches an image: cubes by face, as the coordinates say already.
pub(super) fn shape(dim: u32) -> Shape {
    match dim {
        0 => Shape { dim: Dim::D1, arrayed: false },
        2 => Shape { dim: Dim::D3, arrayed: false },
        4 => Shape { dim: Dim::D1, arrayed: true },
        3 | 5 | 7 => Shape { dim: Dim::D2, arrayed: true },
        _ => Shape { dim: Dim::D2, arrayed: false },
    }
}

/// The words of a sampler whose coordinates are from 0 to 1.
#[must_use]
pub fn sampler_words(sampler: &Sampler) -> [u32; 4] {
    let addressing = |how: Addressing| match how {
        Addressing::Repeat => 0,
        Addressing::Mirror => 1,
        Addressing::Clamp => 2,
        Addressing::MirrorOnce => 3,
        Addressing::Border => 6,
    };
    let [x, y, z] = sampler.addressing.map(addressing);
    let is_stretched = sampler.anisotropy > 1.0;
    let filter = |filter: Filter| u32::from(filter == Filter::Linear) | u32::from(is_stretched) << 1;
    let compare = COMPARES.iter().position(|compare| *compare == sampler.compare).unwrap_or(0) as u32;
    let mip = match sampler.mip {
        Mip::None => 0,
        Mip::Nearest => 1,
        Mip::Linear => 2,
    };
    let ratio = (sampler.anisotropy.clamp(1.0, 16.0) as u32).ilog2();
    let fixed = |level: f32| ((level * 256.0) as u32).min(0xfff);
    let [least, most] = sampler.levels.map(fixed);
    let bias = (sampler.bias * 256.0) as i32 as u32 & 0x3fff;
    let border = match (sampler.border[0] != 0, sampler.border[3] != 0) {
        (true, _) => 2,
        (false, true) => 1,
        (false, false) => 0,
    };
    [
        x | y << 3 | z << 6 | ratio << 9 | compare << 12,
        least | most << 12,
        bias | filter(sampler.magnify) << 20 | filter(sampler.minify) << 22 | mip << 26,
        border << 30,
    ]
}

/// Comparisons by number.
const COMPARES: [Compare; 8] = [
    Compare::Never,
    Compare::Less,
    Compare::Equal,
    Compare::LessEqual,
    Compare::Greater,
    Compare::NotEqual,
    Compare::GreaterEqual,
    Compare::Always,
];

/// A sampler, and whether its coordinates count texels.
pub(super) fn sampler(words: [u32; 4]) -> (Sampler, bool) {
    let field = |word: usize, low: u32, width: u32| words[word] >> low & (u32::MAX >> (32 - width));
    let addressing = |low: u32| match field(0, low, 3) {
        0 => Addressing::Repeat,
        1 => Addressing::Mirror,
        2 => Addressing::Clamp,
        3 | 5 | 7 => Addressing::MirrorOnce,
        _ => Addressing::Border,
    };
    let filter = |low: u32| if field(2, low, 2) & 1 == 1 { Filter::Linear } else { Filter::Nearest };
    let one = u64::from(1.0_f32.to_bits());
    let fixed = |raw: u32| raw as f32 / 256.0;
    let bias = (field(2, 0, 14) << 18) as i32 >> 18;
    let stretched = field(2, 20, 2) >= 2 || field(2, 22, 2) >= 2;
    let made = Sampler {
        magnify: filter(20),
        minify: filter(22),
        mip: [Mip::None, Mip::Nearest, Mip::Linear, Mip::Linear][field(2, 26, 2) as usize],
        addressing: [addressing(0), addressing(3), addressing(6)],
        border: match field(3, 30, 2) {
            1 => [0, 0, 0, one],
            2 => [one; 4],
            _ => [0; 4],
        },
        compare: COMPARES[field(0, 12, 3) as usize],
        levels: [fixed(field(1, 0, 12)), fixed(field(1, 12, 12))],
        bias: bias as f32 / 256.0,
        anisotropy: if stretched { (1 << field(0, 9, 3).min(4)) as f32 } else { 1.0 },
        faces_apart: true,
    };
    (made, field(0, 15, 1) == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where nobody knows how texels lie, a fault says which choice takes them as linear.
    #[test]
    fn unknown_layouts_are_refused_or_linear() {
        let plain = linear_image(0x1000, 20, [4, 4, 1], 9);
        let (mut tiled, mut samples) = (plain, linear_image(0x1000, 20, [4, 4, 3], D2_SAMPLES_ARRAY));
        tiled[3] |= 9 << 20;
        samples[3] |= 2 << 16;
        assert!(Image::read(plain, false).is_ok());
        for (words, what) in [(tiled, "swizzle mode 9"), (samples, "4 samples")] {
            let why = Image::read(words, false).expect_err("it is not known");
            assert!(why.contains(what) && why.contains("-m images=linear"), "{why}");
        }
        assert_eq!(Image::read(tiled, true), Image::read(plain, true));
        let image = Image::read(samples, true).expect("linear").expect("an image");
        assert_eq!((image.size, image.samples, image.levels), ([4, 4, 3], 4, 1));
        assert_eq!(image.place(0, [0, 0, 5]) - image.base, 5 * 4 * ROW);
    }

    #[test]
    fn words_of_samplers_mean_them() {
        let one = u64::from(1.0_f32.to_bits());
        let plain = Sampler { faces_apart: true, ..Sampler::filtered(Filter::Nearest) };
        let other = Sampler {
            mip: Mip::Linear,
            addressing: [Addressing::Repeat, Addressing::Mirror, Addressing::Border],
            border: [0, 0, 0, one],
            compare: Compare::Greater,
            levels: [1.5, 4.0],
            bias: -0.25,
            anisotropy: 8.0,
            faces_apart: true,
            ..Sampler::filtered(Filter::Linear)
        };
        for mut wanted in [plain, other] {
            wanted.levels = wanted.levels.map(|level| level.clamp(0.0, 0xfff as f32 / 256.0));
            assert_eq!(sampler(sampler_words(&wanted)), (wanted, false));
        }
    }
}
