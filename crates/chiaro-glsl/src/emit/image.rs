//! Images by coordinate, and questions about images and textures.

use chiaro_words::write::Id;
use spirv::{Capability, ImageFormat, ImageOperands, Op, StorageClass};

use crate::hir::ExprId;
use crate::intrinsic::{Atomic, Intrinsic};
use crate::ty::{Opaque, Type};

use super::emitter::Emitter;
use super::memory::Target;
use super::sample::{Texture, texel};
use crate::numeric::Num;

impl Emitter<'_> {
    /// Sizes, levels, samples.
    pub(super) fn image_query(&mut self, which: Intrinsic, args: &[ExprId], ty: &Type) -> Id {
        let [image, ref rest @ ..] = *args else { return self.fail("a texture is expected") };
        let image = self.typed(image);
        let Some(texture) = Texture::of(&image.ty) else { return self.fail("a texture is expected") };
        self.out.capability(Capability::ImageQuery);
        let rest: Vec<Id> = rest.iter().map(|&r| self.value(r)).collect();
        let ty = self.plain_ty(ty);
        let op = match which {
            Intrinsic::TextureQueryLod => {
                let operands: Vec<Id> = std::iter::once(image.id).chain(rest).collect();
                return self.op(Op::ImageQueryLod, ty, &operands);
            }
            Intrinsic::TextureQueryLevels => Op::ImageQueryLevels,
            Intrinsic::TextureSamples | Intrinsic::ImageSamples => Op::ImageQuerySamples,
            _ if rest.is_empty() => Op::ImageQuerySize,
            _ => Op::ImageQuerySizeLod,
        };
        let bare = self.without_sampler(texture, image.id);
        let operands: Vec<Id> = std::iter::once(bare).chain(rest).collect();
        self.op(op, ty, &operands)
    }

    /// Reads and writes of texels.
    pub(super) fn image_access(&mut self, which: Intrinsic, args: &[ExprId], ty: &Type) -> Id {
        let [image, ref rest @ ..] = *args else { return self.fail("an image is expected") };
        let place = self.place(image);
        let Some(texture) = Texture::of(&place.ty) else { return self.fail("an image is expected") };
        let image = self.load(&place);
        let sparse = matches!(which, Intrinsic::SparseImageLoad | Intrinsic::SparseImageLoadLevel);
        let (texel_place, rest) = match rest {
            [rest @ .., texel] if sparse => (Some(self.place(*texel)), rest),
            _ => (None, rest),
        };
        let mut rest: Vec<Id> = rest.iter().map(|&r| self.value(r)).collect();
        if which == Intrinsic::SubpassLoad {
            rest.insert(0, self.number(Num { rows: 2, ..Num::INT }, 0));
        }
        let sample = if texture.multisampled && rest.len() > 1 { Some(rest.remove(1)) } else { None };
        let level = self.has_level(which) && rest.len() > 1;
        let level = if level { Some(rest.remove(1)) } else { None };
        let mut operands = vec![image];
        operands.extend(rest);
        operands.extend(level.into_iter().flat_map(|l| [ImageOperands::LOD.bits(), l]));
        operands.extend(sample.into_iter().flat_map(|s| [ImageOperands::SAMPLE.bits(), s]));
        let without_format = place.format == ImageFormat::Unknown && which != Intrinsic::SubpassLoad;
        if matches!(which, Intrinsic::ImageStore | Intrinsic::ImageStoreLevel) {
            if without_format {
                self.out.capability(Capability::StorageImageWriteWithoutFormat);
            }
            self.effect(Op::ImageWrite, &operands);
            return 0;
        }
        if without_format {
            self.out.capability(Capability::StorageImageReadWithoutFormat);
        }
        if let Some(place) = texel_place {
            let Type::Opaque(Opaque::Texture { scalar, .. }) = texture.opaque_ty() else {
                return self.fail("an image is expected");
            };
            return self.sparse(Op::ImageRead, &operands, texel(scalar), &place);
        }
        // SPIR-V reads four components whatever the language's function gives.
        let Some(num) = Num::of(ty) else { return 0 };
        let whole = self.num_ty(texel(num.scalar));
        let value = self.op(Op::ImageRead, whole, &operands);
        match num.rows {
            4 => value,
            rows => self.shuffle(value, texel(num.scalar), &[0, 1, 2, 3][..usize::from(rows)]),
        }
    }

    /// Whether a function says which level of the image it means, and what that needs.
    fn has_level(&mut self, which: Intrinsic) -> bool {
        let has = matches!(
            which,
            Intrinsic::ImageLoadLevel | Intrinsic::ImageStoreLevel | Intrinsic::SparseImageLoadLevel
        );
        if has {
            self.need(super::needs::IMAGE_LEVELS);
        }
        has
    }

    /// Atomic functions of texels.
    pub(super) fn image_atomic(&mut self, atomic: Atomic, args: &[ExprId], ty: &Type) -> Id {
        let [image, coordinate, ref rest @ ..] = *args else {
            return self.fail("an image and a coordinate are expected");
        };
        let place = self.place(image);
        let Type::Opaque(Opaque::Texture { scalar, multisampled, .. }) = place.ty else {
            return self.fail("an image is expected");
        };
        let pointer = if place.view.is_none() { self.pointer(&place) } else { 0 };
        let coordinate = self.value(coordinate);
        // The sample comes right behind the coordinate.
        let (sample, rest) = match rest {
            [sample, rest @ ..] if multisampled => (self.value(*sample), rest),
            _ => (self.out.uint(0), rest),
        };
        let (values, ordering) = self.atomic_operands(atomic, rest);
        let texel = match place.view {
            Some(_) => self.heap_texel(&place, coordinate, sample),
            None => {
                let component = self.num_ty(texel_number(ty, scalar));
                let to = self.out.pointer(StorageClass::Image, component);
                self.op(Op::ImageTexelPointer, to, &[pointer, coordinate, sample])
            }
        };
        let target = Target { pointer: texel, num: texel_number(ty, scalar), class: StorageClass::Image };
        self.atomic_at(atomic, target, &values, ordering, ty)
    }
}

/// What an atomic function works on: two or four halves at a time, or one scalar.
fn texel_number(ty: &Type, scalar: crate::ty::Scalar) -> Num {
    Num::of(ty).filter(|num| !num.is_scalar()).unwrap_or(Num::scalar(scalar))
}
