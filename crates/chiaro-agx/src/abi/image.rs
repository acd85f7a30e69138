//! Images in memory: levels, layers, texels, metadata (spec 24).
//!
//! A twiddled level is made of tiles, in which the bits of x and y stand by turns. Levels smaller than a
//! tile have smaller ones. Rows of numbers below are as the specification has them.

use super::channels::Format;

/// Bytes of a tile of large levels.
const TILE: u64 = 16384;
/// What levels, rows and layers are aligned to.
const LINE: u64 = 128;
/// Samples of a tile of metadata along each side, and its bytes.
const METADATA_TILE: u64 = 16;
const METADATA_BYTES: u64 = 8;
/// Largest size that a descriptor holds.
const MOST_SIZE: u32 = 16384;

/// How texels stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tiling {
    /// Row by row.
    Linear,
    /// In tiles.
    Twiddled,
    /// In tiles, with metadata behind them.
    Compressed,
}

/// What an image is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Image {
    /// Of its texels.
    pub format: Format,
    /// How they stand.
    pub tiling: Tiling,
    /// Width, height, and depth or layers.
    pub size: [u32; 3],
    /// Whether all levels are there.
    pub mipmapped: bool,
    /// Whether the depth gets smaller with the levels.
    pub is_3d: bool,
    /// Samples of a texel.
    pub samples: u32,
    /// Whether shaders write it.
    pub writeable: bool,
    /// Whether it can be rendered to.
    pub renderable: bool,
}

/// A level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// Bytes from the start of a layer.
    pub offset: u64,
    /// Width and height of its tiles, in elements.
    pub tile: (u64, u64),
    /// Elements of a row.
    pub stride: u64,
}

/// Where everything is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The image.
    pub image: Image,
    /// The levels.
    pub levels: Vec<Level>,
    /// Where the last level ends.
    pub end: u64,
    /// Whether layers begin at pages.
    pub page_aligned_layers: bool,
    /// Bytes from a layer to the next.
    pub layer_stride: u64,
    /// Bytes of a row of a linear image.
    pub linear_stride: u64,
    /// Bytes of everything.
    pub size: u64,
    /// Where metadata is, from layer to layer and from level to level.
    pub metadata: Option<Metadata>,
}

/// The metadata of a compressed image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Metadata {
    /// Bytes from the start of the image.
    pub offset: u64,
    /// Bytes from a layer to the next.
    pub layer_stride: u64,
    /// Bytes from the start of a layer to each level.
    pub levels: Vec<u64>,
}

fn minify(size: u64, level: u32) -> u64 {
    (size >> level).max(1)
}

impl Image {
    /// Where everything of it is.
    ///
    /// # Errors
    /// A size or number of samples that there cannot be.
    pub fn layout(&self) -> Result<Layout, String> {
        let [width, height, depth] = self.size;
        if self.size.contains(&0) || self.size.iter().any(|n| *n > MOST_SIZE) {
            return Err(format!("an image of {width}x{height}x{depth}; each is 1 to {MOST_SIZE}"));
        }
        if !matches!(self.samples, 1 | 2 | 4) {
            return Err(format!("{} samples; there may be 1, 2 or 4", self.samples));
        }
        let plain = self.samples == 1 && !self.mipmapped && !self.format.is_block();
        match self.tiling {
            Tiling::Linear if plain => Ok(self.linear()),
            Tiling::Linear => Err("a linear image has one level, one sample and no blocks".to_owned()),
            _ => Ok(self.twiddled()),
        }
    }

    fn linear(&self) -> Layout {
        let [width, height, depth] = self.size.map(u64::from);
        let stride = (width * u64::from(self.format.bytes)).next_multiple_of(LINE);
        let layer_stride = (stride * height).next_multiple_of(LINE);
        Layout {
            image: *self,
            levels: vec![Level { offset: 0, tile: (1, 1), stride: width }],
            end: layer_stride,
            page_aligned_layers: false,
            layer_stride,
            linear_stride: stride,
            size: layer_stride * depth,
            metadata: None,
        }
    }

