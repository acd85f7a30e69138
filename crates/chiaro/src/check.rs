//! Hazards, limits and inconsistencies, told as diagnostics.

use chiaro_diag::{Diagnostic, Severity, SourceMap, Span};
use chiaro_isa::Cx;
use chiaro_pica200::check::{self, Finding};
use chiaro_pica200::container::Shbin;
use chiaro_pica200::isa::{PICA200, fetch};
use chiaro_pica200::operand::PICASSO;
use chiaro_utgard::container::Mbs;

use crate::Target;
use crate::assemble::{AssembleOptions, Assembled, Open, assemble};
use crate::disassemble::{read_mbs, read_shbin};

/// Checks a container.
///
/// # Errors
/// What keeps the bytes from being a container of this target.
pub fn check(target: Target, bytes: &[u8]) -> Result<Vec<Diagnostic>, Box<Diagnostic>> {
    match target {
        Target::Pica200 => {
            let shbin = read_shbin(bytes)?;
            Ok(check::check(&shbin).iter().map(|finding| tell(finding, &shbin, &[])).collect())
        }
        Target::UtgardGp => utgard(bytes, &[]),
    }
}

/// Assembles sources and checks what comes out; findings point into the sources where the
/// assembler knows what a word came from.
#[must_use]
pub fn check_sources(
    target: Target,
    sources: &mut SourceMap,
    options: &AssembleOptions,
    open: &mut Open<'_>,
) -> Vec<Diagnostic> {
    let made = match assemble(target, sources, options, open) {
        Ok(made) => made,
        Err(errors) => return errors,
    };
    let hazards = check_assembled(target, &made);
    made.warnings.into_iter().chain(hazards).collect()
}

/// Checks what was assembled; findings point into the sources.
fn check_assembled(target: Target, made: &Assembled) -> Vec<Diagnostic> {
    match target {
        Target::Pica200 => match read_shbin(&made.bytes) {
            Ok(shbin) => check::check(&shbin).iter().map(|f| tell(f, &shbin, &made.spans)).collect(),
            Err(error) => vec![*error],
        },
        Target::UtgardGp => utgard(&made.bytes, &made.spans).unwrap_or_else(|error| vec![*error]),
    }
}

/// What would hang the machine or break its limits, as warnings beside a result that was
/// assembled all the same. [`check_sources`] tells more.
#[must_use]
pub fn hazards(target: Target, made: &Assembled) -> Vec<Diagnostic> {
    let mut found = check_assembled(target, made);
    found.retain(|hazard| hazard.severity == Severity::Error && hazard.span.is_some());
    found.iter_mut().for_each(|hazard| hazard.severity = Severity::Warning);
    found
}

/// Rules over the words of an MBS1 file, or of code alone.
fn utgard(bytes: &[u8], spans: &[Span]) -> Result<Vec<Diagnostic>, Box<Diagnostic>> {
    let program = if Mbs::is(bytes) { read_mbs(bytes)? } else { Mbs::of_bytes(bytes) }.program();
    let found = chiaro_utgard::check::check(&program, &chiaro_utgard::check::Options::default());
    let told = |finding: &chiaro_utgard::check::Finding| {
        let at = finding.instruction as usize;
        let span = spans.get(at).copied();
        let error = Diagnostic::error(span, format!("`{}`: {}", finding.place, finding.detail));
        let text = program.get(at).map(|&word| chiaro_utgard::explain::text(word)).unwrap_or_default();
        let placed =
            if span.is_none() { error.note(format!("at instruction {at}: `{text}`")) } else { error };
        placed.note(format!("rule `{}` [{}]: {}", finding.rule.id, finding.rule.source, finding.rule.doc))
    };
    Ok(found.iter().map(told).collect())
}

/// A finding with its place: in the source if it is known, else word and label.
fn tell(finding: &Finding, shbin: &Shbin, spans: &[Span]) -> Diagnostic {
    let severity = match finding.severity() {
        check::Severity::Error => Severity::Error,
        check::Severity::Warning => Severity::Warning,
        check::Severity::Note => Severity::Note,
    };
    let span = finding.word.and_then(|word| spans.get(word as usize)).copied();
    let mut told = Diagnostic::new(severity, span, finding.message.as_str());
    let places = [
        finding.dvle.filter(|_| shbin.executables.len() > 1).map(|n| format!("DVLE {n}")),
        finding.label.clone(),
        finding.word.map(|word| format!("word {word}{}", instruction(word, shbin))),
    ];
    let places: Vec<String> = places.into_iter().flatten().collect();
    if span.is_none() && !places.is_empty() {
        told = told.note(format!("at {}", places.join(", ")));
    }
    told = told.note(format!("rule `{}` [{}]", finding.rule.id, finding.rule.source));
    if finding.advice().is_empty() { told } else { told.help(finding.advice()) }
}

/// The text of a word, if it has one.
fn instruction(at: u32, shbin: &Shbin) -> String {
    let word = shbin.program.code.get(at as usize).copied();
    let inst = word.and_then(|word| PICA200.decode_word(&fetch(word, &shbin.program.descriptors), 8).ok());
    // As sources spell it: descriptor numbers would only distract here.
    let cx = Cx { dialect: PICASSO, ..PICA200.cx() };
    let text = inst.and_then(|inst| PICA200.text(&inst, &cx));
    text.map(|text| format!(": `{text}`")).unwrap_or_default()
}
