//! Allocation hints: values that are best coalesced, so that no copies are needed: parts of a
//! vector with the vector, what a phi joins, arguments with their fixed registers.

use crate::code::{Code, Inst, Value};
use crate::file::File;
use crate::lower_copies::pairs;
use crate::op::Op;
use crate::operand::Operand;
use crate::touch::Touches;

use super::operands::NOWHERE;

/// Chains of leaders are short; a bound keeps cycles of copies harmless.
const CHAIN: usize = 4;

/// Wishes of the values of a file.
#[derive(Clone, Debug)]
pub(super) struct Hints {
    /// The value that each would best lie in, and at which unit of it.
    leader: Vec<Option<(Value, u16)>>,
    /// Where each leader is, once anything of it has a place.
    place: Vec<u16>,
}

/// Collects wishes. The last statement about a value counts.
pub(super) fn hints(code: &Code, file: File, touches: &Touches) -> Hints {
    let values = code.value_count();
    let mut hints = Hints { leader: vec![None; values], place: vec![NOWHERE; values] };
    let mut splits = Vec::new();
    for block in code.blocks() {
        for group in touches.of(block).chunk_by(|a, b| a.pos == b.pos) {
            let inst = code.insts(block)[group[0].pos as usize];
            for touch in group.iter().filter(|touch| touch.is_bound()) {
                let n = usize::from(touch.number);
                hints.fixed(if touch.is_def() { &code.defs(inst)[n] } else { &code.uses(inst)[n] });
            }
            if group[0].is_phi() {
                for def in code.defs(inst).iter().filter(|o| o.file == file) {
                    code.uses(inst).iter().for_each(|from| hints.lies_in(code, from, def));
                }
            } else if group[0].is_copy() {
                for (def, from) in pairs(code, inst).iter().filter(|(def, _)| def.file == file) {
                    hints.lies_in(code, from, def);
                    hints.lies_in(code, def, from);
                }
                splits.extend((code.op(inst) == Op::Split).then_some(inst));
            }
        }
    }
    wholes(code, file, &splits, &mut hints);
    hints
}

/// A whole wants to lie where a part of it has to be: who asks for the part by number comes behind who makes it.
fn wholes(code: &Code, file: File, splits: &[Inst], hints: &mut Hints) {
    for &inst in splits {
        for (part, whole) in pairs(code, inst).iter().filter(|(def, _)| def.file == file) {
            let (Some(a), Some(b)) = (part.value(), whole.value()) else { continue };
            if let Some(start) = hints.wish(a).and_then(|unit| unit.checked_sub(whole.offset))
                && hints.place[b.0 as usize] == NOWHERE
            {
                hints.place[b.0 as usize] = start;
            }
        }
    }
}

impl Hints {
    fn fixed(&mut self, operand: &Operand) {
        if let (Some(value), Some(unit)) = (operand.value(), operand.fixed) {
            self.place[value.0 as usize] = unit.saturating_sub(operand.offset);
        }
    }

    /// The smaller of two lies in the other, unless it has a place in mind already. A whole never
    /// follows its first part: a gap that holds the part need not hold the whole.
    fn lies_in(&mut self, code: &Code, part: &Operand, whole: &Operand) {
        let (Some(a), Some(b)) = (part.value(), whole.value()) else { return };
        if part.offset == 0
            && code.value_data(a).size <= code.value_data(b).size
            && a != b
            && self.place[a.0 as usize] == NOWHERE
            && self.leader[b.0 as usize].is_none_or(|(l, _)| l != a)
        {
            self.leader[a.0 as usize] = Some((b, whole.offset));
        }
    }

    /// The last of a chain of leaders, and the unit of it at which the value would lie.
    pub(super) fn leader(&self, value: Value) -> Option<(Value, u16)> {
        let (mut at, mut offset) = self.leader[value.0 as usize]?;
        for _ in 0..CHAIN {
            let Some((next, more)) = self.leader[at.0 as usize].filter(|&(next, _)| next != value) else {
                break;
            };
            (at, offset) = (next, offset + more);
        }
        Some((at, offset))
    }

    /// Where a value would best be.
    pub(super) fn wish(&self, value: Value) -> Option<u16> {
        let own = self.place[value.0 as usize];
        if own != NOWHERE {
            return Some(own);
        }
        // The nearest that has a place: a phi in a loop stays where it is, whatever reads it later.
        let (mut at, mut offset) = (value, 0);
        for _ in 0..=CHAIN {
            let (next, more) = self.leader[at.0 as usize].filter(|&(next, _)| next != value)?;
            (at, offset) = (next, offset + more);
            let place = self.place[at.0 as usize];
            if place != NOWHERE {
                return Some(place + offset);
            }
        }
        None
    }

    /// A value got its place; what belongs to it wants to be there too.
    pub(super) fn settled(&mut self, value: Value, unit: u16) {
        self.place[value.0 as usize] = unit;
        let Some((leader, offset)) = self.leader(value) else { return };
        if self.place[leader.0 as usize] == NOWHERE && unit >= offset {
            self.place[leader.0 as usize] = unit - offset;
        }
    }

    /// Decides on a place for a leader before anything of it has one.
    pub(super) fn plan(&mut self, leader: Value, unit: u16) {
        self.place[leader.0 as usize] = unit;
    }
}
