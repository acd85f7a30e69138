//! A matrix from a table, looked up lane by lane, times vectors: what skinning is made of.
//!
//! Rows go from the table through registers into the products, and to their slots only where somebody reads them.
//! (Measured: a skinning program takes four fifths of the time that it takes with one step for the lookup and one for
//! each vector.)

use std::arch::x86_64::{
    __m512i, _CMP_UNORD_Q, _mm512_add_epi32, _mm512_add_ps, _mm512_and_si512, _mm512_castps_si512,
    _mm512_castsi512_ps, _mm512_cmp_ps_mask, _mm512_loadu_si512, _mm512_mul_ps, _mm512_set1_epi32,
    _mm512_setzero_ps, _mm512_slli_epi32, _mm512_storeu_si512,
};
use std::hint::black_box;

use crate::body::{lanes, lanes_mut};
use crate::state::{Lanes, State};
use crate::transpose::avx512::sixteen;
use crate::uop::{Slot, Uop};

/// Products of looked up rows.
#[derive(Clone, Debug)]
pub(crate) struct Transform {
    /// How many rows, the first slot of each, the index, and in place of the second operands what is added to it.
    pub(crate) rows: Uop,
    /// A vector each: for each row a result, the vector's slots, how many of them count.
    pub(crate) products: Vec<Uop>,
    /// Whether rows are read in their slots.
    pub(crate) stores_rows: bool,
}

/// Lanes in a register.
const PART: usize = 16;

impl Transform {
    /// Writes the products in binary32 without a rule for zero and infinity; true if one is NaN and all must be done
    /// in another way. No result is an operand.
    ///
    /// # Panics
    /// If there is no such table.
    ///
    /// # Safety
    /// The processor has these features, and the state all slots.
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,f16c")]
    pub(crate) unsafe fn run(&self, state: &mut State) -> bool {
        // SAFETY: as this function's.
        let places = black_box(unsafe { self.places(state) });
        let table = state.tables[usize::from(self.rows.imm as u8)].rows().as_ptr();
        let mut nan = 0;
        for first in [0, PART] {
            for (k, places) in places.iter().enumerate().take(self.rows.count.into()) {
                // SAFETY: places are those of rows of the table.
                let row = unsafe {
                    sixteen(|lane| table.wrapping_byte_add(places.0[first + lane] as usize).cast())
                };
                // SAFETY: as this function's.
                unsafe {
                    if self.stores_rows {
                        let slots = self.rows.d[k].quad();
                        slots.into_iter().zip(row).for_each(|(slot, word)| put(state, slot, first, word));
                    }
                    for product in &self.products {
                        nan |= dot(state, product, k, first, row);
                    }
                }
            }
        }
        nan != 0
    }

    /// By row and lane, where the row is in the table, in bytes. A table's length is a power of two, so masked
    /// indices are in it.
    ///
    /// # Safety
    /// As [`run`](Transform::run).
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn places(&self, state: &State) -> [Lanes; 4] {
        let rows = state.tables[usize::from(self.rows.imm as u8)].rows().len();
        let mask = _mm512_set1_epi32((rows - 1) as i32);
        let mut places = [Lanes::ZERO; 4];
        for (k, places) in places.iter_mut().enumerate() {
            let base = _mm512_set1_epi32(self.rows.b[k].0.into());
            for first in [0, PART] {
                // SAFETY: as this function's; `first` is at most 16 of 32.
                unsafe {
                    let row =
                        _mm512_and_si512(_mm512_add_epi32(get(state, self.rows.a[0], first), base), mask);
                    _mm512_storeu_si512(places.0.as_mut_ptr().add(first).cast(), _mm512_slli_epi32::<4>(row));
                }
            }
        }
        places
    }
}

/// The product of a row and a vector, from the left; which lanes are NaN.
///
/// # Safety
/// As [`Transform::run`].
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn dot(state: &mut State, product: &Uop, k: usize, first: usize, row: [__m512i; 4]) -> u16 {
    let mut sum = _mm512_setzero_ps();
    for (i, word) in row.into_iter().enumerate() {
        if i < usize::from(product.count) {
            // SAFETY: as this function's.
            let factor = unsafe { get(state, product.b[i], first) };
            sum = _mm512_add_ps(sum, _mm512_mul_ps(_mm512_castsi512_ps(word), _mm512_castsi512_ps(factor)));
        }
    }
    // SAFETY: as this function's.
    unsafe { put(state, product.d[k], first, _mm512_castps_si512(sum)) };
    _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(sum, sum)
}

/// Sixteen lanes of a slot.
///
/// # Safety
/// The slot exists, and `first` is 0 or 16.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn get(state: &State, slot: Slot, first: usize) -> __m512i {
    // SAFETY: as this function's.
    unsafe { _mm512_loadu_si512(lanes(state, slot).0.as_ptr().add(first).cast()) }
}

/// The same, to write.
///
/// # Safety
/// As [`get`].
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn put(state: &mut State, slot: Slot, first: usize, word: __m512i) {
    // SAFETY: as this function's.
    unsafe { _mm512_storeu_si512(lanes_mut(state, slot).0.as_mut_ptr().add(first).cast(), word) }
}
