//! Text to words: the languages of Mesa's assembler and of the older tools.
//!
//! One instruction a line, `;` begins a comment, `name:` is a label, `@...` a header
//! ([`Header`]). Listings are read too: an index and the words in brackets before the text
//! are skipped, as are the lines of repetitions and the statistics of pgmdump. What the
//! hardware cannot run is an error with its place, unless [`Options::compat`] asks for what
//! Mesa accepts. spec sections 24 and 25.

mod header;
mod line;
mod program;

pub use header::{DIRECTIVES, Header};
pub use program::{Facts, Program, padded};

use crate::isa;
use crate::listing::halves;
use crate::operand::COMPAT;
use chiaro_diag::{Diagnostic, FileId, Span};
use chiaro_isa::{Cx, Isa, ParseCause, ParseError, Symbols, Value};
use line::Line;
#[cfg(feature = "target")]
pub(crate) use line::word;
use std::collections::BTreeMap;

/// What to read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// An index of [`crate::regs::generation`].
    pub generation: u8,
    /// An index of the dialects, as [`MESA`](crate::operand::MESA).
    pub dialect: u8,
    /// Takes what Mesa's assembler takes, whether the hardware can run it or not.
    pub compat: bool,
}

/// Reads a text. Every error of it is reported; warnings come with a program.
///
/// # Errors
/// All errors and warnings, in the order of the text.
pub fn assemble(
    file: FileId,
    text: &str,
    options: Options,
) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut assembler = Assembler::new(file, options);
    assembler.labels(text);
    for line in Line::all(text) {
        assembler.line(&line);
    }
    let failed = assembler.diagnostics.iter().any(|d| d.severity == chiaro_diag::Severity::Error);
    chiaro_diag::sort(&mut assembler.diagnostics);
    assembler.program.labels = assembler.labels.0;
    if failed { Err(assembler.diagnostics) } else { Ok((assembler.program, assembler.diagnostics)) }
}

/// Reads one instruction without labels.
///
/// # Errors
/// The message and the bytes at fault.
pub fn instruction(text: &str, options: Options) -> Result<u64, ParseError> {
    let names = Labels::default();
    let cx = context(options, 0, &names);
    isa::isa(options.generation).parse(text, &cx).map(|parsed| parsed.inst.word.0[0])
}

fn context<'a>(options: Options, index: usize, labels: &'a Labels) -> Cx<'a> {
    let (flags, waived): (u32, &[&str]) = if options.compat { (COMPAT, isa::RULES) } else { (0, &[]) };
    Cx {
        dialect: options.dialect,
        generation: options.generation,
        options: flags,
        waived,
        address: index as u64 * 8,
        symbols: Some(labels),
        ..Cx::default()
    }
}

/// Places by name, in instructions.
#[derive(Default)]
struct Labels(BTreeMap<String, usize>);

impl Symbols for Labels {
    fn lookup(&self, _: &str) -> Option<Value> {
        None
    }
    fn target(&self, name: &str) -> Option<Value> {
        self.0.get(name).map(|place| Value::Int(*place as i64))
    }
}

struct Assembler {
    file: FileId,
    options: Options,
    labels: Labels,
    program: Program,
    diagnostics: Vec<Diagnostic>,
}

impl Assembler {
    fn new(file: FileId, options: Options) -> Assembler {
        let (labels, program) = (Labels::default(), Program::default());
        Assembler { file, options, labels, program, diagnostics: Vec::new() }
    }

    /// Where every label is: each line that is an instruction takes one word.
    fn labels(&mut self, text: &str) {
        let mut index = 0;
        for line in Line::all(text) {
            if let Some(name) = line.label()
                && self.labels.0.insert(name.to_owned(), index).is_some()
            {
                let message = format!("the label `{name}` stands here a second time");
                self.diagnostics.push(Diagnostic::error(self.span(&line), message));
            }
            index += usize::from(line.is_instruction());
        }
    }

    fn span(&self, line: &Line<'_>) -> Span {
        self.file.span(line.start..line.start + line.text.len())
    }

    fn line(&mut self, line: &Line<'_>) {
        if line.is_header() {
            match Header::read(line.text) {
                Ok(header) => self.program.headers.push(header),
                Err((at, why)) => {
                    let span = self.file.span(line.start + at.start..line.start + at.end);
                    self.diagnostics.push(Diagnostic::error(span, why));
                }
            }
        } else if line.is_instruction() {
            let word = self.instruction(line);
            self.compare(line, word);
            self.program.words.push(word);
            self.program.spans.push(self.span(line));
        }
    }

    /// One word; an erroneous line still takes its place, so that labels stay where they are.
    fn instruction(&mut self, line: &Line<'_>) -> u64 {
        match line.raw() {
            Some(Ok(word)) => return word,
            Some(Err(other)) => {
                let first = line.start + (line.text.len() - other.len());
                let error =
                    "a word is its high and low half in hexadecimal digits, as in 0x57305b00_00002000";
                let span = self.file.span(first..line.start + line.text.len());
                self.diagnostics.push(Diagnostic::error(span, error));
                return 0;
            }
            None => {}
        }
        let isa = isa::isa(self.options.generation);
        let cx = context(self.options, self.program.words.len(), &self.labels);
        match isa.parse(line.text, &cx) {
            Ok(parsed) => parsed.inst.word.0[0],
            Err(e) => {
                let at = line.start + e.start as usize..line.start + e.end as usize;
                let mut diagnostic = Diagnostic::error(self.file.span(at), e.to_string());
                match advice(isa, &e, self.options) {
                    Some(help) => diagnostic = diagnostic.help(help),
                    None => diagnostic.mean(close(isa, &e, self.options)),
                }
                self.diagnostics.push(diagnostic);
                0
            }
        }
    }

    /// A listing shows the word beside the text: where they differ, one of them is wrong.
    fn compare(&mut self, line: &Line<'_>, word: u64) {
        if let Some(listed) = line.listed
            && listed != word
            && !self.diagnostics.iter().any(|d| d.span == Some(self.span(line)))
        {
            let (text, listed) = (halves(word), halves(listed));
            let message = format!("the text is {text}, but the listing has {listed}");
            let note = "the text of the listing may lack what the word holds; the text counts";
            self.diagnostics.push(Diagnostic::warning(self.span(line), message).note(note));
        }
    }
}

/// What else to say about a line that is no instruction.
fn advice(isa: &Isa, error: &ParseError, options: Options) -> Option<String> {
    let ParseCause::Mnemonic(name) = &error.cause else { return None };
    let generations = isa.elsewhere(name, options.dialect);
    if !generations.is_empty() {
        return Some(format!("generation {} has it", generations.join(", ")));
    }
    let known: Vec<&str> = isa.mnemonics(options.dialect).collect();
    let lower = name.to_ascii_lowercase();
    if known.iter().any(|known| *known == lower || lower.starts_with(&format!("{known}."))) {
        return Some("mnemonics are written in lower case".to_owned());
    }
    None
}

/// The mnemonic that was likely meant.
fn close(isa: &'static Isa, error: &ParseError, options: Options) -> Option<&'static str> {
    let ParseCause::Mnemonic(name) = &error.cause else { return None };
    let stem = name.split('.').next().unwrap_or(name);
    let known: Vec<&str> = isa.mnemonics(options.dialect).collect();
    chiaro_diag::did_you_mean(name, known.iter().copied())
        .or_else(|| chiaro_diag::did_you_mean(stem, known.iter().copied()))
}
