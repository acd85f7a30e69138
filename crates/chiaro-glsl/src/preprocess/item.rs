//! Tokens before expansion, and what is open while they are read.

use chiaro_diag::Span;

use crate::token::Symbol;

/// A token before expansion, and while macros expand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) what: What,
    /// Where it is spelled: in a file, in a macro's definition.
    pub(crate) spelled: Span,
    /// Where the outermost macro was used; same as `spelled` where none was.
    pub(crate) used: Span,
    /// As [`Token::origin`].
    pub(crate) origin: u32,
}

/// What an [`Item`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    Word(Symbol),
    /// A word that named a macro while that one expanded: never again expanded.
    Painted(Symbol),
    Number,
    /// A number that the preprocessor made.
    Value(u32),
    Punct([u8; 3]),
    /// A text in quotes.
    Text,
    /// Bytes that are no token.
    Other,
    /// What an empty argument leaves beside `##`.
    Nothing,
}

/// Tokens that are still to be read before what follows in the file.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) items: Vec<Item>,
    pub(crate) next: usize,
    /// The macro that these came out of.
    pub(crate) name: Option<Symbol>,
}

/// An `#if` whose `#endif` has not come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// The directive.
    pub(crate) span: Span,
    /// Whether one of its branches has been read.
    pub(crate) taken: bool,
    /// `#else`, if it has come.
    pub(crate) otherwise: Option<Span>,
}
