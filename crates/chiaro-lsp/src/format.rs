//! Assembly in one look: labels and directives at the margin, instructions behind it, one blank behind each
//! comma, comments where they were. No word, and no order of words, changes.

use std::ops::Range;

use chiaro_target::Lexis;
use lsp_types::TextEdit;

use crate::statement::{What, statements};
use crate::{Document, Language};

/// Blanks before an instruction.
const INDENT: usize = 4;

/// Edits that bring lines of a document into form; none for languages that are not assemblies.
#[must_use]
pub fn format(document: &Document, lines: Range<usize>) -> Vec<TextEdit> {
    let Some(Language::Assembly(_, dialect)) = document.readable() else { return Vec::new() };
    let lines = lines.start..lines.end.min(document.line_count());
    let edit = |line: usize| {
        let (start, old) = (document.line_start(line), document.line_text(line));
        let new = formed(&dialect.lexis, old);
        (new != old).then(|| TextEdit { range: document.range(&(start..start + old.len())), new_text: new })
    };
    let foreign = foreign(document);
    lines.filter(|line| !foreign.iter().any(|block| block.contains(line))).filter_map(edit).collect()
}

/// Lines between `.x` and `.end_x`: what is there is the directive's, and may mean something by its blanks.
fn foreign(document: &Document) -> Vec<Range<usize>> {
    let word = |line: usize| document.line_text(line).split_whitespace().next().unwrap_or_default();
    let ends = (0..document.line_count()).filter_map(|end| Some((end, word(end).strip_prefix(".end_")?)));
    let block = |(end, name): (usize, &str)| {
        let begin = (0..end).rev().find(|line| word(*line).strip_prefix('.') == Some(name))?;
        Some(begin + 1..end)
    };
    ends.filter_map(block).collect()
}

/// A line in form.
fn formed(lexis: &Lexis, line: &str) -> String {
    let code = lexis.code(line);
    let comment = line[code.len()..].trim_end();
    let text = spaced(code.trim());
    if text.is_empty() {
        let indent = if code.is_empty() { String::new() } else { " ".repeat(indent_of(code, INDENT)) };
        return if comment.is_empty() { String::new() } else { format!("{indent}{comment}") };
    }
    let first = statements(lexis, line, 0).first().map(|first| first.what);
    let mut out = " ".repeat(match first {
        Some(What::Instruction) => indent_of(code, INDENT).max(INDENT),
        // Directives within loops stay there; labels stand at the margin.
        Some(What::Directive) => columns(code) / INDENT * INDENT,
        Some(What::Label) | None => 0,
    });
    out.push_str(&text);
    if !comment.is_empty() {
        // A comment stays in its column where there is room.
        let column = width(code).max(width(&out) + 1);
        out.extend(std::iter::repeat_n(' ', column - width(&out)));
        out.push_str(comment);
    }
    out
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// The indent of a line in steps; deeper ones, of loops, stay.
fn indent_of(code: &str, least: usize) -> usize {
    let columns = columns(code);
    if columns <= least { columns.min(least) / INDENT * INDENT } else { columns.div_ceil(INDENT) * INDENT }
}

/// Blanks at the start of a line; a tab is as many as a step.
fn columns(code: &str) -> usize {
    let blanks = code.chars().take_while(|c| c.is_whitespace());
    blanks.map(|c| if c == '\t' { INDENT } else { 1 }).sum()
}

/// One blank for several, none before a comma and one behind it. Texts in quotes stay.
fn spaced(code: &str) -> String {
    let mut out = String::with_capacity(code.len() + 8);
    let mut quoted = false;
    for c in code.chars() {
        quoted ^= c == '"';
        match c {
            '"' if quoted => {
                behind_comma(&mut out);
                out.push(c);
            }
            _ if quoted || c == '"' => out.push(c),
            c if c.is_whitespace() => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            ',' => {
                out.truncate(out.trim_end().len());
                out.push(',');
            }
            c => {
                behind_comma(&mut out);
                out.push(c);
            }
        }
    }
    out
}

fn behind_comma(out: &mut String) {
    if out.ends_with(',') {
        out.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEXIS: Lexis = Lexis { comments: &[";"], separator: None, directives: &[] };

    #[test]
    fn lines_come_into_form_and_stay_in_it() {
        let cases = [
            ("mov  r0.x ,v0   ; copy", "    mov r0.x, v0 ; copy"),
            ("    mov r0, v0      ; its column", "    mov r0, v0      ; its column"),
            ("\tadd r0,r1,  r2", "    add r0, r1, r2"),
            ("  again:", "again:"),
            (".proc   main  ", ".proc main"),
            ("      nop", "        nop"),
            (".symbol \"a  ,b\",1", ".symbol \"a  ,b\", 1"),
            ("   ; alone  ", "; alone"),
            ("   ", ""),
        ];
        for (before, after) in cases {
            let made = formed(&LEXIS, before);
            assert_eq!(made, after, "{before:?}");
            assert_eq!(formed(&LEXIS, &made), made, "{before:?} is formed twice");
        }
    }
}
