//! Lines of assemblies taken apart as far as every language has it: labels, directives, instructions.

use std::ops::Range;

use chiaro_target::Lexis;

/// What stands in a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// `name:`, without the colon.
    Label,
    /// `.proc main`, `@in(r0.x)`.
    Directive,
    /// An instruction, or the unit of one.
    Instruction,
}

/// Something that stands in a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// What it is.
    pub what: What,
    /// Its bytes in the text, without blanks around them.
    pub at: Range<usize>,
}

/// What a line says that begins at byte `start` of the text.
#[must_use]
pub fn statements(lexis: &Lexis, line: &str, start: usize) -> Vec<Statement> {
    let code = lexis.code(line);
    let (mut all, mut at) = (Vec::new(), listed(code));
    while let Some((name, rest)) = label(&code[at..]) {
        let name = at + name.start..at + name.end;
        all.push(Statement { what: What::Label, at: start + name.start..start + name.end });
        at += rest;
    }
    let separator = lexis.separator.unwrap_or('\0');
    for part in code[at..].split(separator) {
        let text = part.trim();
        let begin = start + at + (part.len() - part.trim_start().len());
        at += part.len() + separator.len_utf8();
        if !text.is_empty() {
            let what = match text.starts_with(['.', '@']) && !is_field(text) {
                true => What::Directive,
                false => What::Instruction,
            };
            all.push(Statement { what, at: begin..begin + text.len() });
        }
    }
    all
}

/// A raw field of a unit, `.name=3`, is no directive.
fn is_field(text: &str) -> bool {
    text[1..].trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').starts_with('=')
}

/// The place and the bytes that a listing shows before its text: `1c: 3800 `, `12[57305b00_00002000] `.
fn listed(code: &str) -> usize {
    let trimmed = code.trim_start();
    let blanks = code.len() - trimmed.len();
    let hex = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'_' || b == b'x')
    };
    let digits = trimmed.bytes().take_while(u8::is_ascii_hexdigit).count();
    let rest = &trimmed[digits..];
    let columns = match rest.as_bytes().first() {
        Some(b'[') if digits > 0 => rest.find(']').filter(|&end| hex(&rest[1..end])).map(|end| end + 1),
        Some(b':') if digits > 0 => {
            let words = rest[1..].trim_start();
            let length = words.find(' ').unwrap_or(words.len());
            hex(&words[..length]).then_some(rest.len() - words.len() + length).filter(|_| length > 1)
        }
        _ => None,
    };
    columns.map_or(0, |length| blanks + digits + length)
}

/// A label at the start, and where what follows its colon begins.
fn label(code: &str) -> Option<(Range<usize>, usize)> {
    let start = code.len() - code.trim_start().len();
    let length = code[start..].bytes().take_while(|&b| is_name_byte(b)).count();
    let end = start + length;
    let starts = code.as_bytes().get(start).is_some_and(|b| !b.is_ascii_digit() && is_name_byte(*b));
    let rest = &code[end..];
    let colon = rest.len() - rest.trim_start().len();
    (starts && rest.trim_start().starts_with(':')).then_some((start..end, end + colon + 1))
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}

/// The words of a statement: names with the points and dollars that they may begin with.
pub fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            match bytes.get(at)? {
                b'"' => at += 1 + text[at + 1..].find('"').map_or(text.len() - at - 1, |length| length + 1),
                byte if is_word_byte(*byte) || *byte == b'.' && is_first(bytes, at) => break,
                _ => at += 1,
            }
        }
        let start = at;
        at += 1;
        while bytes.get(at).copied().is_some_and(is_word_byte) {
            at += 1;
        }
        Some(start..at)
    })
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// A point begins a word where none ends before it: `.Lend`, not that of `r0.x`.
fn is_first(bytes: &[u8], at: usize) -> bool {
    let follows = bytes.get(at + 1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    follows && before.is_none_or(|b| !is_word_byte(*b) && !matches!(b, b')' | b']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEXIS: Lexis = Lexis { comments: &["//"], separator: Some(';'), directives: &[] };

    fn shown(line: &str) -> Vec<(What, &str)> {
        statements(&LEXIS, line, 0).into_iter().map(|s| (s.what, &line[s.at])).collect()
    }

    #[test]
    fn lines_come_apart() {
        use What::{Directive, Instruction, Label};
        assert_eq!(
            shown("again: .Lx: in0 a0; mul // c; d"),
            [(Label, "again"), (Label, ".Lx"), (Instruction, "in0 a0"), (Instruction, "mul")]
        );
        assert_eq!(
            shown("  .symbol \"a;//b\" kind"),
            [(Directive, ".symbol \"a"), (Instruction, "//b\" kind")]
        );
        assert_eq!(shown("  1c: 3800  mov r0, r1"), [(Instruction, "mov r0, r1")]);
        assert_eq!(shown(" 12[57305b00_00002000] add"), [(Instruction, "add")]);
        assert_eq!(shown(".mul_op=3; end"), [(Instruction, ".mul_op=3"), (Instruction, "end")]);
        assert_eq!(shown("// only"), []);
        assert_eq!(shown("s[4:7]"), [(Instruction, "s[4:7]")]);
    }

    #[test]
    fn words_have_points_only_in_front() {
        let line = "mad r0.xyz, c4[a0.x], .Lend, \"a b\" $1";
        let all: Vec<&str> = words(line).map(|at| &line[at]).collect();
        assert_eq!(all, ["mad", "r0", "xyz", "c4", "a0", "x", ".Lend", "$1"]);
    }
}
