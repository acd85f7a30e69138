//! Textures that are weighed, filtered by boxes and compared in blocks: SPV_QCOM_image_processing.

use chiaro_words::write::Id;
use spirv::{Decoration, Op};

use crate::hir::{ExprId, ExprKind};
use crate::ty::Type;

use super::emitter::Emitter;
use super::needs;

impl Emitter<'_> {
    /// The function; variables of textures that are used in a special way say so.
    pub(super) fn texture_block(&mut self, op: Op, args: &[ExprId], ty: &Type) -> Id {
        self.need(needs::of_instruction(op));
        let texture = |at: usize| args.get(at).copied();
        match op {
            Op::ImageSampleWeightedQCOM => self.mark(texture(2), &[Decoration::WeightTextureQCOM]),
            Op::ImageBlockMatchSSDQCOM | Op::ImageBlockMatchSADQCOM => {
                for at in [0, 2] {
                    self.mark(texture(at), &[Decoration::BlockMatchTextureQCOM]);
                }
            }
            Op::ImageBlockMatchWindowSSDQCOM
            | Op::ImageBlockMatchWindowSADQCOM
            | Op::ImageBlockMatchGatherSSDQCOM
            | Op::ImageBlockMatchGatherSADQCOM => {
                for at in [0, 2] {
                    let marks = [Decoration::BlockMatchTextureQCOM, Decoration::BlockMatchSamplerQCOM];
                    self.mark(texture(at), &marks);
                }
            }
            _ => {}
        }
        let operands: Vec<Id> = args.iter().map(|&arg| self.value(arg)).collect();
        let ty = self.plain_ty(ty);
        self.op(op, ty, &operands)
    }

    /// Decorates the variables behind a texture, which may be put together of an image and a
    /// sampler: each gets what it can have.
    fn mark(&mut self, texture: Option<ExprId>, marks: &[Decoration]) {
        let Some(texture) = texture else { return };
        let program = self.program;
        if let ExprKind::Construct(parts) = &program.exprs[texture.0 as usize].kind {
            for (part, mark) in parts.iter().zip(marks) {
                self.mark(Some(*part), &[*mark]);
            }
            return;
        }
        if !self.is_place(texture) {
            return;
        }
        let base = self.place(texture).base;
        for &mark in marks {
            self.decorate_once(base, mark);
        }
    }
}