    fn twiddled(&self) -> Layout {
        let depth = u64::from(self.size[2]);
        let (levels, end) = self.levels();
        let writes_layers = self.writeable || self.renderable && depth > 1;
        let many = levels.len() > 1 && end > TILE && (depth > 1 || self.format.depth_stencil);
        let page_aligned_layers = writes_layers || many;
        let layer_stride = if page_aligned_layers { end.next_multiple_of(TILE) } else { end };
        let body = layer_stride * depth;
        let metadata = (self.tiling == Tiling::Compressed).then(|| self.metadata(body, levels.len()));
        let behind = metadata.as_ref().map_or(0, |metadata| metadata.layer_stride * depth);
        let size = (body + behind).next_multiple_of(LINE);
        Layout {
            image: *self,
            levels,
            end,
            page_aligned_layers,
            layer_stride,
            linear_stride: 0,
            size,
            metadata,
        }
    }

    /// Bytes of an element: a texel with all its samples, or a block.
    fn element(&self) -> u64 {
        u64::from(self.format.bytes * self.samples)
    }

    /// Width and height in elements.
    fn elements(&self) -> (u64, u64) {
        let [width, height, _] = self.size;
        (width.div_ceil(self.format.block.0).into(), height.div_ceil(self.format.block.1).into())
    }

    /// The levels and where the last one ends (spec 24.3).
    fn levels(&self) -> (Vec<Level>, u64) {
        let largest = self.size[0].max(self.size[1]).max(if self.is_3d { self.size[2] } else { 1 });
        let count = if self.mipmapped { largest.ilog2() + 1 } else { 1 };
        let first_small = self.first_small();
        let (mut levels, mut end) = (Vec::new(), 0u64);
        for level in 0..count {
            let offset = end.next_multiple_of(LINE);
            let large = level < first_small;
            let (tile, bytes) = if large { self.large(level) } else { self.small(level, first_small) };
            let stride = self.row(level, large);
            levels.push(Level { offset, tile, stride });
            end = (offset + bytes).next_multiple_of(LINE);
        }
        (levels, end)
    }

    /// Elements of a row.
    fn row(&self, level: u32, large: bool) -> u64 {
        let width = minify(self.size[0].into(), level).div_ceil(self.format.block.0.into());
        let (tiles, _) = self.tiles();
        let uneven = tiles & ((1 << level) - 1) != 0;
        width + u64::from(large && self.format.is_block() && uneven)
    }

    /// Tiles of the first level in each direction.
    fn tiles(&self) -> (u64, u64) {
        let ((w, h), (tw, th)) = (self.elements(), tile(self.element()));
        (w.div_ceil(tw), h.div_ceil(th))
    }

    /// The first level that is smaller than a tile in one direction.
    fn first_small(&self) -> u32 {
        let ((w, h), (tw, th)) = (self.elements(), tile(self.element()));
        let (bw, bh) = (u64::from(self.format.block.0), u64::from(self.format.block.1));
        let (mut width, mut height, mut level) = (w * bw, h * bh, 0);
        while width.div_ceil(bw) >= tw && height.div_ceil(bh) >= th {
            (width, height, level) = (minify(width, 1), minify(height, 1), level + 1);
        }
        level
    }

    fn large(&self, level: u32) -> ((u64, u64), u64) {
        let (tx, ty) = self.tiles();
        let uneven = |n: u64| n & ((1 << level) - 1) != 0;
        let mut tiles = (tx * ty) >> (2 * level);
        tiles += if uneven(tx) { ty >> level } else { 0 };
        tiles += if uneven(ty) { tx >> level } else { 0 };
        tiles += u64::from(uneven(tx) && uneven(ty));
        (tile(self.element()), tiles * TILE)
    }

    fn small(&self, level: u32, first: u32) -> ((u64, u64), u64) {
        let (w, h) = self.elements();
        let is_block = self.format.is_block();
        let padded = |n: u64| match is_block {
            true => minify(n.next_power_of_two(), first),
            false => minify(n, first).next_power_of_two(),
        };
        let (pw, ph) = (minify(padded(w), level - first), minify(padded(h), level - first));
        let side = match is_block {
            true => pw.min(ph).next_power_of_two(),
            false => minify(w.min(h), level).next_power_of_two(),
        };
        ((side, side), pw * ph * self.element())
    }

    /// Where the metadata is (spec 24.5).
    fn metadata(&self, offset: u64, levels: usize) -> Metadata {
        let along = |size: u32, twice: bool| {
            (u64::from(size) * if twice { 2 } else { 1 }).next_multiple_of(METADATA_TILE)
        };
        let (width, height) = (along(self.size[0], self.samples == 4), along(self.size[1], self.samples > 1));
        let (mut w, mut h, mut all, mut end) = (width, height, Vec::new(), 0);
        for level in 0..levels {
            if width.max(height) >> level < METADATA_TILE {
                break;
            }
            all.push(end);
            let tiles = |n: u64| n.next_power_of_two().div_ceil(METADATA_TILE);
            end += (tiles(w) * tiles(h) * METADATA_BYTES).next_multiple_of(LINE);
            (w, h) = (w.div_ceil(2), h.div_ceil(2));
        }
        Metadata { offset, layer_stride: end, levels: all }
    }
}

