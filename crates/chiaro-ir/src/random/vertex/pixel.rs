//! What only fragments have: textures, images, their quads, their place, an early end.
//!
//! Where a quad is one fragment four times, or a fragment runs alone, lanes tell each other what they know: only such
//! operations are drawn, so that whoever runs the shader may run it either way.

use super::{Draw, Pool, add};
use crate::random::images::Images;
use crate::{
    Binding, Builder, Combine, Dim, GlobalRef, Group, ImageType, Interpolation, Module, Op, Query, Sampling,
    Space, Type, Value,
};

/// SPIR-V's numbers of built-ins.
const FRAG_COORD: u32 = 15;
const FRONT_FACING: u32 = 17;
const FRAG_DEPTH: u32 = 22;
/// SPIR-V's number of four floats of 32 bits.
const RGBA32F: u8 = 1;
/// Of so many shaders one leaves a depth, and one texels.
const DEPTHS: u64 = 8;
const STORES: u64 = 8;

/// Variables of a fragment shader.
pub(super) struct Pixels {
    /// Its place and side.
    pub(super) inputs: [GlobalRef; 2],
    /// Textures that are sampled, with their shapes.
    textures: Vec<(GlobalRef, ImageType)>,
    /// An image that is read.
    image: GlobalRef,
    /// Images that it leaves something in, if it does.
    stored: Option<Images>,
    /// Where its depth goes, if it leaves one.
    pub(super) depth: Option<GlobalRef>,
}

impl Pixels {
    /// Adds them to a module; some shaders leave a depth as well.
    pub(super) fn add(module: &mut Module, seed: u64) -> Pixels {
        let types = &mut module.types;
        let (f32, bool) = (types.intern(Type::Float(32)), types.intern(Type::Bool));
        let vec4 = types.vector(f32, 4);
        let builtin = |number| Binding { builtin: Some(number), ..Binding::default() };
        let place = add(module, "place", Space::Input, vec4, builtin(FRAG_COORD));
        let side = Binding { interpolation: Interpolation::Flat, ..builtin(FRONT_FACING) };
        let side = add(module, "side", Space::Input, bool, side);
        let plain = ImageType::sampled(f32, Dim::D2);
        let shapes = [
            ("flat", plain),
            ("layers", ImageType { arrayed: true, ..plain }),
            ("room", ImageType { dim: Dim::D3, ..plain }),
            ("around", ImageType { dim: Dim::Cube, ..plain }),
            ("shadow", ImageType { depth: true, ..plain }),
        ];
        let bound = |n| Binding { set: Some(0), binding: Some(n), ..Binding::default() };
        let textures = shapes.iter().zip(1..).map(|(&(name, image), n)| {
            let ty = module.types.intern(Type::SampledImage(image));
            (add(module, name, Space::UniformConstant, ty, bound(n)), image)
        });
        let textures = textures.collect();
        let stored = module.types.intern(Type::Image(ImageType { storage: true, format: RGBA32F, ..plain }));
        let image = add(module, "image", Space::UniformConstant, stored, bound(6));
        let has_depth = seed % DEPTHS == 3;
        let depth = has_depth.then(|| add(module, "depth", Space::Output, f32, builtin(FRAG_DEPTH)));
        let stored = (seed % STORES == 6).then(|| Images::add(module, 7));
        Pixels { inputs: [place, side], textures, image, stored, depth }
    }
}

