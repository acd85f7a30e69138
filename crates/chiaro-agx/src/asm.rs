//! Text to words: our language and applegpu's (spec 12).
//!
//! One instruction a line, several with `;` between them; `//` and `#` begin comments; `name:` is a
//! label. Listings are read too: place and bytes before the text are skipped, and where they say
//! something else than the text, a warning tells it. `.half` and `.byte` are bytes in the order of memory.

use crate::isa::isa;
use crate::operand::COMPAT;
use chiaro_diag::{Diagnostic, FileId, Severity, did_you_mean};
use chiaro_isa::{Cx, Inst, Isa, ParseCause, ParseError, Symbols, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

/// Directives as they are written.
pub const DIRECTIVES: &[&str] = &[".half hex", ".byte hex"];

/// What to read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// An index of [`GENERATIONS`](crate::isa::GENERATIONS).
    pub generation: u8,
    /// An index of the dialects, as [`OURS`](crate::operand::OURS).
    pub dialect: u8,
    /// Loses in silence what applegpu's assembler loses.
    pub compat: bool,
}

/// What comes of a text.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The code.
    pub bytes: Vec<u8>,
    /// Places in bytes, by name.
    pub labels: BTreeMap<String, u64>,
    /// Where each instruction stands in the text, and its place in the code.
    pub lines: Vec<(Range<usize>, u64)>,
}

/// Assembles a text. Every error of it is reported; warnings come with a program.
///
/// # Errors
/// All errors and warnings, in the order of the text.
pub fn assemble(
    file: FileId,
    text: &str,
    options: Options,
) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut assembler = Assembler::new(file, options);
    for line in text.split_inclusive('\n') {
        assembler.line(line, line.as_ptr() as usize - text.as_ptr() as usize);
    }
    assembler.resolve();
    let failed = assembler.diagnostics.iter().any(|d| d.severity == Severity::Error);
    chiaro_diag::sort(&mut assembler.diagnostics);
    if failed { Err(assembler.diagnostics) } else { Ok((assembler.program, assembler.diagnostics)) }
}

/// Names of places that the text mentions, in the order in which it does.
#[derive(Default)]
struct Names(RefCell<Vec<String>>);

impl Symbols for Names {
    fn lookup(&self, _: &str) -> Option<Value> {
        None
    }
    fn target(&self, name: &str) -> Option<Value> {
        let mut names = self.0.borrow_mut();
        let known = names.iter().position(|known| known == name).unwrap_or_else(|| {
            names.push(name.to_owned());
            names.len() - 1
        });
        Some(Value::Symbol(known as u32))
    }
}

/// A branch to a name.
struct Open {
    inst: Inst,
    place: u64,
    name: u32,
    text: Range<usize>,
}

struct Assembler {
    file: FileId,
    options: Options,
    isa: &'static Isa,
    names: Names,
    open: Vec<Open>,
    program: Program,
    diagnostics: Vec<Diagnostic>,
}

impl Assembler {
    fn new(file: FileId, options: Options) -> Assembler {
        let (isa, names) = (isa(options.generation), Names::default());
        let (program, open, diagnostics) = (Program::default(), Vec::new(), Vec::new());
        Assembler { file, options, isa, names, open, program, diagnostics }
    }

