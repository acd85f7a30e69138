//! Images in memory for a run: the sampler of [`chiaro_sim::texture`] behind [`Images`].

use std::collections::HashMap;

use chiaro_sim::texture::{self, Level, Lookup, Sampler, Shape, Texture};

use super::images::{Handle, Images, Request, Texel};
use crate::{Dim, ImageType};

/// Images and samplers by handle.
#[derive(Clone, Debug, Default)]
pub struct TextureStore {
    /// The images; those that are missing have no texels.
    pub textures: HashMap<Handle, Texture>,
    /// The samplers; those that are missing are that of the image, or nearest and repeat.
    pub samplers: HashMap<Handle, Sampler>,
}

impl From<&ImageType> for Shape {
    fn from(ty: &ImageType) -> Shape {
        let dim = match ty.dim {
            Dim::D1 | Dim::Buffer => texture::Dim::D1,
            Dim::D2 | Dim::Subpass => texture::Dim::D2,
            Dim::D3 => texture::Dim::D3,
            Dim::Cube => texture::Dim::Cube,
            Dim::Rect => texture::Dim::Rect,
        };
        Shape { dim, arrayed: ty.arrayed }
    }
}

impl From<&Request> for Lookup {
    fn from(request: &Request) -> Lookup {
        let Request { how, at, gradients, offset, .. } = *request;
        Lookup {
            at,
            reference: how.reference.then_some(request.reference),
            level: if how.level { Level::Given(request.level) } else { Level::Biased(request.level) },
            gradients,
            offset,
            gather: how.gather.then_some(request.component),
        }
    }
}

impl TextureStore {
    /// The sampler of a request; one that nobody gave is that of the image.
    fn sampler(&self, request: &Request) -> Sampler {
        let own = self.samplers.get(&request.sampler).or_else(|| self.samplers.get(&request.image));
        own.copied().unwrap_or_default()
    }
}

impl Images for TextureStore {
    fn sample(&mut self, request: &Request, ty: &ImageType) -> Texel {
        let Some(texture) = self.textures.get(&request.image) else { return [0; 4] };
        texture.sample(&self.sampler(request), ty.into(), &request.into())
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

    fn levels(&mut self, request: &Request, ty: &ImageType) -> [f64; 2] {
        let Some(texture) = self.textures.get(&request.image) else { return [0.0; 2] };
        let level = texture.sampled_level(&self.sampler(request), ty.into(), &request.into());
        [level.clamped, level.computed]
    }

    fn counts(&mut self, image: Handle, _: &ImageType) -> [u32; 2] {
        [self.textures.get(&image).map_or(0, |t| 1 + t.smaller.len() as u32), 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GlobalRef, Ty};

    const IMAGE: Handle = Handle { global: GlobalRef(0), element: 0 };
    const OTHER: Handle = Handle { global: GlobalRef(1), element: 0 };
    const TYPE: ImageType = ImageType::sampled(Ty(0), Dim::D2);

    #[test]
    fn texels_are_read_and_written_within() {
        let mut store = TextureStore::default();
        let small = Texture { size: [1; 3], texels: vec![[9; 4]], smaller: Vec::new() };
        let large = Texture { size: [2, 2, 1], texels: vec![[1; 4]; 4], smaller: vec![small] };
        store.textures.insert(IMAGE, large);
        store.write(IMAGE, &TYPE, [1, 0, 0, 0], [7, 8, 9, 10]);
        store.write(IMAGE, &TYPE, [2, 0, 0, 0], [2; 4]);
        assert_eq!(store.read(IMAGE, &TYPE, [1, 0, 0, 0], 0), [7, 8, 9, 10]);
        assert_eq!(store.read(IMAGE, &TYPE, [0, -1, 0, 0], 0), [0; 4]);
        assert_eq!(store.read(IMAGE, &TYPE, [0; 4], 1), [9; 4]);
        assert_eq!(store.size(IMAGE, &TYPE, 0), [2, 2, 1]);
        assert_eq!(store.counts(IMAGE, &TYPE), [2, 1]);
        assert_eq!(store.read(OTHER, &TYPE, [0; 4], 0), [0; 4]);
    }
}
