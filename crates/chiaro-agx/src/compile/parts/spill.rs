//! Render targets without room in the tilebuffer: images in memory, which the heap of textures has descriptors of
//! (spec 14.4, 18.2).
//!
//! A sample is stored if it lives and its pixel lies in the image. Who looks at what is there waits for the pixels
//! before; selection puts the fences.

use chiaro_ir::{Dim, ImageType, Op as Ir, Query, Space, Type, Value};

use super::draft::Build;
use crate::compile::select::Bound;

/// Special registers: place of the pixel, its layer, its samples that live.
const COLUMN: u8 = 80;
const ROW: u8 = 81;
const LAYER: u8 = 2;
const LIVING: u8 = 60;
/// A column that no image has (spec 23.10), and a sample that leads to a row that there is not where samples are texels of
/// rows.
const OUTSIDE: u32 = 0xfff0;
const OUTSIDE_ROWS: u32 = 0x8000 << 14;
/// Components of what is stored.
const COMPONENTS: usize = 4;

/// Where a target is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spilled {
    /// Its descriptor among those of the heap, behind which that for stores stands.
    pub(super) state: u16,
    /// Bytes of a sample.
    pub(super) bytes: u8,
    /// Pixels have several samples.
    pub(super) is_sampled: bool,
}

impl Spilled {
    fn image(self, d: &mut Build<'_>, is_integer: bool) -> Value {
        let component = if is_integer { d.int(32) } else { d.float(32) };
        let ty = d.b.types().intern(Type::Image(ImageType {
            component,
            signed: false,
            dim: Dim::D2,
            arrayed: true,
            multisampled: self.is_sampled,
            depth: false,
            storage: true,
            format: 0,
        }));
        let name = format!("spilled target, descriptor {}", self.state);
        let bound = Bound::Heap { state: self.state, bytes: self.bytes };
        let place = d.variable(Space::UniformConstant, &name, ty, bound);
        d.b.load(place)
    }

    /// Its texel.
    fn texel(self, d: &mut Build<'_>) -> [Value; 3] {
        [("column", COLUMN), ("row", ROW), ("layer", LAYER)].map(|(name, number)| d.special(name, number))
    }

    /// Which sample a mask of one names; nothing where there are no others.
    fn sample(self, d: &mut Build<'_>, mask: Value) -> Option<Value> {
        self.is_sampled.then(|| match d.known(mask) {
            Some(mask) => d.b.u32(mask.trailing_zeros()),
            None => {
                let word = d.int(32);
                let mask = d.convert(Ir::ZExt, mask, word);
                d.b.op(Ir::FindUMsb, &[mask])
            }
        })
    }

    /// The components that it has, in 32 bits.
    pub(super) fn load(self, d: &mut Build<'_>, is_integer: bool, mask: Value) -> [Value; COMPONENTS] {
        let image = self.image(d, is_integer);
        let (texel, sample) = (self.texel(d), self.sample(d, mask));
        let mut args = vec![image, d.b.vector(&texel)];
        args.extend(sample);
        let ty = if is_integer { d.int(32) } else { d.float(32) };
        let four = d.several(ty, COMPONENTS);
        let texel = d.b.op_as(Ir::ImageRead, &args, four);
        [0, 1, 2, 3].map(|n| d.b.extract(texel, n))
    }

    /// Stores components of 32 bits for the sample of `mask`, if it is among those of `to`; else the place lies
    /// outside of the image.
    pub(super) fn store(self, d: &mut Build<'_>, parts: &[Value], [mask, to]: [Value; 2]) {
        let Some(&first) = parts.first() else { return };
        let ty = d.b.ty(first);
        let is_integer = d.b.types().is_int(ty);
        let image = self.image(d, is_integer);
        let (mut texel, sample) = (self.texel(d), self.sample(d, mask));
        let stored = self.is_stored(d, image, texel, to);
        let mut all = parts.to_vec();
        while all.len() < COMPONENTS {
            let nothing = d.b.undef(ty);
            all.push(nothing);
        }
        let colour = d.b.vector(&all);
        let sample = match sample {
            Some(sample) => {
                let outside = d.b.u32(OUTSIDE_ROWS);
                Some(d.b.select(stored, sample, outside))
            }
            None => {
                let outside = d.b.u32(OUTSIDE);
                texel[0] = d.b.select(stored, texel[0], outside);
                None
            }
        };
        let mut args = vec![image, d.b.vector(&texel), colour];
        args.extend(sample);
        d.b.op_void(Ir::ImageWrite, &args);
    }

    /// Whether samples live and the pixel is in the image.
    fn is_stored(self, d: &mut Build<'_>, image: Value, texel: [Value; 3], to: Value) -> Value {
        let word = d.int(32);
        let three = d.several(word, 3);
        let size = d.b.op_as(Ir::ImageQuery(Query::Size), &[image], three);
        let [in_x, in_y] = [0, 1].map(|n| {
            let size = d.b.extract(size, n);
            d.b.ult(texel[n as usize], size)
        });
        let inside = d.b.and(in_x, in_y);
        let (living, none) = (d.special("living samples of the pixel", LIVING), d.b.u32(0));
        let living = d.b.select(inside, living, none);
        let to = d.convert(Ir::ZExt, to, word);
        let some = d.b.and(living, to);
        d.b.ine(some, none)
    }
}
