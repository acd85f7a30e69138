//! Which of both slots a load waits on (spec 10.1): a wait is for all of its slot, so what is needed later goes on the other
//! one, as long as that takes no wait more.
//!
//! ```text
//! v1 = device_load 0, ..               v1 = device_load 1, ..
//! v2 = texture_sample 0, ..            v2 = texture_sample 0, ..
//! wait 0                               wait 1
//! v3 = fadd32 v1, 1.0            ->    v3 = fadd32 v1, 1.0
//! v4 = texture_sample 0, v3            v4 = texture_sample 0, v3
//! wait 0                               wait 0
//! v5 = fadd32 v2, v4                   v5 = fadd32 v2, v4
//! ```

use chiaro_mach::{Block, Code, Inst, Operand};

use crate::compile::code::{GPR, Modifiers, modifiers, operation};
use crate::isa::Op;
use crate::isa::memory::Memory;
use crate::isa::texture::Texture;

/// Loads of a block whose slots are looked at; where there are more, all are on the first.
const MOST: usize = 32;
/// How often all of them are.
const ROUNDS: usize = 4;
/// Instructions behind which a result is sure to be there [unknown]: farther than any block is long.
const LONG: usize = 1 << 16;

/// An operation that goes on behind its issue.
struct Late {
    inst: Inst,
    /// Where it stands in its block.
    place: usize,
    /// Where its result is touched first, at the latest at the block's end; `None` if it has none.
    needed: Option<usize>,
}

/// Whether an operation goes on behind its issue.
pub(super) fn is_late(op: Op) -> bool {
    use Memory as M;
    matches!(
        op,
        Op::Memory(M::DeviceLoad | M::DeviceStore | M::Atomic | M::StackLoad | M::StackStore)
            | Op::Texture(Texture::TextureSample | Texture::TextureLoad | Texture::ImageWrite)
    )
}

/// Loads wait on slot 0, what gives nothing back on slot 1.
pub(super) fn by_kind(code: &mut Code) {
    for block in code.blocks() {
        for late in all(code, block) {
            set(code, late.inst, late.needed.is_none());
        }
    }
}

/// Where it makes others wait less that loads are on slot 1: all operations of such blocks, each with whether it is.
/// Empty where no load is.
pub(super) fn by_need(code: &Code) -> Vec<(Inst, bool)> {
    let (mut slots, mut loads_move) = (Vec::new(), false);
    for block in code.blocks() {
        let all = all(code, block);
        let loads = all.iter().filter(|late| late.needed.is_some()).count();
        if !(2..=MOST).contains(&loads) {
            continue;
        }
        for (late, second) in all.iter().zip(best(&all)) {
            loads_move |= second && late.needed.is_some();
            slots.push((late.inst, second));
        }
    }
    if loads_move { slots } else { Vec::new() }
}

/// Has an operation wait on slot 1, or 0.
pub(super) fn set(code: &mut Code, inst: Inst, slot: bool) {
    let chosen = Modifiers { slot, ..modifiers(code, inst) };
    code.inst_mut(inst).modifiers = chosen.pack();
}

fn all(code: &Code, block: Block) -> Vec<Late> {
    let insts = code.insts(block);
    let is_it = |inst: Inst| operation(code, inst).is_some_and(is_late);
    let late = insts.iter().enumerate().filter(|(_, inst)| is_it(**inst));
    late.map(|(place, &inst)| {
        let behind = &insts[place + 1..];
        let first = || behind.iter().position(|&other| touches(code, other, inst));
        let needed = (!code.defs(inst).is_empty()).then(|| first().map_or(insts.len(), |n| place + 1 + n));
        Late { inst, place, needed }
    })
    .collect()
}

/// Whether an instruction reads or writes a register that another writes.
fn touches(code: &Code, inst: Inst, writer: Inst) -> bool {
    let registers = |operand: &Operand| {
        let first = operand.reg.filter(|_| operand.file == GPR)?;
        Some(first..first + operand.size)
    };
    let mut own = code.defs(inst).iter().chain(code.uses(inst)).filter_map(registers);
    own.any(|own| {
        let mut others = code.defs(writer).iter().filter_map(registers);
        others.any(|other| own.start < other.end && other.start < own.end)
    })
}

/// The slots with the fewest waits, and of those the ones whose waits stand farthest behind what they wait for.
fn best(all: &[Late]) -> Vec<bool> {
    let mut slots: Vec<bool> = all.iter().map(|late| late.needed.is_none()).collect();
    let mut events: Vec<(usize, bool, usize)> = Vec::new();
    for (n, late) in all.iter().enumerate() {
        events.push((late.place, true, n));
        events.extend(late.needed.map(|place| (place, false, n)));
    }
    // What needs a result and is late itself needs it first.
    events.sort_unstable();
    let mut least = cost(&events, &slots);
    for _ in 0..ROUNDS {
        let before = least;
        for n in (0..all.len()).filter(|n| all[*n].needed.is_some()) {
            slots[n] = !slots[n];
            match cost(&events, &slots) {
                less if less < least => least = less,
                _ => slots[n] = !slots[n],
            }
        }
        if least == before {
            break;
        }
    }
    slots
}

/// The waits of a block, and how soon behind the youngest operation of their slot they stand, together.
fn cost(events: &[(usize, bool, usize)], slots: &[bool]) -> (usize, usize) {
    let (mut waits, mut haste) = (0, 0);
    let mut on_way: [Vec<usize>; 2] = Default::default();
    let mut youngest = [0; 2];
    for &(place, is_issue, n) in events {
        let slot = usize::from(slots[n]);
        if is_issue {
            youngest[slot] = place;
            on_way[slot].push(n);
        } else if on_way[slot].contains(&n) {
            waits += 1;
            haste += LONG.saturating_sub(place - youngest[slot]);
            on_way[slot].clear();
        }
    }
    (waits, haste)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slots of loads by their places and those where they are needed.
    fn slots(loads: &[(usize, usize)]) -> Vec<bool> {
        let late = |&(place, needed): &(usize, usize)| Late { inst: Inst(0), place, needed: Some(needed) };
        best(&loads.iter().map(late).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_needed_later_is_on_the_other_slot() {
        // The second is needed with the third, behind the first.
        assert_eq!(slots(&[(0, 2), (1, 5), (3, 5)]), [true, false, false]);
        // One wait does for both.
        assert_eq!(slots(&[(0, 2), (1, 5)]), [false, false]);
        assert_eq!(slots(&[(0, 2), (1, 2)]), [false, false]);
    }
}
