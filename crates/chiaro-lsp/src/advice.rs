//! Edits that the advice of a message comes down to, where its words leave nothing to choose: `float(...)` is written
//! around what the message marks, a directive stands where directives stand.

use chiaro_diag::{Diagnostic, Fix};

use crate::Document;
use crate::diagnostics::{bytes, place};

/// The edits for a message of a document.
#[must_use]
pub(crate) fn advice(document: &Document, message: &Diagnostic) -> Vec<Fix> {
    let quoted = message.help.iter().flat_map(|help| help.split('`').skip(1).step_by(2));
    quoted
        .filter_map(|quoted| {
            conversion(document, message, quoted).or_else(|| directive(document, message, quoted))
        })
        .collect()
}

/// `float(...)`, around what is marked.
fn conversion(document: &Document, message: &Diagnostic, quoted: &str) -> Option<Fix> {
    let name = quoted.strip_suffix("(...)")?;
    let span = message.span?;
    let marked = document.text().get(bytes(span))?;
    Some(Fix { span, with: format!("{name}({marked})") })
}

/// `#extension GL_X : enable` behind the version; `#version 300 es` in its place, or as the first line.
fn directive(document: &Document, message: &Diagnostic, quoted: &str) -> Option<Fix> {
    let span = message.span?;
    let version = document.lines().find(|(_, text)| text.trim_start().starts_with("#version"));
    if quoted.starts_with("#version ") {
        let (start, end) = version.map_or((0, 0), |(start, text)| (start, start + text.trim_end().len()));
        let with = if version.is_some() { quoted.to_owned() } else { format!("{quoted}\n") };
        return Some(Fix { span: place(span, start..end), with });
    }
    let behind = version.map_or(0, |(start, text)| (start + text.len() + 1).min(document.text().len()));
    quoted
        .starts_with("#extension ")
        .then(|| Fix { span: place(span, behind..behind), with: format!("{quoted}\n") })
}
