//! Cooperative matrices and vectors read from memory and written to it.

use chiaro_words::write::Id;
use spirv::{Capability, Op, TensorAddressingOperands as Addressing};

use crate::hir::ExprId;
use crate::intrinsic::Decoding;
use crate::ty::{CoopKind, Scalar, Type};

use super::super::emitter::Emitter;
use super::super::state::{Link, Place, Way};

/// What an array of vectors in a buffer is a multiple of where it is reached by an address, as
/// SPV_NV_cooperative_vector asks for.
const VECTOR_ALIGN: u32 = 16;
/// `DecodeVectorFunc` of SPV_NV_cooperative_matrix_decode_vector, which no crate names yet.
const DECODE_VECTOR: u32 = 4;
/// The capability `CooperativeMatrixDecodeVectorNV`.
const DECODE_VECTOR_CAPABILITY: u32 = 5447;

/// The layouts of SPV_ARM_cooperative_matrix_layouts.
const ARM_LAYOUTS: [u32; 2] = [4202, 4203];

impl Emitter<'_> {
    /// The array itself.
    pub(super) fn array_pointer(&mut self, array: ExprId) -> Id {
        let place = self.place(array);
        self.pointer(&place)
    }

    /// An element of an array, where a matrix begins.
    fn element_place(&mut self, array: ExprId, element: ExprId) -> Place {
        let mut place = self.place(array);
        let scalar = match self.what(self.program.exprs[element.0 as usize].ty) {
            Type::Scalar(scalar) => scalar,
            _ => Scalar::Uint,
        };
        let link = match self.constant_index(element) {
            Some(n) if scalar.bits() == 32 => Link::fixed(self.out.uint(n)),
            _ => Link { id: self.value(element), dynamic: Some(scalar) },
        };
        if let Type::Array(elem, _) = place.ty {
            place.ty = self.what(elem);
        }
        place.chain.push(link);
        place
    }

    /// Layout and stride in the order of the matrix's extension.
    fn stepping(&mut self, kind: CoopKind, stride: ExprId, layout: ExprId) -> [Id; 2] {
        if self.constant_index(layout).is_some_and(|layout| ARM_LAYOUTS.contains(&layout)) {
            self.out.capability(Capability::CooperativeMatrixLayoutsARM);
            self.out.extension("SPV_ARM_cooperative_matrix_layouts");
        }
        let (stride, layout) = (self.value(stride), self.value(layout));
        if kind == CoopKind::MatrixNv { [stride, layout] } else { [layout, stride] }
    }

    fn kind_of(&self, ty: &Type) -> CoopKind {
        self.program.types.as_coop(ty).map_or(CoopKind::Matrix, |(_, coop)| coop.kind)
    }

    pub(super) fn load_matrix(&mut self, place: ExprId, memory: [ExprId; 4]) -> Id {
        let [buffer, element, stride, layout] = memory;
        let place = self.place(place);
        let kind = self.kind_of(&place.ty);
        let from = self.element_place(buffer, element);
        let mut operands = vec![self.pointer(&from)];
        operands.extend(self.stepping(kind, stride, layout));
        operands.extend(self.access(&from, Way::Read));
        let op = match kind {
            CoopKind::MatrixNv => Op::CooperativeMatrixLoadNV,
            _ => Op::CooperativeMatrixLoadKHR,
        };
        let ty = self.plain_ty(&place.ty);
        let value = self.op(op, ty, &operands);
        self.store(&place, value);
        0
    }

    pub(super) fn store_matrix(&mut self, matrix: ExprId, memory: [ExprId; 4]) -> Id {
        let [buffer, element, stride, layout] = memory;
        let matrix = self.typed(matrix);
        let kind = self.kind_of(&matrix.ty);
        let to = self.element_place(buffer, element);
        let mut operands = vec![self.pointer(&to), matrix.id];
        operands.extend(self.stepping(kind, stride, layout));
        operands.extend(self.access(&to, Way::Write));
        let op = match kind {
            CoopKind::MatrixNv => Op::CooperativeMatrixStoreNV,
            _ => Op::CooperativeMatrixStoreKHR,
        };
        self.effect(op, &operands);
        0
    }

    pub(super) fn load_vector(&mut self, place: ExprId, buffer: ExprId, offset: ExprId) -> Id {
        let place = self.place(place);
        let from = self.place(buffer);
        let mut operands = vec![self.pointer(&from), self.value(offset)];
        operands.extend(self.vector_access(&from, Way::Read));
        let ty = self.plain_ty(&place.ty);
        let value = self.op(Op::CooperativeVectorLoadNV, ty, &operands);
        self.store(&place, value);
        0
    }

    pub(super) fn store_vector(&mut self, vector: ExprId, buffer: ExprId, offset: ExprId) -> Id {
        let vector = self.value(vector);
        let to = self.place(buffer);
        let mut operands = vec![self.pointer(&to), self.value(offset), vector];
        operands.extend(self.vector_access(&to, Way::Write));
        self.effect(Op::CooperativeVectorStoreNV, &operands);
        0
    }

    /// How the array of a vector is accessed: behind an address it is aligned for vectors.
    fn vector_access(&mut self, place: &Place, way: Way) -> Vec<u32> {
        let mut access = self.access(place, way);
        if let (true, Some(align)) = (place.align != 0, access.get_mut(1)) {
            *align = VECTOR_ALIGN;
        }
        access
    }

    fn tensors(&mut self) {
        self.out.capability(Capability::CooperativeMatrixTensorAddressingNV);
        self.out.extension("SPV_NV_cooperative_matrix2");
    }

    pub(super) fn load_tensor(
        &mut self,
        place: ExprId,
        [buffer, element, layout]: [ExprId; 3],
        view: Option<ExprId>,
        decoding: Decoding,
    ) -> Id {
        self.tensors();
        let place = self.place(place);
        let from = self.element_place(buffer, element);
        let (pointer, old, layout) = (self.pointer(&from), self.load(&place), self.value(layout));
        let mut operands = vec![pointer, old, layout];
        let access = self.access(&from, Way::Read);
        operands.extend(stated(access));
        let (mut flags, mut behind) = (Addressing::empty().bits(), Vec::new());
        if let Some(view) = view {
            flags |= Addressing::TENSOR_VIEW.bits();
            behind.push(self.value(view));
        }
        if let Some(one) = decoding.one {
            flags |= Addressing::DECODE_FUNC.bits();
            self.out.capability(Capability::CooperativeMatrixBlockLoadsNV);
            behind.push(self.instance(one, Vec::new()));
        }
        if let Some(several) = decoding.several {
            flags |= DECODE_VECTOR;
            self.out.copy(Op::Capability, &[DECODE_VECTOR_CAPABILITY]);
            self.out.extension("SPV_NV_cooperative_matrix_decode_vector");
            behind.push(self.instance(several, Vec::new()));
        }
        operands.push(flags);
        operands.extend(behind);
        let ty = self.plain_ty(&place.ty);
        let value = self.op(Op::CooperativeMatrixLoadTensorNV, ty, &operands);
        self.store(&place, value);
        0
    }

    pub(super) fn store_tensor(
        &mut self,
        matrix: ExprId,
        [buffer, element, layout]: [ExprId; 3],
        view: Option<ExprId>,
    ) -> Id {
        self.tensors();
        let matrix = self.value(matrix);
        let to = self.element_place(buffer, element);
        let mut operands = vec![self.pointer(&to), matrix, self.value(layout)];
        let access = self.access(&to, Way::Write);
        operands.extend(stated(access));
        match view {
            Some(view) => operands.extend([Addressing::TENSOR_VIEW.bits(), self.value(view)]),
            None => operands.push(0),
        }
        self.effect(Op::CooperativeMatrixStoreTensorNV, &operands);
        0
    }
}

/// An access that has to be stated even where nothing is said of it.
fn stated(access: Vec<u32>) -> Vec<u32> {
    if access.is_empty() { vec![0] } else { access }
}
