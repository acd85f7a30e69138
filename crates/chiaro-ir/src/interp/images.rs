//! Images and samplers, as the caller holds them.

use crate::{GlobalRef, ImageType, Sampling};
pub use chiaro_sim::texture::Texel;

/// Which image or sampler: a variable of the module and, in an array of them, the element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Handle {
    /// The variable.
    pub global: GlobalRef,
    /// The element of the array, 0 if it is none.
    pub element: u32,
}

impl Handle {
    /// 16 bits of variable plus one, 16 of element: 0 is no handle.
    pub(super) fn of(bits: u64) -> Handle {
        let global = (bits as u32 >> 16).wrapping_sub(1);
        Handle { global: GlobalRef(global), element: bits as u32 & 0xffff }
    }
    pub(super) fn bits(self) -> u64 {
        u64::from(self.global.0.wrapping_add(1) << 16 | self.element & 0xffff)
    }
}

/// One sample that is asked for. Coordinates and gradients have as many components as the
/// image has; the rest is 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Request {
    /// The image.
    pub image: Handle,
    /// The sampler.
    pub sampler: Handle,
    /// Which operands were given.
    pub how: Sampling,
    /// Coordinate, with the layer behind it; divided already if it was projected.
    pub at: [f64; 4],
    /// Reference to compare with.
    pub reference: f64,
    /// Bias, or level, as the flags say.
    pub level: f64,
    /// Change of the coordinate per pixel: given, or taken from the quad.
    pub gradients: [[f64; 3]; 2],
    /// Offset in texels.
    pub offset: [i32; 3],
    /// Component of a gather.
    pub component: u32,
}

/// The images of a run. Floats are given and taken as bits of binary32.
pub trait Images {
    /// Filtered texels, or one component of four of them.
    fn sample(&mut self, request: &Request, ty: &ImageType) -> Texel;
    /// A texel by coordinate; the last number is the level of a sampled image or the sample.
    fn read(&mut self, image: Handle, ty: &ImageType, at: [i32; 4], level: i32) -> Texel;
    /// Writes a texel of a storage image.
    fn write(&mut self, image: Handle, ty: &ImageType, at: [i32; 4], texel: Texel);
    /// The same, with how far other correct implementations may be off in each component.
    fn write_about(
        &mut self,
        image: Handle,
        ty: &ImageType,
        at: [i32; 4],
        (texel, _errors): (Texel, [f64; 4]),
    ) {
        self.write(image, ty, at, texel);
    }
    /// Width, height, depth or layers of a level.
    fn size(&mut self, image: Handle, ty: &ImageType, level: u32) -> [u32; 3];
    /// The level that a sample would take within those of its sampler, and as the gradients have it.
    fn levels(&mut self, _request: &Request, _ty: &ImageType) -> [f64; 2] {
        [0.0; 2]
    }
    /// How many levels and samples.
    fn counts(&mut self, _image: Handle, _ty: &ImageType) -> [u32; 2] {
        [1, 1]
    }
}

/// No images: reads give zeros, writes have no effect.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoImages;

impl Images for NoImages {
    fn sample(&mut self, _: &Request, _: &ImageType) -> Texel {
        [0; 4]
    }
    fn read(&mut self, _: Handle, _: &ImageType, _: [i32; 4], _: i32) -> Texel {
        [0; 4]
    }
    fn write(&mut self, _: Handle, _: &ImageType, _: [i32; 4], _: Texel) {}
    fn size(&mut self, _: Handle, _: &ImageType, _: u32) -> [u32; 3] {
        [0; 3]
    }
}
