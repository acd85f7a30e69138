//! Errors with their place in a file.

use std::fmt;

/// Why bytes are not what they should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// Byte at which it shows.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
}

impl Error {
    pub(super) fn new(offset: usize, message: impl Into<String>) -> Error {
        Error { offset, message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {:#x}: {}", self.offset, self.message)
    }
}

impl std::error::Error for Error {}
