//! Lines and words: what the language looks like below its statements.
//!
//! Every text here is a piece of the source file, so that its place can be found
//! again and nothing is copied. Lexical rules: spec section 20.2. [picasso]

use crate::operand;
use chiaro_diag::{FileId, Span};

/// What C calls a space; the language trims these, not Unicode's. [picasso]
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// The text without spaces around it.
pub(super) fn trim(text: &str) -> &str {
    let start = trim_start(text);
    let spaces = start.bytes().rev().take_while(|b| is_space(*b)).count();
    &start[..start.len() - spaces]
}

fn trim_start(text: &str) -> &str {
    &text[text.bytes().take_while(|b| is_space(*b)).count()..]
}

/// The first word, and what follows the blanks behind it.
pub(super) fn split_word(text: &str) -> (&str, &str) {
    match text.bytes().position(|b| matches!(b, b' ' | b'\t')) {
        Some(at) => (&text[..at], trim_start(&text[at + 1..])),
        None => (text, &text[text.len()..]),
    }
}

/// A line, cut as far as one look at its bytes tells.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// All of it, without its end.
    pub(super) whole: &'a str,
    /// What stands before the comment, trimmed.
    pub(super) code: &'a str,
    /// Whether there is a colon in the code.
    pub(super) labelled: bool,
}

/// The lines of a text.
pub(super) struct Lines<'a> {
    rest: Option<&'a str>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Lines { rest: Some(text) }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = self.rest?;
        let (mut end, mut comment, mut labelled) = (0, None, false);
        loop {
            end = find(rest, end);
            match rest.as_bytes().get(end) {
                Some(b';') => comment = comment.or(Some(end)),
                Some(b':') => labelled |= comment.is_none(),
                _ => break,
            }
            end += 1;
        }
        self.rest = rest.get(end + 1..);
        Some(Line { whole: &rest[..end], code: trim(&rest[..comment.unwrap_or(end)]), labelled })
    }
}

/// The next byte from `start` on that ends a line, a statement or a label, else the text's end.
fn find(text: &str, start: usize) -> usize {
    let (eights, rest) = text.as_bytes()[start..].as_chunks();
    for (n, eight) in eights.iter().enumerate() {
        let eight = u64::from_le_bytes(*eight);
        // `:` and `;` differ in their lowest bit.
        let ends = zeros(eight ^ EACH * u64::from(b'\n')) | zeros((eight | EACH) ^ EACH * u64::from(b';'));
        if ends != 0 {
            return start + n * 8 + ends.trailing_zeros() as usize / 8;
        }
    }
    let ends = |byte: &u8| matches!(byte, b'\n' | b':' | b';');
    rest.iter().position(ends).map_or(text.len(), |n| text.len() - rest.len() + n)
}

/// One in each byte.
const EACH: u64 = u64::MAX / 0xff;

/// Marks the bytes that are zero by their highest bits; above the first of them also others.
fn zeros(eight: u64) -> u64 {
    eight.wrapping_sub(EACH) & !eight & EACH << 7
}

/// Letters, digits (not first), `_` and `$`; at least one.
pub(super) fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    let part = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$';
    bytes.next().is_some_and(|b| part(b) && !b.is_ascii_digit()) && bytes.all(part)
}

/// A register letter and a digit: names of this shape hide a register.
pub(super) fn looks_like_register(name: &str) -> bool {
    operand::bank_of(name).is_some()
}

/// The arguments of a statement, taken from left to right.
///
/// An argument ends at its separator and is trimmed. Nothing at all behind the last
/// separator is no argument, so a comma too many at the end does no harm. [picasso]
#[derive(Clone, Copy)]
pub(super) struct Args<'a> {
    rest: &'a str,
}

impl<'a> Args<'a> {
    pub(super) fn new(rest: &'a str) -> Self {
        Args { rest }
    }

    /// The text up to the next `separator`, which is skipped.
    pub(super) fn until(&mut self, separator: char) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let (first, rest) =
            self.rest.split_once(separator).unwrap_or((self.rest, &self.rest[self.rest.len()..]));
        self.rest = rest;
        Some(trim(first))
    }

    /// The text up to the next blank; the blanks are skipped.
    pub(super) fn word(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let (first, rest) = split_word(self.rest);
        self.rest = rest;
        Some(trim(first))
    }

    /// What has not been taken.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }
}

/// Where pieces of a file are.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) file: FileId,
    pub(super) text: &'a str,
}

impl<'a> Place<'a> {
    /// The span of a piece of this file's text.
    pub(super) fn of(&self, piece: &str) -> Span {
        let start = piece.as_ptr().addr().wrapping_sub(self.text.as_ptr().addr()).min(self.text.len());
        let end = (start + piece.len()).min(self.text.len());
        self.file.span(start..end)
    }

    /// The file's end.
    pub(super) fn end(&self) -> Span {
        self.of(&self.text[self.text.len()..])
    }

    /// The file's first line, for what the file lacks.
    pub(super) fn first_line(&self) -> Span {
        self.of(self.text.lines().next().unwrap_or(""))
    }
}

/// A line that a C preprocessor left: `# number "file"`, also `#line number "file"`.
pub(super) struct Marker<'a> {
    /// The number of the line that follows.
    pub(super) line: u64,
    /// The file that it came from; empty when not known.
    pub(super) name: &'a str,
}

impl<'a> Marker<'a> {
    /// Reads what follows the `#`.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let (number, rest) = split_word(trim(trim_start(text).trim_start_matches("line")));
        let quoted = rest.strip_prefix('"').and_then(|r| r.split_once('"'));
        Some(Marker { line: number.parse().ok()?, name: quoted.map_or("", |(name, _)| name) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_end_at_their_separator() {
        let mut args = Args::new("a , b,,c,");
        let taken: Vec<_> = std::iter::from_fn(|| args.until(',')).collect();
        assert_eq!(taken, ["a", "b", "", "c"]);
        let mut args = Args::new("a \t b  c");
        let taken: Vec<_> = std::iter::from_fn(|| args.word()).collect();
        assert_eq!(taken, ["a", "b", "c"]);
    }

    #[test]
    fn lines_end_in_all_ways() {
        let read = |text| Lines::new(text).map(|l| (l.whole, l.code, l.labelled)).collect::<Vec<_>>();
        assert_eq!(read(""), [("", "", false)]);
        assert_eq!(read(" a ; b:c\r\n\n"), [(" a ; b:c\r", "a", false), ("", "", false), ("", "", false)]);
        assert_eq!(read("a: b"), [("a: b", "a: b", true)]);
    }

    #[test]
    fn markers_are_told_from_other_lines() {
        let read = |text| Marker::parse(text).map(|m| (m.line, m.name));
        assert_eq!(read(" 40 \"inner.v.pica\""), Some((40, "inner.v.pica")));
        assert_eq!(read("line 7"), Some((7, "")));
        assert_eq!(read("define X"), None);
    }
}
