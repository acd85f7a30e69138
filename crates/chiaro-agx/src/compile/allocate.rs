//! Orders instructions and gives them registers.

mod lower_spills;

pub use lower_spills::{lower_spills, stack_words};

use chiaro_mach::{Checks, Code, Failure, Room, What, registers, schedule_for_pressure};

use super::code::{FILES, GPR, STACK, nests, operation};
use crate::regs::{GPR_HALVES, WRITTEN, halves_for};

/// Code with registers.
pub(super) struct Allocated {
    pub(super) code: Code,
    /// Halves of general registers.
    pub(super) halves: u16,
    /// Bytes of the thread's own memory, those of variables included.
    pub(super) stack_bytes: u32,
}

/// What allocation keeps to beside the code.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limits {
    /// Threads of a threadgroup; 0 where there are none.
    pub(super) threads: u32,
    /// Bytes of the thread's own memory that variables take.
    pub(super) stack_bytes: u32,
    /// The part runs once for each sample: r0l counts even where nothing nests.
    pub(super) counter: bool,
    /// r1l says which one, and is named by itself.
    pub(super) samples: bool,
}

/// Gives values registers.
///
/// # Errors
/// Registers do not suffice, or a mistake of the compiler.
pub(super) fn allocate(code: &Code, limits: Limits, checks: Checks) -> Result<Allocated, Failure> {
    let mut code = code.clone();
    // The counter of nesting, where there is one (spec 2.1).
    let is_reserved = |unit: u16| match unit {
        0 => uses_mask(&code) || limits.counter,
        1 => uses_unit(&code, 1),
        2 => limits.samples,
        _ => unit == WRITTEN && uses_unit(&code, WRITTEN),
    };
    let reserved: Vec<_> =
        (0..=WRITTEN).filter(|&unit| is_reserved(unit)).map(|unit| unit..unit + 1).collect();
    let lowest = reserved.last().map_or(0, |range| range.end);
    let limit = halves_for(limits.threads as u16).unwrap_or(GPR_HALVES);
    code.set_room(Room { file: GPR, limit, reserved });
    schedule_for_pressure(&mut code, &FILES);
    let used = registers(&mut code, &FILES, checks)?.used;
    let spilled = 2 * u32::from(used[usize::from(STACK.0)]);
    let stack_bytes = limits.stack_bytes + spilled;
    lower_spills(&mut code, limits.stack_bytes, stack_bytes, limits.counter);
    Ok(Allocated { halves: used[usize::from(GPR.0)].max(lowest), code, stack_bytes })
}

/// Whether the code names a register by itself.
pub(super) fn uses_unit(code: &Code, unit: u16) -> bool {
    let mut insts = code.blocks().flat_map(|block| code.insts(block));
    insts.any(|&inst| {
        let mut operands = code.operands(inst).iter();
        operands.any(|operand| operand.what == What::Reg && operand.file == GPR && operand.reg == Some(unit))
    })
}

/// Whether lanes diverge: then r0l counts.
pub(super) fn uses_mask(code: &Code) -> bool {
    let mut insts = code.blocks().flat_map(|block| code.insts(block));
    insts.any(|&inst| operation(code, inst).is_some_and(nests))
}
