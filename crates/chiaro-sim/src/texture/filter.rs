//! Weighing the texels around a place of one level.
//!
//! [Vulkan, "Texel Filtering", "Wrapping Operation", "Depth Compare Operation"]

use super::{Addressing, Compare, Dim, Filter, Lookup, Sampler, Shape, Texel, Texture, bits, cube, float};

/// One sample of one level in progress.
pub(super) struct Footprint<'a> {
    pub(super) texture: &'a Texture,
    pub(super) sampler: &'a Sampler,
    pub(super) filter: Filter,
    pub(super) lookup: &'a Lookup,
    pub(super) shape: Shape,
}

/// Two neighbours of a direction with their weights.
type Axis = [(i64, f64); 2];

/// A coordinate in texels, as two neighbours and the weight of the second.
fn neighbours(x: f64, filter: Filter) -> Axis {
    if filter == Filter::Nearest {
        return [(x.floor() as i64, 1.0), (x.floor() as i64, 0.0)];
    }
    let low = (x - 0.5).floor();
    let weight = x - 0.5 - low;
    [(low as i64, 1.0 - weight), ((low as i64).saturating_add(1), weight)]
}

impl Footprint<'_> {
    /// The neighbours of each direction with their weights; of a layer only one.
    fn axes(&self) -> [Axis; 3] {
        let filtered = self.shape.directions();
        std::array::from_fn(|i| {
            let at = self.lookup.at[i];
            match i {
                _ if i < filtered => {
                    let scale = if self.shape.dim == Dim::Rect { 1.0 } else { self.texture.size[i].into() };
                    neighbours(at * scale + f64::from(self.lookup.offset[i]), self.filter)
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

    /// The texel, if it is one alone.
    pub(super) fn single(&self) -> Option<Texel> {
        let axes = self.axes();
        let whole = |axis: &Axis| axis.iter().find(|(_, weight)| *weight == 1.0).map(|(at, _)| *at);
        let [x, y, z] = [whole(&axes[0])?, whole(&axes[1])?, whole(&axes[2])?];
        Some(self.texel([x, y, z]))
    }

    /// Adds the weighted sum of the texels around.
    pub(super) fn add(&self, weight: f64, sum: &mut [f64; 4]) {
        let [x, y, z] = self.axes();
        for (c, wc) in z {
            for (b, wb) in y {
                for (a, wa) in x {
                    let weight = weight * wa * wb * wc;
                    if weight > 0.0 {
                        let texel = self.texel([a, b, c]);
                        sum.iter_mut().zip(texel).for_each(|(s, t)| *s += weight * float(t));
                    }
                }
            }
        }
    }

    /// One component of the four texels around, in Vulkan's order.
    pub(super) fn gathered(&self, component: u32) -> Texel {
        let [x, y, z] = self.axes();
        let component = if self.lookup.reference.is_some() { 0 } else { component.min(3) as usize };
        [(0, 1), (1, 1), (1, 0), (0, 0)].map(|(i, j)| self.texel([x[i].0, y[j].0, z[0].0])[component])
    }

    /// A texel after addressing, compared if a reference is given.
    fn texel(&self, at: [i64; 3]) -> Texel {
        if self.shape.dim == Dim::Cube {
            return self.texel_of_cube(at);
        }
        let mut place = at;
        for i in 0..self.shape.directions() {
            match self.sampler.addressing[i].wrap(at[i], self.texture.size[i]) {
                Some(n) => place[i] = n,
                None => return self.compared(self.sampler.border),
            }
        }
        self.compared(self.texture.texel(place).unwrap_or_default())
    }

    /// A texel of a face, or of the face beside it. Three faces meet at a corner: the texel that
    /// there is not is the mean of their three. [Vulkan, "Cube Map Edge Handling"]
    fn texel_of_cube(&self, [x, y, layer]: [i64; 3]) -> Texel {
        let size = i64::from(self.texture.size[0].max(1));
        let (inner_x, inner_y) = (x.clamp(0, size - 1), y.clamp(0, size - 1));
        let plain = |at: [i64; 3]| self.compared(self.texture.texel(at).unwrap_or_default());
        if self.sampler.faces_apart || (x, y) == (inner_x, inner_y) {
            return plain([inner_x, inner_y, layer]);
        }
        if x != inner_x && y != inner_y {
            let three = [[inner_x, inner_y], [x, inner_y], [inner_x, y]];
            let texels = three.map(|[x, y]| self.texel_of_cube([x, y, layer]));
            return std::array::from_fn(|i| bits(texels.iter().map(|t| float(t[i])).sum::<f64>() / 3.0));
        }
        let [x, y, face] = cube::neighbour([x, y], layer.rem_euclid(6), size);
        plain([x, y, layer - layer.rem_euclid(6) + face])
    }

    fn compared(&self, texel: Texel) -> Texel {
        let Some(reference) = self.lookup.reference else { return texel };
        let holds = self.sampler.compare.holds(reference, float(texel[0]));
        [bits(f64::from(u8::from(holds))), 0, 0, 0]
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
            Addressing::MirrorOnce => Some(n.max(-1 - n).clamp(0, size - 1)),
            Addressing::Clamp => Some(n.clamp(0, size - 1)),
            Addressing::Border => (0..size).contains(&n).then_some(n),
        }
    }
}

impl Compare {
    /// Whether it holds for a first number and a second one.
    #[must_use]
    pub fn holds(self, first: f64, second: f64) -> bool {
        match self {
            Compare::Never => false,
            Compare::Less => first < second,
            Compare::Equal => first == second,
            Compare::LessEqual => first <= second,
            Compare::Greater => first > second,
            Compare::NotEqual => first != second,
            Compare::GreaterEqual => first >= second,
            Compare::Always => true,
        }
    }
}
