//! Cooperative types and memory: loads, stores, products with matrices in buffers.

use super::super::call::Call;
use super::super::checker::Checker;
use crate::hir::{ExprId, ExprKind};
use crate::intrinsic::{Cooperative, Product};
use crate::qualifier::Storage;
use crate::ty::{CoopKind, Length, Member, Scalar, Type};

impl<'a> Checker<'a> {
    /// `coopMatLoad(m, buffer, element, stride, layout)`, or the store.
    pub(super) fn matrix_access(&mut self, call: &Call<'a>, kind: CoopKind, load: bool) -> Option<ExprId> {
        let parameters = "matrix, array in a buffer, element, stride, layout";
        let [matrix, buffer, element, stride, layout] = self.exactly(call, parameters)?;
        self.of_kind(matrix, kind)?;
        self.memory(buffer, load)?;
        let element = self.unsigned(element, true)?;
        let stride = self.unsigned(stride, false)?;
        if kind == CoopKind::Matrix {
            self.fixed(layout, "the layout of a matrix")?;
        } else if self.ty_of(layout) != self.known.bool || self.bits(layout).is_none() {
            return self.refuse(layout, "whether columns stand together must be a constant `bool`");
        }
        self.read_or_written(matrix, load)?;
        let what = if load { Cooperative::Load } else { Cooperative::Store };
        let void = self.known.void;
        self.cooperative(what, vec![matrix, buffer, element, stride, layout], void, call)
    }

    /// `coopVecLoadNV(v, buffer, offset)`, or the store.
    pub(super) fn vector_access(&mut self, call: &Call<'a>, load: bool) -> Option<ExprId> {
        let [vector, buffer, offset] = self.exactly(call, "vector, array in a buffer, offset in bytes")?;
        self.of_kind(vector, CoopKind::Vector)?;
        self.memory(buffer, load)?;
        let offset = self.unsigned(offset, true)?;
        self.read_or_written(vector, load)?;
        let what = if load { Cooperative::VectorLoad } else { Cooperative::VectorStore };
        let void = self.known.void;
        self.cooperative(what, vec![vector, buffer, offset], void, call)
    }

    /// What is loaded is a place, what is stored can be read.
    pub(super) fn read_or_written(&mut self, value: ExprId, load: bool) -> Option<()> {
        if load {
            return self.must_be_place(value, "this is loaded into").then_some(());
        }
        self.must_be_readable(value);
        Some(())
    }

    /// An array in a buffer or in shared memory, read or written.
    pub(super) fn memory(&mut self, buffer: ExprId, read: bool) -> Option<()> {
        if !matches!(self.ty(self.ty_of(buffer)), Type::Array(..)) {
            let found = self.name_of(self.ty_of(buffer));
            return self.refuse(buffer, &format!("an array is expected here, found `{found}`"));
        }
        if !self.is_shared_memory(buffer) {
            return self.refuse(buffer, "the array must stand in a buffer or in shared memory");
        }
        if read {
            self.must_be_readable(buffer);
            return Some(());
        }
        self.must_be_place(buffer, "this is stored to").then_some(())
    }

    /// Arrays without a size before the last member get one element where matrices may be loaded
    /// from them: such a load names no element by a constant.
    pub(in super::super) fn close_for_matrices(&mut self, members: &mut [Member]) {
        const MATRICES: &[&str] = &["GL_KHR_cooperative_matrix", "GL_NV_cooperative_matrix"];
        let Some((_, before)) = members.split_last_mut() else { return };
        for member in before {
            if let Type::Array(element, Length::Unsized) = *self.ty(member.ty)
                && self.enabled.any(MATRICES)
            {
                member.ty = self.types.intern(Type::Array(element, Length::Known(1)));
            }
        }
    }

    fn is_shared_memory(&self, mut id: ExprId) -> bool {
        loop {
            match &self.at(id).kind {
                ExprKind::Member(base, _) | ExprKind::Index(base, _) => id = *base,
                ExprKind::Deref(_) => return true,
                ExprKind::Global(global) => {
                    return matches!(self.global(*global).storage, Storage::Buffer | Storage::Shared);
                }
                _ => return false,
            }
        }
    }

