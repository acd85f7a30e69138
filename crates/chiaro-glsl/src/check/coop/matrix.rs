//! Cooperative matrices among each other: products, transposition, reduction, functions of each
//! element. [GL_KHR_cooperative_matrix, GL_NV_cooperative_matrix2,
//! GL_EXT_cooperative_matrix_maintenance1]

use super::super::call::Call;
use super::super::checker::Checker;
use super::functions::may_equal;
use crate::ast;
use crate::hir::{ExprId, FunctionId};
use crate::intrinsic::Cooperative;
use crate::ty::{CoopKind, CoopType, Length, Scalar, Ty, Type, usage};

/// Where scope, rows, columns and use stand among a matrix's numbers.
const SCOPE: usize = 0;
const ROWS: usize = 1;
const COLUMNS: usize = 2;
const USE: usize = 3;

/// Masks of a reduction.
const BY_ROW: u64 = 1;
const BY_COLUMN: u64 = 2;
const BY_BOTH: u64 = 3;
const BY_FOUR: u64 = 4;

impl<'a> Checker<'a> {
    /// `coopMatMulAdd(A, B, C, operands)`: the product of the first two and the third.
    pub(super) fn multiply_add(&mut self, call: &Call<'a>, kind: CoopKind) -> Option<ExprId> {
        let args = self.arguments(call.args)?;
        let (&[a, b, c] | &[a, b, c, _]) = args.as_slice() else {
            return self.expected(call, "A, B, C");
        };
        if args.len() == 4 && kind == CoopKind::MatrixNv {
            return self.expected(call, "A, B, C");
        }
        for &arg in &args {
            self.must_be_readable(arg);
        }
        let (_, left) = self.of_kind(a, kind)?;
        let (_, right) = self.of_kind(b, kind)?;
        let (_, sum) = self.of_kind(c, kind)?;
        self.check_factors(call, [&left, &right, &sum])?;
        if let Some(&operands) = args.get(3) {
            let constant = self.fixed(operands, "the operands of this product")?;
            self.bits(constant)?;
        }
        let ty = self.ty_of(c);
        self.cooperative(Cooperative::MulAdd, args, ty, call)
    }

    /// (M, K) * (K, N) + (M, N), each of its use.
    fn check_factors(&mut self, call: &Call<'a>, [a, b, c]: [&CoopType; 3]) -> Option<()> {
        let number = |of: &CoopType, n: usize| of.numbers.get(n).copied();
        let agrees = |x: Option<Length>, y: Option<Length>| may_equal(x.as_ref(), y.as_ref());
        let same_spec = |x: Option<Length>, y: Option<Length>| match (x, y) {
            (Some(Length::Spec(x, _)), Some(Length::Spec(y, _))) => x == y,
            _ => true,
        };
        let inner = (number(a, COLUMNS), number(b, ROWS));
        let message = if !agrees(inner.0, inner.1) || !same_spec(inner.0, inner.1) {
            "the columns of A must be as many as the rows of B"
        } else if !agrees(number(a, ROWS), number(c, ROWS)) || !agrees(number(b, COLUMNS), number(c, COLUMNS))
        {
            "C must have the rows of A and the columns of B"
        } else if [a, b].iter().any(|of| !agrees(number(of, SCOPE), number(c, SCOPE))) {
            "A, B and C must be of one scope"
        } else if !uses(&[(a, 0), (b, 1), (c, usage::ACCUMULATOR)]) {
            "A must be of `gl_MatrixUseA`, B of `gl_MatrixUseB` and C of `gl_MatrixUseAccumulator`"
        } else {
            return Some(());
        };
        self.error(call.at, message);
        None
    }

