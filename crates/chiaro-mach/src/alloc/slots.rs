//! Spill slots, coloured by live range. A slot is taken from the definition to the last use, so values
//! that are never alive together share one.

use crate::code::{Block, Code, Graph, Value};
use crate::copies::Place;
use crate::file::File;
use crate::op::Op;

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
    let graph = Graph::of(files[usize::from(file.0)].domain);
    let mine = left.to_vec();
    let mut scan = Scan { code, facts, mine: &mine, to, closed, slots, taken: Vec::new() };
    for block in code.blocks() {
        let is_reached = !code.block_data(block).edges(graph).preds.is_empty() || block.0 == 0;
        if is_reached && known.touches[usize::from(file.0)].is_touched(block) {
            scan.block(block);
        }
    }
    left.iter_mut().zip(slots).for_each(|(left, slot)| *left &= slot.is_none());
}

struct Scan<'a> {
    code: &'a Code,
    facts: Facts<'a>,
    /// Values that need a slot.
    mine: &'a [bool],
    to: File,
    closed: &'a [bool],
    slots: &'a mut [Option<Place>],
    /// The last use, in the block, of what has each unit; `None` for a free one.
    taken: Vec<Option<u32>>,
}

impl Scan<'_> {
    fn block(&mut self, block: Block) {
        let Facts { file, known, .. } = self.facts;
        self.taken.clear();
        let last = self.last_uses(block);
        let until = |value: Value| match last.binary_search_by_key(&value, |&(v, _)| v) {
            _ if known.live.is_out(block, value) => u32::MAX,
            Ok(found) => last[found].1,
            Err(_) => 0,
        };
        for value in known.live.entering(block, file).filter(|&value| self.mine[value.0 as usize]) {
            self.take(value, until(value));
        }
        // Phis are defined together, by the copies on the edges.
        let touches = known.touches[usize::from(file.0)].of(block);
        let is_phi = |&&inst: &&crate::Inst| self.code.op(inst) == Op::Phi;
        let phis = self.code.insts(block).iter().take_while(is_phi).count() as u32;
        for touch in touches.iter().filter(|touch| touch.is_def()) {
            if self.mine[touch.value.0 as usize] {
                let pos = touch.pos.max(phis.saturating_sub(1));
                self.taken.iter_mut().for_each(|end| *end = end.filter(|&end| end > pos));
                self.assign(touch.value, until(touch.value).max(pos + 1));
            }
        }
    }

    /// The last use of each spilled value in a block, sorted by value.
    fn last_uses(&self, block: Block) -> Vec<(Value, u32)> {
        let touches = self.facts.known.touches[usize::from(self.facts.file.0)].of(block);
        let uses = touches.iter().filter(|touch| !touch.is_def() && !touch.is_phi());
        let mut last: Vec<(Value, u32)> =
            uses.filter(|used| self.mine[used.value.0 as usize]).map(|used| (used.value, used.pos)).collect();
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
