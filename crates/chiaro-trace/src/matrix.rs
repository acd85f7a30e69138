//! Transforms of instances: three rows of four.

/// An affine transform: three rows, the last number of each moves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Affine(pub [[f32; 4]; 3]);

impl Default for Affine {
    fn default() -> Affine {
        Affine([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
    }
}

impl Affine {
    /// First the other one, then this one.
    #[must_use]
    pub fn after(&self, other: &Affine) -> Affine {
        let cell = |row: usize, column: usize| {
            let sum: f64 = (0..3).map(|k| f64::from(self.0[row][k]) * f64::from(other.0[k][column])).sum();
            (sum + if column == 3 { f64::from(self.0[row][3]) } else { 0.0 }) as f32
        };
        Affine(std::array::from_fn(|row| std::array::from_fn(|column| cell(row, column))))
    }

    /// The transform back; `None` of one that makes a body flat, or that holds what is no number.
    #[must_use]
    pub fn inverse(&self) -> Option<Affine> {
        let m: [[f64; 4]; 3] = self.0.map(|row| row.map(f64::from));
        let minor = |r: usize, c: usize| {
            let (a, b, i, j) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
            m[a][i] * m[b][j] - m[a][j] * m[b][i]
        };
        let determinant: f64 = (0..3).map(|c| m[0][c] * minor(0, c)).sum();
        if !determinant.is_finite() || determinant == 0.0 {
            return None;
        }
        let mut back = [[0.0; 4]; 3];
        for (row, to) in back.iter_mut().enumerate() {
            for (column, cell) in to.iter_mut().take(3).enumerate() {
                *cell = minor(column, row) / determinant;
            }
            to[3] = -(0..3).map(|k| to[k] * m[k][3]).sum::<f64>();
        }
        let back = back.map(|row| row.map(|cell| cell as f32));
        back.iter().flatten().all(|cell| cell.is_finite()).then_some(Affine(back))
    }

    /// A point moved, in binary64.
    #[must_use]
    pub fn point(&self, p: [f64; 3]) -> [f64; 3] {
        let moved = self.direction(p);
        std::array::from_fn(|row| moved[row] + f64::from(self.0[row][3]))
    }

    /// A direction turned, in binary64.
    #[must_use]
    pub fn direction(&self, d: [f64; 3]) -> [f64; 3] {
        self.0.map(|row| (0..3).map(|k| f64::from(row[k]) * d[k]).sum())
    }

    /// The numbers column by column, as shaders hold them: four columns of three.
    #[must_use]
    pub fn columns(&self) -> [f32; 12] {
        std::array::from_fn(|n| self.0[n % 3][n / 3])
    }
}

#[cfg(test)]
mod tests {
    use super::Affine;

    #[test]
    fn a_transform_and_its_inverse_change_nothing() {
        let m = Affine([[0.0, -2.0, 0.0, 1.0], [3.0, 0.0, 0.5, 2.0], [0.0, 0.0, 1.0, 3.0]]);
        let same = m.after(&m.inverse().expect("it is not flat"));
        for (row, unit) in same.0.iter().zip(Affine::default().0) {
            assert!(row.iter().zip(unit).all(|(a, b)| (a - b).abs() < 1e-6), "{same:?}");
        }
    }

    #[test]
    fn what_is_flat_has_no_inverse() {
        assert_eq!(Affine([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0; 4]]).inverse(), None);
        assert_eq!(Affine([[f32::NAN; 4]; 3]).inverse(), None);
    }
}