    /// `coopMatTransposeNV(result, m)`
    pub(super) fn transpose(&mut self, call: &Call<'a>) -> Option<ExprId> {
        let [result, matrix] = self.exactly(call, "result, matrix")?;
        let (to_scalar, to) = self.of_kind(result, CoopKind::Matrix)?;
        let (from_scalar, from) = self.of_kind(matrix, CoopKind::Matrix)?;
        let free = self.enabled.has("GL_EXT_cooperative_matrix_maintenance1");
        let swapped = may_equal(to.numbers.get(ROWS), from.numbers.get(COLUMNS))
            && may_equal(to.numbers.get(COLUMNS), from.numbers.get(ROWS));
        let used = from.known(USE).is_none_or(|used| used == usage::ACCUMULATOR)
            && to.known(USE) != Some(usage::ACCUMULATOR)
            && (free || to.known(USE).is_none_or(|used| used == 1));
        let message = if !used {
            "a matrix for accumulation is transposed to one that is a factor"
        } else if !may_equal(to.numbers.get(SCOPE), from.numbers.get(SCOPE)) {
            "both matrices must be of one scope"
        } else if !swapped {
            "the result must have the rows of the matrix as columns, and its columns as rows"
        } else if !free && to_scalar != from_scalar {
            "both matrices must have elements of one type"
        } else {
            self.must_be_readable(matrix);
            self.read_or_written(result, true)?;
            let void = self.known.void;
            return self.cooperative(Cooperative::Transpose, vec![result, matrix], void, call);
        };
        self.error(call.at, message);
        None
    }

    /// `coopMatReduceNV(result, m, mask, function)`
    pub(super) fn reduce(&mut self, call: &Call<'a>) -> Option<ExprId> {
        let &[result, matrix, mask, function] = call.args else {
            return self.expected(call, "result, matrix, mask, function");
        };
        let function = self.callback(function);
        let (result, matrix, mask) = (self.expr(result), self.expr(matrix), self.expr(mask));
        let function = function?;
        if [result, matrix, mask].iter().any(|&arg| self.is_error(arg)) {
            return None;
        }
        let (scalar, to) = self.of_kind(result, CoopKind::Matrix)?;
        let (from_scalar, from) = self.of_kind(matrix, CoopKind::Matrix)?;
        self.fixed(mask, "how a matrix is reduced")?;
        let how = self.bits(mask).and_then(<[u64]>::first).copied();
        let accumulate = |of: &CoopType| of.known(USE).is_none_or(|used| used == usage::ACCUMULATOR);
        let message = if scalar != from_scalar {
            "both matrices must have elements of one type"
        } else if !may_equal(to.numbers.get(SCOPE), from.numbers.get(SCOPE)) {
            "both matrices must be of one scope"
        } else if !accumulate(&to) || !accumulate(&from) {
            "both matrices must be for accumulation"
        } else if !how.is_some_and(|how| (BY_ROW..=BY_FOUR).contains(&how)) {
            "the way of reduction must be one of `gl_CooperativeMatrixReduce...`"
        } else if !reduces(how.unwrap_or(BY_BOTH), &to, &from) {
            "the result does not have the rows and columns that this reduction leaves"
        } else {
            self.check_combination(function, scalar, call)?;
            self.must_be_readable(matrix);
            self.read_or_written(result, true)?;
            let void = self.known.void;
            let args = vec![result, matrix, mask];
            return self.cooperative(Cooperative::Reduce(function), args, void, call);
        };
        self.error(call.at, message);
        None
    }

    /// Two elements become one.
    fn check_combination(&mut self, function: FunctionId, scalar: Scalar, call: &Call<'a>) -> Option<()> {
        let element = self.types.intern(Type::Scalar(scalar));
        let (params, result) = self.signature(function);
        if params == [element, element] && result == element {
            return Some(());
        }
        let name = self.name_of(element);
        self.error(call.at, format!("the function must make one `{name}` of two"));
        None
    }

