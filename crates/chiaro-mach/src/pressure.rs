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
    let mut gauge = Gauge::new(code, files.len());
    for block in code.blocks() {
        blocks.extend_from_slice(gauge.most(code, block, live));
    }
    Pressure { files: files.len(), blocks }
}

/// Units that a value takes up in packing.
pub fn weight(data: ValueData) -> u32 {
    u32::from(data.size).next_multiple_of(u32::from(data.align.max(1)))
}

/// Measures blocks, in tables that serve all of them.
pub(crate) struct Gauge {
    /// By value: the number of the measurement in which it is alive at this point.
    alive: Vec<u32>,
    number: u32,
    now: Vec<u32>,
    /// With results that nobody reads: they still need a place for a moment.
    with_dead: Vec<u32>,
    most: Vec<u32>,
}

impl Gauge {
    /// For code in so many files.
    pub(crate) fn new(code: &Code, files: usize) -> Gauge {
        let [now, with_dead, most] = std::array::from_fn(|_| vec![0; files]);
        Gauge { alive: vec![0; code.value_count()], number: 0, now, with_dead, most }
    }

    /// The largest number of units of each file within one block.
    pub(crate) fn most(&mut self, code: &Code, block: Block, live: &Liveness) -> &[u32] {
        self.number += 1;
        self.now.fill(0);
        live.out(block).for_each(|value| self.read(code, value));
        self.most.copy_from_slice(&self.now);
        let mut among_phis = false;
        for &inst in code.insts(block).iter().rev() {
            // Phis are defined together, those that nobody reads among them.
            let is_phi = code.op(inst) == Op::Phi;
            if !(is_phi && among_phis) {
                self.with_dead.copy_from_slice(&self.now);
            }
            among_phis = is_phi;
            code.defs(inst).iter().filter_map(Operand::value).for_each(|value| self.define(code, value));
            raise(&mut self.most, &self.with_dead);
            if !is_phi {
                code.uses(inst).iter().filter_map(Operand::value).for_each(|value| self.read(code, value));
                raise(&mut self.most, &self.now);
            }
        }
        &self.most
    }

    fn read(&mut self, code: &Code, value: Value) {
        let data = code.value_data(value);
        if std::mem::replace(&mut self.alive[value.0 as usize], self.number) != self.number
            && let Some(units) = self.now.get_mut(usize::from(data.file.0))
        {
            *units += weight(data);
        }
    }

    fn define(&mut self, code: &Code, value: Value) {
        let data = code.value_data(value);
        let file = usize::from(data.file.0);
        if file >= self.now.len() {
            return;
        }
        if std::mem::take(&mut self.alive[value.0 as usize]) == self.number {
            self.now[file] -= weight(data);
        } else {
            self.with_dead[file] += weight(data);
        }
    }
}

fn raise(most: &mut [u32], now: &[u32]) {
    for (most, &now) in most.iter_mut().zip(now) {
        *most = (*most).max(now);
    }
}
