//! Source text to tokens: directives obeyed, macros expanded, comments gone.
//!
//! One pass over the bytes. A line without a macro costs an interned name for each word and
//! nothing else; only macro expansion ([`expand`]) copies tokens. Every token knows where it
//! stands and, out of a macro, by which expansions it came ([`Tokens::trail`]). Everything that
//! input can blow up is bounded: [`limits`].
//!
//! Faults are reported and stepped over, so that one run finds all of them.

mod condition;
mod define;
mod directive;
mod expand;
mod item;
mod limits;
mod macros;
mod message;
mod preprocessor;
mod reader;
mod splice;
mod version;

use chiaro_diag::{Diagnostic, FileId, SourceMap};

use crate::extension::Extensions;
use crate::head::Head;
use crate::source::{Include, Options};
use crate::symbol::Symbols;
use crate::token::{Kind, Token, Tokens};
use macros::Macros;
pub use preprocessor::{Pragma, Preprocessed};
use preprocessor::{Preprocessor, sources_end};

/// Preprocesses a file and all that it includes.
///
/// Includes are asked for by name and added to `sources`. What is wrong goes to `diagnostics`;
/// tokens come in any case, so that the parser can find more.
pub fn preprocess(
    file: FileId,
    sources: &mut SourceMap,
    options: &Options,
    include: &mut Include,
    symbols: &mut Symbols,
    diagnostics: &mut Vec<Diagnostic>,
) -> Preprocessed {
    let text = sources.shared_text(file);
    let tokens = Tokens { list: Vec::with_capacity(text.len() / 4 + 1), ..Tokens::default() };
    let mut run = Preprocessor {
        options,
        include,
        macros: Macros::new(symbols),
        out: Preprocessed {
            tokens,
            version: version::DESKTOP,
            head: Head::of(file),
            extensions: Extensions::default(),
            pragmas: Vec::new(),
        },
        sources,
        symbols,
        diagnostics,
        frames: Vec::new(),
        budget: limits::budget(text.len()),
        of_options: false,
        line_shift: 0,
        file_number: 0,
        include_depth: 0,
        included_bytes: 0,
        includes: 0,
        pasted_bytes: 0,
        argument_depth: 0,
        braces: (0, 0),
        reported: 0,
    };
    run.file(file);
    let end = sources_end(run.sources, file);
    run.out.tokens.list.push(Token { kind: Kind::End, span: end, origin: 0 });
    run.out
}
