//! The assembler for LLVM's language (spec 15), also with ACO's names: instructions, labels, directives, kernel
//! descriptors and metadata, to a relocatable code object.
//!
//! Lines are read one after the other; every line that is wrong is reported. Then the code
//! is laid out ([`layout`]), and what is left open becomes relocations.

mod advice;
mod directive;
mod layout;
mod names;

pub use directive::DIRECTIVES;

use crate::check::too_many_scalars;
use crate::container::{self, CodeObject, Relocation};
use crate::isa::{LLVM, isa};
use chiaro_diag::{Diagnostic, FileId};
use chiaro_isa::{Cx, Isa, Item, ParseCause, ParseError};
use names::Names;
use std::collections::HashMap;
use std::ops::Range;

/// How a text is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Lanes of a wave, 32 or 64; `None` takes what the text's first kernel says.
    pub wave: Option<u8>,
    /// An index of [`DIALECTS`](crate::isa::DIALECTS).
    pub dialect: u8,
}

/// Assembles a text of LLVM's language in waves of 32 or 64 lanes; `None` takes what the text's first
/// kernel says.
///
/// # Errors
/// Everything that is wrong with the text.
pub fn assemble(text: &str, file: FileId, wave: Option<u8>) -> Result<CodeObject, Vec<Diagnostic>> {
    assemble_and_warn(text, file, Options { wave, dialect: LLVM }).map(|made| made.object)
}

/// What an assembled text is.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// The code object.
    pub object: CodeObject,
    /// Instructions that can be written and do not work.
    pub warnings: Vec<Diagnostic>,
    /// The text that each instruction of the code was written as, with its place in bytes from the start of the code;
    /// what fills code up was not written.
    pub lines: Vec<(Range<usize>, u64)>,
}

/// The same in any dialect, with warnings, and with the places of instructions in the text.
///
/// # Errors
/// Everything that is wrong with the text.
pub fn assemble_and_warn(text: &str, file: FileId, options: Options) -> Result<Assembled, Vec<Diagnostic>> {
    let wave = options.wave.unwrap_or_else(|| wave_of(text));
    let mut assembler = Assembler::new(file, wave, options.dialect);
    // Names go into tables in which a zero byte ends them.
    match text.find('\0') {
        Some(at) => assembler.error(at..at + 1, "a text has no zero bytes: is this a file of words?"),
        None => assembler.read(text),
    }
    assembler.finish()
}

/// The size of waves that the first kernel asks for. Where descriptors are data, a listing says
/// it in a comment, for no other assembler has a directive for it.
fn wave_of(text: &str) -> u8 {
    let says = text
        .lines()
        .find_map(|line| line.trim().trim_start_matches("// ").strip_prefix(".amdhsa_wavefront_size32"));
    if says.is_some_and(|n| n.trim() == "0") { 64 } else { 32 }
}

/// Something in a section, with the text that asked for it.
struct Placed {
    what: What,
    at: Range<usize>,
}

/// Something in a section.
enum What {
    /// An instruction, an engine's item.
    Inst(Item),
    /// A place.
    Label(u32),
    /// Bytes.
    Data(Vec<u8>),
    /// The address of a name, of four or eight bytes, and what is added to it.
    Address(String, i64, u8),
    /// Filler up to a multiple of so many bytes.
    Align(u64),
    /// A kernel descriptor, of this kernel.
    Descriptor(u32, Box<crate::container::descriptor::Descriptor>),
}

struct Assembler {
    file: FileId,
    wave: u8,
    dialect: u8,
    isa: &'static Isa,
    names: Names,
    text: Vec<Placed>,
    rodata: Vec<Placed>,
    in_rodata: bool,
    object: CodeObject,
    lines: Vec<(Range<usize>, u64)>,
    sizes: Vec<directive::Size>,
    /// What the text says by places, and not by names in instructions and data.
    relocations: Vec<Relocation>,
    /// Labels of second branches so far.
    hops: u32,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    /// What was meant by names that no instruction has.
    meant: HashMap<String, Option<&'static str>>,
}

impl Assembler {
    fn new(file: FileId, wave: u8, dialect: u8) -> Assembler {
        let object = CodeObject { machine: container::GFX1030, version: 5, ..CodeObject::default() };
        Assembler {
            file,
            wave,
            dialect,
            isa: isa(wave),
            names: Names::default(),
            text: Vec::new(),
            rodata: Vec::new(),
            in_rodata: false,
            object,
            lines: Vec::new(),
            sizes: Vec::new(),
            relocations: Vec::new(),
            hops: 0,
            errors: Vec::new(),
            warnings: Vec::new(),
            meant: HashMap::new(),
        }
    }

    fn error(&mut self, at: Range<usize>, message: impl Into<String>) {
        self.errors.push(Diagnostic::error(self.file.span(at), message));
    }

