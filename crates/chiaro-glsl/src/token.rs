//! What preprocessing leaves: tokens with their origin.

use chiaro_diag::Span;

use crate::ast::{At, Symbol};

/// A token's kind and what it carries.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// An identifier, or a keyword: which of them the parser's table for the version tells.
    Word(Symbol),
    /// An integer as written: its value, whether it has `u`, whether it has more than 32 bits
    /// (`l`).
    Int {
        /// Its value; saturated where it has more than 64 bits.
        value: u64,
        /// Suffix `u`.
        unsigned: bool,
        /// Suffix `l`, or `s` for 16 bits is in `bits`.
        bits: u8,
    },
    /// A float: its value, and its bits by suffix (32; 64 for `lf`; 16 for `hf`).
    Float {
        /// Its value, rounded once to the nearest of its width.
        value: f64,
        /// 16, 32 or 64.
        bits: u8,
    },
    /// Punctuation; up to three characters, as bytes, zeros behind.
    Punct([u8; 3]),
    /// The end of the source.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands; for one out of a macro, where the outermost macro was used.
    pub span: Span,
    /// The expansion that it came out of: a number in [`Tokens::trail`]; 0 is none.
    pub origin: u32,
}

/// The expansion of a macro.
#[derive(Clone, Copy, Debug)]
pub struct Expansion {
    /// The macro.
    pub name: Symbol,
    /// Where the token stands in the macro's definition.
    pub defined: Span,
    /// The expansion in which this one took place; 0 is none.
    pub within: u32,
}

/// All tokens of a source, behind the preprocessor.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// The tokens; the last one is [`Kind::End`].
    pub list: Vec<Token>,
    /// Expansions, the first unused.
    pub trail: Vec<Expansion>,
}

impl Tokens {
    /// The source text of a run of tokens; from the first's start to the last's end if both
    /// are of one file.
    #[must_use]
    pub fn span(&self, at: At) -> Option<Span> {
        let first = self.list.get(at.first as usize)?.span;
        let last = self.list.get(at.last as usize)?.span;
        Some(if first.file == last.file && first.start <= last.end { first.to(last) } else { first })
    }
}
