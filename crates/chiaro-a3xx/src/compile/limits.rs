//! What does not fit the machine, as messages: used, allowed, what to do. Variables are counted where
//! they are placed.

use chiaro_diag::Diagnostic;

use crate::abi::{Interface, Sink};
use crate::regs::{GRANULE, INSTRUCTION_MEMORY, TARGETS};

/// Checks a finished program of so many words against the limits of the machine.
///
/// # Errors
/// All limits that it exceeds.
pub(super) fn check(interface: &Interface, words: usize) -> Result<(), Vec<Diagnostic>> {
    let target = |sink: Sink| if let Sink::Colour(n) = sink { u32::from(n) + 1 } else { 0 };
    let targets = interface.outputs.iter().map(|o| target(o.sink)).max().unwrap_or(0);
    let room = INSTRUCTION_MEMORY as usize * GRANULE;
    let found = [
        over("the colours take", "targets", targets, TARGETS, "write fewer colours in one pass"),
        over(
            "the program takes",
            "instructions",
            words as u32,
            room as u32,
            "unroll fewer loops, or split the shader",
        ),
    ];
    let found: Vec<Diagnostic> = found.into_iter().flatten().collect();
    if found.is_empty() { Ok(()) } else { Err(found) }
}

fn over(what: &str, unit: &str, used: u32, allowed: u32, help: &str) -> Option<Diagnostic> {
    let message = || format!("{what} {used} {unit}, {allowed} are there");
    (used > allowed).then(|| Diagnostic::error(None, message()).help(help.to_owned()))
}
