//! JSON that people write: keys of parts, inputs of runs, scenes.

use chiaro_diag::{Diagnostic, FileId, Span};
use serde_json::Value;

/// The value of a text of the source map.
///
/// # Errors
/// Where it is no JSON, and why.
pub fn read(file: FileId, text: &str) -> Result<Value, Box<Diagnostic>> {
    serde_json::from_str(text).map_err(|error| {
        let above = error.line().saturating_sub(1);
        let start: usize = text.split_inclusive('\n').take(above).map(str::len).sum();
        let line = text[start..].lines().next().unwrap_or_default();
        let at = start + error.column().saturating_sub(1).min(line.len());
        let end = (at + 1).min(start + line.len());
        // The library adds the place at the end; the diagnostic has one of its own.
        let told = error.to_string();
        let why = told.split(" at line ").next().unwrap_or_default();
        let span = Span { file, start: at as u32, end: end as u32 };
        Box::new(Diagnostic::error(span, format!("not JSON: {why}")))
    })
}

#[cfg(test)]
mod tests {
    use chiaro_diag::SourceMap;

    /// Line and column of what is wrong.
    fn place(text: &str) -> Option<(u32, u32)> {
        let mut sources = SourceMap::new();
        let file = sources.add("a.json", text);
        let error = super::read(file, text).err()?;
        assert!(error.message.starts_with("not JSON: ") && !error.message.contains("line"), "{error:?}");
        let start = sources.locate(error.span?).start;
        Some((start.line, start.column))
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        assert_eq!(place("{\"a\": [1]}"), None);
        assert_eq!(place("{\n  \"a\": [1, 2,\r\n}}\n"), Some((3, 1)));
        assert_eq!(place("{\"a\": x}"), Some((1, 7)));
        // What is missing is missing at the end.
        assert_eq!(place("{\n\"a\": 1\n"), Some((3, 1)));
    }
}
