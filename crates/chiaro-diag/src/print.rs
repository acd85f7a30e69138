//! Diagnostics as text for people and for machines.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::{Counts, Diagnostic, Severity, SourceMap, Span, json};

/// Lines of source that one message shows at most.
const MOST_LINES: u32 = 12;
/// Lines with more bytes than this are named but not shown.
const LONGEST_LINE: usize = 4096;

/// Who reads the messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// People: the source line with the fault marked.
    #[default]
    Human,
    /// Machines: one JSON object a line.
    Json,
}

/// Turns diagnostics into text. What to do with the text is the caller's.
#[derive(Clone, Copy, Debug)]
pub struct Printer {
    /// Who reads it.
    pub format: Format,
    /// Whether to colour with ANSI escapes; only for people.
    pub colour: bool,
    /// Messages of each severity that are shown; the others are counted.
    pub limit: usize,
}

impl Printer {
    /// For people, without colour and limit.
    #[must_use]
    pub fn plain() -> Self {
        Printer { format: Format::Human, colour: false, limit: usize::MAX }
    }

    /// All messages in the order given, then how many were left out.
    #[must_use]
    pub fn print(&self, diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
        let mut out = String::new();
        let (mut seen, mut left_out) = (Counts::default(), Counts::default());
        for d in diagnostics {
            let shown = seen.slot(d.severity);
            if *shown < self.limit {
                *shown += 1;
                self.one(d, sources, &mut out);
            } else {
                *left_out.slot(d.severity) += 1;
            }
        }
        if left_out != Counts::default() {
            let summary = format!("and {}", left_out.describe("more "));
            self.one(&Diagnostic::remark(None, summary), sources, &mut out);
        }
        out
    }

    fn one(&self, d: &Diagnostic, sources: &SourceMap, out: &mut String) {
        match self.format {
            Format::Json => json::line(d, sources, out),
            Format::Human => {
                let renderer = if self.colour { Renderer::styled() } else { Renderer::plain() };
                out.push_str(&renderer.decor_style(DecorStyle::Ascii).render(&groups(d, sources)));
                out.push_str("\n\n");
            }
        }
    }
}

/// The message with its place, then a group for each related place.
fn groups<'a>(d: &'a Diagnostic, sources: &'a SourceMap) -> Vec<Group<'a>> {
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let main = Group::with_title(level.primary_title(d.message.as_str()));
    let main = match d.span {
        Some(span) => place(main, span, &d.label, sources),
        None => main,
    };
    let main = main
        .elements(d.notes.iter().map(|text| Level::NOTE.message(text.as_str())))
        .elements(d.help.iter().map(|text| Level::HELP.message(text.as_str())));
    let related = d.related.iter().map(|(span, text)| {
        place(Group::with_title(Level::NOTE.secondary_title(text.as_str())), *span, "", sources)
    });
    std::iter::once(main).chain(related).collect()
}

/// Adds the marked source, or only its position where the lines are too long to show.
///
/// Only the lines of the span are handed on: the renderer would walk a whole file
/// for each message.
fn place<'a>(group: Group<'a>, span: Span, label: &'a str, sources: &'a SourceMap) -> Group<'a> {
    let at = sources.locate(span);
    let (file, line) = sources.stated(span.file, span.start);
    let last = at.end.line.min(at.start.line + MOST_LINES - 1);
    let lines = sources.lines(span.file, at.start.line, last);
    if lines.len() > LONGEST_LINE {
        let origin = Origin::path(file).line(line as usize);
        return group.element(origin.char_column(at.start.column as usize));
    }
    let shown = &sources.text(span.file)[lines.clone()];
    let inside = |at: u32| shown.floor_char_boundary((at as usize).saturating_sub(lines.start));
    let (start, end) = (inside(span.start), inside(span.end).max(inside(span.start)));
    let mark = AnnotationKind::Primary.span(start..end);
    let mark = if label.is_empty() { mark } else { mark.label(label) };
    group.element(Snippet::source(shown).line_start(line as usize).path(file).annotation(mark))
}
