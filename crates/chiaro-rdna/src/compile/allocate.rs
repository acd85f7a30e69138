//! Orders instructions and gives them registers.

use chiaro_mach::{
    AllocateError, Code, RegFile, Schedules, Totals, allocate as allocate_registers, check_allocation,
    lower_copies, schedule_for_latency, split_critical_edges, verify,
};

use super::code::{VECTOR, files};
use super::schedule::Clock;

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
    let steps: Vec<u32> =
        files[usize::from(VECTOR.0)].occupancy.iter().map(|step| step.units.into()).collect();
    let mut best: Option<Allocated> = None;
    let mut error = None;
    for limit in steps {
        match attempt(&code, files, (limit, wave), is_checked) {
            Ok(next) => {
                let waves = next.totals.waves;
                let is_better = best.as_ref().is_none_or(|best| waves > best.totals.waves);
                if is_better {
                    best = Some(next);
                }
                // A further step would cost waves.
                break;
            }
            Err(Failure::Registers(why)) => error = Some(why),
            Err(mistake) => return Err(mistake),
        }
    }
    match (best, error) {
        (Some(best), _) => Ok(best),
        (None, Some(error)) => Err(Failure::Registers(error)),
        _ => Err(Failure::Mistake("no attempt".to_owned())),
    }
}

/// An attempt with so many vector registers.
fn attempt(
    code: &Code,
    files: &[RegFile],
    (limit, _): (u32, u8),
    is_checked: bool,
) -> Result<Allocated, Failure> {
    let mut code = code.clone();
    let slack = limit.saturating_sub(limit / 16 + 2);
    let _peaks = Schedules::new(&code, files, &Clock).within(&mut code, &[slack, SCALARS, 1]);
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
