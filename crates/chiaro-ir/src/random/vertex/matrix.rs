//! Matrices: products, inverses written out in cofactors, columns turned into rows.

use super::{Draw, Pool};
use crate::{Builder, Value};

impl Draw<'_> {
    /// A vector through a matrix, a product of two, or an inverse.
    pub(super) fn linear(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        match self.rng.below(4) {
            0 => self.product(b),
            1 => self.inverse_of_two(b, pool),
            2 => self.inverse_of_three(b, pool),
            _ => self.matrix(b, pool),
        }
    }

    /// A column of the uniform matrix times itself: every element is a sum of four products.
    fn product(&mut self, b: &mut Builder<'_>) -> Value {
        let columns: Vec<Value> = (0..4).map(|i| self.column(b, i)).collect();
        let by = columns[self.rng.below(4)];
        let transposed = self.rng.once_in(2);
        let mut parts = Vec::new();
        for row in 0..4 {
            let numbers: Vec<Value> = match transposed {
                true => vec![b.fdot(columns[row as usize], by)],
                false => columns.iter().zip(0..).map(|(&c, i)| element_product(b, c, row, by, i)).collect(),
            };
            let sum = numbers.into_iter().reduce(|sum, next| b.fadd(sum, next));
            parts.extend(sum);
        }
        let product = b.vector(&parts);
        self.tame(b, product)
    }

    fn column(&mut self, b: &mut Builder<'_>, i: u32) -> Value {
        let index = b.u32(i);
        self.uniform(b, 0, &[index])
    }

    /// The inverse of a 2x2 matrix in a vec4, far enough from none.
    fn inverse_of_two(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = self.world.floats[3];
        let m = self.pick(b, pool, ty);
        let m = self.tame(b, m);
        let [x, y, z, w] = [0, 1, 2, 3].map(|i| b.extract(m, i));
        let (xw, yz) = (b.fmul(x, w), b.fmul(y, z));
        let determinant = b.fsub(xw, yz);
        let factor = self.reciprocal(b, determinant);
        let (ny, nz) = (b.fneg(y), b.fneg(z));
        let adjugate = b.vector(&[w, ny, nz, x]);
        let factor = b.splat(ty, factor);
        let inverse = b.fmul(adjugate, factor);
        self.tame(b, inverse)
    }

    /// The first column of the inverse of the uniform matrix's upper left 3x3.
    fn inverse_of_three(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let three = self.world.floats[2];
        let columns: Vec<Value> = (0..3)
            .map(|i| {
                let column = self.column(b, i);
                let column = b.shuffle(column, column, &[0, 1, 2]);
                self.tame(b, column)
            })
            .collect();
        let normal = cross(b, columns[1], columns[2]);
        let determinant = b.fdot(columns[0], normal);
        let factor = self.reciprocal(b, determinant);
        let factor = b.splat(three, factor);
        let row = b.fmul(normal, factor);
        let v = self.pick(b, pool, three);
        let v = self.tame(b, v);
        let product = b.fmul(row, v);
        self.tame(b, product)
    }

    /// One over a number that is moved away from zero.
    fn reciprocal(&mut self, b: &mut Builder<'_>, x: Value) -> Value {
        let ty = b.ty(x);
        let zero = b.zero(ty);
        let (up, down) = (self.splat(b, ty, 0.5), self.splat(b, ty, -0.5));
        let is_negative = b.flt(x, zero);
        let away = b.select(is_negative, down, up);
        let (moved, one) = (b.fadd(x, away), self.splat(b, ty, 1.0));
        b.fdiv(one, moved)
    }
}

fn element_product(b: &mut Builder<'_>, column: Value, row: u32, by: Value, i: u32) -> Value {
    let (x, y) = (b.extract(column, row), b.extract(by, i));
    b.fmul(x, y)
}

/// The cross product, as the languages write it out.
fn cross(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let turned = |b: &mut Builder<'_>, v: Value| [b.shuffle(v, v, &[1, 2, 0]), b.shuffle(v, v, &[2, 0, 1])];
    let ([x1, x2], [y1, y2]) = (turned(b, x), turned(b, y));
    let (left, right) = (b.fmul(x1, y2), b.fmul(x2, y1));
    b.fsub(left, right)
}
