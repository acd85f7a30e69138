//! Machine code with the source lines beside it, and the summary.

use std::fmt::Write;

use chiaro::{CompiledShader, Line, Target};

use crate::cmd::report::text;
use crate::digits;
use crate::shell::Shell;

/// Column of the source text.
const COLUMN: usize = 58;

/// The listing, then the summary.
pub fn listing(compiled: &CompiledShader, target: &dyn Target, shell: &Shell) -> String {
    let set = target.instructions(&[]).ok();
    let mut out = String::new();
    let mut last = None;
    let code = &compiled.code;
    for (at, line) in code.lines.iter().enumerate() {
        let words = set.map(|set| digits::groups(set, code.bytes_of(line))).unwrap_or_default();
        let text = format!("{at:03x}  {}  {}", words.join(" "), line.text);
        let source = source(line, shell).filter(|source| last.as_ref() != Some(source));
        match source {
            Some(source) => {
                let _ = writeln!(out, "{text:<COLUMN$} ; {source}");
                last = Some(source);
            }
            None => {
                let _ = writeln!(out, "{text}");
            }
        }
    }
    out.push('\n');
    text::summary(&compiled.report, &mut out);
    out
}

/// Number and text of the source line that an instruction comes from.
fn source(line: &Line, shell: &Shell) -> Option<String> {
    let span = line.span?;
    let n = shell.sources.locate(span).start.line;
    let range = shell.sources.lines(span.file, n, n);
    let text = shell.sources.text(span.file).get(range)?.trim();
    Some(format!("{n}: {text}"))
}