impl Draw<'_> {
    pub(super) fn of_pixel(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        if let Some(images) = self.world.pixels.as_ref().and_then(|pixels| pixels.stored.as_ref())
            && self.rng.once_in(4)
        {
            return self.stored(b, pool, images);
        }
        match self.rng.below(16) {
            0..=4 => self.texture(b, pool),
            5 => self.texel(b, pool),
            6..=8 => self.change(b, pool),
            9..=11 => self.in_quad(b, pool),
            12 => {
                self.end_early(b, pool);
                self.pick(b, pool, self.world.floats[0])
            }
            _ => self.arithmetic(b, pool),
        }
    }

    /// A texture where its coordinates say, in every way that it can be asked.
    fn texture(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let Some(pixels) = &self.world.pixels else { return self.arithmetic(b, pool) };
        let (g, image) = pixels.textures[self.rng.below(pixels.textures.len())];
        let pointer = b.global(g);
        let sampled = b.load(pointer);
        let flat = image.dim == Dim::D2 && !image.arrayed;
        let floats = self.world.floats;
        // Directions of no length lead nowhere.
        let wanted = if flat { 1 } else { 2 };
        let at = self.pick(b, pool, floats[wanted]);
        let at = self.tame(b, at);
        let at = if image.dim == Dim::Cube { self.direction(b, at) } else { at };
        if self.rng.once_in(10) {
            return self.query(b, sampled);
        }
        let mut how = Sampling { reference: image.depth, ..Sampling::default() };
        let mut more = Vec::new();
        if image.depth {
            more.push(self.pick(b, pool, floats[0]));
        }
        // What is sampled in places that not all reach has its level said.
        let is_apart = self.depth > 0;
        match self.rng.below(5) {
            0 if flat => {
                how.gather = true;
                if !image.depth {
                    more.push(b.u32(self.rng.below(4) as u32));
                }
            }
            1 if !is_apart => {
                how.bias = true;
                more.push(self.small_float(b, pool));
            }
            2 if !image.depth || flat => {
                how.gradients = true;
                more.extend(
                    [0, 1].map(|_| self.pick(b, pool, floats[if flat || image.arrayed { 1 } else { 2 }])),
                );
            }
            _ if is_apart || self.rng.once_in(2) => {
                how.level = true;
                more.push(self.small_float(b, pool));
            }
            _ => {}
        }
        if image.dim != Dim::Cube && self.rng.once_in(6) {
            how.offset = true;
            let offset = self.offset(b, if image.dim == Dim::D3 { 3 } else { 2 });
            let place = if how.gather && !image.depth { more.len() - 1 } else { more.len() };
            more.insert(place, offset);
        }
        b.sample(how, sampled, at, &more)
    }

    fn small_float(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let x = self.pick(b, pool, self.world.floats[0]);
        let (low, high) = (b.f32(-2.0), b.f32(2.0));
        b.fclamp(x, low, high)
    }

    /// A direction that has a length.
    fn direction(&mut self, b: &mut Builder<'_>, at: Value) -> Value {
        let z = b.extract(at, 2);
        let (size, one) = (b.fabs(z), b.f32(1.0));
        let z = b.fadd(size, one);
        b.insert(at, 2, z)
    }

    /// A constant offset in texels.
    fn offset(&mut self, b: &mut Builder<'_>, axes: u8) -> Value {
        let parts: Vec<Value> = (0..axes).map(|_| b.i32(self.rng.below(5) as i32 - 2)).collect();
        b.vector(&parts)
    }

    /// Its width and how many levels there are, as floats.
    fn query(&mut self, b: &mut Builder<'_>, sampled: Value) -> Value {
        let image = b.image_of(sampled);
        let f32 = self.world.floats[0];
        let number = match self.rng.below(2) {
            0 => b.op(Op::ImageQuery(Query::Levels), &[image]),
            _ => {
                let level = b.i32(0);
                let ty = b.ty(image);
                let dim = b.types().image(ty).map_or(Dim::D2, |image| image.dim);
                let arrayed = b.types().image(ty).is_some_and(|image| image.arrayed);
                let axes = if dim == Dim::D3 || arrayed { 3 } else { 2 };
                let i32 = self.world.i32;
                let sizes = b.types().vector(i32, axes);
                let size = b.op_as(Op::ImageQuery(Query::Size), &[image, level], sizes);
                b.extract(size, 0)
            }
        };
        b.convert(Op::SToF, number, f32)
    }

    /// The first texel of a texture, or of the image.
    fn texel(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let Some(pixels) = &self.world.pixels else { return self.arithmetic(b, pool) };
        let n = self.pick(b, pool, self.world.i32);
        // Nobody knows that it is 0.
        let (mask, three) = (b.i32(-4), b.i32(3));
        let n = b.and(n, mask);
        let n = b.and(n, three);
        let at = b.vector(&[n, n]);
        if self.rng.once_in(2) {
            let pointer = b.global(pixels.image);
            let image = b.load(pointer);
            return b.op(Op::ImageRead, &[image, at]);
        }
        let pointer = b.global(pixels.textures[0].0);
        let sampled = b.load(pointer);
        let (image, level) = (b.image_of(sampled), b.i32(0));
        b.op(Op::Fetch, &[image, at, level])
    }

    /// What an image that is stored to holds, leaves or counts. Every fragment has images of its own.
    fn stored(&mut self, b: &mut Builder<'_>, pool: &Pool, images: &Images) -> Value {
        let (i32, f32) = (self.world.i32, self.world.floats[0]);
        let numbers: [Value; 4] = std::array::from_fn(|_| self.pick(b, pool, i32));
        let at = [numbers[0], numbers[1]];
        let number = match self.rng.below(5) {
            0 => {
                let texel = images.read(b, at);
                b.extract(texel, self.rng.below(4) as u32)
            }
            // What helpers find is nobody's promise, so that the quad must not ask for it.
            1 | 2 => {
                let row = self.rng.below(4);
                images.count(b, numbers[0], row, numbers[1]);
                numbers[1]
            }
            3 => {
                let texel = b.vector(&numbers);
                images.write(b, at, texel);
                numbers[2]
            }
            _ => {
                let colour = self.pick(b, pool, self.world.floats[3]);
                images.write(b, at, colour);
                numbers[3]
            }
        };
        b.convert(Op::SToF, number, f32)
    }

    /// A change across the quad.
    fn change(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = self.float();
        let x = self.pick(b, pool, ty);
        let ops = [Op::Ddx, Op::Ddy, Op::DdxFine, Op::DdyFine, Op::DdxCoarse, Op::DdyCoarse];
        let change = b.op(ops[self.rng.below(ops.len())], &[x]);
        let y = self.pick(b, pool, ty);
        b.fadd(y, change)
    }

    /// What lanes of a quad tell each other.
    fn in_quad(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = if self.rng.once_in(3) { self.world.i32 } else { self.float() };
        let x = self.pick(b, pool, ty);
        match self.rng.below(3) {
            0 => b.op_as(Op::QuadSwap(self.rng.below(3) as u8), &[x], ty),
            1 => {
                let n = b.u32(self.rng.below(4) as u32);
                b.op_as(Op::QuadBroadcast, &[x, n], ty)
            }
            _ => {
                let of = match b.types().is_float(ty) {
                    true => [Combine::FMin, Combine::FMax][self.rng.below(2)],
                    false => [Combine::SMin, Combine::SMax, Combine::And, Combine::Or][self.rng.below(4)],
                };
                b.op_as(Op::LaneCombine(of, Group::Clustered(1 << self.rng.below(3))), &[x], ty)
            }
        }
    }

    /// Some fragments end, or go on as helpers.
    fn end_early(&mut self, b: &mut Builder<'_>, pool: &Pool) {
        let condition = self.condition(b, pool);
        let goes_on = self.rng.once_in(2);
        b.when(condition, |b, _| if goes_on { b.op_void(Op::Demote, &[]) } else { b.terminate() });
    }
}
