//! Orders instructions and gives them registers.

use chiaro_mach::{
    Checks, Code, Failure, RegFile, Schedules, Totals, check_allocation, registers, schedule_for_latency,
    split_critical_edges, verify,
};

use super::code::{VECTOR, files};
use super::schedule::Clock;
use crate::regs::VGPRS;

/// Code with registers.
pub(super) struct Allocated {
    pub(super) code: Code,
    pub(super) totals: Totals,
}

/// Waves of a SIMD at most.
const WAVES: u16 = 16;
/// Scalar registers that schedules leave free for copies.
const SCALARS: u32 = 80;

/// Finds an order.
///
/// # Errors
/// Registers do not suffice, or a mistake of the compiler.
pub(super) fn allocate(code: Code, wave: u8, checks: Checks) -> Result<Allocated, Failure> {
    let files = files(wave);
    let mut code = code;
    split_critical_edges(&mut code);
    checks.after("split_critical_edges", || verify(&code, files))?;
    let most =
        files[usize::from(VECTOR.0)].occupancy.first().map_or(VGPRS.into(), |step| u32::from(step.units));
    // Registers between those that are alive at once are lost to runs: less is tried where waves are missing.
    let limits = [most - most / 16 - 2, most * 3 / 4, most / 2, 2 * most];
    let mut best: Result<Allocated, Failure> = Err(Failure::Mistake("no attempt".to_owned()));
    for limit in limits {
        let next = match attempt(&code, files, limit, checks) {
            Err(Failure::Mistake(why)) => return Err(Failure::Mistake(why)),
            other => other,
        };
        let waves = |attempt: &Result<Allocated, Failure>| attempt.as_ref().ok().map(|a| a.totals.waves);
        if waves(&next) > waves(&best) || best.is_err() {
            best = next;
        }
        if waves(&best) == Some(Some(WAVES)) {
            break;
        }
    }
    best
}

/// An attempt with so many vector registers.
fn attempt(code: &Code, files: &[RegFile], limit: u32, checks: Checks) -> Result<Allocated, Failure> {
    let mut code = code.clone();
    let _peaks = Schedules::new(&code, files, &Clock).within(&mut code, &[limit, SCALARS, 1]);
    let totals = registers(&mut code, files, checks)?;
    schedule_for_latency(&mut code, files, &Clock);
    checks.after("schedule", || check_allocation(&code, files))?;
    Ok(Allocated { code, totals })
}
