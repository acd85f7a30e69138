//! Matrix arithmetic on arrays of columns.

use crate::body::Body;
use crate::error::{Res, fail};
use crate::words::Inst;
use chiaro_ir::{Op, Ty, Value};
use spirv::Op as S;

impl Body<'_, '_> {
    /// Emits an instruction of this family.
    pub(crate) fn matrix(&mut self, inst: &Inst<'_>, op: S) -> Res<()> {
        let (_, ty) = self.result_ty(inst)?;
        let a = self.operand(inst, 2)?;
        let v = match op {
            S::Transpose => self.transposed(a, ty)?,
            S::VectorTimesScalar => {
                let b = self.operand(inst, 3)?;
                let b = self.splat_like(b, a);
                self.same(Op::FMul, &[a, b])
            }
            S::MatrixTimesScalar => {
                let b = self.operand(inst, 3)?;
                let mut columns = self.columns_of(a)?;
                let b = self.splat_like(b, columns[0]);
                columns.iter_mut().for_each(|c| *c = self.same(Op::FMul, &[*c, b]));
                self.op(Op::Construct, &columns, ty)
            }
            S::VectorTimesMatrix => {
                let b = self.operand(inst, 3)?;
                let scalar = self.r.module.types.scalar(ty);
                let columns = self.columns_of(b)?;
                let sums: Vec<Value> =
                    columns.into_iter().map(|c| self.op(Op::FDot, &[a, c], scalar)).collect();
                self.op(Op::Construct, &sums, ty)
            }
            S::MatrixTimesVector => {
                let b = self.operand(inst, 3)?;
                let columns = self.columns_of(a)?;
                self.transformed(&columns, b)?
            }
            S::MatrixTimesMatrix => {
                let b = self.operand(inst, 3)?;
                let (columns, mut product) = (self.columns_of(a)?, self.columns_of(b)?);
                for column in &mut product {
                    *column = self.transformed(&columns, *column)?;
                }
                self.op(Op::Construct, &product, ty)
            }
            _ => {
                let b = self.operand(inst, 3)?;
                self.outer(a, b, ty)?
            }
        };
        self.set(inst, v)
    }

    /// The columns of a matrix: at least one, all of them vectors.
    pub(crate) fn columns_of(&mut self, m: Value) -> Res<Vec<Value>> {
        let columns = self.parts(m)?;
        match columns.first() {
            Some(&first) if self.components(first) > 1 => Ok(columns),
            _ => fail("a matrix is expected"),
        }
    }

    /// The sum of columns, each times a component of a vector.
    fn transformed(&mut self, columns: &[Value], v: Value) -> Res<Value> {
        let mut sum = None;
        for (i, &column) in columns.iter().enumerate() {
            let factor = self.extract(v, i as u32)?;
            let factor = self.splat_like(factor, column);
            let product = self.same(Op::FMul, &[column, factor]);
            sum = Some(match sum {
                None => product,
                Some(sum) => self.same(Op::FAdd, &[sum, product]),
            });
        }
        sum.map_or_else(|| fail("a matrix is expected"), Ok)
    }

    /// The matrix whose columns are the rows; `ty` is its type.
    pub(crate) fn transposed(&mut self, m: Value, ty: Ty) -> Res<Value> {
        let columns = self.columns_of(m)?;
        let Some(row) = self.r.module.types.part(ty, 0) else { return fail("a matrix is expected") };
        let rows = self.components(columns[0]);
        let mut made = Vec::new();
        for i in 0..u32::from(rows) {
            let mut parts = Vec::new();
            for &column in &columns {
                parts.push(self.extract(column, i)?);
            }
            made.push(self.op(Op::Construct, &parts, row));
        }
        Ok(self.op(Op::Construct, &made, ty))
    }

    fn outer(&mut self, a: Value, b: Value, ty: Ty) -> Res<Value> {
        let mut columns = Vec::new();
        for factor in self.parts(b)? {
            let factor = self.splat_like(factor, a);
            columns.push(self.same(Op::FMul, &[a, factor]));
        }
        Ok(self.op(Op::Construct, &columns, ty))
    }

    /// All elements of a square matrix, by column, then row.
    fn elements(&mut self, m: Value) -> Res<Vec<Vec<Value>>> {
        let columns = self.columns_of(m)?;
        let n = columns.len();
        let elements = columns.into_iter().map(|c| self.parts(c)).collect::<Res<Vec<_>>>()?;
        if n > 4 || elements.iter().any(|c| c.len() != n) {
            return fail("a square matrix is expected");
        }
        Ok(elements)
    }

    pub(crate) fn determinant(&mut self, m: Value) -> Res<Value> {
        let elements = self.elements(m)?;
        let all: Vec<usize> = (0..elements.len()).collect();
        Ok(self.minor(&elements, &all, &all))
    }

    /// The determinant of some columns and rows, by the first column.
    fn minor(&mut self, m: &[Vec<Value>], columns: &[usize], rows: &[usize]) -> Value {
        let (&first, rest) = columns.split_first().expect("a minor has columns");
        if rest.is_empty() {
            return m[first][rows[0]];
        }
        let mut sum = None;
        for (i, &row) in rows.iter().enumerate() {
            let others: Vec<usize> = rows.iter().copied().filter(|&r| r != row).collect();
            let minor = self.minor(m, rest, &others);
            let product = self.same(Op::FMul, &[m[first][row], minor]);
            sum = Some(match sum {
                None => product,
                Some(sum) => self.same(if i % 2 == 0 { Op::FAdd } else { Op::FSub }, &[sum, product]),
            });
        }
        sum.expect("a minor has rows")
    }

    /// The inverse: cofactors over the determinant.
    pub(crate) fn inverse(&mut self, m: Value) -> Res<Value> {
        let elements = self.elements(m)?;
        let n = elements.len();
        let determinant = self.determinant(m)?;
        let one = self.float(1.0, determinant)?;
        let factor = self.same(Op::FDiv, &[one, determinant]);
        let (ty, column_ty) = (self.f.ty(m), self.r.module.types.part(self.f.ty(m), 0));
        let Some(column_ty) = column_ty else { return fail("a matrix is expected") };
        let mut columns = Vec::new();
        for column in 0..n {
            let mut parts = Vec::new();
            for row in 0..n {
                parts.push(self.cofactor(&elements, row, column, factor));
            }
            columns.push(self.op(Op::Construct, &parts, column_ty));
        }
        Ok(self.op(Op::Construct, &columns, ty))
    }

    /// The determinant without a column and a row, with its sign, times a factor.
    fn cofactor(&mut self, m: &[Vec<Value>], column: usize, row: usize, factor: Value) -> Value {
        let without = |n: usize| (0..m.len()).filter(|&i| i != n).collect::<Vec<usize>>();
        let minor = self.minor(m, &without(column), &without(row));
        let minor = if (column + row).is_multiple_of(2) { minor } else { self.same(Op::FNeg, &[minor]) };
        self.same(Op::FMul, &[minor, factor])
    }
}
