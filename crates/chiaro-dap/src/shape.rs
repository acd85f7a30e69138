//! How registers hold matrices that the host program sets: column by column or row by row.

use chiaro_target::Kind;

/// The shape of a matrix among the names of the host program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Its name.
    pub name: String,
    /// What its scalars are.
    pub kind: Kind,
    /// Columns.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
    /// A register holds a row, and not a column.
    pub is_by_row: bool,
}

impl Shape {
    /// The scalars column by column, as the source has them, of those of registers, four each.
    #[must_use]
    pub fn by_column<T: Clone>(&self, of_registers: &[T]) -> Vec<T> {
        let place = |column: usize, row: usize| match self.is_by_row {
            true => 4 * row + column,
            false => 4 * column + row,
        };
        let all = (0..self.columns).flat_map(|column| (0..self.rows).map(move |row| (column, row)));
        all.filter_map(|(column, row)| of_registers.get(place(column, row)).cloned()).collect()
    }

    /// Registers that it takes.
    #[must_use]
    pub fn registers(&self) -> usize {
        if self.is_by_row { self.rows } else { self.columns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_are_read_by_columns() {
        let shape =
            |is_by_row| Shape { name: "m".to_owned(), kind: Kind::Float(32), columns: 2, rows: 3, is_by_row };
        let scalars: Vec<usize> = (0..12).collect();
        assert_eq!(shape(true).by_column(&scalars), [0, 4, 8, 1, 5, 9]);
        assert_eq!(shape(false).by_column(&scalars), [0, 1, 2, 4, 5, 6]);
        assert_eq!([shape(true).registers(), shape(false).registers()], [3, 2]);
    }
}
