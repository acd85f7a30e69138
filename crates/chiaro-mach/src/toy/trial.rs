//! One random function through the allocator, the lowering of copies, and the checkers.

use super::{MACHINES, Shape, TIMING, Trace, evaluate, generate, ops};
use crate::alloc::{Fault, Totals, allocate, allocate_with_fault};
use crate::check::check_allocation;
use crate::code::Code;
use crate::file::RegFile;
use crate::lower_copies::lower_copies;
use crate::parse::{ParseError, Words, parse};
use crate::print::{Names, print};
use crate::schedule_for_latency::schedule_for_latency;
use crate::schedule_for_pressure::schedule_for_pressure;
use crate::verify::{Breach, verify};

/// Blocks that a run may enter; loops in loops seldom take more.
const FUEL: u32 = 20_000;

/// Puts the random function of a seed through everything, on one of [`MACHINES`]. `None` if
/// it does not end within the fuel; an error says what went wrong, with the code.
pub fn trial(seed: u64, shape: Shape, machine: usize) -> Result<Option<Totals>, String> {
    let files = &MACHINES[machine % MACHINES.len()];
    let mut code = generate(seed, shape);
    verify(&code, files).map_err(|found| report("generated code", &found, &code, files))?;
    let Some(trace) = evaluate(&code, files, false, FUEL) else { return Ok(None) };
    schedule_for_pressure(&mut code, files);
    verify(&code, files).map_err(|found| report("schedule_for_pressure", &found, &code, files))?;
    let before = text(&code, files);
    if evaluate(&code, files, false, FUEL).as_ref() != Some(&trace) {
        return Err(format!("schedule_for_pressure: computes something else\n{before}"));
    }
    let totals = allocate(&mut code, files).map_err(|error| format!("{error}: {error:?}\n{before}"))?;
    compare("allocate", &code, files, &trace)?;
    lower_copies(&mut code, files).map_err(|stuck| format!("lower_copies: {stuck:?}\n{before}"))?;
    compare("lower_copies", &code, files, &trace)?;
    schedule_for_latency(&mut code, files, &TIMING);
    compare("schedule_for_latency", &code, files, &trace)?;
    Ok(Some(totals))
}

/// What became of a seeded fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// The allocation is the same as without the fault.
    Nothing,
    /// The checker refused it.
    Refused,
    /// The checker accepted it, and it computes what it should: the fault does no harm.
    Harmless,
    /// The checker accepted it, and it computes something else.
    Missed,
}

/// Allocates the function of a seed with a fault, and says whether the checker sees it.
pub fn trial_with_fault(seed: u64, shape: Shape, machine: usize, fault: Fault) -> Found {
    let files = &MACHINES[machine % MACHINES.len()];
    let (mut sound, mut faulty) = (generate(seed, shape), generate(seed, shape));
    let Some(trace) = evaluate(&sound, files, false, FUEL) else { return Found::Nothing };
    if allocate(&mut sound, files).is_err() || allocate_with_fault(&mut faulty, files, Some(fault)).is_err() {
        return Found::Nothing;
    }
    if text(&sound, files) == text(&faulty, files) {
        Found::Nothing
    } else if check_allocation(&faulty, files).is_err() {
        Found::Refused
    } else if evaluate(&faulty, files, true, FUEL) == Some(trace) {
        Found::Harmless
    } else {
        Found::Missed
    }
}

/// Code of the toy machine out of its text.
///
/// # Errors
/// As [`parse`].
pub fn read(text: &str, files: &[RegFile]) -> Result<Code, ParseError> {
    let op: &dyn Fn(&str) -> Option<u32> =
        &|name| ops::NAMES.iter().position(|&other| other == name).map(|op| op as u32);
    parse(text, Words { files, op })
}

/// Code of the toy machine as text.
pub fn text(code: &Code, files: &[RegFile]) -> String {
    let op: &dyn Fn(u32) -> String = &|op| ops::NAMES.get(op as usize).map_or("?", |name| name).to_owned();
    print(code, Names { files, op })
}

fn compare(step: &str, code: &Code, files: &[RegFile], trace: &Trace) -> Result<(), String> {
    let checked = verify(code, files).and_then(|()| check_allocation(code, files));
    checked.map_err(|found| report(step, &found, code, files))?;
    if evaluate(code, files, true, FUEL).as_ref() == Some(trace) {
        return Ok(());
    }
    Err(format!("{step}: computes something else\n{}", text(code, files)))
}

fn report(step: &str, found: &[Breach], code: &Code, files: &[RegFile]) -> String {
    let found: Vec<String> = found.iter().take(5).map(ToString::to_string).collect();
    format!("{step}: {}\n{}", found.join("\n"), text(code, files))
}
