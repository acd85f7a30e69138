//! The head of a source, where `#version` and `#extension` stand, and the edits that put them there.

use chiaro_diag::{FileId, Fix, Span};

/// Where a source has its directives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    /// The first place of the source.
    start: Span,
    /// The `#version` line without its end; `None` where the version is assumed.
    pub version: Option<Span>,
}

impl Head {
    /// The head of a file of which nothing was read yet.
    #[must_use]
    pub fn of(file: FileId) -> Head {
        Head { start: file.span(0..0), version: None }
    }

    /// Another version, by what stands behind `#version`: `300 es`.
    #[must_use]
    pub fn with_version(self, version: &str) -> Fix {
        match self.version {
            Some(line) => Fix::replace(line, format!("#version {version}")),
            None => Fix::before(self.start, format!("#version {version}\n")),
        }
    }

    /// One more extension.
    #[must_use]
    pub fn with_extension(self, name: &str) -> Fix {
        let line = format!("#extension {name} : enable");
        match self.version {
            Some(version) => Fix::behind(version, format!("\n{line}")),
            None => Fix::before(self.start, line + "\n"),
        }
    }
}
