//! One random function through all steps and the checkers.

use chiaro_isa::Rng;

use super::{LANE, LATE, MACHINES, Shape, TIMING, Trace, WAVE, evaluate, generate, ops, walk};
use crate::alloc::{Totals, allocate};
use crate::check::check_allocation;
use crate::check_waits::check_waits;
use crate::code::{Code, Room};
use crate::file::{File, RegFile};
use crate::insert_waits::insert_waits;
use crate::lower_copies::lower_copies;
use crate::parse::{ParseError, Words, parse};
use crate::print::{Names, print};
use crate::schedule_before_allocation::Schedules;
use crate::schedule_for_latency::schedule_for_latency;
use crate::schedule_for_pressure::schedule_for_pressure;
use crate::split_critical_edges::split_critical_edges;
use crate::verify::{Breach, verify};

/// Blocks that a run may enter; loops in loops seldom take more.
pub(super) const FUEL: u32 = 20_000;

/// Walks through the waits of a function, and blocks of each.
const WALKS: (u64, usize) = (3, 40);

/// Puts the random function of a seed through every step, on one of [`MACHINES`]. `None` if
/// it does not end within the fuel; an error says what went wrong, with the code.
pub fn trial(seed: u64, shape: Shape, machine: usize) -> Result<Option<Totals>, String> {
    let files = &MACHINES[machine % MACHINES.len()];
    let mut code = generate(seed, shape);
    limit(&mut code, files, seed);
    verify(&code, files).map_err(|found| report("generated code", &found, &code, files))?;
    let Some(trace) = evaluate(&code, files, false, FUEL) else { return Ok(None) };
    before_allocation(&mut code, files, seed, &trace)?;
    let before = text(&code, files);
    let totals = allocate(&mut code, files).map_err(|error| format!("{error}: {error:?}\n{before}"))?;
    compare("allocate", &code, files, &trace)?;
    lower_copies(&mut code, files).map_err(|stuck| format!("lower_copies: {stuck:?}\n{before}"))?;
    compare("lower_copies", &code, files, &trace)?;
    schedule_for_latency(&mut code, files, &TIMING);
    compare("schedule_for_latency", &code, files, &trace)?;
    insert_waits(&mut code, files, &LATE);
    wait_enough(&code, files, seed, &trace)
        .map_err(|found| format!("insert_waits: {found}\n{}", text(&code, files)))?;
    Ok(Some(totals))
}

/// Leaves every other function on the largest machine less of its files, as workgroups and contracts do.
fn limit(code: &mut Code, files: &[RegFile], seed: u64) {
    let wide = &MACHINES[MACHINES.len() - 1];
    if !seed.is_multiple_of(2) || !std::ptr::eq(files, wide) {
        return;
    }
    let mut rng = Rng(seed);
    for (file, least) in [(WAVE, 24), (LANE, 80)] {
        let limit = least + rng.below(40) as u16;
        let hole = 12 + rng.below(8) as u16;
        code.set_room(Room { file, limit, reserved: std::iter::once(hole..hole + 1).collect() });
    }
}

/// The steps on values: both schedules, and edges split. Each has to keep what the code computes.
fn before_allocation(code: &mut Code, files: &[RegFile], seed: u64, trace: &Trace) -> Result<(), String> {
    // Schedules within tight limits and within loose ones are different code.
    let part = 1 + seed as u32 % 4;
    let limits: Vec<u32> =
        (0..files.len() as u8).map(|file| code.capacity(files, File(file)) * part / 4).collect();
    let schedules = Schedules::new(code, files, &TIMING);
    schedules.within(code, &limits);
    keep("schedule_before_allocation", code, files, trace)?;
    schedule_for_pressure(code, files);
    keep("schedule_for_pressure", code, files, trace)?;
    split_critical_edges(code);
    keep("split_critical_edges", code, files, trace)
}

/// Nothing is touched while it is held: the checker says so of all paths, walks of some. A flag that waits
/// tells an instruction from its repetition, so that [`verify`] has said what it can before.
fn wait_enough(code: &Code, files: &[RegFile], seed: u64, trace: &Trace) -> Result<(), String> {
    check_allocation(code, files).map_err(|found| found[0].to_string())?;
    if evaluate(code, files, true, FUEL).as_ref() != Some(trace) {
        return Err("computes something else".to_owned());
    }
    check_waits(code, files, &LATE).map_err(|found| found[0].to_string())?;
    let (count, blocks) = WALKS;
    (0..count).try_for_each(|n| walk(code, files, seed.wrapping_add(n), blocks))
}

/// What became of a seeded fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// The code is the same as without the fault.
    Nothing,
    /// The checker refused it.
    Refused,
    /// The checker accepted it, and it computes what it should: the fault does no harm.
    Harmless,
    /// The checker accepted it, and it computes something else: a run alone shows it.
    Differs,
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

/// The same for code over values.
fn keep(step: &str, code: &Code, files: &[RegFile], trace: &Trace) -> Result<(), String> {
    verify(code, files).map_err(|found| report(step, &found, code, files))?;
    if evaluate(code, files, false, FUEL).as_ref() == Some(trace) {
        return Ok(());
    }
    Err(format!("{step}: computes something else\n{}", text(code, files)))
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
