//! The images that checked compilation gives to shaders: a texel each, whose numbers tell variables,
//! elements and components apart. Coordinates choose nothing, since rounding would choose with them.

use chiaro_ir::interp::{Handle, Images, Request, Texel};
use chiaro_ir::{Dim, ImageType, Module, Type};
use chiaro_sim::texture::{Compare, Sampler, Texture};

/// Images of one texel.
#[derive(Clone, Copy, Debug)]
pub struct Plain<'a> {
    module: &'a Module,
}

/// Colours are this many apart, in steps of exact floats.
const STEPS: u32 = 64;

impl<'a> Plain<'a> {
    /// Those of a module.
    #[must_use]
    pub fn new(module: &'a Module) -> Plain<'a> {
        Plain { module }
    }

    /// The one texel of an image. A comparison with it holds always.
    #[must_use]
    pub fn texel(&self, image: Handle, ty: &ImageType) -> Texel {
        if ty.depth {
            let one = 1f32.to_bits().into();
            return [one, 0, 0, one];
        }
        let is_float = matches!(self.module.types.get(ty.component), Type::Float(_));
        std::array::from_fn(|channel| {
            let number =
                (image.global.0 % STEPS * 13 + image.element % STEPS * 5 + channel as u32 * 17 + 3) % STEPS;
            if is_float { (number as f32 / STEPS as f32).to_bits().into() } else { number.into() }
        })
    }

    /// An image as a machine binds it.
    #[must_use]
    pub fn bound(&self, image: Handle, ty: &ImageType) -> (Texture, Sampler) {
        let layers = if ty.dim == Dim::Cube { 6 } else { 1 };
        let texels = vec![self.texel(image, ty); layers];
        let texture = Texture { size: [1, 1, layers as u32], texels, smaller: Vec::new() };
        (texture, Plain::sampler())
    }

    /// How they are all sampled.
    #[must_use]
    pub fn sampler() -> Sampler {
        Sampler { compare: Compare::Always, ..Sampler::default() }
    }
}

impl Images for Plain<'_> {
    fn sample(&mut self, request: &Request, ty: &ImageType) -> Texel {
        let texel = self.texel(request.image, ty);
        if request.how.gather { [texel[(request.component & 3) as usize]; 4] } else { texel }
    }

    fn read(&mut self, image: Handle, ty: &ImageType, at: [i32; 4], level: i32) -> Texel {
        if at == [0; 4] && level == 0 { self.texel(image, ty) } else { [0; 4] }
    }

    fn write(&mut self, _: Handle, _: &ImageType, _: [i32; 4], _: Texel) {}

    fn size(&mut self, _: Handle, _: &ImageType, _: u32) -> [u32; 3] {
        [1; 3]
    }

    fn levels(&mut self, request: &Request, ty: &ImageType) -> [f64; 2] {
        let (texture, sampler) = self.bound(request.image, ty);
        let level = texture.sampled_level(&sampler, ty.into(), &request.into());
        [level.clamped, level.computed]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chiaro_ir::GlobalRef;

    /// What a shader is told of an image is what a machine binds.
    #[test]
    fn images_are_as_large_as_what_is_bound() {
        let mut module = Module::default();
        let component = module.types.intern(Type::Float(32));
        let mut images = Plain::new(&module);
        for dim in [Dim::D1, Dim::D2, Dim::D3] {
            let (image, ty) =
                (Handle { global: GlobalRef(3), element: 0 }, ImageType::sampled(component, dim));
            let (texture, _) = images.bound(image, &ty);
            assert_eq!((images.size(image, &ty, 0), texture.texels.len()), (texture.size, 1));
        }
    }
}
