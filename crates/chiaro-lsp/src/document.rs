//! A text that is being edited. Its places are bytes; the protocol's are lines and UTF-16 units, or what
//! client and server have agreed on.

use std::ops::Range;

use lsp_types::{Position, TextDocumentContentChangeEvent};

use crate::Language;

/// What the characters of a [`Position`] count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// Units of UTF-16, which every client knows.
    #[default]
    Utf16,
    /// Bytes.
    Utf8,
}

/// The longest text that is looked into; of longer ones only the edits are kept.
pub const LONGEST: usize = 4 << 20;
/// The longest line of such a text: places in a line are counted from its start.
pub const LONGEST_LINE: usize = 64 << 10;

/// A text with its language.
#[derive(Clone, Debug)]
pub struct Document {
    /// The name by which the client knows it, an address.
    pub uri: String,
    /// Its path, or its name where it has none.
    pub path: String,
    /// The language; `None`: one that is not ours.
    pub language: Option<Language>,
    /// The client's number for this state of the text.
    pub version: i32,
    /// A number that no other state of any open text has.
    pub state: u64,
    text: String,
    /// Where each line begins.
    lines: Vec<usize>,
    encoding: Encoding,
}

impl Document {
    /// A document as it is opened.
    #[must_use]
    pub fn new(path: impl Into<String>, language: Option<Language>, text: impl Into<String>) -> Document {
        let (path, text) = (path.into(), text.into());
        let lines = line_starts(&text);
        Document {
            uri: path.clone(),
            path,
            language,
            version: 0,
            state: 0,
            text,
            lines,
            encoding: Encoding::Utf16,
        }
    }

    /// The same with another way of counting characters.
    #[must_use]
    pub fn counted_in(mut self, encoding: Encoding) -> Document {
        self.encoding = encoding;
        self
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the text and its lines are short enough to be looked into.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        let ends = self.lines.iter().skip(1).copied().chain([self.text.len()]);
        let longest = self.lines.iter().zip(ends).map(|(start, end)| end - start).max();
        self.text.len() <= LONGEST && longest.is_none_or(|longest| longest <= LONGEST_LINE)
    }

    /// Applies an edit. Places beyond the text mean its end, and one inside of a character its start.
    pub fn edit(&mut self, change: &TextDocumentContentChangeEvent) {
        let Some(range) = change.range else {
            self.text.clone_from(&change.text);
            self.lines = line_starts(&self.text);
            return;
        };
        let start = self.byte(range.start);
        let end = self.byte(range.end).max(start);
        self.text.replace_range(start..end, &change.text);
        self.lines = line_starts(&self.text);
    }

    /// The byte of a position.
    #[must_use]
    pub fn byte(&self, position: Position) -> usize {
        let Some(&start) = self.lines.get(position.line as usize) else { return self.text.len() };
        let line = self.line_text(position.line as usize);
        start + self.byte_in(line, position.character as usize)
    }

    fn byte_in(&self, line: &str, character: usize) -> usize {
        match self.encoding {
            Encoding::Utf8 => line.floor_char_boundary(character),
            Encoding::Utf16 if line.is_ascii() => character.min(line.len()),
            Encoding::Utf16 => {
                let mut units = 0;
                for (at, c) in line.char_indices() {
                    units += c.len_utf16();
                    if units > character {
                        return at;
                    }
                }
                line.len()
            }
        }
    }

    /// The position of a byte.
    #[must_use]
    pub fn position(&self, byte: usize) -> Position {
        let byte = self.text.floor_char_boundary(byte);
        let line = self.line_of(byte);
        let before = &self.text[self.lines[line]..byte];
        Position { line: line as u32, character: self.units(before) }
    }

    /// What the characters of a piece of text count.
    #[must_use]
    pub fn units(&self, text: &str) -> u32 {
        let units = match self.encoding {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 if text.is_ascii() => text.len(),
            Encoding::Utf16 => text.chars().map(char::len_utf16).sum(),
        };
        units as u32
    }

