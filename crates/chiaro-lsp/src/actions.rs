//! What mends a document: the edits that messages carry. An edit is offered only if the message is
//! gone after it, which is tried.

use std::ops::Range;

use chiaro_diag::{Diagnostic, Fix};
use lsp_types::TextDocumentContentChangeEvent;

use crate::diagnostics::bytes;
use crate::{Checked, Document, Tools};

/// Edits that are tried for one answer at most: each is a check of the whole document.
const MOST_TRIED: usize = 8;

/// An edit and the message that it mends.
#[derive(Clone, Debug)]
pub struct Action<'a> {
    /// What is done.
    pub title: String,
    /// What is replaced.
    pub at: Range<usize>,
    /// By what.
    pub with: String,
    /// What was said.
    pub message: &'a Diagnostic,
}

/// Edits for messages that touch a range of the document.
#[must_use]
pub fn actions<'a>(
    document: &Document,
    checked: &'a Checked,
    range: &Range<usize>,
    tools: &dyn Tools,
) -> Vec<Action<'a>> {
    let touches = |message: &&Diagnostic| {
        let here = message.span.filter(|span| span.file == checked.file).map(bytes);
        here.is_some_and(|at| at.start <= range.end && range.start <= at.end)
    };
    let touched = checked.messages.iter().filter(touches);
    let fixes = touched.flat_map(|message| message.fixes.iter().map(move |fix| (message, fix)));
    let here = fixes.filter(|(_, fix)| fix.span.file == checked.file);
    here.take(MOST_TRIED)
        .filter(|(message, fix)| mends(document, checked, message, fix, tools))
        .map(|(message, fix)| Action {
            title: title(document, fix),
            at: bytes(fix.span),
            with: fix.with.clone(),
            message,
        })
        .collect()
}

fn title(document: &Document, fix: &Fix) -> String {
    let old = document.text().get(bytes(fix.span)).unwrap_or_default();
    match (old, fix.with.as_str()) {
        ("", new) => format!("put in `{new}`"),
        (old, "") => format!("leave out `{old}`"),
        (old, new) => format!("replace `{old}` by `{new}`"),
    }
}

/// Whether there are fewer messages after an edit, and the message is not among them.
fn mends(document: &Document, checked: &Checked, message: &Diagnostic, fix: &Fix, tools: &dyn Tools) -> bool {
    let mut tried = document.clone();
    let change = TextDocumentContentChangeEvent {
        range: Some(document.range(&bytes(fix.span))),
        range_length: None,
        text: fix.with.clone(),
    };
    tried.edit(&change);
    let after = tools.check(&tried);
    let count = |list: &[Diagnostic]| list.iter().filter(|other| other.message == message.message).count();
    count(&after.messages) < count(&checked.messages)
}
