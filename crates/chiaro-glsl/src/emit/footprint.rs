//! Footprints of textures. [SPV_NV_shader_image_footprint]

use chiaro_words::write::Id;
use spirv::{Capability, Op};

use crate::hir::ExprId;
use crate::intrinsic::Sampling;
use crate::ty::Type;

use super::emitter::Emitter;
use super::needs;
use super::sample::Extra;
use crate::numeric::Num;

impl Emitter<'_> {
    /// A function of footprints: gives whether one level is touched; the footprint goes to a place.
    pub(super) fn footprint(&mut self, how: Sampling, args: &[ExprId]) -> Id {
        let [texture, coordinate, ref rest @ ..] = *args else { return self.fail("a texture is expected") };
        let mut operands = vec![self.value(texture), self.value(coordinate)];
        let mut rest = rest.iter().copied();
        let mut extra = Extra::default();
        if how.level {
            extra.level = rest.next().map(|level| self.value(level));
        }
        if how.gradients
            && let (Some(x), Some(y)) = (rest.next(), rest.next())
        {
            extra.gradients = Some([self.value(x), self.value(y)]);
        }
        if how.clamp {
            self.out.capability(Capability::MinLod);
            extra.least = rest.next().map(|least| self.value(least));
        }
        operands.extend(rest.by_ref().take(2).map(|granularity| self.value(granularity)));
        let Some(place) = rest.next().map(|place| self.place(place)) else {
            return self.fail("a footprint is expected");
        };
        extra.bias = rest.next().map(|bias| self.value(bias));
        extra.push(&mut operands);
        self.need(needs::FOOTPRINTS);
        self.store_footprint(&operands, &place)
    }

    fn store_footprint(&mut self, operands: &[Id], place: &super::state::Place) -> Id {
        let parts: Vec<Type> = self.parts(&place.ty);
        let ids: Vec<Id> = parts.iter().map(|part| self.plain_ty(part)).collect();
        let bool = self.num_ty(Num::BOOL);
        let all: Vec<Id> = std::iter::once(bool).chain(ids.iter().copied()).collect();
        let whole = self.out.ty(Op::TypeStruct, &all);
        let result = self.op(Op::ImageSampleFootprintNV, whole, operands);
        for (i, &ty) in (0u32..).zip(&ids) {
            let part = self.op(Op::CompositeExtract, ty, &[result, i + 1]);
            let to = self.member(place.clone(), i);
            self.store(&to, part);
        }
        self.op(Op::CompositeExtract, bool, &[result, 0])
    }
}
