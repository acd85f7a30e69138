//! Straight runs of micro-ops in fewer steps.
//!
//! A matrix times a vector is dot products of neighbouring slots with the same slots, which are then loaded once for
//! all of them. Rows of tables that are looked up in between are looked up before.
//!
//! Needs a run that is entered at its start only. Afterwards each micro-op is done once, each result the same.
//!
//! ```text
//! row s20 s21 s22, s1                row s20 s21 s22, s1
//! dot s10, s20 s21 s22, s4 s5 s6     row s24 s25 s26, s1
//! row s24 s25 s26, s1                s10 s11 = s20 s24 (and what follows each), s4 s5 s6
//! dot s11, s24 s25 s26, s4 s5 s6
//! ```

use crate::op::Op;
use crate::uop::{Scope, Slot, Sum, Uop};

/// A step.
pub(crate) enum Piece {
    /// A micro-op by its number in the run.
    One(usize),
    /// The dot products of a matrix and a vector.
    Matrix(Matrix),
}

/// Dot products with the same second operands, whose results nobody of them reads.
pub(crate) struct Matrix {
    /// The products' numbers in the run.
    pub(crate) numbers: Vec<usize>,
    /// All of them: a result and the first slot of its row for each, the vector, and in `imm` how many there are.
    pub(crate) uop: Uop,
}

/// Most products in a matrix.
const MOST: u32 = 4;

/// Makes a run fewer steps.
pub(crate) fn fuse(uops: &[Uop]) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(uops.len());
    for (number, uop) in uops.iter().enumerate() {
        match pieces.last_mut() {
            Some(Piece::Matrix(matrix)) if matrix.takes(uop) => matrix.push(number, uop),
            Some(Piece::Matrix(matrix)) if uop.op == Op::Row && matrix.is_apart_from(uop) => {
                pieces.insert(pieces.len() - 1, Piece::One(number));
            }
            _ if is_row(uop) => pieces.push(Piece::Matrix(Matrix::new(number, uop))),
            _ => pieces.push(Piece::One(number)),
        }
    }
    pieces
}

/// Whether it is a dot product that can be part of a matrix.
fn is_row(uop: &Uop) -> bool {
    let (row, vector) = (&uop.a[..usize::from(uop.count)], &uop.b[..usize::from(uop.count)]);
    let neighbours = row.iter().zip(uop.a[0].quad()).all(|(slot, neighbour)| *slot == neighbour);
    let in_place = row.contains(&uop.d[0]) || vector.contains(&uop.d[0]);
    let plain = uop.imm == Sum::LeftFromZero as u32 && uop.scope == Scope::Active;
    uop.op == Op::Dot && plain && neighbours && !in_place
}

impl Matrix {
    fn new(number: usize, uop: &Uop) -> Matrix {
        Matrix { numbers: vec![number], uop: Uop { imm: 1, ..*uop } }
    }

    fn takes(&self, uop: &Uop) -> bool {
        let vector = |uop: &Uop| (uop.count, uop.env, uop.b);
        let row = &uop.a[..usize::from(uop.count)];
        let fits = self.uop.imm < MOST && is_row(uop) && vector(uop) == vector(&self.uop);
        fits && !self.reads(uop.d[0]) && !self.results().iter().any(|slot| row.contains(slot))
    }

    fn push(&mut self, number: usize, uop: &Uop) {
        let at = self.numbers.len();
        self.numbers.push(number);
        (self.uop.d[at], self.uop.a[at]) = (uop.d[0], uop.a[0]);
        self.uop.imm += 1;
    }

    /// Whether a row of a table can be looked up before the products instead of behind them.
    fn is_apart_from(&self, row: &Uop) -> bool {
        let written = |slot: &Slot| self.results().contains(slot);
        !written(&row.a[0]) && row.d.iter().all(|slot| !written(slot) && !self.reads(*slot))
    }

    fn results(&self) -> &[Slot] {
        &self.uop.d[..self.uop.imm as usize]
    }

    fn reads(&self, slot: Slot) -> bool {
        let width = usize::from(self.uop.count);
        let in_row = |first: &Slot| first.quad()[..width].contains(&slot);
        self.uop.a[..self.uop.imm as usize].iter().any(in_row) || self.uop.b[..width].contains(&slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, FloatEnv};

    /// The steps of a run: numbers of micro-ops, and of each matrix its results.
    fn steps(code: &Code) -> Vec<Vec<u16>> {
        let step = |piece| match piece {
            Piece::One(number) => vec![number as u16],
            Piece::Matrix(matrix) => matrix.results().iter().map(|slot| slot.0).collect(),
        };
        fuse(&code.uops).into_iter().map(step).collect()
    }

    #[test]
    fn products_with_a_vector_are_a_matrix_and_rows_come_before() {
        let mut code = Code::new(FloatEnv::PICA_EMU32);
        let [table, vector, out] = [0; 3].map(|_| code.slots(4));
        let index = code.slots(1);
        for k in 0..2 {
            let row = code.slots(4).quad();
            code.row(row, 0, index, k);
            code.dot(&[out.at(k)], &row, &vector.quad(), Sum::LeftFromZero);
        }
        code.dot(&[out.at(2)], &table.quad(), &table.quad(), Sum::LeftFromZero);
        assert_eq!(steps(&code), [vec![0], vec![2], vec![out.0, out.0 + 1], vec![out.0 + 2]]);
    }

    #[test]
    fn what_reads_a_result_comes_behind() {
        let mut code = Code::new(FloatEnv::PICA_EMU32);
        let [matrix, vector] = [0; 2].map(|_| code.slots(4));
        for _ in 0..2 {
            code.dot(&[vector], &matrix.quad(), &vector.quad(), Sum::LeftFromZero);
        }
        code.row(matrix.quad(), 0, vector, 0);
        assert_eq!(steps(&code), [vec![0], vec![1], vec![2]]);
        code.uops.clear();
        let out = code.slots(1);
        code.dot(&[out], &matrix.quad(), &vector.quad(), Sum::LeftFromZero);
        code.row(matrix.quad(), 0, vector, 0);
        code.row(vector.quad(), 0, out, 0);
        assert_eq!(steps(&code), [vec![out.0], vec![1], vec![2]]);
    }
}