    fn place(&mut self, what: What, at: Range<usize>) {
        let section = if self.in_rodata { &mut self.rodata } else { &mut self.text };
        section.push(Placed { what, at });
    }

    fn read(&mut self, text: &str) {
        let mut lines = Lines { text, at: 0 };
        while let Some(line) = lines.next() {
            self.line(line, &mut lines);
        }
    }

    /// Labels, then a directive or an instruction.
    fn line(&mut self, line: Range<usize>, lines: &mut Lines<'_>) {
        let text = &lines.text[line.clone()];
        let code = without_comment(text);
        let start = line.start + (code.len() - code.trim_start().len());
        let code = code.trim();
        let at = start..start + code.len();
        if code.is_empty() {
            return;
        }
        if let Some((label, rest)) = label_of(code) {
            self.label(label, start..start + label.len());
            let offset = code.len() - rest.len();
            return self.statement(
                rest.trim(),
                start + offset + (rest.len() - rest.trim_start().len()),
                lines,
            );
        }
        self.statement(code, at.start, lines);
    }

    fn statement(&mut self, code: &str, start: usize, lines: &mut Lines<'_>) {
        match code.strip_prefix('.') {
            _ if code.is_empty() => {}
            Some(_) => self.directive(code, start, lines),
            None => self.instruction(code, start),
        }
    }

    fn label(&mut self, name: &str, at: Range<usize>) {
        let symbol = self.names.intern(name);
        if !self.names.define(symbol, self.in_rodata) {
            return self.error(at, format!("`{name}` is defined twice"));
        }
        self.place(What::Label(symbol), at);
    }

    /// What instructions are read with.
    fn cx(&self, isa: &Isa) -> Cx<'_> {
        Cx { dialect: self.dialect, symbols: Some(&self.names), ..isa.cx() }
    }

    fn instruction(&mut self, code: &str, start: usize) {
        let parsed = {
            let cx = self.cx(self.isa);
            let parsed = self.isa.parse(code, &cx);
            parsed.map(|parsed| (too_many_scalars(&parsed.inst, self.isa), Item::of(self.isa, &parsed, &cx)))
        };
        match parsed {
            Ok((wrong, item)) => {
                let at = start..start + code.len();
                self.warnings.extend(wrong.map(|message| {
                    Diagnostic::warning(self.file.span(at.clone()), message)
                        .help("move one of them into a vector register before")
                }));
                self.place(What::Inst(item), at);
            }
            Err(e) => self.misread(code, start, &e),
        }
    }

    /// Reports what is wrong with an instruction, and what would do.
    fn misread(&mut self, code: &str, start: usize, e: &ParseError) {
        let (first, last) = (e.start as usize, (e.end as usize).max(e.start as usize + 1));
        // What is missing at the end of a line is the matter of its last character.
        let first = first.min(code.len().saturating_sub(1));
        let at = start + first..start + last.min(code.len()).max(first);
        let mut error = Diagnostic::error(self.file.span(at), advice::message(code, e));
        if let ParseCause::Mnemonic(name) = &e.cause {
            if let Some(meant) = self.meant(name) {
                error = error.meant(meant);
            }
        } else if let Some(help) = self.advice(code, e) {
            error = error.help(help);
        }
        self.errors.push(error);
    }

    fn finish(mut self) -> Result<Assembled, Vec<Diagnostic>> {
        match self.errors.is_empty() {
            true => self.lay_out(),
            // Places are not known, but what has none is.
            false => self.lost(),
        }
        if self.errors.is_empty() {
            return Ok(Assembled { object: self.object, warnings: self.warnings, lines: self.lines });
        }
        chiaro_diag::sort(&mut self.errors);
        Err(self.errors)
    }
}

/// The lines of a text as ranges of bytes.
struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl Lines<'_> {
    fn next(&mut self) -> Option<Range<usize>> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = rest.find('\n').unwrap_or(rest.len());
        let line = self.at..self.at + length;
        self.at = (line.end + 1).min(self.text.len());
        Some(line)
    }
}

/// The line up to `//`, `;` or `/*`, which are no comments inside of quotes.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let bytes = line.as_bytes();
    for (i, &c) in bytes.iter().enumerate() {
        let comment = c == b';' || c == b'/' && matches!(bytes.get(i + 1), Some(b'/' | b'*'));
        match c {
            b'"' => quoted = !quoted,
            _ if comment && !quoted => return &line[..i],
            _ => {}
        }
    }
    line
}

/// The label at the start of a line, and what follows its colon.
fn label_of(code: &str) -> Option<(&str, &str)> {
    let end = code.find(|c: char| !container::is_in_names(c))?;
    let rest = code[end..].strip_prefix(':').filter(|_| end > 0)?;
    Some((&code[..end], rest))
}
