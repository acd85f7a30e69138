//! Functions of matrices on constants, in the order in which `chiaro-spirv` writes them out for the run: a matrix has
//! one inverse, whether it is known early or late.

use super::number::of_f32;
use super::value::{Value, each};
use crate::intrinsic::{Intrinsic, Math};
use crate::numeric::Num;

/// The value of a function of matrices; `None` for other functions.
pub(super) fn matrix(what: Intrinsic, args: &[Value<'_>], result: Num) -> Option<Box<[u64]>> {
    match (what, args) {
        (Intrinsic::MatrixCompMult, [a, b]) => each(result, |n| a.float(n) * b.float(n)),
        (Intrinsic::Math(Math::Transpose), [a]) => {
            let rows = usize::from(result.rows);
            each(result, |n| a.float((n % rows) * usize::from(a.shape.rows) + n / rows))
        }
        (Intrinsic::Math(Math::OuterProduct), [column, row]) => {
            let rows = usize::from(result.rows);
            each(result, |n| column.float(n % rows) * row.float(n / rows))
        }
        (Intrinsic::Math(Math::Determinant), [a]) => Some([of_f32(Square::of(a).determinant())].into()),
        (Intrinsic::Math(Math::Inverse), [a]) => {
            let m = Square::of(a);
            let factor = 1.0 / m.determinant();
            each(result, |n| m.cofactor(n % m.size, n / m.size) * factor)
        }
        _ => None,
    }
}

/// A square matrix, column by column.
struct Square {
    elements: Vec<f32>,
    size: usize,
}

impl Square {
    fn of(value: &Value<'_>) -> Square {
        Square { elements: value.floats().collect(), size: usize::from(value.shape.columns) }
    }

    fn determinant(&self) -> f32 {
        let all: Vec<usize> = (0..self.size).collect();
        self.minor(&all, &all)
    }

    /// The determinant of as many columns as rows, by the first column; 1 for none.
    fn minor(&self, columns: &[usize], rows: &[usize]) -> f32 {
        let Some((&first, rest)) = columns.split_first() else { return 1.0 };
        let product = |i: usize| {
            let others: Vec<usize> = rows.iter().copied().filter(|&row| row != rows[i]).collect();
            self.elements[first * self.size + rows[i]] * self.minor(rest, &others)
        };
        let next = |sum: f32, i: usize| if i.is_multiple_of(2) { sum + product(i) } else { sum - product(i) };
        (1..rows.len()).fold(product(0), next)
    }

    /// The determinant without a column and a row, with its sign.
    fn cofactor(&self, column: usize, row: usize) -> f32 {
        let without = |n: usize| (0..self.size).filter(|&i| i != n).collect::<Vec<usize>>();
        let minor = self.minor(&without(column), &without(row));
        if (column + row).is_multiple_of(2) { minor } else { -minor }
    }
}
