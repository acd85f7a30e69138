//! What the language of a document brings itself: functions, types, words, instructions, directives.

use chiaro_glsl::vocabulary::{EntryKind, vocabulary as of_glsl};
use chiaro_isa::Row;
use chiaro_spirv::wgsl::builtins::{VALUES, builtin};
use chiaro_spirv::wgsl::words::{KEYWORDS, predeclared};
use chiaro_target::lexis::first_word;
use chiaro_target::{Dialect, Target};
use lsp_types::CompletionItemKind;

use crate::{Document, Language, Outline};

/// Something that a language brings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: CompletionItemKind,
    /// How it is written; functions and instructions have several forms.
    pub written: Vec<String>,
    /// What it does, with the source of that.
    pub doc: String,
}

/// All that the language of a document brings.
#[must_use]
pub fn vocabulary(document: &Document, outline: &Outline) -> Vec<Entry> {
    match (&document.language, &outline.dialect) {
        (Some(Language::Glsl(stage)), Some((version, extensions))) => {
            of_glsl(*version, *stage, extensions).into_iter().map(of_entry).collect()
        }
        (Some(Language::Wgsl), _) => {
            let keywords = KEYWORDS.iter().map(|word| bare(word, CompletionItemKind::KEYWORD));
            let functions = predeclared().iter().map(|word| of_wgsl(word, CompletionItemKind::FUNCTION));
            let values = VALUES.iter().map(|value| of_wgsl(value.name, CompletionItemKind::CONSTANT));
            keywords.chain(functions).chain(values).collect()
        }
        (Some(Language::Assembly(target, dialect)), _) => {
            let rows = rows(*target, dialect).into_iter().map(of_row);
            rows.chain(dialect.lexis.directives.iter().map(|usage| of_directive(usage))).collect()
        }
        _ => Vec::new(),
    }
}

/// The rows of a target's instructions.
#[must_use]
pub fn rows(target: &dyn Target, dialect: &Dialect) -> Vec<Row> {
    target.instructions(&[]).map(|set| set.rows(dialect.name)).unwrap_or_default()
}

fn of_entry(entry: chiaro_glsl::vocabulary::Entry) -> Entry {
    let kind = match entry.kind {
        EntryKind::Function => CompletionItemKind::FUNCTION,
        EntryKind::Variable => CompletionItemKind::VARIABLE,
        EntryKind::Constant => CompletionItemKind::CONSTANT,
        EntryKind::Type => CompletionItemKind::STRUCT,
        EntryKind::Keyword => CompletionItemKind::KEYWORD,
    };
    Entry { name: entry.name.to_owned(), kind, written: entry.written, doc: String::new() }
}

fn bare(word: &str, kind: CompletionItemKind) -> Entry {
    Entry { name: word.to_owned(), kind, written: Vec::new(), doc: String::new() }
}

/// A word that WGSL declares; types have neither forms nor a text.
fn of_wgsl(word: &str, kind: CompletionItemKind) -> Entry {
    match builtin(word) {
        None => bare(word, CompletionItemKind::STRUCT),
        Some(known) => Entry {
            name: word.to_owned(),
            kind,
            written: known.forms.iter().map(|form| (*form).to_owned()).collect(),
            doc: known.doc.to_owned(),
        },
    }
}

fn of_row(row: Row) -> Entry {
    let doc = format!("{} [{}]\n\n{}", row.doc, row.source, row.timing);
    let written = row.forms.into_iter().map(|form| form.text).collect();
    Entry { name: row.name, kind: CompletionItemKind::FUNCTION, written, doc }
}

fn of_directive(usage: &str) -> Entry {
    let name = first_word(usage).to_owned();
    Entry { name, kind: CompletionItemKind::KEYWORD, written: vec![usage.to_owned()], doc: String::new() }
}
