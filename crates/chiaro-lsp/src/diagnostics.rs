//! What is wrong with a document, as it is typed.

use chiaro_diag::{Severity, Span};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Uri,
};

use crate::{Checked, Document};

/// The messages of a check in the protocol's form. What stands in other files is told at the first line.
#[must_use]
pub fn diagnostics(document: &Document, checked: &Checked) -> Vec<Diagnostic> {
    checked.messages.iter().map(|message| diagnostic(document, checked, message)).collect()
}

fn diagnostic(document: &Document, checked: &Checked, message: &chiaro_diag::Diagnostic) -> Diagnostic {
    let here = message.span.filter(|span| span.file == checked.file);
    let elsewhere = message.span.filter(|span| span.file != checked.file);
    let range = here.map_or_else(Default::default, |span| document.range(&bytes(span)));
    let mut text = message.message.clone();
    if let Some(span) = elsewhere {
        let at = checked.sources.locate(span);
        text = format!("{}:{}:{}: {text}", at.file, at.start.line, at.start.column);
    }
    for part in std::iter::once(&message.label).chain(&message.notes).chain(&message.help) {
        if !part.is_empty() {
            text.push('\n');
            text.push_str(part);
        }
    }
    Diagnostic {
        range,
        severity: Some(match message.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        }),
        code: message.rule.map(|rule| NumberOrString::String(rule.to_owned())),
        source: Some("chiaro".to_owned()),
        message: text,
        related_information: related(document, checked, message),
        ..Diagnostic::default()
    }
}

fn related(
    document: &Document,
    checked: &Checked,
    message: &chiaro_diag::Diagnostic,
) -> Option<Vec<DiagnosticRelatedInformation>> {
    let uri: Uri = document.uri.parse().ok()?;
    let here = message.related.iter().filter(|(span, _)| span.file == checked.file);
    let all: Vec<_> = here
        .map(|(span, text)| DiagnosticRelatedInformation {
            location: Location { uri: uri.clone(), range: document.range(&bytes(*span)) },
            message: text.clone(),
        })
        .collect();
    (!all.is_empty()).then_some(all)
}

/// The bytes of a span.
pub(crate) fn bytes(span: Span) -> std::ops::Range<usize> {
    span.start as usize..span.end as usize
}