    /// `coopVecMatMulNV(result, v, interpretation, matrix, offset, interpretation, ...)`
    pub(super) fn vector_product(&mut self, call: &Call<'a>, product: Product) -> Option<ExprId> {
        let add = product == Product::MulAdd;
        let args = self.arguments(call.args)?;
        if args.len() != if add { 14 } else { 11 } {
            let bias = if add { "bias, offset, interpretation, " } else { "" };
            let parameters = format!(
                "result, vector, interpretation, matrix, offset, interpretation, {bias}M, K, layout, \
                 transpose, stride"
            );
            return self.expected(call, &parameters);
        }
        let mut given = args.into_iter();
        let mut next = || given.next().unwrap_or(ExprId(0));
        let (result, vector, interpretation) = (next(), next(), next());
        self.of_kind(result, CoopKind::Vector)?;
        self.of_kind(vector, CoopKind::Vector)?;
        self.must_be_readable(vector);
        let mut passed = vec![result, vector, self.fixed(interpretation, "an interpretation")?];
        for _ in 0..=usize::from(add) {
            let (matrix, offset, interpretation) = (next(), next(), next());
            self.memory(matrix, true)?;
            passed.extend([matrix, self.unsigned(offset, true)?]);
            passed.push(self.fixed(interpretation, "an interpretation")?);
        }
        for what in ["the number of rows", "the number of columns"] {
            let number = self.fixed(next(), what)?;
            passed.push(self.unsigned(number, false)?);
        }
        passed.push(self.fixed(next(), "the layout of the matrix")?);
        let transpose = next();
        let constant = self.bits(transpose).is_some() || self.is_spec(transpose);
        if self.ty_of(transpose) != self.known.bool || !constant {
            return self.refuse(transpose, "whether the matrix is transposed must be a constant `bool`");
        }
        passed.extend([transpose, self.unsigned(next(), false)?]);
        self.read_or_written(result, true)?;
        let void = self.known.void;
        self.cooperative(Cooperative::VectorProduct(product), passed, void, call)
    }

    /// `coopVecOuterProductAccumulateNV(a, b, buffer, offset, stride, layout, interpretation)`
    pub(super) fn outer_product(&mut self, call: &Call<'a>) -> Option<ExprId> {
        let parameters = "vector, vector, array in a buffer, offset, stride, layout, interpretation";
        let [a, b, buffer, offset, stride, layout, interpretation] = self.exactly(call, parameters)?;
        let (first, _) = self.of_kind(a, CoopKind::Vector)?;
        let (second, _) = self.of_kind(b, CoopKind::Vector)?;
        if first != second {
            return self.refuse(b, "both vectors must have components of one type");
        }
        self.memory(buffer, false)?;
        let offset = self.unsigned(offset, true)?;
        let stride = self.unsigned(stride, false)?;
        self.fixed(layout, "the layout of the matrix")?;
        self.fixed(interpretation, "an interpretation")?;
        let void = self.known.void;
        let args = vec![a, b, buffer, offset, stride, layout, interpretation];
        self.cooperative(Cooperative::OuterProduct, args, void, call)
    }

    /// `coopVecReduceSumAccumulateNV(v, buffer, offset)`
    pub(super) fn reduce_sum(&mut self, call: &Call<'a>) -> Option<ExprId> {
        let [vector, buffer, offset] = self.exactly(call, "vector, array in a buffer, offset in bytes")?;
        self.of_kind(vector, CoopKind::Vector)?;
        self.memory(buffer, false)?;
        let offset = self.unsigned(offset, true)?;
        let void = self.known.void;
        self.cooperative(Cooperative::ReduceSum, vec![vector, buffer, offset], void, call)
    }

    /// Whether a scalar type is that of coordinates.
    pub(super) fn is_uint(&self, ty: crate::ty::Ty) -> bool {
        *self.ty(ty) == Type::Scalar(Scalar::Uint)
    }
}
