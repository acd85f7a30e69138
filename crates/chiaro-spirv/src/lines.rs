//! Debug lines: from `OpLine` and non-semantic debug information to spans.
//!
//! While functions are read, a span is the number of a place (file, line, column). In the
//! end every file that is named becomes a file of the [`SourceMap`], and places become spans
//! of it. Where the module carries no source text, the file is made of blanks: as many lines
//! and columns as places name. So a span tells its file, line and column to everybody who
//! asks the source map, and nobody else needs to know that the text is missing.

use crate::words::{Inst, text};
use chiaro_diag::{FileId, SourceMap, Span};
use chiaro_ir::Module;
use std::collections::HashMap;

/// Bytes that texts of blanks may have beside what is in proportion to the input.
const BLANKS: usize = 1 << 22;
/// The widest line, and the last one, of a text of blanks.
const WIDEST: u32 = 120;
const LAST: u32 = 1 << 16;

/// A place in a file that the module names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Place {
    /// The id of the file's name (`OpString`).
    file: u32,
    line: u32,
    column: u32,
}

/// The lines of a module.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    places: Vec<Place>,
    /// Where instructions that follow come from.
    now: Option<u32>,
    /// Spans that came beside the words, by the word of the instruction, in order.
    given: Vec<(usize, Span)>,
    /// The span among them of the instruction at hand.
    exact: Option<Span>,
    /// Source texts by the id of the file's name.
    texts: HashMap<u32, String>,
    /// The file that `OpSourceContinued` goes on with.
    open: Option<u32>,
    /// File name (id of an `OpString`) of each `DebugSource`.
    sources: HashMap<u32, u32>,
}

impl Lines {
    /// Takes `OpSource` with a file and a text.
    pub(crate) fn source(&mut self, inst: &Inst<'_>) {
        self.open = None;
        if let (Ok(file), Ok((text, _))) = (inst.word(2), inst.text(3)) {
            self.texts.insert(file, text);
            self.open = Some(file);
        }
    }

    /// Takes a piece of text that continues the last source: operand word `i` on.
    pub(crate) fn source_continued(&mut self, more: &str) {
        if let Some(text) = self.open.and_then(|file| self.texts.get_mut(&file)) {
            text.push_str(more);
        }
    }

    /// Takes a `DebugSource`: its id, the ids of its file's name and, perhaps, of its text.
    pub(crate) fn debug_source(&mut self, id: u32, file: u32, text: Option<String>) {
        self.sources.insert(id, file);
        self.open = Some(file);
        if let Some(text) = text {
            self.texts.insert(file, text);
        }
    }

    /// From here on instructions come from a line.
    pub(crate) fn line(&mut self, file: u32, line: u32, column: u32) {
        let place = Place { file, line, column };
        if self.places.last() != Some(&place) {
            self.places.push(place);
        }
        self.now = Some(self.places.len() as u32 - 1);
    }

    /// The same by the id of a `DebugSource`.
    pub(crate) fn debug_line(&mut self, source: u32, line: u32, column: u32) {
        if let Some(&file) = self.sources.get(&source) {
            self.line(file, line, column);
        }
    }

    /// From here on nothing is known.
    pub(crate) fn no_line(&mut self) {
        self.now = None;
        self.exact = None;
    }

    /// Takes spans that came beside the words: they count more than lines.
    pub(crate) fn give(&mut self, given: Vec<(usize, Span)>) {
        self.given = given;
    }

    /// The instruction at a word is at hand.
    #[inline]
    pub(crate) fn at(&mut self, word: usize) {
        if !self.given.is_empty() {
            let found = self.given.binary_search_by_key(&word, |(at, _)| *at);
            self.exact = found.ok().map(|i| self.given[i].1);
        }
    }

    /// The present place as a span that [`Lines::finish`] will replace.
    #[inline]
    pub(crate) fn span(&self) -> Option<Span> {
        self.exact.or(self.now.map(|place| Span { file: FileId(0), start: place, end: place }))
    }

    /// File name's id and line of the present place.
    pub(crate) fn current(&self) -> Option<(u32, u32)> {
        self.now.map(|place| (self.places[place as usize].file, self.places[place as usize].line))
    }

    /// Adds the files to the map and gives all variables and instructions their true spans.
    pub(crate) fn finish(self, names: impl Fn(u32) -> String, sources: &mut SourceMap, module: &mut Module) {
        // Spans that came beside the words are true already.
        if self.places.is_empty() || !self.given.is_empty() {
            return;
        }
        let spans = self.spans(names, sources);
        let truth = |span: Option<Span>| span.and_then(|s| spans.get(s.start as usize).copied().flatten());
        for global in &mut module.globals {
            global.span = truth(global.span);
        }
        for f in &mut module.functions {
            f.span = truth(f.span);
            for i in 0..f.inst_count() as u32 {
                let inst = f.inst_mut(chiaro_ir::Inst(i));
                inst.span = truth(inst.span);
            }
        }
    }

    fn spans(mut self, names: impl Fn(u32) -> String, sources: &mut SourceMap) -> Vec<Option<Span>> {
        let mut blanks = Blanks::of(&self.places);
        let mut files: HashMap<u32, (FileId, u32)> = HashMap::new();
        for place in &self.places {
            files.entry(place.file).or_insert_with(|| match self.texts.remove(&place.file) {
                Some(text) => (sources.add(names(place.file), text), 0),
                None => {
                    let (text, width) = blanks.text(place.file);
                    (sources.add(names(place.file), text), width)
                }
            });
        }
        self.places.iter().map(|place| span(*place, files[&place.file], sources)).collect()
    }
}

/// Texts for files that have none.
struct Blanks {
    /// Width of the lines and the last line, by file.
    extents: HashMap<u32, (u32, u32)>,
    /// Bytes that may still be used.
    left: usize,
}

impl Blanks {
    /// For files with these places.
    fn of(places: &[Place]) -> Blanks {
        let mut extents: HashMap<u32, (u32, u32)> = HashMap::new();
        for place in places {
            let (width, last) = extents.entry(place.file).or_insert((1, 0));
            *width = (*width).max(place.column.min(WIDEST));
            *last = (*last).max(place.line.min(LAST));
        }
        Blanks { extents, left: BLANKS + places.len() * 64 }
    }

    /// A file's text, and the width of its lines with their ends. Once no more blanks may be
    /// used the text is empty, and the file's places have no span.
    fn text(&mut self, file: u32) -> (String, u32) {
        let (width, last) = self.extents.get(&file).copied().unwrap_or((1, 0));
        let size = (width as usize + 1) * last as usize;
        if size > self.left {
            return (String::new(), width + 1);
        }
        self.left -= size;
        (format!("{}\n", " ".repeat(width as usize)).repeat(last as usize), width + 1)
    }
}

fn span(place: Place, (file, width): (FileId, u32), sources: &SourceMap) -> Option<Span> {
    let column = place.column.max(1) as usize - 1;
    if width == 0 {
        let line = sources.lines(file, place.line, place.line);
        return (place.line != 0).then(|| file.span((line.start + column).min(line.end)..line.end));
    }
    let start = place.line.checked_sub(1)? as usize * width as usize;
    let end = start + width as usize - 1;
    (end <= sources.text(file).len()).then(|| file.span((start + column).min(end)..end))
}

/// The text of an `OpString`, `OpSourceContinued` or the like, from a word on.
pub(crate) fn text_at(inst: &Inst<'_>, i: usize) -> Option<String> {
    text(inst.rest(i)).map(|(text, _)| text)
}
