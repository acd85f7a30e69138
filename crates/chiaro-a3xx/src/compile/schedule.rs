//! When results can be read, for the shared schedulers, and how many registers they may spend on it.
//! spec sections 13, 14 and 18.

use chiaro_ir::Stage;
use chiaro_isa::{Hazard, Wait};
use chiaro_mach::{AllocateError, Code, Inst, Op as Mach, Timing, allocate, schedule_before_allocation};

use super::code::{FILES, FULL, PREDICATE, operation};
use crate::isa::{Op, category};
use crate::regs::{ALU_TO_ALU, ALU_TO_OTHER, ALU_TO_THIRD};

/// Slots until a special function's result is there: Mesa's figure [ir3_delay].
const SPECIAL: u16 = 10;
/// Slots until a texel is there: Mesa's figures for fragments are 29 to 39, of later machines.
const TEXTURE: u16 = 30;

/// The clock of the machine.
pub struct Clock;

/// Slots that must lie between an ALU result and a source: operation and place of the source.
#[must_use]
pub fn slots_before(op: Option<Op>, operand: usize) -> u16 {
    let Some(op) = op else { return ALU_TO_ALU };
    let late = matches!(op, Op::MadF32 | Op::MadF16 | Op::MadshM16 | Op::MadU24 | Op::MadS24);
    match category(op) {
        1..=3 if late && operand == 2 => ALU_TO_THIRD,
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

    /// What runs beside the ALU gives later instructions no slot to count on.
    fn slots(&self, code: &Code, inst: Inst) -> u16 {
        let counts = operation(code, inst).is_none_or(|op| (1..=3).contains(&category(op)));
        u16::from(counts && !is_nothing(code, inst))
    }
}

/// Units of full registers with which as many waves run as there can be. spec section 18
const FREE: [u16; 2] = [24, 48];
/// What scheduling is not to exceed, tried one after the other: vectors have to find room between
/// the limit and what is free.
const LIMITS: [[u32; 4]; 2] = [[22, 18, 14, 10], [36, 32, 28, 24]];

/// Orders instructions and gives them registers: for latency first, and with fewer values alive at once
/// where waves would be lost.
///
/// # Errors
/// Registers do not suffice.
pub fn settle(code: &Code, stage: Stage) -> Result<Code, AllocateError> {
    let kind = usize::from(stage != Stage::Fragment);
    let [first, fewer @ ..] = LIMITS[kind];
    let (mut used, mut best) = within(code, first)?;
    for limit in fewer {
        if used <= FREE[kind] {
            break;
        }
        let tried = within(code, limit)?;
        if tried.0.div_ceil(4) < used.div_ceil(4) {
            (used, best) = tried;
        }
    }
    Ok(best)
}

/// The code ordered within a limit and with registers, and how many full ones it needs.
fn within(code: &Code, limit: u32) -> Result<(u16, Code), AllocateError> {
    let mut code = code.clone();
    schedule_before_allocation(&mut code, &FILES, &Clock, &[limit, 22, 1, 1]);
    let used = allocate(&mut code, &FILES)?.used[usize::from(FULL.0)];
    Ok((used, code))
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
