//! A diagnostic as one line of JSON.
//!
//! The fields are always present and in this order: `severity`, `message`,
//! `file`, `line`, `column`, `end_line`, `end_column`, `label`, `notes`,
//! `help`, `related`, `rule`, `fixes`. A message without a place has `null` in the
//! five fields of the place. A fix has a `title` and `edits`, which are made
//! together: a place and the text `with` in its stead. The output is plain enough that a JSON library would be a detour.

use std::fmt::Write;

use crate::{Diagnostic, Fix, Replacement, SourceMap, Span};

/// Writes a diagnostic and a line end.
pub(crate) fn line(d: &Diagnostic, sources: &SourceMap, out: &mut String) {
    out.push_str("{\"severity\":");
    string(d.severity.name(), out);
    out.push_str(",\"message\":");
    string(&d.message, out);
    place(d.span, sources, out);
    out.push_str(",\"label\":");
    string(&d.label, out);
    out.push_str(",\"notes\":");
    list(&d.notes, out, |text, out| string(text, out));
    out.push_str(",\"help\":");
    list(&d.help, out, |text, out| string(text, out));
    out.push_str(",\"related\":");
    list(&d.related, out, |(span, text), out| {
        out.push_str("{\"message\":");
        string(text, out);
        place(Some(*span), sources, out);
        out.push('}');
    });
    out.push_str(",\"rule\":");
    match d.rule {
        Some(rule) => string(rule, out),
        None => out.push_str("null"),
    }
    out.push_str(",\"fixes\":");
    list(&d.fixes, out, |one, out| fix(one, sources, out));
    out.push_str("}\n");
}

fn fix(fix: &Fix, sources: &SourceMap, out: &mut String) {
    out.push_str("{\"title\":");
    string(&fix.title(sources.text(fix.span().file)), out);
    out.push_str(",\"edits\":");
    list(&fix.edits, out, |Replacement { span, with }, out| {
        out.push_str("{\"with\":");
        string(with, out);
        place(Some(*span), sources, out);
        out.push('}');
    });
    out.push('}');
}

fn place(span: Option<Span>, sources: &SourceMap, out: &mut String) {
    let Some(span) = span else {
        out.push_str(r#","file":null,"line":null,"column":null,"end_line":null,"end_column":null"#);
        return;
    };
    let at = sources.locate(span);
    out.push_str(",\"file\":");
    let (file, line) = sources.stated(span.file, span.start);
    string(file, out);
    let (start, end) = (at.start, at.end);
    let end_line = line.saturating_add(end.line - start.line);
    let _ = write!(
        out,
        r#","line":{line},"column":{},"end_line":{end_line},"end_column":{}"#,
        start.column, end.column
    );
}

fn list<T>(items: &[T], out: &mut String, each: impl Fn(&T, &mut String)) {
    out.push('[');
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        each(item, out);
    }
    out.push(']');
}

fn string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
