//! Regions that can be folded.

use lsp_types::FoldingRange;

use crate::Outline;

/// The regions of a document.
#[must_use]
pub fn folding(outline: &Outline) -> Vec<FoldingRange> {
    let range = |&(first, last): &(usize, usize)| FoldingRange {
        start_line: first as u32,
        end_line: last as u32,
        ..FoldingRange::default()
    };
    outline.folds.iter().map(range).collect()
}
