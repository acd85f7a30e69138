//! Matrices and arrays as each other, and conversions to the largest number.
//! [GL_QCOM_cooperative_matrix_conversion, GL_EXT_cooperative_matrix_maintenance1]

use super::super::call::Call;
use super::super::checker::Checker;
use super::functions::may_equal;
use crate::hir::{ExprId, ExprKind};
use crate::intrinsic::{Cooperative, Intrinsic};
use crate::token::At;
use crate::ty::{Length, Scalar, Ty, Type};
use spirv::Op;

/// Scalars of arrays that stand for parts of matrices.
const ELEMENTS: [Scalar; 6] =
    [Scalar::Float, Scalar::Float16, Scalar::Int, Scalar::Uint, Scalar::Int8, Scalar::Uint8];

impl Checker<'_> {
    /// Calls such a function.
    pub(in super::super) fn rearrange_call(&mut self, op: Op, args: &[ExprId], call: &Call<'_>) -> ExprId {
        let Call { name, name_at, at, .. } = *call;
        let (fits, parameters) = match (op, args) {
            (Op::BitCastArrayQCOM, _) => (self.casts(args), "array, array of as many bits"),
            (Op::ExtractSubArrayQCOM, _) => (self.extracts(args), "array, index, array of the same type"),
            (Op::CompositeConstructCoopMatQCOM, &[from, to]) => {
                (self.array_of(from).is_some() && self.is_matrix(to), "array, matrix")
            }
            (Op::CompositeConstructCoopMatQCOM, _) => (false, "array, matrix"),
            (_, &[from, to]) => (self.array_of(to).is_some() && self.is_matrix(from), "matrix, array"),
            _ => (false, "matrix, array"),
        };
        let Some((&place, values)) = args.split_last().filter(|_| fits) else {
            let message = format!("`{}` takes ({parameters})", self.text(name));
            self.error(name_at, message);
            return self.wrong(at);
        };
        for &value in values {
            self.must_be_readable(value);
        }
        if !self.must_be_place(place, "this is written") {
            return self.wrong(at);
        }
        let args = std::iter::once(place).chain(values.iter().copied()).collect();
        let void = self.known.void;
        let what = Intrinsic::Cooperative(Cooperative::Rearrange(op));
        self.push(ExprKind::Intrinsic(what, args), void, None, at)
    }

    fn is_matrix(&self, arg: ExprId) -> bool {
        self.coop_of(self.ty_of(arg)).is_some_and(|(_, coop)| coop.kind == crate::ty::CoopKind::Matrix)
    }

    /// The scalar and length of an array.
    fn array_of(&self, arg: ExprId) -> Option<(Scalar, Length)> {
        let Type::Array(element, length) = *self.ty(self.ty_of(arg)) else { return None };
        match *self.ty(element) {
            Type::Scalar(scalar) if ELEMENTS.contains(&scalar) => Some((scalar, length)),
            _ => None,
        }
    }

    /// Whether two arrays may have as many bits.
    fn casts(&self, args: &[ExprId]) -> bool {
        let &[from, to] = args else { return false };
        let (Some((a, n)), Some((b, m))) = (self.array_of(from), self.array_of(to)) else { return false };
        let bits = |scalar: Scalar, length| match length {
            Length::Known(count) => Length::Known(count.saturating_mul(scalar.bits())),
            other => other,
        };
        may_equal(Some(&bits(a, n)), Some(&bits(b, m)))
    }

    /// Whether the last of an array, an index and an array may be a part of the first.
    fn extracts(&self, args: &[ExprId]) -> bool {
        let &[from, index, to] = args else { return false };
        let integer = |ty: Ty| ty == self.known.int || ty == self.known.uint;
        let (Some((a, n)), Some((b, m))) = (self.array_of(from), self.array_of(to)) else { return false };
        let smaller = match (n, m) {
            (Length::Known(n), Length::Known(m)) => m <= n,
            _ => true,
        };
        a == b && smaller && integer(self.ty_of(index))
    }

    /// `saturatedConvertEXT(out m, m)`: elements that are too large become the largest. `None` if
    /// these are no matrices.
    pub(in super::super) fn saturated_matrices(&mut self, args: &[ExprId], at: At) -> Option<ExprId> {
        let &[place, value] = args else { return None };
        (self.is_matrix(place) && self.is_matrix(value)).then(|| self.saturated_matrix(place, value, at))
    }

    fn saturated_matrix(&mut self, place: ExprId, value: ExprId, at: At) -> ExprId {
        let small = self.coop_of(self.ty_of(place)).is_some_and(|(scalar, _)| scalar.is_small());
        if !small {
            let place_at = self.at(place).at;
            self.error(place_at, "the result must be a matrix of floats of eight bits");
            return self.wrong(at);
        }
        self.must_be_readable(value);
        if !self.must_be_place(place, "this is written") {
            return self.wrong(at);
        }
        let void = self.known.void;
        self.push(ExprKind::Intrinsic(Intrinsic::SaturatedConvert, vec![place, value]), void, None, at)
    }
}
