//! A name, and what it may stand for.

use std::ops::Range;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum NameKind {
    Function,
    Parameter,
    /// Of a function.
    Local,
    /// Outside of functions, without storage of its own.
    Global,
    /// `in`, `out`, `uniform`, `buffer` and what they were called before.
    Interface,
    Constant,
    Structure,
    /// Of a structure or block.
    Member,
    Block,
    Macro,
}

/// A name that a source declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// What it stands for.
    pub kind: NameKind,
    /// Its declarations: overloads and prototypes of a function are one name.
    pub declared: Vec<Range<usize>>,
    /// The text that it is declared in, of the first declaration: a function's with its body.
    pub whole: Range<usize>,
    /// Where it can be used.
    pub scope: Range<usize>,
    /// How it is declared, without what is in braces; an entry for each overload.
    pub written: Vec<String>,
    /// The structure, block or function that it is in.
    pub within: Option<usize>,
}
