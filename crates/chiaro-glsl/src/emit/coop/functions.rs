//! Functions of cooperative matrices, and of layouts and views of tensors.

use chiaro_words::write::Id;
use spirv::{Capability, CooperativeMatrixOperands as Operands, Op};

use crate::hir::{ExprId, FunctionId};
use crate::intrinsic::{Cooperative, Product};
use crate::ty::{CoopKind, Family, Type};

use super::super::arith::Typed;
use super::super::convert::same_sign;
use super::super::emitter::Emitter;
use crate::numeric::Num;

/// What is newer than the crate with SPIR-V's numbers. [SPIRV-Headers, `spirv.hpp11`]
mod newer {
    /// `CooperativeMatrixConversionsEXT`
    pub(super) const CONVERSIONS: u32 = 5429;
    /// The decoration `CooperativeMatrixTransposeEXT`
    pub(super) const TRANSPOSED: u32 = 5440;
    /// `CooperativeMatrixGetCoordinateEXT`
    pub(super) const COORDINATES: u32 = 5438;
}

/// Whose matrices are converted, reduced and so on by the first of two extensions.
const MAINTENANCE: &str = "SPV_EXT_cooperative_matrix_maintenance1";
const MATRIX2: &str = "SPV_NV_cooperative_matrix2";