    fn error(&mut self, at: Range<usize>, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(self.file.span(at), message));
    }

    /// What stands on a line that begins at byte `start` of the text.
    fn line(&mut self, line: &str, start: usize) {
        let code = without_comment(line);
        let (listed, mut code) = match columns(code) {
            Some((bytes, rest)) => (Some(bytes), rest),
            None => (None, code),
        };
        let place = |part: &str| start + (part.as_ptr() as usize - line.as_ptr() as usize);
        let before = self.program.bytes.len();
        while let Some((name, rest)) = label(code).filter(|_| listed.is_none()) {
            let at = place(name);
            self.define(name, at..at + name.len());
            code = rest;
        }
        for part in code.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            self.statement(part, place(part));
        }
        if let Some(bytes) = listed {
            let at = place(code);
            self.compare(bytes, before, at..at + code.trim_end().len());
        }
    }

    fn define(&mut self, name: &str, at: Range<usize>) {
        let place = self.program.bytes.len() as u64;
        if self.program.labels.insert(name.to_owned(), place).is_some() {
            self.error(at, format!("the label `{name}` stands here a second time"));
        }
    }

    /// An instruction or a directive.
    fn statement(&mut self, text: &str, start: usize) {
        let place = self.program.bytes.len() as u64;
        self.program.lines.push((start..start + text.len(), place));
        if text.starts_with('.') {
            return self.directive(text, start);
        }
        let options = if self.options.compat { COMPAT } else { 0 };
        let dialect = self.options.dialect;
        let cx = Cx { dialect, options, address: place, symbols: Some(&self.names), ..self.isa.cx() };
        match self.isa.parse(text, &cx) {
            Ok(parsed) => {
                let inst = parsed.inst;
                let symbols = parsed.symbols.iter().flatten();
                let text = start..start + text.len();
                self.open.extend(symbols.map(|(_, name)| Open {
                    inst,
                    place,
                    name: *name,
                    text: text.clone(),
                }));
                self.program.bytes.extend_from_slice(&inst.to_bytes()[..inst.length.into()]);
            }
            Err(e) => self.misread(start, &e),
        }
    }

    fn directive(&mut self, text: &str, start: usize) {
        let (name, digits) = text.split_once(' ').unwrap_or((text, ""));
        let at = start..start + text.len();
        let size = match name {
            ".half" => 2,
            ".byte" => 1,
            _ => return self.error(at, format!("there is no directive `{name}`; there are .half and .byte")),
        };
        match bytes_of(digits.trim()).filter(|bytes| bytes.len() == size) {
            Some(bytes) => self.program.bytes.extend(bytes),
            None => {
                let want = 2 * size;
                self.error(at, format!("`{name}` takes {want} hexadecimal digits, in the order of memory"));
            }
        }
    }

    /// Reports what is wrong with an instruction, and what would do.
    fn misread(&mut self, start: usize, e: &ParseError) {
        let at = start + e.start as usize..start + (e.end as usize).max(e.start as usize + 1);
        let mut error = Diagnostic::error(self.file.span(at), e.to_string());
        if let ParseCause::Mnemonic(name) = &e.cause
            && let Some(meant) = did_you_mean(name, self.isa.mnemonics(self.options.dialect))
        {
            error = error.meant(meant);
        }
        self.diagnostics.push(error);
    }

    /// A listing shows bytes beside the text: where they differ, one of them is wrong.
    fn compare(&mut self, listed: &str, before: usize, at: Range<usize>) {
        let made: String = self.program.bytes[before..].iter().map(|b| format!("{b:02x}")).collect();
        let known = self.diagnostics.iter().any(|d| d.span.is_some_and(|s| s.start as usize >= at.start));
        if made != listed && !made.is_empty() && !known {
            let message = format!("the text is {made}, but the listing has {listed}");
            let note = "the text of a listing may lack what the bytes hold; the text counts";
            self.diagnostics.push(Diagnostic::warning(self.file.span(at), message).note(note));
        }
    }

    /// Puts places where names stand.
    fn resolve(&mut self) {
        let names = self.names.0.take();
        for Open { mut inst, place, name, text } in std::mem::take(&mut self.open) {
            let name = &names[name as usize];
            let Some(&target) = self.program.labels.get(name) else {
                let meant = did_you_mean(name, self.program.labels.keys().map(String::as_str));
                let mut error =
                    Diagnostic::error(self.file.span(text), format!("there is no label `{name}`"));
                if let Some(meant) = meant {
                    error = error.meant(meant);
                }
                self.diagnostics.push(error);
                continue;
            };
            let cx = Cx { address: place, ..self.isa.cx() };
            match self.isa.put(&mut inst, "off", Value::Int(target as i64), &cx) {
                Ok(()) => {
                    let place = place as usize;
                    let bytes = inst.to_bytes();
                    let end = place + usize::from(inst.length);
                    self.program.bytes[place..end].copy_from_slice(&bytes[..inst.length.into()]);
                }
                Err(_) => {
                    let distance = target as i64 - place as i64;
                    self.error(
                        text,
                        format!("`{name}` is {distance} bytes away, which this jump does not reach"),
                    );
                }
            }
        }
    }
}

fn without_comment(line: &str) -> &str {
    let end = line.find("//").into_iter().chain(line.find('#')).min().unwrap_or(line.len());
    &line[..end]
}

/// The bytes of a listing's `1c: 3800  text`, and the text.
fn columns(line: &str) -> Option<(&str, &str)> {
    let (place, rest) = line.split_once(": ")?;
    let hex = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_hexdigit());
    let rest = rest.trim_start();
    let (bytes, text) = rest.split_once(' ')?;
    let whole = bytes.len() >= 2 && bytes.len() <= 24 && bytes.len().is_multiple_of(2);
    (hex(place.trim()) && hex(bytes) && whole && !text.trim().is_empty()).then_some((bytes, text))
}

/// The label at the start of a line, and what follows its colon.
fn label(code: &str) -> Option<(&str, &str)> {
    let code = code.trim_start();
    let end = code.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')))?;
    let rest = code[end..].strip_prefix(':').filter(|_| end > 0)?;
    Some((&code[..end], rest))
}

fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let pair = |i: usize| u8::from_str_radix(digits.get(i..i + 2)?, 16).ok();
    digits.bytes().all(|c| c.is_ascii_hexdigit()).then_some(())?;
    (0..digits.len()).step_by(2).map(pair).collect()
}
