//! Images in memory: filtering and addressing as Vulkan and OpenGL ES 3 describe them, computed
//! in binary64.
//!
//! 1D, 2D, 3D and cube images with their levels and layers. `level` chooses levels and how far a
//! filter stretches, `filter` weighs texels, `cube` knows which faces are neighbours, `kept` has what was sampled last.

mod cube;
mod filter;
mod kept;
mod level;

use filter::Footprint;
pub use kept::Kept;
pub use level::SampledLevel;

/// What a texel holds: floats as bits of binary32, integers as their bits.
pub type Texel = [u64; 4];

/// The texels of an image, row by row, slice by slice.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Texture {
    /// Width, height, depth or layers; six layers for a cube, in the order +x -x +y -y +z -z. Layers of lines stand in the
    /// place of rows.
    pub size: [u32; 3],
    /// Floats as bits of binary32, integers as they are. Texels that are missing are zero.
    pub texels: Vec<Texel>,
    /// Further levels, the largest first; levels of their own are not looked at.
    pub smaller: Vec<Texture>,
}

/// What a coordinate outside of the image means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Addressing {
    /// The image again and again.
    #[default]
    Repeat,
    /// Again and again, every other time mirrored.
    Mirror,
    /// Mirrored once, then the texel at the edge.
    MirrorOnce,
    /// The texel at the edge.
    Clamp,
    /// The colour of the border.
    Border,
}

/// Which way a comparison holds: of a reference with a texel, of a new depth with the old one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Compare {
    Never,
    Less,
    Equal,
    #[default]
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

/// What becomes of the texels around a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Filter {
    /// The nearest one is taken.
    #[default]
    Nearest,
    /// The nearest ones of each direction are weighed.
    Linear,
}

/// What becomes of levels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mip {
    /// The first one is taken, the others do not exist.
    None,
    /// The nearest one is taken.
    #[default]
    Nearest,
    /// The nearest two are weighed.
    Linear,
}

/// How an image is sampled.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sampler {
    /// The filter where a texel covers a pixel or more.
    pub magnify: Filter,
    /// The filter where a pixel covers more than a texel.
    pub minify: Filter,
    /// Levels.
    pub mip: Mip,
    /// What is outside, for each direction.
    pub addressing: [Addressing; 3],
    /// The colour outside.
    pub border: Texel,
    /// How references are compared.
    pub compare: Compare,
    /// Least and greatest level that is looked at.
    pub levels: [f32; 2],
    /// Added to the level that a shader asks for.
    pub bias: f32,
    /// Most samples along the longer axis of a stretched pixel; 1 is none at all.
    pub anisotropy: f32,
    /// Filters of cubes end at the edge of a face, as in OpenGL ES 2.
    pub faces_apart: bool,
}

impl Default for Sampler {
    /// Nearest texel of the nearest level, repeated.
    fn default() -> Sampler {
        Sampler {
            magnify: Filter::Nearest,
            minify: Filter::Nearest,
            mip: Mip::Nearest,
            addressing: [Addressing::Repeat; 3],
            border: [0; 4],
            compare: Compare::LessEqual,
            levels: [f32::NEG_INFINITY, f32::INFINITY],
            bias: 0.0,
            anisotropy: 1.0,
            faces_apart: false,
        }
    }
}

impl Sampler {
    /// The same filter for texels smaller and larger than pixels.
    #[must_use]
    pub fn filtered(filter: Filter) -> Sampler {
        Sampler { magnify: filter, minify: filter, ..Sampler::default() }
    }
}

/// How an image is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shape {
    /// Its dimensions.
    pub dim: Dim,
    /// Whether a layer stands behind the coordinate.
    pub arrayed: bool,
}

/// Dimensions of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dim {
    /// One coordinate.
    D1,
    /// Two.
    #[default]
    D2,
    /// Three.
    D3,
    /// A direction.
    Cube,
    /// Two, in texels.
    Rect,
}

/// Where the level comes from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Level {
    /// It is given.
    Given(f64),
    /// From the gradients, plus a bias.
    Biased(f64),
}

