//! Orders instructions and gives them registers.
//!
//! Several limits of vector registers are tried, and what lets the most waves run is taken. Where registers do not
//! suffice, values go elsewhere ([`lower_spills`](mod@lower_spills)).

mod lower_spills;

use chiaro_diag::Diagnostic;
use chiaro_ir::Function;
use chiaro_mach::{
    AllocateError, Checks, Code, Failure, RegFile, Schedules, Totals, check_allocation, registers,
    schedule_for_latency, split_critical_edges, verify,
};

use super::code::{LANES, SCALAR, SCRATCH, VECTOR, files, spilling_files};
use super::schedule::Clock;
use super::tactic::Tactic;
use crate::abi::convention::Convention;
use crate::abi::partition::Files;
use crate::regs::{SGPRS, VGPRS};
pub use lower_spills::{BYTES, MOST, REACH, Spills, lower_spills};

/// Code with registers.
pub(super) struct Allocated {
    pub(super) code: Code,
    pub(super) totals: Totals,
    /// Bytes of scratch that a lane needs for values.
    pub(super) spilled_bytes: u32,
    /// Vector registers whose lanes hold scalars.
    pub(super) lanes: Vec<u16>,
    /// Vector registers that are to be saved around calls.
    pub(super) rescued: Vec<u16>,
}

/// Waves of a SIMD at most.
const WAVES: u16 = 16;
/// Vector registers beside rows that a kernel needs at least, about.
const BESIDE: u32 = 8;
/// Scalar registers that schedules may have in use where values go elsewhere: the rest is for copies.
const SCALARS: u32 = 80;

/// Finds an order.
///
/// # Errors
/// Registers do not suffice, or a mistake of the compiler.
pub(super) fn allocate(
    mut code: Code,
    wave: u8,
    tactic: Tactic,
    checks: Checks,
) -> Result<Allocated, Failure> {
    let files = files(wave);
    split_critical_edges(&mut code);
    checks.after("split_critical_edges", || verify(&code, files))?;
    let most = room(&files[usize::from(VECTOR.0)], kept(&code));
    let mut best: Result<Allocated, Failure> = Err(Failure::Mistake("no attempt".to_owned()));
    for limit in tactic.registers(most) {
        let next = match attempt(&code, files, (limit, tactic), checks) {
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

/// Vector registers that values may have while as many waves run as rows of variables leave: those of the step in which
/// some values fit beside the rows.
fn room(vectors: &RegFile, rows: u32) -> u32 {
    let needed = rows + if rows > 0 { BESIDE } else { 0 };
    let mut steps = vectors.occupancy.iter().map(|step| u32::from(step.units));
    steps.find(|&units| units >= needed).map_or(VGPRS.into(), |units| units - rows)
}

/// Vector registers that no value may have.
fn kept(code: &Code) -> u32 {
    let reserved = code.room(VECTOR).into_iter().flat_map(|room| &room.reserved);
    reserved.map(|range| u32::from(range.end - range.start)).sum()
}

/// An attempt with so many vector registers.
fn attempt(
    code: &Code,
    files: &[RegFile],
    (limit, tactic): (u32, Tactic),
    checks: Checks,
) -> Result<Allocated, Failure> {
    let mut code = code.clone();
    let clock = tactic.clock;
    if tactic.orders {
        let _peaks = Schedules::new(&code, files, &clock).within(&mut code, &[limit, tactic.scalars, 1]);
    }
    let totals = registers(&mut code, files, checks)?;
    if tactic.reorders {
        schedule_for_latency(&mut code, files, &clock);
    }
    checks.after("schedule", || check_allocation(&code, files))?;
    Ok(Allocated { code, totals, spilled_bytes: 0, lanes: Vec::new(), rescued: Vec::new() })
}

/// Finds registers where they do not suffice: with lanes for scalars, and with scratch behind that of variables for
/// vectors.
///
/// # Errors
/// An instruction alone needs more than there are, or a mistake of the compiler.
pub(super) fn allocate_with_spills(
    mut code: Code,
    wave: u8,
    spills: Spills,
    checks: Checks,
) -> Result<Allocated, Failure> {
    let files = spilling_files(wave);
    split_critical_edges(&mut code);
    let limit = u32::from(files[usize::from(VECTOR.0)].count) - kept(&code);
    let _peaks =
        Schedules::new(&code, files, &Clock::default()).within(&mut code, &[limit, SCALARS, 1, 1, 1]);
    let totals = registers(&mut code, files, checks)?;
    let lanes = lanes(&code, wave);
    lower_spills(&mut code, wave, spills);
    schedule_for_latency(&mut code, self::files(wave), &Clock::default());
    let spilled_bytes = 4 * u32::from(totals.used[usize::from(SCRATCH.0)]);
    Ok(Allocated { code, totals, spilled_bytes, lanes, rescued: Vec::new() })
}

/// Which registers a function misses that does not fit even with values elsewhere, how many it may use by its convention,
/// and what to do.
pub(super) fn no_registers(why: &AllocateError, f: &Function, own: Option<&Convention>) -> Diagnostic {
    let missing = match *why {
        AllocateError::SpillSpace { file: SCALAR, needed, .. } => {
            format!("{needed} dwords of scalars find no lanes of vector registers")
        }
        AllocateError::SpillSpace { needed, allowed, .. } => {
            format!("{needed} dwords of a lane would go to scratch, {allowed} can")
        }
        AllocateError::Full { file, needed, allowed, .. } => {
            let kind = if file == VECTOR { "vector" } else { "scalar" };
            format!("an instruction needs {needed} {kind} registers at once, {allowed} are left for values")
        }
        _ => return Diagnostic::mistake(why.to_string()),
    };
    let whose = own.map_or("there are".to_owned(), |own| format!("the convention `{}` has", own.name));
    let [scalars, vectors] = own.map_or([SGPRS, VGPRS], |own| [own.limit.sgpr, own.limit.vgpr]);
    let message = format!(
        "the values of `{}` need more registers than {whose}: {missing}; it may use {scalars} scalar and {vectors} vector \
         registers",
        f.name
    );
    let help = match own {
        Some(own) if own.limit != (Files { sgpr: SGPRS, vgpr: VGPRS }) => {
            "raise `limit` in the convention, hand over less, or let the function be inlined"
        }
        _ => "hand over less, or have fewer values alive at once",
    };
    Diagnostic::error(f.span, message).help(help)
}

/// Vector registers whose lanes hold scalars.
fn lanes(code: &Code, wave: u8) -> Vec<u16> {
    let insts = code.blocks().flat_map(|block| code.insts(block));
    let operands = insts.flat_map(|&inst| code.operands(inst)).filter(|operand| operand.file == LANES);
    let wave = u16::from(wave);
    let units =
        operands.filter_map(|operand| Some(operand.reg? / wave..=(operand.reg? + operand.size - 1) / wave));
    let mut found: Vec<u16> = units.flatten().collect();
    found.sort_unstable();
    found.dedup();
    found
}
