//! The assembler for picasso's language.
//!
//! picasso is the assembler that nearly all 3DS homebrew uses; its language is
//! described in spec sections 16 and 20. Instructions themselves are declared in
//! [`isa`](crate::isa); this module is the language around them: lines, names,
//! directives, blocks, descriptors, and the container.
//!
//! # Two modes
//!
//! [`Mode::Picasso`] gives the tool's bytes for everything that the tool accepts.
//! [`Mode::Strict`], the default, gives the same bytes for correct sources, but what
//! picasso misreads in silence (spec section 20.12) is an error or a warning that
//! says what picasso would have done. It also accepts a little more: indices
//! below a base (`c5[a0.x-1]`), calculated numbers in constants, sizes and indices
//! (`1.0/128.0`, `m[2*3]`), and these directives:
//!
//! | directive | effect |
//! |---|---|
//! | `.word 0xWORD` | an instruction word as it is |
//! | `.opdesc INDEX 0xWORD [0xSECOND]` | fixes an entry of the descriptor table, to be written in front of all instructions; those that fit it use the lowest such entry, and none changes it |
//! | `.opdesc INDEX` | the next instruction uses this entry |
//! | `.dvle` | what follows is read as the next source file, so that one listing can hold several executables |
//! | `.symbol NAME cN[..cM]` | an entry of the uniform table and nothing else: names that are no identifiers (`bones[3].rows`), second names of registers; a file that has one keeps its table in the order of its lines |
//! | `.nonop` | no padding NOPs in the rest of the file, as with [`Options::no_nop`], and no warnings about them |
//!
//! # Layers
//!
//! [`assemble`] walks over the lines (`assembler.rs`, `source.rs`), which are labels,
//! directives (`directive.rs` lists them all) or instructions (`instruction.rs`). Words
//! are written at once; targets are filled in when a block, a file or the run ends
//! (`block.rs`, `link.rs`). Everything is borrowed from the sources.

mod assembler;
mod block;
mod constant;
mod directive;
mod header;
mod instruction;
mod interface;
mod link;
mod names;
mod number;
mod source;
mod theirs;
mod uniform;

pub use crate::asm::Source;
pub use directive::DIRECTIVES;

use crate::asm::report::Report;
use crate::container::Shbin;
use crate::operand::descriptor::Descriptors;
use crate::regs::GEOMETRY_WORDS;
use block::{Block, Procedures};
use chiaro_diag::{Diagnostic, FileId, Span};
use interface::Unit;
use link::Reference;
use names::Names;
use source::{Marker, Place};
use std::collections::{HashMap, HashSet};
use uniform::Spaces;

/// Whose rules hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Mode {
    /// Every mistake is reported.
    #[default]
    Strict,
    /// Exactly what picasso 2.7.1 does, its silent errors included.
    Picasso,
}

/// How to assemble.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {
    /// Whose rules hold.
    pub mode: Mode,
    /// Insert no padding NOPs in front of ends of blocks, but warn (picasso's `-n`).
    pub no_nop: bool,
}

/// What comes out.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// The container: one executable per file, except those with `.nodvle`.
    pub shbin: Shbin,
    /// The C header that tells the application where the uniforms are.
    pub header: String,
    /// What is likely not what was meant.
    pub warnings: Vec<Diagnostic>,
    /// What each word of the code came from; a padding NOP, the end that needed it.
    pub spans: Vec<Span>,
    /// Procedures by address.
    pub procedures: Vec<Procedure>,
    /// Labels by address.
    pub labels: Vec<Label>,
}

/// A procedure of an [`Assembly`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// First word.
    pub start: u32,
    /// Number of words.
    pub size: u32,
    /// Where its name was given.
    pub span: Span,
}

/// A label of an [`Assembly`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Its name; unique in its file only.
    pub name: String,
    /// The word that it stands in front of.
    pub address: u32,
    /// Where it was given.
    pub span: Span,
}

/// Assembles files into one container, in this order.
///
/// # Errors
///
/// All errors and warnings that were found, in the order of the text, except that
/// names which are missing in the end come last. An error does not cause others.
pub fn assemble(sources: &[Source<'_>], options: &Options) -> Result<Assembly, Vec<Diagnostic>> {
    let mut assembler = Assembler::new(*options);
    if sources.is_empty() {
        return Err(vec![Diagnostic::error(None, "there are no source files")]);
    }
    for source in sources {
        assembler.file(source);
    }
    assembler.link();
    assembler.finish().map_err(|errors| match options.mode {
        Mode::Strict => theirs::told(errors, sources, options),
        Mode::Picasso => errors,
    })
}

/// Bytes of a line: most have more.
const SHORT_LINE: usize = 16;

/// The program that all files share.
#[derive(Default)]
struct Code {
    words: Vec<u32>,
    /// What each word came from.
    spans: Vec<Span>,
    /// Words that were given as they are, ascending: nothing renumbers them.
    raw: Vec<u32>,
}

impl Code {
    /// Makes room for a text of so many bytes. What it does not need is never touched; what grows would be moved.
    fn reserve(&mut self, bytes: usize) {
        let words = (bytes / SHORT_LINE).min(GEOMETRY_WORDS);
        self.words.reserve(words);
        self.spans.reserve(words);
    }

    fn push(&mut self, word: u32, span: Span) {
        self.words.push(word);
        self.spans.push(span);
    }

    /// How many words there are. Every word has a line, and files stay below 4 GiB.
    fn len(&self) -> u32 {
        self.words.len() as u32
    }

    fn span_of(&self, word: u32) -> Option<Span> {
        self.spans.get(word as usize).copied()
    }
}

/// What belongs to one file only.
struct FileScope<'a> {
    place: Place<'a>,
    /// The file's executable, which the first statement that concerns it makes. [picasso]
    unit: Option<usize>,
    names: Names<'a>,
    labels: HashMap<&'a str, (u32, Span)>,
    jumps: Vec<Reference<'a>>,
    blocks: Vec<Block<'a>>,
    /// The line that is read.
    line: &'a str,
    number: u64,
    /// The last line marker and the line that it stands on.
    marker: Option<(Marker<'a>, u64)>,
    /// Whether an instruction outside of procedures was reported already.
    stray: bool,
}

impl<'a> FileScope<'a> {
    fn new(file: FileId, text: &'a str) -> Self {
        FileScope {
            place: Place { file, text },
            unit: None,
            names: Names::default(),
            labels: HashMap::new(),
            jumps: Vec::new(),
            blocks: Vec::new(),
            line: &text[..0],
            number: 0,
            marker: None,
            stray: false,
        }
    }
}

/// A run of the assembler.
struct Assembler<'a> {
    options: Options,
    report: Report,
    code: Code,
    descriptors: Descriptors,
    spaces: Spaces<'a>,
    procedures: Procedures<'a>,
    /// Procedures that their file did not close.
    unclosed: HashSet<&'a str>,
    calls: Vec<Reference<'a>>,
    /// Labels of all files so far.
    labels: Vec<Label>,
    units: Vec<Unit<'a>>,
    /// The last statement that counts ended a loop or an `if`.
    after_block: bool,
    /// Whether padding NOPs are inserted, else whether to be quiet about them.
    padding: bool,
    quiet: bool,
    /// How the directive that is read is written.
    usage: &'static str,
    /// The descriptor that the next instruction must use.
    chosen: Option<u8>,
    file: FileScope<'a>,
}
