//! JSON in which every value keeps its place, read strictly: what is not known is an error where it stands.

use std::ops::{Range, RangeInclusive};

use chiaro_diag::{Diagnostic, FileId, did_you_mean};
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// Reads values and keeps what is wrong with them.
pub(super) struct Reader {
    file: FileId,
    /// What was found so far.
    pub(super) found: Vec<Diagnostic>,
}

/// JSON as the standard has it.
const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Bytes that a value stands at.
pub(super) fn at(value: &Value<'_>) -> Range<usize> {
    let range = value.range();
    range.start..range.end
}

/// The value of a text.
pub(super) fn parse(text: &str, file: FileId) -> Result<Value<'_>, Box<Diagnostic>> {
    let wrong = |at: Range<usize>, why: String| Box::new(Diagnostic::error(file.span(at), why));
    let parsed = parse_to_ast(text, &CollectOptions::default(), &STRICT).map_err(|error| {
        let range = error.range();
        wrong(range.start..range.end, format!("not JSON: {}", error.kind()))
    })?;
    parsed.value.ok_or_else(|| wrong(0..text.len().min(1), "the file is empty".to_owned()))
}

impl Reader {
    pub(super) fn new(file: FileId) -> Reader {
        Reader { file, found: Vec::new() }
    }

    /// A place in the file.
    pub(super) fn span(&self, at: Range<usize>) -> chiaro_diag::Span {
        self.file.span(at)
    }

    /// Keeps an error.
    pub(super) fn error(&mut self, at: Range<usize>, message: impl Into<String>) -> &mut Diagnostic {
        let at = self.file.span(at);
        self.found.push(Diagnostic::error(at, message));
        let last = self.found.len() - 1;
        &mut self.found[last]
    }

    /// An object whose names are all known, none twice.
    pub(super) fn object<'v, 'a>(
        &mut self,
        value: &'v Value<'a>,
        what: &str,
        known: &[&str],
    ) -> Option<&'v Object<'a>> {
        let Some(object) = value.as_object() else {
            self.error(at(value), format!("{what} is an object"));
            return None;
        };
        for (n, property) in object.properties.iter().enumerate() {
            let name = property.name.as_str();
            let place = property.name.range();
            let place = place.start..place.end;
            let twice = object.properties[..n].iter().any(|before| before.name.as_str() == name);
            if twice {
                self.error(place, format!("{what} has `{name}` twice"));
            } else if !known.contains(&name) {
                let meant = did_you_mean(name, known.iter().copied());
                let error = self.error(place, format!("{what} has no `{name}`"));
                error.notes.push(format!("there are {}", known.join(", ")));
                error.help.extend(meant.map(|name| format!("did you mean `{name}`?")));
            }
        }
        Some(object)
    }

    /// A value of an object that has to be there.
    pub(super) fn need<'v, 'a>(
        &mut self,
        object: &'v Object<'a>,
        what: &str,
        name: &str,
    ) -> Option<&'v Value<'a>> {
        let found = object.get(name).map(|property| &property.value);
        if found.is_none() {
            let start = object.range.start;
            self.error(start..start + 1, format!("{what} lacks `{name}`"));
        }
        found
    }

    /// A whole number within bounds.
    pub(super) fn number(
        &mut self,
        value: &Value<'_>,
        what: &str,
        bounds: RangeInclusive<u16>,
    ) -> Option<u16> {
        let number = value.as_number_lit().and_then(|number| number.value.parse().ok());
        let number = number.filter(|number| bounds.contains(number));
        if number.is_none() {
            let (low, high) = (bounds.start(), bounds.end());
            self.error(at(value), format!("{what} is a whole number from {low} to {high}"));
        }
        number
    }

    /// A text.
    pub(super) fn text(&mut self, value: &Value<'_>, what: &str) -> Option<String> {
        let text = value.as_string_lit().map(|text| text.value.to_string());
        if text.is_none() {
            self.error(at(value), format!("{what} is a text"));
        }
        text
    }

    /// One of some names.
    pub(super) fn one_of<T: Copy>(&mut self, value: &Value<'_>, what: &str, all: &[(&str, T)]) -> Option<T> {
        let text = value.as_string_lit().map(|text| text.value.as_ref());
        let found = all.iter().find(|(name, _)| Some(*name) == text).map(|(_, meaning)| *meaning);
        if found.is_none() {
            let names: Vec<String> = all.iter().map(|(name, _)| format!("`{name}`")).collect();
            self.error(at(value), format!("{what} is {}", names.join(" or ")));
        }
        found
    }
}
