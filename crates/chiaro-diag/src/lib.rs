//! Diagnostics: what is wrong with an input, where, and what to do about it.
//!
//! Front ends and assemblers make [`Diagnostic`]s against a [`SourceMap`]; only
//! the command line renders them.

#![forbid(unsafe_code)]

/// A file of a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct FileId(pub u32);

/// A run of bytes in a source file: `start..end`, UTF-8 offsets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// No result can be given.
    Error,
    /// A result is given, but it is likely not what was meant.
    Warning,
    /// Worth knowing.
    Note,
}

/// One message to the user: what is wrong, where, and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// One sentence without a full stop, naming the construct.
    pub message: String,
    /// Where; `None` for a whole input that has no text (a missing file).
    pub span: Option<Span>,
    /// Short text under the marked source.
    pub label: String,
    /// Further places with a text each (an earlier definition).
    pub related: Vec<(Span, String)>,
    /// What to know ("picasso would have read v5 here").
    pub notes: Vec<String>,
    /// What to do.
    pub help: Vec<String>,
}
