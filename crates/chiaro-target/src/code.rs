//! Machine code as bytes, and as people read it.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use chiaro_diag::{SourceMap, Span};

/// Machine code.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Code {
    /// The bytes as the machine fetches them.
    pub bytes: Vec<u8>,
    /// The instructions in the order of their places.
    pub lines: Vec<Line>,
}

/// An instruction as people read it.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// Where it begins, in bytes.
    pub offset: u32,
    /// Its bytes.
    pub length: u32,
    /// Its text.
    pub text: String,
    /// The source text that it comes from.
    pub span: Option<Span>,
}

impl Code {
    /// Code of instructions that all take the same number of bytes.
    pub fn of_fixed(
        bytes: Vec<u8>,
        length: u32,
        texts: impl Iterator<Item = (String, Option<Span>)>,
    ) -> Code {
        let line = |(at, (text, span)): (usize, _)| Line { offset: at as u32 * length, length, text, span };
        Code { bytes, lines: texts.enumerate().map(line).collect() }
    }

    /// The bytes of an instruction.
    pub fn bytes_of(&self, line: &Line) -> &[u8] {
        let start = line.offset as usize;
        self.bytes.get(start..start + line.length as usize).unwrap_or_default()
    }

    /// The bytes of an instruction as words of 32 bits, the lowest first.
    pub fn words_of(&self, line: &Line) -> impl Iterator<Item = u32> {
        chiaro_isa::dwords(self.bytes_of(line))
    }

    /// Instructions by source line (file, line from 1, instructions), and those without one.
    pub fn by_source_line(&self, sources: &SourceMap) -> (Vec<(String, u32, u32)>, u32) {
        let lines = self.source_lines(sources, |_| 1);
        let counted: Vec<_> =
            lines.into_iter().map(|((file, line), count)| (file.to_owned(), line, count)).collect();
        let elsewhere = self.lines.iter().filter(|line| line.span.is_none()).count();
        (counted, elsewhere as u32)
    }

    /// What the instructions of each line of [`by_source_line`](Self::by_source_line) come to, by their offsets, rounded.
    pub fn sums_by_source_line(&self, sources: &SourceMap, of: impl Fn(u32) -> f64) -> Vec<u32> {
        let sums = self.source_lines(sources, |line| of(line.offset));
        sums.into_values().map(|sum| sum.round() as u32).collect()
    }

    /// Sums over the instructions of each source line.
    fn source_lines<'s, T: Default + AddAssign>(
        &self,
        sources: &'s SourceMap,
        of: impl Fn(&Line) -> T,
    ) -> BTreeMap<(&'s str, u32), T> {
        let mut sums: BTreeMap<(&str, u32), T> = BTreeMap::new();
        for line in &self.lines {
            let Some(span) = line.span else { continue };
            let place = sources.locate(span);
            *sums.entry((place.file, place.start.line)).or_default() += of(line);
        }
        sums
    }
}
