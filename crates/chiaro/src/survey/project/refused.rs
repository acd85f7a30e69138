//! What the reader of TOML does not take, in words of the project file: what has to stand there, and how it is written.

use chiaro_diag::{Diagnostic, FileId, did_you_mean};

/// Every key with how it is written.
const WRITTEN: [(&str, &str); 13] = [
    ("shaders", "shaders = [\"shaders\", \"ui/**/*.frag\"]"),
    ("targets", "targets = [\"pica200\", \"a3xx\"]"),
    ("include", "include = [\"include\"]"),
    ("baseline", "baseline = \"chiaro.baseline\""),
    ("variant", "[[variant]], and below it name = \"fog\""),
    ("name", "name = \"fog\""),
    ("define", "define = { FOG = 1 }"),
    ("spec", "spec = { steps = 3 }"),
    ("matrix", "[matrix], and below it LIGHTS = [1, 2, 4]"),
    ("settings", "[settings], and below it wave = 32"),
    ("budget", "[[budget]], and below it growth = \"5%\""),
    ("most", "most = { words = 300 }"),
    ("growth", "growth = \"5%\""),
];

/// What the reader calls things, and what people do.
const WORDS: [(&str, &str); 11] = [
    ("a sequence", "a list"),
    ("a map", "a table"),
    ("struct WrittenVariant", "a table"),
    ("struct WrittenBudget", "a table"),
    ("u64", "a whole number from 0 on"),
    ("f64", "a number"),
    ("path string", "a text in quotes"),
    ("a string", "a text in quotes"),
    ("map", "a table"),
    ("sequence", "a list"),
    ("string", "the text"),
];

/// An error of the reader; an unknown key comes with the nearest one, what is of the wrong kind with how it is written.
pub(super) fn refused(error: &toml::de::Error, text: &str, file: FileId) -> Diagnostic {
    let message = error.message().trim();
    if let Some(unknown) = unknown_key(error, text, file) {
        return unknown;
    }
    let span = error.span().map(|range| file.span(range));
    let told = Diagnostic::error(span, in_words(message));
    match error.span().and_then(|range| written(text, range.start)) {
        Some(example) if !told.message.starts_with(message) => {
            told.help(format!("it is written so: {example}"))
        }
        _ => told,
    }
}

fn unknown_key(error: &toml::de::Error, text: &str, file: FileId) -> Option<Diagnostic> {
    let message = error.message();
    let unknown = message.strip_prefix("unknown field `")?.split('`').next()?;
    let known = message.split_once("expected one of ").or(message.split_once("expected "))?.1;
    let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
    // The reader points at the table; the key itself says more.
    let key = text.match_indices(unknown).map(|(at, _)| at).find(|&at| {
        let before = text[..at].rsplit('\n').next().unwrap_or_default();
        before.chars().all(|c| c.is_whitespace() || c == '[')
    });
    let range = key.map(|at| at..at + unknown.len()).or(error.span());
    let error =
        Diagnostic::error(range.map(|range| file.span(range)), format!("there is no key `{unknown}` here"));
    Some(match did_you_mean(unknown, known.iter().copied()) {
        Some(near) => error.help(format!("is `{near}` meant?")),
        None => error.help(format!("there are {}", known.join(", "))),
    })
}

/// What is wrong with a value, without names of types; other messages as they are.
fn in_words(message: &str) -> String {
    if let Some(key) = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        return format!("`{key}` has to stand here");
    }
    if message.contains("untagged enum Scalar") {
        return "a number, a text in quotes, `true` or `false` has to stand here".to_owned();
    }
    let kinds = message.strip_prefix("invalid type: ").or(message.strip_prefix("invalid value: "));
    let Some((found, wanted)) = kinds.and_then(|kinds| kinds.split_once(", expected ")) else {
        return message.to_owned();
    };
    // What is found is a kind, with its value behind it.
    let (kind, value) =
        found.split_once(' ').map_or((found, String::new()), |(kind, value)| (kind, format!(" {value}")));
    format!("here has to stand {}, not {}{value}", spoken(wanted), spoken(kind))
}

fn spoken(kind: &str) -> &str {
    WORDS.iter().find(|(theirs, _)| *theirs == kind).map_or(kind, |(_, ours)| ours)
}

/// How the key of a place is written: that of its line, or of the table that the line is in.
fn written(text: &str, at: usize) -> Option<&'static str> {
    let until = text[at..].find('\n').map_or(text.len(), |end| at + end);
    let key = |line: &str| {
        let name = line.trim_start_matches([' ', '\t', '[']).split([' ', '=', ']', '.']).next()?.to_owned();
        WRITTEN.iter().find(|(known, _)| *known == name).map(|(_, example)| *example)
    };
    let mut lines = text[..until].lines().rev();
    key(lines.next()?).or_else(|| lines.find(|line| line.trim_start().starts_with('[')).and_then(key))
}
