//! Coordinates of a lane, and what stands behind them.

use chiaro_isa::Reg;

use super::operand::{Level, Lookup};
use crate::machine::simdgroup::SimdGroup;
use crate::regs::{file, size};

impl SimdGroup {
    /// Bits of a coordinate.
    pub(super) fn coordinate(&self, lookup: &Lookup, n: usize, lane: usize) -> u32 {
        let step = if lookup.is_short() { 1 } else { 2 };
        let size = if lookup.is_short() { size::HALF } else { size::WORD };
        let first = lookup.coordinates;
        let index = first.index + n as u16 * step;
        self.read(Reg { file: file::GPR, size, index, ..Reg::default() }, lane) as u32
    }

    /// A half behind the coordinates: layer or sample.
    pub(super) fn last_half(&self, lookup: &Lookup, count: usize, n: u16, lane: usize) -> u16 {
        let step = if lookup.is_short() { 1 } else { 2 };
        let index = lookup.coordinates.index + count as u16 * step + n;
        self.read(Reg { file: file::GPR, size: size::HALF, index, ..Reg::default() }, lane) as u16
    }

    /// The level of a load.
    pub(super) fn integer_level(&self, lookup: &Lookup, lane: usize) -> i64 {
        match lookup.level {
            Level::Given(register) => self.read(register, lane) as i64,
            _ => 0,
        }
    }
}
