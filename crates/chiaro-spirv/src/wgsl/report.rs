//! naga's errors as diagnostics.

use std::error::Error;
use std::ops::Range;

use chiaro_diag::{Diagnostic, FileId, Span};
use naga::WithSpan;
use naga::back::pipeline_constants::PipelineConstantError;
use naga::back::spv;
use naga::front::wgsl::ParseError;
use naga::valid::{EntryPointError, FunctionError, ValidationError};

/// Prefixes that are tried to find the cause of a panic, at most.
const MOST_PREFIXES: usize = 200;

/// A mistake that the parser or the type checker found.
pub(super) fn parse(error: &ParseError, file: FileId) -> Diagnostic {
    let mut labels = error.labels().filter_map(|(span, label)| Some((place(span, file)?, label)));
    let mut out = match labels.next() {
        Some((span, label)) => Diagnostic::error(span, error.message()).label(label),
        None => Diagnostic::error(None, error.message()),
    };
    out.related.extend(labels.map(|(span, label)| (span, label.to_owned())));
    out.notes.extend(error.notes().map(str::to_owned));
    out
}

/// A mistake that the validator found: the innermost cause is the message, the smallest place
/// that naga names is the place.
pub(super) fn validation(error: &WithSpan<ValidationError>, source: &Origin<'_>) -> Diagnostic {
    let mut chain = causes(error);
    let innermost = chain.pop().unwrap_or_default();
    let mut places: Vec<(Span, String)> = error
        .spans()
        .filter_map(|(span, label)| Some((place(*span, source.file)?, readable(label).to_owned())))
        .collect();
    let found = source.place_of(error.as_inner());
    places.extend(found.map(|span| (span, String::new())));
    places.sort_by_key(|(span, _)| span.end - span.start);
    let mut places = places.into_iter();
    let mut out = match places.next() {
        Some((span, label)) => Diagnostic::error(span, sentence(&innermost)).label(label),
        None => Diagnostic::error(None, sentence(&innermost)),
    };
    out.related.extend(places.filter(|(_, label)| !label.is_empty()));
    out.notes.extend(chain.into_iter().rev().map(|cause| format!("in: {}", sentence(&cause))));
    out
}

/// A source and what naga read from it.
pub(super) struct Origin<'a> {
    /// The source.
    pub(super) text: &'a str,
    /// Its file.
    pub(super) file: FileId,
    /// The module that it became.
    pub(super) ir: &'a naga::Module,
}

impl Origin<'_> {
    /// The expression or the entry point that an error is about; naga tells only its number
    /// or name.
    fn place_of(&self, error: &ValidationError) -> Option<Span> {
        match error {
            ValidationError::Function { handle, source, .. } => {
                self.expression(&self.ir.functions[*handle], source)
            }
            ValidationError::EntryPoint { stage, name, source } => {
                let is_it = |e: &&naga::EntryPoint| e.stage == *stage && e.name == *name;
                let entry = self.ir.entry_points.iter().find(is_it)?;
                let found = match source {
                    EntryPointError::Function(source) => self.expression(&entry.function, source),
                    _ => None,
                };
                found.or_else(|| self.head(name))
            }
            _ => None,
        }
    }

    fn expression(&self, function: &naga::Function, error: &FunctionError) -> Option<Span> {
        let FunctionError::Expression { handle, .. } = error else { return None };
        place(function.expressions.get_span(*handle), self.file)
    }

    /// The name in a function's head.
    fn head(&self, name: &str) -> Option<Span> {
        let is_head = |at: &usize| {
            let before = self.text[..*at].trim_end();
            before.len() < *at && before.ends_with("fn")
        };
        let at = self.text.match_indices(name).map(|(at, _)| at).find(is_head)?;
        Some(self.file.span(at..at + name.len()))
    }
}

/// A message as ours are spelled: it starts with a small letter unless that is a name.
fn sentence(message: &str) -> String {
    match message.split_at_checked(1) {
        Some((first, rest)) if rest.starts_with(|c: char| c.is_lowercase() || c == ' ') => {
            first.to_lowercase() + rest
        }
        _ => message.to_owned(),
    }
}

