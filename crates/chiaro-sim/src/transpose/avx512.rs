//! Transposes with AVX-512: four blocks of four by four at a time, one in each quarter of the registers.

use super::{LANES, Lanes};
use std::arch::x86_64::{
    __m128i, __m512i, _mm_loadu_si128, _mm_storeu_si128, _mm512_castsi128_si512, _mm512_castsi512_si128,
    _mm512_extracti32x4_epi32, _mm512_inserti32x4, _mm512_load_si512, _mm512_store_si512,
    _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
};

/// Lanes that a register holds.
const WIDTH: usize = 16;

/// `columns[k]` of each lane from word `k` of the 16 bytes at `row(lane)`.
///
/// # Safety
/// `row` gives pointers to 16 readable bytes for lanes 0 to 31.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) unsafe fn gather(row: impl Fn(usize) -> *const __m128i, columns: &mut [Lanes; 4]) {
    for first in (0..LANES).step_by(WIDTH) {
        // SAFETY: as this function's.
        let load = |lane: usize| unsafe { _mm_loadu_si128(row(first + lane)) };
        // Every fourth row, so that a quarter of the transpose is four neighbours.
        let four = |i: usize| {
            let rows = _mm512_castsi128_si512(load(i));
            let rows = _mm512_inserti32x4::<1>(rows, load(i + 4));
            let rows = _mm512_inserti32x4::<2>(rows, load(i + 8));
            _mm512_inserti32x4::<3>(rows, load(i + 12))
        };
        let turned = turn([four(0), four(1), four(2), four(3)]);
        for k in 0..4 {
            // SAFETY: `first` is 0 or 16 of 32; lanes are aligned to 64 bytes.
            unsafe { _mm512_store_si512(columns[k].0.as_mut_ptr().add(first).cast(), turned[k]) }
        }
    }
}

/// The reverse.
///
/// # Safety
/// `row` gives pointers to 16 writable bytes for lanes 0 to 31.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) unsafe fn scatter(columns: &[Lanes; 4], row: impl Fn(usize) -> *mut __m128i) {
    for first in (0..LANES).step_by(WIDTH) {
        // SAFETY: `first` is 0 or 16 of 32; lanes are aligned to 64 bytes.
        let column = |k: usize| unsafe { _mm512_load_si512(columns[k].0.as_ptr().add(first).cast()) };
        let rows = turn([column(0), column(1), column(2), column(3)]);
        for (i, four) in rows.into_iter().enumerate() {
            // SAFETY: as this function's.
            unsafe {
                _mm_storeu_si128(row(first + i), _mm512_castsi512_si128(four));
                _mm_storeu_si128(row(first + i + 4), _mm512_extracti32x4_epi32::<1>(four));
                _mm_storeu_si128(row(first + i + 8), _mm512_extracti32x4_epi32::<2>(four));
                _mm_storeu_si128(row(first + i + 12), _mm512_extracti32x4_epi32::<3>(four));
            }
        }
    }
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
