//! Register pressure: how many units of each file are live at once.
//!
//! A value counts with its size rounded up to its alignment, so that what fits by count can
//! also be packed.

use crate::code::{Block, Code, Value, ValueData};
use crate::file::RegFile;
use crate::liveness::Liveness;
use crate::next_use::look_ahead;
use crate::op::Op;
use crate::operand::Operand;
use crate::touch::{NEVER, Touch, Touches, touches};

/// The largest numbers of units that are occupied at once.
#[derive(Clone, Debug)]
pub struct Pressure {
    /// Files; a row of `blocks` has as many entries.
    files: usize,
    blocks: Vec<u32>,
    most: Vec<u32>,
}

impl Pressure {
    /// The largest number of units of each file within a block.
    pub fn of(&self, block: Block) -> &[u32] {
        &self.blocks[block.0 as usize * self.files..][..self.files]
    }

    /// The largest number of units of each file in the whole function.
    pub fn most(&self) -> &[u32] {
        &self.most
    }
}

/// Measures pressure in every block.
pub fn pressure(code: &Code, files: &[RegFile], live: &Liveness) -> Pressure {
    let mut all = touches(code, files.len());
    look_ahead(code, live, &mut all);
    pressure_of(code, live, &all)
}

/// As [`pressure`], of code whose touches are known, with what comes next.
pub(crate) fn pressure_of(code: &Code, live: &Liveness, all: &[Touches]) -> Pressure {
    let files = all.len();
    let mut blocks = vec![0; code.block_count() * files];
    for (block, row) in code.blocks().zip(blocks.chunks_mut(files.max(1))) {
        for value in live.into(block) {
            let data = code.value_data(value);
            row.get_mut(usize::from(data.file.0)).into_iter().for_each(|units| *units += weight(data));
        }
        row.iter_mut().zip(all).for_each(|(units, touches)| *units = most(code, touches.of(block), *units));
    }
    let most = (0..files).map(|file| blocks.iter().skip(file).step_by(files).copied().max().unwrap_or(0));
    Pressure { files, most: most.collect(), blocks }
}

/// The largest number of units of a file within a block that begins with `now`.
fn most(code: &Code, list: &[Touch], mut now: u32) -> u32 {
    let mut most = now;
    // Phis are defined together, those that nobody reads among them.
    let phis = list.iter().take_while(|touch| touch.is_phi()).count();
    let groups = list[phis..].chunk_by(|a, b| a.pos == b.pos);
    for group in std::iter::once(&list[..phis]).chain(groups) {
        let mut dead = 0;
        for (n, touch) in group.iter().enumerate() {
            let (units, is_last) = (|| weight(code.value_data(touch.value)), touch.next == NEVER);
            if touch.is_def() {
                now += units();
                dead += if is_last { units() } else { 0 };
            } else if is_last
                && !touch.is_phi()
                && group[..n].iter().all(|t| t.is_def() || t.value != touch.value)
            {
                now = now.saturating_sub(units());
            }
        }
        most = most.max(now);
        // Code that is wrong may read what it does not define.
        now = now.saturating_sub(dead);
    }
    most
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

#[cfg(test)]
mod tests {
    use super::pressure;
    use crate::liveness::liveness;
    use crate::toy::{MACHINES, read};
    use crate::verify::verify;

    /// That a value is read in front of what defines it is no rule of [`verify`]: such code is measured like other code.
    #[test]
    fn what_is_read_too_early_is_measured() {
        let text =
            "function early\nvalue v1:v.4\nb0:\n    v0:v = mix v1\n    v1 = mix\n    return writes control\n";
        let files = &MACHINES[0];
        let code = read(text, files).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(verify(&code, files), Ok(()));
        assert_eq!(pressure(&code, files, &liveness(&code, files)).most(), [0, 4, 0, 0, 0, 0, 0]);
    }
}
