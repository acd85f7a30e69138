//! Straight runs of micro-ops in fewer steps.
//!
//! A matrix times a vector is dot products of neighbouring slots with the same slots, which are then loaded once for
//! all of them. Rows of tables that are looked up in between are looked up before. Rows with one index are looked up
//! together, and an index that counts only within a range is compared with it in one step.
//!
//! Needs a run that is entered at its start only. Afterwards each micro-op is done once, each result the same.
//!
//! ```text
//! row s20 s21 s22, s1                row s20 s21 s22, s1
//! dot s10, s20 s21 s22, s4 s5 s6     row s24 s25 s26, s1
//! row s24 s25 s26, s1                s10 s11 = s20 s24 (and what follows each), s4 s5 s6
//! dot s11, s24 s25 s26, s4 s5 s6
//!
//! add s2, s1, s8                     s3 = s1 where it is within s8 and s9, else 0; s2 whether it is
//! lt_u s2, s2, s9
//! and s3, s2, s1
//! ```

use crate::op::Op;
use crate::uop::{Scope, Slot, Sum, Uop};

/// A step.
pub(crate) enum Piece {
    /// A micro-op by its number in the run.
    One(usize),
    /// The dot products of a matrix and a vector.
    Matrix(Matrix),
    /// Rows of a table with the same index.
    Rows(Joined),
    /// Those, and all products that they are the matrix of.
    Transform(Joined, Vec<Matrix>),
    /// A number if it is in a range.
    Within(Joined),
}

/// Some micro-ops as one.
pub(crate) struct Joined {
    /// Their numbers in the run.
    pub(crate) numbers: Vec<usize>,
    /// All of them. Of rows: how many, the first slot of each, the index, and in place of the second operands what is
    /// added to the index. Of a range: the results, and behind those whether each is in it.
    pub(crate) uop: Uop,
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
    join(pieces, uops)
}

/// Pieces of several micro-ops that stand next to each other now.
fn join(pieces: Vec<Piece>, uops: &[Uop]) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match (joined.last_mut(), &piece) {
            (Some(Piece::Rows(rows)), Piece::One(number)) if rows.takes_row(&uops[*number]) => {
                rows.push_row(*number, &uops[*number]);
            }
            (_, Piece::One(number)) if is_lookup(&uops[*number]) => {
                let uop = Uop { count: 0, ..uops[*number] };
                let mut rows = Joined { numbers: Vec::new(), uop };
                rows.push_row(*number, &uops[*number]);
                joined.push(Piece::Rows(rows));
            }
            _ => joined.push(piece),
        }
        transform(&mut joined);
        if let Some(within) = joined.last_chunk().and_then(|last| within(last, uops)) {
            joined.truncate(joined.len() - 3);
            joined.push(Piece::Within(within));
        }
    }
    joined
}

/// Makes the last piece, if it is the products of looked up rows, one with them.
fn transform(joined: &mut Vec<Piece>) {
    let Some([rows @ (Piece::Rows(_) | Piece::Transform(..)), Piece::Matrix(matrix)]) = joined.last_chunk()
    else {
        return;
    };
    let (Piece::Rows(found) | Piece::Transform(found, _)) = rows else { return };
    let others: &[Matrix] = if let Piece::Transform(_, others) = rows { others } else { &[] };
    // All products are written while others are not yet computed.
    let all = || others.iter().chain([matrix]);
    let is_read = |slot: &Slot| found.uop.a[0] == *slot || all().any(|matrix| matrix.reads(*slot));
    let apart = !all().any(|matrix| matrix.results().iter().any(is_read));
    let its_rows = matrix.uop.a[..matrix.uop.imm as usize] == found.uop.d[..usize::from(found.uop.count)];
    let index_stays = found.uop.d.iter().all(|first| !first.quad().contains(&found.uop.a[0]));
    if !(its_rows && apart && index_stays) {
        return;
    }
    let Some(Piece::Matrix(matrix)) = joined.pop() else { return };
    match joined.pop() {
        Some(Piece::Rows(rows)) => joined.push(Piece::Transform(rows, vec![matrix])),
        Some(Piece::Transform(rows, mut others)) => {
            others.push(matrix);
            joined.push(Piece::Transform(rows, others));
        }
        _ => {}
    }
}

/// Whether it is a row that can be looked up with others.
fn is_lookup(uop: &Uop) -> bool {
    let small = u16::try_from(uop.imm >> 8).is_ok();
    uop.op == Op::Row && small && uop.d == uop.d[0].quad() && uop.scope == Scope::Active
}

