//! Grammars for editors that colour by patterns: made of the rows, tables and words that everything else
//! reads, so that an instruction that arrives is coloured without another line.

use chiaro_spirv::wgsl::words::{KEYWORDS, predeclared};
use chiaro_target::{Dialect, Target, Targets};
use serde_json::{Value as Json, json};

use crate::language::id_of;
use crate::vocabulary::rows;

/// A language as VS Code has it: its name, and its grammar in TextMate's form.
#[derive(Clone, PartialEq, Debug)]
pub struct Grammar {
    /// The editor's name for the language.
    pub id: String,
    /// A name for people.
    pub title: String,
    /// Endings of its files.
    pub endings: Vec<String>,
    /// What begins a comment up to the end of the line.
    pub comment: &'static str,
    /// The grammar.
    pub patterns: Json,
}

/// The grammars of all languages.
#[must_use]
pub fn grammars(targets: Targets) -> Vec<Grammar> {
    let all = targets
        .iter()
        .flat_map(|target| target.about().dialects.iter().map(move |dialect| (target, dialect)));
    let assemblies = all.map(|(target, dialect)| assembly(target, dialect));
    [glsl(), wgsl()].into_iter().chain(assemblies).collect()
}

fn pattern(scope: &str, matched: &str) -> Json {
    json!({ "name": scope, "match": matched })
}

/// Words as one pattern, the longer first.
fn words<'a>(all: impl Iterator<Item = &'a str>) -> String {
    let mut all: Vec<String> = all.filter(|word| !word.is_empty()).map(escaped).collect();
    all.sort_by_key(|word| (std::cmp::Reverse(word.len()), word.clone()));
    all.dedup();
    format!("(?<![\\w.])(?:{})(?!\\w)", all.join("|"))
}

fn escaped(word: &str) -> String {
    word.chars()
        .flat_map(|c| (!c.is_alphanumeric() && c != '_').then_some('\\').into_iter().chain([c]))
        .collect()
}

const NUMBER: &str =
    "(?<![\\w.])(?:0[xX][0-9a-fA-F]+|(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?)[a-zA-Z]{0,2}(?!\\w)";

fn of_c(id: &str, title: &str, endings: Vec<String>, own: Vec<Json>) -> Grammar {
    let mut patterns = vec![
        pattern(&format!("comment.line.double-slash.{id}"), "//.*$"),
        json!({ "name": format!("comment.block.{id}"), "begin": "/\\*", "end": "\\*/" }),
    ];
    patterns.extend(own);
    patterns.push(pattern(&format!("constant.numeric.{id}"), NUMBER));
    patterns.push(pattern(&format!("entity.name.function.{id}"), "\\b[A-Za-z_]\\w*(?=\\s*\\()"));
    Grammar {
        id: id.to_owned(),
        title: title.to_owned(),
        endings,
        comment: "//",
        patterns: json!({ "name": title, "scopeName": format!("source.{id}"), "patterns": patterns }),
    }
}

fn glsl() -> Grammar {
    let of = |types: bool| {
        chiaro_glsl::vocabulary::all_words().filter(move |word| word.1 == types).map(|word| word.0)
    };
    let functions = chiaro_glsl::builtin::functions::names().map(|row| row.name);
    let endings = chiaro_glsl::source::Stage::ENDINGS.iter().map(|(ending, _)| format!(".{ending}"));
    let own = vec![
        pattern("meta.preprocessor.glsl", "^\\s*#\\s*\\w+"),
        pattern("keyword.control.glsl", &words(of(false))),
        pattern("storage.type.glsl", &words(of(true))),
        pattern("support.function.glsl", &words(functions)),
        pattern("support.variable.glsl", "\\bgl_\\w+"),
    ];
    of_c("glsl", "GLSL", endings.chain([".glsl".to_owned()]).collect(), own)
}

fn wgsl() -> Grammar {
    let own = vec![
        pattern("entity.other.attribute-name.wgsl", "@\\w+"),
        pattern("keyword.control.wgsl", &words(KEYWORDS.iter().copied())),
        pattern("support.function.wgsl", &words(predeclared().iter().copied())),
    ];
    of_c("wgsl", "WGSL", vec![".wgsl".to_owned()], own)
}

fn assembly(target: &dyn Target, dialect: &Dialect) -> Grammar {
    let id = id_of(target, dialect);
    let rows = rows(target, dialect);
    let scope = |kind: &str| format!("{kind}.{id}");
    let comments: Vec<String> = dialect.lexis.comments.iter().map(|comment| escaped(comment)).collect();
    let patterns = vec![
        pattern(&scope("comment.line"), &format!("(?:{}).*$", comments.join("|"))),
        pattern(&scope("string.quoted.double"), "\"[^\"]*\""),
        pattern(&scope("entity.name.function"), "^\\s*[\\w.$]+(?=\\s*:)"),
        pattern(&scope("keyword.control.directive"), "(?<![\\w)\\]])[.@][A-Za-z_]\\w*"),
        pattern(&scope("support.function.mnemonic"), &words(rows.iter().map(|row| row.name.as_str()))),
        pattern(&scope("variable.language.register"), "(?<![\\w.])[a-z]{1,3}\\d+[lh]?(?!\\w)"),
        pattern(&scope("constant.numeric"), NUMBER),
    ];
    let about = target.about();
    let title = format!("{} assembly ({})", about.name, dialect.name);
    Grammar {
        endings: dialect.endings.split(' ').filter(|ending| !ending.is_empty()).map(str::to_owned).collect(),
        comment: dialect.lexis.comments.first().copied().unwrap_or(";"),
        patterns: json!({ "name": title, "scopeName": format!("source.{id}"), "patterns": patterns }),
        id,
        title,
    }
}
