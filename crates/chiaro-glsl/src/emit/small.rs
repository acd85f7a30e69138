//! Small floats. [SPV_KHR_bfloat16, SPV_EXT_float8, SPV_EXT_ocp_microscaling_types]

use chiaro_words::newer;
use chiaro_words::write::Id;
use spirv::{Capability, Decoration, Op};

use crate::hir::ExprId;
use crate::small::Small;
use crate::ty::{Scalar, Type};

use super::emitter::Emitter;
use crate::numeric::Num;

impl Emitter<'_> {
    /// The type, with what it needs.
    pub(super) fn small_ty(&mut self, small: Small) -> Id {
        let (capability, extension) = small.needs();
        self.out.copy(Op::Capability, &[capability]);
        self.out.extension(extension);
        self.out.ty(Op::TypeFloat, &[small.bits(), small.encoding()])
    }

    /// What a scalar product of small floats needs.
    pub(super) fn small_dot(&mut self, scalar: Scalar) {
        if scalar == Scalar::Small(Small::Brain) {
            self.out.capability(Capability::BFloat16DotProductKHR);
        }
    }

    /// Small floats from some bit on.
    pub(super) fn bitcast_extract(&mut self, args: &[ExprId], ty: &Type) -> Id {
        let operands: Vec<Id> = args.iter().map(|&arg| self.value(arg)).collect();
        self.out.copy(Op::Capability, &[newer::BITCAST_EXTRACT_CAPABILITY]);
        let ty = self.plain_ty(ty);
        self.op(newer::BITCAST_EXTRACT, ty, &operands)
    }

    /// `saturatedConvertEXT`: what is too large becomes the largest number.
    pub(super) fn saturated(&mut self, args: &[ExprId]) -> Id {
        let [place, value] = *args else { return self.fail("two arguments are expected") };
        let value = self.typed(value);
        let place = self.place(place);
        if matches!(place.ty, Type::Coop(..)) {
            let converted = self.convert_matrix(value, &place.ty, false);
            self.out.decorate(converted, Decoration::SaturatedToLargestFloat8NormalConversionEXT, &[]);
            self.store(&place, converted);
            return 0;
        }
        let (Some(from), Type::Scalar(to) | Type::Vector(to, _)) = (Num::of(&value.ty), place.ty) else {
            return self.fail("numbers are expected");
        };
        let converted = self.convert(value, &from.with(to).ty());
        self.out.decorate(converted, Decoration::SaturatedToLargestFloat8NormalConversionEXT, &[]);
        self.store(&place, converted);
        0
    }
}
