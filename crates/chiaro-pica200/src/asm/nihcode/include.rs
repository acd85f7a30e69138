//! Lines of a program, with included files in their places.
//!
//! The caller opens files; this module only says which. What a malicious set of files
//! can ask for is bounded: depth, number and size of the inclusions.

use super::Source;
use super::lex::Line;
use chiaro_diag::{Diagnostic, FileId, Span};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Files within files.
const DEEPEST: usize = 32;
/// Inclusions of a whole program.
const MOST: usize = 4096;
/// Bytes that all inclusions may add.
const LARGEST: usize = 64 << 20;

/// A file that was opened for an `.include`.
#[derive(Clone, Debug)]
pub struct Included {
    /// What spans call it.
    pub file: FileId,
    /// Its text.
    pub text: Arc<String>,
}

/// Opens the files that programs include.
pub trait Includes {
    /// Opens a file. `path` is the folder part of the including file's name, as far as
    /// its last `/`, and what the `.include` says. Asked once per path.
    ///
    /// # Errors
    /// Why there is no such text, as a sentence without a full stop.
    fn open(&mut self, path: &str) -> Result<Included, String>;
}

/// For programs in one piece: every include is an error.
pub struct NoIncludes;

impl Includes for NoIncludes {
    fn open(&mut self, _: &str) -> Result<Included, String> {
        Err("other files cannot be read here".to_owned())
    }
}

/// All lines of a program and the texts that they are of.
pub(super) struct Program {
    texts: Vec<Text>,
    lines: Vec<Place>,
    inclusions: Vec<Inclusion>,
    /// What is wrong with the inclusions.
    pub(super) errors: Vec<Diagnostic>,
    /// The end of the last source.
    pub(super) end: Span,
}

struct Text {
    file: FileId,
    text: Arc<String>,
}

/// An `.include` that was followed.
struct Inclusion {
    span: Span,
    /// The inclusion whose file it is in.
    from: Option<u32>,
}

/// Where a line is.
struct Place {
    text: u32,
    from: Option<u32>,
    start: u32,
    end: u32,
    ended: bool,
}

impl Program {
    /// Reads the sources and what they include.
    pub(super) fn load(sources: &[Source<'_>], includes: &mut dyn Includes) -> Program {
        let program = Program {
            texts: Vec::new(),
            lines: Vec::new(),
            inclusions: Vec::new(),
            errors: Vec::new(),
            end: Span::default(),
        };
        let mut loader =
            Loader { program, includes, known: HashMap::new(), open: Vec::new(), bytes: 0, full: false };
        for source in sources {
            loader.program.texts.push(Text { file: source.file, text: Arc::new(source.text.to_owned()) });
            loader.program.end = source.file.span(source.text.len()..source.text.len());
            loader.open.push(source.name.to_owned());
            loader.lines(loader.program.texts.len() - 1, None);
            loader.open.pop();
        }
        loader.program
    }

    /// The lines in order.
    pub(super) fn lines(&self) -> impl DoubleEndedIterator<Item = Line<'_>> {
        self.lines.iter().map(|place| {
            let Text { file, text } = &self.texts[place.text as usize];
            Line {
                file: *file,
                start: place.start as usize,
                text: &text[place.start as usize..place.end as usize],
                ended: place.ended,
                inclusion: place.from,
            }
        })
    }

    /// The includes that led to a line, innermost first.
    pub(super) fn inclusions(&self, from: Option<u32>) -> impl Iterator<Item = Span> {
        let get = |from: Option<u32>| from.and_then(|n| self.inclusions.get(n as usize));
        std::iter::successors(get(from), move |inclusion| get(inclusion.from)).map(|inclusion| inclusion.span)
    }
}

struct Loader<'a> {
    program: Program,
    includes: &'a mut dyn Includes,
    /// Texts by path; `None` for those that cannot be opened.
    known: HashMap<String, Option<usize>>,
    /// Paths of the files that are being read, the outermost first.
    open: Vec<String>,
    /// Bytes that inclusions have added.
    bytes: usize,
    /// Whether no more can be included, which was reported.
    full: bool,
}

