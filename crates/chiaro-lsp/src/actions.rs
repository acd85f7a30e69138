//! What mends a document: the edits that messages carry, those that their advice comes down to, and those that a
//! target knows for the rules of its hardware. An edit is offered only if the message is gone after it, which is tried.

use std::ops::Range;

use chiaro_diag::{Diagnostic, Fix, Span};
use chiaro_target::{Edit, Remedy};
use lsp_types::TextDocumentContentChangeEvent;

use crate::advice::advice;
use crate::diagnostics::{bytes, place, rule};
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
    let mut room = MOST_TRIED;
    touched.flat_map(|message| mending(document, checked, message, tools, &mut room)).collect()
}

/// The edits after which a message is not told any more. Of what a target knows for a rule the first that helps
/// does the least.
fn mending<'a>(
    document: &Document,
    checked: &'a Checked,
    message: &'a Diagnostic,
    tools: &dyn Tools,
    room: &mut usize,
) -> Vec<Action<'a>> {
    let carried = message.fixes.iter().filter(|fix| fix.span.file == checked.file).cloned().collect();
    let advised = advice(document, message);
    let mut found = Vec::new();
    for (fixes, is_whole, most) in
        [(carried, false, usize::MAX), (advised, true, usize::MAX), (remedies(document, message), true, 1)]
    {
        let fixes: Vec<Fix> = fixes;
        let tries = fixes.into_iter().take(*room).inspect(|_| *room -= 1);
        let helps = tries.filter(|fix| {
            let left = after(document, fix, tools);
            // What is too little of a remedy leaves the same rule broken in other words.
            mends(checked, &left, message) && (!is_whole || left.messages.len() < checked.messages.len())
        });
        found.extend(helps.take(most).map(|fix| action(document, message, fix)));
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
    of_rule.flat_map(|remedy| fixes(document, span, remedy)).collect()
}

/// Lines behind an instruction that a mark may belong to.
const MOST_BEHIND: usize = 12;

/// A remedy at the instruction of a span; what is put before or behind it stands on lines of its own.
fn fixes(document: &Document, span: Span, remedy: &Remedy) -> Vec<Fix> {
    let start = bytes(span).start;
    let line = document.line_of(start);
    let first = document.line_start(line);
    let text = document.line_text(line);
    let indent = indent(text);
    let put = |at: usize, with: String| vec![Fix { span: place(span, at..at), with }];
    // The span may begin in front of the instruction: with its label, or with blanks.
    let begin = first + indent.len();
    match remedy.edit {
        Edit::Before(instruction) => put(begin, format!("{instruction}\n{indent}")),
        Edit::After(instructions) => {
            put(first + text.len(), format!("\n{instructions}").replace('\n', &format!("\n{indent}")))
        }
        Edit::Mark(mark) => put(start.max(begin), mark.to_owned()),
        Edit::MarkBehind(mark) => {
            let lines = (line + 1..document.line_count()).take(MOST_BEHIND);
            let starts =
                lines.map(|line| document.line_start(line) + self::indent(document.line_text(line)).len());
            starts.flat_map(|at| put(at, mark.to_owned())).collect()
        }
        Edit::Less(word) => {
            let words = text.match_indices(word).map(|(at, _)| first + at);
            let last = words.filter(|at| *at > start).last();
            let less = |at: usize| Fix { span: place(span, at - 1..at + word.len()), with: String::new() };
            last.map(less).into_iter().collect()
        }
        Edit::Without => vec![Fix { span, with: String::new() }],
    }
}

fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

fn title(document: &Document, fix: &Fix) -> String {
    let old = document.text().get(bytes(fix.span)).unwrap_or_default();
    match (old, fix.with.as_str()) {
        // Of several the first says what they are.
        ("", new) => format!("put in `{}`", new.trim().lines().next().unwrap_or_default()),
        (old, "") => format!("leave out `{}`", old.trim()),
        (old, new) if new.ends_with(&format!("({old})")) => format!("write `{new}`"),
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
