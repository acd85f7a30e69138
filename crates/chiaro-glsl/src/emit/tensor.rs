//! Tensors. [SPV_ARM_tensors]

use chiaro_words::write::Id;
use spirv::{Capability, Op};

use crate::hir::ExprId;
use crate::intrinsic::Tensor;
use crate::ty::{Scalar, Type};

use super::emitter::Emitter;
use crate::numeric::Num;

impl Emitter<'_> {
    /// The type of a tensor of some rank.
    pub(super) fn tensor_ty(&mut self, scalar: Scalar, rank: u8) -> Id {
        self.out.capability(Capability::TensorsARM);
        self.out.extension("SPV_ARM_tensors");
        let element = self.num_ty(Num::scalar(scalar));
        let rank = self.out.uint(rank.into());
        self.out.ty(Op::TypeTensorARM, &[element, rank])
    }

    /// Reads elements, writes them, or counts how many there are.
    pub(super) fn tensor(&mut self, which: Tensor, args: &[ExprId]) -> Id {
        let [tensor, second, ref rest @ ..] = *args else {
            return self.fail("a tensor is expected");
        };
        let tensor = self.value(tensor);
        let second = self.value(second);
        if which == Tensor::Size {
            let uint = self.num_ty(Num::UINT);
            return self.op(Op::TensorQuerySizeARM, uint, &[tensor, second]);
        }
        let [data, ref operands @ ..] = *rest else { return self.fail("data is expected") };
        // Flags are a literal, what they ask for follows.
        let mut extra: Vec<u32> = Vec::with_capacity(operands.len());
        for (i, &operand) in operands.iter().enumerate() {
            extra.push(match (i, self.constant_index(operand)) {
                (0, Some(flags)) => flags,
                _ => self.value(operand),
            });
        }
        if which == Tensor::Write {
            let value = self.value(data);
            self.effect(Op::TensorWriteARM, &[&[tensor, second, value], extra.as_slice()].concat());
            return 0;
        }
        let place = self.place(data);
        let ty: Type = self.what(self.program.exprs[data.0 as usize].ty);
        let ty = self.plain_ty(&ty);
        let value = self.op(Op::TensorReadARM, ty, &[&[tensor, second], extra.as_slice()].concat());
        self.store(&place, value);
        0
    }
}
