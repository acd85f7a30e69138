//! Transposes with AVX2: two blocks of four by four at a time, one in each half of the registers.

use super::{LANES, Lanes};
use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm_storeu_si128, _mm256_castsi256_si128, _mm256_extracti128_si256,
    _mm256_loadu_si256, _mm256_set_m128i, _mm256_storeu_si256, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64,
    _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
};

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
pub(crate) unsafe fn scatter(columns: [&Lanes; 4], row: impl Fn(usize) -> *mut __m128i) {
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
