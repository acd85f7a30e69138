//! Lines, and what is read from them: names, numbers, marks.

use chiaro_diag::{FileId, Span};
use std::ops::Range;

/// A line of the program.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) file: FileId,
    /// Byte offset of the text in its file.
    pub(super) start: usize,
    /// The text without its end.
    pub(super) text: &'a str,
    /// Whether it has an end, and not the file's instead.
    pub(super) ended: bool,
    /// The inclusion that it came by.
    pub(super) inclusion: Option<u32>,
}

/// A name with its place.
#[derive(Clone, Copy)]
pub(super) struct Name<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
}

impl<'a> Line<'a> {
    /// The text up to its comment. No mark of a comment has another meaning, so this
    /// need not know the language.
    pub(super) fn body(&self) -> &'a str {
        let bytes = self.text.as_bytes();
        let starts = |i: usize| matches!(bytes[i], b'#' | b';') || bytes[i..].starts_with(b"//");
        let end = (0..bytes.len()).find(|&i| starts(i)).unwrap_or(bytes.len());
        &self.text[..end]
    }

    /// The span of a range of the text.
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        self.file.span(self.start + range.start..self.start + range.end)
    }

    /// Whether white space follows a place in the text, the line's end included. nihstro
    /// wants it behind mnemonics, and so misses a last one without its line's end.
    pub(super) fn space_at(&self, at: usize) -> bool {
        match self.text.as_bytes().get(at) {
            Some(byte) => byte.is_ascii_whitespace() || *byte == 0x0b,
            None => self.ended,
        }
    }
}

/// Reads a line from left to right. All methods but [`Cursor::blank`] skip blanks first.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) line: Line<'a>,
    body: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(line: Line<'a>) -> Cursor<'a> {
        Cursor { line, body: line.body(), at: 0 }
    }

    /// Where the next token starts.
    pub(super) fn at(&mut self) -> usize {
        let rest = &self.body[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
        self.at
    }

    /// The byte behind the last token.
    pub(super) fn end(&self) -> usize {
        self.at
    }

    /// Whether nothing but blanks is left.
    pub(super) fn done(&mut self) -> bool {
        self.at() == self.body.len()
    }

    /// What is left, from the next token on.
    pub(super) fn rest(&mut self) -> &'a str {
        let at = self.at();
        &self.body[at..]
    }

    /// Takes a mark or word if it comes next.
    pub(super) fn eat(&mut self, mark: &str) -> bool {
        let found = self.rest().starts_with(mark);
        if found {
            self.at += mark.len();
        }
        found
    }

    /// Takes a whole word if it comes next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let mut ahead = *self;
        let found = ahead.name().is_some_and(|name| name.text == word);
        if found {
            *self = ahead;
        }
        found
    }

    /// Takes one blank, and no more.
    pub(super) fn blank(&mut self) -> bool {
        let found = self.body[self.at..].starts_with([' ', '\t']);
        self.at += usize::from(found);
        found
    }

    /// Whether a blank is next.
    pub(super) fn next_is_blank(&self) -> bool {
        self.body[self.at..].starts_with([' ', '\t'])
    }

    /// Takes a name.
    pub(super) fn name(&mut self) -> Option<Name<'a>> {
        let start = self.at();
        let rest = &self.body[start..];
        rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_').then_some(())?;
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        self.at += length;
        Some(Name { text: &rest[..length], span: self.since(start) })
    }

    /// Takes digits, if they are a number of 32 bits.
    pub(super) fn number(&mut self) -> Option<u32> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest[..length].parse().ok()?;
        self.at += length;
        Some(number)
    }

    /// Takes so many bytes, which must end between characters.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// The span from a place to the last token.
    pub(super) fn since(&self, start: usize) -> Span {
        self.line.span(start..self.at.max(start))
    }

    /// The span of what comes next: a word, a character, or nothing at the end.
    pub(super) fn next_span(&mut self) -> Span {
        let start = self.at();
        let mut ahead = *self;
        if ahead.name().is_none()
            && let Some(c) = self.body[start..].chars().next()
        {
            ahead.skip(c.len_utf8());
        }
        ahead.since(start)
    }
}
