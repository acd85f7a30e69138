//! What picasso would have done where the default mode refuses: the first question of everybody whose
//! program assembled until now.

use super::{Assembly, Mode, Options, Source, assemble};
use crate::isa::{PICA200, fetch};
use crate::operand::PICASSO;
use chiaro_diag::{Diagnostic, Severity, Span};

/// Instructions that a note names; of more, their number.
const SHOWN: usize = 2;

/// Adds to each error what picasso makes of its line, unless the error says so itself or picasso
/// refuses the line too.
pub(super) fn told(
    mut errors: Vec<Diagnostic>,
    sources: &[Source<'_>],
    options: &Options,
) -> Vec<Diagnostic> {
    let theirs = assemble(sources, &Options { mode: Mode::Picasso, ..*options });
    for error in &mut errors {
        if error.severity != Severity::Error || tells(error) {
            continue;
        }
        let Some(line) = error.span.and_then(|span| Line::of(span, sources)) else { continue };
        let note = match &theirs {
            Ok(made) => Some(line.outcome(made)),
            Err(refused) => (!refused.iter().any(|e| e.severity == Severity::Error && line.has(e.span)))
                .then(|| "picasso would take this line without a word".to_owned()),
        };
        error.notes.extend(note);
    }
    errors
}

/// Whether a message speaks of picasso.
fn tells(error: &Diagnostic) -> bool {
    let texts = error.notes.iter().chain(&error.help).chain([&error.message, &error.label]);
    texts.into_iter().any(|text| text.contains("picasso"))
}

/// A line of a source.
struct Line(Span);

impl Line {
    /// The line that a place begins in.
    fn of(span: Span, sources: &[Source<'_>]) -> Option<Line> {
        let text = sources.iter().find(|source| source.file == span.file)?.text;
        let at = (span.start as usize).min(text.len());
        let start = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
        let end = text.get(at..)?.find('\n').map_or(text.len(), |end| at + end);
        Some(Line(span.file.span(start..end)))
    }

    fn has(&self, span: Option<Span>) -> bool {
        let Line(line) = self;
        span.is_some_and(|s| s.file == line.file && (line.start..=line.end).contains(&s.start))
    }

    /// The instructions that picasso makes of the line.
    fn outcome(&self, made: &Assembly) -> String {
        let program = &made.shbin.program;
        let words = program.code.iter().zip(&made.spans).filter(|(_, span)| self.has(Some(**span)));
        let texts: Vec<String> = words.map(|(&word, _)| text(word, &program.descriptors)).collect();
        match texts.len() {
            0 => "picasso would take this line without a word".to_owned(),
            1..=SHOWN => format!("picasso would make `{}` of this line", texts.join("`, `")),
            more => format!("picasso would make {more} instructions of this line"),
        }
    }
}

fn text(word: u32, descriptors: &[[u32; 2]]) -> String {
    let inst = PICA200.decode_word(&fetch(word, descriptors), 8).ok();
    let cx = chiaro_isa::Cx { dialect: PICASSO, ..PICA200.cx() };
    inst.and_then(|inst| PICA200.text(&inst, &cx)).unwrap_or_else(|| format!(".word {word:#010x}"))
}
