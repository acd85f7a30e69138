//! Transposes between arrays of vec4 and structure-of-arrays slots.
//!
//! Vertices come as arrays of rows; lanes want one component of all vertices
//! side by side. The compiler does not find the shuffles for this by itself, so
//! with AVX2 they are spelled out: blocks of four by four, one in each 128 bits of the
//! registers. (Measured on a program of nine words: the whole run takes twice as long without.)
//! With AVX-512 rows are stored by the same: a register of 512 bits takes three extractions for four rows where
//! two of 256 take two.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;

#[cfg(target_arch = "x86_64")]
use std::hint::black_box;

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
    #[cfg(target_arch = "x86_64")]
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
    if which.full(rows.len()) {
        let row = fours(rows.as_ptr(), which);
        match engine.available() {
            // SAFETY: the processor has it; `full` says that all places exist.
            Engine::Avx2 => return unsafe { avx2::gather(|lane| row(lane).cast(), columns) },
            // SAFETY: as above.
            Engine::Avx512 => return unsafe { avx512::gather(|lane| row(lane).cast(), columns) },
            Engine::Portable => {}
        }
    }
    let _ = engine;
    gather(|lane| rows[which.place(lane)].map(f32::to_bits), columns);
}

/// Component `k` of each lane's row from `columns[k]`.
///
/// # Panics
/// If a row is missing.
pub fn store(engine: Engine, columns: [&Lanes; 4], rows: &mut [[f32; 4]], which: Rows) {
    #[cfg(target_arch = "x86_64")]
    if which.full(rows.len()) {
        let start = rows.as_mut_ptr();
        let row = fours(start, which);
        match engine.available() {
            Engine::Avx2 | Engine::Avx512 => {
                // SAFETY: the processor has it; `full` says that all places exist.
                return unsafe { avx2::scatter(columns, |lane| row(lane).cast_mut().cast()) };
            }
            Engine::Portable => {}
        }
    }
    let _ = engine;
    for lane in 0..which.lanes.min(LANES) {
        rows[which.place(lane)] = [0, 1, 2, 3].map(|k: usize| f32::from_bits(columns[k].0[lane]));
    }
}

/// Bits of `mask` of each lane's row in one array to its row in another, which gets the bits of `rest` besides.
///
/// # Panics
/// If a row is missing.
pub fn copy(
    rows: &[[f32; 4]],
    which: Rows,
    to: &mut [[f32; 4]],
    place: Rows,
    mask: [u32; 4],
    rest: [u32; 4],
) {
    let kept = |row: [f32; 4]| -> [f32; 4] {
        std::array::from_fn(|k| f32::from_bits(row[k].to_bits() & mask[k] | rest[k]))
    };
    #[cfg(target_arch = "x86_64")]
    if which.full(rows.len()) && place.full(to.len()) {
        let (from, to) = (rows.as_ptr().wrapping_add(which.first), to.as_mut_ptr().wrapping_add(place.first));
        for lane in 0..LANES {
            // SAFETY: `full` says that all places exist.
            unsafe { *to.add(lane * place.stride) = kept(*from.add(lane * which.stride)) }
        }
        return;
    }
    for lane in 0..which.lanes.min(place.lanes).min(LANES) {
        to[place.place(lane)] = kept(rows[which.place(lane)]);
    }
}

/// The place of each lane's row: every fourth is found by itself and the three behind it from
/// there, which takes fewer registers than 32 products of lane and stride.
///
/// Where a row is not in the array, its place is nowhere ([`Rows::full`]).
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn fours(start: *const [f32; 4], which: Rows) -> impl Fn(usize) -> *const [f32; 4] {
    let first = start.wrapping_add(which.first);
    move |lane| first.wrapping_add(lane / 4 * 4 * which.stride).wrapping_add(lane % 4 * which.stride)
}

/// `columns[k]` of each lane from component `k` of table row `index + base`.
#[inline(always)]
pub(crate) fn look_up(table: &Table, index: &Lanes, base: u32, columns: &mut [Lanes; 4]) {
    gather(|lane| *table.row(index.0[lane].wrapping_add(base)), columns);
}

/// Whether all lanes have the same value.
#[inline(always)]
pub(crate) fn are_same(index: &Lanes) -> bool {
    index.0.iter().fold(0, |bits, i| bits | (i ^ index.0[0])) == 0
}

/// The place of each lane's table row `index + base`, in the table wherever that is.
///
/// All are found before any is looked at: lanes side by side, where one after the other takes longer than the loads.
/// They go through memory, since to take lanes out of a register keeps the shuffles that the transpose needs busy.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn places(table: &Table, index: &Lanes, base: u32) -> impl Fn(usize) -> *const [u32; 4] {
    let rows = table.rows();
    // A table's length is a power of two, so masked indices are in it. No target has one of 2^28 rows.
    let (start, mask) = (rows.as_ptr(), (rows.len() - 1) as u32);
    let mut bytes = Lanes::ZERO;
    for (bytes, row) in bytes.0.iter_mut().zip(index.0) {
        *bytes = (row.wrapping_add(base) & mask) * size_of::<[u32; 4]>() as u32;
    }
    let bytes = black_box(bytes).0;
    move |lane| start.wrapping_byte_add(bytes[lane] as usize)
}

fn gather(row: impl Fn(usize) -> [u32; 4], columns: &mut [Lanes; 4]) {
    for lane in 0..LANES {
        for (column, value) in columns.iter_mut().zip(row(lane)) {
            column.0[lane] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let row = |i: usize| [0, 1, 2, 3].map(|k| (10 * i + k) as f32);
        let rows: Vec<[f32; 4]> = (0..2 * LANES).map(row).collect();
        for engine in [Engine::Portable, Engine::Avx2, Engine::Avx512] {
            for lanes in [1, 31, 32] {
                let which = Rows { first: 0, stride: 2, lanes };
                let mut columns = [Lanes::ZERO; 4];
                load(engine, &rows, which, &mut columns);
                assert_eq!(f32::from_bits(columns[1].0[31]), (20 * (lanes - 1) + 1) as f32);
                let mut back = vec![[0.0; 4]; 2 * LANES];
                store(engine, columns.each_ref(), &mut back, which);
                let stored = |i: usize| if i & 1 == 0 && i < 2 * lanes { rows[i] } else { [0.0; 4] };
                assert!((0..2 * LANES).all(|i| back[i] == stored(i)));
            }
        }
    }
}
