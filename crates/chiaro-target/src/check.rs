//! Hazards, limits and inconsistencies, reported as diagnostics.

use crate::finding::diagnostic;
use crate::remedy::add_remedies;
use crate::{AssembleOptions, Assembled, Finding, Open, Settings, Target};
use chiaro_diag::{Diagnostic, Severity, SourceMap, Span};

/// Checks a container, or code alone.
///
/// # Errors
/// What keeps the bytes from being a program of this target.
pub fn check(
    target: &dyn Target,
    bytes: &[u8],
    settings: &Settings,
) -> Result<Vec<Diagnostic>, Box<Diagnostic>> {
    Ok(placed(target, &target.check(bytes, settings)?, bytes, settings, &[]))
}

/// Findings as diagnostics with the code that they speak of, which is spelled only if there are any.
fn placed(
    target: &dyn Target,
    found: &[Finding],
    bytes: &[u8],
    settings: &Settings,
    spans: &[Span],
) -> Vec<Diagnostic> {
    let code = match found.is_empty() {
        true => None,
        false => target.code(bytes, settings).ok(),
    };
    found.iter().map(|finding| diagnostic(finding, spans, code.as_ref())).collect()
}

/// Assembles sources and checks what comes out; findings point into the sources where the
/// assembler knows what an instruction came from.
#[must_use]
pub fn check_sources(
    target: &dyn Target,
    sources: &mut SourceMap,
    options: &AssembleOptions,
    open: &mut Open<'_>,
) -> Vec<Diagnostic> {
    let made = match target.assemble(sources, options, open) {
        Ok(made) => made,
        Err(errors) => return errors,
    };
    let settings = &options.settings;
    let found = target.check(&made.bytes, settings);
    let found = found.map(|found| placed(target, &found, &made.bytes, settings, &made.spans));
    let found = found.unwrap_or_else(|error| vec![*error]);
    let mut all: Vec<Diagnostic> = made.warnings.into_iter().chain(found).collect();
    add_remedies(target, sources, &mut all);
    all
}

/// What would hang the machine or break its limits, as warnings beside a result that was
/// assembled all the same. [`check_sources`] reports more.
#[must_use]
pub fn hazards(
    target: &dyn Target,
    sources: &SourceMap,
    made: &Assembled,
    settings: &Settings,
) -> Vec<Diagnostic> {
    let found = target.hazards(&made.bytes, settings).unwrap_or_default();
    let mut found = placed(target, &found, &made.bytes, settings, &made.spans);
    found.retain(|hazard| hazard.span.is_some());
    found.iter_mut().for_each(|hazard| hazard.severity = Severity::Warning);
    add_remedies(target, sources, &mut found);
    found
}
