//! Images in memory: filtering and addressing as Vulkan describes them, computed in binary64.
//!
//! 1D, 2D, 3D and cube images with their levels and layers. Between levels nothing is
//! filtered: the nearest one is taken. Filters of cubes end at the edge of a face.

mod cube;
mod level;

use super::arith;
use super::image::{Handle, Images, Request, Texel};
use crate::{Dim, ImageType};
use std::collections::HashMap;

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

/// Images and samplers by handle.
#[derive(Clone, Debug, Default)]
pub struct TextureStore {
    /// The images; those that are missing have no texels.
    pub textures: HashMap<Handle, Texture>,
    /// The samplers; those that are missing are nearest and repeat.
    pub samplers: HashMap<Handle, Sampler>,
}

impl Texture {
    /// A level by its number; the last one stands for those behind it.
    fn level(&self, n: usize) -> &Texture {
        match n.min(self.smaller.len()) {
            0 => self,
            n => &self.smaller[n - 1],
        }
    }

    /// The texel at a place; `None` outside.
    fn at(&self, at: [i64; 3]) -> Option<usize> {
        let inside = (0..3).all(|i| (0..i64::from(self.size[i])).contains(&at[i]));
        let [width, height, _] = self.size.map(|n| n as usize);
        let [x, y, z] = at.map(|n| n as usize);
        inside.then(|| z.saturating_mul(height).saturating_add(y).saturating_mul(width).saturating_add(x))
    }

    fn texel(&self, at: [i64; 3]) -> Option<Texel> {
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

/// How many directions are filtered; the coordinate behind them is the layer.
fn directions(ty: &ImageType) -> usize {
    match ty.dim {
        Dim::D1 | Dim::Buffer => 1,
        Dim::D3 => 3,
        _ => 2,
    }
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
    request: &'a Request,
    ty: &'a ImageType,
}

impl Footprint<'_> {
    /// The neighbours of each direction with their weights; of a layer only one.
    fn axes(&self) -> [[(i64, f64); 2]; 3] {
        let filtered = directions(self.ty);
        std::array::from_fn(|i| {
            let at = self.request.at[i];
            match i {
                _ if i < filtered => {
                    let scale = if self.ty.dim == Dim::Rect { 1.0 } else { self.texture.size[i].into() };
                    let x = at * scale + f64::from(self.request.offset[i]);
                    neighbours(x, self.sampler.linear || self.request.how.gather)
                }
                // Layers are rounded and stay within the image.
                _ if i == filtered && (self.ty.arrayed || self.ty.dim == Dim::Cube) => {
                    let last = f64::from(self.texture.size[i].saturating_sub(1));
                    [(at.round_ties_even().clamp(0.0, last) as i64, 1.0), (0, 0.0)]
                }
                _ => [(0, 1.0), (0, 0.0)],
            }
        })
    }

    /// A texel after addressing, compared if a reference is given.
    fn texel(&self, at: [i64; 3]) -> Texel {
        let filtered = directions(self.ty);
        let mut place = at;
        for i in 0..filtered {
            // The faces of a cube have neighbours, not repetitions.
            let cube = self.ty.dim == Dim::Cube;
            let addressing = if cube { Addressing::Clamp } else { self.sampler.addressing[i] };
            match addressing.wrap(at[i], self.texture.size[i]) {
                Some(n) => place[i] = n,
                None => return self.compared(self.sampler.border),
            }
        }
        self.compared(self.texture.texel(place).unwrap_or_default())
    }

    fn compared(&self, texel: Texel) -> Texel {
        if !self.request.how.reference {
            return texel;
        }
        let holds = self.sampler.compare.holds(self.request.reference, arith::float(texel[0], 32));
        [arith::bits(f64::from(u8::from(holds)), 32), 0, 0, 0]
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
                        sum.iter_mut().zip(texel).for_each(|(s, t)| *s += weight * arith::float(t, 32));
                    }
                }
            }
        }
        sum.map(|s| arith::bits(s, 32))
    }

    /// One component of the four texels around, in Vulkan's order.
    fn gathered(&self) -> Texel {
        let [x, y, z] = self.axes();
        let component = if self.request.how.reference { 0 } else { self.request.component.min(3) as usize };
        [(0, 1), (1, 1), (1, 0), (0, 0)].map(|(i, j)| self.texel([x[i].0, y[j].0, z[0].0])[component])
    }
}

impl Images for TextureStore {
    fn sample(&mut self, request: &Request, ty: &ImageType) -> Texel {
        let Some(texture) = self.textures.get(&request.image) else { return [0; 4] };
        let sampler = self.samplers.get(&request.sampler).copied().unwrap_or_default();
        let request = &if ty.dim == Dim::Cube { cube::on_face(request, ty.arrayed) } else { *request };
        let texture = texture.level(level::nearest(request, ty, texture));
        let footprint = Footprint { texture, sampler, request, ty };
        if request.how.gather { footprint.gathered() } else { footprint.filtered() }
    }

    fn read(&mut self, image: Handle, ty: &ImageType, at: [i32; 4], level: i32) -> Texel {
        let place = [at[0].into(), at[1].into(), at[2].into()];
        let level = if ty.storage || ty.multisampled { 0 } else { level.max(0) as usize };
        let texture = self.textures.get(&image).filter(|t| level <= t.smaller.len());
        texture.and_then(|t| t.level(level).texel(place)).unwrap_or_default()
    }

    fn write(&mut self, image: Handle, _: &ImageType, at: [i32; 4], texel: Texel) {
        let place = [at[0].into(), at[1].into(), at[2].into()];
        let Some(texture) = self.textures.get_mut(&image) else { return };
        if let Some(room) = texture.at(place).and_then(|i| texture.texels.get_mut(i)) {
            *room = texel;
        }
    }

    fn size(&mut self, image: Handle, _: &ImageType, level: u32) -> [u32; 3] {
        self.textures.get(&image).map_or([0; 3], |t| t.level(level as usize).size)
    }

    fn counts(&mut self, image: Handle, _: &ImageType) -> [u32; 2] {
        [self.textures.get(&image).map_or(0, |t| 1 + t.smaller.len() as u32), 1]
    }
}

#[cfg(test)]
mod tests;
