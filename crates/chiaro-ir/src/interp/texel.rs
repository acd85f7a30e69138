//! Texels behind pointers: what atomic operations see of images.

use super::domain::Domain;
use super::exec::Walk;
use super::frame::Frame;
use super::images::Handle;
use super::layout::Leaf;
use crate::{Def, ImageType, Inst, Op, Space, Type, Value};

/// A texel of an image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    image: Handle,
    ty: ImageType,
    at: [i32; 4],
    sample: i32,
}

impl<'m, D: Domain> Walk<'m, D> {
    /// Where a lane's pointer leads among texels; `None` if it leads to memory.
    pub(super) fn spot(&self, fr: &Frame<'m, D>, pointer: Value, lane: u32) -> Option<Spot> {
        let f = fr.f;
        if !matches!(self.module.types.get(f.ty(pointer)), Type::Pointer(Space::Image, _)) {
            return None;
        }
        let Def::Result(inst, _) = f.def(pointer) else { return None };
        let &[image, place, sample] = f.args(inst) else { return None };
        let ty = self.pointee(fr, image);
        let Type::Image(shape) = *self.module.types.get(ty) else { return None };
        let leaf = fr.layouts.get(ty).leaves.first()?.0;
        let handle = self.memory.load(self.domain, leaf, self.place(fr, image, lane), lane as usize)?;
        Some(Spot {
            image: Handle::of(self.domain.bits(handle)),
            ty: shape,
            at: self.texel_place(fr, place, lane),
            sample: self.domain.bits(fr.get(sample, 0, lane)) as i32,
        })
    }

    /// The first component of a texel.
    pub(super) fn read_spot(&mut self, spot: &Spot, leaf: Leaf) -> D::Scalar {
        let texel = self.images.read(spot.image, &spot.ty, spot.at, spot.sample);
        self.scalar(leaf, texel[0])
    }

    /// Writes it; the others stay nothing, since images that have them take no atomic operations.
    pub(super) fn write_spot(&mut self, spot: &Spot, value: D::Scalar) {
        let (texel, errors) = ([self.domain.bits(value), 0, 0, 0], [self.domain.error(value), 0.0, 0.0, 0.0]);
        self.images.write_about(spot.image, &spot.ty, spot.at, (texel, errors));
    }

    /// Loads or stores whole texels, as atomic loads and stores do. Whether there were any.
    pub(super) fn move_spots(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) -> bool {
        let f = fr.f;
        let (args, is_store) = (f.args(inst), matches!(f.op(inst), Op::AtomicStore(..)));
        if !matches!(self.module.types.get(f.ty(args[0])), Type::Pointer(Space::Image, _)) {
            return false;
        }
        for &lane in here {
            let Some(spot) = self.spot(fr, args[0], lane) else { continue };
            match f.result_of(inst) {
                _ if is_store && self.helper[lane as usize] => {}
                _ if is_store => self.write_spot(&spot, fr.get(args[1], 0, lane)),
                Some(result) => {
                    let leaf = fr.layout(result).leaves[0].0;
                    let value = self.read_spot(&spot, leaf);
                    fr.set(result, 0, lane, value);
                }
                None => {}
            }
        }
        true
    }
}