impl Emitter<'_> {
    /// A function of cooperative types.
    pub(in super::super) fn cooperative(&mut self, what: Cooperative, args: &[ExprId], ty: &Type) -> Id {
        use Cooperative as C;
        match (what, args) {
            (C::Load, &[place, buffer, element, stride, layout]) => {
                self.load_matrix(place, [buffer, element, stride, layout])
            }
            (C::Store, &[matrix, buffer, element, stride, layout]) => {
                self.store_matrix(matrix, [buffer, element, stride, layout])
            }
            (C::LoadTensor(decoding), &[place, buffer, element, layout, ref view @ ..]) => {
                self.load_tensor(place, [buffer, element, layout], view.first().copied(), decoding)
            }
            (C::StoreTensor, &[matrix, buffer, element, layout, ref view @ ..]) => {
                self.store_tensor(matrix, [buffer, element, layout], view.first().copied())
            }
            (C::VectorLoad, &[place, buffer, offset]) => self.load_vector(place, buffer, offset),
            (C::VectorStore, &[vector, buffer, offset]) => self.store_vector(vector, buffer, offset),
            (C::VectorProduct(product), &[place, ref rest @ ..]) => self.vector_product(product, place, rest),
            (C::OuterProduct, &[a, b, buffer, offset, stride, layout, interpretation]) => {
                self.training();
                let memory = self.array_pointer(buffer);
                let rest = [offset, a, b, layout, interpretation, stride].map(|e| self.value(e));
                let operands = [&[memory], rest.as_slice()].concat();
                self.effect(Op::CooperativeVectorOuterProductAccumulateNV, &operands);
                0
            }
            (C::ReduceSum, &[vector, buffer, offset]) => {
                self.training();
                let memory = self.array_pointer(buffer);
                let (offset, vector) = (self.value(offset), self.value(vector));
                self.effect(Op::CooperativeVectorReduceSumAccumulateNV, &[memory, offset, vector]);
                0
            }
            (C::MulAdd, &[a, b, c, ref operands @ ..]) => self.multiply_add([a, b, c], operands, ty),
            (C::Length | C::FixedLength, &[matrix]) => self.matrix_length(matrix, ty),
            (C::Convert, &[matrix]) => {
                let from = self.typed(matrix);
                self.convert_matrix(from, ty, false)
            }
            (C::Transpose, &[place, matrix]) => self.transpose_matrix(place, matrix),
            (C::Reduce(function), &[place, matrix, mask]) => self.reduce(function, place, matrix, mask),
            (C::PerElement(function), &[place, matrix, ref more @ ..]) => {
                self.per_element(function, place, matrix, more)
            }
            (C::Coordinate, &[matrix, index]) => self.matrix_coordinate(matrix, index, ty),
            (C::Create(kind), _) => {
                let ty = self.plain_ty(ty);
                let op =
                    if kind == CoopKind::View { Op::CreateTensorViewNV } else { Op::CreateTensorLayoutNV };
                self.op(op, ty, &[])
            }
            (C::Set(op), values) => {
                let ids: Vec<Id> = values.iter().map(|&e| self.value(e)).collect();
                let ty = self.plain_ty(ty);
                self.op(op, ty, &ids)
            }
            (C::Rearrange(op), &[place, ref values @ ..]) => self.rearrange(op, place, values),
            _ => self.fail("these are not the operands of this cooperative function"),
        }
    }

    fn training(&mut self) {
        self.out.capability(Capability::CooperativeVectorTrainingNV);
        self.out.extension("SPV_NV_cooperative_vector");
    }

    /// Stores a result at a place: what has no value of its own.
    fn result_to(&mut self, place: ExprId, op: Op, operands: &[Id]) -> Id {
        let place = self.place(place);
        let ty = self.plain_ty(&place.ty);
        let value = self.op(op, ty, operands);
        self.store(&place, value);
        0
    }

    /// A * B + C. Signed elements are reported apart by flags.
    fn multiply_add(&mut self, factors: [ExprId; 3], operands: &[ExprId], ty: &Type) -> Id {
        let typed = factors.map(|e| self.typed(e));
        let ids = typed.map(|t| t.id);
        let result = self.plain_ty(ty);
        let is_signed = |ty: &Type| Num::of(ty).is_some_and(|num| num.scalar.family() == Family::Signed);
        if self.program.types.as_coop(ty).is_some_and(|(_, coop)| coop.kind == CoopKind::MatrixNv) {
            return self.op(Op::CooperativeMatrixMulAddNV, result, &ids);
        }
        let given = operands.first().and_then(|&e| self.constant_index(e)).unwrap_or(0);
        let mut flags = Operands::from_bits_retain(given);
        let marks = [
            (is_signed(&typed[0].ty), Operands::MATRIX_A_SIGNED_COMPONENTS_KHR),
            (is_signed(&typed[1].ty), Operands::MATRIX_B_SIGNED_COMPONENTS_KHR),
            (is_signed(&typed[2].ty), Operands::MATRIX_C_SIGNED_COMPONENTS_KHR),
            (is_signed(ty), Operands::MATRIX_RESULT_SIGNED_COMPONENTS_KHR),
        ];
        for (signed, flag) in marks {
            flags.set(flag, signed);
        }
        let mut words = ids.to_vec();
        words.extend((!flags.is_empty()).then_some(flags.bits()));
        self.op(Op::CooperativeMatrixMulAddKHR, result, &words)
    }

    /// Elements that an invocation holds, by the type.
    fn matrix_length(&mut self, matrix: ExprId, ty: &Type) -> Id {
        let of = self.what(self.program.exprs[matrix.0 as usize].ty);
        let kind = self.program.types.as_coop(&of).map(|(_, coop)| coop.kind);
        let op = match kind {
            Some(CoopKind::MatrixNv) => Op::CooperativeMatrixLengthNV,
            _ => Op::CooperativeMatrixLengthKHR,
        };
        let (of, uint) = (self.plain_ty(&of), self.num_ty(Num::UINT));
        let length = self.op(op, uint, &[of]);
        self.convert(Typed { id: length, ty: Num::UINT.ty() }, ty)
    }

    /// The same as a constant that follows specialisation: as a signed number, with zero added.
    pub(in super::super) fn fixed_length(&mut self, matrix: ExprId) -> Id {
        let of = self.what(self.program.exprs[matrix.0 as usize].ty);
        let (of, uint, int) = (self.plain_ty(&of), self.num_ty(Num::UINT), self.num_ty(Num::INT));
        let length = self.out.declare(Op::SpecConstantOp, uint, &[Op::CooperativeMatrixLengthNV as u32, of]);
        let zero = self.int(0);
        self.out.declare(Op::SpecConstantOp, int, &[Op::IAdd as u32, length, zero])
    }

    /// The first of two extensions where the source has it on, else the other.
    fn maintained(&self) -> bool {
        let newer = "GL_EXT_cooperative_matrix_maintenance1";
        self.program.extensions.iter().any(|&name| self.symbols.text(name) == newer)
    }

    fn need_matrix2(&mut self, capability: Capability) {
        self.out.capability(capability);
        self.out.extension(if self.maintained() { MAINTENANCE } else { MATRIX2 });
    }

    fn need_conversions(&mut self) {
        if self.maintained() {
            self.out.copy(Op::Capability, &[newer::CONVERSIONS]);
            self.out.extension(MAINTENANCE);
        } else {
            self.need_matrix2(Capability::CooperativeMatrixConversionsNV);
        }
    }

    /// A matrix as one of another use or scalar, or transposed. One instruction does all of it;
    /// where only the use changes, it is one of its own.
    pub(in super::super) fn convert_matrix(&mut self, from: Typed, to: &Type, transposed: bool) -> Id {
        self.need_conversions();
        let (Some(source), Some(result)) = (Num::of(&from.ty), Num::of(to)) else {
            return self.fail("a matrix is expected");
        };
        let (a, b) = (source.scalar, result.scalar);
        let integers = [a, b].iter().all(|s| matches!(s.family(), Family::Signed | Family::Unsigned));
        // The shape is the result's from the first step on. Another sign takes a second step.
        let first = if integers { same_sign(a, b.bits()) } else { b };
        let shaped = result.with(a);
        let id = if integers && a.bits() == b.bits() || a == b {
            let ty = self.num_ty(result);
            self.op(Op::CooperativeMatrixConvertNV, ty, &[from.id])
        } else {
            self.convert_components(from.id, shaped, first)
        };
        if transposed {
            self.out.copy(Op::Decorate, &[id, newer::TRANSPOSED]);
        }
        if first == b || a.bits() == b.bits() {
            return id;
        }
        let ty = self.num_ty(result);
        self.op(Op::Bitcast, ty, &[id])
    }

    fn transpose_matrix(&mut self, place: ExprId, matrix: ExprId) -> Id {
        let matrix = self.typed(matrix);
        if !self.maintained() {
            self.need_conversions();
            return self.result_to(place, Op::CooperativeMatrixTransposeNV, &[matrix.id]);
        }
        let place = self.place(place);
        let value = self.convert_matrix(matrix, &place.ty.clone(), true);
        self.store(&place, value);
        0
    }

    fn reduce(&mut self, function: FunctionId, place: ExprId, matrix: ExprId, mask: ExprId) -> Id {
        self.need_matrix2(Capability::CooperativeMatrixReductionsNV);
        let matrix = self.value(matrix);
        let mask = self.constant_index(mask).unwrap_or(0);
        let function = self.instance(function, Vec::new());
        self.result_to(place, Op::CooperativeMatrixReduceNV, &[matrix, mask, function])
    }

    fn per_element(&mut self, function: FunctionId, place: ExprId, matrix: ExprId, more: &[ExprId]) -> Id {
        self.need_matrix2(Capability::CooperativeMatrixPerElementOperationsNV);
        let matrix = self.value(matrix);
        let function = self.instance(function, Vec::new());
        let mut operands = vec![matrix, function];
        operands.extend(more.iter().map(|&e| self.value(e)));
        self.result_to(place, Op::CooperativeMatrixPerElementOpNV, &operands)
    }

    fn matrix_coordinate(&mut self, matrix: ExprId, index: ExprId, ty: &Type) -> Id {
        self.out.copy(Op::Capability, &[newer::COORDINATES]);
        self.out.extension(MAINTENANCE);
        let operands = [self.value(matrix), self.value(index)];
        let ty = self.plain_ty(ty);
        self.op(chiaro_words::newer::COORDINATE, ty, &operands)
    }

    fn vector_product(&mut self, product: Product, place: ExprId, rest: &[ExprId]) -> Id {
        let add = product == Product::MulAdd;
        let signed = |this: &Self, e: ExprId| {
            let ty = this.what(this.program.exprs[e.0 as usize].ty);
            Num::of(&ty).is_some_and(|num| num.scalar.family() == Family::Signed)
        };
        let mut operands = Vec::with_capacity(rest.len() + 1);
        for (n, &arg) in rest.iter().enumerate() {
            let memory = n == 2 || add && n == 5;
            operands.push(if memory { self.array_pointer(arg) } else { self.value(arg) });
        }
        let mut flags = Operands::empty();
        let vector = rest.first().is_some_and(|&vector| signed(self, vector));
        flags.set(Operands::MATRIX_B_SIGNED_COMPONENTS_KHR, vector);
        flags.set(Operands::MATRIX_RESULT_SIGNED_COMPONENTS_KHR, signed(self, place));
        operands.extend((!flags.is_empty()).then_some(flags.bits()));
        let op = match add {
            true => Op::CooperativeVectorMatrixMulAddNV,
            false => Op::CooperativeVectorMatrixMulNV,
        };
        self.result_to(place, op, &operands)
    }

    /// Arrays and matrices as each other. [SPV_QCOM_cooperative_matrix_conversion]
    fn rearrange(&mut self, op: Op, place: ExprId, values: &[ExprId]) -> Id {
        self.out.capability(Capability::CooperativeMatrixConversionQCOM);
        self.out.extension("SPV_QCOM_cooperative_matrix_conversion");
        let operands: Vec<Id> = values.iter().map(|&e| self.value(e)).collect();
        self.result_to(place, op, &operands)
    }
}
