//! A message to the user, and what to do with many of them.

use crate::source::Span;
use crate::{Advice, Fix};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// No result can be given.
    Error,
    /// A result is given, but it is likely not what was meant.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word that starts a message: `error`, `warning` or `note`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// One message to the user: what is wrong, where, and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// One sentence without a full stop, naming the construct.
    pub message: String,
    /// Where; `None` for a whole input that has no text (a missing file).
    pub span: Option<Span>,
    /// Short text under the marked source.
    pub label: String,
    /// Further places with a text each (an earlier definition).
    pub related: Vec<(Span, String)>,
    /// What to know ("picasso would have read v5 here").
    pub notes: Vec<String>,
    /// What to do.
    pub help: Vec<String>,
    /// The rule of the hardware that is broken, by its name in the target's documentation.
    pub rule: Option<&'static str>,
    /// Edits that do it, where that is mechanical; one of them, not all.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// An error at a place. Pass `None` where the input has no text.
    #[must_use]
    pub fn error(span: impl Into<Option<Span>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, span, message)
    }

    /// A warning at a place.
    #[must_use]
    pub fn warning(span: impl Into<Option<Span>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, span, message)
    }

    /// A note that stands by itself.
    #[must_use]
    pub fn remark(span: impl Into<Option<Span>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, span, message)
    }

    /// An error that is not the user's.
    #[must_use]
    pub fn mistake(what: impl Into<String>) -> Self {
        Self::error(None, what).note("this is a mistake of the compiler; please report the shader")
    }

    /// A message of a severity that is chosen at run time.
    #[must_use]
    pub fn new(severity: Severity, span: impl Into<Option<Span>>, message: impl Into<String>) -> Self {
        Diagnostic {
            severity,
            message: message.into(),
            span: span.into(),
            label: String::new(),
            related: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            rule: None,
            fixes: Vec::new(),
        }
    }

    /// Sets the short text under the marked source.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.label = text.into();
        self
    }

    /// Adds a further place, such as an earlier definition.
    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push((span, text.into()));
        self
    }

    /// Adds something to know.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds something to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Adds an edit that does what the help says.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }

    /// Adds what to do, in words and as edits.
    #[must_use]
    pub fn advise(mut self, advice: Advice) -> Self {
        self.advised(Some(advice));
        self
    }

    /// As [`Diagnostic::advise`], if there is advice.
    pub fn advised(&mut self, advice: Option<Advice>) {
        let Some(advice) = advice else { return };
        self.help.push(advice.words);
        self.fixes.extend(advice.fixes);
    }

    /// Adds what to do: to write one of some texts in the place of what the message marks.
    pub fn instead(&mut self, words: impl Into<String>, texts: &[&str]) {
        let fixes =
            self.span.into_iter().flat_map(|span| texts.iter().map(move |text| Fix::replace(span, *text)));
        self.advised(Some(Advice { words: words.into(), fixes: fixes.collect() }));
    }

    /// Asks whether another word was meant than the one that the message marks.
    #[must_use]
    pub fn meant(mut self, word: impl AsRef<str>) -> Self {
        self.mean(Some(word));
        self
    }

    /// As [`Diagnostic::meant`], if there is such a word.
    pub fn mean(&mut self, word: Option<impl AsRef<str>>) {
        self.mean_at(self.span, word);
    }

    /// As [`Diagnostic::mean`], where the word is not all that the message marks.
    pub fn mean_at(&mut self, span: Option<Span>, word: Option<impl AsRef<str>>) {
        let Some(word) = word else { return };
        let word = word.as_ref();
        let advice = Advice::words(format!("did you mean `{word}`?"));
        self.advised(Some(advice.fix(span.map(|span| Fix::replace(span, word)))));
    }
}

/// Sorts in the order in which one reads the sources, included files where they are included.
///
/// Messages without a place come last: they follow from others more often than others from them.
pub fn sort_by_reading(diagnostics: &mut [Diagnostic], sources: &crate::SourceMap) {
    diagnostics.sort_by_cached_key(|d| {
        let place = d.span.map(|span| sources.reading_order(span));
        (place.is_none(), place, d.severity)
    });
}

/// Sorts by file and position, the worse first where two start together.
///
/// Messages without a place come first. The sort is stable, so messages about
/// the same place keep the order in which they were found.
pub fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by_key(|d| (d.span.map(|s| (s.file, s.start)), d.severity));
}

/// How many messages there are of each severity.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Notes that stand by themselves.
    pub notes: usize,
}

impl Counts {
    /// Counts a list.
    pub fn of<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> Self {
        let mut counts = Counts::default();
        for d in diagnostics {
            *counts.slot(d.severity) += 1;
        }
        counts
    }

    /// The counter of one severity.
    pub(crate) fn slot(&mut self, severity: Severity) -> &mut usize {
        match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
            Severity::Note => &mut self.notes,
        }
    }

    /// The counts in words, "2 errors and 1 warning"; empty when there are none.
    #[must_use]
    pub fn in_words(self) -> String {
        self.describe("")
    }

    /// As [`Counts::in_words`], with a word between number and noun: "2 more errors".
    pub(crate) fn describe(self, between: &str) -> String {
        let parts = [(self.errors, "error"), (self.warnings, "warning"), (self.notes, "note")];
        let words: Vec<String> = parts
            .iter()
            .filter(|(n, _)| *n != 0)
            .map(|(n, noun)| format!("{n} {between}{noun}{}", if *n == 1 { "" } else { "s" }))
            .collect();
        match words.as_slice() {
            [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => words.concat(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileId;

    #[test]
    fn positions_decide_the_order_and_errors_win_ties() {
        let at = |start| FileId(0).span(start..start + 1);
        let mut list = vec![
            Diagnostic::warning(at(9), "c"),
            Diagnostic::warning(at(2), "b"),
            Diagnostic::error(at(2), "a"),
            Diagnostic::error(None, "first"),
        ];
        sort(&mut list);
        let order: Vec<&str> = list.iter().map(|d| d.message.as_str()).collect();
        assert_eq!(order, ["first", "a", "b", "c"]);
    }

    #[test]
    fn counts_are_told_in_words() {
        let counts = |errors, warnings, notes| Counts { errors, warnings, notes }.in_words();
        assert_eq!(counts(0, 0, 0), "");
        assert_eq!(counts(1, 0, 0), "1 error");
        assert_eq!(counts(2, 1, 0), "2 errors and 1 warning");
        assert_eq!(counts(2, 1, 3), "2 errors, 1 warning and 3 notes");
    }
}
