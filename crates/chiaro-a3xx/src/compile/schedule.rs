//! When results can be read, for the shared schedulers. spec sections 13 and 14.

use chiaro_isa::{Hazard, Wait};
use chiaro_mach::{Code, Inst, Op as Mach, Timing};

use super::code::{PREDICATE, operation};
use crate::isa::{Op, category, reads_third_late};
use crate::regs::{ALU_TO_ALU, ALU_TO_OTHER, ALU_TO_THIRD};

/// Slots that the schedule leaves for a special function: none. Other waves run while this one waits for a flag,
/// nothing runs in place of a nop. Mesa's figure for the wait itself is
/// [`SPECIAL_CYCLES`](crate::regs::SPECIAL_CYCLES).
const SPECIAL: u16 = 0;
/// The same for a texel: few, so that lookups start early where nothing else waits for slots. Mesa's figures are
/// [`TEXTURE_CYCLES`](crate::regs::TEXTURE_CYCLES).
const TEXTURE: u16 = 2;

/// The clock of the machine.
pub struct Clock;

/// Slots that must lie between an ALU result and a source: operation and place of the source.
#[must_use]
pub fn slots_before(op: Option<Op>, operand: usize) -> u16 {
    let Some(op) = op else { return ALU_TO_ALU };
    match category(op) {
        3 if operand == 2 && reads_third_late(op) => ALU_TO_THIRD,
        1..=3 => ALU_TO_ALU,
        _ => ALU_TO_OTHER,
    }
}

/// Whether an instruction becomes nothing: its operands are in one place, or nowhere yet.
fn is_nothing(code: &Code, inst: Inst) -> bool {
    match code.op(inst) {
        Mach::Collect | Mach::Split | Mach::Phi | Mach::Start | Mach::Return => true,
        Mach::Pcopy => code.defs(inst).iter().zip(code.uses(inst)).all(|(def, from)| def.reg == from.reg),
        _ => false,
    }
}

/// Whether an instruction is a copy whose operands share a register.
fn is_stay(code: &Code, inst: Inst) -> bool {
    code.op(inst) == Mach::Pcopy && is_nothing(code, inst)
}

/// Whether an instruction is a slot that later ones can count on.
pub fn is_slot(code: &Code, inst: Inst) -> bool {
    let counts = operation(code, inst).is_none_or(|op| (1..=3).contains(&category(op)));
    counts && !is_nothing(code, inst)
}

impl Timing for Clock {
    fn between(&self, code: &Code, first: Inst, second: Inst, hazard: Hazard) -> Option<Wait> {
        let (maker, reader) = (operation(code, first), operation(code, second));
        let kind = maker.map_or(1, category);
        let Hazard::Raw { operand } = hazard else {
            // Late sources and results under way are waited for by flags.
            return (kind >= 4).then_some(Wait::Flag { name: "ss", slots: 0 });
        };
        let needed = |code: &Code| {
            let used = code.uses(second)[operand];
            let is_far = used.file == PREDICATE || used.file == super::code::ADDRESS;
            if is_far { ALU_TO_OTHER } else { slots_before(reader, operand) }
        };
        Some(match kind {
            4 => Wait::Flag { name: "ss", slots: SPECIAL },
            5 | 6 => Wait::Flag { name: "sy", slots: TEXTURE },
            // A copy that stays in its place is passed through: what every reader waits for before
            // it, the rest behind it.
            _ if is_stay(code, second) => Wait::Slots(if is_stay(code, first) { 0 } else { ALU_TO_THIRD }),
            _ if is_stay(code, first) => Wait::Slots(needed(code).saturating_sub(ALU_TO_THIRD)),
            _ if is_nothing(code, first) => Wait::Slots(0),
            // What is collected goes to textures as a rule, and at the end nothing waits.
            _ if code.op(second) == Mach::Collect => Wait::Slots(ALU_TO_OTHER),
            _ if is_nothing(code, second) => Wait::Slots(0),
            _ => Wait::Slots(needed(code)),
        })
    }

    /// Tests stand early, their branch may stand in the next block.
    fn behind(&self, code: &Code, inst: Inst) -> u16 {
        let is_test = code.defs(inst).iter().any(|def| def.file == PREDICATE);
        if is_test { ALU_TO_OTHER } else { 0 }
    }

    /// What runs beside the ALU gives later instructions no slot to count on.
    fn slots(&self, code: &Code, inst: Inst) -> u16 {
        is_slot(code, inst).into()
    }
}

#[cfg(test)]
mod tests {
    use super::{ALU_TO_ALU, ALU_TO_OTHER, ALU_TO_THIRD, Op, slots_before};

    /// A product's third source is read late, a selection's is not [spec section 13].
    #[test]
    fn third_sources_are_late_in_products_alone() {
        for op in [Op::MadF32, Op::MadF16, Op::MadshM16, Op::MadU24, Op::MadS24] {
            assert_eq!([0, 1, 2].map(|n| slots_before(Some(op), n)), [ALU_TO_ALU, ALU_TO_ALU, ALU_TO_THIRD]);
        }
        for op in [Op::SelB32, Op::SelF32, Op::SelS32, Op::SelB16] {
            assert_eq!([0, 1, 2].map(|n| slots_before(Some(op), n)), [ALU_TO_ALU; 3]);
        }
        for op in [Op::Rcp, Op::Sam, Op::Ldg, Op::Br] {
            assert_eq!(slots_before(Some(op), 0), ALU_TO_OTHER);
        }
    }
}
