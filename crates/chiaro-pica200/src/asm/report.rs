//! The list of diagnostics, kept short enough to be read.

use chiaro_diag::{Diagnostic, Severity};

/// What a step of the assembler answers. Boxed, because errors are rare and large.
pub(crate) type Outcome<T = ()> = Result<T, Box<Diagnostic>>;

/// Errors that are kept; a binary read as text must not become a gigabyte of them.
const MOST_ERRORS: usize = 200;
/// Warnings that are kept.
const MOST_WARNINGS: usize = 1000;

/// All messages of a run in the order in which they were found.
#[derive(Default)]
pub(crate) struct Report {
    list: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl Report {
    /// Adds a message, or only counts it when there are too many of its severity.
    pub(crate) fn add(&mut self, diagnostic: Diagnostic) {
        let (count, most) = match diagnostic.severity {
            Severity::Error => (&mut self.errors, MOST_ERRORS),
            Severity::Warning | Severity::Note => (&mut self.warnings, MOST_WARNINGS),
        };
        *count += 1;
        if *count <= most {
            self.list.push(diagnostic);
        }
    }

    /// Adds the error of a step that failed; answers what it gave otherwise.
    pub(crate) fn take<T>(&mut self, outcome: Outcome<T>) -> Option<T> {
        outcome.map_err(|error| self.add(*error)).ok()
    }

    /// Once no more errors are kept, the one to give instead of any other: it is
    /// counted, but nobody reads it, so that a million mistakes cost little.
    pub(crate) fn unread(&self) -> Option<Diagnostic> {
        (self.errors >= MOST_ERRORS).then(|| Diagnostic::error(None, String::new()))
    }

    /// How many messages are kept so far.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The messages from the one with this number on.
    pub(crate) fn since(&mut self, first: usize) -> &mut [Diagnostic] {
        &mut self.list[first..]
    }

    /// Whether any message is an error.
    pub(crate) fn failed(&self) -> bool {
        self.errors != 0
    }

    /// All messages, with a last one that says how many were left out.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        let hidden = [
            (Severity::Error, self.errors.saturating_sub(MOST_ERRORS), "errors"),
            (Severity::Warning, self.warnings.saturating_sub(MOST_WARNINGS), "warnings"),
        ];
        for (severity, count, noun) in hidden {
            if count != 0 {
                self.list.push(Diagnostic::new(severity, None, format!("{count} more {noun} are not shown")));
            }
        }
        self.list
    }
}
