//! What a WGSL source may take of the reader.
//!
//! naga's time grows with the square of a function's expressions, and its stack with the length
//! of a chain of operators: both are bounded here, by counting tokens before it starts. No shader
//! that a machine of ours could hold comes near these numbers.

use std::ops::Range;

use chiaro_diag::{Diagnostic, FileId};

/// Tokens between two semicolons or braces; a term of a sum is two.
const STATEMENT: usize = 1 << 16;

/// Tokens of a declaration at the outermost level: a function, mostly.
const DECLARATION: usize = 1 << 18;

/// Bytes of a source.
const SOURCE: usize = 8 << 20;

/// Whether a source keeps to the budget.
///
/// # Errors
/// The first part of it that is too large, with its size and what is allowed.
pub(super) fn budget(text: &str, file: FileId) -> Result<(), Box<Diagnostic>> {
    if text.len() > SOURCE {
        return Err(Box::new(too_large("the source", text.len(), SOURCE, "bytes", file.span(0..0))));
    }
    let mut meter = Meter::default();
    for (at, token) in tokens(text) {
        if let Some((what, used, allowed)) = meter.add(token) {
            return Err(Box::new(too_large(what, used, allowed, "tokens", file.span(at))));
        }
    }
    Ok(())
}

fn too_large(what: &str, used: usize, allowed: usize, unit: &str, span: chiaro_diag::Span) -> Diagnostic {
    Diagnostic::error(span, format!("{what} is larger than chiaro reads"))
        .note(format!("it has {used} {unit} up to here, {allowed} are allowed"))
        .help("split it into several functions or statements")
}

/// Counts of the statement and the declaration at hand.
#[derive(Default)]
struct Meter {
    depth: usize,
    statement: usize,
    declaration: usize,
}

impl Meter {
    /// Counts a token; what is too large with its size, and the size that is allowed.
    fn add(&mut self, token: u8) -> Option<(&'static str, usize, usize)> {
        self.statement += 1;
        self.declaration += 1;
        match token {
            b'{' => self.depth += 1,
            b'}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        if matches!(token, b'{' | b'}' | b';') {
            self.statement = 0;
            self.declaration *= usize::from(self.depth > 0 || token == b'{');
        }
        if self.statement > STATEMENT {
            return Some(("a statement", self.statement, STATEMENT));
        }
        (self.declaration > DECLARATION).then_some(("a declaration", self.declaration, DECLARATION))
    }
}

/// The first byte of each token with its place; comments are none, a name or number is one.
fn tokens(text: &str) -> impl Iterator<Item = (Range<usize>, u8)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let byte = *bytes.get(at)?;
            let start = at;
            at = match (byte, bytes.get(at + 1)) {
                (b'/', Some(b'/')) => find(bytes, at, b"\n"),
                (b'/', Some(b'*')) => find(bytes, at + 2, b"*/"),
                _ if is_word(byte) => {
                    bytes[at..].iter().position(|b| !is_word(*b)).map_or(bytes.len(), |n| at + n)
                }
                _ => at + 1,
            };
            let is_comment = byte == b'/' && at > start + 1;
            if !is_comment && !byte.is_ascii_whitespace() {
                return Some((start..at, byte));
            }
        }
    })
}

/// Bytes of names and numbers; those of other scripts are some of a name.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The place behind the next occurrence of `end`, or the end of the text.
fn find(bytes: &[u8], from: usize, end: &[u8]) -> usize {
    let behind = bytes.get(from..).unwrap_or_default();
    behind.windows(end.len()).position(|w| w == end).map_or(bytes.len(), |n| from + n + end.len())
}

#[cfg(test)]
mod tests {
    use chiaro_diag::SourceMap;

    use super::*;

    fn refused(text: &str) -> Option<String> {
        let file = SourceMap::new().add("a.wgsl", text);
        budget(text, file).err().map(|error| format!("{}; {}", error.message, error.notes.join("; ")))
    }

    #[test]
    fn tokens_are_names_numbers_and_signs() {
        let text = "let a_1=2.5; // a b c\n/* x\n y */ é+";
        let found: Vec<&str> = tokens(text).map(|(at, _)| &text[at]).collect();
        assert_eq!(found, ["let", "a_1", "=", "2", ".", "5", ";", "é", "+"]);
    }

    #[test]
    fn what_is_too_large_is_refused_with_its_size() {
        let sum = |terms: usize| format!("const a = 1{};", " + 1".repeat(terms));
        assert_eq!(refused(&sum(STATEMENT / 2 - 10)), None);
        let message =
            "a statement is larger than chiaro reads; it has 65537 tokens up to here, 65536 are allowed";
        assert_eq!(refused(&sum(STATEMENT)).as_deref(), Some(message));
        let body = |statements: usize| format!("fn f() {{ {} }} ", "a = a;".repeat(statements));
        assert_eq!(refused(&body(DECLARATION / 8).repeat(4)), None);
        assert!(refused(&body(DECLARATION)).is_some_and(|told| told.starts_with("a declaration")));
        assert!(refused(&"/".repeat(SOURCE + 1)).is_some_and(|told| told.starts_with("the source")));
    }

    #[test]
    fn braces_and_comments_without_an_end_are_left_to_the_parser() {
        assert_eq!(refused("}}}} /* never closed"), None);
        assert_eq!(refused("/"), None);
    }
}
