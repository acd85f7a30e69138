//! Register pressure: how many units of each file are live at once.
//!
//! A value counts with its size rounded up to its alignment, so that what fits by count can
//! also be packed.

use crate::code::{Block, Code, Value, ValueData};
use crate::file::RegFile;
use crate::liveness::Liveness;
use crate::op::Op;
use crate::operand::Operand;

/// The largest numbers of units that are occupied at once.
#[derive(Clone, Debug)]
pub struct Pressure {
    /// Files; a row of `blocks` has as many entries.
    files: usize,
    blocks: Vec<u32>,
}

impl Pressure {
    /// The largest number of units of each file within a block.
    pub fn of(&self, block: Block) -> &[u32] {
        &self.blocks[block.0 as usize * self.files..][..self.files]
    }

    /// The largest number of units of each file in the whole function.
    pub fn most(&self) -> Vec<u32> {
        let rows = self.blocks.chunks(self.files.max(1));
        rows.fold(vec![0; self.files], |most, row| most.iter().zip(row).map(|(&a, &b)| a.max(b)).collect())
    }
}

/// Measures pressure in every block.
pub fn pressure(code: &Code, files: &[RegFile], live: &Liveness) -> Pressure {
    let mut blocks = Vec::with_capacity(code.block_count() * files.len());
    for block in code.blocks() {
        blocks.extend(block_pressure(code, files.len(), block, live));
    }
    Pressure { files: files.len(), blocks }
}

/// Units that a value takes up in packing.
pub fn weight(data: ValueData) -> u32 {
    u32::from(data.size).next_multiple_of(u32::from(data.align.max(1)))
}

/// The largest number of units of each of so many files within one block.
pub fn block_pressure(code: &Code, files: usize, block: Block, live: &Liveness) -> Vec<u32> {
    let mut alive = vec![0; code.value_count().div_ceil(64)];
    let mut now = vec![0u32; files];
    for value in live.out(block) {
        put(&mut alive, value);
        let data = code.value_data(value);
        if let Some(units) = now.get_mut(usize::from(data.file.0)) {
            *units += weight(data);
        }
    }
    let mut most = now.clone();
    // Phis are defined together, those that nobody reads among them.
    let mut head: Option<Vec<u32>> = None;
    for &inst in code.insts(block).iter().rev() {
        // Results that nobody reads still need a place for a moment.
        let is_phi = code.op(inst) == Op::Phi;
        let mut with_dead = head.take().filter(|_| is_phi).unwrap_or_else(|| now.clone());
        for value in code.defs(inst).iter().filter_map(Operand::value) {
            let data = code.value_data(value);
            let Some(units) = now.get_mut(usize::from(data.file.0)) else { continue };
            if take(&mut alive, value) {
                *units -= weight(data);
            } else {
                with_dead[usize::from(data.file.0)] += weight(data);
            }
        }
        raise(&mut most, &with_dead);
        if is_phi {
            head = Some(with_dead);
            continue;
        }
        for value in code.uses(inst).iter().filter_map(Operand::value) {
            let data = code.value_data(value);
            let Some(units) = now.get_mut(usize::from(data.file.0)) else { continue };
            if put(&mut alive, value) {
                *units += weight(data);
            }
        }
        raise(&mut most, &now);
    }
    most
}

fn raise(most: &mut [u32], now: &[u32]) {
    for (most, &now) in most.iter_mut().zip(now) {
        *most = (*most).max(now);
    }
}

fn take(alive: &mut [u64], value: Value) -> bool {
    let (word, bit) = (value.0 as usize / 64, 1 << (value.0 % 64));
    let had = alive[word] & bit != 0;
    alive[word] &= !bit;
    had
}

fn put(alive: &mut [u64], value: Value) -> bool {
    let (word, bit) = (value.0 as usize / 64, 1 << (value.0 % 64));
    let had = alive[word] & bit != 0;
    alive[word] |= bit;
    !had
}
