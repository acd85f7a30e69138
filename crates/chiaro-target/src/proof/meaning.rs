//! What a module means for a sample: every invocation on the interpreter, in a domain.

use std::collections::HashSet;

use chiaro_ir::interp::{
    Attributes, Domain, FaultKind, Inconclusive, Interpreter, NoImages, Options, Report,
};
use chiaro_ir::sample::Sample;

use super::outputs::{Float, Program};
use super::result::Failure;
use super::subject::Numbers;

/// Instructions that an invocation may take.
pub const FUEL: u64 = 1 << 20;

/// Why a lane proves nothing, for people.
fn reason(why: Inconclusive) -> &'static str {
    match why {
        Inconclusive::Comparison => "a comparison depends on how numbers are rounded",
        Inconclusive::Step => "the whole part of a number depends on how it is rounded",
        Inconclusive::Undefined => "a value that nobody defines is used",
        Inconclusive::NotFinite => "a number is not finite, or outside of what a function is for",
        _ => "the bits of a number are used",
    }
}

/// Runs a module in a domain. One invocation after the other, since errors are known of shared
/// memory only: outputs are given to the interpreter as such.
pub(super) fn numbers<D: Domain>(
    program: Program<'_>,
    domain: D,
    outputs: &[Float],
    sample: &Sample,
) -> Result<Vec<Numbers>, Failure> {
    let mut run = Interpreter::with(program.module, program.entry, domain);
    run.options = Options { fuel: FUEL, ..Options::default() };
    (0..sample.lanes).map(|invocation| one(&mut run, program, outputs, sample, invocation)).collect()
}

/// The outputs of one invocation.
fn one<D: Domain>(
    run: &mut Interpreter<'_, D>,
    program: Program<'_>,
    outputs: &[Float],
    sample: &Sample,
    invocation: usize,
) -> Result<Numbers, Failure> {
    for (&g, bytes) in &sample.uniforms {
        run.set(g, bytes.clone());
    }
    for float in outputs.iter().filter(|float| float.number == 0) {
        let size = run.size_of(program.module.global(float.variable).ty) as usize;
        run.set(float.variable, vec![0; size]);
    }
    let inputs = sample.attributes.iter();
    let inputs = inputs.map(|(&g, all)| (g, all.get(invocation).cloned().into_iter().collect())).collect();
    let ran = run.run(1, &inputs, &mut NoImages);
    let (report, _) = ran.map_err(|fault| Failure::Stopped(fault.to_string()))?;
    if let Some(why) = report.notes.first().and_then(|note| note.0) {
        return Ok(Err(reason(why)));
    }
    if !strays(&report).is_empty() {
        return Ok(Err("an index is out of bounds"));
    }
    let numbers = outputs.iter().map(|float| {
        let (value, error, conclusive) = run.float_at(float.variable, float.offset, 32)?;
        (conclusive && error.is_finite()).then_some((value, error))
    });
    Ok(numbers.map(|number| number.ok_or("an output is not finite")).collect())
}

/// Lanes that read out of bounds: machines read whatever is there, and the languages of the
/// source leave it open.
#[must_use]
pub fn strays(report: &Report) -> HashSet<usize> {
    let faults = report.faults.iter().filter(|fault| fault.kind == FaultKind::OutOfBounds);
    faults.filter_map(|fault| fault.lane).map(|lane| lane as usize).collect()
}

/// The bytes of all outputs of all invocations, with the lanes that prove nothing. `undef` fills
/// what nobody defines.
pub(super) fn bytes<D: Domain>(
    program: Program<'_>,
    domain: D,
    sample: &Sample,
    undef: u64,
) -> Result<(Attributes, HashSet<usize>), Failure> {
    let mut run = Interpreter::with(program.module, program.entry, domain);
    run.options = Options { fuel: FUEL, undef, ..Options::default() };
    for (&g, bytes) in &sample.uniforms {
        run.set(g, bytes.clone());
    }
    let ran = run.run(sample.lanes, &sample.attributes, &mut NoImages);
    let (report, outputs) = ran.map_err(|fault| Failure::Stopped(fault.to_string()))?;
    let mut silent = strays(&report);
    silent.extend(report.notes.iter().enumerate().filter(|(_, note)| note.0.is_some()).map(|(lane, _)| lane));
    Ok((outputs, silent))
}