impl Loader<'_> {
    fn lines(&mut self, text: usize, from: Option<u32>) {
        let Text { file, text: content } = &self.program.texts[text];
        let (file, content) = (*file, Arc::clone(content));
        for (range, ended) in split(&content) {
            let line = Line {
                file,
                start: range.start,
                text: &content[range.clone()],
                ended: ended || from.is_some(),
                inclusion: from,
            };
            match include_of(&line) {
                None => self.push(text, from, range, line.ended),
                Some(Ok((name, span))) => self.include(name, Inclusion { span, from }),
                Some(Err(error)) => self.program.errors.push(*error),
            }
        }
    }

    fn push(&mut self, text: usize, from: Option<u32>, range: Range<usize>, ended: bool) {
        let offset = |at: usize| u32::try_from(at).ok();
        let (Some(start), Some(end)) = (offset(range.start), offset(range.end)) else { return };
        self.program.lines.push(Place { text: text as u32, from, start, end, ended });
    }

    fn include(&mut self, name: &str, inclusion: Inclusion) {
        let span = inclusion.span;
        let folder = self.open.last().and_then(|path| Some(&path[..=path.rfind('/')?])).unwrap_or("");
        let path = format!("{folder}{name}");
        match self.admit(name, &path, span) {
            Ok(text) => {
                self.program.inclusions.push(inclusion);
                let from = self.program.inclusions.len() as u32 - 1;
                self.open.push(path);
                self.lines(text, Some(from));
                self.open.pop();
            }
            Err(Some(error)) => self.program.errors.push(*error),
            Err(None) => {}
        }
    }

    /// The text to include, or why it is not; `None` if that was reported before.
    fn admit(&mut self, name: &str, path: &str, span: Span) -> Result<usize, Option<Box<Diagnostic>>> {
        let fail = |message: String| Err(Some(Box::new(Diagnostic::error(span, message))));
        if name.starts_with('/') {
            return fail("an include names a file relative to the including one".to_owned());
        }
        if self.open.iter().any(|open| open == path) {
            return fail(format!("`{path}` includes itself: {} -> {path}", self.open.join(" -> ")));
        }
        if self.open.len() > DEEPEST {
            return fail(format!("includes are nested more than {DEEPEST} deep"));
        }
        if self.full {
            return Err(None);
        }
        if self.program.inclusions.len() >= MOST {
            self.full = true;
            return fail(format!("there are more than {MOST} includes"));
        }
        let text = match self.known.get(path) {
            Some(known) => known.ok_or(None)?,
            None => self.open_text(path).map_err(|why| {
                Some(Box::new(Diagnostic::error(span, format!("cannot include `{path}`: {why}"))))
            })?,
        };
        self.bytes = self.bytes.saturating_add(self.program.texts[text].text.len());
        if self.bytes > LARGEST {
            self.full = true;
            return fail(format!("includes add more than {} MiB", LARGEST >> 20));
        }
        Ok(text)
    }

    fn open_text(&mut self, path: &str) -> Result<usize, String> {
        let opened = self.includes.open(path);
        let text = opened.map(|Included { file, text }| {
            self.program.texts.push(Text { file, text });
            self.program.texts.len() - 1
        });
        self.known.insert(path.to_owned(), text.as_ref().ok().copied());
        text
    }
}

/// The lines of a text without their ends, and whether they have one.
fn split(text: &str) -> impl Iterator<Item = (Range<usize>, bool)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let start = at;
        let Some(length) = rest.find(['\n', '\r']) else {
            at = text.len();
            return Some((start..at, false));
        };
        at += length + if rest[length..].starts_with("\r\n") { 2 } else { 1 };
        Some((start..start + length, true))
    })
}

type Include<'a> = Result<(&'a str, Span), Box<Diagnostic>>;

/// The file that a line includes, if it is an `.include`.
fn include_of<'a>(line: &Line<'a>) -> Option<Include<'a>> {
    let body = line.body();
    let start = body.len() - body.trim_start_matches([' ', '\t']).len();
    let rest = body[start..].strip_prefix(".include")?;
    if !rest.is_empty() && !rest.starts_with(|c: char| c.is_ascii_whitespace()) {
        return None;
    }
    let quoted = rest.trim_matches([' ', '\t']);
    let span = line.span(start..body.trim_end().len().max(start));
    let name = quoted.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
    Some(match name.filter(|name| !name.is_empty() && !name.contains('"')) {
        Some(name) => Ok((name, span)),
        None => Err(Box::new(
            Diagnostic::error(span, "an include names a file").help("write `.include \"file\"`"),
        )),
    })
}
