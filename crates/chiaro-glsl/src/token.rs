//! What preprocessing leaves: tokens with their origin.

use std::collections::HashMap;

use chiaro_diag::{Diagnostic, Span};

use crate::small::Small;

/// An interned identifier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(pub u32);

/// A run of tokens, both ends included: the source text of a node. Numbers count in
/// [`Tokens`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct At {
    /// First token.
    pub first: u32,
    /// Last token.
    pub last: u32,
}

/// A token's kind and what it carries.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// An identifier, or a keyword: which of them the parser's table for the version says.
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
    /// A small float, by its suffix.
    Small {
        /// Its value, rounded to that of its type.
        value: f32,
        /// Its type.
        small: Small,
    },
    /// A text, without its quotes. Only where an extension has such.
    Text(Symbol),
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
#[derive(Clone, Debug)]
pub struct Tokens {
    /// The tokens; the last one is [`Kind::End`].
    pub list: Vec<Token>,
    /// Expansions, the first unused.
    pub trail: Vec<Expansion>,
    /// Names of the macros in the trail, so that a message can be made of tokens alone.
    pub macros: HashMap<Symbol, Box<str>>,
}

impl Default for Tokens {
    fn default() -> Tokens {
        let unused = Expansion { name: Symbol(0), defined: Span::default(), within: 0 };
        Tokens { list: Vec::new(), trail: vec![unused], macros: HashMap::new() }
    }
}

/// How many macros within each other a message names.
const TRAIL: usize = 8;

/// An error about a run of tokens: where it is, and if it came out of a macro, by which
/// expansions, the outermost first.
#[must_use]
pub fn diagnose(tokens: &Tokens, at: At, message: impl Into<String>) -> Diagnostic {
    let report = Diagnostic::error(tokens.span(at), message);
    add_trail(tokens, at, report)
}

/// Adds to a message of any kind which expansions its first token came by.
#[must_use]
pub fn add_trail(tokens: &Tokens, at: At, mut report: Diagnostic) -> Diagnostic {
    let mut origin = tokens.list.get(at.first as usize).map_or(0, |token| token.origin);
    let mut steps = Vec::new();
    while origin != 0
        && let Some(expansion) = tokens.trail.get(origin as usize)
    {
        let name = tokens.macros.get(&expansion.name).map_or("?", |name| name);
        steps.push((expansion.defined, format!("in the expansion of macro `{name}`")));
        // A macro's expansion lies within one that was noted before it.
        origin = expansion.within.min(origin - 1);
    }
    steps.reverse();
    let rest = steps.len().saturating_sub(TRAIL);
    report.related.extend(steps.into_iter().take(TRAIL));
    if rest > 0 {
        report.notes.push(format!("and in {rest} more macros within these"));
    }
    report
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
