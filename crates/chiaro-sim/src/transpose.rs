//! Transposes between arrays of vec4 and structure-of-arrays slots.
//!
//! Vertices come as arrays of rows; lanes want one component of all vertices
//! side by side. The compiler does not find the shuffles for this by itself, so
//! with AVX2 they are spelled out: two blocks of four by four at a time, one in
//! each half of the registers. (Measured on a program of nine words: the whole
//! run takes twice as long without.)

use crate::engine::Engine;
use crate::state::{LANES, Lanes, Table};

/// Every `stride`-th row from `first` on: one for each lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// The row of lane 0.
    pub first: usize,
    /// Rows from one lane to the next.
    pub stride: usize,
    /// Lanes that have a row, 1 to 32.
    pub lanes: usize,
}

impl Rows {
    /// The row of a lane; lanes without one share the last.
    #[inline(always)]
    fn place(&self, lane: usize) -> usize {
        self.first + lane.min(self.lanes - 1) * self.stride
    }

    /// All lanes have a row of their own among `rows` rows.
    fn full(&self, rows: usize) -> bool {
        let last = self.stride.checked_mul(LANES - 1).and_then(|n| n.checked_add(self.first));
        self.lanes == LANES && last.is_some_and(|last| last < rows)
    }
}

/// `columns[k]` of each lane from component `k` of its row. Lanes without a
/// row get that of the last one that has.
///
/// # Panics
/// If a row is missing.
pub fn load(engine: Engine, rows: &[[f32; 4]], which: Rows, columns: &mut [Lanes; 4]) {
    #[cfg(target_arch = "x86_64")]
    if engine == Engine::Avx2 && which.full(rows.len()) && Engine::best() == Engine::Avx2 {
        let start = rows[which.first..].as_ptr();
        // SAFETY: the processor has AVX2; `full` says that all places exist.
        return unsafe { avx2::gather(|lane| start.add(lane * which.stride).cast(), columns) };
    }
    let _ = engine;
    gather(|lane| rows[which.place(lane)].map(f32::to_bits), columns);
}

/// Component `k` of each lane's row from `columns[k]`.
///
/// # Panics
/// If a row is missing.
pub fn store(engine: Engine, columns: &[Lanes; 4], rows: &mut [[f32; 4]], which: Rows) {
    #[cfg(target_arch = "x86_64")]
    if engine == Engine::Avx2 && which.full(rows.len()) && Engine::best() == Engine::Avx2 {
        let start = rows[which.first..].as_mut_ptr();
        // SAFETY: the processor has AVX2; `full` says that all places exist.
        return unsafe { avx2::scatter(columns, |lane| start.add(lane * which.stride).cast()) };
    }
    let _ = engine;
    for lane in 0..which.lanes.min(LANES) {
        rows[which.place(lane)] = [0, 1, 2, 3].map(|k: usize| f32::from_bits(columns[k].0[lane]));
    }
}

/// `columns[k]` of each lane from component `k` of table row `index + base`.
#[inline(always)]
pub(crate) fn look_up(table: &Table, index: &Lanes, base: u32, columns: &mut [Lanes; 4]) {
    gather(|lane| *table.row(index.0[lane].wrapping_add(base)), columns);
}

fn gather(row: impl Fn(usize) -> [u32; 4], columns: &mut [Lanes; 4]) {
    for lane in 0..LANES {
        for (column, value) in columns.iter_mut().zip(row(lane)) {
            column.0[lane] = value;
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2 {
    use super::{LANES, Lanes, Table};
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_loadu_si128, _mm_storeu_si128, _mm256_castsi256_si128,
        _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_set_m128i, _mm256_storeu_si256,
        _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
    };

    /// See [`look_up`](super::look_up).
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) fn look_up(table: &Table, index: &Lanes, base: u32, columns: &mut [Lanes; 4]) {
        let rows = table.rows();
        let mask = rows.len() - 1;
        // SAFETY: a table's length is a power of two, so masked indices are in it.
        let row = |lane: usize| unsafe {
            rows.as_ptr().add(index.0[lane].wrapping_add(base) as usize & mask).cast()
        };
        // SAFETY: rows are 16 bytes.
        unsafe { gather(row, columns) }
    }

    /// `columns[k]` of each lane from word `k` of the 16 bytes at `row(lane)`.
    ///
    /// # Safety
    /// `row` gives pointers to 16 readable bytes for lanes 0 to 31.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn gather(row: impl Fn(usize) -> *const __m128i, columns: &mut [Lanes; 4]) {
        let [x, y, z, w] = columns;
        for first in (0..LANES).step_by(8) {
            // SAFETY: as this function's.
            let pair = |i: usize| unsafe {
                _mm256_set_m128i(_mm_loadu_si128(row(first + i + 4)), _mm_loadu_si128(row(first + i)))
            };
            let turned = turn([pair(0), pair(1), pair(2), pair(3)]);
            for (column, eight) in [&mut *x, &mut *y, &mut *z, &mut *w].into_iter().zip(turned) {
                // SAFETY: `first` is at most 24 of 32.
                unsafe { _mm256_storeu_si256(column.0.as_mut_ptr().add(first).cast(), eight) }
            }
        }
    }

    /// The reverse.
    ///
    /// # Safety
    /// `row` gives pointers to 16 writable bytes for lanes 0 to 31.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn scatter(columns: &[Lanes; 4], row: impl Fn(usize) -> *mut __m128i) {
        for first in (0..LANES).step_by(8) {
            // SAFETY: `first` is at most 24 of 32.
            let eight = |k: usize| unsafe { _mm256_loadu_si256(columns[k].0.as_ptr().add(first).cast()) };
            let rows = turn([eight(0), eight(1), eight(2), eight(3)]);
            for (i, pair) in rows.into_iter().enumerate() {
                // SAFETY: as this function's.
                unsafe {
                    _mm_storeu_si128(row(first + i), _mm256_castsi256_si128(pair));
                    _mm_storeu_si128(row(first + i + 4), _mm256_extracti128_si256::<1>(pair));
                }
            }
        }
    }

    /// Transposes the block in the low halves and the one in the high halves.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn turn([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
        let (ab_low, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        let (cd_low, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
        [
            _mm256_unpacklo_epi64(ab_low, cd_low),
            _mm256_unpackhi_epi64(ab_low, cd_low),
            _mm256_unpacklo_epi64(ab_high, cd_high),
            _mm256_unpackhi_epi64(ab_high, cd_high),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let row = |i: usize| [0, 1, 2, 3].map(|k| (10 * i + k) as f32);
        let rows: Vec<[f32; 4]> = (0..2 * LANES).map(row).collect();
        for engine in [Engine::Portable, Engine::best()] {
            for lanes in [1, 31, 32] {
                let which = Rows { first: 0, stride: 2, lanes };
                let mut columns = [Lanes::ZERO; 4];
                load(engine, &rows, which, &mut columns);
                assert_eq!(f32::from_bits(columns[1].0[31]), (20 * (lanes - 1) + 1) as f32);
                let mut back = vec![[0.0; 4]; 2 * LANES];
                store(engine, &columns, &mut back, which);
                let stored = |i: usize| if i & 1 == 0 && i < 2 * lanes { rows[i] } else { [0.0; 4] };
                assert!((0..2 * LANES).all(|i| back[i] == stored(i)));
            }
        }
    }
}
