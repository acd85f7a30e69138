//! What mends a document: the edits that messages carry, and those that a target knows for the rules of its
//! hardware. An edit is offered only if the message is gone after it, which is tried.

use std::ops::Range;

use chiaro_diag::{Diagnostic, Fix, Span};
use chiaro_target::{Edit, Remedy};
use lsp_types::TextDocumentContentChangeEvent;

use crate::diagnostics::{bytes, rule};
use crate::{Checked, Document, Language, Tools};

/// Edits that are tried for one answer at most: each is a check of the whole document.
const MOST_TRIED: usize = 16;

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
    let mut tried = 0;
    let mut found = Vec::new();
    for message in touched {
        let here = message.fixes.iter().filter(|fix| fix.span.file == checked.file).cloned();
        let carried: Vec<Fix> = here.collect();
        let known = remedies(document, message);
        // Of what a target knows the first that helps does the least.
        for (fixes, is_known) in [(carried, false), (known, true)] {
            let room = MOST_TRIED - tried;
            let tries = fixes.into_iter().take(room).inspect(|_| tried += 1);
            let mut mending = tries.filter(|fix| {
                let left = after(document, fix, tools);
                // What is too little of a remedy leaves the same rule broken in other words.
                mends(checked, &left, message) && (!is_known || left.messages.len() < checked.messages.len())
            });
            match is_known {
                true => found.extend(mending.next().map(|fix| action(document, message, fix))),
                false => found.extend(mending.map(|fix| action(document, message, fix))),
            }
        }
    }
    found
}

fn action<'a>(document: &Document, message: &'a Diagnostic, fix: Fix) -> Action<'a> {
    Action { title: title(document, &fix), at: bytes(fix.span), with: fix.with, message }
}

/// The edits that a target knows for the rule that a message is about.
fn remedies(document: &Document, message: &Diagnostic) -> Vec<Fix> {
    let Some(Language::Assembly(target, _)) = document.readable() else { return Vec::new() };
    let (Some(rule), Some(span)) = (rule(message), message.span) else { return Vec::new() };
    let of_rule = target.remedies().iter().filter(|remedy| remedy.rule == rule);
    of_rule.filter_map(|remedy| fix(document, span, remedy)).collect()
}

/// A remedy at the instruction of a span; what is put before it stands on a line of its own.
fn fix(document: &Document, span: Span, remedy: &Remedy) -> Option<Fix> {
    let start = bytes(span).start;
    let line = document.line_of(start);
    let first = document.line_start(line);
    let text = document.line_text(line);
    let indent = &text[..text.len() - text.trim_start().len()];
    let put = |at: usize, with: String| Fix { span: Span { start: at as u32, end: at as u32, ..span }, with };
    // The span may begin in front of the instruction: with its label, or with blanks.
    let begin = first + indent.len();
    Some(match remedy.edit {
        Edit::Before(instruction) => put(begin, format!("{instruction}\n{indent}")),
        Edit::Mark(mark) => put(start.max(begin), mark.to_owned()),
        Edit::Without => Fix { span, with: String::new() },
    })
}

fn title(document: &Document, fix: &Fix) -> String {
    let old = document.text().get(bytes(fix.span)).unwrap_or_default();
    match (old, fix.with.as_str()) {
        ("", new) => format!("put in `{}`", new.trim_end()),
        (old, "") => format!("leave out `{old}`"),
        (old, new) => format!("replace `{old}` by `{new}`"),
    }
}

/// What there is to say after an edit.
fn after(document: &Document, fix: &Fix, tools: &dyn Tools) -> Checked {
    let mut tried = document.clone();
    let change = TextDocumentContentChangeEvent {
        range: Some(document.range(&bytes(fix.span))),
        range_length: None,
        text: fix.with.clone(),
    };
    tried.edit(&change);
    tools.check(&tried)
}

/// Whether a message is told less often than before.
fn mends(before: &Checked, after: &Checked, message: &Diagnostic) -> bool {
    let count = |list: &[Diagnostic]| list.iter().filter(|other| other.message == message.message).count();
    count(&after.messages) < count(&before.messages)
}