    /// `coopMatPerElementNV(result, m, function, ...)`: the function of row, column, element,
    /// and what else is given.
    pub(super) fn per_element(&mut self, call: &Call<'a>) -> Option<ExprId> {
        let &[result, matrix, function, ref more @ ..] = call.args else {
            return self.expected(call, "result, matrix, function, further arguments");
        };
        let function = self.callback(function);
        let args: Vec<ast::ExprId> = [result, matrix].iter().chain(more).copied().collect();
        let args: Vec<ExprId> = args.into_iter().map(|arg| self.expr(arg)).collect();
        let function = function?;
        let [result, matrix, ref more @ ..] = *args.as_slice() else { return None };
        if args.iter().any(|&arg| self.is_error(arg)) {
            return None;
        }
        let (scalar, _) = self.of_kind(matrix, CoopKind::Matrix)?;
        let ty = self.ty_of(matrix);
        if self.ty_of(result) != ty {
            let name = self.name_of(ty);
            return self.refuse(result, &format!("the result must be a `{name}` as the matrix is"));
        }
        let more = self.further(function, (scalar, ty), more, call)?;
        self.read_or_written(result, true)?;
        let args = [result, matrix].into_iter().chain(more).collect();
        let void = self.known.void;
        self.cooperative(Cooperative::PerElement(function), args, void, call)
    }

    /// What a function of elements gets beside row, column and element: values of its parameters'
    /// types, or matrices of such elements.
    fn further(
        &mut self,
        function: FunctionId,
        (scalar, ty): (Scalar, Ty),
        more: &[ExprId],
        call: &Call<'a>,
    ) -> Option<Vec<ExprId>> {
        let element = self.types.intern(Type::Scalar(scalar));
        let (params, result) = self.signature(function);
        let name = self.name_of(element);
        let [row, column, third, ref others @ ..] = *params.as_slice() else {
            self.error(call.at, "the function must take a row, a column and an element");
            return None;
        };
        let message = if !self.is_uint(row) || !self.is_uint(column) {
            "the function's parameters for row and column must be `uint`".to_owned()
        } else if third != element || result != element {
            format!("the function must take an element, a `{name}`, third, and return one")
        } else if others.len() != more.len() {
            format!("the function takes {} further arguments, {} are given", others.len(), more.len())
        } else {
            String::new()
        };
        if !message.is_empty() {
            self.error(call.at, message);
            return None;
        }
        let mut passed = Vec::with_capacity(more.len());
        for (&arg, &param) in more.iter().zip(others) {
            let own = self.ty_of(arg);
            let is_matrix = self.coop_of(own).is_some_and(|(_, coop)| coop.is_matrix());
            if is_matrix && (own != ty || param != element) {
                return self.refuse(arg, "a further matrix must be of the same type as the first");
            }
            if !is_matrix && own != param {
                let (expected, found) = (self.name_of(param), self.name_of(own));
                return self.refuse(arg, &format!("the function takes `{expected}` here, found `{found}`"));
            }
            passed.push(arg);
        }
        Some(passed)
    }

    /// `coopMatGetCoordinateEXT(m, index)`
    pub(super) fn coordinate(&mut self, call: &Call<'a>) -> Option<ExprId> {
        let [matrix, index] = self.exactly(call, "matrix, index")?;
        self.of_kind(matrix, CoopKind::Matrix)?;
        let index = self.unsigned(index, false)?;
        let ty = self.vector(Scalar::Uint, 2);
        self.cooperative(Cooperative::Coordinate, vec![matrix, index], ty, call)
    }
}

/// Whether matrices are of the uses that they should be, where that is known.
fn uses(matrices: &[(&CoopType, u32)]) -> bool {
    matrices.iter().all(|(of, used)| of.known(USE).is_none_or(|known| known == *used))
}

/// Whether a reduction leaves a matrix of such a size.
fn reduces(how: u64, to: &CoopType, from: &CoopType) -> bool {
    let same = |n: usize| may_equal(to.numbers.get(n), from.numbers.get(n));
    let half = |n: usize| match (to.known(n), from.known(n)) {
        (Some(to), Some(from)) => to.checked_mul(2) == Some(from),
        _ => true,
    };
    match how {
        BY_ROW => same(ROWS),
        BY_COLUMN => same(COLUMNS),
        BY_FOUR => half(ROWS) && half(COLUMNS),
        _ => true,
    }
}
