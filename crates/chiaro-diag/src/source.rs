//! Source files, and where in them a byte stands.
//!
//! A file's line table is built the first time that somebody asks for a line,
//! and only once: inputs without mistakes never pay for it.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A file of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct FileId(pub u32);

impl FileId {
    /// A span of this file from a range of byte offsets.
    ///
    /// Offsets past 4 GiB are cut off at that limit.
    #[must_use]
    pub fn span(self, bytes: Range<usize>) -> Span {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span { file: self, start: offset(bytes.start), end: offset(bytes.end) }
    }
}

/// A run of bytes in a source file: `start..end`, UTF-8 offsets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both, which must be of one file.
    #[must_use]
    pub fn to(self, end: Span) -> Span {
        Span { file: self.file, start: self.start.min(end.start), end: self.end.max(end.end) }
    }

    /// The place in front of it.
    #[must_use]
    pub fn start(self) -> Span {
        Span { end: self.start, ..self }
    }

    /// The place behind it.
    #[must_use]
    pub fn end(self) -> Span {
        Span { start: self.end, ..self }
    }
}

/// A place in a file as people count: both numbers from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column in characters; a tab is one character.
    pub column: u32,
}

/// A span as people read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location<'a> {
    /// The file's name as it was given.
    pub file: &'a str,
    /// The first character.
    pub start: Position,
    /// One past the last character.
    pub end: Position,
}

/// All files of a run. Names need not be unique; ids are.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<File>,
}

#[derive(Clone, Debug)]
struct File {
    name: String,
    /// As it was read: a file's text is as long as all that is made of it, and to move it would be felt.
    text: Arc<String>,
    /// Byte offset of the start of each line.
    lines: OnceLock<Vec<u32>>,
    /// What includes it, if a file does.
    included: Option<Span>,
    /// Where the text says other lines and names, in order.
    stated: Vec<Stated>,
}

/// From some byte on a file counts its lines otherwise, as `#line` says.
#[derive(Clone, Debug)]
struct Stated {
    from: u32,
    shift: i64,
    name: Option<String>,
}

impl SourceMap {
    /// No files yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file. Spans reach the first 4 GiB of its text.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let id = u32::try_from(self.files.len()).expect("a run has fewer than 4 billion files");
        let (name, text) = (name.into(), Arc::new(text.into()));
        self.files.push(File { name, text, lines: OnceLock::new(), included: None, stated: Vec::new() });
        FileId(id)
    }

    /// Adds a file that another one includes, and where: its messages stand there.
    pub fn add_included(&mut self, name: impl Into<String>, text: impl Into<String>, at: Span) -> FileId {
        let id = self.add(name, text);
        if let Some(file) = self.files.last_mut() {
            file.included = Some(at);
        }
        id
    }

    /// From a byte on, a file's lines have numbers that differ by `shift`, and perhaps another name
    /// (`#line`). Calls for one file come in the order of its bytes.
    pub fn state_lines(&mut self, id: FileId, from: u32, shift: i64, name: Option<String>) {
        if let Some(file) = self.files.get_mut(id.0 as usize) {
            file.stated.push(Stated { from, shift, name });
        }
    }

    /// Name and line that the source itself gives the place of a byte.
    #[must_use]
    pub fn stated(&self, id: FileId, offset: u32) -> (&str, u32) {
        let line = self.position(id, offset).line;
        let Some(file) = self.file(id) else { return ("", line) };
        let behind = file.stated.partition_point(|stated| stated.from <= offset);
        match file.stated[..behind].last() {
            None => (&file.name, line),
            Some(stated) => {
                let line = (i64::from(line) + stated.shift).clamp(0, i64::from(u32::MAX));
                (stated.name.as_deref().unwrap_or(&file.name), line as u32)
            }
        }
    }

    /// Where a place stands in reading order: offsets from the outermost file inwards, so that an
    /// included file comes where it is included. Files nest less deep than the given number.
    pub(crate) fn reading_order(&self, span: Span) -> (FileId, Vec<u32>) {
        const DEEPEST: usize = 256;
        let (mut at, mut way) = (span, vec![span.start]);
        while let Some(outer) = self.file(at.file).and_then(|file| file.included) {
            way.push(outer.start);
            at = outer;
            if way.len() > DEEPEST {
                break;
            }
        }
        way.reverse();
        (at.file, way)
    }

    /// All files in the order of their addition.
    pub fn ids(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..self.files.len()).map(|i| FileId(i as u32))
    }

    /// A file's name; empty for an id of another map.
    #[must_use]
    pub fn name(&self, id: FileId) -> &str {
        self.file(id).map_or("", |f| &f.name)
    }

    /// A file's text; empty for an id of another map.
    #[must_use]
    pub fn text(&self, id: FileId) -> &str {
        self.file(id).map_or("", |f| &f.text)
    }

    /// A file's text to keep, while more files are added.
    #[must_use]
    pub fn shared_text(&self, id: FileId) -> Arc<String> {
        self.file(id).map(|f| Arc::clone(&f.text)).unwrap_or_default()
    }

    /// The text under a span, cut to whole characters.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        let text = self.text(span.file);
        let start = floor(text, span.start);
        &text[start..floor(text, span.end).max(start)]
    }

    /// Where a span is. Offsets past the end of the text mean its end.
    #[must_use]
    pub fn locate(&self, span: Span) -> Location<'_> {
        Location {
            file: self.name(span.file),
            start: self.position(span.file, span.start),
            end: self.position(span.file, span.end.max(span.start)),
        }
    }

    /// Line and column of a byte. An offset inside a character means that character.
    #[must_use]
    pub fn position(&self, id: FileId, offset: u32) -> Position {
        let Some(file) = self.file(id) else { return Position { line: 1, column: 1 } };
        let offset = floor(&file.text, offset);
        let lines = file.lines();
        let line = lines.partition_point(|&start| start as usize <= offset);
        let before = &file.text[lines[line - 1] as usize..offset];
        Position { line: line as u32, column: before.chars().count() as u32 + 1 }
    }

    /// How many lines a file has; an empty file has one.
    #[must_use]
    pub fn line_count(&self, id: FileId) -> u32 {
        self.file(id).map_or(1, |f| f.lines().len() as u32)
    }

    /// The bytes of lines `first..=last`, counted from 1, without the last one's end.
    #[must_use]
    pub fn lines(&self, id: FileId, first: u32, last: u32) -> Range<usize> {
        let Some(file) = self.file(id) else { return 0..0 };
        let start_of = |line: u32| file.lines().get(line as usize).map_or(file.text.len(), |&at| at as usize);
        let start = start_of(first.max(1) - 1);
        let end = start_of(last).max(start);
        let body = &file.text[start..end];
        let body = body.strip_suffix('\n').unwrap_or(body);
        start..start + body.strip_suffix('\r').unwrap_or(body).len()
    }

    fn file(&self, id: FileId) -> Option<&File> {
        self.files.get(id.0 as usize)
    }
}

