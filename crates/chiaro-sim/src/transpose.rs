//! Rows of four words, one per lane, to four slots and back.
//!
//! Vertices come as arrays of rows; lanes want one component of all vertices
//! side by side. On x86-64 blocks of four by four go through the shuffle unit:
//! the compiler does not find this by itself (measured: 3 times slower without).

use crate::state::{LANES, Lanes};

/// `columns[k]` of each lane from `row(lane)[k]`.
#[inline(always)]
pub fn gather(row: impl Fn(usize) -> [u32; 4], columns: &mut [Lanes; 4]) {
    for block in 0..LANES / 4 {
        let rows = std::array::from_fn(|i| row(4 * block + i));
        let turned = block4(rows);
        for (column, four) in columns.iter_mut().zip(turned) {
            column.0[4 * block..4 * block + 4].copy_from_slice(&four);
        }
    }
}

/// Row `lane` from `columns[k].0[lane]`, given to `write`.
#[inline(always)]
pub fn scatter(columns: [&Lanes; 4], mut write: impl FnMut(usize, [u32; 4])) {
    for block in 0..LANES / 4 {
        let four = |k: usize| std::array::from_fn(|i| columns[k].0[4 * block + i]);
        let rows = block4([four(0), four(1), four(2), four(3)]);
        for (i, row) in rows.into_iter().enumerate() {
            write(4 * block + i, row);
        }
    }
}

/// The transpose of a block.
#[inline(always)]
#[must_use]
pub fn block4(rows: [[u32; 4]; 4]) -> [[u32; 4]; 4] {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{
            __m128i, _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi32, _mm_unpacklo_epi64,
        };
        // SAFETY: SSE2 belongs to x86-64; both types are 16 bytes without padding.
        unsafe {
            let [a, b, c, d] = rows.map(|row| std::mem::transmute::<[u32; 4], __m128i>(row));
            let (ab_low, ab_high) = (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
            let (cd_low, cd_high) = (_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
            [
                _mm_unpacklo_epi64(ab_low, cd_low),
                _mm_unpackhi_epi64(ab_low, cd_low),
                _mm_unpacklo_epi64(ab_high, cd_high),
                _mm_unpackhi_epi64(ab_high, cd_high),
            ]
            .map(|column| std::mem::transmute::<__m128i, [u32; 4]>(column))
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::array::from_fn(|k| std::array::from_fn(|i| rows[i][k]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let rows: [[u32; 4]; LANES] = std::array::from_fn(|i| std::array::from_fn(|k| (10 * i + k) as u32));
        let mut columns = [Lanes::ZERO; 4];
        gather(|lane| rows[lane], &mut columns);
        assert_eq!(columns[2].0[7], 72);
        let mut back = [[0; 4]; LANES];
        scatter(columns.each_ref(), |lane, row| back[lane] = row);
        assert_eq!(back, rows);
    }
}
