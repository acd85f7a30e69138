//! What mends a document: the edits that messages carry. An edit is offered only if the message is gone after it, which
//! is tried.

use std::ops::Range;

use chiaro_diag::{Diagnostic, Fix};
use lsp_types::TextDocumentContentChangeEvent;

use crate::diagnostics::bytes;
use crate::{Checked, Document, Tools};

/// Edits that are tried for one answer at most: each is a check of the whole document.
const MOST_TRIED: usize = 16;

/// Edits and the message that they mend.
#[derive(Clone, Debug)]
pub struct Action<'a> {
    /// What is done.
    pub title: String,
    /// What is replaced, and by what, in the order of the document.
    pub edits: Vec<(Range<usize>, String)>,
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
    let mut room = MOST_TRIED;
    touched.flat_map(|message| mending(document, checked, message, tools, &mut room)).collect()
}

/// The edits after which a message is not told any more. Of those for a rule of the hardware the first that helps does
/// the least.
fn mending<'a>(
    document: &Document,
    checked: &'a Checked,
    message: &'a Diagnostic,
    tools: &dyn Tools,
    room: &mut usize,
) -> Vec<Action<'a>> {
    let here = message.fixes.iter().filter(|fix| fix.span().file == checked.file);
    let tries = here.take(*room).inspect(|_| *room -= 1);
    let helps = tries.filter(|fix| {
        let left = after(document, fix, tools);
        mends(checked, &left, message)
            && (!is_wide(message, fix) || left.messages.len() < checked.messages.len())
    });
    let most = if message.rule.is_some() { 1 } else { usize::MAX };
    let action = |fix: &Fix| Action {
        title: fix.title(document.text()),
        edits: fix.edits.iter().map(|edit| (bytes(edit.span), edit.with.clone())).collect(),
        message,
    };
    helps.take(most).map(action).collect()
}

/// Whether an edit may break something else than what it mends: what is too little of a remedy leaves the same rule
/// broken in other words, and another version is another language.
fn is_wide(message: &Diagnostic, fix: &Fix) -> bool {
    let (at, here) = (fix.span(), message.span);
    message.rule.is_some() || here.is_none_or(|here| at.end < here.start || here.end < at.start)
}

/// What there is to say after an edit.
fn after(document: &Document, fix: &Fix, tools: &dyn Tools) -> Checked {
    let mut tried = document.clone();
    // The last first, so that places stay.
    for edit in fix.edits.iter().rev() {
        let change = TextDocumentContentChangeEvent {
            range: Some(tried.range(&bytes(edit.span))),
            range_length: None,
            text: edit.with.clone(),
        };
        tried.edit(&change);
    }
    tools.check(&tried)
}

/// Whether a message is told less often than before.
fn mends(before: &Checked, after: &Checked, message: &Diagnostic) -> bool {
    let count = |list: &[Diagnostic]| list.iter().filter(|other| other.message == message.message).count();
    count(&after.messages) < count(&before.messages)
}
