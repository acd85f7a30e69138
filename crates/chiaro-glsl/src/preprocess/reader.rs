//! A file that is being read.

use chiaro_diag::{FileId, Span};

use super::item::Group;
use super::splice::Splices;
use crate::lex::Lexer;

/// A file that is being read.
pub(crate) struct Reader<'t> {
    pub(crate) file: FileId,
    pub(crate) text: &'t str,
    pub(crate) lexer: Lexer<'t>,
    pub(crate) splices: &'t Splices,
    /// Whether nothing but blanks came since the line began.
    pub(crate) line_start: bool,
    /// `#if` groups that are open.
    pub(crate) groups: Vec<Group>,
}

impl Reader<'_> {
    /// The place of the last lexeme in the file as it was given.
    pub(crate) fn span(&self) -> Span {
        self.place(self.lexer.start, self.lexer.at)
    }

    /// A place in the file as it was given.
    pub(crate) fn place(&self, start: usize, end: usize) -> Span {
        self.file.span(self.splices.original(start)..self.splices.original(end))
    }

    /// The text of the last lexeme.
    pub(crate) fn slice(&self) -> &str {
        self.text.get(self.lexer.start..self.lexer.at).unwrap_or("")
    }
}
