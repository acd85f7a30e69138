//! Images in memory: filtering and addressing as Vulkan describes them, computed in binary64.
//!
//! 1D, 2D, 3D and cube images with their levels and layers. Between levels nothing is
//! filtered: the nearest one is taken. Filters of cubes end at the edge of a face.

mod cube;
mod level;

/// What a texel holds: floats as bits of binary32, integers as their bits.
pub type Texel = [u64; 4];

/// The texels of an image, row by row, slice by slice.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Texture {
    /// Width, height, depth or layers; six layers for a cube, in the order +x -x +y -y +z -z.
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
    /// The texel at the edge.
    Clamp,
    /// The colour of the border.
    Border,
}

/// Which way a comparison holds: reference, then texel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Compare {
    Less,
    #[default]
    LessEqual,
    Greater,
    GreaterEqual,
}

/// How an image is sampled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sampler {
    /// Weighs the nearest texels of each direction; else the nearest one is taken.
    pub linear: bool,
    /// What is outside, for each direction.
    pub addressing: [Addressing; 3],
    /// The colour outside.
    pub border: Texel,
    /// How references are compared.
    pub compare: Compare,
}

/// How an image is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Its dimensions.
    pub dim: Dim,
    /// Whether a layer stands behind the coordinate.
    pub arrayed: bool,
}

/// Dimensions of an image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dim {
    /// One coordinate.
    D1,
    /// Two.
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
        let texture = self.level(level::nearest(lookup, shape, self));
        let footprint = Footprint { texture, sampler: *sampler, lookup, shape };
        match lookup.gather {
            Some(component) => footprint.gathered(component),
            None => footprint.filtered(),
        }
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

impl Addressing {
    /// The texel that a number of a direction with `size` texels means; `None` is the border.
    fn wrap(self, n: i64, size: u32) -> Option<i64> {
        let size = i64::from(size.max(1));
        match self {
            Addressing::Repeat => Some(n.rem_euclid(size)),
            Addressing::Mirror => {
                let round = n.rem_euclid(2 * size);
                Some(round.min(2 * size - 1 - round))
            }
            Addressing::Clamp => Some(n.clamp(0, size - 1)),
            Addressing::Border => (0..size).contains(&n).then_some(n),
        }
    }
}

impl Compare {
    fn holds(self, reference: f64, texel: f64) -> bool {
        match self {
            Compare::Less => reference < texel,
            Compare::LessEqual => reference <= texel,
            Compare::Greater => reference > texel,
            Compare::GreaterEqual => reference >= texel,
        }
    }
}

impl Shape {
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

/// A coordinate in texels, as two neighbours and the weight of the second.
fn neighbours(x: f64, linear: bool) -> [(i64, f64); 2] {
    if !linear {
        return [(x.floor() as i64, 1.0), (x.floor() as i64, 0.0)];
    }
    let low = (x - 0.5).floor();
    let weight = x - 0.5 - low;
    [(low as i64, 1.0 - weight), ((low as i64).saturating_add(1), weight)]
}

/// One sample in progress.
struct Footprint<'a> {
    texture: &'a Texture,
    sampler: Sampler,
    lookup: &'a Lookup,
    shape: Shape,
}

impl Footprint<'_> {
    /// The neighbours of each direction with their weights; of a layer only one.
    fn axes(&self) -> [[(i64, f64); 2]; 3] {
        let filtered = self.shape.directions();
        std::array::from_fn(|i| {
            let at = self.lookup.at[i];
            match i {
                _ if i < filtered => {
                    let scale = if self.shape.dim == Dim::Rect { 1.0 } else { self.texture.size[i].into() };
                    let x = at * scale + f64::from(self.lookup.offset[i]);
                    neighbours(x, self.sampler.linear || self.lookup.gather.is_some())
                }
                // Layers are rounded and stay within the image.
                _ if i == filtered && (self.shape.arrayed || self.shape.dim == Dim::Cube) => {
                    let last = f64::from(self.texture.size[i].saturating_sub(1));
                    [(at.round_ties_even().clamp(0.0, last) as i64, 1.0), (0, 0.0)]
                }
                _ => [(0, 1.0), (0, 0.0)],
            }
        })
    }

    /// A texel after addressing, compared if a reference is given.
    fn texel(&self, at: [i64; 3]) -> Texel {
        let filtered = self.shape.directions();
        let mut place = at;
        for i in 0..filtered {
            // The faces of a cube have neighbours, not repetitions.
            let cube = self.shape.dim == Dim::Cube;
            let addressing = if cube { Addressing::Clamp } else { self.sampler.addressing[i] };
            match addressing.wrap(at[i], self.texture.size[i]) {
                Some(n) => place[i] = n,
                None => return self.compared(self.sampler.border),
            }
        }
        self.compared(self.texture.texel(place).unwrap_or_default())
    }

    fn compared(&self, texel: Texel) -> Texel {
        let Some(reference) = self.lookup.reference else { return texel };
        let holds = self.sampler.compare.holds(reference, float(texel[0]));
        [bits(f64::from(u8::from(holds))), 0, 0, 0]
    }

    /// The weighted sum of the texels around; integers are not filtered.
    fn filtered(&self) -> Texel {
        let [x, y, z] = self.axes();
        let mut sum = [0.0; 4];
        for (c, wc) in z {
            for (b, wb) in y {
                for (a, wa) in x {
                    let weight = wa * wb * wc;
                    if weight == 1.0 {
                        return self.texel([a, b, c]);
                    }
                    if weight > 0.0 {
                        let texel = self.texel([a, b, c]);
                        sum.iter_mut().zip(texel).for_each(|(s, t)| *s += weight * float(t));
                    }
                }
            }
        }
        sum.map(bits)
    }

    /// One component of the four texels around, in Vulkan's order.
    fn gathered(&self, component: u32) -> Texel {
        let [x, y, z] = self.axes();
        let component = if self.lookup.reference.is_some() { 0 } else { component.min(3) as usize };
        [(0, 1), (1, 1), (1, 0), (0, 0)].map(|(i, j)| self.texel([x[i].0, y[j].0, z[0].0])[component])
    }
}

#[cfg(test)]
mod tests;
