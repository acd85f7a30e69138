//! What does not fit the machine, as messages: used, allowed, what to do. Variables are counted where
//! they are placed.

use chiaro_diag::{Diagnostic, Span, Tally};
use chiaro_ir::Module;

use crate::abi::{Interface, Sink, Source};
use crate::regs::{GRANULE, INSTRUCTION_MEMORY, TARGETS, VARYINGS};

/// Checks a finished program against the limits of the machine; `spans` are the source texts of its words.
///
/// # Errors
/// All limits that it exceeds.
pub(super) fn check(
    interface: &Interface,
    module: &Module,
    spans: &[Option<Span>],
) -> Result<(), Vec<Diagnostic>> {
    let found = [varyings(interface, module), targets(interface, module), instructions(spans)];
    let found: Vec<Diagnostic> = found.into_iter().flatten().collect();
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// Varyings pass between the stages as scalars.
fn varyings(interface: &Interface, module: &Module) -> Option<Diagnostic> {
    let mut tally = Tally::new("varyings", "scalars", VARYINGS);
    let read = interface.inputs.iter().filter(|i| matches!(i.source, Source::Varying { .. }));
    read.for_each(|i| tally.add(&i.name, span(module, &i.name), i.components.into()));
    let written = interface.outputs.iter().filter(|o| matches!(o.sink, Sink::Varying(_)));
    written.for_each(|o| tally.add(&o.name, span(module, &o.name), o.components.into()));
    tally.overflow().map(|error| error.help("pass fewer varyings, or what is `flat` as a uniform"))
}

/// Colours count up to the last one that is written.
fn targets(interface: &Interface, module: &Module) -> Option<Diagnostic> {
    let colours = interface.outputs.iter().filter_map(|o| match o.sink {
        Sink::Colour(n) => Some((u32::from(n) + 1, &o.name)),
        _ => None,
    });
    let (used, name) = colours.max()?;
    over(
        span(module, name),
        "the colours take",
        ("targets", used, TARGETS),
        "write fewer colours in one pass",
    )
}

/// The place is that of the first instruction for which there is no room.
fn instructions(spans: &[Option<Span>]) -> Option<Diagnostic> {
    let room = INSTRUCTION_MEMORY * GRANULE as u32;
    let behind = spans.get(room as usize..).unwrap_or_default();
    let at = behind.iter().find_map(|span| *span);
    let help = "unroll fewer loops, or split the shader";
    let error = over(at, "the program takes", ("instructions", spans.len() as u32, room), help)?;
    Some(error.label("here the memory is full"))
}

fn over(at: Option<Span>, what: &str, count: (&str, u32, u32), help: &str) -> Option<Diagnostic> {
    let (unit, used, allowed) = count;
    let message = || format!("{what} {used} {unit}, {allowed} are there");
    (used > allowed).then(|| Diagnostic::error(at, message()).help(help.to_owned()))
}

/// Where the variable is declared that a name or the name of a part of it begins with.
fn span(module: &Module, name: &str) -> Option<Span> {
    let whole = name.split(['.', '[']).next()?;
    module.globals.iter().find(|global| global.name == whole)?.span
}
