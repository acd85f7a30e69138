//! Cooperative and open types: declared, made of values, multiplied. What their functions do is
//! in the files of this folder. [SPV_KHR_cooperative_matrix, SPV_NV_cooperative_matrix,
//! SPV_NV_cooperative_vector, SPV_EXT_long_vector, SPV_NV_tensor_addressing]

mod access;
mod functions;

use chiaro_words::write::Id;
use spirv::{Capability, Op};

use crate::hir::Program;
use crate::small::Small;
use crate::ty::{CoopId, CoopKind, CoopType, Family, Length, Scalar, Type};

use super::arith::{Marks, Typed};
use super::emitter::Emitter;
use crate::numeric::Num;

/// Components that all vectors which are taken apart may have together.
const MOST_PARTS: u32 = 1 << 18;
/// Components that one instruction puts together from a single value; for more there is another.
const MOST_REPEATED: u32 = 16;

impl<'a> Emitter<'a> {
    pub(super) fn coop(&self, id: CoopId) -> &'a CoopType {
        let program: &'a Program = self.program;
        program.types.coop(id)
    }

    fn shape(&self, num: Num) -> &'a CoopType {
        self.coop(CoopId(num.rows))
    }

    /// Whether a type is a vector of an open or cooperative shape.
    pub(super) fn is_open_vector(&self, ty: &Type) -> bool {
        self.program.types.as_coop(ty).is_some_and(|(_, coop)| coop.is_vector())
    }

    /// The type of elements in a shape.
    pub(super) fn coop_ty(&mut self, scalar: Scalar, id: CoopId) -> Id {
        let coop = self.coop(id);
        let (op, capability, extension) = match coop.kind {
            CoopKind::Matrix => {
                self.matrix_elements(scalar);
                (Op::TypeCooperativeMatrixKHR, Capability::CooperativeMatrixKHR, "SPV_KHR_cooperative_matrix")
            }
            CoopKind::MatrixNv => {
                (Op::TypeCooperativeMatrixNV, Capability::CooperativeMatrixNV, "SPV_NV_cooperative_matrix")
            }
            CoopKind::Vector => {
                (Op::TypeVectorIdEXT, Capability::CooperativeVectorNV, "SPV_NV_cooperative_vector")
            }
            _ => (Op::TypeVectorIdEXT, Capability::LongVectorEXT, "SPV_EXT_long_vector"),
        };
        self.out.capability(capability);
        self.out.extension(extension);
        let mut operands = vec![self.num_ty(Num::scalar(scalar))];
        operands.extend(coop.numbers.iter().map(|&number| self.number_of(number)));
        self.out.ty(op, &operands)
    }

    /// What matrices of small floats need beside the floats themselves.
    fn matrix_elements(&mut self, scalar: Scalar) {
        match scalar {
            Scalar::Small(Small::Brain) => self.out.capability(Capability::BFloat16CooperativeMatrixKHR),
            Scalar::Small(_) => self.out.capability(Capability::Float8CooperativeMatrixEXT),
            _ => {}
        }
    }

    /// The type of a layout or view of tensors. Whether a view has dimensions is a `bool`.
    pub(super) fn addressing_ty(&mut self, id: CoopId) -> Id {
        self.out.capability(Capability::TensorAddressingNV);
        self.out.extension("SPV_NV_tensor_addressing");
        let coop = self.coop(id);
        let view = coop.kind == CoopKind::View;
        let mut operands = Vec::with_capacity(coop.numbers.len());
        for (n, &number) in coop.numbers.iter().enumerate() {
            operands.push(match number {
                Length::Known(flag) if view && n == 1 => self.scalar_constant(Scalar::Bool, flag.into()),
                _ => self.number_of(number),
            });
        }
        self.out.ty(if view { Op::TypeTensorViewNV } else { Op::TypeTensorLayoutNV }, &operands)
    }

    fn number_of(&mut self, number: Length) -> Id {
        match number {
            Length::Known(number) => self.out.uint(number),
            Length::Spec(spec, _) => self.specs.get(spec as usize).copied().unwrap_or(0),
            Length::Unsized => self.fail("a number of a cooperative type is missing"),
        }
    }

    /// One scalar in every element, as a constant.
    pub(super) fn coop_constant(&mut self, num: Num, bits: u64) -> Id {
        let scalar = self.scalar_constant(num.scalar, bits);
        let ty = self.num_ty(num);
        let id = match self.repeats(num) {
            Some(count) => self.out.constant(Op::ConstantComposite, ty, &vec![scalar; count as usize]),
            None => {
                self.replicates();
                self.out.constant(Op::ConstantCompositeReplicateEXT, ty, &[scalar])
            }
        };
        self.note_constant(id);
        id
    }

    /// One value in every element.
    pub(super) fn coop_splat(&mut self, value: Id, num: Num) -> Id {
        let ty = self.num_ty(num);
        match self.repeats(num) {
            Some(count) => self.op(Op::CompositeConstruct, ty, &vec![value; count as usize]),
            None => {
                self.replicates();
                self.op(Op::CompositeConstructReplicateEXT, ty, &[value])
            }
        }
    }

    /// How often a value is named to fill a shape: once for matrices, which are filled so. `None`
    /// where that is not known or too often.
    fn repeats(&self, num: Num) -> Option<u32> {
        let coop = self.shape(num);
        match coop.is_vector() {
            true => coop.components().filter(|&count| count <= MOST_REPEATED),
            false => Some(1),
        }
    }

    fn replicates(&mut self) {
        self.out.capability(Capability::ReplicatedCompositesEXT);
        self.out.extension("SPV_EXT_replicated_composites");
    }

    /// A vector of its parts, or what is filled with one value.
    pub(super) fn construct_coop(&mut self, num: Num, parts: &[Typed]) -> Id {
        if let [one] = *parts
            && let Some(from) = Num::of(&one.ty)
        {
            return match from.is_scalar() {
                true => self.coop_splat(one.id, num),
                false if from == num => one.id,
                false => self.rebuilt(one, num),
            };
        }
        let most = self.shape(num).components().unwrap_or(u32::MAX) as usize;
        let mut ids = Vec::new();
        for part in parts {
            ids.extend(self.elements(*part));
        }
        ids.truncate(most);
        let ty = self.num_ty(num);
        self.composite(ty, &ids)
    }

    /// A vector or scalar of the language's own from one of an open shape.
    pub(super) fn out_of_coop(&mut self, from: Typed, num: Num) -> Id {
        match num.is_scalar() {
            true => {
                let ty = self.num_ty(num);
                self.op(Op::CompositeExtract, ty, &[from.id, 0])
            }
            false => self.rebuilt(from, num),
        }
    }

    /// A vector of another kind with the same components, whose bits are the same.
    fn rebuilt(&mut self, from: Typed, num: Num) -> Id {
        let ty = self.num_ty(num);
        if Num::of(&from.ty).is_some_and(Num::is_scalar) {
            return self.op(Op::CompositeConstruct, ty, &[from.id]);
        }
        self.op(Op::Bitcast, ty, &[from.id])
    }

    /// The components of a scalar or vector of any kind.
    fn elements(&mut self, from: Typed) -> Vec<Id> {
        let Some(num) = Num::of(&from.ty) else { return Vec::new() };
        if !num.is_coop() {
            let count = usize::from(num.columns) * usize::from(num.rows);
            return self.scalars(&[from], num.scalar, count);
        }
        let ty = self.num_ty(Num::scalar(num.scalar));
        let count = self.shape(num).components().unwrap_or(0);
        self.body.parts = self.body.parts.saturating_add(count);
        if self.body.parts > MOST_PARTS {
            self.fail("vectors are taken apart into too many components");
            return Vec::new();
        }
        (0..count).map(|n| self.op(Op::CompositeExtract, ty, &[from.id, n])).collect()
    }

    /// Whether one operand is a factor for the elements of the other, with an instruction for it.
    pub(super) fn scales(&self, x: Num, y: Num) -> bool {
        let wide = if x.is_coop() { x } else { y };
        !self.shape(wide).is_vector() || wide.scalar.family() == Family::Float
    }

    /// A cooperative value times a scalar.
    pub(super) fn scaled(&mut self, a: Typed, x: Num, b: Typed, y: Num, marks: Marks) -> Id {
        let (wide, factor, num) = if x.is_coop() { (a.id, b.id, x) } else { (b.id, a.id, y) };
        let vector = self.shape(num).is_vector();
        let op = if vector { Op::VectorTimesScalar } else { Op::MatrixTimesScalar };
        let ty = self.num_ty(num);
        self.marked(op, ty, &[wide, factor], marks)
    }
}