    /// The positions of a range of bytes.
    #[must_use]
    pub fn range(&self, bytes: &Range<usize>) -> lsp_types::Range {
        lsp_types::Range { start: self.position(bytes.start), end: self.position(bytes.end) }
    }

    /// The bytes between two positions.
    #[must_use]
    pub fn bytes(&self, range: lsp_types::Range) -> Range<usize> {
        let start = self.byte(range.start);
        start..self.byte(range.end).max(start)
    }

    /// The number of the line that a byte is on, from 0.
    #[must_use]
    pub fn line_of(&self, byte: usize) -> usize {
        self.lines.partition_point(|&start| start <= byte).saturating_sub(1)
    }

    /// How many lines there are.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// Where a line begins.
    #[must_use]
    pub fn line_start(&self, line: usize) -> usize {
        self.lines.get(line).copied().unwrap_or(self.text.len())
    }

    /// A line without its end.
    #[must_use]
    pub fn line_text(&self, line: usize) -> &str {
        let text = &self.text[self.line_start(line)..self.line_start(line + 1)];
        text.strip_suffix("\r\n").or(text.strip_suffix(['\n', '\r'])).unwrap_or(text)
    }

    /// All lines with where they begin.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (0..self.lines.len()).map(|line| (self.lines[line], self.line_text(line)))
    }

    /// Whether it is in a language of shaders.
    #[must_use]
    pub fn is_shader(&self) -> bool {
        matches!(self.language, Some(Language::Glsl(_) | Language::Wgsl))
    }

    /// The language, where the text may be looked into.
    #[must_use]
    pub fn readable(&self) -> Option<&Language> {
        self.language.as_ref().filter(|_| self.is_readable())
    }
}

/// Where lines begin: behind each `\n`, `\r\n` and `\r` that stands alone, as the protocol has it.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = bytes.iter().enumerate().filter(|&(at, &byte)| match byte {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(range: Option<[u32; 4]>, text: &str) -> TextDocumentContentChangeEvent {
        let at = |line, character| Position { line, character };
        let range = range.map(|[a, b, c, d]| lsp_types::Range { start: at(a, b), end: at(c, d) });
        TextDocumentContentChangeEvent { range, range_length: None, text: text.to_owned() }
    }

    #[test]
    fn characters_count_in_utf_16() {
        let document = Document::new("a", None, "aé𝄞b\r\nc");
        let byte = |line, character| document.byte(Position { line, character });
        assert_eq!([byte(0, 1), byte(0, 2), byte(0, 4), byte(0, 5)], [1, 3, 7, 8]);
        // In the middle of a pair is at its start; beyond the line is its end.
        assert_eq!([byte(0, 3), byte(0, 99), byte(1, 0), byte(7, 0)], [3, 8, 10, 11]);
        assert_eq!(document.position(7), Position { line: 0, character: 4 });
        assert_eq!(document.position(11), Position { line: 1, character: 1 });
    }

    #[test]
    fn what_is_too_long_is_not_looked_into() {
        let readable = |text: String| Document::new("a", None, text).is_readable();
        assert!(readable("x\n".repeat(LONGEST / 2)) && !readable("x\n".repeat(LONGEST)));
        assert!(
            readable("x".repeat(LONGEST_LINE)) && !readable(format!("a\n{}\n", "x".repeat(LONGEST_LINE + 1)))
        );
    }

    #[test]
    fn edits_keep_the_lines() {
        let mut document = Document::new("a", None, "one\ntwo\nthree\n");
        document.edit(&change(Some([0, 2, 2, 1]), "X\nY\n\nZ"));
        assert_eq!(document.text(), "onX\nY\n\nZhree\n");
        assert_eq!(document.lines, line_starts(document.text()));
        document.edit(&change(Some([9, 9, 1, 0]), "end"));
        assert_eq!(document.text(), "onX\nY\n\nZhree\nend");
        document.edit(&change(None, "new"));
        assert_eq!((document.text(), document.line_count()), ("new", 1));
        document.edit(&change(None, "a\rb\r\nc\n"));
        let lines: Vec<&str> = document.lines().map(|(_, line)| line).collect();
        assert_eq!(lines, ["a", "b", "c", ""]);
    }
}
