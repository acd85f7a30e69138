//! What is wrong with what is to be traced.

use std::fmt;

/// What is wrong with a scene or a pipeline, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// Mesh, geometry and primitive, or structure and instance; group or record.
    pub place: String,
    /// What is wrong there, and what helps.
    pub message: String,
    /// Whether it can be traced all the same.
    pub harmless: bool,
}

impl Flaw {
    /// Something harmless.
    pub(crate) fn odd(place: String, message: impl Into<String>) -> Flaw {
        Flaw { place, message: message.into(), harmless: true }
    }

    /// Something that no API allows.
    pub(crate) fn wrong(place: String, message: impl Into<String>) -> Flaw {
        Flaw { place, message: message.into(), harmless: false }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}
