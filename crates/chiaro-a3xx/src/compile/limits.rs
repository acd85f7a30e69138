//! What does not fit the machine, as messages: used, allowed, what to do.

use chiaro_diag::Diagnostic;

use super::Answer;
use crate::abi::{Interface, Sink};
use crate::regs::{GRANULE, INSTRUCTION_MEMORY, TARGETS, VARYINGS};

/// Checks a finished program of so many words against the limits of the machine.
///
/// # Errors
/// All limits that it exceeds.
pub(super) fn check(interface: &Interface, words: usize) -> Answer<()> {
    let outputs = || interface.outputs.iter();
    let varyings = outputs().filter(|o| matches!(o.sink, Sink::Varying(_)));
    let written: u32 = varyings.map(|o| u32::from(o.components)).sum();
    let scalars = written.max(interface.varying_scalars());
    let target = |sink: Sink| if let Sink::Colour(n) = sink { u32::from(n) + 1 } else { 0 };
    let targets = outputs().map(|o| target(o.sink)).max().unwrap_or(0);
    let room = INSTRUCTION_MEMORY as usize * GRANULE;
    let found = [
        over(
            "varyings take",
            "scalars",
            scalars,
            VARYINGS,
            "pass fewer, or compute them in the fragment shader",
        ),
        over("colours go to", "targets", targets, TARGETS, "write fewer colours in one pass"),
        over(
            "the program has",
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
    let message = format!("{what} {used} {unit}, {allowed} are allowed");
    (used > allowed).then(|| Diagnostic::error(None, message).help(help.to_owned()))
}
