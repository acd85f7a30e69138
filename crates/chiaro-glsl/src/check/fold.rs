//! Constant expressions, folded bit for bit as a run would compute them: 32-bit integers wrap,
//! floats round after every operation, functions of the language included.

mod functions;
mod matrix;
mod number;
mod value;

use super::checker::Checker;
use crate::hir::{Binary, ExprId, Unary};
use crate::intrinsic::Intrinsic;
use crate::numeric::Num;
use crate::ty::{Length, Scalar, Ty, Type};

use number::component;
pub(super) use number::{binary, convert, one, unary};

impl Checker<'_> {
    /// The value of an operator with one operand, if that is constant.
    pub(super) fn fold_unary(&self, op: Unary, value: ExprId) -> Option<Box<[u64]>> {
        let scalar = self.numeric(self.ty_of(value))?.scalar;
        self.bits(value)?.iter().map(|&bits| number::unary(op, scalar, bits)).collect()
    }

    /// The value of an operator with two operands, if they are constant.
    pub(super) fn fold_binary(&self, op: Binary, left: ExprId, right: ExprId, ty: Ty) -> Option<Box<[u64]>> {
        let (a, b) = (self.bits(left)?, self.bits(right)?);
        if matches!(op, Binary::Equal | Binary::NotEqual) {
            let equal = self.equal(self.ty_of(left), a, b)?;
            return Some([u64::from(equal == (op == Binary::Equal))].into());
        }
        let (left, right) = (self.numeric(self.ty_of(left))?, self.numeric(self.ty_of(right))?);
        let algebra = op == Binary::Mul && !left.is_scalar() && !right.is_scalar();
        if algebra && (left.is_matrix() || right.is_matrix()) {
            return product(left, a, right, b);
        }
        let count = self.numeric(ty).map_or(1, Num::count).max(a.len()).max(b.len());
        (0..count)
            .map(|n| number::binary(op, left.scalar, right.scalar, component(a, n)?, component(b, n)?))
            .collect()
    }

    /// The value of a function of the language, if its arguments are constant.
    pub(super) fn fold_call(&self, what: Intrinsic, args: &[ExprId], result: Ty) -> Option<Box<[u64]>> {
        if args.is_empty() {
            return None;
        }
        let mut values = Vec::with_capacity(args.len());
        for &arg in args {
            let shape = self.numeric(self.ty_of(arg))?;
            values.push(value::Value { shape, bits: self.bits(arg)? });
        }
        functions::call(what, &values, self.numeric(result)?)
    }

    /// Whether two constants of a type are equal; `None` for types that are not folded.
    fn equal(&self, ty: Ty, a: &[u64], b: &[u64]) -> Option<bool> {
        let mut scalars = Vec::with_capacity(a.len());
        self.flatten_scalars(ty, &mut scalars, a.len())?;
        let mut equal = true;
        for ((scalar, &a), &b) in scalars.into_iter().zip(a).zip(b) {
            equal &= number::binary(Binary::Equal, scalar, scalar, a, b)? != 0;
        }
        Some(equal)
    }

    /// The scalar types of a type, one after another; no more than a constant of it has.
    fn flatten_scalars(&self, ty: Ty, out: &mut Vec<Scalar>, most: usize) -> Option<()> {
        match self.ty(ty) {
            Type::Array(element, Length::Known(n)) => {
                for _ in 0..*n {
                    self.flatten_scalars(*element, out, most)?;
                }
            }
            Type::Struct(id) => {
                for member in &self.types.structure(*id).members {
                    self.flatten_scalars(member.ty, out, most)?;
                }
            }
            _ => {
                let shape = self.numeric(ty)?;
                out.extend(std::iter::repeat_n(shape.scalar, shape.count()));
            }
        }
        (out.len() <= most).then_some(())
    }
}

/// Linear algebra: rows of the left by columns of the right.
fn product(left: Num, a: &[u64], right: Num, b: &[u64]) -> Option<Box<[u64]>> {
    let scalar = left.scalar;
    // A vector on the left is a row; on the right a column.
    let (rows, inner) = if left.is_matrix() { (left.rows, left.columns) } else { (1, left.rows) };
    let columns = if right.is_matrix() { right.columns } else { 1 };
    let (rows, inner, columns) = (usize::from(rows), usize::from(inner), usize::from(columns));
    let mut out = Vec::with_capacity(rows * columns);
    for column in 0..columns {
        for row in 0..rows {
            let mut sum = None;
            for n in 0..inner {
                let (x, y) = (*a.get(n * rows + row)?, *b.get(column * inner + n)?);
                let term = number::binary(Binary::Mul, scalar, scalar, x, y)?;
                sum = Some(match sum {
                    None => term,
                    Some(sum) => number::binary(Binary::Add, scalar, scalar, sum, term)?,
                });
            }
            out.push(sum?);
        }
    }
    Some(out.into())
}