/// One sample that is asked for. Coordinates and gradients have as many components as the
/// image has; the rest is 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lookup {
    /// Coordinate, with the layer behind it; divided already if it was projected.
    pub at: [f64; 4],
    /// What texels are compared with before they are filtered.
    pub reference: Option<f64>,
    /// Which level.
    pub level: Level,
    /// Change of the coordinate per pixel.
    pub gradients: [[f64; 3]; 2],
    /// Offset in texels.
    pub offset: [i32; 3],
    /// The component of which the four texels around are wanted, each by itself.
    pub gather: Option<u32>,
}

impl Texture {
    /// A filtered texel, or one component of the four around.
    #[must_use]
    pub fn sample(&self, sampler: &Sampler, shape: Shape, lookup: &Lookup) -> Texel {
        let lookup = &if shape.dim == Dim::Cube { cube::on_face(lookup, shape.arrayed) } else { *lookup };
        if let Some(component) = lookup.gather {
            let filter = Filter::Linear;
            let footprint = Footprint { texture: self, sampler, filter, lookup, shape };
            return footprint.gathered(component);
        }
        let plan = level::plan(lookup, shape, self, sampler);
        let mut sum = [0.0; 4];
        for tap in 0..plan.taps {
            let lookup = &plan.tap(lookup, tap);
            for (level, weight) in plan.levels {
                let texture = self.level(level);
                let footprint = Footprint { texture, sampler, filter: plan.filter, lookup, shape };
                let weight = weight / f64::from(plan.taps);
                // What is not weighed stays as it is: integers are.
                match footprint.single() {
                    Some(texel) if weight == 1.0 => return texel,
                    _ if weight > 0.0 => footprint.add(weight, &mut sum),
                    _ => {}
                }
            }
        }
        sum.map(bits)
    }

    /// The level that a lookup comes to.
    #[must_use]
    pub fn sampled_level(&self, sampler: &Sampler, shape: Shape, lookup: &Lookup) -> SampledLevel {
        let lookup = &if shape.dim == Dim::Cube { cube::on_face(lookup, shape.arrayed) } else { *lookup };
        level::plan(lookup, shape, self, sampler).sampled
    }

    /// A level by its number; the last one stands for those behind it.
    #[must_use]
    pub fn level(&self, n: usize) -> &Texture {
        match n.min(self.smaller.len()) {
            0 => self,
            n => &self.smaller[n - 1],
        }
    }

    /// The number of the texel at a place; `None` outside.
    #[must_use]
    pub fn at(&self, at: [i64; 3]) -> Option<usize> {
        let inside = (0..3).all(|i| (0..i64::from(self.size[i])).contains(&at[i]));
        let [width, height, _] = self.size.map(|n| n as usize);
        let [x, y, z] = at.map(|n| n as usize);
        inside.then(|| z.saturating_mul(height).saturating_add(y).saturating_mul(width).saturating_add(x))
    }

    /// The texel at a place; `None` outside.
    #[must_use]
    pub fn texel(&self, at: [i64; 3]) -> Option<Texel> {
        self.at(at).map(|i| self.texels.get(i).copied().unwrap_or_default())
    }
}

impl Shape {
    /// How many numbers say where in a layer: those of a direction for a cube.
    #[must_use]
    pub fn coordinates(self) -> usize {
        if self.dim == Dim::Cube { 3 } else { self.directions() }
    }

    /// How many directions are filtered; the coordinate behind them is the layer.
    fn directions(self) -> usize {
        match self.dim {
            Dim::D1 => 1,
            Dim::D3 => 3,
            Dim::D2 | Dim::Cube | Dim::Rect => 2,
        }
    }
}

/// A channel as a number.
fn float(bits: u64) -> f64 {
    f64::from(f32::from_bits(bits as u32))
}

/// A number as a channel. NaN has one form.
fn bits(value: f64) -> u64 {
    let narrow = if value.is_nan() { f32::NAN } else { value as f32 };
    narrow.to_bits().into()
}

#[cfg(test)]
mod tests;
