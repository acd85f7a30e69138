//! Orders instructions and gives them registers.

use chiaro_mach::{
    AllocateError, Code, RegFile, Schedules, Totals, allocate as allocate_registers, check_allocation,
    lower_copies, schedule_for_latency, split_critical_edges, verify,
};

use super::code::{VECTOR, files};
use super::schedule::Clock;
use crate::regs::VGPRS;

/// Code with registers.
pub(super) struct Allocated {
    pub(super) code: Code,
    pub(super) totals: Totals,
}

/// Why there is no order.
pub(super) enum Failure {
    /// Registers do not suffice.
    Registers(AllocateError),
    /// The compiler made a mistake.
    Mistake(String),
}

/// Waves of a SIMD at most.
const WAVES: u16 = 16;
/// Scalar registers that schedules leave free for copies.
const SCALARS: u32 = 80;

/// Finds an order. With `is_checked`, what each pass makes is verified.
///
/// # Errors
/// Registers do not suffice, or a mistake of the compiler.
pub(super) fn allocate(code: Code, wave: u8, is_checked: bool) -> Result<Allocated, Failure> {
    let files = files(wave);
    let mut code = code;
    split_critical_edges(&mut code);
    check(is_checked, "split_critical_edges", || verify(&code, files))?;
    let most =
        files[usize::from(VECTOR.0)].occupancy.first().map_or(VGPRS.into(), |step| u32::from(step.units));
    // Registers between those that are alive at once are lost to runs: less is tried where waves are missing.
    let limits = [most - most / 16 - 2, most * 3 / 4, most / 2, 2 * most];
    let mut best: Result<Allocated, Failure> = Err(Failure::Mistake("no attempt".to_owned()));
    for limit in limits {
        let next = match attempt(&code, files, limit, is_checked) {
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
fn attempt(code: &Code, files: &[RegFile], limit: u32, is_checked: bool) -> Result<Allocated, Failure> {
    let mut code = code.clone();
    let _peaks = Schedules::new(&code, files, &Clock).within(&mut code, &[limit, SCALARS, 1]);
    let totals = allocate_registers(&mut code, files).map_err(Failure::Registers)?;
    check(is_checked, "allocate", || verify(&code, files).and_then(|()| check_allocation(&code, files)))?;
    lower_copies(&mut code, files).map_err(|(_, stuck)| Failure::Mistake(format!("{stuck:?}")))?;
    check(is_checked, "lower_copies", || check_allocation(&code, files))?;
    schedule_for_latency(&mut code, files, &Clock);
    check(is_checked, "schedule", || check_allocation(&code, files))?;
    Ok(Allocated { code, totals })
}

fn check(
    is_checked: bool,
    step: &str,
    run: impl FnOnce() -> Result<(), Vec<chiaro_mach::Breach>>,
) -> Result<(), Failure> {
    if !is_checked {
        return Ok(());
    }
    run().map_err(|found| Failure::Mistake(format!("after {step}: {}", found[0])))
}
