//! Spill slots, coloured by live range. A slot is taken from the definition to the last use, so values
//! that are never alive together share one.

use crate::code::{Block, Code, Graph, Value};
use crate::copies::Place;
use crate::file::File;
use crate::liveness::Liveness;
use crate::op::Op;
use crate::operand::Operand;

use super::facts::Facts;

/// Gives every value that is `left` the lowest slot of a spill file that is free as long as it lives. What
/// finds none remains left. `closed` are units of the file that values may not have.
pub(super) fn slots(
    code: &Code,
    facts: Facts<'_>,
    to: File,
    closed: &[bool],
    left: &mut [bool],
    slots: &mut [Option<Place>],
) {
    let Facts { files, file, known } = facts;
    let live = &known.live;
    let graph = Graph::of(files[usize::from(file.0)].domain);
    let mine = left.to_vec();
    let mut scan = Scan { code, live, mine: &mine, to, closed, slots, taken: Vec::new() };
    for block in code.blocks() {
        if code.block_data(block).edges(graph).preds.is_empty() && block.0 != 0 {
            continue;
        }
        scan.block(block, file);
    }
    left.iter_mut().zip(slots).for_each(|(left, slot)| *left &= slot.is_none());
}

struct Scan<'a> {
    code: &'a Code,
    live: &'a Liveness,
    /// Values that need a slot.
    mine: &'a [bool],
    to: File,
    closed: &'a [bool],
    slots: &'a mut [Option<Place>],
    /// The last use, in the block, of what has each unit; `None` for a free one.
    taken: Vec<Option<u32>>,
}

impl Scan<'_> {
    fn block(&mut self, block: Block, file: File) {
        self.taken.clear();
        let last = self.last_uses(block, file);
        let until = |value: Value| match last.binary_search_by_key(&value, |&(v, _)| v) {
            _ if self.live.is_out(block, value) => u32::MAX,
            Ok(found) => last[found].1,
            Err(_) => 0,
        };
        let inherited: Vec<(Value, u32)> = self
            .live
            .into(block)
            .filter(|&v| self.is_mine(v, file))
            .map(|value| (value, until(value)))
            .collect();
        // Phis are defined together, by the copies on the edges.
        let is_phi = |&&inst: &&crate::Inst| self.code.op(inst) == Op::Phi;
        let phis = self.code.insts(block).iter().take_while(is_phi).count();
        let mut defined = Vec::new();
        for (pos, &inst) in self.code.insts(block).iter().enumerate() {
            for value in self.code.defs(inst).iter().filter_map(Operand::value) {
                if self.is_mine(value, file) {
                    defined.push((pos.max(phis.saturating_sub(1)) as u32, value, until(value)));
                }
            }
        }
        for (value, until) in inherited {
            self.take(value, until);
        }
        for (pos, value, until) in defined {
            self.taken.iter_mut().for_each(|end| *end = end.filter(|&end| end > pos));
            self.assign(value, until.max(pos + 1));
        }
    }

    fn is_mine(&self, value: Value, file: File) -> bool {
        self.mine[value.0 as usize] && self.code.value_data(value).file == file
    }

    /// The last use of each spilled value in a block, sorted by value.
    fn last_uses(&self, block: Block, file: File) -> Vec<(Value, u32)> {
        let mut last: Vec<(Value, u32)> = Vec::new();
        for (pos, &inst) in self.code.insts(block).iter().enumerate() {
            if self.code.op(inst) != Op::Phi {
                let values = self.code.uses(inst).iter().filter_map(Operand::value);
                last.extend(values.filter(|&v| self.is_mine(v, file)).map(|v| (v, pos as u32)));
            }
        }
        last.sort_unstable_by_key(|&(value, pos)| (value, std::cmp::Reverse(pos)));
        last.dedup_by_key(|&mut (value, _)| value);
        last
    }

    fn assign(&mut self, value: Value, until: u32) {
        let data = self.code.value_data(value);
        let (size, align) = (usize::from(data.size), usize::from(data.align.max(1)));
        let open = |unit: usize| {
            self.taken.get(unit).is_none_or(Option::is_none)
                && !self.closed.get(unit).copied().unwrap_or(true)
        };
        let last = self.closed.len().saturating_sub(size);
        let found = (0..=last).step_by(align).find(|&at| (at..at + size).all(open));
        let unit = found.and_then(|at| u16::try_from(at).ok());
        self.slots[value.0 as usize] = unit.map(|unit| Place { file: self.to, unit });
        self.take(value, until);
    }

    fn take(&mut self, value: Value, until: u32) {
        let Some(Place { unit: at, .. }) = self.slots[value.0 as usize] else { return };
        let end = usize::from(at) + usize::from(self.code.value_data(value).size);
        if self.taken.len() < end {
            self.taken.resize(end, None);
        }
        self.taken[usize::from(at)..end].fill(Some(until));
    }
}