/// The messages of an error and its sources, the outermost first, each once.
fn causes(error: &dyn Error) -> Vec<String> {
    let mut chain: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        if chain.last() != Some(&text) {
            chain.push(text);
        }
        next = error.source();
    }
    chain
}

/// naga labels some places with the numbers of its own data, which tell people nothing.
fn readable(label: &str) -> &str {
    if label.starts_with("naga::") { "" } else { label }
}

/// A mistake with overrides.
pub(super) fn overrides(error: &PipelineConstantError, source: &Origin<'_>) -> Diagnostic {
    use PipelineConstantError as E;
    let ir = source.ir;
    let known = || {
        let key = |o: &naga::Override| o.id.map(|id| id.to_string()).or_else(|| o.name.clone());
        let keys: Vec<String> = ir.overrides.iter().filter_map(|(_, o)| key(o)).collect();
        if keys.is_empty() {
            "the source has no overrides".to_owned()
        } else {
            format!("the overrides are: {}", keys.join(", "))
        }
    };
    match error {
        E::NotFound(key) => Diagnostic::error(None, format!("there is no override `{key}`")).note(known()),
        E::MissingValue(key) => {
            let is_it = |o: &naga::Override| {
                o.name.as_ref() == Some(key) || o.id.is_some_and(|id| id.to_string() == *key)
            };
            let found = ir.overrides.iter().find(|(_, o)| is_it(o)).map(|(handle, _)| handle);
            let span = found.and_then(|handle| place(ir.overrides.get_span(handle), source.file));
            Diagnostic::error(span, format!("the override `{key}` has no value"))
                .label("no initial value, and none is given")
        }
        E::ValidationError(error) => validation(error, source),
        other => Diagnostic::error(None, sentence(&other.to_string())),
    }
}

/// A valid module that naga cannot write.
pub(super) fn not_written(error: &spv::Error) -> Diagnostic {
    let out = Diagnostic::error(None, format!("naga cannot write this as SPIR-V: {error}"));
    match error {
        spv::Error::FeatureNotImplemented(_) => out,
        _ => out.note("the source is valid; this is a bug of this program"),
    }
}

/// A panic of naga.
pub(super) fn panicked(span: Option<Span>, message: &str) -> Diagnostic {
    Diagnostic::error(span, "naga, which reads WGSL, failed at this source")
        .label(if span.is_some() { "it fails as soon as it reads this" } else { "" })
        .note(format!("its last words: {message}"))
        .note("this is a bug of this program, whatever the source holds; please report it")
}

/// The declaration that makes naga panic: the last one of the shortest text that does.
pub(super) fn blame(text: &str, panics: impl Fn(&str) -> bool) -> Option<Range<usize>> {
    let declarations = declarations(text);
    let found = declarations.into_iter().take(MOST_PREFIXES).find(|d| panics(&text[..d.end]))?;
    let blank = text[found.clone()].len() - text[found.clone()].trim_start().len();
    Some(found.start + blank..found.end)
}

/// Where declarations at the outermost level stand: each ends with `;` or a closing brace.
fn declarations(text: &str) -> Vec<Range<usize>> {
    let (mut depth, mut start, mut out) = (0u32, 0, Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && matches!(byte, b';' | b'}') {
            out.push(start..at + 1);
            start = at + 1;
        }
    }
    out
}

fn place(span: naga::Span, file: FileId) -> Option<Span> {
    Some(file.span(span.to_range()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_declaration_that_makes_it_panic_is_blamed() {
        let text = "struct A { a: u32 }\nconst b = 1;\n fn c() { if true { } }\nconst d = 2;";
        let found = blame(text, |prefix| prefix.contains("if true"));
        assert_eq!(found.map(|bytes| &text[bytes]), Some("fn c() { if true { } }"));
        assert_eq!(blame(text, |_| false), None);
    }
}
