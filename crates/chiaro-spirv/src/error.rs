//! What is wrong with a module, and where.

use chiaro_diag::{Diagnostic, Span};
use std::borrow::Cow;
use std::fmt;

/// A module that could not be read: the first thing that is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// The word at which the instruction starts; 0 for the header.
    pub at: usize,
    /// The instruction's name, such as `OpLoad`; empty for the header.
    pub opcode: String,
    /// File and line of the source text, where the module names them.
    pub line: Option<(String, u32)>,
    /// What is wrong, one sentence without a full stop.
    pub what: String,
    /// What to do instead, where something is known to help.
    pub help: Option<&'static str>,
}

impl ReadError {
    /// A fault of the header.
    pub(crate) fn header(what: impl Into<String>) -> ReadError {
        ReadError { at: 0, opcode: String::new(), line: None, what: what.into(), help: None }
    }

    /// The same as a message to the user.
    #[must_use]
    pub fn diagnostic(&self, span: Option<Span>) -> Diagnostic {
        let error = Diagnostic::error(span, self.what.clone()).note(self.place());
        self.help.into_iter().fold(error, Diagnostic::help)
    }

    fn place(&self) -> String {
        let mut place = format!("word {}", self.at);
        if !self.opcode.is_empty() {
            place.push_str(&format!(", {}", self.opcode));
        }
        if let Some((file, line)) = &self.line {
            place.push_str(&format!(", {file}:{line}"));
        }
        place
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.what, self.place())
    }
}

impl std::error::Error for ReadError {}

/// What is wrong with the instruction at hand; the reader's loop knows where that is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    pub(crate) what: Cow<'static, str>,
    /// What to do instead.
    pub(crate) help: Option<&'static str>,
}

impl From<&'static str> for Fault {
    fn from(what: &'static str) -> Fault {
        Fault { what: Cow::Borrowed(what), help: None }
    }
}

impl From<String> for Fault {
    fn from(what: String) -> Fault {
        Fault { what: Cow::Owned(what), help: None }
    }
}

/// A result within the reader.
pub(crate) type Res<T> = Result<T, Fault>;

/// Ends the reading of an instruction.
pub(crate) fn fail<T>(what: impl Into<Fault>) -> Res<T> {
    Err(what.into())
}
