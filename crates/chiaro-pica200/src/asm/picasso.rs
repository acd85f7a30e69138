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
mod uniform;

pub use crate::asm::Source;

use crate::container::Shbin;
use assembler::Assembler;
use chiaro_diag::{Diagnostic, Span};

/// Whose rules hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Mode {
    /// Every mistake is told.
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
    assembler.finish()
}
