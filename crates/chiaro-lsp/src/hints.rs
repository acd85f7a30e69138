//! What each line costs on a target, at its end.

use lsp_types::{InlayHint, InlayHintLabel, Position};

use crate::Document;
use crate::costs::Cost;

/// Hints for lines of a range.
#[must_use]
pub fn hints(document: &Document, cost: &Cost, range: lsp_types::Range) -> Vec<InlayHint> {
    let lines = cost.by_line(document);
    let wanted = range.start.line as usize..=range.end.line as usize;
    let here = lines.into_iter().filter(|(line, _)| wanted.contains(line));
    here.map(|(line, of_line)| InlayHint {
        position: end_of(document, line),
        label: InlayHintLabel::String(of_line.in_words()),
        kind: None,
        text_edits: None,
        tooltip: Some(lsp_types::InlayHintTooltip::String(cost.headline.clone())),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    })
    .collect()
}

fn end_of(document: &Document, line: usize) -> Position {
    document.position(document.line_start(line) + document.line_text(line).len())
}