/// Width and height of a large tile, of elements of so many bytes (spec 24.2).
fn tile(element: u64) -> (u64, u64) {
    let elements = TILE / element.next_power_of_two();
    let height = 1 << (elements.ilog2() / 2);
    (elements / height, height)
}

impl Layout {
    /// Bytes from the start of the image to a texel, or to the block at a place in elements; `None`
    /// outside of every image.
    #[must_use]
    pub fn texel(&self, level: usize, [x, y, z]: [u64; 3], sample: u64) -> Option<u64> {
        let found = self.levels.get(level)?;
        let (element, most) = (self.image.element(), u64::from(MOST_SIZE));
        if x >= most
            || y >= most
            || z >= u64::from(self.image.size[2])
            || sample >= u64::from(self.image.samples)
        {
            return None;
        }
        let layer = z * self.layer_stride + found.offset;
        if self.image.tiling == Tiling::Linear {
            return Some(layer + y * self.linear_stride + x * element);
        }
        let (tw, th) = found.tile;
        let tile = (y / th) * found.stride.div_ceil(tw) + x / tw;
        let inside = interleave(x % tw, y % th, th.ilog2());
        Some(layer + (tile * tw * th + inside) * element + sample * u64::from(self.image.format.bytes))
    }
}

/// So many bits of x and y by turns, x first; above them the rest of x.
fn interleave(x: u64, y: u64, bits: u32) -> u64 {
    let turns = (0..bits).fold(0, |all, n| all | (x >> n & 1) << (2 * n) | (y >> n & 1) << (2 * n + 1));
    turns | (x >> bits) << (2 * bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(size: [u32; 3]) -> Image {
        Image {
            format: Format::named("R8G8B8A8_UNORM").expect("known"),
            tiling: Tiling::Twiddled,
            size,
            mipmapped: false,
            is_3d: false,
            samples: 1,
            writeable: false,
            renderable: false,
        }
    }

    /// Tiles of 16 KiB are square, or twice as wide as high. spec 24.2
    #[test]
    fn tiles_have_their_sides_by_the_size_of_elements() {
        assert_eq!(
            [1, 2, 4, 8, 12, 16].map(tile),
            [(128, 128), (128, 64), (64, 64), (64, 32), (32, 32), (32, 32)]
        );
    }

    #[test]
    fn what_cannot_be_is_told() {
        let why = |image: Image| image.layout().expect_err("it cannot be");
        assert_eq!(why(image([0, 4, 1])), "an image of 0x4x1; each is 1 to 16384");
        assert_eq!(why(image([4, 16385, 1])), "an image of 4x16385x1; each is 1 to 16384");
        assert_eq!(why(Image { samples: 3, ..image([4, 4, 1]) }), "3 samples; there may be 1, 2 or 4");
        let linear = Image { tiling: Tiling::Linear, mipmapped: true, ..image([4, 4, 1]) };
        assert!(why(linear).starts_with("a linear image has one level"));
    }

    /// Texels of a level have places of their own, within the level.
    #[test]
    fn texels_have_places_of_their_own() {
        for size in [[70, 33, 2], [5, 200, 1], [64, 64, 1]] {
            let layout = Image { mipmapped: true, ..image(size) }.layout().expect("legal");
            for level in 0..layout.levels.len() {
                let half = |n: u32| u64::from((n >> level).max(1));
                let places = (0..half(size[1])).flat_map(|y| (0..half(size[0])).map(move |x| [x, y, 0]));
                let mut found: Vec<u64> = places.filter_map(|place| layout.texel(level, place, 0)).collect();
                let count = found.len();
                found.sort_unstable();
                found.dedup();
                assert_eq!(found.len(), count, "{size:?} {level}");
                let end = layout.levels.get(level + 1).map_or(layout.end, |next| next.offset);
                assert!(found.iter().all(|place| (layout.levels[level].offset..end).contains(place)));
            }
            assert_eq!(layout.texel(0, [u64::MAX, 0, 0], 0), None);
            assert_eq!(layout.texel(99, [0; 3], 0), None);
        }
    }
}
