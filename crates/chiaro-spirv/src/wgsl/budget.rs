//! What a WGSL source may take of the reader.
//!
//! naga's stack grows with the length of a chain of operators, its time with the square of a
//! function's expressions: its type checker walks over all of them for each new one. Tokens are
//! counted before it starts, and their cost is taken from the budget of the compilation.

use std::ops::Range;

use chiaro_diag::{Budget, Diagnostic, FileId};

/// Tokens between two semicolons or braces; a term of a sum is two. [measured: naga's stack]
const STATEMENT: usize = 1 << 15;

/// Tokens of a declaration whose square costs a step of the budget. [measured: naga's time]
const SQUARE: usize = 512;

/// Bytes of a source.
const SOURCE: usize = 8 << 20;

/// Takes what a source costs naga from the budget.
///
/// # Errors
/// The first part of it that is too large, with its size and what is allowed.
pub(super) fn take(text: &str, file: FileId, budget: &Budget) -> Result<(), Box<Diagnostic>> {
    if text.len() > SOURCE {
        return Err(Box::new(too_large("the source", text.len(), SOURCE, "bytes", file.span(0..0))));
    }
    let mut meter = Meter::default();
    let mut steps = 0;
    for (at, token) in tokens(text) {
        meter.add(token);
        if meter.statement > STATEMENT {
            let used = meter.statement;
            return Err(Box::new(too_large("a statement", used, STATEMENT, "tokens", file.span(at))));
        }
        // The next token of n makes 2 n - 1 more of the square.
        steps += 1 + 2 * meter.declaration;
        if steps >= SQUARE {
            budget.work("naga", steps / SQUARE).map_err(|exceeded| too_much(exceeded.at(file.span(at))))?;
            steps %= SQUARE;
        }
    }
    Ok(())
}

fn too_large(what: &str, used: usize, allowed: usize, unit: &str, span: chiaro_diag::Span) -> Diagnostic {
    Diagnostic::error(span, format!("{what} is larger than chiaro reads"))
        .note(format!("it has {used} {unit} up to here, {allowed} are allowed"))
        .help("split it into several functions or statements")
}

fn too_much(mut error: Diagnostic) -> Box<Diagnostic> {
    error.notes.push("reading a function takes time with the square of its length".into());
    error.help.splice(.., ["split it into several functions".into()]);
    Box::new(error)
}

/// Counts of the statement and the declaration at hand.
#[derive(Default)]
struct Meter {
    depth: usize,
    /// Tokens between two semicolons or braces.
    statement: usize,
    /// Tokens of a declaration at the outermost level: a function, mostly.
    declaration: usize,
}

impl Meter {
    fn add(&mut self, token: u8) {
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
        take(text, file, &Budget::default())
            .err()
            .map(|error| format!("{}; {}", error.message, error.notes.join("; ")))
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
            "a statement is larger than chiaro reads; it has 32769 tokens up to here, 32768 are allowed";
        assert_eq!(refused(&sum(STATEMENT)).as_deref(), Some(message));
        assert!(refused(&"/".repeat(SOURCE + 1)).is_some_and(|told| told.starts_with("the source")));
    }

    #[test]
    fn functions_cost_the_square_of_their_length() {
        let body = |statements: usize| format!("fn f() {{ {} }} ", "a = a;".repeat(statements));
        // 65,536 tokens in one function are as much as 64 times 8,192.
        assert_eq!(refused(&body(16_000)), None);
        assert_eq!(refused(&body(2_000).repeat(63)), None);
        for much in [body(17_000), body(2_100).repeat(64)] {
            let told = refused(&much).unwrap();
            assert!(told.contains("more work") && told.contains("8388608 are allowed"), "{told}");
        }
    }

    #[test]
    fn braces_and_comments_without_an_end_are_left_to_the_parser() {
        assert_eq!(refused("}}}} /* never closed"), None);
        assert_eq!(refused("/"), None);
    }
}
