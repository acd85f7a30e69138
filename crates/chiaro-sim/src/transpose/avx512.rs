//! Transposes with AVX-512: four blocks of four by four at a time, one in each quarter of the registers.
//!
//! The shuffles take no fewer cycles than those of AVX2. But the kernels that come behind load whole registers of 512
//! bits, and what was just stored in two halves they cannot have before it is in the cache.

use super::{LANES, Lanes};
use std::arch::x86_64::{
    __m128i, __m512i, _mm_loadu_si128, _mm256_set_m128i, _mm512_castsi256_si512, _mm512_cmpneq_epi32_mask,
    _mm512_inserti64x4, _mm512_loadu_si512, _mm512_set1_epi32, _mm512_storeu_si512, _mm512_unpackhi_epi32,
    _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
};

/// `columns[k]` of each lane from word `k` of the 16 bytes at `row(lane)`.
///
/// # Safety
/// `row` gives pointers to 16 readable bytes for lanes 0 to 31.
#[inline]
#[target_feature(enable = "avx512f,avx2")]
pub(crate) unsafe fn gather(row: impl Fn(usize) -> *const __m128i, columns: &mut [Lanes; 4]) {
    let [x, y, z, w] = columns;
    for first in (0..LANES).step_by(16) {
        // SAFETY: as this function's.
        let turned = unsafe { sixteen(|lane| row(first + lane)) };
        for (column, sixteen) in [&mut *x, &mut *y, &mut *z, &mut *w].into_iter().zip(turned) {
            // SAFETY: `first` is at most 16 of 32.
            unsafe { _mm512_storeu_si512(column.0.as_mut_ptr().add(first).cast(), sixteen) }
        }
    }
}

/// The words of 16 rows: first those of all rows, and so on.
///
/// # Safety
/// `row` gives pointers to 16 readable bytes for lanes 0 to 15.
#[inline]
#[target_feature(enable = "avx512f,avx2")]
pub(crate) unsafe fn sixteen(row: impl Fn(usize) -> *const __m128i) -> [__m512i; 4] {
    // SAFETY: as this function's.
    let load = |lane: usize| unsafe { _mm_loadu_si128(row(lane)) };
    let four = |i: usize| {
        let low = _mm256_set_m128i(load(i + 4), load(i));
        let high = _mm256_set_m128i(load(i + 12), load(i + 8));
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
    };
    turn([four(0), four(1), four(2), four(3)])
}

/// Whether all lanes have the same value. (Measured: as the compiler has it, nearly half of a lookup.)
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn are_same(index: &Lanes) -> bool {
    let first = _mm512_set1_epi32(index.0[0] as i32);
    // SAFETY: two times 16 of 32 lanes.
    let [low, high] = [0, 16].map(|lane| unsafe { _mm512_loadu_si512(index.0.as_ptr().add(lane).cast()) });
    (_mm512_cmpneq_epi32_mask(low, first) | _mm512_cmpneq_epi32_mask(high, first)) == 0
}

/// Transposes the block in each quarter.
#[inline]
#[target_feature(enable = "avx512f")]
fn turn([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let (ab_low, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let (cd_low, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    [
        _mm512_unpacklo_epi64(ab_low, cd_low),
        _mm512_unpackhi_epi64(ab_low, cd_low),
        _mm512_unpacklo_epi64(ab_high, cd_high),
        _mm512_unpackhi_epi64(ab_high, cd_high),
    ]
}