/// `add`, `lt_u` and `and` as one, if they say whether a number is in a range.
fn within(last: &[Piece; 3], uops: &[Uop]) -> Option<Joined> {
    let [Piece::One(first), Piece::One(second), Piece::One(third)] = last else { return None };
    let [add, less, and] = [first, second, third].map(|number| &uops[*number]);
    let count = usize::from(add.count);
    let alike = |uop: &&Uop| uop.count == add.count && uop.scope == Scope::Active;
    let fits = [add.op, less.op, and.op] == [Op::Add, Op::LtU, Op::And] && [add, less, and].iter().all(alike);
    if !fits || !(1..=2).contains(&count) {
        return None;
    }
    let (x, truth) = (&add.a[..count], &add.d[..count]);
    let flows = less.a[..count] == *truth && less.d[..count] == *truth && and.a[..count] == *truth;
    let results = [&and.d[..count], truth].concat();
    let read = [x, &add.b[..count], &less.b[..count]].concat();
    if !flows || and.b[..count] != *x || results.iter().any(|slot| read.contains(slot)) {
        return None;
    }
    let mut d = [results[0]; 4];
    d[..count].copy_from_slice(&results[..count]);
    d[2..2 + count].copy_from_slice(truth);
    let uop = Uop { d, c: less.b, ..*add };
    Some(Joined { numbers: vec![*first, *second, *third], uop })
}

impl Joined {
    fn takes_row(&self, uop: &Uop) -> bool {
        let same = uop.a[0] == self.uop.a[0] && uop.imm & 0xFF == self.uop.imm & 0xFF;
        let mut slots = self.uop.d[..usize::from(self.uop.count)].iter().flat_map(|first| first.quad());
        let apart = !slots.any(|slot| slot == uop.a[0] || uop.d.contains(&slot));
        u32::from(self.uop.count) < MOST && is_lookup(uop) && same && apart
    }

    fn push_row(&mut self, number: usize, uop: &Uop) {
        let at = self.numbers.len();
        self.numbers.push(number);
        (self.uop.d[at], self.uop.b[at]) = (uop.d[0], Slot((uop.imm >> 8) as u16));
        self.uop.count += 1;
    }
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
            Piece::Transform(rows, products) => {
                let products = products.iter().flat_map(|matrix| matrix.results().iter().map(|slot| slot.0));
                rows.numbers.iter().map(|n| *n as u16).chain(products).collect()
            }
            Piece::Rows(joined) | Piece::Within(joined) => joined.numbers.iter().map(|n| *n as u16).collect(),
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
        assert_eq!(steps(&code), [vec![0, 2, out.0, out.0 + 1], vec![out.0 + 2]]);
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

    #[test]
    fn rows_with_one_index_are_looked_up_together() {
        let mut code = Code::new(FloatEnv::PICA_EMU32);
        let [index, other] = code.slots(2).quad().into_iter().take(2).collect::<Vec<_>>()[..] else { return };
        let rows: Vec<Slot> = (0..6).map(|_| code.slots(4)).collect();
        for (k, row) in rows.iter().enumerate() {
            code.row(row.quad(), 0, if k == 5 { other } else { index }, k as u16);
        }
        assert_eq!(steps(&code), [vec![0, 1, 2, 3], vec![4], vec![5]]);
        // The first row writes the index of the second.
        code.uops.clear();
        code.row(index.quad(), 0, index, 0);
        code.row(rows[0].quad(), 0, index, 1);
        assert_eq!(steps(&code), [vec![0], vec![1]]);
    }

    #[test]
    fn an_index_in_a_range_is_one_step() {
        let mut code = Code::new(FloatEnv::PICA_EMU32);
        let [x, low, high, truth] = code.slots(4).quad();
        let out = code.slots(1);
        let range = |code: &mut Code, d: Slot| {
            code.each(Op::Add, &[truth], &[&[x], &[low]]);
            code.each(Op::LtU, &[truth], &[&[truth], &[high]]);
            code.each(Op::And, &[d], &[&[truth], &[x]]);
        };
        range(&mut code, out);
        assert_eq!(steps(&code), [vec![0, 1, 2]]);
        code.uops.clear();
        // Its own place would be read for the second repetition.
        range(&mut code, x);
        assert_eq!(steps(&code).len(), 3);
    }
}
