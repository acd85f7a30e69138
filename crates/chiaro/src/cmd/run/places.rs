//! Where a file of inputs names what it gives values to.

use chiaro_diag::{FileId, Span};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::inputs::RESOURCES;

/// The names of uniforms, buffers and images, each with its place. Of a text that is no JSON there is none.
pub fn places(file: FileId, text: &str) -> Vec<(String, Span)> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let root = parsed.ok().and_then(|parsed| parsed.value);
    let top = root.as_ref().and_then(|value| value.as_object());
    let kinds = top.into_iter().flat_map(|top| &top.properties);
    let given = kinds.filter(|kind| RESOURCES.contains(&kind.name.as_str()));
    let members = given.filter_map(|kind| kind.value.as_object()).flat_map(|object| &object.properties);
    members
        .map(|member| {
            let range = member.name.range();
            (member.name.as_str().to_owned(), file.span(range.start..range.end))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use chiaro_diag::SourceMap;

    #[test]
    fn names_have_places() {
        let text = "{\n  \"uniforms\": { \"a\": 1,\n    \"b\": [2] },\n  \"vertices\": []\n}";
        let mut sources = SourceMap::new();
        let file = sources.add("a.json", text);
        let places = super::places(file, text);
        let found = places.iter().map(|(name, span)| {
            let start = sources.locate(*span).start;
            (name.as_str(), start.line, start.column)
        });
        assert_eq!(found.collect::<Vec<_>>(), [("a", 2, 17), ("b", 3, 5)]);
        assert!(super::places(file, "{").is_empty());
    }
}
