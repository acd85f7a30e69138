//! Broken rules of the hardware as diagnostics.

use chiaro_diag::{self as diag, Diagnostic, Span};
use chiaro_isa::finding::{Finding, Severity};

use crate::Code;

/// What a compiler has to say of a file that it has made: warnings on what a checker found, with the
/// source line that the instruction comes from. `told` are rules of which it has spoken itself.
///
/// # Errors
/// The file breaks a rule that makes it useless.
pub fn finished(
    findings: &[Finding],
    code: &Code,
    told: &[&str],
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let findings = findings.iter().filter(|f| !told.contains(&f.rule.id));
    let all: Vec<Diagnostic> = findings.map(|finding| diagnostic(finding, &[], Some(code))).collect();
    if all.iter().any(|d| d.severity == diag::Severity::Error) {
        let ours = "the compiler has made a file that breaks a rule of the hardware: a mistake of ours";
        return Err(all.into_iter().map(|d| d.note(ours)).collect());
    }
    Ok(all.into_iter().filter(|d| d.severity == diag::Severity::Warning).collect())
}

/// A finding with its place: in the source if it is known, else by instruction and label.
#[must_use]
pub fn diagnostic(finding: &Finding, spans: &[Span], code: Option<&Code>) -> Diagnostic {
    let severity = match finding.rule.severity {
        Severity::Error => diag::Severity::Error,
        Severity::Warning => diag::Severity::Warning,
        Severity::Note => diag::Severity::Note,
    };
    let in_source = |at: u32| Some(*spans.get(at as usize)?);
    let of_code = |at: u32| code?.lines.get(at as usize)?.span;
    let span = finding.at.and_then(|at| in_source(at).or_else(|| of_code(at)));
    let mut report = Diagnostic::new(severity, span, finding.message.as_str());
    report.rule = Some(finding.rule.id);
    let places = [finding.place.clone(), finding.at.map(|at| instruction(at, code))];
    let places: Vec<String> = places.into_iter().flatten().collect();
    if span.is_none() && !places.is_empty() {
        report = report.note(format!("at {}", places.join(", ")));
    }
    let rule = finding.rule;
    let named = format!("rule `{}` [{}]", rule.id, rule.source);
    match rule.advice.is_empty() {
        true => report.note(format!("{named}: {}", rule.text)),
        false => report.note(named).help(rule.advice),
    }
}

/// The number of an instruction, with its text if it has one.
fn instruction(at: u32, code: Option<&Code>) -> String {
    let text = code.and_then(|code| code.lines.get(at as usize)).map(|line| line.text.as_str());
    match text.filter(|text| !text.is_empty()) {
        Some(text) => format!("word {at}: `{text}`"),
        None => format!("word {at}"),
    }
}