impl File {
    fn lines(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let bytes = &self.text.as_bytes()[..self.text.len().min(u32::MAX as usize)];
            let ends = bytes.iter().enumerate().filter(|&(_, &b)| b == b'\n');
            std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect()
        })
    }
}

/// The start of the character that holds a byte, or the end of the text.
fn floor(text: &str, offset: u32) -> usize {
    text.floor_char_boundary(offset as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_characters_and_lines_end_with_or_without_a_carriage_return() {
        let mut map = SourceMap::new();
        let file = map.add("a", "one\r\n\tzwö x\n\nlast");
        let at = |offset| {
            let p = map.position(file, offset);
            (p.line, p.column)
        };
        assert_eq!([at(0), at(2), at(5), at(6)], [(1, 1), (1, 3), (2, 1), (2, 2)]);
        // The two bytes of `ö` are one character.
        assert_eq!([at(8), at(9), at(10), at(11)], [(2, 4), (2, 4), (2, 5), (2, 6)]);
        assert_eq!([at(13), at(14), at(18), at(9999)], [(3, 1), (4, 1), (4, 5), (4, 5)]);
        let line = |n| &map.text(file)[map.lines(file, n, n)];
        assert_eq!([line(1), line(2), line(3), line(4), line(5)], ["one", "\tzwö x", "", "last", ""]);
        assert_eq!(map.line_count(file), 4);
    }

    #[test]
    fn spans_of_unknown_files_and_past_the_end_are_harmless() {
        let mut map = SourceMap::new();
        let file = map.add("a", "äb");
        assert_eq!(map.slice(file.span(0..99)), "äb");
        assert_eq!(map.slice(Span { file, start: 3, end: 1 }), "");
        assert_eq!(map.slice(file.span(1..2)), "ä");
        assert_eq!(map.locate(FileId(7).span(3..4)).file, "");
        assert_eq!(map.lines(FileId(7), 1, 2), 0..0);
    }

    #[test]
    fn a_million_lines_are_looked_up_by_bisection() {
        let mut map = SourceMap::new();
        let file = map.add("big", "nop\n".repeat(1_000_000));
        for line in (0..1_000_000).step_by(7) {
            assert_eq!(map.position(file, line * 4 + 2), Position { line: line + 1, column: 3 });
        }
    }
}
